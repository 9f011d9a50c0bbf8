"""Cards in hands, hide-outs and the discard pile: small rules that all others use."""

from heist_envs.engine.compile import rule

from .pieces import SYMBOLS, VALUES

ANY = len(SYMBOLS)


@rule
def kind_of(card):
    """Colour and value of a card."""
    return (card - 1) // ANY


@rule
def symbol_of(card):
    """1.1 The symbol of a card, for the trios."""
    return (card - 1) % ANY


@rule
def colour_of(card):
    """1.1 The colour of a card, for the runs."""
    return kind_of(card) // VALUES


@rule
def value_of(card):
    """1.1 What a card is worth: 1 to 9."""
    return kind_of(card) % VALUES + 1


@rule
def held(table, seat, kind):
    """Cards of a kind in a hand, whatever their symbol."""
    return int(table.hand[seat, kind, 0]) + table.hand[seat, kind, 1] + table.hand[seat, kind, 2]


@rule
def held_with_symbol(table, seat, value, symbol):
    """Cards of a value (from 0) and a symbol in a hand, whatever their colour."""
    count = 0
    for colour in range(3):
        count += table.hand[seat, colour * VALUES + value, symbol]
    return count


@rule
def held_of_value(table, seat, value):
    """Cards of a value (from 0) in a hand."""
    return held(table, seat, value) + held(table, seat, VALUES + value) + held(table, seat, 2 * VALUES + value)


@rule
def lowest_symbol(table, seat, kind):
    """The card of a kind in a hand that a text means: the one with the lowest symbol."""
    for symbol in range(ANY):
        if table.hand[seat, kind, symbol]:
            return 1 + kind * ANY + symbol
    return 0


@rule
def lowest_colour(table, seat, value, symbol):
    """The card of a value (from 0) and symbol in a hand that a text means: the one with the lowest colour."""
    for colour in range(3):
        if table.hand[seat, colour * VALUES + value, symbol]:
            return 1 + (colour * VALUES + value) * ANY + symbol
    return 0


@rule
def gain(state, seat, card, openly):
    """A card comes into a hand; openly if all have seen it (7.2)."""
    state.hand[seat, kind_of(card), symbol_of(card)] += 1
    state.hand_size[seat] += 1
    if openly:
        state.known[seat, kind_of(card)] += 1


@rule
def part_with(state, seat, card):
    """A card leaves a hand; a copy that was known to be there is known no more (7.2)."""
    state.hand[seat, kind_of(card), symbol_of(card)] -= 1
    state.hand_size[seat] -= 1
    if state.known[seat, kind_of(card)]:
        state.known[seat, kind_of(card)] -= 1


@rule
def throw_away(state, card):
    """Onto the discard pile, face up."""
    state.discard[kind_of(card), symbol_of(card)] += 1
    state.discard_top = card
