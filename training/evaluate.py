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
    """One trained side against copies of one bot; a side is one seat where each plays for himself. `role`: the role of
    that side in a game that has several, otherwise "". A win shared by w winners counts 1/w; `low` and `high` bound the
    win share with 95 % confidence; `parity` is what equal players get, None between roles that are not alike; scores are
    means of the game's own score."""

    opponent: str
    role: str
    play: str
    games: int
    win_share: float
    low: float
    high: float
    parity: float | None
    mean_score: float
    opponents_score: float


def evaluate(policy, opponents=None, games=4000, seed=0, plays=PLAY, stopped=lambda: False):
    """`Result`s of a `NetworkPolicy` against each of `opponents` (names; default: all bots of its game), yielded one by
    one until `stopped()`. About `games` games each, in a whole number of deals; each role of a game on its own."""
    roles = policy.game.about.roles
    for opponent in opponents or bot_names(policy.game):
        for role in roles if len(roles) > 1 else ("",):
            for play in plays:
                if stopped():
                    return
                yield play_match(policy, opponent, games, seed, play, role)


def play_match(policy, opponent, games, seed=0, play="sampled", role=""):
    """The `Result` of one trained side against copies of a bot. Every deal is played once from each side, or in a game
    of several roles always from the side of `role`."""
    table = make_batch(policy.game.name, 1, **policy.options).table
    side = table.states["side"][0, : table.players]
    sides = [policy.game.about.roles.index(role)] if role else np.unique(side)
    deals = max(2, round(games / len(sides)))
    table = make_batch(policy.game.name, deals * len(sides), **policy.options).table
    mine = side == np.tile(sides, deals)[:, None]
    bots = ScriptedPlayers(table, [opponent], np.where(mine, -1, 0), [seed, 1])
    table.reset(np.repeat(np.random.default_rng([seed, 2]).integers(2**63, size=deals), len(sides)))
    _play_out(table, policy, bots, mine, play == "deterministic", torch.Generator().manual_seed(seed))
    return _result(table, mine, opponent, role, play, deals)


def _play_out(table, policy, bots, mine, deterministic, generator):
    """Play all games to their end."""
    actions, rows = np.zeros(table.games, np.int64), np.arange(table.games)
    while True:
        running = table.over == 0
        if not running.any():
            return
        asked = np.flatnonzero(running & mine[rows, table.seat])
        bots.choose(actions)
        if len(asked):
            actions[asked] = policy.choose(table.observation[asked], table.mask[asked], deterministic, generator)
        table.play(actions, running.view(np.uint8))


def _result(table, mine, opponent, role, play, deals):
    players = table.players
    won = table.rank[:, :players] == 1
    shares = (won & mine).sum(1) / won.sum(1)
    scores = table.states["score"][:, :players].astype(np.float64)
    # The sides of one deal share its luck, so the deal, not the game, is the independent sample.
    by_deal = shares.reshape(deals, -1).mean(1)
    mean, error = by_deal.mean(), 1.96 * by_deal.std(ddof=1) / math.sqrt(deals)
    low, high = max(0.0, mean - error), min(1.0, mean + error)
    parity = None if role else round(1 / len(np.unique(table.states["side"][0, :players])), 4)
    own, others = (scores[who].mean() for who in (mine, ~mine))
    share, low, high, own, others = (round(float(x), 4) for x in (mean, low, high, own, others))
    return Result(opponent, role, play, table.games, share, low, high, parity, own, others)


def show_results(results, console):
    """Print `Result`s as a table on a rich `Console`."""
    from rich.table import Table as RichTable

    if not results:
        return
    first = results[0]
    who = "one trained side" if first.role else f"one trained seat, parity {first.parity:.3f}"
    shown = RichTable(title=f"win share of {who}, {first.games} games each")
    texts = ("against", "role", "play") if first.role else ("against", "play")
    for heading in (*texts, "win share", "95 %", "score", "theirs"):
        shown.add_column(heading, justify="left" if heading in texts else "right", no_wrap=True)
    for r in results:
        names = (r.opponent, r.role, r.play) if first.role else (r.opponent, r.play)
        interval = f"{r.low:.3f}-{r.high:.3f}"
        shown.add_row(*names, f"{r.win_share:.3f}", interval, f"{r.mean_score:.1f}", f"{r.opponents_score:.1f}")
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
