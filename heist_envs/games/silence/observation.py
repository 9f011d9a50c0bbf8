"""What a seat of silence sees, as one vector for every player count (absent seats are 0).

Per-seat slices begin with the seat itself and go on to its left. Cells run row by row from the north-west corner.
"""

from heist_envs.engine.compile import rule
from heist_envs.engine.observation import ObservationSpec, part
from heist_envs.engine.seating import steps_to, to_the_left

from .pieces import CARDS, CELLS, COSTS, DECK_SIZE, GONE, HAND, OUTSIDE, SEATS, Phase

PLACES = CELLS + 2
STANDINGS = 3
LOOT_SCALE, TAKEN_SCALE, COST_SCALE, NOISE_SCALE = 20, 5, 5, 42
MOST_LOOT, MOST_TOKENS, MOST_THRESHOLD = 245, 50, 100

OBSERVATION = ObservationSpec(
    part("players", 4, "number of players, one-hot from 3"),
    part("phase", len(Phase), "what is asked: card, walk; one-hot"),
    part("round", 1, "rounds begun", scale=DECK_SIZE),
    part("threshold", 1, "most noise that wakes nobody", scale=NOISE_SCALE, most=MOST_THRESHOLD),
    part("cost", CELLS, "what it costs to enter each cell", scale=COST_SCALE),
    part("lying", CELLS, "1 where a token lies"),
    part("place", PLACES, "where I am: outside, each cell, gone; one-hot"),
    part("others", CELLS, "other pawns in each cell"),
    part("standing", (SEATS, STANDINGS), "who is outside, inside, gone; me first, one-hot each"),
    part("hand", CARDS, "my cards by value", scale=2),
    part("undrawn", CARDS, "my undrawn cards by value", scale=2),
    part("hand_size", SEATS, "cards in hand, me first", scale=HAND),
    part("chosen", CARDS + 1, "the card I have chosen: pass, 1 to 7; one-hot"),
    part("last_card", (SEATS, CARDS + 1), "everybody's card of the last round shown: pass, 1 to 7; me first, one-hot each"),
    part("played", (SEATS, CARDS), "cards played by value, me first; 0 without perfect recall", scale=2),
    part("starter", SEATS, "who moved first in the last successful round, me first, one-hot"),
    part("first_seat", SEATS, "who moves first in a tie before anybody has, me first, one-hot"),
    part("mover", SEATS, "who walks now, me first, one-hot"),
    part("to_walk", SEATS, "who will still walk in this round, me first"),
    part("budget", 1, "what the walking pawn may still spend", scale=CARDS),
    part("loot", SEATS, "worth of tokens, me first; others' 0 unless team mates", scale=LOOT_SCALE, most=MOST_LOOT),
    part("taken", SEATS, "tokens taken, me first", scale=TAKEN_SCALE, most=MOST_TOKENS),
    part("taken_at", (SEATS, COSTS), "by cost of the cell; others' 0 without perfect recall", scale=TAKEN_SCALE, most=20),
    part("mates", SEATS, "1 for each seat of my team, me first"),
    part("south_exit", 1, "1 when the entrance is an exit too"),
    part("uniform", 1, "1 when tokens are mixed among all cells"),
)
AT = OBSERVATION.at


@rule
def observe(seen, seat, out):
    """7.1 Everything the seat sees now."""
    observe_round(seen, seat, out)
    observe_house(seen, seat, out)
    observe_cards(seen, seat, out)
    for k in range(seen.seats):
        observe_seat(seen, seat, to_the_left(seat, k, seen.seats), k, out)


@rule
def observe_round(seen, seat, out):
    """7.1 Where the game stands."""
    out[AT.players + seen.seats - 3] = 1
    out[AT.round] = seen.rounds / DECK_SIZE
    out[AT.threshold] = seen.threshold / NOISE_SCALE
    out[AT.first_seat + steps_to(seat, seen.first_seat, seen.seats)] = 1
    out[AT.south_exit] = seen.option_entrance_is_exit
    out[AT.uniform] = seen.option_token_mode
    if seen.starter:
        out[AT.starter + steps_to(seat, seen.starter - 1, seen.seats)] = 1
    if not seen.over:
        out[AT.phase + seen.phase] = 1
        if seen.phase == Phase.WALK:
            out[AT.mover + steps_to(seat, seen.mover, seen.seats)] = 1
            out[AT.budget] = seen.budget / CARDS


@rule
def observe_house(seen, seat, out):
    """7.1 Cells, tokens and pawns."""
    for cell in range(CELLS):
        out[AT.cost + cell] = seen.cost[cell] / COST_SCALE
        out[AT.lying + cell] = seen.lying[cell]
    out[AT.place + seen.pawn[seat]] = 1
    for other in range(seen.seats):
        if other != seat and OUTSIDE < seen.pawn[other] < GONE:
            out[AT.others + seen.pawn[other] - 1] = 1


@rule
def observe_cards(seen, seat, out):
    """7.1 My own cards."""
    for card in range(CARDS):
        out[AT.hand + card] = seen.hand[seat, card] / 2
        out[AT.undrawn + card] = seen.undrawn[seat, card] / 2
    if seen.chosen[seat]:
        out[AT.chosen + seen.chosen[seat] - 1] = 1


@rule
def observe_seat(seen, seat, other, row, out):
    """7.1, 7.2, 7.3 What is seen of a seat: its pawn's standing, its cards played, its tokens."""
    standing = 2 if seen.pawn[other] == GONE else seen.pawn[other] > OUTSIDE
    out[AT.standing + row * STANDINGS + standing] = 1
    out[AT.hand_size + row] = seen.hand_size[other] / HAND
    out[AT.to_walk + row] = seen.to_walk[other]
    out[AT.loot + row] = seen.loot[other] / LOOT_SCALE
    out[AT.taken + row] = seen.taken[other] / TAKEN_SCALE
    out[AT.mates + row] = seen.side[other] == seen.side[seat]
    for kind in range(COSTS):
        out[AT.taken_at + row * COSTS + kind] = seen.taken_at[other, kind] / TAKEN_SCALE
    for card in range(CARDS):
        out[AT.played + row * CARDS + card] = seen.played[other, card] / 2
    if seen.last_card[other]:
        out[AT.last_card + row * (CARDS + 1) + seen.last_card[other] - 1] = 1
