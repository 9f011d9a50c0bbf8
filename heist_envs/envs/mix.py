"""Opponent mixes: who plays against the learner, by shares of games."""

import math

from ..engine.errors import HeistError, unknown
from ..policies.agents import RUN, SUBMISSION, agent_names, is_agent_name

LATEST, SELF, POOL = "latest", "self", "pool"  # `self` is another word for `latest`
EXAMPLE = "a mix reads NAME:WEIGHT,NAME:WEIGHT, for example latest:0.8,robby_junior:0.2"


def opponent_mix(given, game):
    """The weights {name: share} of a mix such as `"latest:0.8,robby_junior:0.2"` (or a mapping), adding up to 1.

    `latest` (or `self`) is the learner itself, `pool` the league's past selves, the others are agents of the `Game`: bots,
    `baseline`, `run:PATH`, `submission:PATH`. Raises `HeistError` for anything else; whether files can be loaded is not
    looked at.
    """
    pairs = given.items() if hasattr(given, "items") else [_name_and_weight(part) for part in str(given).split(",")]
    mix = {}
    for name, weight in pairs:
        name = LATEST if name == SELF else name
        if name not in (LATEST, POOL) and not is_agent_name(name, game):
            raise unknown(f"opponent for {game.name}", name, [LATEST, POOL, *agent_names(game)])
        if name in mix:
            raise HeistError(f"opponent {name!r} is named twice; {EXAMPLE}.")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < math.inf:
            raise HeistError(f"the weight of opponent {name!r} is a number from 0 on, not {weight!r}.")
        mix[name] = float(weight)
    total = sum(mix.values())
    if not 0 < total < math.inf:
        raise HeistError(f"the opponents {given!r} have no weight at all; {EXAMPLE}.")
    return {name: weight / total for name, weight in mix.items() if weight}


def _name_and_weight(text):
    text = text.strip()
    name, colon, weight = text.rpartition(":")
    if not colon or name + colon in (RUN, SUBMISSION):
        return text, 1.0
    try:
        return name.strip(), float(weight)
    except ValueError:
        if text.startswith((RUN, SUBMISSION)):  # a path without a weight, which may hold a colon
            return text, 1.0
        raise HeistError(f"the weight in opponent {text!r} is not a number; {EXAMPLE}.") from None
