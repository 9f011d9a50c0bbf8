"""What a seat of banquefall sees, as one vector of 215 numbers for every player count (absent seats are 0).

Per-seat slices begin with the seat itself and go on to its left; banks keep their numbers, as in the actions.
"""

from heist_envs.engine.compile import rule
from heist_envs.engine.observation import ObservationSpec, part
from heist_envs.engine.seating import steps_to, to_the_left

from .knowledge import class_of
from .pieces import BANKS, CARDS, CLASSES, CREDIT, DECK_SIZE, FUNDS, HAND, MAX_BID, SEATS, TILES, Phase

RESULTS = 3
# No seat can hold more: 10 at the start, all loot of the deck (111 x 5), four police rewards, four credits.
MOST_FUNDS = FUNDS + 5 * MAX_BID + 4 * 5 + 4 * CREDIT
COIN_SCALE = 50
SHARE_SCALE = 20

OBSERVATION = ObservationSpec(
    part("players", SEATS - 1, "number of players, one-hot from 2"),
    part("seat", SEATS, "my seat, one-hot"),
    part("phase", len(Phase), "what is asked: place, spy, reveal, rob, bid; one-hot"),
    part("turn", SEATS, "whose tile it is, me first, one-hot"),
    part("final", 1, "1 in the final round"),
    part("target", BANKS, "bank being robbed, one-hot while bids are asked"),
    part("hand", CARDS - 1, "my cards by kind", scale=HAND),
    part("hand_size", SEATS, "cards in hand, me first", scale=HAND),
    part("face_up", (BANKS, CARDS - 1), "face-up cards by bank and kind", scale=4, most=11),
    part("face_down", (BANKS, CLASSES), "face-down cards by bank and class", scale=4, most=20),
    part("tiles", TILES, "unturned tiles by kind", scale=4),
    part("pile", 1, "cards in the pile", scale=DECK_SIZE),
    part("funds", SEATS, "coins, me first; others 0 without perfect recall", scale=COIN_SCALE, most=MOST_FUNDS),
    part("credits", SEATS, "red coins, me first", scale=4),
    part("gone", CARDS - 1, "cards robbed so far by kind; 0 without perfect recall", scale=4, most=11),
    part("last_bank", BANKS, "bank of the last robbery, one-hot"),
    part("last_result", RESULTS, "shared, police, thief; one-hot"),
    part("last_descending", 1, "1 when the highest bid was paid first"),
    part("last_loot", 1, "loot of the last robbery", scale=SHARE_SCALE, most=5 * MAX_BID),
    part("last_bid", SEATS, "bids, me first", scale=SHARE_SCALE, most=MAX_BID),
    part("last_paid", SEATS, "payments, me first", scale=SHARE_SCALE, most=MAX_BID),
    part("last_lost", SEATS, "losses, me first", scale=SHARE_SCALE, most=MAX_BID),
)
AT = OBSERVATION.at
HELD, COIN, STAKE = 1 / HAND, 1 / COIN_SCALE, 1 / SHARE_SCALE


@rule
def observe(seen, seat, out):
    """6.2 Everything the seat sees now."""
    observe_turn(seen, seat, out)
    observe_seats(seen, seat, out)
    observe_cards(seen, seat, out)
    if seen.last_result:
        observe_last_robbery(seen, seat, out)


@rule
def observe_turn(seen, seat, out):
    """6.2 Where the game stands."""
    out[AT.players + seen.seats - 2] = 1
    out[AT.seat + seat] = 1
    out[AT.final] = seen.final > 0
    out[AT.pile] = (DECK_SIZE - seen.drawn) / DECK_SIZE
    out[AT.turn + steps_to(seat, seen.turn, seen.seats)] = 1
    for tile in range(TILES):
        out[AT.tiles + tile] = seen.tiles[tile] * 0.25
    if not seen.over:
        out[AT.phase + seen.phase] = 1
        if seen.phase == Phase.BID:
            out[AT.target + seen.target] = 1


@rule
def observe_seats(seen, seat, out):
    """6.2, 6.3 Funds (others' only with perfect recall), red coins, hand sizes."""
    for k in range(seen.seats):
        other = to_the_left(seat, k, seen.seats)
        out[AT.hand_size + k] = seen.hand_size[other] * HELD
        out[AT.funds + k] = seen.funds[other] * COIN
        out[AT.credits + k] = seen.credits[other] * 0.25


@rule
def observe_cards(seen, seat, out):
    """6.1, 6.2, 6.3 My hand, the banks, and with perfect recall what has left the game."""
    for card in range(1, CARDS):
        out[AT.hand + card - 1] = seen.hand[seat, card] * HELD
        out[AT.gone + card - 1] = seen.gone[card] * 0.25
    for bank in range(BANKS):
        for slot in range(seen.length[bank]):
            shown = AT.face_up + bank * (CARDS - 1) + int(seen.row[bank, slot]) - 1
            hidden = AT.face_down + bank * CLASSES + class_of(seen, seat, bank, slot)
            out[shown if seen.face_up[bank, slot] else hidden] += 0.25


@rule
def observe_last_robbery(seen, seat, out):
    """6.2 Bids and outcome of the last robbery."""
    out[AT.last_bank + seen.last_bank] = 1
    out[AT.last_result + seen.last_result - 1] = 1
    out[AT.last_descending] = seen.last_descending
    out[AT.last_loot] = seen.last_loot * STAKE
    for k in range(seen.seats):
        other = to_the_left(seat, k, seen.seats)
        out[AT.last_bid + k] = seen.last_bid[other] * STAKE
        out[AT.last_paid + k] = seen.last_paid[other] * STAKE
        out[AT.last_lost + k] = seen.last_lost[other] * STAKE
