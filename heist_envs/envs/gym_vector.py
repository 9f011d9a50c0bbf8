"""N games as one Gymnasium vector environment: one learner in each, opponents inside, all in arrays."""

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..engine.errors import HeistError, IllegalAction, unknown
from ..engine.table import check_seed
from .batch import whole_numbers
from .gym_single import OPPONENTS, OneLearner, only_wait
from .seat_batch import LEARNER
from .single import ILLEGAL_REWARD, check_modes, need_start

MODES = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)


def check_mode(given):
    """An `AutoresetMode` from itself or its value, or a `HeistError`."""
    for mode in MODES:
        if given is mode or given == mode.value:
            return mode
    raise unknown("autoreset_mode", getattr(given, "value", given), [mode.value for mode in MODES])


class HeistVector(OneLearner, VectorEnv):
    """`HeistGym` N times: row = game, all returned arrays are fresh.

    Observations (N, D) float32, actions (N,) integers, rewards (N,) float64, terminations and truncations (N,) bool. What is
    legal stands in `action_masks()` (N, A) bool and in `infos["action_mask"]` (N, A) int8; `infos["seat"]` and
    `infos["agent"]` tell who is asked. Every entry has its `_name` (N,) bool: the rows that it is about.

    A game that has ended is followed by the next, as `metadata["autoreset_mode"]` says. "SameStep": the observation is the
    next game's first; `infos["final_obs"]` (N,) objects has the last one, `infos["final_info"]` the rest, with `scores` and
    `ranks` (N, players) int64, `is_success` (N,) bool. "NextStep": observation and infos are the ended game's; the next
    step ignores that row's action, pays 0 and shows the next game. `illegal` in these infos is True where an illegal action
    ended the game.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self, game, num_envs=1, opponents=OPPONENTS, role=None, illegal="terminate",
        autoreset_mode=AutoresetMode.SAME_STEP, **options,
    ):  # fmt: skip
        """As `HeistGym`, with `num_envs` games and `autoreset_mode`: SAME_STEP or NEXT_STEP."""
        check_modes(None, illegal)
        self.metadata = {**self.metadata, "autoreset_mode": check_mode(autoreset_mode)}
        self._seat(game, num_envs, opponents, role, False, options)
        self.num_envs, self.illegal = self.batch.num_games, illegal
        played = self.batch.game
        self.single_observation_space = spaces.Box(played.observation.low, played.observation.high, dtype=np.float32)
        self.single_action_space = spaces.Discrete(len(played.actions))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._names = np.array(self.agents, object)
        self._mask = None  # (N, A) int8, what `action_masks` tells
        self._waiting = np.zeros(self.num_envs, bool)  # rows that have told an end: the next step shows their next game

    def reset(self, *, seed=None, options=None):
        """Deal all games from `seed` (0 to 2**64 - 1), which decides everything that follows, or go on to the next ones;
        `options` may not ask for a part of the games. Returns (observations, infos)."""
        if options and "reset_mask" in options:
            raise HeistError("games are followed by the next by themselves, so reset_mask is not supported; leave it out.")
        super().reset(seed=None if seed is None else check_seed(seed))
        self._deal(seed)
        self._waiting[:] = False
        return self._tell()

    def step(self, actions):
        """Play one action per game, then let the opponents play until a learner is asked everywhere. Returns (observations,
        rewards, terminations, truncations, infos)."""
        need_start(self._started, "step")
        batch, learns = self.batch, self.batch.seats == LEARNER
        actions = whole_numbers(actions, self.num_envs)
        illegal = ~(self._legal(actions) | self._waiting)
        if self.illegal == "raise" and illegal.any():
            row = int(illegal.argmax())
            raise IllegalAction(f"in game {row}, {batch.table.refusal(actions[row], row)}")
        batch.step(actions, which=~(illegal | self._waiting))
        rewards = np.where(illegal, ILLEGAL_REWARD, self._rewards(learns))
        truncations = batch.done & (batch.final_states["truncated"] == 1)
        terminations = illegal | (batch.done & ~truncations)
        observations, infos = self._go_on(illegal, terminations | truncations)
        return observations, rewards, terminations, truncations, infos

    def action_masks(self):
        """(N, A) bool: what the learners may do now; where an end has been told and not yet its next game, only `wait`."""
        need_start(self._started, "action_masks")
        return self._mask.astype(bool)

    def _legal(self, actions):
        """(N,) bool: whether these whole numbers are legal actions."""
        mask = self.batch.mask
        there = (actions >= 0) & (actions < mask.shape[1])
        return there & mask[np.arange(self.num_envs), np.where(there, actions, 0).astype(np.int64)]

    def _go_on(self, illegal, ended):
        """Follow the games that have `ended` by their next and tell (observations, infos) in the autoreset mode."""
        rows = np.flatnonzero(ended)
        self._waiting[:] = False
        if not len(rows):
            return self._tell()
        observation, mask, seat = last = self._last_seen(rows, illegal[rows])
        ends = self._ends(rows, illegal[rows])
        if illegal.any():
            self.batch.reset(which=illegal)
        if self.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP:
            self._waiting[rows] = True
            observations, infos = self._tell(rows, last)
            return observations, infos | ends
        observations, infos = self._tell()
        final = np.full(self.num_envs, None, object)
        for row, seen in zip(rows, observation, strict=True):
            final[row] = seen
        infos |= {"final_obs": final, "_final_obs": ended.copy()}
        infos |= {"final_info": self._chairs(rows, mask, seat) | ends, "_final_info": ended.copy()}
        return observations, infos

    def _last_seen(self, rows, illegal):
        """What the learners saw last in the games `rows` (k,), which have ended: observation, mask, seat."""
        batch = self.batch
        waits = only_wait(len(rows), batch.mask.shape[1])
        observation = np.where(illegal[:, None], batch.observation[rows], batch.final_observation[rows])
        mask = np.where(illegal[:, None], batch.table.mask[rows], waits)
        return observation, mask, np.where(illegal, batch.seat[rows], batch.final_seat[rows])

    def _ends(self, rows, illegal):
        """What infos tell of the games `rows` (k,), which have ended."""
        finished, results = rows[~illegal], self._results()
        won = results.pop("is_success")[rows] & ~illegal
        infos = self._entries(rows, is_success=won) | self._entries(rows[illegal], illegal=illegal[illegal])
        return infos | self._entries(finished, **{name: column[finished] for name, column in results.items()})

    def _tell(self, rows=(), last=((), (), ())):
        """(observations, infos): what the learners see and may do now, in `rows` (k,) what they saw last."""
        batch = self.batch
        told = batch.observation.copy(), batch.table.mask.copy(), batch.seat.copy()
        for now, before in zip(told, last, strict=True):
            if len(rows):
                now[rows] = before
        observations, self._mask, seat = told
        return observations, self._chairs(np.arange(self.num_envs), self._mask, seat)

    def _chairs(self, rows, mask, seat):
        return self._entries(rows, action_mask=mask, seat=seat, agent=self._names[seat])

    def _entries(self, rows, **columns):
        """Infos in Gymnasium's form: each column (k, ...) of `rows` (k,) among all rows, and which rows those are."""
        there = np.zeros(self.num_envs, bool)
        there[rows] = True
        infos = {}
        for name, values in columns.items():
            empty = None if values.dtype == object else 0
            column = np.full((self.num_envs, *values.shape[1:]), empty, values.dtype)
            column[rows] = values
            infos |= {name: column, f"_{name}": there.copy()}
        return infos
