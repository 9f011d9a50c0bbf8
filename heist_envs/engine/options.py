"""A game's options, declared once: names, defaults, what is allowed, and the integer the rules see."""

from collections.abc import Callable
from dataclasses import dataclass

from .errors import HeistError, unknown

REWARDS = ("win", "margin")


@dataclass(frozen=True)
class Option:
    """One option: `allowed` is a tuple of values, or a range of integers; rules read its code in `state.option_<name>`."""

    name: str
    default: object
    allowed: tuple | range
    doc: str
    otherwise: Callable | None = None  # otherwise(values): what a default of None stands for

    def check(self, value):
        """The allowed value equal to `value`, or a `HeistError` that says what is allowed."""
        if value is None and self.otherwise:
            return None
        for allowed in self.allowed:
            same_kind = isinstance(value, type(allowed)) and isinstance(value, bool) == isinstance(allowed, bool)
            if value == allowed and (same_kind or hasattr(value, "__index__")):
                return allowed
        raise HeistError(f"option {self.name} may not be {value!r}; allowed: {self.allowed_text()}.")

    def read(self, text):
        """The value written as `text` on a command line or in a file name."""
        for allowed in (*self.allowed, *([None] if self.otherwise else ())):
            if str(allowed).lower() == text.strip().lower():
                return allowed
        raise HeistError(f"option {self.name} may not be {text!r}; allowed: {self.allowed_text()}.")

    def code(self, value):
        """The integer that stands for `value` in the state: itself, 0/1, or its place among the allowed."""
        return int(value) if isinstance(value, (bool, int)) else self.allowed.index(value)

    def allowed_text(self):
        """What is allowed, as a person would write it."""
        if isinstance(self.allowed, range):
            return f"{self.allowed[0]} to {self.allowed[-1]}"
        return ", ".join(str(value) for value in self.allowed)


def switch(name, default, doc):
    """An option that is on or off."""
    return Option(name, default, (False, True), doc)


class OptionSpec:
    """All options of a game: `num_players`, its own ones in order, and those every game has."""

    def __init__(self, seats, default_seats, *own, rewards=REWARDS, check=None):
        """`check(values)`, if given, returns the sentence against a combination of values, or None."""
        self._check = check
        self.options = (
            Option("num_players", default_seats, range(seats[0], seats[1] + 1), "players at the table"),
            switch("perfect_recall", True, "observe all that a player with perfect memory would know"),
            *own,
            Option("reward", "win", rewards, "what the end of a game pays, see engine/rewards.py"),
        )
        self.by_name = {option.name: option for option in self.options}

    def resolve(self, given):
        """Every option with its value; a `HeistError` for unknown names and values."""
        for name in given:
            if name not in self.by_name:
                raise unknown("option", name, self.by_name)
        values = {o.name: o.check(given[o.name]) if o.name in given else o.default for o in self.options}
        values |= {o.name: o.otherwise(values) for o in self.options if o.otherwise and values[o.name] is None}
        objection = self._check and self._check(values)
        if objection:
            raise HeistError(objection)
        return values

    def read(self, pairs):
        """Options from `KEY=VALUE` texts."""
        values = {}
        for pair in pairs:
            name, equals, text = pair.partition("=")
            if not equals:
                raise HeistError(f"option {pair!r} should read KEY=VALUE, for example perfect_recall=False.")
            if name not in self.by_name:
                raise unknown("option", name, self.by_name)
            values[name] = self.by_name[name].read(text)
        return values
