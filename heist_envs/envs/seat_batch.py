"""The learner's view of N games: bots play their seats inside, every row always waits for a learner's decision."""

import math

import numpy as np

from ..engine.errors import HeistError, unknown
from ..engine.table import Table, check_seed
from ..policies.scripted import ScriptedPlayers, bot_names

LEARNER = -1
SELF = "self"


def opponent_mix(given, game):
    """The weights {name: share} of a mix such as `"self:0.8,robby_junior:0.2"` (or a mapping), adding up to 1.

    `self` is the learner itself, the others are bots of the `Game`. Raises `HeistError` for anything else.
    """
    example = "a mix reads NAME:WEIGHT,NAME:WEIGHT, for example self:0.8,robby_junior:0.2"
    pairs = given.items() if hasattr(given, "items") else [_name_and_weight(part, example) for part in str(given).split(",")]
    names, mix = [SELF, *bot_names(game)], {}
    for name, weight in pairs:
        if name not in names:
            raise unknown(f"opponent for {game.name}", name, names)
        if name in mix:
            raise HeistError(f"opponent {name!r} is named twice; {example}.")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < math.inf:
            raise HeistError(f"the weight of opponent {name!r} is a number from 0 on, not {weight!r}.")
        mix[name] = float(weight)
    total = sum(mix.values())
    if not 0 < total < math.inf:
        raise HeistError(f"the opponents {given!r} have no weight at all; {example}.")
    return {name: weight / total for name, weight in mix.items() if weight}


def _name_and_weight(text, example):
    name, colon, weight = (part.strip() for part in text.partition(":"))
    try:
        return name, float(weight) if colon else 1.0
    except ValueError:
        raise HeistError(f"the weight in opponent {text.strip()!r} is not a number; {example}.") from None


