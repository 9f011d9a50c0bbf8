"""The leaderboard: every agent against every other in duplicate matches, kept as rows that anybody can check.

    python benchmarks/leaderboard.py --game banquefall     play what has no row yet, then write the pages
    python benchmarks/leaderboard.py --verify              play all recorded games again and compare

A tournament that was stopped or killed goes on where it was when the same command is given again.
"""

import shlex
import sys
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if not __package__:  # run as a script: make `benchmarks` importable from the folder above
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.rows import RESULTS, append_row, ids, mend, one_line, row_file, writing
from benchmarks.tournament import available_cores, entrant, make_row, play_all, registered, schedule
from benchmarks.verify import AGREES, DIFFERS, OTHER_VERSION, files_of_rows, verify_rows
from heist_envs.engine.errors import HeistError, unknown
from heist_envs.engine.registry import game_names, load_game
from training.config import read_pairs, whole
from training.run_folder import versions
from training.stopping import StopRequest
from training.train import Parser

PROGRAM = "benchmarks/leaderboard.py"
ALL = "all"
DEFAULT_GAMES, MOST_GAMES, LARGEST_SEED = 2000, 100_000, 2**32 - 1
FAILED, USAGE_ERROR = 1, 2
UNCHECKED = "its rules are not here, the file of its games is the one it speaks of, its figures are not played again."


def parser():
    """The command line, spelled like that of training/train.py."""
    it = Parser(prog=PROGRAM, description=__doc__.partition("\n")[0], allow_abbrev=False)
    add = it.add_argument
    add("--game", "--env", metavar="GAME", help="which game, or all; see python -m heist_envs games")
    add("--players", "--num-players", metavar="N", help="players at the table (default: the game's)")
    add(
        "--games", default=str(DEFAULT_GAMES), metavar="N", help=f"games per block, in whole deals (default {DEFAULT_GAMES})"
    )
    add("--seed", default="0", metavar="S", help="another one gives other deals, so more rows (default 0)")
    add("--agents", metavar="NAME,NAME", help="who plays, also run:PATH (default: bots, baseline, submissions)")
    add("--env-kwargs", nargs="+", default=[], metavar="NAME:VALUE", help="options of the game")
    add("--results", default=str(RESULTS), metavar="DIR", help="folder of rows and replays (default benchmarks/results)")
    add("--workers", metavar="N", help="processes that play (default: one per core)")
    add("--verify", nargs="*", metavar="ID", help="play recorded games again and compare: of all rows, or of these")
    add("--pages-only", action="store_true", help="play nothing, only write the pages")
    return it


def read_arguments(arguments):
    """The parsed flags; a `HeistError` for values that a flag may not have."""
    args = parser().parse_args(arguments)
    args.games = whole(2, MOST_GAMES).check("--games", args.games)
    args.seed = whole(0, LARGEST_SEED).check("--seed", args.seed)
    args.workers = whole(1, 1024).check("--workers", args.workers or available_cores())
    args.results = Path(args.results)
    if args.results.exists() and not args.results.is_dir():
        raise HeistError(f"{args.results} is a file; name a folder with --results.")
    if args.verify is not None and args.pages_only:
        raise HeistError("--verify and --pages-only cannot be given together; call twice.")
    if args.game is None and args.verify is None and not args.pages_only:
        raise HeistError(f"name a game with --game: {ALL}, {', '.join(game_names())}.")
    if args.game is not None and args.game not in (ALL, *game_names()):
        raise unknown("game", args.game, [ALL, *game_names()])
    return args


