"""Dealing anew what a seat of rob_a_bank does not know."""

from heist_envs.engine.chance import random_below
from heist_envs.engine.compile import rule

from .pieces import DECK_SIZE, DECKS, KINDS, PLANNED


@rule
def redeal(state, seat):
    """9.1 The hands of the other side, drawn anew from what its decks have beside the planned cards."""
    for actor in range(1 + state.pawns):
        if not (state.hand_seers[actor, 0] >> seat) & 1:
            held = 0
            for kind in range(KINDS):
                held += state.hand[actor, kind]
                state.hand[actor, kind] = 0
            for _ in range(held):
                draw_another(state, actor)


@rule
def draw_another(state, actor):
    """One more hand card for this actor, any of those left in his deck with equal chance."""
    left = 0
    for kind in range(KINDS):
        left += left_of(state, actor, kind)
    at = random_below(state, left)
    kind = 0
    while at >= left_of(state, actor, kind):
        at -= left_of(state, actor, kind)
        kind += 1
    state.hand[actor, kind] += 1


@rule
def left_of(state, actor, kind):
    """Cards of a kind that are neither planned nor in this actor's hand."""
    count = 0
    for i in range(DECK_SIZE):
        count += DECKS[min(actor, 1), i] == kind
    for go in range(PLANNED):
        count -= state.plan[actor, go] == kind + 1
    return count - state.hand[actor, kind]
