"""How often a policy robs the same bank as Robby Junior: `python benchmarks/meet_junior.py RUN`, robby_solo with him.

One trained seat sits with players that choose at random; both are counted, from the first round on and once every one
of Robby Junior's cards has been seen. Meeting him at a bank costs the loot, so a player that remembers his cycle avoids
him; chance alone gives one in as many as there are banks.
"""

import argparse
import sys

import numpy as np
import torch

from heist_envs import HeistError, make_batch
from heist_envs.policies.network import load_policy
from heist_envs.policies.scripted import ScriptedPlayers


def meetings(policy, games, seed, deterministic):
    """{"all rounds" | "cycle known": (share of the policy, share of random players)} of rounds in which they met him."""
    table = make_batch("robby_solo", games, seed=seed, **policy.options).table
    players, rows = table.players, np.arange(games)
    mine = rows % players
    seats = np.zeros((games, players), np.int64)
    seats[rows, mine] = -1
    bots = ScriptedPlayers(table, ["random_legal"], seats, seed)
    generator = torch.Generator().manual_seed(seed)
    actions = np.zeros(games, np.int64)
    memory = np.zeros((games, policy.memory_width), np.float32)
    counts = {"all rounds": np.zeros((2, 2)), "cycle known": np.zeros((2, 2))}
    table.reset(seed)
    while (running := table.over == 0).any():
        begun = table.states["rounds"].copy()
        asked = np.flatnonzero(running & (table.seat == mine))
        bots.choose(actions)
        if len(asked):
            remembered = memory[asked]
            seen, mask = table.observation[asked], table.mask[asked]
            actions[asked] = policy.choose(seen, mask, deterministic, generator, remembered)
            memory[asked] = remembered
        table.play(actions, running.view(np.uint8))
        ended = running & ((table.states["rounds"] != begun) | (table.over != 0))
        _count(table, ended, mine, counts["all rounds"])
        _count(table, ended & (begun > table.states["banks"]), mine, counts["cycle known"])
    return {when: tuple(met / np.maximum(rounds, 1)) for when, (met, rounds) in counts.items()}


def _count(table, ended, mine, counts):
    """Add the rounds that have just ended: row 0 meetings, row 1 chances; column 0 the policy, 1 the others."""
    choices = table.states["last_choice"][ended]
    players = table.players
    met = choices[:, :players] == choices[:, [players]]
    own = np.arange(players) == mine[ended][:, None]
    counts += [[met[own].sum(), met[~own].sum()], [own.sum(), (~own).sum()]]


def main(arguments=None):
    """Print the shares; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN", help="a run folder of robby_solo with robby_junior")
    parser.add_argument("--games", type=int, default=2000, help="games (default 2000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the games (default 0)")
    args = parser.parse_args(arguments)
    try:
        policy = load_policy(args.run)
        if policy.game.name != "robby_solo" or not policy.options.get("robby_junior"):
            raise HeistError(f"{args.run} was not trained on robby_solo with robby_junior=True, so nobody can be met there.")
    except HeistError as error:
        print(f"meet_junior: {error}", file=sys.stderr)
        return 2
    for play in (False, True):
        for when, (own, others) in meetings(policy, args.games, args.seed, play).items():
            name = "deterministic" if play else "sampled"
            print(f"{name:<14}{when:<12} policy {own:.3f}   random players {others:.3f}   ratio {own / others:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
