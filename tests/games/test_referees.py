"""Independent second implementations of the rules (tests/games/<game>/referee.py, written from the specification alone)
agree with recorded games of every player count and option, legal actions included."""

import json
from importlib import import_module

import pytest

from heist_envs import about, game_names, load_game
from heist_envs.engine.registry import GAMES as PACKAGE
from heist_envs.policies.scripted import bot_names
from heist_envs.replay.record import record

from ..support import allowed

PLAYED = 8
GAMES = [name for name in game_names() if about(name).folder.parent == PACKAGE]


def variants(game):
    """Every player count, and every value of every other small option, one at a time."""
    for option in load_game(game).options.options:
        values = option.allowed if len(option.allowed) < 8 else (option.allowed[0], option.allowed[11])
        singles = ({option.name: value} for value in values if value != option.default)
        yield from (single for single in singles if allowed(load_game(game).options, single))
    yield {}


CASES = [(game, variant) for game in GAMES for variant in variants(game)]


def recorded(folder, game, **options):
    file = folder / "games.jsonl"
    record(game, file, PLAYED, seed=11, bots=bot_names(load_game(game)), legal=True, **options)
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize(("game", "options"), CASES, ids=[f"{game}-{options}" for game, options in CASES])
def test_referee_agrees(tmp_path, game, options):
    module = import_module(f"tests.games.{game}.referee")
    for line in recorded(tmp_path, game, **options):
        module.referee(line)


@pytest.mark.parametrize("game", GAMES)
def test_referee_sees_a_wrong_score(tmp_path, game):
    module = import_module(f"tests.games.{game}.referee")
    line = recorded(tmp_path, game)[0]
    line["events"][-1]["scores"][0] += 1
    with pytest.raises(module.Foul):
        module.referee(line)
