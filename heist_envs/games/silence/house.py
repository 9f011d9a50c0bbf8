"""RULES.md 1, 2.1: putting the house together and laying out the tokens."""

from heist_envs.engine.chance import random_below
from heist_envs.engine.compile import rule

from .pieces import CELLS, CHEAPEST, CORRIDOR, COSTS, PART, PARTS, SIZE, TOKEN_COPIES, VALUES

UNIFORM = 1  # code of `token_mode`
FIXED = 1  # code of `layout`


@rule
def build_house(state):
    """1.1, 2.1 The parts in the four quadrants, in any order and half of them transposed, or A B C D as they are."""
    used = 0
    for quadrant in range(4):
        part, turned = quadrant, 0
        if state.option_layout != FIXED:
            part, turned = unused_part(used, random_below(state, 4 - quadrant)), random_below(state, 2)
        used |= 1 << part
        lay_part(state, quadrant, part, turned)


@rule
def unused_part(used, which):
    """The `which`-th of the parts whose bit is not set."""
    part = 0
    while (used >> part) & 1 or which > 0:
        which -= 1 - ((used >> part) & 1)
        part += 1
    return part


@rule
def lay_part(state, quadrant, part, turned):
    """1.1 Quadrants are north-west, north-east, south-west, south-east; each part's first cell is the outer corner."""
    for i in range(PART):
        for j in range(PART):
            row = SIZE - 1 - i if quadrant >= 2 else i
            col = SIZE - 1 - j if quadrant % 2 else j
            state.cost[row * SIZE + col] = PARTS[part, j, i] if turned else PARTS[part, i, j]


@rule
def lay_tokens(state):
    """1.3, 2.1 A token face down on every cell of 3, 4 and 5."""
    for kind in range(COSTS):
        for value in range(VALUES):
            state.bag[bag_of(state, kind), value] += TOKEN_COPIES[kind, value]
    for cell in range(CELLS):
        if state.cost[cell] != CORRIDOR:
            state.lying[cell] = 1
            state.token[cell] = draw_token(state, state.cost[cell] - CHEAPEST)


@rule
def bag_of(state, kind):
    """1.3 Tokens are mixed among cells of one cost; in `uniform` mode all in one bag."""
    return 0 if state.option_token_mode == UNIFORM else kind


@rule
def draw_token(state, kind):
    """A random token of the bag for a cell of this cost."""
    bag = state.bag[bag_of(state, kind)]
    left = 0
    for value in range(VALUES):
        left += bag[value]
    at = random_below(state, left)
    value = 0
    while at >= bag[value]:
        at -= bag[value]
        value += 1
    bag[value] -= 1
    return value
