"""Rows as a tournament writes them, of games that nobody has played."""

import numpy as np

from benchmarks.rows import Row, block_id, check_row, replay_path, win_shares


def digest(name):
    """A digest for a name."""
    return f"{sum(map(ord, name)):064x}"


def row(ranks, agents, sides, lineups, kind="duel", game="toy_game", version=0, seed=1, digests=None, **changes):
    """A `Row` of `ranks` (deals, lineups, players)."""
    ranks = np.asarray(ranks)
    agents = [{"name": name, "digest": (digests or {}).get(name, digest(name))} for name in agents]
    deciding = {
        "game": game, "version": version, "options": {"num_players": len(sides)}, "kind": kind, "agents": agents,
        "sides": list(sides), "lineups": [list(lineup) for lineup in lineups], "deals": len(ranks), "seed": seed,
    }  # fmt: skip
    deciding |= {name: changes.pop(name) for name in list(changes) if name in deciding}
    identity = block_id(deciding)
    shares = win_shares(ranks, deciding["sides"], deciding["lineups"])
    told = {
        "id": identity, "games": ranks.shape[0] * ranks.shape[1],
        "ranks": " ".join("".join(map(str, game)) for game in ranks.reshape(-1, ranks.shape[2])),
        "scores": np.zeros((len(lineups), len(agents))).tolist(), "win_share": shares.mean((0, 1)).tolist(),
        "forfeits": [0] * len(agents), "forfeit_reasons": [], "replay": replay_path(game, identity),
        "replay_sha256": digest(identity), "command": "leaderboard.py --game " + game, "commit": "0" * 40,
        "machine": {"platform": "Linux x86_64", "cpu": "a processor", "cores": 2, "python": "3.11.7"}, "seconds": 1.5,
    }  # fmt: skip
    made = Row(**deciding, **(told | changes))
    check_row(made)
    return made


def duel(first, second, won, players=2, **changes):
    """A duel in which `first` won the deals and lineups that `won` (deals, lineups) bool says, else its left neighbour; each
    plays for himself."""
    won = np.asarray(won, bool)
    ranks = np.full((*won.shape, players), 2)
    for lineup in range(players):
        winner = np.where(won[:, lineup], lineup, (lineup + 1) % players)
        np.put_along_axis(ranks[:, lineup], winner[:, None], 1, 1)
    lineups = [[int(seat != lineup) for seat in range(players)] for lineup in range(players)]
    return row(ranks, [first, second], range(players), lineups, **changes)


def table(agents, ranks, **changes):
    """A table of as many agents as seats, in all rotations. `ranks` (deals, agents): the same places in each of them."""
    count = len(agents)
    lineups = [[(seat - shift) % count for seat in range(count)] for shift in range(count)]
    seated = np.stack([np.asarray(ranks)[:, lineup] for lineup in lineups], 1)
    return row(seated, agents, range(count), lineups, "table", **changes)


def tournament(strengths, deals=40, players=3, seed=5, **changes):
    """All duels and some tables of agents {name: strength}: who has more wins more often."""
    random, names = np.random.default_rng(seed), list(strengths)
    rows = []
    for first in names:
        for second in names:
            if first != second:
                chance = strengths[first] / (strengths[first] + (players - 1) * strengths[second])
                rows.append(duel(first, second, random.random((deals, players)) < chance, players, seed=seed, **changes))
    for start in range(len(names)):
        seated = [names[(start + k) % len(names)] for k in range(players)]
        keys = random.exponential(size=(deals, players)) / [strengths[name] for name in seated]
        rows.append(table(seated, keys.argsort(1).argsort(1) + 1, seed=seed, **changes))
    return rows
