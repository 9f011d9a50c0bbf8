"""Options: what is allowed is taken, everything else is refused with a sentence that says what is."""

import numpy as np
import pytest

from heist_envs.engine.errors import HeistError
from heist_envs.engine.options import Option, OptionSpec, switch

SPEC = OptionSpec(
    (2, 5),
    4,
    switch("fast", False, "go fast"),
    Option("rounds", 10, range(1, 101), "how many"),
    check=lambda values: "fast games have at most 50 rounds." if values["fast"] and values["rounds"] > 50 else None,
)
DEFAULTS = {"num_players": 4, "perfect_recall": True, "fast": False, "rounds": 10, "reward": "win"}


def test_every_option_gets_a_value_in_declared_order():
    assert SPEC.resolve({}) == DEFAULTS
    assert list(SPEC.resolve({"fast": True})) == list(DEFAULTS)
    assert SPEC.resolve({"rounds": 100, "reward": "margin"}) == {**DEFAULTS, "rounds": 100, "reward": "margin"}


@pytest.mark.parametrize(
    ("name", "given", "value"), [("num_players", np.int64(3), 3), ("fast", 1, True), ("fast", np.int8(0), False)]
)
def test_integers_of_other_kinds_are_taken_and_made_plain(name, given, value):
    resolved = SPEC.resolve({name: given})[name]
    assert resolved == value and type(resolved) is type(value)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("num_players", 6, "2 to 5"),
        ("num_players", 1, "2 to 5"),
        ("num_players", "3", "2 to 5"),
        ("num_players", 3.0, "2 to 5"),
        ("num_players", None, "2 to 5"),
        ("num_players", [3], "2 to 5"),
        ("fast", "yes", "False, True"),
        ("fast", 2, "False, True"),
        ("fast", None, "False, True"),
        ("reward", "score", "win, margin"),
        ("reward", 0, "win, margin"),
        ("rounds", 10**30, "1 to 100"),
    ],
)
def test_other_values_are_refused(name, value, allowed):
    with pytest.raises(HeistError, match=rf"option {name} may not be .*; allowed: {allowed}\."):
        SPEC.resolve({name: value})


def test_unknown_names_are_refused_with_the_closest():
    with pytest.raises(HeistError, match="unknown option 'num_player' - did you mean 'num_players'\\? Allowed: num_players"):
        SPEC.resolve({"num_player": 3})


def test_a_game_may_refuse_combinations():
    assert SPEC.resolve({"fast": True, "rounds": 50})["fast"]
    with pytest.raises(HeistError, match="at most 50 rounds"):
        SPEC.resolve({"fast": True, "rounds": 51})


def test_values_are_read_from_texts():
    assert SPEC.read(["fast=TRUE", "rounds= 7 ", "reward=margin"]) == {"fast": True, "rounds": 7, "reward": "margin"}


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ("fast", "should read KEY=VALUE"),
        ("speed=1", "unknown option 'speed'"),
        ("fast=1", "may not be '1'; allowed: False, True"),
        ("rounds=0", "allowed: 1 to 100"),
        ("rounds=", "allowed: 1 to 100"),
    ],
)
def test_texts_that_do_not_fit_are_refused(pair, sentence):
    with pytest.raises(HeistError, match=sentence):
        SPEC.read([pair])


def test_rules_see_integers():
    by_name = SPEC.by_name
    assert [by_name["fast"].code(value) for value in (False, True)] == [0, 1]
    assert by_name["rounds"].code(42) == 42
    assert [by_name["reward"].code(value) for value in ("win", "margin")] == [0, 1]
