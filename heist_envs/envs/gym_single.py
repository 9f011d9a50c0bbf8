"""One game as a Gymnasium environment: the learner plays one side, the opponents' turns happen inside `step`."""

from operator import index

import gymnasium
import numpy as np
from gymnasium import spaces

from ..engine.actions import WAIT
from ..engine.errors import HeistError, IllegalAction
from ..engine.registry import about, load_game
from ..engine.table import check_seed
from .mix import LATEST, POOL, opponent_mix
from .seat_batch import LEARNER, SeatBatch
from .single import ILLEGAL_REWARD, RENDER_MODES, Rendered, check_modes, need_start

OPPONENTS = "greedy"  # every game has one


def only_wait(games, actions):
    """(games, actions) int8: the mask of seats that owe nothing."""
    mask = np.zeros((games, actions), np.int8)
    mask[:, WAIT] = 1
    return mask


class OneLearner:
    """What the single and the vector form share: a `SeatBatch` whose other sides are all played by somebody else."""

    def _seat(self, game, num_games, opponents, role, recording, options):
        """Make the batch. Raises `HeistError` for unknown games, options, roles and opponents, and for self-play."""
        name = about(game).name
        rules = load_game(name)
        self._settings = {"opponents": opponents, "role": role, "recording": recording, **rules.options.resolve(options)}
        alone = [one for one in (LATEST, POOL) if one in opponent_mix(opponents, rules)]
        if alone:
            raise HeistError(
                f"the opponents include {alone[0]!r}, the learner itself, but here one learner plays one side alone: name "
                f"bots of {name}, baseline or run:PATH, or train by self-play with `make train GAME={name}`."
            )
        self._settings |= {"game": name, "num_games": num_games, "keep_final": True}
        self.batch = SeatBatch(**self._settings)
        self.agents = self.batch.game.agents(self.batch.players)  # by seat
        self._started = False

    def _deal(self, seed):
        """Begin all games anew: from `seed`, going on, or from `np_random` if there has never been a seed."""
        if seed is None and not self._started:
            seed = int(self.np_random.integers(2**63))
        self._started = True
        self.batch.reset(seed)

    def _rewards(self, learns):
        """(N,) float64: the mean reward of the seats in `learns` (N, players) bool from the last step."""
        return (self.batch.seat_rewards * learns).sum(1) / learns.sum(1)

    def _results(self):
        """What a game tells at its end, {name: column}; rows are right where a game has just ended."""
        batch, rows = self.batch, np.arange(self.batch.num_games)
        scores = batch.final_states["score"][:, : batch.players].astype(np.int64)
        ranks = batch.final_states["rank"][:, : batch.players].astype(np.int64)
        return {"scores": scores, "ranks": ranks, "is_success": ranks[rows, batch.final_seat] == 1}

    def __getstate__(self):
        return {**self.__dict__, "batch": self.batch.get_state()}

    def __setstate__(self, kept):
        self.__dict__.update(kept)
        self.batch = SeatBatch(**self._settings)
        self.batch.set_state(kept["batch"])


