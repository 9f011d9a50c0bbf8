"""All ways to get an environment lead to the same one."""

import importlib

import pettingzoo
import pytest

import heist_envs
from heist_envs import banquefall_v0
from heist_envs.engine.errors import IllegalAction

from ..support import GAMES, run_python

# The toy game too: registered from outside, it gets the same names.
ABOUTS = [heist_envs.about(name) for name in GAMES]
each_about = pytest.mark.parametrize("about", ABOUTS, ids=lambda about: about.name)


def test_the_documented_imports_work():
    import heist_envs.banquefall_v0 as by_dots

    assert by_dots is banquefall_v0 is heist_envs.banquefall_v0
    assert banquefall_v0.env(num_players=4).metadata["name"] == "banquefall_v0"


@each_about
def test_versioned_modules_can_be_imported(about):
    module = importlib.import_module(f"heist_envs.{about.module_name}")
    assert module is getattr(heist_envs, about.module_name)
    assert about.title in module.__doc__


@each_about
def test_env_forgives_and_raw_env_raises(about):
    module = getattr(heist_envs, about.module_name)
    for env, raises in ((module.env(), False), (module.raw_env(), True), (module.raw_env(illegal="terminate"), False)):
        env.reset(seed=1)
        if raises:
            with pytest.raises(IllegalAction):
                env.step(0)
        else:
            env.step(0)
            assert all(env.terminations.values())


@each_about
def test_pettingzoo_makes_the_same_environments(about):
    name = f"heist/{about.name}-v{about.version}"
    players = about.seats[0]
    aec = pettingzoo.make("aec", name, num_players=players)
    mine = heist_envs.make_aec(about.name, num_players=players)
    aec.reset(seed=5)
    mine.reset(seed=5)
    assert aec.unwrapped.table.words.tobytes() == mine.table.words.tobytes()
    parallel = pettingzoo.make("parallel", name, num_players=players)
    observations, _ = parallel.reset(seed=5)
    assert len(observations) == players


def test_importing_is_light():
    heavy = ("torch", "ray", "matplotlib", "numba", "stable_baselines3", "pandas", "scipy")
    loaded = run_python("import sys, heist_envs; print(*sys.modules)").split()
    assert [module for module in heavy if module in loaded] == []
    assert [module for module in loaded if module.startswith("heist_envs.games.")] == []
