"""The trained agents that ship with the package: they load, fit their games, and are stronger than every bot."""

import csv
import json

import pytest

from heist_envs import load_agent, load_game, make_aec
from heist_envs.arena.match import play_match
from heist_envs.describe import own_games
from heist_envs.policies.agents import BASELINES, Agent
from heist_envs.policies.scripted import bot_names

each_baseline = pytest.mark.parametrize("name", own_games())
MOST_BYTES = 2 * 1024 * 1024


@each_baseline
def test_it_loads_and_plays(name):
    policy, env = load_agent(name), make_aec(name)
    env.reset(seed=1)
    for _ in env.agent_iter():
        observation, _reward, terminated, truncated, _info = env.last()
        action = None if terminated or truncated else policy.act(observation)
        assert action is None or observation["action_mask"][action]
        env.step(action)


@each_baseline
def test_how_it_was_made_is_told(name):
    folder = BASELINES / name
    assert sum(file.stat().st_size for file in folder.iterdir()) <= MOST_BYTES
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert (folder / "command.txt").read_text(encoding="utf-8").split()[1:3] == ["training/train.py", "--game"]
    assert results["ended_by"] == "n_timesteps" and results["train_seconds"] <= 60 * 60
    assert "+changes" not in json.loads((folder / "versions.json").read_text(encoding="utf-8"))["commit"]
    with (folder / "progress.csv").open(encoding="utf-8") as file:
        assert int(list(csv.DictReader(file))[-1]["total_timesteps"]) == results["timesteps"]


def parity(game, bot, role):
    """What copies of the bot win at that side against themselves."""
    return play_match(game, Agent(bot), Agent(bot), 2000, seed=2, role=role).win_share


@each_baseline
def test_it_beats_every_bot(name):
    """What was measured when it was shipped: above parity with 95 % confidence, in a game of two roles at each of them;
    and a smaller match now agrees."""
    game = load_game(name)
    results = json.loads((BASELINES / name / "results.json").read_text(encoding="utf-8"))["evaluation"]
    assert {(r["opponent"], r["role"]) for r in results} == {
        (bot, role) for bot in bot_names(game) for role in (game.about.roles if len(game.about.roles) > 1 else [""])
    }
    baseline = Agent("baseline", load_agent(name))
    for told in results:
        equal = parity(game, told["opponent"], told["role"]) if told["role"] else told["parity"]
        assert told["low"] > equal or equal == 1.0, told  # random robbers never win: nothing is above that
        if told["play"] == "sampled":
            now = play_match(game, baseline, Agent(told["opponent"]), 400, seed=7, role=told["role"])
            assert now.win_share == pytest.approx(told["win_share"], abs=0.1), (told, now)  # four standard errors
