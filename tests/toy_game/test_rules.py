"""The rules of the toy game; numbers are sections of its RULES.md."""

import numpy as np
import pytest

from heist_envs.engine.table import Table


def new_table(players=3, seed=1, **options):
    table = Table("toy_game", recording=True, num_players=players, **options)
    table.reset(seed)
    return table


def play(table, text):
    table.play([table.game.actions.parse(text)])


def bid(table, *coins):
    """Let all seats bid, in the order of their seats."""
    lead = int(table.states[0].lead)
    for k in range(table.players):
        play(table, f"bid {coins[(lead + k) % table.players]}")


def test_six_treasures_are_shuffled():
    """1.1"""
    assert sorted(new_table().states[0].deck) == [1, 2, 3, 4, 5, 6]
    assert len({new_table(seed=seed).states[0].deck.tobytes() for seed in range(20)}) > 10


def test_coins_and_first_seat():
    """1.2"""
    assert new_table(players=2).states[0].coins.tolist() == [8, 8, 0]
    assert {int(new_table(seed=seed).seat[0]) for seed in range(20)} == {0, 1, 2}


def test_looking_costs_a_coin_and_tells_only_the_looker():
    """2.1"""
    table = new_table()
    looker = int(table.seat[0])
    play(table, "look")
    assert table.states[0].coins[looker] == 7
    assert [int(table.seen(seat)[0].row[0] > 0) for seat in range(3)] == [int(seat == looker) for seat in range(3)]


@pytest.mark.parametrize(("bids", "winner"), [((0, 1, 2), 2), ((5, 5, 1), 2), ((3, 3, 3), None), ((0, 4, 4), 0)])
def test_highest_lone_bid_takes_and_pays(bids, winner):
    """2.2"""
    table = new_table()
    worth = int(table.states[0].row[0])
    play(table, "pass")
    bid(table, *bids)
    paid = [bids[seat] if seat == winner else 0 for seat in range(3)]
    assert table.states[0].points.tolist() == [worth if seat == winner else 0 for seat in range(3)]
    assert table.states[0].coins.tolist() == [8 - coins for coins in paid]


def test_all_pay():
    """2.2"""
    table = new_table(all_pay=True)
    play(table, "pass")
    bid(table, 1, 2, 2)
    assert table.states[0].coins.tolist() == [7, 6, 6]


def test_treasure_is_shown_and_the_turn_goes_left():
    """2.3"""
    table = new_table()
    first = int(table.seat[0])
    play(table, "pass")
    bid(table, 0, 1, 2)
    assert int(table.seat[0]) == (first + 1) % 3
    assert all(table.seen(seat)[0].row[0] == table.states[0].deck[0] for seat in range(3))


def test_richest_after_four_rounds_wins():
    """3.1"""
    table = new_table(players=2)
    for _ in range(4):
        play(table, "pass")
        bid(table, 2, 1)
    state = table.states[0]
    assert state.over
    assert state.score[:2].tolist() == [int(np.sum(state.row)), 4]
    assert state.rank[:2].tolist() == [1, 2]
