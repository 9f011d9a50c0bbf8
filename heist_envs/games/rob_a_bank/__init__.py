"""rob_a_bank: the game as one value. Rules in words: RULES.md; layout and tables: README.md."""

from pathlib import Path

from heist_envs.engine.about import read_about
from heist_envs.engine.game import Game

from . import bots, drawing, knowledge, pieces, rules
from .actions import ACTIONS
from .events import EVENTS
from .observation import OBSERVATION, observe
from .state import OPTIONS, STATE


def agents(players):
    """The bank, then the robbers; with two players one robber agent runs both pawns."""
    return ("bank_0", *(f"robber_{k}" for k in range(players - 1)))


GAME = Game(
    about=read_about(Path(__file__).parent),
    options=OPTIONS,
    state=STATE,
    actions=ACTIONS,
    observation=OBSERVATION,
    events=EVENTS,
    phases=tuple(phase.name.lower() for phase in pieces.Phase),
    setup=rules.setup,
    legal=rules.legal,
    play=rules.play,
    observe=observe,
    redeal=knowledge.redeal,
    broken=rules.broken,
    invariants=rules.INVARIANTS,
    draw=drawing.draw,
    bots=bots.BOTS,
    agents=agents,
    margin=rules.margin,
)
