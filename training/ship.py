"""Make a finished run the baseline of its game: `python training/ship.py RUN` copies what is shipped into the package."""

import argparse
import csv
import json
import shutil
import sys
from pathlib import Path

if not __package__:  # run as a script: make `training` importable from the folder above
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from heist_envs.engine.errors import HeistError
from heist_envs.policies.agents import BASELINES
from heist_envs.policies.network import CARD, WEIGHTS, load_policy
from training.run_folder import write_text

MOST_BYTES = 2 * 1024 * 1024
CURVE, CURVE_ROWS = "progress.csv", 200
WHOLE = (CARD, WEIGHTS, "config.yml", "command.txt", "versions.json", "results.json", "league.json")


def ship(run, baselines=BASELINES):
    """Copy policy, config, command, versions, results, win table and a thinned learning curve; returns the folder."""
    run = Path(run)
    game = load_policy(run).game.name
    missing = [name for name in (*WHOLE, CURVE) if not (run / name).is_file()]
    if missing:
        raise HeistError(f"{run} lacks {', '.join(missing)}; only a finished league run can become a baseline.")
    if not json.loads((run / "results.json").read_text(encoding="utf-8"))["evaluation"]:
        raise HeistError(f"{run} has not been evaluated; run training/evaluate.py {run} first.")
    curve = learning_curve(run / CURVE)
    size = sum((run / name).stat().st_size for name in WHOLE) + len(curve)
    if size > MOST_BYTES:
        raise HeistError(f"{run} has {size:,} bytes to ship, more than {MOST_BYTES:,}; train smaller layers.")
    target = baselines / game
    target.mkdir(parents=True, exist_ok=True)
    for name in WHOLE:
        shutil.copyfile(run / name, target / name)
    write_text(target / CURVE, curve)
    return target


def learning_curve(path):
    """The decisions so far and the win shares of a run's progress.csv, as CSV of at most `CURVE_ROWS` evenly spaced rows."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ["time/total_timesteps", *sorted(name for name in rows[0] if name.startswith("selfplay/winrate_vs/"))]
    kept = rows[:: -(-len(rows) // CURVE_ROWS)]
    kept += [] if kept[-1] is rows[-1] else [rows[-1]]
    lines = [",".join(name.rpartition("/")[2] for name in columns)]
    lines += [",".join(_short(row[name]) for name in columns) for row in kept]
    return "\n".join(lines) + "\n"


def _short(number):
    return number and f"{float(number):.4g}" if "." in number else number


def main(arguments=None):
    """Ship one run; returns the exit status."""
    parser = argparse.ArgumentParser(prog="training/ship.py", description=__doc__)
    parser.add_argument("run", metavar="RUN", help="the folder of a finished run")
    args = parser.parse_args(arguments)
    try:
        print(f"shipped as {ship(args.run)}")
    except HeistError as error:
        print(f"ship: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
