"""Errors are sentences: what was wrong, what is allowed, what was probably meant."""

import pytest

import heist_envs
from heist_envs.engine.errors import HeistError, IllegalAction, unknown


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("grene", "unknown colour 'grene' - did you mean 'green'? Allowed: red, green."),
        ("xyz", "unknown colour 'xyz'. Allowed: red, green."),
        (None, "unknown colour None. Allowed: red, green."),
        ("", "unknown colour ''. Allowed: red, green."),
    ],
)
def test_unknown_names(given, sentence):
    assert str(unknown("colour", given, ("red", "green"))) == sentence


def test_one_base_for_all_errors_of_a_user():
    assert heist_envs.HeistError is HeistError and issubclass(HeistError, ValueError)
    assert heist_envs.IllegalAction is IllegalAction and issubclass(IllegalAction, HeistError)
