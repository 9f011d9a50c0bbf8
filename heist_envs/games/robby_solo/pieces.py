"""The pieces of robby_solo: the one place to change when the box says otherwise (RULES.md 1)."""

from enum import IntEnum

import numpy as np

SEATS = 6  # most players
LOOTERS = SEATS + 1  # 4.2 piles: the seats', and Robby Junior's in the row after the last seat
BANKS = 7  # 1.1 most banks; in play: one more than there are players, Robby Junior counted
FULL = 4  # 3.8 cards at a bank that bring the police

# 1.2 Loot: kinds 1..9 are thousands of dollars, OBJECT is worth what 1.3 says; 0 is no card, or an unknown one.
OBJECT = 10
KINDS = 11
LOOT_NAMES = tuple(map(str, range(1, OBJECT))) + ("object",)
COPIES = np.array([0, *[6] * 9, 7], np.int8)  # INFERRED: the only even split of 61 cards with seven objects
DECK = np.repeat(np.arange(KINDS, dtype=np.int8), COPIES)
DECK_SIZE = len(DECK)
OBJECT_WORTH = np.array([0, 1, 10, 20, 40, 60, 80, 100], np.int32)  # 1.3 thousands, by number of objects


class Phase(IntEnum):
    """Which decision is asked."""

    SUPPLY = 0
    PLACE = 1
    GENTLEMAN = 2
    DECLARE = 3
    CONFIRM = 4
