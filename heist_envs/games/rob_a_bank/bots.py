"""A scripted player of rob_a_bank for either side: it plans cards along the way to bags and car, and looks one action
ahead when they are played."""

from heist_envs.engine.chance import random_below
from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL

from .actions import (
    CAR_LEFT,
    CAR_RIGHT,
    CRAWL,
    DECODE,
    DONE,
    GUARD,
    LOCK_ALARM,
    LOCK_BAG,
    MOVE,
    PEPPER_GUARD,
    PICK_UP,
    PLAN,
    REVIVE,
    TACKLE_ROBBER,
    THROW,
    UNLOCK_ALARM,
    UNLOCK_BAG,
)
from .bank import guard_in
from .layout import blocked
from .pieces import (
    CARD_CRAWLS,
    CARD_MOVES,
    CARD_OTHER,
    KINDS,
    NEIGHBOUR,
    PEPPER,
    PICKUP,
    ROOMS,
    SIDES,
    STREET_LENGTH,
    TACKLE,
    TOUCHES,
    UNLOCK,
    Phase,
)

FAR = 9


@rule
def distance(seen, start, goal):
    """Steps between two rooms round the walls."""
    reached = 1 << start
    for steps in range(FAR):
        if (reached >> goal) & 1:
            return steps
        grown = reached
        for room in range(ROOMS):
            if (reached >> room) & 1:
                for side in range(SIDES):
                    if NEIGHBOUR[room, side] >= 0 and not blocked(seen, room, side):
                        grown |= 1 << NEIGHBOUR[room, side]
        reached = grown
    return FAR


@rule
def window(seen, space):
    """The room a bag can be thrown from at a space of the street, NULL = none."""
    room = TOUCHES[seen.option_street_corners, space, 0]
    if room < 0 or seen.wall[room] == 1 + TOUCHES[seen.option_street_corners, space, 1]:
        return NULL
    return int(room)


@rule
def to_car(seen, room):
    """Steps to a room from which a bag can be thrown, the car driving a space a turn at best."""
    length = STREET_LENGTH[seen.option_street_corners]
    best = FAR
    for drive in range(-2, 3):
        beside = window(seen, (seen.car + drive + length) % length)
        if beside != NULL:
            best = min(best, max(distance(seen, room, beside), abs(drive)))
    return best


@rule
def to_bag(seen, room):
    """Steps to the nearest bag that lies free; one under a guard's eyes counts farther."""
    best = FAR
    for other in range(ROOMS):
        if seen.bags[other] or seen.locked[other]:
            trouble = 2 * (guard_in(seen, other) != NULL) + 2 * (seen.bags[other] == 0)
            best = min(best, distance(seen, room, other) + trouble)
    return best


@rule
def nearest_bag(seen, room):
    """Plain steps to the nearest bag."""
    best = FAR
    for other in range(ROOMS):
        if seen.bags[other]:
            best = min(best, distance(seen, room, other))
    return best


@rule
def steps_planned(seen, actor):
    """Steps this actor's planned cards make."""
    steps = 0
    for go in range(seen.go):
        card = int(seen.plan[actor, go]) - 1
        if card >= 0:
            steps += CARD_MOVES[card] + 2 * CARD_CRAWLS[card]
    return steps


@rule
def pickups_planned(seen, actor):
    """Planned cards that can pick up."""
    count = 0
    for go in range(seen.go):
        card = int(seen.plan[actor, go]) - 1
        count += card >= 0 and CARD_OTHER[card] & PICKUP > 0
    return count


@rule
def like_robber_card(seen, pawn, kind):
    """How well a card fits a plan that runs to a bag, takes it and runs to the car."""
    ahead = nearest_bag(seen, seen.robber[pawn]) - steps_planned(seen, 1 + pawn)
    steps, other = CARD_MOVES[kind] + 2 * CARD_CRAWLS[kind], CARD_OTHER[kind]
    if pickups_planned(seen, 1 + pawn) == 0:
        if ahead <= 1:
            return 10.0 * (other & PICKUP > 0) + steps
        return 5.0 * steps if steps < ahead else 1.0 * steps
    return 4.0 * (other & PICKUP > 0) + 3.0 * steps + 2.0 * (other & PEPPER > 0) + 1.0 * (other & UNLOCK > 0)


