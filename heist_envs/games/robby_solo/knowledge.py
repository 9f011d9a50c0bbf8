"""Dealing anew what a seat of robby_solo does not know."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule

from .deck import place_in_ring
from .pieces import BANKS


@rule
def redeal(state, seat):
    """6.2 Shuffle the deck, redraw the others' robbery cards as far as the declaration leaves them open, and the part of
    Robby Junior's pack that nobody has seen."""
    shuffle_deck(state)
    for other in range(state.seats):
        if other != seat and state.choice[other]:
            state.choice[other] = random_choice(state, other)
    if state.option_robby_junior:
        shuffle_unseen_pack(state)


@rule
def shuffle_deck(state):
    """6.2 The order of the deck is never known."""
    for i in range(state.deck_size - 1, 0, -1):
        a, b = place_in_ring(state, i), place_in_ring(state, random_below(state, i + 1))
        kind = state.deck[a]
        state.deck[a] = state.deck[b]
        state.deck[b] = kind


@rule
def random_choice(state, other):
    """6.2 A bank that this seat may have chosen; the Gentleman's declaration is true (3.5)."""
    if other == state.gentleman and state.declared:
        if state.declared_robs:
            return state.declared
        bank = 1 + random_below(state, state.banks - 1)
        return bank if bank < state.declared else bank + 1
    return 1 + random_below(state, state.banks)


@rule
def shuffle_unseen_pack(state):
    """4.1 The cards Robby Junior has played are known, the others may lie in any order."""
    first = 0
    while first < BANKS and state.junior_known[first]:
        first += 1
    shuffle(state, state.junior_pack[first:], state.banks - first)
