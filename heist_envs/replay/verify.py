"""Play recorded games again and compare. Lines come from anywhere: nothing in them is trusted."""

import json
from pathlib import Path

import numpy as np

from ..engine.errors import HeistError
from ..engine.registry import load_game
from ..engine.table import Table, check_seed
from .record import FORMAT

KEYS = ("format", "game", "version", "options", "seed", "actions", "events")


def verify(file):
    """(number of games that agree, list of sentences about those that do not) of a file of recorded games."""
    path = Path(file)
    if not path.is_file():
        raise HeistError(f"there is no file {path}; write one with `python -m heist_envs record GAME --out FILE`.")
    agree, wrong, tables = 0, [], {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                verify_line(read_line(line), tables)
                agree += 1
            except HeistError as error:
                wrong.append(f"line {number}: {error}")
    if not agree and not wrong:
        wrong.append(f"{path} is empty: there is no recorded game in it.")
    return agree, wrong


def read_line(line):
    """The dict of one line (bytes), its outer form checked."""
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise HeistError(f"this is not a line of JSON ({error}).") from None
    if not isinstance(record, dict) or any(key not in record for key in KEYS):
        raise HeistError(f"a recorded game is an object with the keys {', '.join(KEYS)}.")
    if record["format"] != FORMAT:
        raise HeistError(f"format {record['format']!r} is not known; this version reads format {FORMAT}.")
    if not isinstance(record["game"], str) or not isinstance(record["options"], dict):
        raise HeistError("game must be a name and options an object.")
    if not isinstance(record["actions"], list) or not isinstance(record["events"], list):
        raise HeistError("actions and events must be lists.")
    return record


def verify_line(record, tables=None):
    """Play one recorded game again; a `HeistError` names the first action or event that differs.

    `tables` (a dict) keeps tables for lines with the same game and options.
    """
    game = load_game(record["game"])
    if record["version"] != game.about.version:
        raise HeistError(f"recorded with {game.name} version {record['version']!r}, this is version {game.about.version}.")
    table = _table_for(game, record["options"], {} if tables is None else tables)
    table.reset(check_seed(record["seed"]))
    events = table.events()
    for at, entry in enumerate(record["actions"]):
        _play_again(table, at, entry)
        events += table.events()
    if not table.over[0]:
        raise HeistError(f"after its {len(record['actions'])} actions the game is not over.")
    _compare(record["events"], events)


def _table_for(game, options, tables):
    if set(options) != set(game.options.by_name):
        raise HeistError(f"options must name each of {', '.join(game.options.by_name)}.")
    game.options.resolve(options)
    key = game.name, json.dumps(options, sort_keys=True)
    if key not in tables:
        tables[key] = Table(game, recording=True, **options)
    return tables[key]


def _play_again(table, at, entry):
    """One recorded action: the right seat, a known text, legal, and the recorded legal texts if there are any."""
    if not isinstance(entry, list) or len(entry) not in (2, 3) or not isinstance(entry[1], str):
        raise HeistError(f"action {at}: an action is [seat, text] or [seat, text, legal texts], not {_short(entry)}.")
    if table.over[0]:
        raise HeistError(f"action {at}: the game is over before {_short(entry[:2])}.")
    seat, mask = int(table.seat[0]), table.mask[0]
    if entry[0] != seat or isinstance(entry[0], bool):
        raise HeistError(f"action {at}: recorded for seat {_short(entry[0])}, but seat {seat} decides.")
    try:
        if len(entry) == 3 and entry[2] != table.game.actions.legal_texts(mask):
            legal = table.game.actions.summary(mask)
            raise HeistError(f"the recorded legal actions differ from the replayed ones: {legal}.")
        table.play(np.array([table.game.actions.parse(entry[1])]))
    except HeistError as error:
        raise HeistError(f"action {at}: {error}") from None


def _compare(recorded, replayed):
    for at, (old, new) in enumerate(zip(recorded, replayed, strict=False)):
        if json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):
            raise HeistError(f"event {at} differs: recorded {_short(old)}, replayed {_short(new)}.")
    if len(recorded) != len(replayed):
        raise HeistError(f"event {min(len(recorded), len(replayed))} differs: {len(recorded)} events are recorded, "
                         f"{len(replayed)} replayed.")  # fmt: skip


def _short(value, most=300):
    text = json.dumps(value)
    return text if len(text) <= most else text[:most] + "..."
