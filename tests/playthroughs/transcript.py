"""A game as text, the same text for ever: a changed line is a changed game."""

import hashlib
import json
import random
from pathlib import Path

import numpy as np

import heist_envs
from heist_envs.engine.table import Table

from ..support import TABLES, allowed

FOLDER = Path(__file__).parent
HEADING = "# version "


def variants(name):
    """Options besides the default ones that a game's tests want transcripts of: tests/games/<game>/variants.json."""
    file = FOLDER.parent / "games" / name / "variants.json"
    return [{}, *(json.loads(file.read_text(encoding="utf-8")) if file.exists() else [])]


# (name, players, options) of every transcript: each player count with each variant that allows it.
TRANSCRIPTS = [
    (name, players, options)
    for name, players in TABLES
    for options in variants(name)
    if allowed(heist_envs.load_game(name).options, {"num_players": players, **options})
]


def file_of(name, players, options):
    """Where the transcript of a game with so many players and these options lies."""
    return FOLDER / ("_".join([name, str(players), *(f"{key}-{value}" for key, value in options.items())]) + ".txt")


def body(name, players, options, seed=1):
    """The lines of one random game: for every decision who owes it, what the asked seat sees (what has changed since it
    last looked), what it may do, what it does, and what then happened."""
    table, rng = Table(name, recording=True, num_players=players, **options), random.Random(seed)
    agents, looked = table.game.agents(players), {}
    table.reset(seed)
    lines = [f"{name}, {players} players, seed {seed}, {json.dumps(table.options)}", *happened(table)]
    while not table.over[0]:
        state, seat = table.states[0], int(table.seat[0])
        owing = " ".join(agents[other] for other in range(players) if state.to_act[other])
        lines += ["", f"# {state.decisions}  phase {table.game.phases[state.phase]}  owes: {owing}"]
        lines.append(f"{agents[seat]} sees  {sight(table, seat, looked)}")
        lines.append(f"{agents[seat]} may   {choices(table)}")
        legal = np.flatnonzero(table.mask[0])
        action = int(legal[int(rng.random() * len(legal))])
        lines.append(f"> {agents[seat]}: {table.game.actions.text(action)}")
        table.play([action])
        lines += happened(table)
    ranks, scores = table.rank[0, :players].tolist(), table.states[0].score[:players].tolist()
    return [*lines, "", f"ranks {ranks}  scores {scores}  rewards {np.round(table.rewards[0], 6).tolist()}"]


def sight(table, seat, looked):
    """The named parts of the observation that differ from what this seat saw last, `looked[seat]`."""
    spec = table.game.observation
    numbers, before = spec.decode(table.observation[0]), looked.get(seat)
    looked[seat] = numbers
    parts = [part for part in spec.parts if before is None or (numbers[part.name] != before[part.name]).any()]
    return "   ".join(f"{part.name} {figure(numbers[part.name], part)}" for part in parts) or "nothing new"


def figure(numbers, part):
    """Flags as filled circles, short rows of numbers as they are, long ones as place:number where not 0."""
    flat = numbers.reshape(-1)
    if part.scale == 1 and part.high == 1:
        return "".join("◉" if number else "◯" for number in flat)
    if len(flat) <= 10:
        return " ".join(map(str, flat))
    return " ".join(f"{'.'.join(map(str, at))}:{numbers[tuple(at)]}" for at in np.argwhere(numbers)) or "-"


def choices(table):
    """All legal actions, runs of one verb shortened, and a digest of the mask so that nothing hides in a run."""
    actions, legal = table.game.actions, np.flatnonzero(table.mask[0])
    texts = []
    for verb in np.unique(actions.decode[legal, 0]):
        mine = [actions.text(action) for action in legal[actions.decode[legal, 0] == verb]]
        texts.append(", ".join(mine) if len(mine) <= 6 else f"{mine[0]} … {mine[-1]}")
    return f"{', '.join(texts)}   ({len(legal)} actions, {digest(table.mask.tobytes())})"


def happened(table):
    return [f"  {json.dumps(event)}" for event in table.events()]


def digest(content):
    return hashlib.sha256(content).hexdigest()[:8]


def history_line(version, lines, reason):
    """A line at the top of a transcript: which version, which text, and why it was written."""
    return f"{HEADING}{version}  {digest(chr(10).join(lines).encode())}  {reason}"


def split(text):
    """(history lines, body lines) of a transcript's file."""
    lines = text.rstrip("\n").split("\n")
    count = next((i for i, line in enumerate(lines) if not line.startswith(HEADING)), len(lines))
    return lines[:count], lines[count + 1 :]
