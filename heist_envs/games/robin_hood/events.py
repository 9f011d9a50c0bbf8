"""The event log of robin_hood: what each event holds, and the rules that write the longer ones."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import FLAG, MAYBE, NULL, NUMBER, EventSpec, emit, many, put, put_list, put_winners, word

from .cards import kind_of
from .pieces import CARD_NAMES, COLOURS, HAND, KIND_NAMES, KINDS, MARKET

SEAT = NUMBER
CARD = word(KIND_NAMES + CARD_NAMES)  # `latin` logs cards with their symbol

EVENTS = EventSpec(
    setup={"num_players": NUMBER, "first_seat": SEAT, "hands": many(many(CARD)), "market": many(CARD), "deck": many(CARD)},
    take={"seat": SEAT, "slot": NUMBER, "card": CARD},
    run={"seat": SEAT, "cards": many(CARD), "kept": CARD, "coins": NUMBER},
    trio={"seat": SEAT, "cards": many(CARD), "victim": SEAT, "target": CARD, "counterable": FLAG},
    counter={"seat": SEAT, "card": CARD},
    lost_card={"seat": SEAT, "card": CARD},
    stolen={"seat": SEAT, "victim": SEAT, "card": CARD, "marian": MAYBE},
    protect={"seat": SEAT, "colour": word(COLOURS), "cards": many(CARD), "coins": NUMBER},
    discard={"seat": SEAT, "card": CARD},
    refill={"cards": many(CARD)},
    reshuffle={"deck": many(CARD)},
    end={"reason": word(("market_empty", "max_turns")), "scores": many(NUMBER), "winners": many(SEAT)},
)
SETUP, TAKEN, RUN, TRIO, COUNTER, LOST_CARD, STOLEN, PROTECT, DISCARD, REFILL, RESHUFFLE, END = range(len(EVENTS.names))


@rule
def put_card(state, tape, card):
    """A card: by colour and value, in `latin` mode with its symbol; no card is null."""
    if card == 0:
        put(tape, NULL)
    else:
        put(tape, KINDS + card - 1 if state.option_symbol_mode else kind_of(card))


@rule
def put_cards(state, tape, cards, first, count):
    """A list of cards."""
    put(tape, count)
    for i in range(first, first + count):
        put_card(state, tape, cards[i])


@rule
def tell_setup(state, tape):
    """The whole deal: the deck's order holds hands, market and pile one after the other."""
    emit(tape, SETUP)
    put(tape, state.seats)
    put(tape, state.turn)
    put(tape, state.seats)
    for seat in range(state.seats):
        put_cards(state, tape, state.deck, seat * HAND, HAND)
    put_cards(state, tape, state.market, 0, MARKET)
    put_cards(state, tape, state.deck, state.drawn, state.pile)


@rule
def tell_card(state, tape, event, seat, card):
    """An event of a seat and a card."""
    emit(tape, event)
    put(tape, seat)
    put_card(state, tape, card)


@rule
def tell_run(state, tape, low, middle, high, coins):
    """Three in sequence, the last one kept."""
    emit(tape, RUN)
    put(tape, state.turn)
    put(tape, 3)
    put_card(state, tape, low)
    put_card(state, tape, middle)
    put_card(state, tape, high)
    put_card(state, tape, high)
    put(tape, coins)


@rule
def tell_trio(state, tape, counterable):
    """A trio and what it aims at."""
    emit(tape, TRIO)
    put(tape, state.turn)
    put_cards(state, tape, state.pending, 0, 3)
    put(tape, state.victim - 1)
    put_card(state, tape, state.target)
    put(tape, counterable)


@rule
def tell_stolen(state, tape, victim, card):
    """A treasure that has changed hands, and where Marian is now."""
    emit(tape, STOLEN)
    put(tape, state.turn)
    put(tape, victim)
    put_card(state, tape, card)
    put(tape, state.marian - 1)


@rule
def tell_protect(state, tape, seat, colour, count, coins):
    """The open cards of a colour that protect each other from now on."""
    emit(tape, PROTECT)
    put(tape, seat)
    put(tape, colour)
    put_cards(state, tape, state.open_cards[seat, colour], 0, count)
    put(tape, coins)


@rule
def tell_end(state, tape):
    """Scores and winners."""
    emit(tape, END)
    put(tape, state.truncated)
    put_list(tape, state.score, state.seats)
    put_winners(tape, state)
