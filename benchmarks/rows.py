"""The leaderboard's results: a row for every block of games, one line of JSON each, in files that only grow.

A block is one list of agents over a number of deals, each deal played in every one of its `lineups`. `RESULTS/GAME.jsonl`
holds the rows of a game, `RESULTS/replays/GAME/ID.jsonl.gz` every game of a row. Files come from anywhere: reading trusts
nothing in them.
"""

import hashlib
import json
import math
import os
import re
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from heist_envs.engine.errors import HeistError

FORMAT = 1
RESULTS = Path(__file__).resolve().parent / "results"
KINDS = ("duel", "table")
MOST_LINE, MOST_TEXT, MOST_REASONS = 8 * 2**20, 400, 5
START = b'{"format":1,"id":"'  # how every line begins
LOCK_SECONDS = 30
DECIDING = ("game", "version", "options", "kind", "agents", "sides", "lineups", "deals", "seed")


@dataclass(frozen=True)
class Row:
    """What one block of games came to.

    `id`: GAME- and 12 hex digits of the digest of what decides the block (`block_id`) · `options`: all of the game's, with
    their values · `kind`: `duel` (agents [A, B]; A has one side, copies of B all others) or `table` (as many agents as
    there are sides; where fewer are known, they take turns around the table) · `agents`: [{name, digest}], the digest of
    weights, sources or files · `sides`: (players) the side of each seat, its own where each plays for himself; with
    roles, side k is the game's k-th role · `lineups`: (lineups, players) index of the agent at each seat, every agent in
    every one of them · `seed` decides deals and bots · `games` = deals x lineups.

    Figures: `ranks`, a word per game, deal by deal and lineup by lineup, a digit per seat: its final place, 1 = winner ·
    `scores` (lineups, agents) mean of the game's own score over the agent's seats · `win_share` (agents) the mean of
    `shares` · `forfeits` (agents) games that ended because that agent failed: its side is last, all others share the first
    place · `forfeit_reasons`: a few of the sentences why.

    `replay`: the file with all games, relative to the folder of results, and its digest · `command`, `commit` (None outside
    a repository, `+changes` if files differ from it), `machine`, `seconds`: how the row was made.
    """

    id: str
    game: str
    version: int
    options: dict
    kind: str
    agents: list
    sides: list
    lineups: list
    seed: int
    deals: int
    games: int
    ranks: str
    scores: list
    win_share: list
    forfeits: list
    forfeit_reasons: list
    replay: str
    replay_sha256: str
    command: str
    commit: str | None
    machine: dict
    seconds: float

    @property
    def rank_array(self):
        """(deals, lineups, players) int8: final places, 1 = winner."""
        digits = np.frombuffer(self.ranks.replace(" ", "").encode(), np.uint8) - ord("0")
        return digits.astype(np.int8).reshape(self.deals, len(self.lineups), -1)

    @property
    def shares(self):
        """(deals, lineups, agents) float64: what each agent won of each game, per side it had."""
        return win_shares(self.rank_array, self.sides, self.lineups)


def win_shares(ranks, sides, lineups):
    """(deals, lineups, agents) float64 of `ranks` (deals, lineups, players): what each agent won per side it had. A win
    that w seats share counts 1/w for each of them, and a side has what its seats have."""
    lineups, sides = np.asarray(lineups), np.asarray(sides)
    seats = lineups[:, None, :] == np.arange(lineups.max() + 1)[:, None]  # (lineups, agents, players)
    had = np.array([[len(set(sides[mine].tolist())) for mine in lineup] for lineup in seats])
    won = ranks == 1
    return np.einsum("dlp,lap->dla", won / won.sum(-1, keepdims=True), seats) / had


