"""The bank as text: for one seat with what it knows, or (seat None) with all hands for an onlooker."""

import json

from .pieces import CARD_NAMES, KINDS, PLANNED, STREET, Alarm, Phase

ACTOR_NAMES = ("bank", "robber_0", "robber_1", "robber_2")
NORTH, EAST, SOUTH, WEST = range(4)


def draw(seen, seat, events):
    """The state as `seat` sees it, as a few lines of text; for an onlooker also the events since the last drawing.

    # is a wall; inside a room G0 R0 are standing pawns (small letters: unconscious), * bags, + locked bags, ! the alarm.
    """
    lines = [_heading(seen), *_rooms(seen)]
    lines += [_cards(seen, seat, actor) for actor in range(1 + seen.pawns)]
    if seat is None:  # events tell everything
        lines += [f"  * {_event(event)}" for event in events]
    return "\n".join(lines)


def _heading(seen):
    where = f"car at {seen.car} of {STREET if not seen.option_street_corners else STREET + 4}"
    if seen.over:
        stand = "game over"
    elif seen.phase == Phase.PLAN:
        stand = f"{ACTOR_NAMES[seen.actor]} plans card {seen.go + 1}"
    else:
        card = CARD_NAMES[seen.plan_top[seen.actor] - 1]
        stand = f"{ACTOR_NAMES[seen.actor]} plays card {seen.go + 1}, {card} ({seen.moves + seen.crawls} moves left)"
    return f"rob_a_bank: round {seen.round_number}, {stand} | {where} | stolen {seen.stolen} of {seen.option_bags_to_win}"


def _rooms(seen):
    for row in range(3):
        yield "   " + " ".join(("#" * 11 if _walled(seen, 3 * row + col, NORTH) else " " * 11) for col in range(3))
        cells = [_room(seen, 3 * row + col).ljust(9) for col in range(3)]
        edges = ["#" if _walled(seen, 3 * row + col, WEST) else "|" for col in range(3)]
        last = "#" if _walled(seen, 3 * row + 2, EAST) else "|"
        yield "   " + "  ".join(edge + cell for edge, cell in zip(edges, cells, strict=True)) + last
    yield "   " + " ".join(("#" * 11 if _walled(seen, 6 + col, SOUTH) else " " * 11) for col in range(3))


def _walled(seen, room, side):
    own = seen.wall[room] == 1 + side
    beside = {NORTH: room - 3, WEST: room - 1 if room % 3 else -1}.get(side, -1)
    return own or (beside >= 0 and seen.wall[beside] == 1 + (side + 2) % 4)


def _room(seen, room):
    pawns = [("g" if seen.guard_down[g] else "G") + str(g) for g in range(seen.pawns) if seen.guard[g] == room]
    for r in range(seen.pawns):
        if seen.robber[r] == room:
            pawns.append(("r" if seen.robber_down[r] else "R") + str(r) + "*" * seen.carried[r])
    alarm = "!" if seen.alarm_room == room and seen.alarm == Alarm.READY else ""
    alarm = "+!" if seen.alarm_room == room and seen.alarm == Alarm.LOCKED else alarm
    return f"{room}:" + "".join(pawns) + "*" * seen.bags[room] + "+" * seen.locked[room] + alarm


def _cards(seen, seat, actor):
    known = seat is None or (seen.hand_seers[actor, 0] >> seat) & 1
    hand = " ".join(CARD_NAMES[kind] for kind in range(KINDS) for _ in range(seen.hand[actor, kind]))
    plan = " ".join(CARD_NAMES[seen.plan[actor, go] - 1] for go in range(PLANNED) if seen.plan[actor, go])
    pile = f"{seen.plan_height[actor]} in the pile ({plan or '?'})"
    return f"   {ACTOR_NAMES[actor]}: {pile} | {hand or '-' if known else '?'}"


def _event(event):
    return f"{event['event']}: " + ", ".join(f"{key} {json.dumps(value)}" for key, value in event.items() if key != "event")