class HeistGym(OneLearner, Rendered, gymnasium.Env):
    """One game from the learner's chair.

    Observation (D,) float32 of the learner's seat that is asked; actions are ids, Discrete(A). What is legal now stands in
    `action_masks()` and in `info["action_mask"]` (A,) int8. The reward is what the learner's seats earned on average until
    it is asked again, the opponents' turns included. The learner's side is drawn at every reset.

    `info` also tells `seat` (int) and `agent` (its name); at the end of a game `scores` and `ranks` (players,) int64 by seat
    and `is_success`, whether the learner has won, alone or with others.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(self, game, opponents=OPPONENTS, role=None, render_mode=None, illegal="terminate", **options):
        """`opponents`: who plays the other sides, as `NAME` or a mix `NAME:WEIGHT,...` of agents: the game's bots,
        `baseline`, `run:PATH`, `submission:PATH`. `role`: always play that role, where a game has several. `illegal`: what
        an illegal action does, "terminate" (the episode ends, reward -1, `info["illegal"]` says why) or "raise"
        (`IllegalAction`, nothing moves). `options` are the game's own. Raises `HeistError` for unknown names and values."""
        check_modes(render_mode, illegal)
        self._seat(game, 1, opponents, role, render_mode is not None, options)
        self.render_mode, self.illegal = render_mode, illegal
        played = self.batch.game
        self.observation_space = spaces.Box(played.observation.low, played.observation.high, dtype=np.float32)
        self.action_space = spaces.Discrete(len(played.actions))
        self._action, self._only_wait = np.zeros(1, np.int64), only_wait(1, len(played.actions))
        self._mask = None  # (A,) int8, what `action_masks` tells
        self._running = False
        self._next_is_dealt = False  # the batch shows the game after the one that has just ended
        self._last_picture = None  # of a game that has ended

    def reset(self, *, seed=None, options=None):
        """Deal a game from `seed` (0 to 2**64 - 1), which decides everything that follows, or go on to the next one;
        `options` is accepted and not used. Returns (observation, info)."""
        super().reset(seed=None if seed is None else check_seed(seed))
        if seed is not None or not self._next_is_dealt:
            self._deal(seed)
        self._running, self._next_is_dealt = True, False
        told = self._tell(self.batch.observation, self.batch.table.mask, self.batch.seat)
        self._show_human()
        return told

    def step(self, action):
        """Play an action id, then let the opponents play until the learner is asked again. Returns (observation, reward,
        terminated, truncated, info). Raises `HeistError` when no game is running."""
        need_start(self._started, "step")
        if not self._running:
            raise HeistError("the game is over; call reset() to deal another.")
        batch, learns = self.batch, self.batch.seats == LEARNER
        try:
            self._action[0] = index(action)
            batch.step(self._action)
        except (TypeError, OverflowError, IllegalAction):
            return self._refuse(action)
        reward = float(self._rewards(learns)[0])
        if batch.done[0]:
            return self._finish(learns[0], reward)
        observation, info = self._tell(batch.observation, batch.table.mask, batch.seat)
        self._show_human()
        return observation, reward, False, False, info

    def action_masks(self):
        """(A,) bool: what the learner may do now, as sb3-contrib asks for it; after the end only `wait`, id 0."""
        need_start(self._started, "action_masks")
        return self._mask.astype(bool)

    def _tell(self, observation, mask, seat):
        """(observation, info) of row 0, in fresh arrays."""
        self._mask, seat = mask[0].copy(), int(seat[0])
        return observation[0].copy(), {"action_mask": self._mask.copy(), "seat": seat, "agent": self.agents[seat]}

    def _refuse(self, action):
        sentence = self.batch.table.refusal(action)
        if self.illegal == "raise":
            raise IllegalAction(sentence) from None
        self._running = False
        observation, info = self._tell(self.batch.observation, self.batch.table.mask, self.batch.seat)
        return observation, ILLEGAL_REWARD, True, False, {**info, "is_success": False, "illegal": sentence}

    def _finish(self, learns, reward):
        """What `step` returns at the end of a game; the batch has already dealt the next one."""
        batch, state = self.batch, self.batch.final_states[0]
        self._running, self._next_is_dealt = False, True
        if self.render_mode:
            self._last_picture = batch.game.draw(state, None, batch.final_events)
        observation, info = self._tell(batch.final_observation, self._only_wait, batch.final_seat)
        info |= {name: column[0] for name, column in self._results().items()}
        info["is_success"] = bool(info["is_success"])
        truncated = bool(state.truncated)
        self._show_human()
        return observation, reward, not truncated, truncated, info

    def _picture(self):
        need_start(self._started, "render")
        if self._next_is_dealt:
            return self._last_picture
        return self.batch.game.draw(self.batch.table.states[0], None, self.batch.events)
