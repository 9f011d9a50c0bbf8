"""How strong agents are: every one plays one side against copies of every other, each deal once from each side.

`python training/evaluate.py --game banquefall --agents baseline,greedy,run:runs/maskable_ppo/banquefall_1` prints the
cross-play matrix; `python training/evaluate.py RUN` plays one run's policy against every bot of its game.
"""

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter

if not __package__:  # run as a script: make `training` importable from the folder above
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch

from heist_envs.arena.match import PLAYS, as_json, play_match
from heist_envs.engine.errors import HeistError
from heist_envs.engine.registry import about, load_game
from heist_envs.policies.agents import Agent, check_agent_name, find_agent
from heist_envs.policies.network import load_policy
from heist_envs.policies.scripted import bot_names
from training.config import read_pairs, text, whole
from training.run_folder import write_json

RESULTS = "results.json"


def evaluate(policy, opponents=None, games=4000, seed=0, plays=PLAYS, stopped=lambda: False):
    """`Result`s of a `NetworkPolicy` against each of `opponents` (names; default: all bots of its game), yielded one by
    one until `stopped()`. About `games` games each, in a whole number of deals; each role of a game on its own."""
    rivals = [find_agent(name, policy.game) for name in opponents or bot_names(policy.game)]
    learner = Agent("learner", policy)
    return cross_play(policy.game, [learner], rivals, games, seed, plays, stopped, **policy.options)


def cross_play(game, agents, opponents, games=4000, seed=0, plays=PLAYS, stopped=lambda: False, **options):
    """`Result`s of each of `agents` at one side against copies of each of `opponents` (both `Agent`s) in a `Game`, yielded
    one by one until `stopped()`. Networks play in each way of `plays`. An agent meets itself only where roles differ."""
    roles = game.about.roles
    for agent in agents:
        for opponent in opponents:
            if len(roles) == 1 and opponent.name == agent.name:
                continue
            for role in roles if len(roles) > 1 else ("",):
                for one in _in_each_way(agent, plays):
                    result = play_match(game, one, opponent, games, seed, role, stopped, **options)
                    if result is None:
                        return
                    yield result


def _in_each_way(agent, plays):
    if agent.policy is None:
        return [agent]
    return [Agent(agent.name, agent.policy, PLAYS.index(play) == 1) for play in plays]


def show_results(results, console):
    """Print `Result`s one by one as a table on a rich `Console`."""
    from rich.table import Table as RichTable

    if not results:
        return
    first = results[0]
    who = "one side" if first.role else f"one seat, parity {first.parity:.3f}"
    shown = RichTable(title=f"win share of {who}, {first.games} games each")
    several = len({result.agent for result in results}) > 1
    texts = (*(["agent"] if several else []), "against", *(["role"] if first.role else []), "play")
    for heading in (*texts, "win share", "95 %", "score", "theirs"):
        shown.add_column(heading, justify="left" if heading in texts else "right", no_wrap=True)
    for r in results:
        named = {"agent": r.agent, "against": r.opponent, "role": r.role, "play": r.play}
        interval = f"{r.low:.3f}-{r.high:.3f}"
        numbers = f"{r.win_share:.3f}", interval, f"{r.mean_score:.1f}", f"{r.opponents_score:.1f}"
        shown.add_row(*(named[name] for name in texts), *numbers)
    console.print(shown)


def show_matrix(results, console):
    """Print the cross-play matrix of `Result`s: who plays one side in the rows, who has all others in the columns."""
    from rich.table import Table as RichTable

    columns = list(dict.fromkeys(result.opponent for result in results))
    rows = {}
    for r in results:
        row = r.agent + (f" as {r.role}" if r.role else "") + (" (deterministic)" if r.play == PLAYS[1] else "")
        rows.setdefault(row, {})[r.opponent] = r
    shown = RichTable(title="cross-play: win share of the row's agent at one side against copies of the column's")
    for heading in ("", *columns):
        shown.add_column(heading, justify="right" if heading else "left")
    for row, cells in rows.items():
        shown.add_row(row, *(_share(cells.get(column)) for column in columns))
    console.print(shown)


