"""The event log of robby_solo: what each event holds, and the rules that write the longer ones."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import FLAG, NULL, NUMBER, EventSpec, emit, many, put, word

from .pieces import DECK_SIZE, LOOT_NAMES

SEAT = BANK = NUMBER
LOOT = word(LOOT_NAMES)
REASONS = ("deck", "max_rounds")

EVENTS = EventSpec(
    setup={
        "num_players": NUMBER, "junior": FLAG, "num_banks": NUMBER, "gentleman": SEAT, "deck": many(LOOT),
        "junior_pack": many(BANK, or_null=True),
    },
    supply={"direction": word(("right", "left")), "cards": many(LOOT)},
    place={"seat": SEAT, "bank": BANK},
    declare={"seat": SEAT, "bank": BANK, "robs": FLAG},
    confirm={"seat": SEAT, "action": word(("keep", "replay")), "bank": BANK},
    reveal={"choices": many(BANK), "taken": many(many(LOOT))},
    police={"bank": BANK, "removed": many(LOOT), "lost": many(LOOT)},
    round_end={"round": NUMBER, "gentleman": SEAT, "deck_size": NUMBER},
    end={"reason": word(REASONS), "scores": many(NUMBER), "winners": many(SEAT)},
)  # fmt: skip
SETUP, SUPPLY, PLACE, DECLARE, CONFIRM, REVEAL, POLICE, ROUND_END, END = range(len(EVENTS.names))
KEPT, REPLAYED = 0, 1


@rule
def put_loot(tape, kind):
    """A loot card as the log counts them: the first kind is 0, no card is null."""
    put(tape, kind - 1 if kind else NULL)


@rule
def put_row(tape, cards, count):
    """A list of loot cards."""
    put(tape, count)
    for i in range(count):
        put_loot(tape, cards[i])


@rule
def put_banks(tape, choices, count):
    """A list of banks, from fields that hold 1 + bank."""
    put(tape, count)
    for i in range(count):
        put(tape, choices[i] - 1)


@rule
def tell_setup(state, tape):
    """Everything chance has decided."""
    emit(tape, SETUP)
    put(tape, state.seats)
    put(tape, state.option_robby_junior)
    put(tape, state.banks)
    put(tape, state.gentleman)
    put_row(tape, state.deck, DECK_SIZE)
    if state.option_robby_junior:
        put_banks(tape, state.junior_pack, state.banks)
    else:
        put(tape, NULL)


@rule
def tell_seat_and_bank(tape, event, seat, bank):
    """An event that begins with a seat and a bank."""
    emit(tape, event)
    put(tape, seat)
    put(tape, bank)


@rule
def tell_confirm(tape, seat, action, bank):
    """A card kept or played again."""
    emit(tape, CONFIRM)
    put(tape, seat)
    put(tape, action)
    put(tape, bank)


@rule
def tell_round_end(state, tape):
    """The round that has ended and who supplies next."""
    emit(tape, ROUND_END)
    put(tape, state.rounds)
    put(tape, state.gentleman)
    put(tape, state.deck_size)
