"""A complete game outside the package, for tests only: it proves that a game is one folder."""

from pathlib import Path

from heist_envs.engine.about import read_about
from heist_envs.engine.game import Game

from . import rules, state


def draw(seen, seat, events):
    """The table in one line."""
    who = "all" if seat is None else f"player_{seat}"
    return f"toy game for {who}: coins {seen.coins[: seen.seats]}, points {seen.points[: seen.seats]}, {len(events)} events"


GAME = Game(
    about=read_about(Path(__file__).parent),
    options=state.OPTIONS,
    state=state.STATE,
    actions=state.ACTIONS,
    observation=state.OBSERVATION,
    events=state.EVENTS,
    phases=tuple(phase.name.lower() for phase in state.Phase),
    setup=rules.setup,
    legal=rules.legal,
    play=rules.play,
    observe=rules.observe,
    redeal=rules.redeal,
    broken=rules.broken,
    invariants=rules.INVARIANTS,
    draw=draw,
    bots={"greedy": rules.greedy},
)
