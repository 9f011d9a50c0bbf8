"""All that a game of banquefall consists of, and who may see which part."""

import numpy as np

from heist_envs.engine.fields import HIDDEN, OWNER, StateSpec, field
from heist_envs.engine.options import OptionSpec, switch

from .pieces import BANK_CAPACITY, BANKS, CARDS, DECK_SIZE, SEATS, TILES

OPTIONS = OptionSpec(
    (2, 5), 4, switch("stop_on_unpaid", False, "payment stops at the first bid that cannot be paid in full")
)

STATE = StateSpec(
    SEATS,
    OPTIONS,
    field("deck", "all cards as shuffled, next card at `drawn`", DECK_SIZE, HIDDEN, np.int8),
    field("drawn", "cards drawn so far"),
    field("turn", "seat whose tile is or was turned last"),
    field("tiles", "unturned tiles of each kind", TILES),
    field("hand", "cards of each kind in hand", (SEATS, CARDS), OWNER, np.int8),
    field("hand_size", "cards in hand", SEATS),
    field("row", "kind of each card at each bank, oldest first", (BANKS, BANK_CAPACITY), type=np.int8, known="knowers"),
    field("knowers", "bit s: seat s knows this card", (BANKS, BANK_CAPACITY), type=np.int8),
    field("origin", "1 + seat that placed this card, 0 = dealt", (BANKS, BANK_CAPACITY), type=np.int8),
    field("face_up", "1 for each face-up card", (BANKS, BANK_CAPACITY), type=np.int8),
    field("length", "cards at each bank", BANKS),
    field("funds", "coins behind the screen", SEATS, OWNER, recall=True),
    field("credits", "red coins taken", SEATS),
    field("target", "bank being robbed"),
    field("bid", "coins offered in this robbery, secret until all have bid", SEATS, OWNER),
    field("final", "0, or how many banks of the final round have been called"),
    field("gone", "cards of each kind robbed so far", CARDS, HIDDEN, recall=True),
    field("last_bank", "bank of the last robbery"),
    field("last_result", "how it ended, 0 = no robbery yet"),
    field("last_descending", "1 when its highest bid was paid first"),
    field("last_loot", "its loot"),
    field("last_bid", "what each seat bid", SEATS),
    field("last_paid", "what each seat was paid", SEATS),
    field("last_lost", "what each seat lost", SEATS),
)
