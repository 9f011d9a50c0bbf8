"""Every game names and describes all it consists of, and its tables turn into text and back."""

import re

import numpy as np
import pettingzoo
import pytest

import heist_envs
from heist_envs.engine.registry import GAMES as PACKAGE_GAMES
from heist_envs.engine.table import Table
from heist_envs.policies.scripted import bot_names, bot_rule

from ..support import GAMES, TABLES, each_game, each_table, walk

IN_PACKAGE = [name for name in GAMES if heist_envs.about(name).folder.parent == PACKAGE_GAMES]
MODES = ("env", "raw_env", "parallel_env")


@each_game
def test_about_is_complete(name):
    about = heist_envs.about(name)
    assert re.fullmatch(r"[a-z][a-z_]*", name)
    assert about.folder.name == about.name == heist_envs.load_game(name).name == name
    assert about.title and about.summary.endswith(".") and about.designer and about.publisher and about.credits
    assert about.sources and about.roles and about.score_scale > 0 and about.longest > 0
    assert 2 <= about.seats[0] <= about.default_seats <= about.seats[1]


@each_game
def test_every_version_has_a_history_line(name):
    about = heist_envs.about(name)
    assert sorted(entry["version"] for entry in about.history) == list(range(about.version + 1))
    assert all(entry["note"].strip() for entry in about.history)


@pytest.mark.parametrize("name", IN_PACKAGE)
def test_versioned_names(name):
    about = heist_envs.about(name)
    module = getattr(heist_envs, f"{name}_v{about.version}")
    assert module.__all__ == list(MODES)
    assert all(getattr(module, mode).__doc__ for mode in MODES)
    assert pettingzoo.make("aec", f"heist/{name}-v{about.version}").metadata["name"] == module.__name__.split(".")[-1]
    assert pettingzoo.make("parallel", f"heist/{name}-v{about.version}").metadata["name"] == about.module_name


@each_table
def test_agent_names(name, players):
    agents = heist_envs.load_game(name).agents(players)
    assert len(set(agents)) == players
    assert all(re.fullmatch(r"[a-z]+_[0-9]+", agent) for agent in agents)


@each_game
def test_everything_declared_has_a_meaning(name):
    game = heist_envs.load_game(name)
    assert all(field.doc for field in game.state.fields)
    assert all(verb.doc for verb in game.actions.verbs.values())
    assert all(part.doc for part in game.observation.parts)
    assert all(option.doc for option in game.options.options)
    assert all(bot_rule(game, bot).__doc__ for bot in bot_names(game))
    assert game.invariants and all(game.invariants)
    assert game.phases and len(set(game.phases)) == len(game.phases)


@each_game
def test_names_are_used_once(name):
    game = heist_envs.load_game(name)
    for names in (
        [field.name for field in game.state.fields],
        [part.name for part in game.observation.parts],
        [option.name for option in game.options.options],
        game.actions.texts,
    ):
        assert len(set(names)) == len(names)


@each_game
def test_action_texts_round_trip(name):
    actions = heist_envs.load_game(name).actions
    assert actions.text(0) == "wait"
    assert [actions.parse(actions.text(action)) for action in range(len(actions))] == list(range(len(actions)))
    for verb, first in actions.first.items():
        number = list(actions.verbs).index(verb)
        assert (actions.decode[first : first + len(actions.verbs[verb]), 0] == number).all()


@each_game
def test_events_are_declared_with_shapes(name):
    game = heist_envs.load_game(name)
    assert game.events.names[0] == "setup" and "end" in game.events.names
    assert all(fields and all(map(str, fields.values())) for fields in game.events.events.values())


@each_game
def test_observation_bounds(name):
    observation = heist_envs.load_game(name).observation
    assert observation.low.shape == observation.high.shape == (observation.size,)
    assert np.isfinite(observation.low).all() and np.isfinite(observation.high).all()
    assert (observation.low < observation.high).all()


@each_table
def test_observation_decodes_to_the_numbers_behind_it(name, players):
    table = Table(name, num_players=players)
    spec = table.game.observation
    for _ in walk(table, seed=3):
        numbers = spec.decode(table.observation[0])
        again = np.concatenate([numbers[part.name].reshape(-1) / part.scale for part in spec.parts])
        np.testing.assert_allclose(again, table.observation[0], atol=1e-5)


@each_table
def test_spaces_are_the_same_for_every_player_count(name, players):
    least = min(count for game, count in TABLES if game == name)
    env, smallest = (heist_envs.make_parallel(name, num_players=count) for count in (players, least))
    for agent in smallest.possible_agents:
        assert env.observation_space(agent) == smallest.observation_space(agent)
        assert env.action_space(agent) == smallest.action_space(agent)
        assert env.observation_space(agent) is env.observation_space(agent)