def _share(result):
    return f"{result.win_share:.3f} ±{(result.high - result.low) / 2:.3f}" if result else "-"


def parser():
    """The command line."""
    as_written = argparse.RawDescriptionHelpFormatter
    it = argparse.ArgumentParser("training/evaluate.py", description=__doc__, allow_abbrev=False, formatter_class=as_written)
    add = it.add_argument
    add("run", metavar="RUN", nargs="?", help="a run folder, or any folder with policy.json and policy.safetensors")
    add("--game", metavar="GAME", help="with --agents: which game")
    add("--agents", metavar="NAME,NAME...", help="with --game: bots of the game, baseline, run:PATH")
    add("--opponents", metavar="NAME,NAME...", help="whom they play against (default: each other; with RUN all bots)")
    add("--games", default="4000", help="games per match (default 4000)")
    add("--seed", default="0", help="seed of the games (default 0)")
    add("--num-players", metavar="N", help="players at the table (default: the game's; with RUN as it was trained)")
    add("--env-kwargs", nargs="+", default=[], metavar="NAME:VALUE", help="options of the game")
    add("--json", metavar="FILE", help="write the results there too")
    add("--num-threads", default="1", help="threads of torch (default 1)")
    return it


def main(arguments=None):
    """Evaluate agents; returns the exit status."""
    args = parser().parse_args(arguments)
    try:
        return _evaluate(args)
    except HeistError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("evaluate: stopped.", file=sys.stderr)
        return 130


def _evaluate(args):
    from rich.console import Console

    games = whole(2, 1_000_000).check("--games", args.games)
    seed = whole(0, 2**32 - 1).check("--seed", args.seed)
    torch.set_num_threads(whole(1, 256).check("--num-threads", args.num_threads))
    game, agents, opponents, options = _who_plays(args)
    start, results, console = perf_counter(), [], Console()
    for result in cross_play(game, agents, opponents, games, seed, **options):
        results.append(result)
    if len(agents) > 1:
        show_matrix(results, console)
    show_results(results, console)
    print(f"{perf_counter() - start:.0f} s")
    if args.json:
        _write(args.json, {"game": game.name, "options": options, "seed": seed, "results": as_json(results)})
    if args.run:
        _update_results(Path(args.run) / RESULTS, results)
    return 0


def _who_plays(args):
    """(`Game`, agents, opponents, options of the game) of the command line."""
    if bool(args.run) == bool(args.agents) or bool(args.agents) != bool(args.game):
        raise HeistError("name either RUN, or --game GAME with --agents NAME,NAME,...; see --help.")
    if args.run:
        policy = load_policy(args.run)
        game, agents, options = policy.game, [Agent(Path(args.run).name, policy)], policy.options
        names = _names(args.opponents, game) or bot_names(game)
    else:
        about(args.game)
        game, options = load_game(args.game), {}
        agents = [find_agent(name, game) for name in _names(args.agents, game)]
        names = _names(args.opponents, game)
    opponents = [find_agent(name, game) for name in names] if names else agents
    given = read_pairs(args.env_kwargs, "--env-kwargs")
    if args.num_players is not None:
        given["num_players"] = args.num_players
    options = options | game.options.read([f"{name}={value}" for name, value in given.items()])
    return game, agents, opponents, game.options.resolve(options)


def _names(given, game):
    """The agents named in a text, each once."""
    names = list(dict.fromkeys(name.strip() for name in given.split(","))) if given else []
    for name in names:
        check_agent_name(name, game)
    return names


def _write(path, value):
    try:
        write_json(Path(text.check("--json", path)), value)
    except OSError as error:
        raise HeistError(f"cannot write {path}: {error.strerror}; the results are above.") from None


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
