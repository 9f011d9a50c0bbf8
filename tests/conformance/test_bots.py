"""Every bot plays legally; those that know the game beat the one that does not."""

import numpy as np
import pytest

import heist_envs
from heist_envs.engine.table import Table
from heist_envs.policies.scripted import GENERIC, ScriptedPlayers, bot_names

from ..support import TABLES, each_game, each_table

OWN_BOTS = [(name, n, bot) for name, n in TABLES for bot in heist_envs.load_game(name).bots if bot not in GENERIC]
GAMES_PLAYED = 1500


def play_bots(table, bots):
    """Play all games of a table to their ends; every action of a bot is checked by the table."""
    actions = np.zeros(table.games, np.int64)
    while not table.over.all():
        actions[:] = 0
        bots.players[table.over != 0] = -1  # nobody decides in a finished game
        table.play(bots.choose(actions))


@each_table
def test_all_bots_play_legally_together(name, players):
    table = Table(name, 100, num_players=players)
    names = bot_names(table.game)
    seats = np.random.default_rng(1).integers(len(names), size=(100, players))
    table.reset(1)
    play_bots(table, ScriptedPlayers(table, names, seats, seed=1))
    assert table.over.all() and not table.broken().any()


@each_game
def test_a_game_has_the_generic_bots_and_a_greedy_one(name):
    assert {"random_legal", "robby_junior", "greedy"} <= set(bot_names(heist_envs.load_game(name)))


@pytest.mark.parametrize(("name", "players", "bot"), OWN_BOTS)
def test_own_bots_beat_random_legal(name, players, bot):
    table, games = Table(name, GAMES_PLAYED, num_players=players), np.arange(GAMES_PLAYED)
    table.reset(2)
    side = table.states["side"][0, :players]
    sides = np.unique(side)
    mine = side == sides[games % len(sides)][:, None]  # one seat, or where sides play one side
    play_bots(table, ScriptedPlayers(table, [bot, "random_legal"], np.where(mine, 0, 1), seed=2))
    first = table.rank[:, :players] == 1
    share = ((first & mine).sum(1) / (first.sum(1) + table.states["outside_winners"]).clip(1)).mean()
    contenders = len(sides) + (table.states["outside_winners"] + table.states["outside_losers"]).max()
    parity = 1 / contenders
    assert share > parity + 2 * np.sqrt(parity * (1 - parity) / GAMES_PLAYED)


def generic_junior(table, seed):
    """A seat-filling `robby_junior` as every game has it, even where the game's own replaces him."""
    bots = ScriptedPlayers(table, [], np.zeros((1, table.players)), seed)
    bots._choosers = [(0, table.kernels.chooser("generic_robby_junior", GENERIC["robby_junior"]))]
    return bots


@each_table
def test_robby_junior_goes_round_one_order_of_all_actions(name, players):
    table, choice, at = Table(name, num_players=players), np.zeros(1, np.int64), {}
    table.reset(3)
    bots = generic_junior(table, seed=3)
    count = len(table.game.actions)
    while not table.over[0]:
        seat, legal = int(table.seat[0]), table.mask[0] != 0
        bots.choose(choice)
        order = bots.memory["notes"][0, seat, 1 : count + 1]
        assert sorted(order) == list(range(count))
        circle = np.roll(order, -at.get(seat, 0))
        assert choice[0] == circle[legal[circle].argmax()]
        at[seat] = (int(np.flatnonzero(order == choice[0])[0]) + 1) % count
        table.play(choice)
    orders = {bots.memory["notes"][0, seat, 1:].tobytes() for seat in at}
    assert len(orders) == len(at) > 1


@each_table
def test_random_legal_is_uniform(name, players):
    table = Table(name, 4000, num_players=players)
    table.reset(np.full(4000, 5))
    choices = np.zeros(4000, np.int64)
    ScriptedPlayers(table, ["random_legal"], np.zeros((4000, players)), seed=1).choose(choices)
    counts = np.bincount(choices, minlength=table.mask.shape[1])
    legal = table.mask[0] != 0
    expected = 4000 / legal.sum()
    assert not counts[~legal].any()
    assert ((counts[legal] - expected) ** 2 / expected).sum() < legal.sum() + 5 * np.sqrt(2 * legal.sum())
