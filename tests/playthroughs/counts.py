"""How many different positions can be reached in 1, 2 and 3 decisions: a small number that any change of a rule moves."""

import json

import numpy as np

from heist_envs.engine.table import Table

from .transcript import FOLDER

FILE = FOLDER / "counts.json"
STARTS = ((1, 0), (2, 0), (3, 1 / 8), (4, 1 / 4))  # (seed, share of the longest game played before counting begins)
BREADTH = 7  # legal actions followed at each position, spread evenly


def counts(name, players):
    """For each start how many positions 1, 2 and 3 decisions later."""
    table = Table(name, num_players=players)
    longest = table.game.about.longest
    return [reachable(table, seed, int(share * longest)) for seed, share in STARTS]


def reachable(table, seed, skipped, depth=3):
    table.reset(seed)
    for k in range(skipped):
        legal = np.flatnonzero(table.mask[0])
        table.play([legal[k % len(legal)]])
    found, frontier = [], {table.words.tobytes(): table.save()}
    for _ in range(depth):
        following = {}
        for saved in frontier.values():
            table.restore(saved)
            legal = np.flatnonzero(table.mask[0])
            for at in np.unique(np.linspace(0, len(legal) - 1, BREADTH).astype(int)):
                table.restore(saved)
                table.play([legal[at]])
                following.setdefault(table.words.tobytes(), table.save())
        found.append(len(following))
        frontier = following
    return found


def stored():
    """{game: {players: counts}}, empty when there is no file yet."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def store(everything):
    rows = ",\n".join(f'  "{name}": {json.dumps(by_players)}' for name, by_players in sorted(everything.items()))
    FILE.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
