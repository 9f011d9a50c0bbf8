"""How strong a trained policy is: `python training/evaluate.py RUN` plays it against every bot of its game."""

import argparse
import json
import math
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

if not __package__:  # run as a script: make `training` importable from the folder above
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
import torch

from heist_envs import make_batch
from heist_envs.engine.errors import HeistError, unknown
from heist_envs.policies.network import load_policy
from heist_envs.policies.scripted import ScriptedPlayers, bot_names
from training.config import whole
from training.run_folder import write_json

PLAY = ("sampled", "deterministic")
RESULTS = "results.json"


@dataclass(frozen=True)
class Result:
    """One trained seat against copies of one bot. A win shared by w winners counts 1/w; `low` and `high` bound the win
    share with 95 % confidence; `parity` is what equal players get; scores are means of the game's own score."""

    opponent: str
    play: str
    games: int
    win_share: float
    low: float
    high: float
    parity: float
    mean_score: float
    opponents_score: float


def evaluate(policy, opponents=None, games=4000, seed=0, plays=PLAY, stopped=lambda: False):
    """`Result`s of a `NetworkPolicy` against each of `opponents` (names; default: all bots of its game), yielded one by
    one until `stopped()`. About `games` games each, in a whole number of deals."""
    for opponent in opponents or bot_names(policy.game):
        for play in plays:
            if stopped():
                return
            yield play_match(policy, opponent, games, seed, play)


def play_match(policy, opponent, games, seed=0, play="sampled"):
    """The `Result` of one trained seat against copies of a bot. Every deal is played once from each seat."""
    players = policy.game.options.resolve(policy.options)["num_players"]
    deals = max(2, round(games / players))
    table = make_batch(policy.game.name, deals * players, **policy.options).table
    mine = np.arange(table.games) % players
    seats = np.zeros((table.games, players), np.int64)
    seats[np.arange(table.games), mine] = -1
    bots = ScriptedPlayers(table, [opponent], seats, [seed, 1])
    table.reset(np.repeat(np.random.default_rng([seed, 2]).integers(2**63, size=deals), players))
    _play_out(table, policy, bots, mine, play == "deterministic", torch.Generator().manual_seed(seed))
    return _result(table, mine, opponent, play)


def _play_out(table, policy, bots, mine, deterministic, generator):
    """Play all games to their end."""
    actions = np.zeros(table.games, np.int64)
    while True:
        running = table.over == 0
        if not running.any():
            return
        asked = np.flatnonzero(running & (table.seat == mine))
        bots.choose(actions)
        if len(asked):
            actions[asked] = policy.choose(table.observation[asked], table.mask[asked], deterministic, generator)
        table.play(actions, running.view(np.uint8))


def _result(table, mine, opponent, play):
    rows, players = np.arange(table.games), table.players
    won = table.rank[:, :players] == 1
    shares = won[rows, mine] / won.sum(1)
    scores = table.states["score"][:, :players].astype(np.float64)
    own = scores[rows, mine]
    # The seats of one deal share its luck, so the deal, not the game, is the independent sample.
    by_deal = shares.reshape(-1, players).mean(1)
    mean, error = by_deal.mean(), 1.96 * by_deal.std(ddof=1) / math.sqrt(len(by_deal))
    others = (scores.sum(1) - own).mean() / (players - 1)
    low, high = max(0.0, mean - error), min(1.0, mean + error)
    numbers = (round(float(x), 4) for x in (mean, low, high, 1 / players, own.mean(), others))
    return Result(opponent, play, table.games, *numbers)


def show_results(results, console):
    """Print `Result`s as a table on a rich `Console`."""
    from rich.table import Table as RichTable

    if not results:
        return
    first = results[0]
    shown = RichTable(title=f"win share of one trained seat, parity {first.parity:.3f}, {first.games} games each")
    for heading in ("against", "play", "win share", "95 %", "score", "theirs"):
        shown.add_column(heading, justify="left" if heading in ("against", "play") else "right", no_wrap=True)
    for r in results:
        interval = f"{r.low:.3f}-{r.high:.3f}"
        shown.add_row(r.opponent, r.play, f"{r.win_share:.3f}", interval, f"{r.mean_score:.1f}", f"{r.opponents_score:.1f}")
    console.print(shown)


def as_json(results):
    """`Result`s ready for JSON."""
    return [asdict(result) for result in results]


def main(arguments=None):
    """Evaluate one run or policy folder; returns the exit status."""
    parser = argparse.ArgumentParser(prog="training/evaluate.py", description=__doc__, allow_abbrev=False)
    parser.add_argument("run", metavar="RUN", help="a run folder, or any folder with policy.json and policy.safetensors")
    parser.add_argument("--games", default="4000", help="games per opponent (default 4000)")
    parser.add_argument("--opponents", metavar="NAME[,NAME...]", help="bots to play against (default: all of the game)")
    parser.add_argument("--seed", default="0", help="seed of the games (default 0)")
    parser.add_argument("--num-threads", default="1", help="threads of torch (default 1)")
    args = parser.parse_args(arguments)
    try:
        return _evaluate_folder(args)
    except HeistError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("evaluate: stopped.", file=sys.stderr)
        return 130


def _evaluate_folder(args):
    from rich.console import Console

    games = whole(1, 1_000_000).check("--games", args.games)
    seed = whole(0, 2**32 - 1).check("--seed", args.seed)
    torch.set_num_threads(whole(1, 256).check("--num-threads", args.num_threads))
    policy = load_policy(args.run)
    allowed = bot_names(policy.game)
    opponents = [name.strip() for name in args.opponents.split(",")] if args.opponents else allowed
    for name in opponents:
        if name not in allowed:
            raise unknown(f"opponent for {policy.game.name}", name, allowed)
    start = perf_counter()
    results = list(evaluate(policy, opponents, games, seed))
    show_results(results, Console())
    print(f"{perf_counter() - start:.0f} s")
    _update_results(Path(args.run) / RESULTS, results)
    return 0


def _update_results(path, results):
    """Put the evaluation into the run's results.json, if this is a run folder."""
    if path.is_file():
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise HeistError(f"{path} is not JSON, so the results above were not written into it.") from None
        write_json(path, kept | {"evaluation": as_json(results)})


if __name__ == "__main__":
    sys.exit(main())
