"""Actions: ids, texts and the table that rules decode them with."""

import numpy as np
import pytest

from heist_envs.engine.actions import ActionTable, Verb
from heist_envs.engine.errors import HeistError

TABLE = ActionTable(
    place=Verb("place {card} @{bank}", "lay a card", card=("2", "X"), bank=range(3)), skip=Verb("pass", "do nothing")
)


def test_ids_count_verb_by_verb_last_argument_fastest():
    assert TABLE.texts == [
        "wait", "place 2 @0", "place 2 @1", "place 2 @2", "place X @0", "place X @1", "place X @2", "pass",
    ]  # fmt: skip
    assert TABLE.first == {"wait": 0, "place": 1, "skip": 7}
    assert len(TABLE) == 8


def test_decode_gives_verb_and_positions_of_the_arguments():
    assert TABLE.decode.dtype == np.int32
    assert TABLE.decode[5].tolist() == [1, 1, 1]
    assert TABLE.decode[7].tolist() == [2, 0, 0]


@pytest.mark.parametrize("text", ["", "place 2", "place 2 @3", "Pass", " pass", "place {card} @{bank}"])
def test_unknown_texts_are_refused_with_the_forms_that_exist(text):
    with pytest.raises(HeistError, match="there is no action .*; actions read: wait; place {card} @{bank}; pass"):
        TABLE.parse(text)


def test_summary_names_legal_actions_and_shortens_long_lists():
    assert TABLE.summary(np.array([0, 1, 0, 0, 0, 0, 1, 1])) == "place 2 @0, place X @2, pass"
    assert TABLE.summary(np.ones(8), most=4) == "wait, place 2 @0, place 2 @1, ... pass (8 actions)"
    assert TABLE.legal_texts(np.zeros(8)) == []
