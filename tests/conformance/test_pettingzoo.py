"""PettingZoo's own tests pass for every game and player count, with every warning an error."""

import sys

import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import heist_envs

from ..support import each_table

api_test_module = sys.modules["pettingzoo.test.api_test"]
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def like_pettingzoos_own_masked_games(monkeypatch):
    """api_test warns of every observation that is a dict, except in games of PettingZoo's own (connect_four_v3, ...) that
    it knows by name. Ours have the same form, observation and action_mask, so they are added to the same two lists."""
    for known in ("env_obs_dicts", "env_obs_space"):
        ours = [heist_envs.about(name).module_name for name in heist_envs.game_names()]
        monkeypatch.setattr(api_test_module, known, [*getattr(api_test_module, known), *ours])


@each_table
def test_api(name, players, like_pettingzoos_own_masked_games):
    api_test(heist_envs.make_aec(name, num_players=players), num_cycles=300)


@each_table
def test_parallel_api(name, players):
    parallel_api_test(heist_envs.make_parallel(name, num_players=players), num_cycles=200)


@each_table
def test_seed(name, players):
    seed_test(lambda: heist_envs.make_aec(name, num_players=players), num_cycles=150)


@each_table
def test_parallel_seed(name, players):
    parallel_seed_test(lambda: heist_envs.make_parallel(name, num_players=players), num_cycles=100)


@each_table
def test_render(name, players, capsys):
    render_test(lambda render_mode: heist_envs.make_aec(name, num_players=players, render_mode=render_mode))
    assert capsys.readouterr().out
