"""The command line: `python -m heist_envs record | verify | games | warm`."""

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor

from .engine.errors import HeistError
from .engine.registry import about, game_names, load_game


def main(arguments=None):
    """Run one command; returns the exit status: 0, 1 when verification fails, 2 when the call was wrong."""
    args = _parser().parse_args(arguments)
    try:
        return args.run(args)
    except HeistError as error:
        print(f"heist_envs: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"heist_envs: {error.strerror or error}: {error.filename}", file=sys.stderr)
        return 2


def _parser():
    parser = argparse.ArgumentParser(prog="python -m heist_envs", description="Record, verify and list heist games.")
    commands = parser.add_subparsers(required=True, metavar="record | verify | games | warm")
    rec = commands.add_parser("record", help="let bots play and write one game per line")
    rec.add_argument("game", metavar="GAME", help="a game's name, see `games`")
    rec.add_argument("--num-players", metavar="N", help="players at the table (default: the game's)")
    rec.add_argument("--games", type=int, default=1, metavar="K", help="how many games (default 1)")
    rec.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the whole call (default 0)")
    rec.add_argument("--bots", default="random_legal", metavar="NAME[,NAME...]", help="bots by seat (default random_legal)")
    rec.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="a game option; may be repeated")
    rec.add_argument("--legal", action="store_true", help="write with every action the list of all legal ones")
    rec.add_argument("--out", required=True, metavar="FILE.jsonl", help="the file to write")
    rec.set_defaults(run=_record)
    ver = commands.add_parser("verify", help="play recorded games again and compare every event")
    ver.add_argument("file", metavar="FILE.jsonl", help="a file written by `record`")
    ver.set_defaults(run=_verify)
    games = commands.add_parser("games", help="list the games")
    games.set_defaults(run=_games)
    warm = commands.add_parser("warm", help="compile games ahead of their first use")
    warm.add_argument("games", nargs="*", metavar="GAME", help="names of games (default: all)")
    warm.set_defaults(run=_warm)
    return parser


def _record(args):
    from .replay.record import record

    about(args.game)
    pairs = list(args.option)
    if args.num_players is not None:
        pairs.insert(0, f"num_players={args.num_players}")
    options = load_game(args.game).options.read(pairs)
    bots = [name.strip() for name in args.bots.split(",")]
    record(args.game, args.out, args.games, args.seed, bots, args.legal, **options)
    print(f"{args.games} games of {args.game} written to {args.out}")
    return 0


def _verify(args):
    from .replay.verify import verify

    agree, wrong = verify(args.file)
    for sentence in wrong:
        print(sentence)
    print(f"{agree} games agree" + (f", {len(wrong)} do not" if wrong else ""))
    return 1 if wrong else 0


def _games(args):
    print(f"{'game':<14}{'version':>8}{'seats':>7}{'actions':>9}{'observation':>13}  title")
    for name in game_names():
        game, seats = load_game(name), "-".join(map(str, about(name).seats))
        size, actions = game.observation.size, len(game.actions)
        print(f"{name:<14}{game.about.version:>8}{seats:>7}{actions:>9}{size:>13}  {game.about.title}")
    return 0


def _warm(args):
    names = [about(name).name for name in args.games] or game_names()
    with ProcessPoolExecutor(min(len(names), os.cpu_count() or 1)) as pool:
        for name in pool.map(_compile_all, names):
            print(f"{name} is compiled")
    return 0


def _compile_all(name):
    """Call every loop and every bot of a game once."""
    import numpy as np

    from .envs.batch import Batch
    from .policies.scripted import ScriptedPlayers, bot_names

    batch = Batch(name, 1)
    table = batch.table
    batch.step(batch.random_actions())
    batch.roll_out(1)
    table.show(0)
    table.seen(0)
    table.redeal(0, 0)
    table.broken()
    bots = ScriptedPlayers(table, bot_names(table.game), np.full((1, table.players), -1), 0)
    bots.choose(np.zeros(1, np.int64))
    return name


if __name__ == "__main__":
    sys.exit(main())
