"""What the referees of all games share: how to read a replay line and to point out its first foul.

A referee, tests/games/<game>/referee.py, is a second implementation of one game's rules.
Neither it nor this module imports the package under test or anything else but the
standard library.  Nothing here knows a rule; what it checks itself is the same for every
game: the shape of the line, whose decision each action is and which texts were legal, the
name and the keys of each event, and that nothing follows the end.
"""

import json
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, NoReturn

LINE_KEYS = ("format", "game", "version", "options", "seed", "actions", "events")
FORMAT = 1


class Foul(ValueError):
    """The first point where a recorded game disagrees with the rules."""


def same(expected: Any, found: Any) -> bool:
    """Equality of JSON values that, unlike ==, tells 1 from True and from 1.0.

    >>> same([1, [0]], [1, [0]]), same(1, True), same([0], [0.0]), same([0], [0, 0])
    (True, False, False, False)
    """
    if type(expected) is not type(found):
        return False
    if isinstance(expected, list):
        return len(expected) == len(found) and all(map(same, expected, found))
    return expected == found


class Allowed(NamedTuple):
    """The values that an option may have."""

    description: str
    is_met: Callable[[Any], bool]


def one_of(*values: Any) -> Allowed:
    return Allowed(f"one of {values}", lambda found: any(same(value, found) for value in values))


def at_least(least: int) -> Allowed:
    return Allowed(f"an integer from {least} on", lambda found: type(found) is int and found >= least)


