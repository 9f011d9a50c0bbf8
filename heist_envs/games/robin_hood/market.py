"""RULES.md 2, 3.5, 6: the pile, the open cards, and how they run out."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule
from heist_envs.engine.events import emit

from . import events
from .cards import ANY, gain
from .events import put_cards
from .pieces import COIN_STOCK, DECK_SIZE, DECKS, HAND, KINDS, MARKET


@rule
def deal(state):
    """1.1, 2.1 Nine cards to each hand, three open, the rest is the pile; the first seat by lot."""
    for i in range(DECK_SIZE):
        state.deck[i] = DECKS[state.option_symbol_mode, i]
    shuffle(state, state.deck, DECK_SIZE)
    state.pile = DECK_SIZE
    for seat in range(state.seats):
        for _ in range(HAND):
            gain(state, seat, draw(state), False)
    for slot in range(MARKET):
        state.market[slot] = draw(state)
    state.stock = COIN_STOCK[state.seats]
    state.turn = random_below(state, state.seats)


@rule
def draw(state):
    """The next card of a pile that has one."""
    card = state.deck[state.drawn]
    state.drawn += 1
    state.pile -= 1
    return int(card)


@rule
def refill(state, tape):
    """3.5, 6.1, 6.2 Draw for the empty slots in order; the first time the pile runs out the discard becomes the pile at
    once, the second time nothing more is drawn."""
    first = 0
    for slot in range(MARKET):
        if state.market[slot] == 0 and state.pile:
            state.market[slot] = draw(state)
            first += 1
            if state.pile == 0:
                tell_refill(state, tape, first)
                first = 0
                run_out(state, tape)
    tell_refill(state, tape, first)


@rule
def tell_refill(state, tape, count):
    """The last `count` cards drawn, if any."""
    if count:
        emit(tape, events.REFILL)
        put_cards(state, tape, state.deck, state.drawn - count, count)


@rule
def run_out(state, tape):
    """6.1, 6.2 The pile is empty."""
    state.exhaustions += 1
    if state.exhaustions == 1:
        rebuild(state)
        if state.pile:
            shuffle(state, state.deck, state.pile)
            emit(tape, events.RESHUFFLE)
            put_cards(state, tape, state.deck, 0, state.pile)
        else:
            state.exhaustions = 2


@rule
def rebuild(state):
    """6.1 All discarded cards are the new pile."""
    state.drawn = 0
    state.discard_top = 0
    for kind in range(KINDS):
        for symbol in range(ANY):
            for _ in range(state.discard[kind, symbol]):
                state.deck[state.pile] = 1 + kind * ANY + symbol
                state.pile += 1
            state.discard[kind, symbol] = 0


@rule
def market_is_empty(state):
    """6.2 No card lies open."""
    for slot in range(MARKET):
        if state.market[slot]:
            return False
    return True
