"""Games of several roles: a network, a side of learners and an evaluation for each."""

import numpy as np
import pytest
import torch

from heist_envs import HeistError, load_game
from heist_envs.envs.seat_batch import LEARNER, SeatBatch
from heist_envs.policies.network import NetworkPolicy, empty_network, load_policy, roles_of, save_policy
from training.config import load_config
from training.evaluate import evaluate
from training.train import main

GAME = load_game("rob_a_bank")


def a_policy():
    torch.manual_seed(1)
    network = empty_network(GAME, (16,), "relu")
    return NetworkPolicy(GAME, network.eval().requires_grad_(False), (16,), "relu", GAME.options.resolve({}))


def observations(role, count=5):
    """Random observations of one role."""
    seen = torch.rand(count, GAME.observation.size)
    first, roles = roles_of(GAME)
    seen[:, first : first + roles] = torch.eye(roles)[role]
    return seen


@pytest.mark.parametrize("role", [0, 1])
def test_each_role_has_weights_of_its_own(role):
    network, seen = a_policy().network, observations(role)
    before = network(seen)
    other = 1 - role
    with torch.no_grad():
        for weights in network.trunk.trunks[other].parameters():
            weights += 1
        network.action.weight[:, 16 * other : 16 * (other + 1)] += 1
    assert all(torch.equal(a, b) for a, b in zip(before, network(seen), strict=True))


def test_games_of_one_role_have_one_trunk():
    assert roles_of(load_game("banquefall")) is None and roles_of(GAME) == (GAME.observation.at.role, 2)


def test_a_policy_of_two_roles_is_stored_and_loaded(tmp_path):
    policy = a_policy()
    save_policy(tmp_path, policy)
    again, seen = load_policy(tmp_path, "rob_a_bank"), observations(1)
    assert all(torch.equal(a, b) for a, b in zip(policy.network(seen), again.network(seen), strict=True))


def test_evaluation_reports_each_role():
    results = list(evaluate(a_policy(), ["random_legal"], games=20, plays=("sampled",)))
    assert [(r.role, r.parity) for r in results] == [("bank", None), ("robber", None)]
    bank, robber = results
    assert bank.win_share > robber.win_share, "the bank wins against players that know nothing"


def test_a_learner_plays_a_whole_side():
    batch = SeatBatch("rob_a_bank", 200, "greedy:1", seed=1)
    learns = batch.seats == LEARNER
    kinds, counts = np.unique(learns, axis=0, return_counts=True)
    assert kinds.tolist() == [[False, True, True], [True, False, False]] and counts.min() > 70


def test_training_may_begin_with_another_reward(capsys):
    batch = SeatBatch("rob_a_bank", 4, seed=1)
    batch.use_reward("shaped")
    table = batch.table
    assert set(table.states["option_reward"]) == {2} and table.options["reward"] == "win"
    table.reset()
    assert set(table.states["option_reward"]) == {2}
    batch.use_reward("win")
    assert set(table.states["option_reward"]) == {0}
    with pytest.raises(HeistError, match="allowed: win, margin, shaped"):
        batch.use_reward("generous")
    assert load_config("rob_a_bank").start_reward == "shaped"
    assert main(["--game", "banquefall", "-params", "start_reward:shaped", "--dry-run"]) == 2
    assert "option reward may not be 'shaped'" in capsys.readouterr().err
