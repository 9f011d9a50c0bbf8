"""Agents at the seats of a table: each seat is played by whom it was given to, as that agent would play alone."""

import numpy as np
import pytest
import torch

from heist_envs import load_game
from heist_envs.engine.table import Table
from heist_envs.policies.agents import Agent
from heist_envs.policies.network import NetworkPolicy, empty_network
from heist_envs.policies.players import NOBODY, Players
from heist_envs.policies.scripted import ScriptedPlayers

ROWS = np.arange(40)


def a_network(game, seed, layers=(16,), deterministic=True):
    """An `Agent` whose network has large random weights: its likeliest action varies from state to state."""
    torch.manual_seed(seed)
    network = empty_network(game, layers, "relu")
    for weights in network.parameters():
        weights.data.normal_(0, 0.5)
    policy = NetworkPolicy(game, network.eval().requires_grad_(False), layers, "relu", game.options.resolve({}))
    return Agent(f"net{seed}", policy, deterministic)


def seats_for(table, agents, seed=0):
    return np.random.default_rng(seed).integers(len(agents), size=(table.games, table.players))


@pytest.mark.parametrize("name", ["toy_game", "rob_a_bank"])
def test_every_seat_is_played_by_its_agent(name):
    """Networks of two shapes and a bot at one table choose what each of them would choose by itself."""
    game, table = load_game(name), Table(name, len(ROWS))
    table.reset(3)
    agents = [a_network(game, 1), a_network(game, 2), Agent("greedy"), a_network(game, 3, (8, 8))]
    seats = seats_for(table, agents)
    players, bots = Players(table, agents, seats, [1]), ScriptedPlayers(table, ["greedy"], np.zeros_like(seats), [1])
    actions, scripted, met = np.zeros(len(ROWS), np.int64), np.zeros(len(ROWS), np.int64), set()
    for _ in range(30):
        players.choose(actions)
        bots.choose(scripted)
        asked = seats[ROWS, table.seat]
        met |= set(asked)
        for number, agent in enumerate(agents):
            mine = asked == number
            expected = scripted[mine]
            if agent.policy:
                expected = agent.policy.choose(table.observation[mine], table.mask[mine], deterministic=True)
            assert (actions[mine] == expected).all()
        table.play(actions, again=True)
    assert met == {0, 1, 2, 3}


def test_seats_of_nobody_are_left_alone():
    game, table = load_game("toy_game"), Table("toy_game", len(ROWS))
    table.reset(1)
    players = Players(table, [a_network(game, 1)], np.full((len(ROWS), table.players), NOBODY), [1])
    actions = np.full(len(ROWS), 77)
    assert (players.choose(actions) == 77).all()


def test_a_drawing_network_follows_its_probabilities():
    game, table = load_game("toy_game"), Table("toy_game", 4000)
    table.reset(5)
    table.words[:], table.seat[:] = table.words[0], table.seat[0]  # the same game 4000 times
    table.kernels.show_games(table.scratch, table.words, table.seat, table.observation, table.mask)
    agent = a_network(game, 4, deterministic=False)
    seats = np.zeros((4000, table.players))
    actions = Players(table, [agent], seats, [2]).choose(np.zeros(4000, np.int64))
    with torch.inference_mode():
        logits = agent.policy.network(torch.from_numpy(table.observation[:1]))[0][0].double().numpy()
    weights = np.exp(logits - logits.max()) * table.mask[0]
    assert np.bincount(actions, minlength=len(weights)) / 4000 == pytest.approx(weights / weights.sum(), abs=0.03)


def test_a_place_is_filled_while_games_run():
    game, table = load_game("toy_game"), Table("toy_game", len(ROWS))
    table.reset(1)
    players = Players(table, [Agent("greedy"), None], np.zeros((len(ROWS), table.players)), [1])
    players.choose(np.zeros(len(ROWS), np.int64))
    newcomer = a_network(game, 6)
    players.replace(1, newcomer)
    players.seats[:] = 1
    chosen = players.choose(np.zeros(len(ROWS), np.int64))
    assert (chosen == newcomer.policy.choose(table.observation, table.mask, deterministic=True)).all()


def test_the_state_brings_the_same_choices_back():
    game, table = load_game("toy_game"), Table("toy_game", len(ROWS))
    table.reset(2)
    agents = [a_network(game, 1, deterministic=False), Agent("random_legal"), Agent("robby_junior")]
    players = Players(table, agents, seats_for(table, agents), [3])
    actions = np.zeros(len(ROWS), np.int64)
    for _ in range(3):
        table.play(players.choose(actions), again=True)
    other = Players(table, agents, np.zeros_like(players.seats), [99])
    other.set_state(players.get_state())
    for _ in range(3):
        mine = players.choose(actions).copy()
        assert (other.choose(actions) == mine).all()
        table.play(mine, again=True)
