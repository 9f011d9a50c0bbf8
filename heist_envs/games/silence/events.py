"""The event log of silence: what each event holds, and the rules that write the longer ones."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import FLAG, MAYBE, NULL, NUMBER, EventSpec, emit, many, put, put_list, word

from .pieces import CELLS, DECK_SIZE, SIZE

SEAT = NUMBER

EVENTS = EventSpec(
    setup={
        "num_players": NUMBER, "first_seat": SEAT, "teams": many(NUMBER, or_null=True), "board": many(many(NUMBER)),
        "tokens": many(many(NUMBER)), "decks": many(many(NUMBER)), "threshold": NUMBER,
    },
    play={"cards": many(MAYBE)},
    noise={"sum": NUMBER, "limit": NUMBER, "success": FLAG, "threshold": NUMBER},
    move={"seat": SEAT, "path": many(many(NUMBER)), "picked": many(NUMBER), "exited": FLAG},
    refill={"drawn": many(many(NUMBER))},
    end={
        "reason": word(("all_out", "no_cards")), "loot": many(NUMBER), "penalties": many(NUMBER), "scores": many(NUMBER),
        "winners": many(SEAT),
    },
)  # fmt: skip
SETUP, PLAY, NOISE, MOVE, REFILL, END = range(len(EVENTS.names))


@rule
def put_board(tape, numbers):
    """64 numbers as eight rows."""
    put(tape, SIZE)
    for cell in range(CELLS):
        if cell % SIZE == 0:
            put(tape, SIZE)
        put(tape, numbers[cell])


@rule
def tell_setup(state, tape):
    """Everything chance has decided."""
    emit(tape, SETUP)
    put(tape, state.seats)
    put(tape, state.first_seat)
    if state.option_teams:
        put_list(tape, state.side, state.seats)
    else:
        put(tape, NULL)
    put_board(tape, state.cost)
    put_board(tape, state.token)
    put(tape, state.seats)
    for seat in range(state.seats):
        put_list(tape, state.deck[seat], DECK_SIZE)
    put(tape, state.threshold)


@rule
def tell_cards(state, tape):
    """The cards of a round, shown together."""
    emit(tape, PLAY)
    put(tape, state.seats)
    for seat in range(state.seats):
        put(tape, state.last_card[seat] - 1 if state.last_card[seat] > 1 else NULL)


@rule
def tell_noise(state, tape, noise, limit):
    """How loud it was and where the threshold is now."""
    emit(tape, NOISE)
    put(tape, noise)
    put(tape, limit)
    put(tape, noise <= limit)
    put(tape, state.threshold)


@rule
def tell_move(state, tape, exited):
    """The walk of one seat."""
    emit(tape, MOVE)
    put(tape, state.mover)
    put(tape, state.steps)
    for i in range(state.steps):
        put(tape, 2)
        put(tape, (state.path[i] - 1) // SIZE)
        put(tape, (state.path[i] - 1) % SIZE)
    put_list(tape, state.picked, state.picks)
    put(tape, exited)
