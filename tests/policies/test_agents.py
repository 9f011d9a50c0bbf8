"""The name scheme of agents."""

import pytest

from heist_envs import HeistError, load_agent, load_game
from heist_envs.policies.agents import find_agent
from heist_envs.policies.network import save_policy

from .test_players import a_network

TOY = load_game("toy_game")


def test_names_of_bots_and_runs(tmp_path):
    save_policy(tmp_path / "a run", a_network(TOY, 1).policy)
    assert find_agent("greedy", TOY).policy is None
    found = find_agent(f"run:{tmp_path / 'a run'}", TOY, deterministic=True)
    assert found.policy.game is TOY and found.deterministic
    assert load_agent("toy_game", f"run:{tmp_path / 'a run'}").options == TOY.options.resolve({})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("greedi", "did you mean 'greedy'"),
        ("run:", "unknown agent"),
        ("run:nowhere", "there is no file"),
        ("baseline", "no baseline of toy_game is shipped"),
    ],
)
def test_a_wrong_name_is_refused(name, words):
    with pytest.raises(HeistError, match=words):
        find_agent(name, TOY)


def test_an_agent_of_another_game_is_refused(tmp_path):
    save_policy(tmp_path, a_network(TOY, 1).policy)
    with pytest.raises(HeistError, match="is a policy for 'toy_game', not for 'banquefall'"):
        load_agent("banquefall", f"run:{tmp_path}")


def test_bots_are_not_loaded_as_networks():
    with pytest.raises(HeistError, match="scripted bot"):
        load_agent("toy_game", "greedy")