class RefereeBase(ABC):
    """Replays one line; a game's referee adds the methods that follow the course of the game.

    A choice is asked for with a mapping from every legal action text to its meaning, so
    that no text ever has to be parsed.  The table is changed first, then the event that
    reports the change is expected.
    """

    game: ClassVar[str]
    version: ClassVar[int] = 0
    allowed_options: ClassVar[Mapping[str, Allowed]]

    def __init__(self, line: Any) -> None:
        self._check_header(line)
        self.options: dict[str, Any] = line["options"]
        self.actions: list[Any] = line["actions"]
        self.events: list[Any] = line["events"]
        self.actions_done = 0
        self.events_done = 0

    @abstractmethod
    def check(self) -> None:
        """Replay the game from the set-up to the last event; `Foul` where it is wrong."""

    @abstractmethod
    def _check_invariants(self) -> None:
        """Assert what guards the referee, not the line: everything moved as its rules say."""

    # -------------------------------------------------------------------------- the header

    def _check_header(self, line: Any) -> None:
        """Everything in the line but the game itself; also the shape of each action."""
        if not isinstance(line, dict) or line.keys() != set(LINE_KEYS):
            raise Foul(f"line: expected an object with the keys {LINE_KEYS}, found {line!r:.200}")
        for key, expected in (("format", FORMAT), ("game", self.game), ("version", self.version)):
            if not same(expected, line[key]):
                raise Foul(f"line: expected {key} to be {expected!r}, found {line[key]!r}")
        if type(line["seed"]) is not int:
            raise Foul(f"line: expected seed to be an integer, found {line['seed']!r}")
        self._check_options(line["options"])
        for key in ("actions", "events"):
            if not isinstance(line[key], list):
                raise Foul(f"line: expected {key} to be a list, found {line[key]!r:.200}")
        for index, entry in enumerate(line["actions"]):
            if not isinstance(entry, list) or len(entry) not in (2, 3) or type(entry[1]) is not str:
                raise Foul(f"action {index}: expected [seat, text(, legal texts)], found {entry!r}")

    def _check_options(self, options: Any) -> None:
        """Each option on its own; a game adds which of them exclude each other."""
        if not isinstance(options, dict) or options.keys() != self.allowed_options.keys():
            raise Foul(f"line: expected the options {list(self.allowed_options)}, found {options!r}")
        for option, allowed in self.allowed_options.items():
            if not allowed.is_met(options[option]):
                raise Foul(f"line: expected {option} to be {allowed.description}, found {options[option]!r}")

    # ------------------------------------------------------------------------- the actions

    def _ask(self, seat: int, choices: Mapping[str, Any]) -> Any:
        """The meaning of the next recorded action, which has to be one of `choices`."""
        where = f"action {self.actions_done}"
        if self.actions_done == len(self.actions):
            raise Foul(f"{where}: expected a decision of seat {seat}, found no more actions")
        entry = self.actions[self.actions_done]
        # Recorded with or without legal texts, but the same way throughout.
        length = len(self.actions[0])
        if len(entry) != length:
            raise Foul(f"{where}: expected {length} elements as in action 0, found {len(entry)}")
        if not same(seat, entry[0]):
            raise Foul(f"{where}: expected a decision of seat {seat}, found {entry!r}")
        if length == 3:
            check_legal_texts(where, choices, entry[2])
        text = entry[1]
        if text not in choices:
            raise Foul(f"{where}: expected one of {sorted(choices)}, found {text!r}")
        self.actions_done += 1
        return choices[text]

    # -------------------------------------------------------------------------- the events

    def _next_event(self, name: str, fields: Iterable[str]) -> dict[str, Any]:
        """The next event, which has to be a `name` with exactly these `fields` in this order."""
        where = f"event {self.events_done}"
        if self.events_done == len(self.events):
            raise Foul(f"{where}: expected {name!r}, found the end of the log")
        event = self.events[self.events_done]
        if not isinstance(event, dict) or not same(name, event.get("event")):
            raise Foul(f"{where}: expected {name!r}, found {event!r}")
        keys = ["event", *fields]
        if list(event) != keys:
            raise Foul(f"{where} ({name}): expected the keys {keys}, found {list(event)}")
        self.events_done += 1
        return event

    def _expect(self, name: str, **fields: Any) -> None:
        """Compare the next event with the one that the rules demand."""
        self._check_invariants()
        self._compare(self._next_event(name, fields), **fields)

    def _expect_end(self, **fields: Any) -> None:
        """Compare the last event; neither an event nor an action may be left after it."""
        self._expect("end", **fields)
        if self.events_done < len(self.events):
            raise Foul(f"event {self.events_done}: expected nothing after the end, found {self.events[self.events_done]!r}")
        if self.actions_done < len(self.actions):
            action = self.actions[self.actions_done]
            raise Foul(f"action {self.actions_done}: expected none, as the game is over, found {action!r}")

    def _compare(self, event: dict[str, Any], **fields: Any) -> None:
        """Compare `fields` of the event taken last."""
        for key, expected in fields.items():
            if not same(expected, event[key]):
                self._foul_event(key, expected, event[key])

    def _seat_in(self, event: dict[str, Any], key: str, seats: int) -> int:
        """The seat, an outcome of chance, in a field of the event taken last."""
        seat = event[key]
        if type(seat) is not int or seat not in range(seats):
            self._foul_event(key, f"a seat below {seats}", seat)
        return seat

    def _foul_event(self, key: str, expected: Any, found: Any) -> NoReturn:
        """Report a field of the event taken last."""
        index = self.events_done - 1
        name = self.events[index]["event"]
        raise Foul(f"event {index} ({name}): expected {key} to be {expected}, found {found!r}")


def check_legal_texts(where: str, choices: Mapping[str, Any], listed: Any) -> None:
    """The recorded legal texts: the same set as `choices`, each one once."""
    if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
        raise Foul(f"{where}: expected a list of legal texts, found {listed!r}")
    texts = set(listed)
    if texts != choices.keys():
        missing, wrong = sorted(choices.keys() - texts), sorted(texts - choices.keys())
        raise Foul(f"{where}: expected other legal texts, found {missing} missing, {wrong} wrong")
    if len(texts) != len(listed):
        twice = sorted(text for text, copies in Counter(listed).items() if copies > 1)
        raise Foul(f"{where}: expected each legal text once, found {twice} repeated")


def main(referee: Callable[[Any], None]) -> NoReturn:
    """Check the file that the command line names with a game's `referee`, and exit."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.games.GAME.referee FILE.jsonl")
    sys.exit(check_file(sys.argv[1], referee))


def check_file(path: str, referee: Callable[[Any], None]) -> int:
    """The exit status: 0 if all lines of the file agree, 1 at the first foul."""
    games = 0
    with Path(path).open(encoding="utf-8") as file:
        for number, text in enumerate(file, start=1):
            try:
                referee(json.loads(text))
            except (Foul, json.JSONDecodeError) as error:
                print(f"{path}:{number}: {error}")
                return 1
            games += 1
    print(f"{games} games agree")
    return 0
