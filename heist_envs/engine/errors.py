"""The errors a user can cause. Each message is one sentence: what was wrong, what is allowed, how to mend it."""

from difflib import get_close_matches


class HeistError(ValueError):
    """Something outside the library was wrong: a name, an option, a file, an action."""


class IllegalAction(HeistError):
    """A seat tried an action that the rules do not allow now; the game has not moved."""


def unknown(kind, given, allowed):
    """A `HeistError` for a name that is not among `allowed` (strings), with the closest one suggested."""
    names = [str(name) for name in allowed]
    close = get_close_matches(str(given), names, n=1, cutoff=0.4)
    hint = f" - did you mean {close[0]!r}?" if close else "."
    return HeistError(f"unknown {kind} {given!r}{hint} Allowed: {', '.join(names)}.")
