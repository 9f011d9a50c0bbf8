"""Declare a game's state once: name, type, shape, who may see it, what it means.

The engine turns the declaration into one numpy record per game and into bit masks, one per seat, that blank all a seat
may not see. `legal`, `observe` and the bots get only that blanked copy, so a leak is impossible by construction.
"""

from dataclasses import dataclass

import numpy as np

PUBLIC, OWNER, TEAM, HIDDEN = "public", "owner", "team", "hidden"
TYPES = (np.int32, np.int8, np.uint64)  # int8 for many small numbers, uint64 for dice only


@dataclass(frozen=True)
class Field:
    """One named part of the state; see `field`."""

    name: str
    doc: str
    shape: tuple
    sight: str
    type: type
    recall: bool
    known: str


def field(name, doc, shape=(), sight=PUBLIC, type=np.int32, recall=False, known=""):
    """Declare a part of the state.

    `sight`: PUBLIC, OWNER (first axis = seat, each sees its own row), TEAM (also the rows of
    seats of the same `side`) or HIDDEN. `recall`: everybody sees it when the
    option `perfect_recall` is on, because it follows from public history. `known` names a public field of the same
    shape whose bit s says that seat s knows the element; both are int8. Plain Python keeps int8 where compiled code
    widens, so rules put `int(...)` around an int8 before arithmetic that may leave -128..127.
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if hasattr(np.recarray, name) or hasattr(np.record, name):
        raise ValueError(f"state field {name!r} hides an attribute of numpy records; choose another name")
    if type not in TYPES:
        raise ValueError(f"state field {name!r} must be int32, or int8 to be small: flags are integers 0 and 1")
    if known and type is not np.int8:
        raise ValueError(f"state field {name!r} has knowers, so it must be int8 like them")
    return Field(name, doc, shape, sight, type, recall, known)


def header(seats):
    """The fields every game has; rules set `phase`, `to_act`, `lead`, `over`, `truncated`, `rank` and `score`."""
    return (
        field("seed", "seed this game was dealt from", (), HIDDEN, np.uint64),
        field("dice", "random stream of this game", (), HIDDEN, np.uint64),
        field("seats", "players in this game"),
        field("side", "seats of one side win and lose together; every seat has its own unless the rules join some", seats),
        field("decisions", "decisions made so far", (), HIDDEN),
        field("phase", "which decision is asked now"),
        field("to_act", "1 for each seat that owes a decision now", seats, OWNER),
        field("lead", "of several owing seats the one that is asked first"),
        field("over", "1 when the game has ended"),
        field("truncated", "1 when a limit, not the rules, ended it"),
        field("rank", "final place, 1 = winner, 0 while playing", seats),
        field("score", "final score", seats),
        field("bonus", "what the last decision pays beside the end, in thousandths", seats),
        field("outside_winners", "contenders without an agent that share the first place"),
        field("outside_losers", "contenders without an agent that do not"),
    )


class StateSpec:
    """The record of one game. `dtype` numpy record; `sight` (2, seats, words) int32 masks of what each seat may see,
    without and with perfect recall; `known` (k, 3) int64 rows (first byte, first byte of its knowers, bytes);
    `team` (k, 2) rows (first byte, bytes a seat) of the fields that a side shares."""

    def __init__(self, seats, options, *fields):
        own = [field(f"option_{o.name}", o.doc) for o in options.options if o.name != "num_players"]
        self.max_seats = seats
        self.fields = (*header(seats), *own, *fields)
        self.dtype = np.dtype((np.record, np.dtype([(f.name, f.type, f.shape) for f in self.fields], align=True)))
        self.words = self.dtype.itemsize // 8
        bytes_seen = np.zeros((2, seats, self.dtype.itemsize), np.uint8)
        known, team = [], []
        for f in self.fields:
            first, count = self._bytes_of(f.name)
            for recall in (0, 1):
                for seat in range(seats):
                    bytes_seen[recall, seat, self._seen_bytes(f, seat, recall, first, count)] = 255
            if f.sight == TEAM:
                team.append((first, count // f.shape[0]))
            if f.known:
                known.append((first, self._bytes_of(f.known)[0], count))
        self.sight = bytes_seen.view(np.int32)
        self.known = np.array(known, np.int64).reshape(len(known), 3)
        self.team = np.array(team, np.int64).reshape(len(team), 2)

    def _bytes_of(self, name):
        kind, offset = self.dtype.fields[name][:2]
        return offset, kind.itemsize

    def _seen_bytes(self, f, seat, recall, first, count):
        if f.sight == PUBLIC or f.known or (f.recall and recall):
            return slice(first, first + count)
        if f.sight in (OWNER, TEAM):
            each = count // f.shape[0]  # rows beyond the seats belong to nobody
            return slice(first + seat * each, first + (seat + 1) * each)
        return slice(0, 0)

    def rows(self):
        """(name, type, sight, meaning) of every field, for the generated documentation."""
        for f in self.fields:
            sight = f"who is in `{f.known}`" if f.known else f.sight
            if f.recall:
                sight += ", all with perfect recall"
            shape = "x".join(map(str, f.shape))
            yield f.name, np.dtype(f.type).name + (f" {shape}" if shape else ""), sight, f.doc