def figures(lineups, sides, ranks, scores, forfeits, names):
    """The figures of a row, {field: value}, from `ranks` (deals, lineups, players) int, `scores` alike float64 and
    `forfeits` {number of the game: (seat, why)}; `names` are those of the agents."""
    deals, agents = len(ranks), range(len(names))
    words = ["".join(map(str, places)) for places in ranks.reshape(-1, ranks.shape[-1]).tolist()]
    mine = np.array([[[sitting == k for sitting in lineup] for k in agents] for lineup in lineups])
    means = np.einsum("dlp,lap->la", scores, mine) / mine.sum(-1) / deals
    failed = [lineups[game % len(lineups)][seat] for game, (seat, _) in sorted(forfeits.items())]
    sentences = [f"{names[k]}: {why}" for k, (_, (_, why)) in zip(failed, sorted(forfeits.items()), strict=True)]
    return {
        "ranks": " ".join(words),
        "scores": np.round(means, 6).tolist(),
        "win_share": np.round(win_shares(ranks, sides, lineups).mean((0, 1)), 6).tolist(),
        "forfeits": [failed.count(k) for k in agents],
        "forfeit_reasons": list(dict.fromkeys(map(one_line, sentences)))[:MOST_REASONS],
    }


def one_line(text):
    """A text of strangers as one printable line of a length that a row may hold."""
    line = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return line if len(line) <= MOST_TEXT else line[: MOST_TEXT - 3] + "..."


def block_id(row):
    """The id that a row must have: its game and the digest of what decides the block. `row`: a dict with `DECIDING`."""
    return f"{row['game']}-{digest_of({key: row[key] for key in DECIDING})[:12]}"


