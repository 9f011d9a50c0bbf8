"""`Table`: illegal actions move nothing, only what it saved can be restored, every refusal is a sentence."""

import copy
import hashlib
import json
import pickle

import numpy as np
import pytest

from heist_envs.engine.errors import HeistError, IllegalAction
from heist_envs.engine.table import Table, check_seed

from ..support import GAMES, each_game, walk


@pytest.fixture
def table():
    table = Table("toy_game", 4, num_players=3)
    table.reset(1)
    return table


@pytest.mark.parametrize("wrong", [-1, 10**6, -(2**62), "illegal"])
def test_one_illegal_action_stops_the_whole_batch(table, wrong):
    actions = (table.mask != 0).argmax(1)
    actions[2] = (table.mask[2] == 0).argmax() if wrong == "illegal" else wrong
    before = table.save()
    with pytest.raises(IllegalAction, match=r"player_\d may not .*; legal: look, pass\."):
        table.play(actions)
    assert table.save() == before


@pytest.mark.parametrize("actions", [[1], [[1, 1, 1, 1]], [1] * 5, 1])
def test_actions_of_the_wrong_shape_are_refused(table, actions):
    with pytest.raises(HeistError, match=r"one action per game, shape \(4,\)"):
        table.play(actions)


def test_only_the_games_in_which_move_or_begin_anew(table):
    before = table.words.copy()
    which = np.array([True, False, False, True])
    table.play((table.mask != 0).argmax(1), which=which)
    assert ((table.words != before).any(1) == which).all()
    before = table.words.copy()
    table.reset(99, which=~which)
    assert ((table.words != before).any(1) == ~which).all()


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", None, True, [1]])
def test_seeds_are_whole_numbers_of_64_bits(seed):
    with pytest.raises(HeistError, match=r"a seed is a whole number from 0 to 2\*\*64 - 1, not"):
        check_seed(seed)


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.uint64(2**64 - 1)])
def test_every_64_bit_seed_deals_a_game(seed):
    table = Table("toy_game")
    table.reset(seed)
    assert int(table.states[0].seed) == int(seed)


@pytest.mark.parametrize("seeds", [[1, 2], [-1, 0, 0, 0], [1.5, 2, 3, 4], ["a", "b", "c", "d"], [2**64, 0, 0, 0]])
def test_seeds_by_game_are_checked_too(table, seeds):
    with pytest.raises(HeistError, match="seed"):
        table.reset(seeds)


@pytest.mark.parametrize("games", [0, -1, 1.5, "3", True, None])
def test_a_table_holds_at_least_one_game(games):
    with pytest.raises(HeistError, match="a table holds 1 or more games, not"):
        Table("toy_game", games)


def test_only_tables_of_one_game_record():
    with pytest.raises(HeistError, match="only a table of 1 game records events, this one has 2"):
        Table("toy_game", 2, recording=True)


@pytest.mark.parametrize("seat", [-1, 3, 100])
def test_there_are_only_the_seats_that_play(table, seat):
    for ask in (table.show, table.seen, lambda seat: table.redeal(seat, 1)):
        with pytest.raises(HeistError, match=rf"there is no seat {seat}; seats are 0 to 2"):
            ask(seat)


@pytest.mark.parametrize("action", [3.5, "bid 1", None, [1, 2], np.array([1, 2]), np.array([1]), 10**40, -1, object()])
def test_refusals_are_sentences_whatever_was_tried(table, action):
    assert "legal: look, pass." in table.refusal(action)


def test_refusals_after_the_end_say_so():
    table = Table("toy_game")
    for _ in walk(table, 1):
        pass
    with pytest.raises(IllegalAction, match="may not 'look' .*: the game is over; reset it to play again"):
        table.play([1])


def damaged(saved):
    return saved[:-1] + bytes([saved[-1] ^ 1])


def with_head(saved, **changes):
    head, _, body = saved.partition(b"\n")
    return json.dumps({**json.loads(head), **changes}).encode() + b"\n" + body


FOREIGN = {
    "empty": (lambda saved: b"", "not a saved table"),
    "text": (lambda saved: b"hello\nworld", "not a saved table"),
    "not utf-8": (lambda saved: b"\xff\xfe\n" + saved, "not a saved table"),
    "a list": (lambda saved: b"[]\n", "not a saved table"),
    "nested deeply": (lambda saved: b"[" * 100_000 + b"\n", "not a saved table"),
    "head alone": (lambda saved: saved.partition(b"\n")[0], "not a saved table"),
    "other format": (lambda saved: with_head(saved, format="heist_envs table 0"), "not a saved table"),
    "flipped bit": (damaged, "damaged"),
    "cut short": (lambda saved: saved[:-8], "damaged"),
    "too long": (lambda saved: saved + b"\0", "damaged"),
    "other game": (lambda saved: with_head(saved, game="chess"), "game 'chess', this one 'toy_game'"),
    "other version": (lambda saved: with_head(saved, version=7), "version 7, this one 0"),
    "other size": (lambda saved: with_head(saved, games=5), "games 5, this one 4"),
    "other layout": (
        lambda saved: with_head(saved[:-8], sha256=hashlib.sha256(saved[:-8].partition(b"\n")[2]).hexdigest()),
        "damaged",
    ),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_restore_refuses_what_save_did_not_make(table, case):
    change, sentence = FOREIGN[case]
    saved = table.save()
    table.play((table.mask != 0).argmax(1))
    before = table.save()
    with pytest.raises(HeistError, match=sentence):
        table.restore(change(saved))
    assert table.save() == before


def test_restore_refuses_other_options(table):
    other = Table("toy_game", 4, num_players=3, all_pay=True)
    with pytest.raises(HeistError, match="options"):
        other.restore(table.save())


def test_save_keeps_the_rewards_of_the_last_step():
    table = Table("toy_game", num_players=3, reward="margin")
    for _ in walk(table, 3):
        pass
    for twin in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert (twin.rewards == table.rewards).all() and table.rewards.any()
        assert twin.terminated[0] == 1 and twin.over[0] == 1


def test_events_are_those_of_the_last_call():
    table = Table("toy_game", recording=True)
    table.reset(1)
    assert [event["event"] for event in table.events()] == ["setup"]
    table.play([table.game.actions.parse("pass")])
    assert [event["event"] for event in table.events()] == ["look"]


@each_game
def test_tables_take_games_or_names(name):
    table = Table(name, 2)
    assert Table(table.game, 2).words.shape == table.words.shape


def test_every_game_has_its_own_kernels():
    kernels = [Table(name).kernels for name in GAMES]
    assert len({id(k) for k in kernels}) == len(GAMES)
    assert Table(GAMES[0]).kernels is kernels[0]
