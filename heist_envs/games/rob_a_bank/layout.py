"""RULES.md 2: laying the bank out for a round and drawing cards."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule

from .pieces import (
    ACTORS,
    ALARM_TILE,
    BAG_TILES,
    BANK,
    COMMON_TILES,
    DECK_SIZE,
    DECKS,
    DRAWN,
    EXTRA_BAG_TILE,
    EXTRA_GUARD_TILE,
    GUARD_TILES,
    KINDS,
    MOST_PAWNS,
    NEIGHBOUR,
    PLANNED,
    ROBBER,
    ROBBERS_TILE,
    ROOMS,
    SIDES,
    STREET_LENGTH,
    TOUCHES,
    WALLED_TILES,
    Alarm,
)


@rule
def lay_out(state):
    """2.1 to 2.3 Everything anew for a round; only what is in the car stays."""
    lay_tiles(state)
    place_pawns(state)
    place_bags(state)
    state.alarm_room = room_of(state, ALARM_TILE)
    state.alarm = Alarm.READY
    park_car(state)


@rule
def lay_tiles(state):
    """2.1 Nine tiles in random order; the walled ones turned at random until every room can be reached."""
    for room in range(COMMON_TILES):
        state.tile[room] = room + 1
    state.tile[COMMON_TILES] = EXTRA_GUARD_TILE if state.pawns == MOST_PAWNS else EXTRA_BAG_TILE
    shuffle(state, state.tile, ROOMS)
    while True:
        for room in range(ROOMS):
            state.wall[room] = 0
            for tile in WALLED_TILES:
                if state.tile[room] == tile:
                    state.wall[room] = 1 + random_below(state, SIDES)
        if all_rooms_connected(state):
            return


@rule
def blocked(table, room, side):
    """1.2 A wall of the tile in this room, or of the one behind the side."""
    if table.wall[room] == 1 + side:
        return True
    other = NEIGHBOUR[room, side]
    return other >= 0 and table.wall[other] == 1 + (side + 2) % SIDES


@rule
def adjacent(table, room, other):
    """1.2 Two rooms next to each other with no wall between them."""
    for side in range(SIDES):
        if NEIGHBOUR[room, side] == other and other >= 0:
            return not blocked(table, room, side)
    return False


@rule
def all_rooms_connected(state):
    """2.1 Every room can be reached from the first."""
    reached = 1
    for _ in range(ROOMS):
        for room in range(ROOMS):
            if (reached >> room) & 1:
                for side in range(SIDES):
                    if NEIGHBOUR[room, side] >= 0 and not blocked(state, room, side):
                        reached |= 1 << NEIGHBOUR[room, side]
    return reached == (1 << ROOMS) - 1


@rule
def room_of(state, tile):
    """Where a tile lies."""
    room = 0
    while state.tile[room] != tile:
        room += 1
    return room


@rule
def place_pawns(state):
    """2.2 Robbers on their tile, each guard on his, all standing and with empty hands."""
    for pawn in range(MOST_PAWNS):
        state.robber_down[pawn] = 0
        state.guard_down[pawn] = 0
        state.carried[pawn] = 0
    start = room_of(state, ROBBERS_TILE)
    for pawn in range(state.pawns):
        state.robber[pawn] = start
    for guard in range(len(GUARD_TILES)):
        state.guard[guard] = room_of(state, GUARD_TILES[guard])
    if state.pawns == MOST_PAWNS:
        state.guard[MOST_PAWNS - 1] = room_of(state, EXTRA_GUARD_TILE)


@rule
def place_bags(state):
    """2.2 An unlocked bag on every bag tile."""
    for room in range(ROOMS):
        state.bags[room] = state.tile[room] == EXTRA_BAG_TILE
        state.locked[room] = 0
        for tile in BAG_TILES:
            state.bags[room] += state.tile[room] == tile


@rule
def park_car(state):
    """2.3 At a room as far from the robbers as possible, at random among such spaces."""
    length = STREET_LENGTH[state.option_street_corners]
    best, count = -1, 0
    for space in range(length):
        distance = distance_to_robbers(state, space)
        if distance > best:
            best, count = distance, 0
        count += distance == best
    left = random_below(state, count)
    for space in range(length):
        if distance_to_robbers(state, space) == best:
            if left == 0:
                state.car = space
            left -= 1


@rule
def distance_to_robbers(state, space):
    """Steps between the room a space touches and the robbers' room, walls ignored; -1 for a corner."""
    room = TOUCHES[state.option_street_corners, space, 0]
    if room < 0:
        return -1
    start = state.robber[0]
    return abs(room // 3 - start // 3) + abs(room % 3 - start % 3)


@rule
def draw_cards(state):
    """1.4, 1.5, 2.4 Each deck of fifteen is shuffled and eight are drawn, unseen by the other side."""
    for actor in range(ACTORS):
        state.plan_top[actor] = 0
        state.plan_height[actor] = 0
        for go in range(PLANNED):
            state.plan[actor, go] = 0
        for kind in range(KINDS):
            state.hand[actor, kind] = 0
    for actor in range(1 + state.pawns):
        side = BANK if actor == 0 else ROBBER
        for i in range(DECK_SIZE):
            state.deck[actor, i] = DECKS[side, i]
        shuffle(state, state.deck[actor], DECK_SIZE)
        for i in range(DRAWN):
            state.hand[actor, state.deck[actor, i]] += 1
