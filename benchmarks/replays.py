"""All games of a row in one file: gzip, a line of JSON with what they share, then one line per game, deal by deal and lineup
by lineup: its seed, the ids of all actions, and who forfeited it and why. Events follow from these by the rules."""

import gzip
import hashlib
import json
import os
import zlib
from pathlib import Path

import numpy as np

from benchmarks.rows import sync_folder
from heist_envs.arena.match import outcome_of
from heist_envs.engine.errors import HeistError
from heist_envs.engine.registry import load_game
from heist_envs.engine.table import Table, seeds_from

FORMAT = 1
HEAD = ("id", "game", "version", "options", "lineups")
MOST_LINE = 2**20
AT_ONCE = 4096  # games that are played again side by side


def deal_seeds(seed, deals):
    """The seeds (list of ints) of a block's deals."""
    return seeds_from(seed, deals).tolist()


def write_replay(path, head, seeds, actions, forfeits):
    """Write the games of a block: `head` a dict with `HEAD`, for each game a seed and a list of actions, `forfeits` {number
    of the game: (seat, why)}. The file appears complete or not at all. Returns its sha256."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"format": FORMAT, **{key: head[key] for key in HEAD}}]
    for number, (seed, chosen) in enumerate(zip(seeds, actions, strict=True)):
        lines.append({"seed": seed, "actions": chosen})
        if number in forfeits:
            lines[-1]["forfeit"] = list(forfeits[number])
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    content = gzip.compress(text.encode(), 6, mtime=0)  # 9 takes four times as long for 3 % less
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)
    return hashlib.sha256(content).hexdigest()


def file_digest(path):
    """sha256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_games(path, row):
    """The games of a `Row`, one after the other: (list of actions, forfeit (seat, why) or None). Raises a `HeistError` for
    everything that cannot be the games of that row; reads one line at a time, however large the file becomes."""
    seeds = deal_seeds(row.seed, row.deals)
    with Path(path).open("rb") as packed, gzip.open(packed) as file:
        head = _read_line(file, "its first line")
        wanted = {"format": FORMAT, **{key: getattr(row, key) for key in HEAD}}
        if head != wanted:
            raise HeistError("its first line is not that of the row.")
        for number in range(row.games):
            yield _check_game(_read_line(file, f"game {number}"), number, seeds[number // len(row.lineups)], row)
        if _read_bytes(file):
            raise HeistError(f"it goes on after its {row.games} games.")


def _read_bytes(file):
    try:
        return file.readline(MOST_LINE + 1)
    except (OSError, EOFError, zlib.error):
        raise HeistError("it is no gzip file, or only a part of one.") from None


def _read_line(file, what):
    line = _read_bytes(file)
    if not line.endswith(b"\n"):
        raise HeistError(f"it ends before {what}, or that line is too long.")
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise HeistError(f"{what} is no line of JSON.") from None


def _check_game(line, number, seed, row):
    """(actions, forfeit) of a game's line."""
    if not isinstance(line, dict) or {"forfeit", *line} != {"seed", "actions", "forfeit"}:
        raise HeistError(f"game {number} is no object with seed, actions and perhaps forfeit.")
    if line["seed"] != seed:
        raise HeistError(f"game {number} has the seed {line['seed']!r}, but the row's seed deals it from {seed}.")
    actions, forfeit = line["actions"], line.get("forfeit")
    if not isinstance(actions, list) or not all(type(action) is int and 0 <= action < 2**31 for action in actions):
        raise HeistError(f"game {number} has no list of action ids.")
    if "forfeit" not in line:
        return actions, None
    if not isinstance(forfeit, list) or len(forfeit) != 2 or not isinstance(forfeit[1], str):
        raise HeistError(f"game {number} has a forfeit that is no seat with a reason.")
    if type(forfeit[0]) is not int or not 0 <= forfeit[0] < len(row.sides):
        raise HeistError(f"game {number} is forfeited by a seat that is not at the table.")
    return actions, tuple(forfeit)


def play_again(row, games):
    """(ranks (deals, lineups, players) int64, scores alike float64, forfeits {number of the game: (seat, why)}) of the games
    of a `Row`, played again by the rules. Raises a `HeistError` that names the first game which cannot have been so."""
    game = load_game(row.game)
    if game.options.resolve(row.options) != row.options:
        raise HeistError("the row does not name every option of the game.")
    if Table(game, 1, **row.options).sides().tolist() != row.sides:
        raise HeistError("sides are not those of the game.")
    ranks, scores, forfeits, chunk = [], [], {}, []
    seeds = np.repeat(np.array(deal_seeds(row.seed, row.deals), np.uint64), len(row.lineups))
    for number, (actions, forfeit) in enumerate(games):
        chunk.append(actions)
        if forfeit:
            forfeits[number] = forfeit
        if len(chunk) == AT_ONCE or number + 1 == row.games:
            first = number + 1 - len(chunk)
            rank, score = _play_chunk(row, seeds[first : number + 1], chunk, first, forfeits)
            ranks.append(rank)
            scores.append(score)
            chunk = []
    shape = row.deals, len(row.lineups), len(row.sides)
    return np.concatenate(ranks).reshape(shape), np.concatenate(scores).reshape(shape), forfeits


def _play_chunk(row, seeds, chunk, first, forfeits):
    """(ranks, scores) (games, players) of some games side by side; `first` is the number of the first of them."""
    table = Table(row.game, len(chunk), **row.options)
    table.reset(seeds)
    lengths = np.array([len(actions) for actions in chunk])
    padded = np.zeros((len(chunk), max(lengths.max(), 1)), np.int64)
    for number, actions in enumerate(chunk):
        padded[number, : len(actions)] = actions
    rows = np.arange(len(chunk))
    for step in range(lengths.max()):
        moving, actions = step < lengths, padded[:, step]
        known = actions < table.mask.shape[1]
        legal = known & (table.mask[rows, np.where(known, actions, 0)] != 0) & (table.over == 0)
        wrong = np.flatnonzero(moving & ~legal)
        if len(wrong):
            said = table.refusal(int(actions[wrong[0]]), int(wrong[0]))
            raise HeistError(f"action {step} of game {first + wrong[0]} cannot have been: {said}")
        table.play(actions, moving.view(np.uint8))
    given_up = np.isin(first + rows, list(forfeits))
    wrong = np.flatnonzero((table.over == 0) != given_up)
    if len(wrong):
        how = "is over, though it is said to be forfeited" if given_up[wrong[0]] else "is not over after its last action"
        raise HeistError(f"game {first + wrong[0]} {how}.")
    outcome = outcome_of(table, {number - first: forfeit for number, forfeit in forfeits.items() if number >= first})
    return outcome.rank, outcome.score