def digest_of(value):
    """sha256 (hex) of a value that JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def replay_path(game, identity):
    """Where the games of a row are, relative to the folder of results."""
    return f"replays/{game}/{identity}.jsonl.gz"


def row_file(results, game):
    """The file with the rows of a game (a name) in a folder of results."""
    return Path(results) / f"{game}.jsonl"


def row_line(row):
    """The line (bytes) of a `Row`; its last key is the digest of all others."""
    content = {"format": FORMAT, **asdict(row)}
    content["sha256"] = digest_of(content)
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def read_rows(path):
    """All `Row`s of a file, in order; none if there is no file. A last line that was cut off while it was written is no row.
    Raises a `HeistError` that names file and line for everything that no row can be."""
    rows = []
    for number, row, _ in scan_rows(path):
        if isinstance(row, HeistError):
            raise HeistError(f"line {number} of {path}: {row}")
        rows.append(row)
    return rows


def scan_rows(path):
    """(line number, `Row` or the `HeistError` against it, whether the line is as it was written) for each line of a file."""
    path, seen = Path(path), set()
    if not path.is_file():
        return
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MOST_LINE + 1):
            number += 1
            try:
                if len(line) > MOST_LINE:
                    raise HeistError(f"the line is longer than the {MOST_LINE} bytes a row may have.")
                if is_torn(line):
                    return
                row, intact = read_row(line)
                if row.id in seen:
                    raise HeistError(f"there is a row {row.id} before it; remove one of the two.")
                seen.add(row.id)
                yield number, row, intact
            except HeistError as error:
                yield number, error, False
                if len(line) > MOST_LINE:
                    return


def is_torn(line):
    """Whether bytes at the end of a file are the beginning of a row whose writing was cut off; what lacks only its end is a
    row."""
    if line.endswith(b"\n") or line[: len(START)] != START[: len(line)]:
        return False
    try:
        json.loads(line)
    except ValueError:
        return True
    return False


def read_row(line):
    """(`Row`, whether its digest agrees) of one line (bytes); a `HeistError` says what no row can be."""
    content, intact = read_line(line, [f.name for f in fields(Row)])
    row = Row(**content)
    check_row(row)
    return row, intact


def read_line(line, names):
    """({name: value} of all `names`, whether the digest agrees) of a line (bytes) that `row_line` wrote."""
    try:
        content = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise HeistError("this is not a line of JSON; rows are written by benchmarks/leaderboard.py.") from None
    keys = ["format", *names, "sha256"]
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise HeistError(f"this is no row of format {FORMAT}, the only one this version reads.")
    if set(content) != set(keys):
        differing = ", ".join(sorted(set(content) ^ set(keys)))
        raise HeistError(f"a row has the keys {', '.join(keys)}, no more and no less; here they differ by {differing}.")
    digest = content.pop("sha256")
    intact = digest == digest_of(content)
    del content["format"]
    return content, intact


def _no_number(text):
    raise ValueError(text)


def check_row(row):
    """Raise a `HeistError` for the first thing in a `Row` that cannot be."""
    for name, (is_right, wanted) in CHECKS.items():
        if not is_right(getattr(row, name)):
            raise HeistError(f"{name} must be {wanted}, not {_short(getattr(row, name))}.")
    for what, holds in _agreements(row):
        if not holds():
            raise HeistError(what)


def _whole(least):
    return lambda value: type(value) is int and value >= least


def _text(value):
    return isinstance(value, str) and len(value) <= MOST_TEXT and value.isprintable()


def _matches(pattern):
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


def _list_of(is_right, least=1):
    return lambda value: isinstance(value, list) and len(value) >= least and all(map(is_right, value))


def _number(value):
    return type(value) in (int, float) and math.isfinite(value)


def _agent(value):
    return isinstance(value, dict) and set(value) == {"name", "digest"} and _text(value["name"]) and _hex(value["digest"])


def _options(value):
    plain = (bool, int, float, str, type(None))
    return isinstance(value, dict) and all(type(one) in plain for one in value.values())


_hex = _matches("[0-9a-f]{64}")
WHOLE = "a whole number from {}".format
CHECKS = {
    "game": (_matches("[a-z][a-z0-9_]{0,63}"), "the name of a game"),
    "id": (_matches("[a-z0-9_]+-[0-9a-f]{12}"), "the game's name and 12 hexadecimal digits"),
    "version": (_whole(0), WHOLE(0)),
    "options": (_options, "an object of the game's options"),
    "kind": (lambda value: value in KINDS, "duel or table"),
    "agents": (_list_of(_agent), "a list of objects with a name (a line of text) and a digest (64 hexadecimal digits)"),
    "sides": (
        lambda value: _list_of(_whole(0))(value) and len(value) <= 9,
        "a list of at most 9 numbers, a side for each seat",
    ),
    "lineups": (_list_of(_list_of(_whole(0))), "a list of lists of indices of agents"),
    "seed": (_whole(0), WHOLE(0)),
    "deals": (_whole(1), WHOLE(1)),
    "games": (_whole(1), WHOLE(1)),
    "ranks": (_matches("[1-9]+( [1-9]+)*"), "a word of digits for each game"),
    "scores": (_list_of(_list_of(_number)), "a list of lists of numbers"),
    "win_share": (_list_of(lambda value: _number(value) and 0 <= value <= 1), "a list of shares from 0 to 1"),
    "forfeits": (_list_of(_whole(0)), "a list of whole numbers"),
    "forfeit_reasons": (
        lambda value: _list_of(_text, 0)(value) and len(value) <= MOST_REASONS,
        f"a list of at most {MOST_REASONS} sentences",
    ),
    "replay": (_text, "a path"),
    "replay_sha256": (_hex, "64 hexadecimal digits"),
    "command": (lambda value: isinstance(value, str) and len(value) <= 2000 and value.isprintable(), "a line of text"),
    "commit": (lambda value: value is None or _text(value), "a commit or null"),
    "machine": (lambda value: isinstance(value, dict), "an object"),
    "seconds": (lambda value: _number(value) and value >= 0, "a number from 0"),
}


def _agreements(row):
    """(sentence, check) for each thing that must agree between two fields of a row, in the order they may be looked at."""
    players, agents, lineups = len(row.sides), range(len(row.agents)), len(row.lineups)
    words = row.ranks.split(" ")
    names = {agent["name"] for agent in row.agents}
    yield "agents must have different names.", lambda: len(names) == len(agents)
    yield "lineups must have an agent for each seat.", lambda: all(len(lineup) == players for lineup in row.lineups)
    yield (
        "lineups must each hold every one of the agents, and nobody else.",
        lambda: all(set(lineup) == set(agents) for lineup in row.lineups),
    )
    yield (
        "agents on the same side of a lineup must be the same.",
        lambda: all(len(set(zip(row.sides, lineup, strict=True))) == len(set(row.sides)) for lineup in row.lineups),
    )
    yield "games must be deals times lineups.", lambda: row.games == row.deals * lineups
    yield "ranks must have a word for each game.", lambda: len(words) == row.games
    yield "ranks must have a digit for each seat.", lambda: all(len(word) == players for word in words)
    yield (
        "ranks must be places from 1 to the number of players, with a winner in each game.",
        lambda: all("1" in word and max(word) <= str(players) for word in words),
    )
    yield (
        "scores must have a number for each agent in each lineup.",
        lambda: len(row.scores) == lineups and all(len(of_lineup) == len(agents) for of_lineup in row.scores),
    )
    yield "win_share must have a number for each agent.", lambda: len(row.win_share) == len(agents)
    yield "forfeits must have a number for each agent.", lambda: len(row.forfeits) == len(agents)
    yield "id must begin with the game's name.", lambda: row.id.rpartition("-")[0] == row.game
    yield (
        f"replay must be {replay_path(row.game, row.id)}, where the games of a row are.",
        lambda: row.replay == replay_path(row.game, row.id),
    )


def _short(value):
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


@contextmanager
def writing(path, seconds=LOCK_SECONDS):
    """The right to write a file of rows, for one process at a time; also what `append_row` waits for."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_suffix(".lock"), is_singleton=True)
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        raise HeistError(f"another process is writing {path.name} in {path.parent}; wait until it has ended.") from None
    try:
        yield
    finally:
        lock.release()


