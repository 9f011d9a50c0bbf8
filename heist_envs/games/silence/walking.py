"""RULES.md 4: a walk through the house, step by step."""

from heist_envs.engine.compile import rule

from .events import tell_move
from .pieces import CHEAPEST, EXIT_COST, GONE, NEXT, OUTSIDE, STEPS, WAY_OUT


@rule
def start_walk(state, seat):
    """4.1 The card is what the walk may cost."""
    state.mover = seat
    state.to_walk[seat] = 0
    state.budget = max(state.last_card[seat] - 1, 0)
    state.steps = 0
    state.picks = 0
    for i in range(len(state.path)):
        state.path[i] = 0
        state.picked[i] = 0


@rule
def occupied(table, seat, place):
    """4.2 Another pawn stands in this cell; outside there is room for all."""
    if place == OUTSIDE:
        return False
    for other in range(table.seats):
        if other != seat and table.pawn[other] == place:
            return True
    return False


@rule
def can_step(table, seat, way):
    """4.1 to 4.3 Within the budget, into a free cell, or over others if the walk can still end well."""
    place = NEXT[table.pawn[seat], way]
    if place == 0 or table.cost[place - 1] > table.budget:
        return False
    return may_end_from(table, seat, place, table.budget - table.cost[place - 1])


@rule
def may_end_at(table, seat, place, budget):
    """4.2 A walk that has come here may end: the cell is free, or the door is near and can be paid."""
    if not occupied(table, seat, place):
        return True
    return budget >= EXIT_COST and WAY_OUT[table.option_entrance_is_exit, place] == 1


@rule
def may_end_next(table, seat, place, budget):
    """4.2 Here, or one step farther."""
    if may_end_at(table, seat, place, budget):
        return True
    for way in range(len(STEPS)):
        further = NEXT[place, way]
        if further and table.cost[further - 1] <= budget:
            if may_end_at(table, seat, further, budget - table.cost[further - 1]):
                return True
    return False


@rule
def may_end_from(table, seat, place, budget):
    """4.2 Whether a walk that has come to this cell can end in a free cell or at an exit. No walk has more than three
    steps (a 7, cells of 2), so two more are all there can be; spelled out, because compiled recursion is not reliable."""
    if may_end_at(table, seat, place, budget):
        return True
    for way in range(len(STEPS)):
        further = NEXT[place, way]
        if further and table.cost[further - 1] <= budget:
            if may_end_next(table, seat, further, budget - table.cost[further - 1]):
                return True
    return False


@rule
def can_exit(table, seat):
    """1.2, 4.5 From a cell at a door, or from the entrance if it is an exit, for one."""
    return table.budget >= EXIT_COST and WAY_OUT[table.option_entrance_is_exit, table.pawn[seat]] == 1


@rule
def can_stay(table, seat):
    """4.2, 4.6 A walk may end anywhere but on another pawn."""
    return not occupied(table, seat, table.pawn[seat])


@rule
def has_choice(state, seat):
    """4.6 Whether anything but staying is possible."""
    if can_exit(state, seat):
        return True
    for way in range(len(STEPS)):
        if can_step(state, seat, way):
            return True
    return False


@rule
def step(state, seat, way):
    """4.1, 4.3, 4.4 Enter the next cell, pay for it and pick up what lies there."""
    place = NEXT[state.pawn[seat], way]
    cell = place - 1
    state.pawn[seat] = place
    state.budget -= state.cost[cell]
    state.path[state.steps] = place
    state.steps += 1
    if state.lying[cell]:
        pick_up(state, seat, cell)


@rule
def pick_up(state, seat, cell):
    """4.4 Without a choice, also in passing; only the taker sees the value."""
    kind, value = state.cost[cell] - CHEAPEST, state.token[cell]
    state.lying[cell] = 0
    state.token[cell] = 0
    state.loot[seat] += value
    state.tokens[seat, kind, value] += 1
    state.taken_at[seat, kind] += 1
    state.taken[seat] += 1
    state.picked[state.picks] = value
    state.picks += 1


@rule
def leave(state, seat):
    """4.5 Out of the house for good."""
    state.budget -= EXIT_COST
    state.pawn[seat] = GONE


@rule
def end_move(state, exited, tape):
    """4.6 The walk is over and logged, also when nobody moved."""
    tell_move(state, tape, exited)
    state.budget = 0
