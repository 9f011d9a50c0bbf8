"""The league: who joins the pool, who is met how often, what is counted."""

import dataclasses

import numpy as np
import pytest
import torch

from heist_envs import load_game
from heist_envs.envs.seat_batch import LEARNER, SeatBatch
from training.config import load_config
from training.league import SHIFT, League

from ..policies.test_players import a_network

TOY = load_game("toy_game")
SETTINGS = {"opponents": "latest:0.5,pool:0.3,greedy:0.2", "pool_size": 3, "active_members": 2, "gate_games": 400}


def a_league(games=64, **changes):
    config = load_config("banquefall", changes={**SETTINGS, **changes})
    return League(SeatBatch("toy_game", games, config.opponents, 1, config.pool_size), config, seed=1)


def policy(seed):
    return a_network(TOY, seed).policy


def step(batch, rng):
    batch.step((rng.random(batch.mask.shape) * batch.mask).argmax(1))


def test_an_empty_pool_leaves_its_share_to_the_learner():
    league = a_league(games=4000)
    assert league.batch.self_share == pytest.approx(0.8)
    assert (league.batch.seats == LEARNER).all(1).mean() == pytest.approx(0.8, abs=0.03)
    league.join(policy(1), 10, "step")
    assert league.batch.self_share == pytest.approx(0.5)
    league.batch.reset(2)
    assert (league.batch.seats == LEARNER).all(1).mean() == pytest.approx(0.5, abs=0.03)
    assert (league.batch.seats == 1).any(1).mean() == pytest.approx(0.3, abs=0.03)


def test_snapshots_join_by_step():
    league = a_league(snapshot_freq=100, gate_freq=0)
    for timesteps in range(0, 350, 50):
        league.update(timesteps, lambda: policy(1))
    assert [member.name for member in league.members] == ["step_100", "step_200", "step_300"]


def test_only_a_snapshot_that_beats_the_pool_passes_the_gate():
    league = a_league(snapshot_freq=0, gate_freq=100)
    bad, good = policy(1), policy(1)
    for network, sign in ((bad.network, -1), (good.network, 1)):
        for weights in network.parameters():
            weights.data.zero_()
        # It likes cards the more, or the less, the higher they are.
        network.action.bias.data[:] = sign * torch.linspace(0, 20, len(TOY.actions))
    strong, weak = sorted((good, bad), key=lambda p: -_share_against_random(p))
    assert _share_against_random(strong) > _share_against_random(weak) + 0.1
    league.update(100, lambda: weak)  # nobody is there to beat
    league.update(200, lambda: strong)
    league.update(300, lambda: weak)
    assert [member and member.name for member in league.members] == ["gate_100", "gate_200", None]
    assert [gate[3] for gate in league.gates] == [True, True, False]
    assert [gate["joined"] for gate in league.table()["gates"]] == [True, True, False]


def _share_against_random(policy):
    from training.evaluate import evaluate

    return next(evaluate(policy, ["random_legal"], 400, plays=("deterministic",))).win_share


def test_who_is_hard_to_beat_is_met_more_often():
    league = a_league(pool_floor=0.1)
    for k in range(3):
        league.join(policy(k), k, "step")
    league.count({"step_0": (1000, 900.0), "step_1": (1000, 500.0), "step_2": (1000, 100.0)})
    easy, even, hard = league.weights()
    assert easy == pytest.approx(0.1 / (0.1 + 0.25 + 0.81), rel=0.05)
    assert (even / easy, hard / easy) == pytest.approx((2.5, 8.1), rel=0.05)
    assert [row["member"] for row in league.table()["members"]] == ["step_2", "step_1", "step_0"]


def test_a_full_pool_lets_the_easiest_go():
    league = a_league()
    for k in range(3):
        league.join(policy(k), k, "step")
    league.count({"step_0": (100, 20.0), "step_1": (100, 70.0), "step_2": (100, 50.0)})
    league.join(policy(9), 9, "gate")
    assert [member.name for member in league.members] == ["step_0", "gate_9", "step_2"]


def test_old_games_fade():
    league = a_league()
    league.join(policy(1), 1, "step")
    for _ in range(400):
        league.count({"step_1": (10, 10.0)})
    for _ in range(400):
        league.count({"step_1": (10, 0.0)})
    member = league.members[0]
    assert member.games == 8000 and member.won == 4000
    assert member.win_share < 0.01


def test_few_play_at_a_time_but_all_in_turn():
    league, seen = a_league(), set()
    for k in range(3):
        league.join(policy(k), k, "step")
    for _ in range(40 * SHIFT):
        league.count({f"step_{k}": (0, 0.0) for k in range(3)})
        active = np.flatnonzero(league.batch.pool_weights)
        assert len(active) == 2
        seen |= set(active)
    assert seen == {0, 1, 2}


def test_games_against_a_member_that_left_are_not_counted():
    league, rng = a_league(games=200, opponents="pool:1", pool_size=1, active_members=1), np.random.default_rng(1)
    league.join(policy(1), 1, "step")
    batch = league.batch
    batch.reset(3)
    step(batch, rng)
    running = (batch.seats == 0).any(1)
    assert running.all()
    league.join(policy(2), 2, "step")
    batch.clear_statistics()
    ended = np.zeros(200, bool)
    for _ in range(100):
        first = ~ended  # a game that was running when the member was replaced
        before = batch.statistics()["versus"]["step_2"][0]
        step(batch, rng)
        counted = batch.statistics()["versus"]["step_2"][0] - before
        assert counted == np.count_nonzero(batch.done & ~first)
        ended |= batch.done
    assert ended.all() and batch.statistics()["versus"]["step_2"][0] > 0


def test_the_state_brings_the_league_back():
    league, other = a_league(), a_league()
    for k in range(4):
        league.join(policy(k), k, "step")
        league.count({member.name: (10, float(k)) for member in filter(None, league.members)})
    league.gates.append((3, 0.5, 0.4, False))
    other.set_state(league.get_state(), lambda weights: _rebuilt(weights))
    assert other.table() == league.table()
    assert (other.batch.pool_weights == league.batch.pool_weights).all()
    for mine, theirs in zip(league.members, other.members, strict=True):
        assert dataclasses.replace(mine, policy=None) == dataclasses.replace(theirs, policy=None)
    for one in (league, other):
        for _ in range(3 * SHIFT):
            one.count({member.name: (5, 1.0) for member in one.members})
    assert (other.batch.pool_weights == league.batch.pool_weights).all()


def _rebuilt(weights):
    again = policy(0)
    again.network.load_state_dict(weights)
    return again