@rule
def like_bank_card(seen, kind):
    """Steps to come near, then tackles."""
    early = seen.go < 2
    return 2.0 * CARD_MOVES[kind] * (2 if early else 1) + (2.0 if early else 5.0) * (CARD_OTHER[kind] & TACKLE > 0)


@rule
def best_plan(seen, mask, memory):
    """The hand card that fits best; equal ones by lot."""
    best, most = NULL, -1.0
    for kind in range(KINDS):
        if mask[PLAN + kind]:
            like = like_bank_card(seen, kind) if seen.actor == 0 else like_robber_card(seen, seen.actor - 1, kind)
            like += random_below(memory, 100) / 100
            if like > most:
                best, most = PLAN + kind, like
    return best


@rule
def danger(seen, pawn, room):
    """Guards that stand there, or next to it."""
    count = 0.0
    for guard in range(seen.pawns):
        if not seen.guard_down[guard]:
            steps = distance(seen, seen.guard[guard], room)
            count += 2.0 * (steps == 0) + 0.5 * (steps == 1)
    return count


@rule
def robber_stand(seen, pawn, room):
    """How good it is for this robber to stand in a room."""
    if seen.carried[pawn]:
        return -3.0 * to_car(seen, room) - danger(seen, pawn, room)
    return -3.0 * to_bag(seen, room) - danger(seen, pawn, room)


@rule
def like_robber_action(seen, pawn, action):
    """What an action is worth to this robber, `done` being 0."""
    here = seen.robber[pawn]
    if action == THROW:
        return 100.0
    if action == PICK_UP:
        return 60.0
    if action == UNLOCK_BAG:
        return 20.0
    if action == UNLOCK_ALARM:
        return -1.0
    if PEPPER_GUARD <= action < CAR_LEFT:
        return 40.0
    if MOVE <= action < PICK_UP:
        return 10.0 + robber_stand(seen, pawn, DECODE[action, 1]) - robber_stand(seen, pawn, here) + (action < CRAWL)
    if (action == CAR_LEFT or action == CAR_RIGHT) and seen.carried[pawn]:
        return 5.0 * (to_car(seen, here) - car_after(seen, here, action)) - 1.0
    return -1.0


@rule
def car_after(seen, room, action):
    """Steps to the car once it has driven."""
    length = STREET_LENGTH[seen.option_street_corners]
    beside = window(seen, (seen.car + (1 if action == CAR_RIGHT else length - 1)) % length)
    return FAR if beside == NULL else distance(seen, room, beside)


@rule
def guard_stand(seen, room):
    """How good it is for a guard to stand in a room: beside robbers, above all those with bags, and beside bags."""
    worth = 0.0
    for robber in range(seen.pawns):
        if not seen.robber_down[robber]:
            weight = 4.0 if seen.carried[robber] else 2.0
            worth += weight / (1 + distance(seen, room, seen.robber[robber]))
    return worth + 0.5 * (seen.bags[room] > 0)


@rule
def like_bank_action(seen, action):
    """What an action is worth to the bank, `done` being 0."""
    if action == REVIVE:
        return 6.0
    if action == LOCK_ALARM:
        return 1.0
    if LOCK_BAG <= action < LOCK_ALARM:
        return 8.0
    if TACKLE_ROBBER <= action < LOCK_BAG:
        return 30.0 + 20.0 * seen.carried[DECODE[action, 1]]
    guard, room = DECODE[action, 1], DECODE[action, 2]
    return 10.0 + guard_stand(seen, room) - guard_stand(seen, seen.guard[guard])


@rule
def best_action(seen, mask):
    """The action worth most."""
    best, most = DONE, 0.0 if mask[DONE] else -1000.0
    for action in range(GUARD, DONE):
        if mask[action]:
            like = like_bank_action(seen, action) if seen.actor == 0 else like_robber_action(seen, seen.actor - 1, action)
            if like > most:
                best, most = action, like
    return best


@rule
def greedy(seen, seat, mask, memory):
    """Plans along the way to bags and car, as the bank towards robbers; then takes the best action at hand."""
    return best_plan(seen, mask, memory) if seen.phase == Phase.PLAN else best_action(seen, mask)


BOTS = {"greedy": greedy}