def append_row(path, row):
    """Add a `Row` at the end of a file (made if missing), complete and on the disk when this returns, or not at all.

    A line that was cut off before is removed first. Raises `HeistError` for a row that nobody could read, whose id is
    there already, or if another process keeps writing the file.
    """
    check_row(row)
    append_line(path, row)


def append_line(path, row):
    """`append_row` for anything with an `id` that is a dataclass, unchecked."""
    path = Path(path)
    with writing(path):
        mend(path)
        if row.id in ids(path):
            raise HeistError(f"{path} has a row {row.id} already, and rows are never replaced.")
        _write_at_end(path, row_line(row))


def ids(path):
    """The ids of all complete rows of a file, without a look at the rest of them."""
    if not Path(path).is_file():
        return set()
    with Path(path).open("rb") as file:
        found = [line[len(START) :].partition(b'"')[0] for line in file if line.endswith(b"\n") and line.startswith(START)]
    return {name.decode("utf-8", "replace") for name in found}


def mend(path):
    """Remove a last line whose writing was cut off, and end one that only lacks its end; whether there was one. What does
    not begin as a row is left alone, with a `HeistError`. Call it while `writing`."""
    path = Path(path)
    if not path.is_file():
        return False
    with path.open("rb+") as file:
        content = file.read()
        end = content.rfind(b"\n") + 1
        line = content[end:]
        if not line:
            return False
        if is_torn(line):
            file.truncate(end)
        elif line.startswith(START):
            file.write(b"\n")
        else:
            raise HeistError(f"the last line of {path} is no row and does not end; mend or remove it by hand.")
        file.flush()
        os.fsync(file.fileno())
    return True


def _write_at_end(path, line):
    """Write a line behind all others; if that fails, the file is as long as it was."""
    new = not path.exists()
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(handle).st_size
        try:
            written = 0
            while written < len(line):
                written += os.write(handle, line[written:])
            os.fsync(handle)
        except BaseException:
            os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)
    if new:
        sync_folder(path.parent)


def sync_folder(folder):
    """Make sure that a new name in a folder is on the disk, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
