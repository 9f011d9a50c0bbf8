"""What a seat of robin_hood sees, as one vector for every player count (absent seats are 0).

Per-seat slices begin with the seat itself and go on to its left. A kind is a colour and a value: red 1..9, blue 1..9,
yellow 1..9.
"""

from heist_envs.engine.compile import rule
from heist_envs.engine.observation import ObservationSpec, part
from heist_envs.engine.seating import steps_to, to_the_left

from .cards import colour_of, held, held_with_symbol, kind_of, symbol_of, value_of
from .pieces import COPIES, DECK_SIZE, KINDS, MARKET, SEATS, SYMBOLS, VALUES, Phase

FEATURES = 3 + VALUES + len(SYMBOLS)  # of a card: colour, value, symbol

OBSERVATION = ObservationSpec(
    part("players", 4, "number of players, one-hot from 3"),
    part("phase", len(Phase), "what is asked: turn, target, counter, lose, discard; one-hot"),
    part("turn", SEATS, "whose turn it is, me first, one-hot"),
    part("taken", 3, "cards taken in this turn, one-hot from 0"),
    part("acted", 1, "1 when an action was done in this turn"),
    part("progress", 1, "finished turns", scale=100, most=2000),
    part("pile", 1, "cards in the pile", scale=DECK_SIZE),
    part("exhaustions", 3, "how often the pile has run out, one-hot from 0"),
    part("latin", 1, "1 in `latin` symbol mode"),
    part("hand", KINDS, "my cards by kind", scale=COPIES),
    part("hand_symbols", (VALUES, len(SYMBOLS)), "my cards by value and symbol", scale=COPIES, most=5),
    part("market", (MARKET, FEATURES), "each slot's card: colour, value, symbol, one-hot each"),
    part("hand_size", SEATS, "cards in hand, me first", scale=9, most=11),
    part("coins", SEATS, "coins, me first", scale=5, most=13),
    part("stock", 1, "coins left", scale=13),
    part("marian", SEATS, "who holds Marian, me first, one-hot"),
    part("open", (SEATS, KINDS), "unprotected treasures by kind, me first", scale=COPIES),
    part("safe", (SEATS, KINDS), "protected treasures by kind, me first", scale=COPIES),
    part("trio", (3, FEATURES), "cards of the pending trio: colour, value, symbol, one-hot each"),
    part("victim", SEATS, "whom it robs, me first, one-hot"),
    part("target", FEATURES, "the treasure it aims at: colour, value, symbol, one-hot each"),
    part("known", (SEATS, KINDS), "cards publicly known in hands, me first; 0 without perfect recall", scale=COPIES),
    part("discard_top", FEATURES, "top of the discard pile: colour, value, symbol, one-hot each"),
    part("discard", KINDS, "discard pile by kind; 0 without perfect recall", scale=COPIES),
)
AT = OBSERVATION.at
ONE = 1 / COPIES


@rule
def observe(seen, seat, out):
    """7.1 Everything the seat sees now."""
    observe_turn(seen, seat, out)
    observe_hand(seen, seat, out)
    observe_trio(seen, seat, out)
    observe_card(seen.discard_top, AT.discard_top, out)
    for slot in range(MARKET):
        observe_card(seen.market[slot], AT.market + slot * FEATURES, out)
    for k in range(seen.seats):
        observe_seat(seen, to_the_left(seat, k, seen.seats), k, out)


@rule
def observe_turn(seen, seat, out):
    """7.1 Where the game stands."""
    out[AT.players + seen.seats - 3] = 1
    out[AT.turn + steps_to(seat, seen.turn, seen.seats)] = 1
    out[AT.taken + seen.taken] = 1
    out[AT.acted] = seen.acted
    out[AT.progress] = seen.turns / 100
    out[AT.pile] = seen.pile / DECK_SIZE
    out[AT.exhaustions + seen.exhaustions] = 1
    out[AT.latin] = seen.option_symbol_mode
    out[AT.stock] = seen.stock / 13
    if seen.marian:
        out[AT.marian + steps_to(seat, seen.marian - 1, seen.seats)] = 1
    if not seen.over:
        out[AT.phase + seen.phase] = 1


@rule
def observe_hand(seen, seat, out):
    """7.1, 7.3 My own cards, and with perfect recall the discard pile."""
    for kind in range(KINDS):
        out[AT.hand + kind] = held(seen, seat, kind) * ONE
        thrown = int(seen.discard[kind, 0]) + seen.discard[kind, 1] + seen.discard[kind, 2]
        out[AT.discard + kind] = thrown * ONE
    for value in range(VALUES):
        for symbol in range(len(SYMBOLS)):
            out[AT.hand_symbols + value * len(SYMBOLS) + symbol] = held_with_symbol(seen, seat, value, symbol) * ONE


@rule
def observe_trio(seen, seat, out):
    """4.2, 4.3 The trio on the table and what it aims at."""
    for i in range(3):
        observe_card(seen.pending[i], AT.trio + i * FEATURES, out)
    observe_card(seen.target, AT.target, out)
    if seen.victim:
        out[AT.victim + steps_to(seat, seen.victim - 1, seen.seats)] = 1


@rule
def observe_card(card, at, out):
    """Colour, value and symbol of a card that is there."""
    if card:
        out[at + colour_of(card)] = 1
        out[at + 3 + value_of(card) - 1] = 1
        out[at + 3 + VALUES + symbol_of(card)] = 1


@rule
def observe_seat(seen, other, row, out):
    """7.1, 7.2 A hide-out, and what is publicly known of a hand."""
    out[AT.hand_size + row] = seen.hand_size[other] / 9
    out[AT.coins + row] = seen.coins[other] / 5
    for kind in range(KINDS):
        out[AT.safe + row * KINDS + kind] = seen.safe[other, kind] * ONE
        out[AT.known + row * KINDS + kind] = seen.known[other, kind] * ONE
    for colour in range(3):
        for i in range(seen.open_count[other, colour]):
            out[AT.open + row * KINDS + kind_of(int(seen.open_cards[other, colour, i]))] += ONE
