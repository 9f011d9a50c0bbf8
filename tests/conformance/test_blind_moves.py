"""While several seats owe a decision, what one of them chooses shows nowhere before all have chosen."""

import copy

import numpy as np

import heist_envs
from heist_envs.engine.table import Table

from ..support import each_table, owing_seats, views, walk

CHOICES = 4  # legal actions tried at each decision


def some_legal(mask):
    """A few legal actions, the first and the last among them."""
    legal = np.flatnonzero(mask)
    return legal[np.unique(np.linspace(0, len(legal) - 1, CHOICES).astype(int))]


@each_table
def test_a_blind_choice_changes_nothing_for_the_others(name, players):
    table = Table(name, num_players=players)
    for _ in walk(table, seed=2):
        owing, asked = owing_seats(table), int(table.seat[0])
        if len(owing) < 2:
            continue
        others = [seat for seat in range(players) if seat != asked]
        before, seen = table.save(), views(table, others)
        asked_next = set()
        for action in some_legal(table.mask[0]):
            table.restore(before)
            table.play([action])
            assert views(table, others) == seen
            assert owing_seats(table) == [seat for seat in owing if seat != asked]
            asked_next.add(int(table.seat[0]))
        assert len(asked_next) == 1
        table.restore(before)


@each_table
def test_aec_order_of_agents_does_not_depend_on_blind_choices(name, players):
    env = heist_envs.make_aec(name, num_players=players)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    while not env.terminations[env.agent_selection] and not env.truncations[env.agent_selection]:
        owing = owing_seats(env.table)
        if len(owing) > 1:
            orders = {order_of_blind_choices(copy.deepcopy(env), pick, len(owing)) for pick in (0, -1)}
            assert len(orders) == 1
        env.step(rng.choice(np.flatnonzero(env.last()[0]["action_mask"])))


def order_of_blind_choices(env, pick, count):
    """The agents that `env` asks for the next `count` choices when each takes its first (0) or last (-1) legal action."""
    order = []
    for _ in range(count):
        order.append(env.agent_selection)
        env.step(np.flatnonzero(env.last()[0]["action_mask"])[pick])
    return tuple(order)


@each_table
def test_parallel_step_equals_the_same_choices_one_after_another(name, players):
    parallel, table = heist_envs.make_parallel(name, num_players=players), Table(name, num_players=players)
    observations, _ = parallel.reset(seed=4)
    table.reset(4)
    rng = np.random.default_rng(1)
    while parallel.agents:
        actions = {agent: rng.choice(np.flatnonzero(seen["action_mask"])) for agent, seen in observations.items()}
        observations, rewards, *_ = parallel.step(actions)
        for _ in owing_seats(table):
            table.play([actions[parallel.possible_agents[table.seat[0]]]])
        assert table.words.tobytes() == parallel.table.words.tobytes()
    assert list(rewards.values()) == table.rewards[0].tolist()
