"""RULES.md 5: treasures in a hide-out, how they come to be protected, and coins."""

from heist_envs.engine.compile import rule

from .cards import colour_of, kind_of, symbol_of
from .events import tell_protect
from .pieces import SET_SIZE


@rule
def hide_card(state, seat, card):
    """5.1 Face up in the hide-out, unprotected."""
    colour = colour_of(card)
    state.open_cards[seat, colour, state.open_count[seat, colour]] = card
    state.open_count[seat, colour] += 1


@rule
def protect(state, seat, colour, from_sheriff, tape):
    """5.2, 5.3 As soon as a full set of a colour lies there it is safe for good; completed with a card of the sheriff it
    brings a coin."""
    count = SET_SIZE[state.seats]
    if state.open_count[seat, colour] < count:
        return
    coins = pay_coin(state, seat) if from_sheriff else 0
    tell_protect(state, tape, seat, colour, count, coins)
    for i in range(count):
        state.safe[seat, kind_of(state.open_cards[seat, colour, i])] += 1
        state.open_cards[seat, colour, i] = 0
    state.open_count[seat, colour] = 0


@rule
def pay_coin(state, seat):
    """1.2, 5.3 A coin of three, while there are any; returns how many were paid."""
    if state.stock == 0:
        return 0
    state.stock -= 1
    state.coins[seat] += 1
    return 1


@rule
def open_card(table, seat, kind):
    """4.3 The open card of a kind that a text means: the one with the lowest symbol; 0 = none."""
    best = 0
    colour = kind // 9
    for i in range(table.open_count[seat, colour]):
        card = int(table.open_cards[seat, colour, i])
        if kind_of(card) == kind and (best == 0 or symbol_of(card) < symbol_of(best)):
            best = card
    return best


@rule
def take_out(state, seat, card):
    """4.6 The card leaves the hide-out; the others stay in their order."""
    colour = colour_of(card)
    count = state.open_count[seat, colour]
    at = 0
    while state.open_cards[seat, colour, at] != card:
        at += 1
    for i in range(at, count - 1):
        state.open_cards[seat, colour, i] = state.open_cards[seat, colour, i + 1]
    state.open_cards[seat, colour, count - 1] = 0
    state.open_count[seat, colour] -= 1


@rule
def can_be_robbed(table, seat):
    """4.3 Something lies open there and Marian is elsewhere."""
    if table.marian == seat + 1:
        return False
    return table.open_count[seat, 0] + table.open_count[seat, 1] + table.open_count[seat, 2] > 0
