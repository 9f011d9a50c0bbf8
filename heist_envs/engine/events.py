"""What happened. Rules write numbers on a tape, the declaration turns them into the JSON objects of the event log.

A rule announces an event with `emit(tape, ID)`, then one `put` per field in declared order; a list is `put_list` (its
length, then its entries), a list of lists a `put` of the length and one `put_list` each.
"""

from dataclasses import dataclass

import numpy as np

from .compile import rule

CAPACITY = 4096  # numbers that the events of one decision may take
TAPE = np.dtype((np.record, np.dtype([("recording", np.int32), ("used", np.int32), ("words", np.int32, CAPACITY)])))
NULL = -1  # what rules put where the log says null


@rule
def put(tape, number):
    """Write one number, if the tape is recording; a full tape goes on counting, so that the reader can tell."""
    if tape.recording:
        if tape.used < CAPACITY:
            tape.words[tape.used] = number
        tape.used += 1


@rule
def emit(tape, event):
    """Begin an event."""
    put(tape, event)


@rule
def put_list(tape, numbers, count):
    """Write the first `count` entries of an array as a list."""
    put(tape, count)
    for i in range(count):
        put(tape, numbers[i])


@rule
def put_winners(tape, state):
    """Write the seats of rank 1, ascending, as a list."""
    winners = 0
    for seat in range(state.seats):
        winners += state.rank[seat] == 1
    put(tape, winners)
    for seat in range(state.seats):
        if state.rank[seat] == 1:
            put(tape, seat)


@dataclass(frozen=True)
class Shape:
    """How the numbers of one field become JSON."""

    kind: str
    words: tuple = ()
    inner: "Shape | None" = None
    or_null: bool = False

    def decode(self, tape, at):
        """(value, next position) of the field that begins at `tape[at]`."""
        number = int(tape[at])
        if self.kind == "list":
            if self.or_null and number == NULL:
                return None, at + 1
            values, at = [], at + 1
            for _ in range(number):
                value, at = self.inner.decode(tape, at)
                values.append(value)
            return values, at
        if self.kind == "row":
            values = []
            for shape in self.words:
                value, at = shape.decode(tape, at)
                values.append(value)
            return values, at
        if self.kind == "number":
            return number, at + 1
        if number == NULL:
            return None, at + 1
        return (self.words[number] if self.words else number), at + 1

    def __str__(self):
        if self.kind == "list":
            return f"list of {self.inner}" + (", or null" if self.or_null else "")
        if self.kind == "row":
            return "[" + ", ".join(map(str, self.words)) + "]"
        if self.words == (False, True):
            return "true or false"
        return f"one of {' '.join(map(str, self.words))} or null" if self.words else self.kind


NUMBER = Shape("number")
MAYBE = Shape("number or null")
FLAG = Shape("word", (False, True))


def word(names):
    """A field that is one of `names` (the rules put its position), or null."""
    return Shape("word", tuple(names))


def many(inner, or_null=False):
    """A field that is a list; with `or_null` the rules may put NULL instead of its length."""
    return Shape("list", inner=inner, or_null=or_null)


def row(*shapes):
    """A field that is a list of as many different things."""
    return Shape("row", shapes)


class EventSpec:
    """All events of a game, in the order of their ids: name -> {field: Shape}."""

    def __init__(self, **events):
        self.events = events
        self.names = tuple(events)

    def id(self, name):
        """The number that rules emit for an event."""
        return self.names.index(name)

    def decode(self, tape):
        """The events on a tape, oldest first, as dicts ready for JSON."""
        used = int(tape["used"])
        if used > CAPACITY:
            raise RuntimeError(f"one decision wrote {used} numbers of events, the tape holds {CAPACITY}")
        words, at, events = tape["words"], 0, []
        while at < used:
            name = self.names[words[at]]
            event, at = {"event": name}, at + 1
            for field, shape in self.events[name].items():
                event[field], at = shape.decode(words, at)
            events.append(event)
        return events
