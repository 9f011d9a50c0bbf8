"""The pieces of rob_a_bank: tiles, decks, rooms and street. DEFAULTS throughout, the one place to change when the box
says otherwise (RULES.md 1)."""

from enum import IntEnum

import numpy as np

SEATS = 4
MOST_PAWNS = 3  # robbers, and guards
ACTORS = 1 + MOST_PAWNS  # 4.1 the bank, then the robbers' pawns
PAWNS = np.array([0, 0, 2, 2, 3], np.int32)  # 1.1 by number of players: robbers, and as many guards
NEED = np.array([0, 0, 4, 4, 5], np.int32)  # 8.2 bags to win

# 1.2 Rooms 0..8 row by row; sides north, east, south, west.
ROOMS = 9
SIDES = 4
SIDE_NAMES = ("N", "E", "S", "W")


def _neighbours():
    """(ROOMS, SIDES): the room behind each side, -1 = the street."""
    table = np.full((ROOMS, SIDES), -1, np.int32)
    for room in range(ROOMS):
        row, col = divmod(room, 3)
        for side, (down, right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
            if 0 <= row + down < 3 and 0 <= col + right < 3:
                table[room, side] = 3 * (row + down) + col + right
    return table


NEIGHBOUR = _neighbours()
STREET = 12  # 1.2 one space beside each outer side, clockwise from the north side of room 0
STREET_WITH_CORNERS = 16
_AROUND = [(room, 0) for room in (0, 1, 2)] + [(room, 1) for room in (2, 5, 8)]
_AROUND += [(room, 2) for room in (8, 7, 6)] + [(room, 3) for room in (6, 3, 0)]
# By the option `street_corners`: room and side each space touches, -1 = a corner, which touches none.
TOUCHES = np.full((2, STREET_WITH_CORNERS, 2), -1, np.int32)
TOUCHES[0, :STREET] = _AROUND
TOUCHES[1, [k + k // 3 for k in range(STREET)]] = _AROUND
STREET_LENGTH = np.array([STREET, STREET_WITH_CORNERS], np.int32)

# 1.2 Tiles; the last two are for 2-3 and for 4 players.
ROBBERS_TILE, ALARM_TILE = 1, 4
GUARD_TILES, BAG_TILES, WALLED_TILES = (2, 3), (5, 6, 7), (4, 5, 6, 7)
EXTRA_BAG_TILE, EXTRA_GUARD_TILE = 9, 10
COMMON_TILES = 8
BAG_TOKENS = 7  # 1.3

# 1.4, 1.5 Cards: (name, moves, crawls, what its other action may be).
PICKUP, PEPPER, UNLOCK, TACKLE, LOCK = 1, 2, 4, 8, 16
CARDS = (
    ("MOVE", 1, 0, 0),
    ("MOVE+MOVE", 2, 0, 0),
    ("MOVE+PICKUP", 1, 0, PICKUP),
    ("MOVE+PEPPER", 1, 0, PEPPER),
    ("MOVE+UNLOCK", 1, 0, UNLOCK),
    ("CRAWL", 0, 1, 0),
    ("MOVE+PEPPER|PICKUP", 1, 0, PEPPER | PICKUP),
    ("MOVE+UNLOCK|PICKUP", 1, 0, UNLOCK | PICKUP),
    ("MOVE+TACKLE", 1, 0, TACKLE),
    ("MOVE+LOCK", 1, 0, LOCK),
    ("MOVE+TACKLE|LOCK", 1, 0, TACKLE | LOCK),
    ("TACKLE|LOCK", 0, 0, TACKLE | LOCK),
)
CARD_NAMES = tuple(card[0] for card in CARDS)
KINDS = len(CARDS)
CARD_MOVES, CARD_CRAWLS, CARD_OTHER = (np.array([card[k] for card in CARDS], np.int32) for k in (1, 2, 3))
ROBBER_COPIES = (1, 3, 3, 2, 1, 1, 2, 2, 0, 0, 0, 0)
BANK_COPIES = (4, 3, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2)
DECK_SIZE = 15
# By side: the bank's deck, a robber's deck; kinds of cards.
DECKS = np.array([np.repeat(np.arange(KINDS), copies) for copies in (BANK_COPIES, ROBBER_COPIES)], np.int8)
DRAWN = 8
PLANNED = 5  # cards planned a round, go-rounds of turns
ROUNDS = 3


class Phase(IntEnum):
    """Which decision is asked."""

    PLAN = 0
    ACT = 1


class Alarm(IntEnum):
    """1.3 The alarm token: ready or locked on its tile, or beside the street after it has rung."""

    READY = 0
    LOCKED = 1
    RUNG = 2


BANK, ROBBER = 0, 1  # sides
