"""The event log of rob_a_bank: what each event holds, and the rules that write the longer ones."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import FLAG, MAYBE, NUMBER, EventSpec, emit, many, put, put_list, row, word

from .actions import ACTIONS
from .pieces import CARD_NAMES, DRAWN, MOST_PAWNS, ROOMS, SIDE_NAMES

CARD = word(CARD_NAMES)
ACTOR = word(("bank", *(f"robber_{pawn}" for pawn in range(MOST_PAWNS))))
ROOM = PAWN = NUMBER

EVENTS = EventSpec(
    setup={"num_players": NUMBER, "num_robbers": NUMBER, "num_guards": NUMBER, "bags_to_win": NUMBER},
    layout={
        "round": NUMBER, "tiles": many(NUMBER), "walls": many(row(ROOM, word(SIDE_NAMES))), "bags": many(ROOM),
        "alarm": ROOM, "guards": many(ROOM), "robbers": many(ROOM), "car": NUMBER,
    },
    draw={"bank": many(CARD), "robbers": many(many(CARD))},
    plan={"actor": ACTOR, "card": CARD},
    turn={"actor": ACTOR, "card": CARD, "spent": FLAG},
    act={"actor": ACTOR, "action": word(ACTIONS.texts), "guard": MAYBE},
    alarm={"guards": many(ROOM)},
    stolen={"pawn": PAWN, "total": NUMBER},
    round_end={"round": NUMBER, "stolen": NUMBER},
    end={"reason": word(("bags", "rounds")), "scores": many(NUMBER), "winners": word(("bank", "robbers"))},
)  # fmt: skip
SETUP, LAYOUT, DRAW, PLAN, TURN, ACT, ALARM, STOLEN, ROUND_END, END = range(len(EVENTS.names))


@rule
def tell_setup(state, tape):
    """How many play."""
    emit(tape, SETUP)
    put(tape, state.seats)
    put(tape, state.pawns)
    put(tape, state.pawns)
    put(tape, state.option_bags_to_win)


@rule
def tell_layout(state, tape):
    """The bank as it is laid out for a round."""
    emit(tape, LAYOUT)
    put(tape, state.round_number)
    put_list(tape, state.tile, ROOMS)
    tell_walls(state, tape)
    tell_bags(state, tape)
    put(tape, state.alarm_room)
    put_list(tape, state.guard, state.pawns)
    put_list(tape, state.robber, state.pawns)
    put(tape, state.car)


@rule
def tell_walls(state, tape):
    """Room and side of every walled tile, by room."""
    count = 0
    for room in range(ROOMS):
        count += state.wall[room] > 0
    put(tape, count)
    for room in range(ROOMS):
        if state.wall[room]:
            put(tape, room)
            put(tape, state.wall[room] - 1)


@rule
def tell_bags(state, tape):
    """Rooms of the bags, by room."""
    count = 0
    for room in range(ROOMS):
        count += state.bags[room]
    put(tape, count)
    for room in range(ROOMS):
        for _ in range(state.bags[room]):
            put(tape, room)


@rule
def tell_draw(state, tape):
    """Eight cards for the bank and for every pawn, as drawn."""
    emit(tape, DRAW)
    put_list(tape, state.deck[0], DRAWN)
    put(tape, state.pawns)
    for pawn in range(state.pawns):
        put_list(tape, state.deck[1 + pawn], DRAWN)


@rule
def tell_turn(state, tape, spent):
    """A card that is executed; once a turn, before its first action."""
    if not state.told:
        state.told = 1
        emit(tape, TURN)
        put(tape, state.actor)
        put(tape, state.plan_top[state.actor] - 1)
        put(tape, spent)


@rule
def tell_act(state, tape, action, guard):
    """An action and the guard who does it."""
    emit(tape, ACT)
    put(tape, state.actor)
    put(tape, action)
    put(tape, guard)