class SeatBatch:
    """N games of which a learner plays some seats and bots the others; row = game.

    After `reset` and `step` a learner's seat is asked in every row. Who plays where is drawn when a game begins: with
    the weight of `self` all seats are the learner's, otherwise one side (one seat, where each plays for himself), and
    each other seat is a bot drawn by the remaining weights. The weights are shares of games; a game with bots takes
    fewer of the learner's decisions.

    Written in place (copy what you keep):
    observation (N, D) float32, mask (N, A) bool, seat (N,) int64: what the asked learner's seat sees, may do, who it is.
    acting (N,) int64: the seat that made the last step's decision.
    seat_rewards (N, players) float64: what every seat earned from that decision until now, bots' turns included. When
        the game ended, what the next game paid before the learner's first decision in it is left out.
    done (N,) bool: that game ended, for all of its seats; a truncated game counts as ended.
    episode_return (N,) float64, episode_length (N,) int64, episode_versus (N,) bool, where `done`: mean return of the
        learner's seats, decisions of all seats, and whether bots played.
    """

    def __init__(self, game, num_games, opponents=SELF, seed=0, **options):
        self.table = Table(game, num_games, **options)
        self.game, self.num_games, self.players = self.table.game, self.table.games, self.table.players
        self.mix = opponent_mix(opponents, self.game)
        self.self_share = self.mix.get(SELF, 0.0)
        self.bots = tuple(name for name in self.mix if name != SELF)
        # Cumulative weights of the bots; their total is 1 except for rounding, which must not draw one bot too many.
        self._bot_steps = np.cumsum([self.mix[name] for name in self.bots])[:-1] / max(1 - self.self_share, 1e-300)
        self.observation, self.seat = self.table.observation, self.table.seat
        self.mask = self.table.mask.view(np.bool_)
        self.acting = np.zeros(self.num_games, np.int64)
        self.seat_rewards = np.zeros((self.num_games, self.players))
        self.done = np.zeros(self.num_games, bool)
        self.episode_return = np.zeros(self.num_games)
        self.episode_length = np.zeros(self.num_games, np.int64)
        self.episode_versus = np.zeros(self.num_games, bool)
        self._returns = np.zeros((self.num_games, self.players))
        self._rows = np.arange(self.num_games)
        self._all = np.ones(self.num_games, bool)
        self._actions = np.zeros(self.num_games, np.int64)
        self.clear_statistics()
        self.reset(check_seed(seed))

    def reset(self, seed=None):
        """Deal all games and seats anew, from `seed` or going on from the seeds so far."""
        if seed is not None:
            seed = check_seed(seed)
            self.random = np.random.default_rng([seed, 2])
            # The one place where opponents come from: anything with `players`, `begin(which)` and `choose(actions)`.
            nobody = np.full((self.num_games, self.players), LEARNER, np.int64)
            self.opponents = ScriptedPlayers(self.table, self.bots, nobody, [seed, 3])
            self.seats = self.opponents.players  # (N, players) int64: LEARNER, or which of `bots` plays there
        self.table.reset(seed)
        self._begin(self._all)
        self.done[:] = True  # until the first decision there is nobody to credit
        self._play_opponents()
        self.done[:] = False
        self.seat_rewards[:] = 0
        self._returns[:] = 0

    def step(self, actions):
        """Play `actions` (N,) integers for the asked seats, then all bots until a learner's seat is asked in every row.
        Raises `IllegalAction` before any game has moved."""
        acting = self.seat.copy()
        self.table.play(actions)
        self.acting[:] = acting
        self.seat_rewards[:] = 0
        self.done[:] = False
        self._settle(self._all)
        self._play_opponents()
        np.add(self._returns, self.seat_rewards, out=self._returns, where=~self.done[:, None])

    def use_reward(self, name):
        """From now on games pay by this value of their option `reward`; running ones too. `table.options` stays."""
        self.table.use_reward(name)

    def _play_opponents(self):
        """Let the bots play on until no bot is asked."""
        while True:
            waiting = self.seats[self._rows, self.seat] != LEARNER
            if not waiting.any():
                return
            self.table.play(self.opponents.choose(self._actions), waiting.view(np.uint8))
            self._settle(waiting)

    def _settle(self, moved):
        """Book what was paid in the rows that have `moved` and follow ended games by their next."""
        credited = moved & ~self.done
        np.add(self.seat_rewards, self.table.rewards, out=self.seat_rewards, where=credited[:, None])
        ended = moved & (self.table.over != 0)
        if ended.any():
            self._note_episodes(np.flatnonzero(ended & credited))
            self._count(np.flatnonzero(ended))
            self.done |= ended
            self.table.reset(which=ended)
            self._begin(ended)

    def _begin(self, which):
        """Draw who plays where in the games in `which`, which begin now."""
        if not self.bots:
            return
        rows = np.flatnonzero(which)
        seats = np.searchsorted(self._bot_steps, self.random.random((len(rows), self.players)), "right")
        side = self.table.states["side"][0, : self.players]  # the same in all games: it follows from the options
        sides = np.unique(side)
        seats[side == sides[self.random.integers(len(sides), size=len(rows))][:, None]] = LEARNER
        seats[self.random.random(len(rows)) < self.self_share] = LEARNER
        self.seats[rows] = seats
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
        if self.bots:
            seats = self.seats[rows]
            won = self.table.rank[rows, : self.players] == 1
            share = (won & (seats == LEARNER)).sum(1) / won.sum(1)
            met = (seats[:, :, None] == np.arange(len(self.bots))).any(1) & (seats != LEARNER).any(1, keepdims=True)
            self._met += met.sum(0)
            self._won += share @ met

    def statistics(self):
        """Since `clear_statistics`: `games` ended, their mean `length` in decisions, and `versus` {bot: (games in which
        that bot sat, the learner's wins in them)}; a win shared by w winners counts 1/w, parity is games / players."""
        versus = {name: (int(m), float(w)) for name, m, w in zip(self.bots, self._met, self._won, strict=True)}
        return {"games": self._games, "length": self._decisions / max(self._games, 1), "versus": versus}

    def clear_statistics(self):
        """Begin counting anew."""
        self._games = self._decisions = 0
        self._met, self._won = np.zeros(len(self.bots), np.int64), np.zeros(len(self.bots))
