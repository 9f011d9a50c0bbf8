"""Scripted players of robin_hood: one that runs whenever it can, one that plans for what nobody can counter and for
protection, one that steals what is worth most while it lies open."""

from heist_envs.engine.compile import rule
from heist_envs.engine.seating import to_the_left

from .actions import COUNTER, DISCARD, END, SHERIFF, TAKE, TARGET, TRIO
from .cards import held, held_of_value, kind_of, value_of
from .hideout import can_be_robbed
from .pieces import KINDS, MARKET, RUN, SET_SIZE, TRIO_NEEDS, TRIOS, VALUES, Phase

RUNS = VALUES - RUN + 1
NONE = -1


@rule
def neighbours(seen, seat, kind):
    """Cards in hand that could stand in a run with this kind, two steps up and down."""
    value = kind % VALUES
    count = 0
    for step in range(-2, 3):
        if step != 0 and 0 <= value + step < VALUES:
            count += held(seen, seat, kind + step) > 0
    return count


@rule
def usefulness(seen, seat, kind):
    """How much a card of this kind helps towards runs (dear ones above all) and trios."""
    same = held_of_value(seen, seat, kind % VALUES)
    return 3 * neighbours(seen, seat, kind) + 2 * same + 0.3 * (kind % VALUES) - 2.0 * (held(seen, seat, kind) > 0)


@rule
def best_to_take(seen, seat, mask):
    """The legal market slot whose card helps most; NONE if no take is legal."""
    best, most = NONE, -100.0
    for slot in range(MARKET):
        if mask[TAKE + slot]:
            worth = usefulness(seen, seat, kind_of(seen.market[slot]))
            if worth > most:
                best, most = TAKE + slot, worth
    return best


@rule
def least_useful(seen, seat, mask):
    """The legal discard that hurts least."""
    best, least = NONE, 1000.0
    for kind in range(KINDS):
        if mask[DISCARD + kind]:
            worth = usefulness(seen, seat, kind)
            if worth < least:
                best, least = DISCARD + kind, worth
    return best


@rule
def best_run(seen, seat, mask, protecting):
    """The legal run that keeps the dearest card; with `protecting` one that completes a set counts more. NONE if there
    is none."""
    best, most = NONE, -1
    for colour in range(3):
        closes = protecting and seen.open_count[seat, colour] + 1 >= SET_SIZE[seen.seats]
        for first in range(RUNS):
            if mask[SHERIFF + colour * RUNS + first] and first + 10 * closes > most:
                best, most = SHERIFF + colour * RUNS + first, first + 10 * closes
    return best


@rule
def best_trio(seen, seat, mask, counterable):
    """The legal trio of the lowest value, one of three symbols before all others; NONE if there is none, or only such as
    may be countered and `counterable` is off."""
    found = NONE
    for value in range(VALUES):
        for trio in range(len(TRIOS)):
            if mask[TRIO + value * len(TRIOS) + trio]:
                if TRIO_NEEDS[trio, 0] == 1 and TRIO_NEEDS[trio, 1] == 1 and TRIO_NEEDS[trio, 2] == 1:
                    return TRIO + value * len(TRIOS) + trio
                if found == NONE and counterable:
                    found = TRIO + value * len(TRIOS) + trio
    return found


@rule
def dearest_at_risk(seen, seat):
    """The highest value that lies open where this seat may steal; 0 if nothing does."""
    most = 0
    for steps in range(1, seen.seats):
        other = to_the_left(seat, steps, seen.seats)
        if can_be_robbed(seen, other):
            for colour in range(3):
                for i in range(seen.open_count[other, colour]):
                    most = max(most, value_of(int(seen.open_cards[other, colour, i])))
    return most


@rule
def dearest_target(seen, seat, mask):
    """The legal target of the highest value, of equal ones that of whoever owns most."""
    best, most = TARGET, -1.0
    for steps in range(1, seen.seats):
        other = to_the_left(seat, steps, seen.seats)
        for kind in range(KINDS):
            action = TARGET + (steps - 1) * KINDS + kind
            worth = kind % VALUES + 0.01 * seen.coins[other]
            if mask[action] and worth > most:
                best, most = action, worth
    return best


@rule
def answer(seen, seat, mask):
    """What all of them do when they are asked something else than what to do in their turn."""
    if seen.phase == Phase.TARGET:
        return dearest_target(seen, seat, mask)
    if seen.phase == Phase.COUNTER:
        return COUNTER
    return least_useful(seen, seat, mask)


@rule
def first_of(a, b, c, d):
    """The first of several actions that is one."""
    if a != NONE:
        return a
    if b != NONE:
        return b
    return c if c != NONE else d


@rule
def greedy(seen, seat, mask, memory):
    """Takes what fits, runs whenever it can, lays any trio at the dearest treasure."""
    if seen.phase != Phase.TURN:
        return answer(seen, seat, mask)
    take = best_to_take(seen, seat, mask)
    return first_of(take, best_run(seen, seat, mask, False), best_trio(seen, seat, mask, True), END)


@rule
def planner(seen, seat, mask, memory):
    """Steals only what nobody can counter, and runs where the kept card protects its colour."""
    if seen.phase != Phase.TURN:
        return answer(seen, seat, mask)
    take = best_to_take(seen, seat, mask)
    trio = best_trio(seen, seat, mask, not mask[END])
    return first_of(take, best_run(seen, seat, mask, True), trio, END)


@rule
def thief(seen, seat, mask, memory):
    """Steals before it runs as long as something dear lies open."""
    if seen.phase != Phase.TURN:
        return answer(seen, seat, mask)
    take = best_to_take(seen, seat, mask)
    trio = best_trio(seen, seat, mask, dearest_at_risk(seen, seat) >= 5 or not mask[END])
    return first_of(take, trio, best_run(seen, seat, mask, True), END)


BOTS = {"greedy": greedy, "planner": planner, "thief": thief}
