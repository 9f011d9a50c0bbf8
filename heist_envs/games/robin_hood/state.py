"""All that a game of robin_hood consists of, and who may see which part."""

import numpy as np

from heist_envs.engine.fields import HIDDEN, OWNER, StateSpec, field
from heist_envs.engine.options import Option, OptionSpec, switch

from .pieces import COLOURS, DECK_SIZE, KINDS, MARKET, MOST_OPEN, SEATS, SYMBOL_MODES, SYMBOLS

OPTIONS = OptionSpec(
    (3, SEATS),
    4,
    Option("symbol_mode", "by_color", SYMBOL_MODES, "which symbol each copy of a card carries"),
    switch("use_marian", True, "Marian goes to whoever was robbed last and protects"),
    Option("max_turns", 400, range(1, 2001), "turns after which the game is truncated"),
)

STATE = StateSpec(
    SEATS,
    OPTIONS,
    field("turn", "seat whose turn it is"),
    field("turns", "finished turns"),
    field("taken", "market cards taken in this turn"),
    field("acted", "1 when an action was done in this turn"),
    field("deck", "the pile, next card at `drawn`", DECK_SIZE, HIDDEN, np.int8),
    field("drawn", "place of the next card in `deck`", (), HIDDEN),
    field("pile", "cards in the pile"),
    field("exhaustions", "how often the pile has run out"),
    field("market", "open cards by slot, 0 = empty", MARKET),
    field("hand", "cards in hand by kind and symbol", (SEATS, KINDS, len(SYMBOLS)), OWNER, np.int8),
    field("hand_size", "cards in hand", SEATS),
    field("open_cards", "unprotected cards by colour, oldest first", (SEATS, len(COLOURS), MOST_OPEN), type=np.int8),
    field("open_count", "how many there are", (SEATS, len(COLOURS))),
    field("safe", "protected cards by kind", (SEATS, KINDS), type=np.int8),
    field("coins", "coins in the hide-out, worth 3 each", SEATS),
    field("stock", "coins left"),
    field("marian", "1 + seat that holds Marian, 0 = nobody"),
    field("pending", "cards of the trio that has been laid", 3),
    field("victim", "1 + seat whose card it aims at, 0 = not chosen"),
    field("target", "card it aims at, 0 = not chosen"),
    field("known", "cards each seat is publicly known to hold, by kind", (SEATS, KINDS), HIDDEN, np.int8, recall=True),
    field("discard_top", "card on top of the discard pile, 0 = none"),
    field("discard", "discard pile by kind and symbol", (KINDS, len(SYMBOLS)), HIDDEN, np.int8, recall=True),
)
