"""All that a game of rob_a_bank consists of, and who may see which part."""

import numpy as np

from heist_envs.engine.fields import HIDDEN, StateSpec, field
from heist_envs.engine.options import REWARDS, Option, OptionSpec, switch

from .actions import ACTIONS
from .pieces import ACTORS, DECK_SIZE, KINDS, MOST_PAWNS, NEED, PLANNED, ROOMS, SEATS


def too_many_bags(values):
    """8.2 More bags than the default would need more tokens than there are."""
    most = int(NEED[values["num_players"]])
    if values["bags_to_win"] is not None and values["bags_to_win"] > most:
        return f"with {values['num_players']} players bags_to_win may be 1 to {most}, not {values['bags_to_win']}."
    return None


def default_bags(values):
    """8.2 Four bags, with four players five."""
    return int(NEED[values["num_players"]])


OPTIONS = OptionSpec(
    (2, SEATS),
    3,
    Option("bags_to_win", None, range(1, int(max(NEED)) + 1), "bags the robbers need", otherwise=default_bags),
    switch("street_corners", False, "the street has a space at each corner, beside no room"),
    rewards=(*REWARDS, "shaped"),
    check=too_many_bags,
)

STATE = StateSpec(
    SEATS,
    OPTIONS,
    field("pawns", "robbers, and as many guards"),
    field("round_number", "round, 1 to 3"),
    field("go", "which of the five cards is planned or executed, from 0"),
    field("actor", "whose card it is: 0 the bank, 1 + pawn"),
    field("tile", "tile in each room", ROOMS),
    field("wall", "1 + side of the wall of the tile in each room, 0 = none", ROOMS),
    field("guard", "room of each guard", MOST_PAWNS),
    field("guard_down", "1 for each unconscious guard", MOST_PAWNS),
    field("guard_start", "room each guard stood in when the turn began", MOST_PAWNS),
    field("guard_moved", "steps of each guard in this turn", MOST_PAWNS),
    field("robber", "room of each robber", MOST_PAWNS),
    field("robber_down", "1 for each unconscious robber", MOST_PAWNS),
    field("carried", "bags each robber carries", MOST_PAWNS),
    field("bags", "unlocked bags lying in each room", ROOMS),
    field("locked", "locked bags in each room", ROOMS),
    field("alarm_room", "room of the alarm"),
    field("alarm", "the alarm token: ready, locked, rung"),
    field("car", "space of the street the car stands on"),
    field("stolen", "bags in the car"),
    field("stolen_before", "bags in the car when the round began"),
    field("hand", "cards in hand of bank and pawns by kind", (ACTORS, KINDS), type=np.int8, known="hand_seers"),
    field("hand_seers", "bit s: seat s sees these cards", (ACTORS, KINDS), type=np.int8),
    field("deck", "the shuffled decks; the first eight cards were drawn", (ACTORS, DECK_SIZE), HIDDEN, np.int8),
    field("plan", "1 + card planned for each go", (ACTORS, PLANNED), HIDDEN, np.int8, recall=True),
    field("plan_top", "1 + the card on top of each pile: planned last, or executed last", ACTORS),
    field("plan_height", "cards in each pile", ACTORS),
    field("moves", "steps left on the card, all of them mandatory"),
    field("crawls", "crawls left on the card, mandatory"),
    field("other", "what the other action of the card may be: bits pick up, pepper, unlock, tackle, lock"),
    field("acted", "actions of the card done in this turn"),
    field("bonus_used", "1 when the bonus action of this turn is spent"),
    field("told", "1 when the turn has been logged"),
    field("probe", "scratch of the rules, 0 between decisions", len(ACTIONS), HIDDEN, np.int8),
)
