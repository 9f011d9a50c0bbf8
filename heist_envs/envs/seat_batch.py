"""The learner's view of N games: opponents play their seats inside, every row always waits for a learner's decision."""

import numpy as np

from ..engine.errors import unknown
from ..engine.table import Table, check_seed
from ..policies.agents import Agent, find_opponent
from ..policies.players import NOBODY, Players
from .mix import LATEST, POOL, opponent_mix

LEARNER = NOBODY  # in `seats`: none of the opponents


class SeatBatch:
    """N games of which a learner plays some seats and opponents the others; row = game.

    After `reset` and `step` a learner's seat is asked in every row. Who plays where is drawn when a game begins: with
    the weight of `latest` all seats are the learner's, otherwise one side (one seat, where each plays for himself), and
    each other side is an opponent drawn by the remaining weights. The weights are shares of games; a game with opponents
    takes fewer of the learner's decisions.

    `pool` in the mix is a number of places, `pool_size`, that whoever runs the league fills (`seat_in_pool`) and weighs
    (`set_pool_weights`); until then its share is played by the learner itself. With `role` (one of the game's) the learner
    has that side in all games with opponents.

    With `keep_final` the end of a finished game is kept until the next one in its row, which costs time: `final_states`
    (N,) records, `final_observation` (N, D) float32 and `final_seat` (N,) int64, what the learner's first seat sees and who
    it is. A batch of 1 may be `recording`: then `events` tells what has happened since the learner's last decision, of the
    running game only, and `final_events` the same of the one that ended meanwhile (lists of dicts).

    Written in place (copy what you keep):
    observation (N, D) float32, mask (N, A) bool, seat (N,) int64: what the asked learner's seat sees, may do, who it is.
    acting (N,) int64: the seat that made the last step's decision.
    seats (N, players) int64: LEARNER, or which of `names` plays there.
    seat_rewards (N, players) float64: what every seat earned from that decision until now, opponents' turns included.
        When the game ended, what the next game paid before the learner's first decision in it is left out.
    done (N,) bool: that game ended, for all of its seats; a truncated game counts as ended.
    episode_return (N,) float64, episode_length (N,) int64, episode_versus (N,) bool, where `done`: mean return of the
        learner's seats, decisions of all seats, and whether opponents played.
    """

    def __init__(
        self, game, num_games, opponents=LATEST, seed=0, pool_size=0, role=None, keep_final=False, recording=False, **options
    ):
        self.table = Table(game, num_games, recording, **options)
        self.game, self.num_games, self.players = self.table.game, self.table.games, self.table.players
        self.mix = opponent_mix(opponents, self.game)
        named = [name for name in self.mix if name not in (LATEST, POOL)]
        self.pool_size = pool_size if POOL in self.mix else 0
        self._agents = [*(find_opponent(name, self.game) for name in named), *[None] * self.pool_size]
        self.names = [*named, *[None] * self.pool_size]  # of the opponents; None: an empty place in the pool
        self._sides, self._side = np.unique(self.table.sides(), return_inverse=True)
        self._learns = self._sides_of(role)
        self.set_pool_weights(np.zeros(self.pool_size))
        self.observation, self.seat = self.table.observation, self.table.seat
        self.mask = self.table.mask.view(np.bool_)
        self.acting = np.zeros(self.num_games, np.int64)
        self.seat_rewards = np.zeros((self.num_games, self.players))
        self.done = np.zeros(self.num_games, bool)
        self.episode_return = np.zeros(self.num_games)
        self.episode_length = np.zeros(self.num_games, np.int64)
        self.episode_versus = np.zeros(self.num_games, bool)
        self.keep_final, self.recording = keep_final, recording
        if keep_final:
            self._final_words = self.table.words.copy()
            self.final_states = self._final_words.view(self.table.states.dtype)[:, 0].view(np.recarray)
            self.final_observation, self.final_seat = np.zeros_like(self.observation), np.zeros_like(self.seat)
        self.events, self.final_events = [], []
        self._returns = np.zeros((self.num_games, self.players))
        self._replaced = np.zeros(self.num_games, bool)  # an opponent of the running game has been replaced meanwhile
        self._rows = np.arange(self.num_games)
        self._all = np.ones(self.num_games, bool)
        self._actions = np.zeros(self.num_games, np.int64)
        self.clear_statistics()
        self.reset(check_seed(seed))

    def _sides_of(self, role):
        """The sides that the learner may have."""
        roles = self.game.about.roles
        if role is not None and role not in roles:
            raise unknown(f"role in {self.game.name}", role, roles)
        return np.array([roles.index(role)]) if role and len(roles) > 1 else np.arange(len(self._sides))

    @property
    def has_opponents(self):
        """Whether anybody but the learner may be met."""
        return bool(self.names)

    def set_pool_weights(self, weights):
        """Draw the places of the pool by these weights (pool_size,) in games that begin from now on, 0 for empty ones."""
        self.pool_weights = np.array(weights, float)
        named = [self.mix[name] for name in self.names if name in self.mix]
        pool = self.pool_weights / (self.pool_weights.sum() or 1.0) * self.mix.get(POOL, 0.0)
        shares = np.array([*named, *pool])
        total = shares.sum()
        self.self_share = 1.0 - total if total < 1 - 1e-12 else 0.0
        self._steps = shares.cumsum() / (total or 1.0)
        if total:  # rounding must not draw a place that nobody has
            self._steps[np.flatnonzero(shares)[-1] :] = np.inf

    def seat_in_pool(self, place, policy, name):
        """Put a `NetworkPolicy` in a place of the pool. Games that run against whom it replaces go on against it, but are
        not counted."""
        number = len(self.names) - self.pool_size + place
        self._replaced |= (self.seats == number).any(1)
        self.names[number] = name
        self._met[number] = self._won[number] = 0
        self._agents[number] = Agent(name, policy)
        self.opponents.replace(number, self._agents[number])

    def reset(self, seed=None, which=None):
        """Deal all games and seats anew, from `seed` or going on from the seeds so far. With `which` (N,) bool only those
        games, going on; what was left unfinished is not counted."""
        which = self._all if which is None else which
        if seed is not None:
            seed = check_seed(seed)
            self.random = np.random.default_rng([seed, 2])
            nobody = np.full((self.num_games, self.players), LEARNER, np.int64)
            self.opponents = Players(self.table, self._agents, nobody, [seed, 3])
            self.seats = self.opponents.seats
        self.events = []
        self.table.reset(seed, which)
        self._note_events()
        self._begin(which)
        self.done[which] = True  # until the first decision there is nobody to credit
        self._play_opponents()
        self.done[which] = False
        self.seat_rewards[which] = 0
        self._returns[which] = 0

    def step(self, actions, which=None):
        """Play `actions` (N,) integers for the asked seats, then all opponents until a learner's seat is asked in every row.
        With `which` (N,) bool only those games move. Raises `IllegalAction` before any game has moved."""
        which = self._all if which is None else which
        acting = self.seat.copy()
        self.table.play(actions, which)
        self.events = []
        self.acting[:] = acting
        self.seat_rewards[:] = 0
        self.done[:] = False
        self._settle(which)
        self._play_opponents()
        np.add(self._returns, self.seat_rewards, out=self._returns, where=~self.done[:, None])

    def use_reward(self, name):
        """From now on games pay by this value of their option `reward`; running ones too. `table.options` stays."""
        self.table.use_reward(name)

    def _play_opponents(self):
        """Let the opponents play on until none of them is asked."""
        while True:
            waiting = self.seats[self._rows, self.seat] != LEARNER
            if not waiting.any():
                return
            self.table.play(self.opponents.choose(self._actions), waiting.view(np.uint8))
            self._settle(waiting)

    def _settle(self, moved):
        """Book what was paid in the rows that have `moved` and follow ended games by their next."""
        self._note_events()
        credited = moved & ~self.done
        np.add(self.seat_rewards, self.table.rewards, out=self.seat_rewards, where=credited[:, None])
        ended = moved & (self.table.over != 0)
        if ended.any():
            self._note_episodes(np.flatnonzero(ended & credited))
            self._count(np.flatnonzero(ended))
            self.done |= ended
            if self.keep_final:
                self._keep_final(ended & credited)
            self.table.reset(which=ended)
            self.events = []
            self._note_events()
            self._begin(ended)

    def _keep_final(self, ended):
        """Keep the end of the games in `ended`, in which the learner has decided, before they are followed by the next."""
        if not ended.any():
            return
        seat = (self.seats == LEARNER).argmax(1)
        self.final_observation[ended] = self.table.show(seat)[0][ended]
        self._final_words[ended], self.final_seat[ended] = self.table.words[ended], seat[ended]
        self.final_events = self.events

    def _note_events(self):
        """Add what has just happened to `events`, before the table forgets it."""
        if self.recording:
            self.events += self.table.events()

    def _begin(self, which):
        """Draw who plays where in the games in `which`, which begin now."""
        if not self.has_opponents:
            return
        rows = np.flatnonzero(which)
        drawn = np.searchsorted(self._steps, self.random.random((len(rows), len(self._sides))), "right")
        drawn[np.arange(len(rows)), self._learns[self.random.integers(len(self._learns), size=len(rows))]] = LEARNER
        drawn[self.random.random(len(rows)) < self.self_share] = LEARNER
        self.seats[rows] = drawn[:, self._side]
        self._replaced[rows] = False
        self.opponents.begin(which)

    def _note_episodes(self, rows):
        """Keep return and length of the games in `rows`, which have just ended."""
        mine = self.seats[rows] == LEARNER
        returns = self._returns[rows] + self.seat_rewards[rows]
        self.episode_return[rows] = (returns * mine).sum(1) / mine.sum(1)
        self.episode_length[rows] = self.table.states["decisions"][rows]
        self.episode_versus[rows] = ~mine.all(1)
        self._returns[rows] = 0

    def _count(self, rows):
        """Add the ended games in `rows` to the statistics."""
        self._games += len(rows)
        self._decisions += int(self.table.states["decisions"][rows].sum())
        if self.has_opponents:
            rows = rows[~self._replaced[rows]]
            seats = self.seats[rows]
            won = self.table.rank[rows, : self.players] == 1
            share = (won & (seats == LEARNER)).sum(1) / won.sum(1)
            met = (seats[:, :, None] == np.arange(len(self.names))).any(1) & (seats != LEARNER).any(1, keepdims=True)
            self._met += met.sum(0)
            self._won += share @ met

    def statistics(self):
        """Since `clear_statistics`: `games` ended, their mean `length` in decisions, and `versus` {name: (games in which
        that opponent sat, the learner's wins in them)}; a win shared by w winners counts 1/w, parity is games / sides."""
        versus = {name: (int(m), float(w)) for name, m, w in zip(self.names, self._met, self._won, strict=True) if name}
        return {"games": self._games, "length": self._decisions / max(self._games, 1), "versus": versus}

    def clear_statistics(self):
        """Begin counting anew."""
        self._games = self._decisions = 0
        self._met, self._won = np.zeros(len(self.names), np.int64), np.zeros(len(self.names))

    def get_state(self):
        """Everything that decides how the games go on, for an exact resume; who is in the pool is told by the league."""
        arrays = {name: getattr(self, name) for name in self._KEPT}
        counted = [self._games, self._decisions, self._met.tolist(), self._won.tolist()]
        table = np.frombuffer(self.table.save(), np.uint8)
        random = self.random.bit_generator.state
        return {"table": table, "random": random, "opponents": self.opponents.get_state(), "counted": counted, **arrays}

    def set_state(self, state):
        """Go back to what `get_state` told; the pool must have been seated before. Raises `HeistError` for other games."""
        self.table.restore(state["table"].tobytes())
        self.random.bit_generator.state = state["random"]
        self.opponents.set_state(state["opponents"])
        self._games, self._decisions, met, won = state["counted"]
        self._met[:], self._won[:] = met, won
        for name in self._KEPT:
            getattr(self, name)[:] = state[name]

    _KEPT = ("acting", "seat_rewards", "done", "episode_return", "episode_length", "episode_versus", "_returns", "_replaced")
