"""The event tape: what rules put is what the log says, and nothing is lost in silence."""

import json

import numpy as np
import pytest

from heist_envs.engine.events import CAPACITY, FLAG, MAYBE, NULL, NUMBER, TAPE, EventSpec, emit, many, put, put_list, word

SPEC = EventSpec(
    deal={"hands": many(many(word(("ace", "king")))), "open": FLAG},
    take={"seat": NUMBER, "card": word(("ace", "king")), "from": MAYBE, "rest": many(NUMBER, or_null=True)},
)


@pytest.fixture
def tape():
    tape = np.zeros(1, TAPE)
    tape["recording"] = 1
    return tape


def write(tape, *numbers):
    for number in numbers:
        put(tape[0], number)


def test_numbers_become_json_in_the_declared_order(tape):
    emit(tape[0], SPEC.id("deal"))
    write(tape, 2, 1, 0, 2, 1, 1, 1)
    emit(tape[0], SPEC.id("take"))
    write(tape, 3, NULL, NULL)
    put_list(tape[0], np.array([5, 6, 7]), 2)
    emit(tape[0], SPEC.id("take"))
    write(tape, -1, 0, 4, NULL)
    events = SPEC.decode(tape[0])
    assert events == [
        {"event": "deal", "hands": [["ace"], ["king", "king"]], "open": True},
        {"event": "take", "seat": 3, "card": None, "from": None, "rest": [5, 6]},
        {"event": "take", "seat": -1, "card": "ace", "from": 4, "rest": None},
    ]
    assert json.loads(json.dumps(events)) == events


def test_a_tape_that_does_not_record_stays_empty(tape):
    tape["recording"] = 0
    write(tape, 1, 2, 3)
    assert tape["used"][0] == 0 and SPEC.decode(tape[0]) == []


def test_an_overfull_tape_raises(tape):
    for _ in range(CAPACITY // 2 + 1):
        put_list(tape[0], np.array([1]), 1)
    with pytest.raises(RuntimeError, match=f"wrote {CAPACITY + 2} numbers of events, the tape holds {CAPACITY}"):
        SPEC.decode(tape[0])


def test_shapes_describe_themselves():
    shapes = [str(shape) for event in SPEC.events.values() for shape in event.values()]
    assert shapes == [
        "list of list of one of ace king or null", "true or false", "number", "one of ace king or null",
        "number or null", "list of number, or null",
    ]  # fmt: skip
