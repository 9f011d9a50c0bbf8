"""Confirms rows: plays their recorded games again by the rules and compares every figure."""

from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.replays import file_digest, play_again, read_games
from benchmarks.rows import block_id, figures, scan_rows
from heist_envs.engine.errors import HeistError
from heist_envs.engine.registry import about

AGREES, DIFFERS, OTHER_VERSION = "agrees", "differs", "other version"
OTHER_FILES = ("exploit",)  # of a folder of results: no rows of games


@dataclass(frozen=True)
class Finding:
    """What became of one line of a file: `id` of its row (or where it is, if it is none), the row itself or None, one of
    AGREES, DIFFERS and OTHER_VERSION, and a sentence for everything that differs."""

    id: str
    row: object
    verdict: str
    sentences: list = field(default_factory=list)


def files_of_rows(results, game=None):
    """The files with rows in a folder of results, of one game (a name) or of all."""
    files = sorted(Path(results).glob(f"{game or '*'}.jsonl"))
    return [file for file in files if file.stem not in OTHER_FILES]


def verify_rows(results, files, wanted=()):
    """A `Finding` for every line of the files, or only for the rows whose ids are in `wanted`."""
    for file in files:
        for number, row, intact in scan_rows(file):
            if isinstance(row, HeistError):
                yield Finding(f"line {number} of {file.name}", None, DIFFERS, [str(row)])
            elif not wanted or row.id in wanted:
                yield verify_row(row, intact, results, file.stem)


def verify_row(row, intact, results, game):
    """The `Finding` of a `Row` in the file of a game; `intact`: whether its line has the digest that it says."""
    sentences = []
    if not intact:
        sentences.append("the row is not as it was written: its sha256 differs.")
    if row.game != game:
        sentences.append(f"the row is of {row.game}, but stands in the file of {game}.")
    elif block_id(vars(row)) != row.id:
        sentences.append(f"id is not the one of such a block, {block_id(vars(row))}.")
    replay, digest = Path(results) / row.replay, None
    if replay.is_file():
        digest = file_digest(replay)
    if digest is None:
        sentences.append(f"there is no file {row.replay}, in which its games should be.")
    elif digest != row.replay_sha256:
        sentences.append(f"{row.replay} is not the file the row speaks of: its sha256 differs.")
    elif _is_current(row):
        sentences += _figures_that_differ(row, replay)
    verdict = AGREES if _is_current(row) else OTHER_VERSION
    return Finding(row.id, row, DIFFERS if sentences else verdict, sentences)


def _is_current(row):
    """Whether the rules of a row are those of this version."""
    try:
        return about(row.game).version == row.version
    except HeistError:
        return False


def _figures_that_differ(row, replay):
    try:
        ranks, scores, forfeits = play_again(row, read_games(replay, row))
    except HeistError as error:
        return [f"{row.replay}: {error}"]
    found = figures(row.lineups, row.sides, ranks, scores, forfeits, [agent["name"] for agent in row.agents])
    return [_difference(name, getattr(row, name), value) for name, value in found.items() if getattr(row, name) != value]


def _difference(name, recorded, found):
    if name == "ranks":
        words = zip(recorded.split(" "), found.split(" "), strict=True)
        number, (recorded, found) = next((number, pair) for number, pair in enumerate(words) if pair[0] != pair[1])
        name = f"ranks of game {number}"
    return f"{name} is recorded as {recorded}, but the games give {found}."