def main(arguments=None):
    """Play, or verify; returns the exit status: 0, 1 when something differs or could not be played, 2 when the call was
    wrong, 130 and 143 when stopped by a signal."""
    try:
        args = read_arguments(arguments)
        if args.verify is not None:
            return verify(args)
        if args.pages_only:
            write_pages(args.results)
            return 0
        return play(args)
    except HeistError as error:
        print(f"leaderboard: {error}", file=sys.stderr)
        return USAGE_ERROR
    except OSError as error:
        print(f"leaderboard: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("leaderboard: stopped.", file=sys.stderr)
        return 130


def play(args):
    """The tournaments of a command line, then the pages."""
    names = game_names() if args.game == ALL else [args.game]
    tournaments = [prepare(args, load_game(name)) for name in names]
    status = 0
    with StopRequest("leaving the blocks in play") as stop:
        for tournament in tournaments:
            status = max(status, run(*tournament, args, lambda: stop.signum is not None))
            if stop.signum is not None:
                print("leaderboard: stopped; the same command goes on from here.", file=sys.stderr)
                return stop.status
    write_pages(args.results)
    return status


def prepare(args, game):
    """(`Game`, its `Block`s, the command that rows name) of a command line. Says who is left out because his files are
    unusable; raises a `HeistError` if he was asked for by name."""
    given = read_pairs(args.env_kwargs, "--env-kwargs")
    if args.players is not None:
        given["num_players"] = args.players
    options = game.options.resolve(game.options.read([f"{name}={value}" for name, value in given.items()]))
    entrants = [entrant(name.strip(), game) for name in args.agents.split(",")] if args.agents else usable(game)
    return game, schedule(game, options, entrants, args.games, args.seed), command_of(args, game, entrants)


def usable(game):
    """The registered `Entrant`s of a `Game`."""
    found = []
    for spec in registered(game):
        try:
            found.append(entrant(spec, game))
        except HeistError as error:
            print(f"leaderboard: {one_line(spec)} is left out: {error}", file=sys.stderr)
    return found


def command_of(args, game, entrants):
    """The command that plays the same blocks, without anything that is this machine's own."""
    words = ["python", PROGRAM, "--game", game.name, "--games", str(args.games), "--seed", str(args.seed)]
    words += ["--players", args.players] if args.players is not None else []
    words += ["--env-kwargs", *args.env_kwargs] if args.env_kwargs else []
    words += ["--agents", ",".join(one.name for one in entrants)] if args.agents else []
    return shlex.join(words)


def run(game, blocks, command, args, stopped):
    """Play the blocks of a game that have no row yet and append their rows; the exit status."""
    file, failures, played, start = row_file(args.results, game.name), [], 0, perf_counter()
    with writing(file, seconds=0):
        if mend(file):
            print(f"{file.name}: the last line had been cut off and is mended.")
        for part in (args.results / "replays" / game.name).glob("*.part"):
            part.unlink()
        known = ids(file)
        missing = [block for block in blocks if block.id not in known]
        commit, machine = origin()
        with Bar(game.name, sum(block.games for block in missing), "games") as bar:
            for block, result in play_all(missing, args.results, args.workers, stopped):
                if isinstance(result, HeistError):
                    failures.append(f"{block.id} ({' - '.join(one.name for one in block.entrants)}) has no result: {result}")
                else:
                    append_row(file, make_row(block, result, command, commit, machine))
                    played += block.games
                bar.advance(block.games)
    for failure in failures:
        print(f"leaderboard: {failure}", file=sys.stderr)
    rate = played / max(perf_counter() - start, 1e-9)
    print(f"{game.name}: {len(blocks)} blocks, {len(blocks) - len(missing)} of them known before; played {played:,} games, "
          f"{rate:,.0f} per second; rows in {file}", flush=True)  # fmt: skip
    return FAILED if failures else 0


def origin():
    """(commit, machine) as rows have them."""
    told = versions(threads=1)
    return told["commit"], {key: told[key] for key in ("heist_envs", "platform", "cpu", "cores", "python", "packages")}


def verify(args):
    """Play the recorded games of a command line again; the exit status."""
    files = files_of_rows(args.results, None if args.game in (None, ALL) else args.game)
    wanted = set(args.verify)
    lacking = wanted.difference(*map(ids, files)) if files else wanted
    if lacking:
        raise HeistError(f"there is no row {sorted(lacking)[0]} in {args.results}; ids are in the rows and on the pages.")
    counts = dict.fromkeys((AGREES, DIFFERS, OTHER_VERSION), 0)
    with Bar("verifying", len(wanted) or sum(len(ids(file)) for file in files), "rows") as bar:
        for finding in verify_rows(args.results, files, wanted):
            counts[finding.verdict] += 1
            bar.advance(1)
            for sentence in finding.sentences:
                print(f"{finding.id}: {sentence}")
            if finding.verdict == OTHER_VERSION:
                print(f"{finding.id}: of version {finding.row.version} of {finding.row.game}; {UNCHECKED}")
    print(
        f"{counts[AGREES]} rows agree with their games, {counts[DIFFERS]} do not, {counts[OTHER_VERSION]} of other versions"
    )
    return FAILED if counts[DIFFERS] else 0


class Bar:
    """A progress bar, on a terminal."""

    def __init__(self, title, total, unit):
        counts = MofNCompleteColumn(), TextColumn(unit), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
        console = Console(stderr=True)
        self.progress = Progress(TextColumn(title), BarColumn(), *counts, console=console, disable=not console.is_terminal)
        self.task = self.progress.add_task(title, total=total)

    def advance(self, count):
        """So much more is done."""
        self.progress.advance(self.task, count)

    def __enter__(self):
        self.progress.start()
        return self

    def __exit__(self, *_):
        self.progress.stop()


def write_pages(results):
    """Write the pages anew from the rows in a folder of results."""
    from benchmarks import pages  # openskill is needed for nothing else

    pages.write(results)


if __name__ == "__main__":
    sys.exit(main())
