"""Dealing anew what a seat of robin_hood does not know."""

from heist_envs.engine.chance import shuffle
from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL

from .cards import ANY, held, lowest_symbol, value_of
from .pieces import KINDS, VALUES, Phase


@rule
def redeal(state, seat):
    """7.1, 7.2 Shuffle the pile and all cards in other hands that are not publicly known, and deal them again."""
    for i in range(state.pile):  # the pile moves to the front, so that there is room for the hands behind it
        state.deck[i] = state.deck[state.drawn + i]
    state.drawn = 0
    count = state.pile
    for other in range(state.seats):
        if other != seat:
            count = pool_unknown(state, other, count)
    shuffle(state, state.deck, count)
    for other in range(state.seats):
        if other != seat:
            for _ in range(missing(state, other)):
                count -= 1
                card = int(state.deck[count])
                state.hand[other, (card - 1) // ANY, (card - 1) % ANY] += 1


@rule
def pool_unknown(state, other, count):
    """7.2 Move a hand's unknown cards behind the pile; returns the size of both together."""
    kept = must_hold(state, other)
    for kind in range(KINDS):
        stays = max(int(state.known[other, kind]), int(kind == kept))
        for _ in range(held(state, other, kind) - stays):
            card = lowest_symbol(state, other, kind)
            state.hand[other, kind, (card - 1) % ANY] -= 1
            state.deck[count] = card
            count += 1
    return count


@rule
def must_hold(state, other):
    """4.4 Whoever is asked to counter holds a card of the value: one kind of it stays; NULL = nothing must."""
    if state.phase == Phase.COUNTER and state.victim == other + 1:
        for colour in range(3):
            kind = colour * VALUES + value_of(state.pending[0]) - 1
            if held(state, other, kind):
                return kind
    return NULL


@rule
def missing(state, other):
    """Cards that a hand lacks to its size."""
    own = 0
    for kind in range(KINDS):
        own += held(state, other, kind)
    return state.hand_size[other] - own
