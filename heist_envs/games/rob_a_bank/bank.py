"""RULES.md 5: what the bank can do in its turn."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL

from .actions import DECODE, GUARD, LOCK_ALARM, LOCK_BAG, TACKLE_ROBBER
from .events import tell_act
from .layout import adjacent
from .pieces import LOCK, ROOMS, TACKLE, Alarm


@rule
def any_guard_down(table):
    """5.4 Somebody could be revived."""
    for guard in range(table.pawns):
        if table.guard_down[guard]:
            return True
    return False


@rule
def all_guards_down(table):
    """5.4 Then nothing but reviving is possible."""
    for guard in range(table.pawns):
        if not table.guard_down[guard]:
            return False
    return True


@rule
def guard_in(table, room):
    """The lowest-numbered standing guard in a room, NULL = none."""
    for guard in range(table.pawns):
        if table.guard[guard] == room and not table.guard_down[guard]:
            return guard
    return NULL


@rule
def legal_bank(table, mask):
    """5.1 to 5.3 Mark what the card still allows; returns whether a mandatory step can be made."""
    must = False
    if table.moves:
        must = legal_steps(table, mask)
    if table.other & TACKLE:
        for robber in range(table.pawns):
            if not table.robber_down[robber] and guard_in(table, table.robber[robber]) != NULL:
                mask[TACKLE_ROBBER + robber] = 1
    if table.other & LOCK:
        for room in range(ROOMS):
            if table.bags[room] and guard_in(table, room) != NULL:
                mask[LOCK_BAG + room] = 1
        if table.alarm == Alarm.READY and guard_in(table, table.alarm_room) != NULL:
            mask[LOCK_ALARM] = 1
    return must


@rule
def legal_steps(table, mask):
    """5.1, 4.3 A first step after which no second is possible is legal only if every first step is of that kind."""
    keeps = table.moves == 1
    if not keeps:
        for guard in range(table.pawns):
            for room in range(ROOMS):
                keeps = keeps or (can_step(table, guard, room) and second_step_after(table, guard, room))
    found = False
    for guard in range(table.pawns):
        for room in range(ROOMS):
            legal = can_step(table, guard, room)
            if legal and keeps and table.moves > 1:
                legal = second_step_after(table, guard, room)
            if legal:
                mask[GUARD + guard * ROOMS + room] = 1
                found = True
    return found


@rule
def can_step(table, guard, room):
    """5.1 A standing guard into the next room, but in his second step not back to where he began the turn."""
    if table.guard_down[guard] or not adjacent(table, table.guard[guard], room):
        return False
    return not (table.guard_moved[guard] and room == table.guard_start[guard])


@rule
def second_step_after(table, guard, room):
    """4.3 Whether, once this guard has stepped into this room, some guard can step again."""
    for other in range(table.pawns):
        if not table.guard_down[other]:
            for further in range(ROOMS):
                if other == guard:
                    if adjacent(table, room, further) and further != table.guard_start[guard]:
                        return True
                elif can_step(table, other, further):
                    return True
    return False


@rule
def play_bank(state, action, tape):
    """5 One action of the bank's card."""
    state.acted += 1
    if action >= TACKLE_ROBBER:
        state.other = 0
    if action < TACKLE_ROBBER:
        move_guard(state, DECODE[action, 1], DECODE[action, 2], action, tape)
    elif action < LOCK_BAG:
        tackle(state, DECODE[action, 1], action, tape)
    elif action == LOCK_ALARM:
        state.alarm = Alarm.LOCKED
        tell_act(state, tape, action, NULL)
    else:
        room = DECODE[action, 1]
        state.bags[room] -= 1
        state.locked[room] += 1
        tell_act(state, tape, action, NULL)


@rule
def move_guard(state, guard, room, action, tape):
    """5.1 Into the next room."""
    state.moves -= 1
    state.guard_moved[guard] += 1
    state.guard[guard] = room
    tell_act(state, tape, action, guard)


@rule
def tackle(state, robber, action, tape):
    """5.2 The robber lies unconscious and drops all bags where he is."""
    room = state.robber[robber]
    state.robber_down[robber] = 1
    state.bags[room] += state.carried[robber]
    state.carried[robber] = 0
    tell_act(state, tape, action, guard_in(state, room))


@rule
def revive_guards(state):
    """5.4 All stand up; the card is spent."""
    for guard in range(state.pawns):
        state.guard_down[guard] = 0
