"""The pieces of silence: house, decks, tokens. DEFAULTS throughout, the one place to change when the box says otherwise
(RULES.md 1)."""

from enum import IntEnum

import numpy as np

SEATS = 6  # most players
SIZE = 8
CELLS = SIZE * SIZE  # cell = row * SIZE + col, row 0 north
PART = SIZE // 2

# 1.1 The four parts, from the house's outer corner to its centre: what it costs to enter a cell; 2 is corridor.
PARTS = np.array(
    [
        [[5, 4, 3, 2], [4, 3, 5, 3], [3, 5, 4, 4], [2, 3, 4, 2]],
        [[5, 3, 4, 2], [3, 4, 3, 5], [4, 3, 5, 4], [2, 4, 3, 2]],
        [[5, 4, 3, 2], [4, 2, 3, 3], [5, 3, 4, 4], [2, 3, 5, 2]],
        [[4, 5, 3, 2], [5, 3, 4, 3], [3, 4, 2, 5], [2, 4, 3, 2]],
    ],
    np.int8,
)
CORRIDOR = 2
COSTS = 3  # kinds of treasure cell, by cost from CHEAPEST on
CHEAPEST = 3

# 1.2 Where a pawn can be: at the entrance (outside), in a cell (1 + cell), or gone.
OUTSIDE, GONE = 0, CELLS + 1
NORTH_DOOR, WEST_DOOR, EAST_DOOR, SOUTH_DOOR = ((0, 3), (0, 4)), ((3, 0), (4, 0)), ((3, 7), (4, 7)), ((7, 3), (7, 4))
EXIT_COST = 1
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # north, east, south, west
DIRECTIONS = ("north", "east", "south", "west")


def _next_cells():
    """(CELLS + 1, 4) int32: where a step leads, as a place (1 + cell), 0 = nowhere. Row OUTSIDE: the two ways in."""
    table = np.zeros((CELLS + 1, len(STEPS)), np.int32)
    for cell in range(CELLS):
        for way, (down, right) in enumerate(STEPS):
            row, col = cell // SIZE + down, cell % SIZE + right
            if 0 <= row < SIZE and 0 <= col < SIZE:
                table[1 + cell, way] = 1 + row * SIZE + col
    table[OUTSIDE, 0], table[OUTSIDE, 1] = (1 + row * SIZE + col for row, col in SOUTH_DOOR)
    return table


def _way_out(doors):
    """(CELLS + 1,) int32: cells on the shortest way from a place to the nearest of these doors, the door included."""
    exits = [cell for door in doors for cell in door]
    cells = [1 + min(abs(cell // SIZE - row) + abs(cell % SIZE - col) for row, col in exits) for cell in range(CELLS)]
    at_entrance = 1 if SOUTH_DOOR in doors else 1 + min(cells[row * SIZE + col] for row, col in SOUTH_DOOR)
    return np.array([at_entrance, *cells], np.int32)


NEXT = _next_cells()
# 5.2, 4.5 By the option `entrance_is_exit`: cells to the nearest exit; where it is 1 a pawn may leave.
WAY_OUT = np.array([_way_out((NORTH_DOOR, WEST_DOOR, EAST_DOOR)), _way_out((NORTH_DOOR, WEST_DOOR, EAST_DOOR, SOUTH_DOOR))])

# 1.3 Tokens by cost of their cell: (value, copies).
TOKENS_BY_COST = (((2, 7), (3, 7), (4, 6)), ((4, 6), (5, 6), (6, 6)), ((6, 4), (8, 4), (10, 4)))
VALUES = 11  # token values are 0 (none) to 10
TOKEN_COPIES = np.zeros((COSTS, VALUES), np.int8)
for _kind, _tokens in enumerate(TOKENS_BY_COST):
    for _value, _copies in _tokens:
        TOKEN_COPIES[_kind, _value] = _copies
TREASURES = int(TOKEN_COPIES.sum())  # one for every cell that is no corridor

# 2.2 Every deck: each of 1 to 7 twice.
CARDS = 7
DECK = np.repeat(np.arange(1, CARDS + 1, dtype=np.int8), 2)
DECK_SIZE = len(DECK)
HAND = 5
THRESHOLD_PER_PLAYER = 5  # 2.3
MOST_STEPS = 3  # cells a 7 can enter, the cheapest costing 2


class Phase(IntEnum):
    """Which decision is asked."""

    CARD = 0
    WALK = 1
