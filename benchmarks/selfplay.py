"""What the league costs: `python benchmarks/selfplay.py --game banquefall`, learner's decisions/s with and without it.

Plain self-play and training against a mix of latest, a full pool and bots take turns, a few updates each, in one
process; medians of the rounds and their ratio are printed.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

if not __package__:  # run as a script: make `training` importable from the folder above
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from heist_envs import HeistError
from heist_envs.engine.registry import about
from training.config import load_config, whole
from training.trainer import Run, build

PLAIN, LEAGUE = "latest", "latest:0.5,pool:0.3,robby_junior:0.1,greedy:0.1"
ROUNDS, UPDATES = 7, 3


class Side:
    """One way of training, a few updates at a time."""

    def __init__(self, game, opponents, threads, settings):
        changes = {"opponents": opponents, "torch_threads": threads, "max_minutes": 0, **settings}
        config = load_config(game, changes=changes)
        self.step = config.n_envs * config.n_steps
        self.model = build(game, config, seed=1)
        self.run = Run(game, config, 1, self.model, tempfile.gettempdir())
        for k in range(len(self.run.league.members)):
            self.run.league.join(self.run.policy(), k, "step")

    def speed(self, updates):
        """Decisions of the learner per second over some updates."""
        start = perf_counter()
        self.model.learn(updates * self.step, reset_num_timesteps=False)
        return updates * self.step / (perf_counter() - start)


def measure(game, threads, rounds, **settings):
    """(median of plain self-play, of the league, median of the rounds' ratios) in decisions/s; `settings` of training."""
    plain, league = (Side(game, opponents, threads, settings) for opponents in (PLAIN, LEAGUE))
    for side in (plain, league):
        side.speed(UPDATES)
    pairs = [(plain.speed(UPDATES), league.speed(UPDATES)) for _ in range(rounds)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(b / a for a, b in pairs)


def main(arguments=None):
    """Print the speeds; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", required=True, metavar="GAME", help="which game")
    parser.add_argument("--num-threads", default="1", help="threads of torch (default 1)")
    parser.add_argument("--rounds", default=str(ROUNDS), help=f"rounds of {UPDATES} updates each (default {ROUNDS})")
    args = parser.parse_args(arguments)
    try:
        about(args.game)
        threads = whole(1, 256).check("--num-threads", args.num_threads)
        plain, league, ratio = measure(args.game, threads, whole(1).check("--rounds", args.rounds))
    except HeistError as error:
        print(f"selfplay: {error}", file=sys.stderr)
        return 2
    print(f"{args.game}: plain self-play {plain:,.0f}, league {league:,.0f} learner decisions/s; ratio {ratio:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
