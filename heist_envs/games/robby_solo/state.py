"""All that a game of robby_solo consists of, and who may see which part."""

import numpy as np

from heist_envs.engine.fields import HIDDEN, OWNER, StateSpec, field
from heist_envs.engine.options import Option, OptionSpec, switch

from .pieces import BANKS, DECK_SIZE, FULL, KINDS, LOOTERS, SEATS


def too_many_banks(values):
    """2.2 With Robby Junior a sixth player would need an eighth bank."""
    if values["robby_junior"] and values["num_players"] == SEATS:
        return f"with robby_junior num_players may not be {SEATS}: there are only {BANKS} banks; allowed: 3 to {SEATS - 1}."
    return None


OPTIONS = OptionSpec(
    (3, SEATS),
    4,
    switch("robby_junior", False, "the virtual player Robby Junior takes part"),
    switch("junior_can_win", False, "Robby Junior is a contender for the win"),
    switch("supply_choice", True, "the Gentleman chooses the side from which loot is laid out"),
    Option("max_rounds", 100, range(1, 1001), "rounds after which the game is truncated"),
    check=too_many_banks,
)

STATE = StateSpec(
    SEATS,
    OPTIONS,
    field("banks", "banks in play"),
    field("looters", "piles in play: the seats', then Robby Junior's"),
    field("gentleman", "seat that supplies and declares in this round"),
    field("rounds", "rounds begun"),
    field("deck", "loot cards face down, a ring that begins at `deck_top`", DECK_SIZE, HIDDEN, np.int8),
    field("deck_top", "place of the next card in the ring", (), HIDDEN),
    field("deck_size", "cards in the deck"),
    field("lying", "loot at each bank, oldest first", (BANKS, FULL), type=np.int8),
    field("length", "cards at each bank", BANKS),
    field("choice", "1 + bank of the robbery card that lies in front of each seat, secret until the reveal", SEATS, OWNER),
    field("declared", "1 + bank of the declaration, 0 = none yet"),
    field("declared_robs", "1 when it says `I rob it`, 0 when it says `I do not`"),
    field("took_back", "1 for each seat that took its card back in the last pass", SEATS),
    field("pile", "taken loot, oldest first", (LOOTERS, DECK_SIZE), OWNER, np.int8, recall=True),
    field("loot", "taken loot by kind", (LOOTERS, KINDS), OWNER, np.int8, recall=True),
    field("pile_size", "cards in each pile", LOOTERS),
    field("pile_top", "last card of each pile", LOOTERS),
    field("last_choice", "1 + bank each looter robbed in the last round", LOOTERS, HIDDEN, recall=True),
    field("junior_pack", "Robby Junior's banks + 1 in playing order", BANKS, HIDDEN),
    field("junior_known", "the part of his pack that has been played once", BANKS, HIDDEN, recall=True),
    field("junior_at", "place in his pack of the card he plays in this round"),
    field("junior_last", "1 + bank he robbed in the last round"),
)
