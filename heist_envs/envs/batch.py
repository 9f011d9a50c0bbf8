"""N games of one kind in arrays, for learners and benchmarks that step them all at once."""

import numpy as np

from ..engine.errors import HeistError
from ..engine.kernels import DICE
from ..engine.table import Table, check_seed, seeds_from


def whole_numbers(actions, games):
    """`actions` as an integer array (games,), or a `HeistError`; `Table.play` looks at the values."""
    try:
        actions = np.asarray(actions)
    except ValueError:  # lists of unequal lengths
        actions = np.array(actions, object)
    if actions.dtype.kind not in "iu":
        raise HeistError(f"actions are whole numbers, an integer array of shape ({games},), not {actions.dtype}.")
    if actions.shape != (games,):
        raise HeistError(f"a step needs one action per game, shape ({games},), not {actions.shape}.")
    return actions


class Batch:
    """N games side by side; each game's next decision is made at every step, finished games begin anew at once.

    observation (N, D) float32 · action_mask (N, A) int8 · seat (N,) int64, who decides · rewards (N, players) float64,
    terminated, truncated (N,) bool of the last step. All are written in place: copy what you keep. After a game has
    ended, `observation`, `action_mask` and `seat` belong to its successor, `rewards` and the flags to the ended game.
    """

    def __init__(self, game, num_games, seed=0, **options):
        self._lay_out(Table(game, num_games, **options))
        self.reset(seed)

    def _lay_out(self, table):
        """Show a table's arrays, not copies of them."""
        self.table = table
        self.game, self.num_games, self.players = self.table.game, self.table.games, self.table.players
        self.observation, self.action_mask, self.seat = self.table.observation, self.table.mask, self.table.seat
        self.rewards = self.table.rewards
        self.terminated = self.table.terminated.view(np.bool_)
        self.truncated = self.table.truncated.view(np.bool_)
        self._dice = np.zeros(1, DICE)
        self._random = np.zeros(self.num_games, np.int64)

    def __getstate__(self):
        return {"table": self.table, "dice": int(self._dice["dice"][0])}

    def __setstate__(self, kept):
        self._lay_out(kept["table"])
        self._dice["dice"] = kept["dice"]

    @property
    def seeds(self):
        """(N,) uint64: the seed each running game was dealt from; a single environment reset from it is the same game."""
        return self.table.states["seed"].copy()

    def reset(self, seed=None):
        """Deal all games anew, from `seed` or going on from the seeds so far."""
        if seed is not None:
            self._dice["dice"] = seeds_from([check_seed(seed), 1], 1)
        self.table.reset(seed)

    def step(self, actions):
        """Play `actions` (N,) integers, one decision per game. Raises `IllegalAction` before any game has moved."""
        self.table.play(whole_numbers(actions, self.num_games), again=True)

    def random_actions(self):
        """(N,) int64 uniformly random legal actions, from the batch's own generator; the array is reused."""
        self.table.kernels.random_games(self.action_mask, self._dice, self._random)
        return self._random

    def roll_out(self, steps):
        """`steps` random decisions in every game without leaving compiled code; returns how many games ended."""
        return self.table.roll_out(steps, self._dice)
