"""RULES.md 6 and 7: what a robber can do in his turn."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL, emit, put, put_list

from . import events
from .actions import (
    CAR_LEFT,
    CAR_RIGHT,
    CRAWL,
    DECODE,
    FIRST_BONUS,
    GIVE,
    LAST_BONUS,
    MOVE,
    PEPPER_GUARD,
    PICK_UP,
    RING,
    THROW,
    UNLOCK_ALARM,
    UNLOCK_BAG,
)
from .bank import guard_in
from .events import tell_act
from .layout import adjacent
from .pieces import BANK, PEPPER, PICKUP, ROOMS, STREET_LENGTH, TOUCHES, UNLOCK, Alarm

SHAPED = 2  # code of `reward`
BAG_BONUS = 50  # 8.3 thousandths


@rule
def legal_robber(table, pawn, mask):
    """6.2, 6.3, 6.4, 6.5, 7 Mark what the card and the bonus still allow; returns whether a mandatory move is left."""
    must = table.moves > 0 or table.crawls > 0
    legal_moves(table, pawn, mask)
    room = table.robber[pawn]
    guarded = guard_in(table, room) != NULL
    if table.other & PEPPER:
        for guard in range(table.pawns):
            if table.guard[guard] == room and not table.guard_down[guard]:
                mask[PEPPER_GUARD + guard] = 1
    if not guarded:
        if table.other & PICKUP and table.bags[room]:
            mask[PICK_UP] = 1
        if table.other & UNLOCK:
            mask[UNLOCK_BAG] = table.locked[room] > 0
            mask[UNLOCK_ALARM] = table.alarm == Alarm.LOCKED and table.alarm_room == room
    if not table.bonus_used and (table.acted == 0 or not must):
        legal_bonus(table, pawn, room, guarded, mask)
    return must


@rule
def legal_moves(table, pawn, mask):
    """6.2 Into a next room without a wall between, or crawling into any other."""
    for room in range(ROOMS):
        if table.moves and adjacent(table, table.robber[pawn], room):
            mask[MOVE + room] = 1
        if table.crawls and room != table.robber[pawn]:
            mask[CRAWL + room] = 1


@rule
def legal_bonus(table, pawn, room, guarded, mask):
    """7.1, 7.2, 7.3, 7.4, 7.5 The car always; a bag or the alarm only where no guard stands."""
    mask[CAR_LEFT] = 1
    mask[CAR_RIGHT] = 1
    if guarded:
        return
    if table.carried[pawn]:
        mask[THROW] = car_beside(table, room)
        for other in range(table.pawns):
            if other != pawn and table.robber[other] == room and not table.robber_down[other]:
                mask[GIVE + other] = 1
    mask[RING] = table.alarm == Alarm.READY and table.alarm_room == room


@rule
def car_beside(table, room):
    """7.3 The car stands at a side of this room that has a window, not a wall."""
    touched = TOUCHES[table.option_street_corners, table.car, 0]
    side = TOUCHES[table.option_street_corners, table.car, 1]
    return touched == room and table.wall[room] != 1 + side


@rule
def play_robber(state, pawn, action, tape):
    """6, 7 One action of a robber."""
    tell_act(state, tape, action, NULL)
    if FIRST_BONUS <= action <= LAST_BONUS:
        state.bonus_used = 1
        play_bonus(state, pawn, action, tape)
        return
    state.acted += 1
    if action >= CRAWL + ROOMS:
        use_other_action(state, pawn, action)
    else:
        state.robber[pawn] = DECODE[action, 1]
        if action >= CRAWL:
            state.crawls -= 1
        else:
            state.moves -= 1


@rule
def use_other_action(state, pawn, action):
    """6.3 to 6.5 Once a card, whichever of its alternatives."""
    room = state.robber[pawn]
    state.other = 0
    if action == PICK_UP:
        state.bags[room] -= 1
        state.carried[pawn] += 1
    elif action == UNLOCK_BAG:
        state.locked[room] -= 1
        state.bags[room] += 1
    elif action == UNLOCK_ALARM:
        state.alarm = Alarm.READY
    else:
        state.guard_down[DECODE[action, 1]] = 1


@rule
def play_bonus(state, pawn, action, tape):
    """7 The bonus action of a turn."""
    if action == CAR_LEFT or action == CAR_RIGHT:
        drive(state, 1 if action == CAR_RIGHT else -1)
    elif action == THROW:
        throw(state, pawn, tape)
    elif action == RING:
        ring(state, tape)
    else:
        state.carried[pawn] -= 1
        state.carried[DECODE[action, 1]] += 1


@rule
def drive(state, step):
    """7.2 One space along the street."""
    length = STREET_LENGTH[state.option_street_corners]
    state.car += step
    if state.car < 0:
        state.car = length - 1
    elif state.car == length:
        state.car = 0


@rule
def throw(state, pawn, tape):
    """7.3 One bag out of the window is stolen."""
    state.carried[pawn] -= 1
    state.stolen += 1
    if state.option_reward == SHAPED:
        for seat in range(state.seats):
            state.bonus[seat] = -BAG_BONUS if state.side[seat] == BANK else BAG_BONUS
    emit(tape, events.STOLEN)
    put(tape, pawn)
    put(tape, state.stolen)


@rule
def ring(state, tape):
    """7.5 Every standing guard runs into the room; the token is away until the next go-round."""
    state.alarm = Alarm.RUNG
    for guard in range(state.pawns):
        if not state.guard_down[guard]:
            state.guard[guard] = state.alarm_room
    emit(tape, events.ALARM)
    put_list(tape, state.guard, state.pawns)
