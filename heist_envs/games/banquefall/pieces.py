"""The pieces of banquefall and their counts: the one place to change when the box says otherwise (RULES.md 1)."""

from enum import IntEnum

import numpy as np


class Card(IntEnum):
    """1.1 The kinds of card; 0 is no card, or one the looking seat does not know."""

    UNKNOWN = 0
    TWO = 1
    THREE = 2
    FOUR = 3
    FIVE = 4
    TEN = 5
    X = 6
    SEDUCTRESS = 7
    POLICEMAN = 8
    DETECTIVE = 9
    THIEF = 10


CARD_NAMES = ("2", "3", "4", "5", "10", "X", "seductress", "policeman", "detective", "thief")
CARDS = len(Card)  # arrays by kind have an unused entry 0
COPIES = np.array([0, 4, 4, 4, 11, 2, 4, 4, 4, 4, 4], np.int32)
WORTH = np.array([0, 2, 3, 4, 5, 10, 0, 0, 0, 0, 0], np.int32)
DECK = np.repeat(np.arange(CARDS, dtype=np.int32), COPIES)
DECK_SIZE = len(DECK)


class Tile(IntEnum):
    """1.2 The kinds of tile."""

    PLACE = 0
    SPY = 1
    REVEAL = 2
    ROB = 3


TILE_NAMES = ("place", "spy", "reveal", "rob")
TILES = len(Tile)
TILE_COPIES = np.array([4, 1, 1, 1], np.int32)


class Phase(IntEnum):
    """Which decision is asked: the four tiles in their order, then bids."""

    PLACE = 0
    SPY = 1
    REVEAL = 2
    ROB = 3
    BID = 4


class Result(IntEnum):
    """How a robbery ended; NONE before the first."""

    NONE = 0
    SHARED = 1
    POLICE = 2
    THIEF = 3


RESULT_NAMES = ("none", "shared", "police", "thief")

SEATS = 5  # most players
BANKS = 5
HAND = 5  # cards in hand while the pile lasts
FUNDS = 10  # 1.3 coins at the start, and the least after a robbery
CREDIT = 10  # coins that a red coin brings, and costs in the end
POLICE_REWARD = 5
MIN_FACE_DOWN = 2  # face-down cards a bank needs for one of them to be revealed
BANK_CAPACITY = 20  # 7.1
MAX_BID = 111  # 7.2 all the money of the deck

# 6.1 How a face-down card looks to a seat: its kind if known, else where it came from.
DEALT = CARDS - 1
CLASS_NAMES = (*CARD_NAMES, "dealt", "+1", "+2", "+3", "+4")
CLASSES = len(CLASS_NAMES)
