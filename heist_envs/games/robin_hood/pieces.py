"""The pieces of robin_hood: the one place to change when the box says otherwise (RULES.md 1)."""

from enum import IntEnum
from itertools import combinations_with_replacement

import numpy as np

SEATS = 6  # most players
COLOURS = ("red", "blue", "yellow")  # 1.1 chests, crowns, sacks
SYMBOLS = ("bow", "hat", "staff")
VALUES = 9
COPIES = 4
KINDS = len(COLOURS) * VALUES  # a kind is a colour and a value
KIND_NAMES = tuple(f"{colour}{value}" for colour in COLOURS for value in range(1, VALUES + 1))
# A card is 1 + 3 * kind + symbol; 0 is no card, or an unknown one.
CARD_NAMES = tuple(f"{kind}-{symbol}" for kind in KIND_NAMES for symbol in SYMBOLS)
BY_COLOR, LATIN = SYMBOL_MODES = ("by_color", "latin")
SYMBOL_OF_COLOUR = np.array([1, 2, 0], np.int32)  # DEFAULT: chest = hat, crown = staff, sack = bow
DECK_SIZE = KINDS * COPIES


def latin_symbol(kind, copy):
    """1.1 The symbol of a copy in `latin` mode: three copies differ, the fourth depends on colour and value."""
    colour, value = kind // VALUES, kind % VALUES + 1
    return copy if copy < len(SYMBOLS) else (colour + value) % len(SYMBOLS)


# All cards of a deck by symbol mode.
DECKS = np.array(
    [
        [1 + 3 * kind + SYMBOL_OF_COLOUR[kind // VALUES] for kind in range(KINDS) for _ in range(COPIES)],
        [1 + 3 * kind + latin_symbol(kind, copy) for kind in range(KINDS) for copy in range(COPIES)],
    ],
    np.int8,
)

# 4.2 The ten ways three symbols can come together, and how many of each symbol they need.
TRIOS = tuple("+".join(SYMBOLS[s] for s in trio) for trio in combinations_with_replacement(range(3), 3))
TRIO_SYMBOLS = np.array([list(trio) for trio in combinations_with_replacement(range(3), 3)], np.int32)
TRIO_NEEDS = np.array([np.bincount(trio, minlength=3) for trio in TRIO_SYMBOLS], np.int32)

HAND = 9
HAND_LIMIT = HAND  # 3.4 more are discarded down to it at the end of a turn
MARKET = 3
RUN = 3
COIN = 3  # 1.2 a coin's worth; the sixes are change for two coins
COIN_STOCK = np.array([0, 0, 0, 9, 13, 13, 13], np.int32)  # by players: nine threes, with four and more two sixes too
SET_SIZE = np.array([0, 0, 0, 4, 3, 3, 3], np.int32)  # 5.2 cards of a colour that protect each other, by players
MOST_OPEN = 4  # open cards of a colour at any moment


class Phase(IntEnum):
    """Which decision is asked."""

    TURN = 0
    TARGET = 1
    COUNTER = 2
    LOSE = 3
    DISCARD = 4
