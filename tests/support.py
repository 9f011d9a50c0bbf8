"""What several tests need: the list of all games, ways to play them, what a seat may not see, other processes."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import heist_envs
from heist_envs.engine.errors import HeistError
from heist_envs.engine.fields import OWNER, PUBLIC, TEAM
from heist_envs.engine.table import Table
from heist_envs.policies.scripted import ScriptedPlayers, bot_names

from . import toy_game

ROOT = Path(__file__).resolve().parents[1]
heist_envs.register(toy_game.GAME)

GAMES = heist_envs.game_names()
TABLES = [
    (name, count) for name in GAMES for count in range(heist_envs.about(name).seats[0], heist_envs.about(name).seats[1] + 1)
]
each_game = pytest.mark.parametrize("name", GAMES)
each_table = pytest.mark.parametrize(("name", "players"), TABLES)
PYTEST_SETTINGS = ("PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER")


def walk(table, seed, rng_seed=0):
    """Play one random legal game at a table of 1; yields before every decision, and the test may look around."""
    rng = np.random.default_rng([seed, rng_seed])
    table.reset(seed)
    while not table.over[0]:
        yield
        table.play(a_legal_action(table, rng))


def a_legal_action(table, rng):
    """(1,) a random legal action for the asked seat of a table of 1."""
    return rng.choice(np.flatnonzero(table.mask[0]), 1)


def owing_seats(table):
    """The seats of a table of 1 that owe a decision."""
    state = table.states[0]
    return [] if state.over else [seat for seat in range(table.players) if state.to_act[seat]]


def views(table, seats=None):
    """What every seat of a table of 1 gets to see, as bytes: its blanked state, observation and mask."""
    seats = range(table.players) if seats is None else seats
    return {seat: (table.seen(seat).tobytes(), *(array.tobytes() for array in table.show(seat))) for seat in seats}


def hidden_bytes(table, seat):
    """(bytes,) bool: which bytes of the state at a table of 1 `seat` may not see, padding included.

    Worked out from the declarations alone, on purpose not with the engine's masks.
    """
    state, spec = table.states[0], table.game.state
    hidden = np.ones(spec.dtype.itemsize, bool)
    for f in spec.fields:
        kind, offset = spec.dtype.fields[f.name][:2]
        shows = np.zeros(f.shape or 1, bool)
        if f.known:
            shows |= (np.asarray(state[f.known]) >> seat) & 1 == 1
        elif f.sight == PUBLIC or (f.recall and table.options["perfect_recall"]):
            shows[...] = True
        elif f.sight == OWNER:
            shows[seat] = True
        elif f.sight == TEAM:
            shows[: table.players] = (state.side == state.side[seat])[: table.players].reshape(-1, *[1] * (shows.ndim - 1))
        hidden[offset : offset + kind.itemsize] = ~np.repeat(shows.reshape(-1), np.dtype(f.type).itemsize)
    return hidden


def around_the_defaults(name, **fixed):
    """Option sets of a game with `fixed` in each: the defaults, then every other value of every option (of a range both
    ends), alone or, where the game refuses it alone, together with a value of another option that makes it allowed."""
    options = heist_envs.load_game(name).options
    singles = []
    for option in options.options:
        if option.name != "num_players":
            ends = isinstance(option.allowed, range)
            values = sorted({option.allowed[0], option.allowed[-1]}) if ends else option.allowed
            singles += [{option.name: value} for value in values if value != option.default]
    yield fixed
    for single in singles:
        candidates = ({**fixed, **other, **single} for other in [{}, *singles])
        yield from [values for values in candidates if allowed(options, values)][:1]


def allowed(options, values):
    """Whether a game's options may have these values."""
    try:
        options.resolve(values)
    except HeistError:
        return False
    return True


def digest_of_play(name, players, seed=5):
    """Digest of one game with each bot at every seat: actions, events, states and what every seat saw on the way."""
    table = Table(name, recording=True, num_players=players)
    digest, action = hashlib.sha256(), np.zeros(1, np.int64)
    for number, bot in enumerate(bot_names(table.game)):
        bots = ScriptedPlayers(table, [bot], np.zeros((1, players)), seed)
        table.reset(seed + number)
        while not table.over[0]:
            digest.update(json.dumps(table.events()).encode())
            digest.update(table.words.tobytes() + table.observation.tobytes() + table.mask.tobytes())
            asked = int(table.states[0].decisions) % players
            digest.update(b"".join(views(table, [asked])[asked]))
            bots.choose(action)
            table.play(action)
        table.redeal(0, seed)
        digest.update(table.words.tobytes() + table.rewards.tobytes() + table.broken().tobytes())
    return digest.hexdigest()


def run_python(code, *arguments, **environment):
    """Run code in another process at the top of the repository, where it must succeed. Returns what it printed."""
    settings = {key: value for key, value in os.environ.items() if key not in PYTEST_SETTINGS}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=settings | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()
