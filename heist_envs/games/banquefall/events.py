"""The event log of banquefall: what each event holds, and the rules that write the longer ones."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import MAYBE, NULL, NUMBER, EventSpec, emit, many, put, put_list, put_winners, word

from .pieces import BANKS, CARD_NAMES, HAND, RESULT_NAMES, TILE_NAMES

SEAT = BANK = AMOUNT = NUMBER
CARD = word(CARD_NAMES)
ORDER = word(("ascending", "descending"))

EVENTS = EventSpec(
    setup={
        "num_players": NUMBER, "first_seat": SEAT, "banks": many(many(CARD)), "hands": many(many(CARD)), "deck": many(CARD),
    },
    tile={"seat": SEAT, "tile": word(TILE_NAMES)},
    place={"seat": SEAT, "card": CARD, "bank": BANK, "drew": CARD},
    spy={"seat": SEAT, "bank": MAYBE, "slot": MAYBE, "card": CARD},
    reveal={"seat": SEAT, "bank": MAYBE, "slot": MAYBE, "card": CARD},
    rob={"seat": MAYBE, "bank": BANK},
    bids={"bids": many(AMOUNT)},
    robbery={
        "bank": BANK, "cards": many(CARD), "result": word(RESULT_NAMES), "order": ORDER, "loot": AMOUNT,
        "paid": many(AMOUNT), "lost": many(AMOUNT), "funds": many(AMOUNT), "credits": many(AMOUNT), "restock": CARD,
    },
    end={"reason": word(("last_card",)), "scores": many(AMOUNT), "winners": many(SEAT)},
)  # fmt: skip
SETUP, TILE, PLACE, SPY, REVEAL, ROB, BIDS, ROBBERY, END = range(len(EVENTS.names))


@rule
def put_card(tape, card):
    """A card as the log counts them: the first kind is 0, no card is null."""
    put(tape, card - 1 if card else NULL)


@rule
def put_cards(tape, cards, first, count):
    """A list of cards."""
    put(tape, count)
    for i in range(first, first + count):
        put_card(tape, cards[i])


@rule
def tell_setup(state, tape):
    """The whole deal: the deck's order holds banks, hands and pile one after the other."""
    emit(tape, SETUP)
    put(tape, state.seats)
    put(tape, state.turn)
    put(tape, BANKS)
    for bank in range(BANKS):
        put_cards(tape, state.deck, bank, 1)
    put(tape, state.seats)
    for seat in range(state.seats):
        put_cards(tape, state.deck, BANKS + seat * HAND, HAND)
    put_cards(tape, state.deck, state.drawn, len(state.deck) - state.drawn)


@rule
def tell_look(state, tape, event, bank, slot):
    """A spied or revealed card; bank NULL when there was none."""
    emit(tape, event)
    put(tape, state.turn)
    put(tape, bank)
    put(tape, slot)
    put_card(tape, state.row[bank, slot] if bank != NULL else 0)


@rule
def tell_robbery(state, tape, cards, count, restock):
    """The robbery that `last_*` describes; `cards` is the row before it."""
    emit(tape, ROBBERY)
    put(tape, state.last_bank)
    put_cards(tape, cards, 0, count)
    put(tape, state.last_result)
    put(tape, state.last_descending)
    put(tape, state.last_loot)
    put_list(tape, state.last_paid, state.seats)
    put_list(tape, state.last_lost, state.seats)
    put_list(tape, state.funds, state.seats)
    put_list(tape, state.credits, state.seats)
    put_card(tape, restock)


@rule
def tell_end(state, tape):
    """Scores and winners."""
    emit(tape, END)
    put(tape, 0)
    put_list(tape, state.score, state.seats)
    put_winners(tape, state)
