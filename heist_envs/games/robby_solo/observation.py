"""What a seat of robby_solo sees, as one vector for every player count (absent seats and banks are 0).

Per-seat slices begin with the seat itself and go on to its left; Robby Junior has a row of his own, the last. Banks keep
their numbers, as in the actions.
"""

from heist_envs.engine.compile import rule
from heist_envs.engine.observation import ObservationSpec, part
from heist_envs.engine.seating import steps_to, to_the_left

from .pieces import BANKS, DECK_SIZE, FULL, KINDS, LOOTERS, OBJECT, SEATS, Phase

JUNIOR = SEATS  # his row
PILE_SCALE, KIND_SCALE, ROUND_SCALE = 20, 7, 20

OBSERVATION = ObservationSpec(
    part("players", 4, "number of players, one-hot from 3"),
    part("banks", 4, "number of banks, one-hot from 4"),
    part("junior", 1, "1 when Robby Junior takes part"),
    part("phase", len(Phase), "what is asked: supply, place, gentleman, declare, confirm; one-hot"),
    part("gentleman", SEATS, "the Gentleman, me first, one-hot"),
    part("round", 1, "rounds begun", scale=ROUND_SCALE, most=1000),
    part("deck", 1, "cards in the deck", scale=DECK_SIZE),
    part("lying", (BANKS, KINDS - 1), "loot at each bank by kind: 1..9 thousand, object", scale=FULL),
    part("choice", BANKS, "the bank I have chosen, one-hot"),
    part("declared", BANKS, "bank of the declaration, one-hot"),
    part("declared_robs", 2, "it says `I rob it`, `I do not rob it`; one-hot"),
    part("took_back", SEATS, "who took his card back in the last pass of keep or replay, me first"),
    part("pile_size", LOOTERS, "cards in each pile, me first", scale=PILE_SCALE, most=DECK_SIZE),
    part("top_money", LOOTERS, "last card of each pile if money, in thousands, me first", scale=9),
    part("top_object", LOOTERS, "1 where the last card is an object, me first"),
    part("loot", (LOOTERS, KINDS - 1), "piles by kind, me first; others' 0 without perfect recall", scale=KIND_SCALE),
    part("last_choice", (LOOTERS, BANKS), "banks robbed in the last round, me first, one-hot; 0 without perfect recall"),
    part("junior_at", BANKS, "place in his pack of the card Robby Junior plays in this round, one-hot"),
    part("junior_next", (BANKS, BANKS), "bank he robs in k rounds, as far as known, one-hot; 0 without perfect recall"),
    part("junior_last", BANKS, "bank he robbed in the last round, one-hot"),
)
AT = OBSERVATION.at
LAID, PILED, HELD = 1 / FULL, 1 / PILE_SCALE, 1 / KIND_SCALE


@rule
def observe(seen, seat, out):
    """6.1 Everything the seat sees now."""
    observe_round(seen, seat, out)
    observe_banks(seen, out)
    for k in range(seen.seats):
        observe_looter(seen, to_the_left(seat, k, seen.seats), k, out)
    if seen.option_robby_junior:
        observe_looter(seen, seen.seats, JUNIOR, out)
        observe_junior(seen, out)


@rule
def observe_round(seen, seat, out):
    """6.1 Where the game stands, my own card and the declaration."""
    out[AT.players + seen.seats - 3] = 1
    out[AT.banks + seen.banks - 4] = 1
    out[AT.junior] = seen.option_robby_junior
    out[AT.gentleman + steps_to(seat, seen.gentleman, seen.seats)] = 1
    out[AT.round] = seen.rounds / ROUND_SCALE
    out[AT.deck] = seen.deck_size / DECK_SIZE
    if not seen.over:
        out[AT.phase + seen.phase] = 1
    if seen.choice[seat]:
        out[AT.choice + seen.choice[seat] - 1] = 1
    if seen.declared:
        out[AT.declared + seen.declared - 1] = 1
        out[AT.declared_robs + 1 - seen.declared_robs] = 1


@rule
def observe_banks(seen, out):
    """6.1 The loot at the banks."""
    for bank in range(seen.banks):
        for slot in range(seen.length[bank]):
            out[AT.lying + bank * (KINDS - 1) + int(seen.lying[bank, slot]) - 1] += LAID


@rule
def observe_looter(seen, looter, row, out):
    """6.1, 6.3 A pile, and with perfect recall what is in it and which bank its owner robbed last."""
    if row < SEATS:
        out[AT.took_back + row] = seen.took_back[looter]
    out[AT.pile_size + row] = seen.pile_size[looter] * PILED
    if seen.pile_top[looter] == OBJECT:
        out[AT.top_object + row] = 1
    else:
        out[AT.top_money + row] = seen.pile_top[looter] / 9
    for kind in range(1, KINDS):
        out[AT.loot + row * (KINDS - 1) + kind - 1] = seen.loot[looter, kind] * HELD
    if seen.last_choice[looter]:
        out[AT.last_choice + row * BANKS + seen.last_choice[looter] - 1] = 1


@rule
def observe_junior(seen, out):
    """4.1, 6.3 Robby Junior's cycle from his next card on; without perfect recall only his last card."""
    out[AT.junior_at + seen.junior_at] = 1
    if seen.junior_last:
        out[AT.junior_last + seen.junior_last - 1] = 1
    for k in range(seen.banks):
        card = seen.junior_known[to_the_left(seen.junior_at, k, seen.banks)]
        if card:
            out[AT.junior_next + k * BANKS + card - 1] = 1
