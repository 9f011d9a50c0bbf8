"""The loot deck: a ring, because cards leave on top and come back at the bottom."""

from heist_envs.engine.compile import rule

from .pieces import DECK_SIZE


@rule
def place_in_ring(state, steps):
    """Where in the ring the card lies that is `steps` below the top."""
    at = state.deck_top + steps
    return at - DECK_SIZE if at >= DECK_SIZE else at


@rule
def next_card(state):
    """3.2 Take the top card."""
    kind = state.deck[state.deck_top]
    state.deck_top = place_in_ring(state, 1)
    state.deck_size -= 1
    return kind


@rule
def put_at_bottom(state, kind):
    """3.8 Put a card under the deck."""
    state.deck[place_in_ring(state, state.deck_size)] = kind
    state.deck_size += 1
