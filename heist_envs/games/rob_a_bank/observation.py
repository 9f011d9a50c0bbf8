"""What a seat of rob_a_bank sees, as one vector for both sides and every player count (what is not in play is 0)."""

from heist_envs.engine.compile import rule
from heist_envs.engine.observation import ObservationSpec, part

from .bank import any_guard_down
from .layout import blocked
from .pieces import ACTORS, BAG_TOKENS, KINDS, MOST_PAWNS, PLANNED, ROOMS, ROUNDS, SIDES, STREET_WITH_CORNERS, TOUCHES, Phase

OTHERS = 5

OBSERVATION = ObservationSpec(
    part("role", 2, "bank, robber; one-hot"),
    part("players", 3, "number of players, one-hot from 2"),
    part("my_turn", 1, "1 when I am asked"),
    part("phase", len(Phase), "what is asked: plan, act; one-hot"),
    part("round", ROUNDS, "round, one-hot"),
    part("go", PLANNED, "which of the five cards is planned or executed, one-hot"),
    part("actor", ACTORS, "whose card it is: the bank, each pawn; one-hot"),
    part("walls", (ROOMS, SIDES), "1 where a room cannot be left: wall of its tile or of the next; N E S W"),
    part("bags", ROOMS, "unlocked bags by room", scale=4, most=BAG_TOKENS),
    part("locked", ROOMS, "locked bags by room", scale=4, most=BAG_TOKENS),
    part("alarm_room", ROOMS, "room of the alarm, one-hot"),
    part("alarm", 3, "the alarm: ready, locked, rung; one-hot"),
    part("guard", (MOST_PAWNS, ROOMS), "room of each guard, one-hot"),
    part("guard_down", MOST_PAWNS, "1 for each unconscious guard"),
    part("robber", (MOST_PAWNS, ROOMS), "room of each robber, one-hot"),
    part("robber_down", MOST_PAWNS, "1 for each unconscious robber"),
    part("carried", MOST_PAWNS, "bags each robber carries", scale=4, most=BAG_TOKENS),
    part("car", STREET_WITH_CORNERS, "space of the car, one-hot"),
    part("car_room", ROOMS, "room the car stands beside, one-hot"),
    part("corners", 1, "1 when the street has corners"),
    part("stolen", 1, "bags in the car", scale=5),
    part("need", 1, "bags the robbers need", scale=5),
    part("moves", 1, "steps left on the card", scale=2),
    part("crawls", 1, "crawls left on the card"),
    part("other", OTHERS, "what its other action may be: pick up, pepper, unlock, tackle, lock"),
    part("acted", 1, "actions of the card done in this turn", scale=3),
    part("bonus_used", 1, "1 when the bonus action is spent"),
    part("revive", 1, "1 when guards can be revived"),
    part("hand", (ACTORS, KINDS), "cards in hand of bank and pawns by kind; 0 for the other side", scale=3, most=8),
    part("top", (ACTORS, KINDS), "card on top of each pile, one-hot"),
    part("height", ACTORS, "cards in each pile", scale=PLANNED),
    part("plan", (ACTORS, PLANNED, KINDS), "all planned cards by go, one-hot; 0 without perfect recall"),
)
AT = OBSERVATION.at


@rule
def observe(seen, seat, out):
    """9.1 Everything the seat sees now."""
    observe_stand(seen, seat, out)
    observe_rooms(seen, out)
    for pawn in range(seen.pawns):
        observe_pawns(seen, pawn, out)
    for actor in range(1 + seen.pawns):
        observe_cards(seen, actor, out)


@rule
def observe_stand(seen, seat, out):
    """9.1 Where the game stands and what is left of the card."""
    out[AT.role + (seat > 0)] = 1
    out[AT.players + seen.seats - 2] = 1
    out[AT.my_turn] = seen.to_act[seat]
    out[AT.round + seen.round_number - 1] = 1
    out[AT.stolen] = seen.stolen / 5
    out[AT.need] = seen.option_bags_to_win / 5
    out[AT.corners] = seen.option_street_corners
    if seen.over:
        return
    out[AT.phase + seen.phase] = 1
    out[AT.go + seen.go] = 1
    out[AT.actor + seen.actor] = 1
    if seen.phase == Phase.ACT:
        out[AT.moves] = seen.moves / 2
        out[AT.crawls] = seen.crawls
        out[AT.acted] = seen.acted / 3
        out[AT.bonus_used] = seen.bonus_used
        out[AT.revive] = seen.actor == 0 and seen.acted == 0 and any_guard_down(seen)
        for k in range(OTHERS):
            out[AT.other + k] = (seen.other >> k) & 1


@rule
def observe_rooms(seen, out):
    """9.1 Walls, bags, alarm, car."""
    out[AT.alarm_room + seen.alarm_room] = 1
    out[AT.alarm + seen.alarm] = 1
    out[AT.car + seen.car] = 1
    beside = TOUCHES[seen.option_street_corners, seen.car, 0]
    if beside >= 0:
        out[AT.car_room + beside] = 1
    for room in range(ROOMS):
        out[AT.bags + room] = seen.bags[room] / 4
        out[AT.locked + room] = seen.locked[room] / 4
        for side in range(SIDES):
            out[AT.walls + room * SIDES + side] = blocked(seen, room, side)


@rule
def observe_pawns(seen, pawn, out):
    """9.1 A guard and a robber."""
    out[AT.guard + pawn * ROOMS + seen.guard[pawn]] = 1
    out[AT.guard_down + pawn] = seen.guard_down[pawn]
    out[AT.robber + pawn * ROOMS + seen.robber[pawn]] = 1
    out[AT.robber_down + pawn] = seen.robber_down[pawn]
    out[AT.carried + pawn] = seen.carried[pawn] / 4


@rule
def observe_cards(seen, actor, out):
    """9.1, 9.2 The own side's hands, the piles' tops, and with perfect recall all planned cards."""
    out[AT.height + actor] = seen.plan_height[actor] / PLANNED
    if seen.plan_top[actor]:
        out[AT.top + actor * KINDS + seen.plan_top[actor] - 1] = 1
    for kind in range(KINDS):
        out[AT.hand + actor * KINDS + kind] = seen.hand[actor, kind] / 3
    for go in range(PLANNED):
        card = int(seen.plan[actor, go])
        if card:
            out[AT.plan + (actor * PLANNED + go) * KINDS + card - 1] = 1
