"""Scripted bots: compiled like rules, they read what their seat sees and so cannot cheat.

A bot is a rule `choose(seen, seat, mask, memory) -> action`; `memory` is the seat's own record, zeroed at the start of
a game except for its random stream `dice`: `notes` int32 (actions + 2,) are free. Every game has `random_legal` and
`robby_junior`; a game's own bots (among them a `greedy`) are in its `bots.py` and may replace a generic one.
"""

import numpy as np

from ..engine.chance import shuffle
from ..engine.compile import rule
from ..engine.errors import unknown
from ..engine.kernels import pick


@rule
def random_legal(seen, seat, mask, memory):
    """A uniformly random legal action."""
    return pick(mask, memory)


@rule
def robby_junior(seen, seat, mask, memory):
    """One random order of all actions, drawn at the start and never shuffled again; the next legal one in it, cyclically
    from where he stopped. `notes`: 0 until drawn, then 1 + the place of his next card; the order from 1 on."""
    notes, count = memory.notes, mask.shape[0]
    order = notes[1:]
    if notes[0] == 0:
        for action in range(count):
            order[action] = action
        shuffle(memory, order, count)
        notes[0] = 1
    at = notes[0] - 1
    while not mask[order[at]]:
        at = at + 1 if at + 1 < count else 0
    notes[0] = 1 + (at + 1 if at + 1 < count else 0)
    return order[at]


GENERIC = {"random_legal": random_legal, "robby_junior": robby_junior}


def bot_names(game):
    """The names of all bots that can play a `Game`."""
    return list({**GENERIC, **game.bots})


def bot_rule(game, name):
    """The rule of a bot of a `Game`; a `HeistError` for unknown names."""
    bots = {**GENERIC, **game.bots}
    if name not in bots:
        raise unknown(f"bot of {game.name}", name, bots)
    return bots[name]


def memory_type(game):
    """The record a bot of this game keeps: its notes and its random stream (last: numba would take a record that begins
    like the engine's own dice for one of them, with a warning)."""
    return np.dtype((np.record, np.dtype([("notes", np.int32, len(game.actions) + 2), ("dice", np.uint64)], align=True)))


class ScriptedPlayers:
    """Bots at some seats of a `Table`. `players` (N, seats) int64: which bot of `names` plays there, -1 = none of them; a
    name None is somebody else's number."""

    def __init__(self, table, names, players, seed):
        self.table, self.names = table, list(names)
        self.players = np.ascontiguousarray(players, np.int64)
        self.memory = np.zeros((table.games, table.players), memory_type(table.game))
        self.random = np.random.default_rng(seed)
        mine = [(number, name) for number, name in enumerate(self.names) if name]
        self._choosers = [(number, table.kernels.chooser(name, bot_rule(table.game, name))) for number, name in mine]
        self.begin(np.ones(table.games, bool))

    def begin(self, which):
        """Forget everything in the games in `which` (N,) bool: a new game begins there."""
        count = int(np.count_nonzero(which)) * self.table.players
        self.memory["notes"][which] = 0
        self.memory["dice"][which] = self.random.integers(2**63, size=count).reshape(-1, self.table.players)

    def choose(self, actions):
        """Write the action of every game whose asked seat one of the bots plays into `actions` (N,) int64."""
        table = self.table
        for number, chooser in self._choosers:
            chooser(table.scratch, table.words, table.seat, table.mask, self.players, number, self.memory, actions)
        return actions

    def get_state(self):
        """Memories and random stream of the bots, for an exact resume; `players` is the caller's."""
        return {"memory": self.memory.view(np.uint8), "random": self.random.bit_generator.state}

    def set_state(self, state):
        """Go back to what `get_state` told."""
        self.memory.view(np.uint8)[...] = state["memory"]
        self.random.bit_generator.state = state["random"]
