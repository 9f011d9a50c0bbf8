"""All that a game of silence consists of, and who may see which part."""

import numpy as np

from heist_envs.engine.fields import HIDDEN, OWNER, TEAM, StateSpec, field
from heist_envs.engine.options import Option, OptionSpec, switch

from .pieces import CARDS, CELLS, COSTS, DECK_SIZE, MOST_STEPS, SEATS, VALUES


def uneven_teams(values):
    """6.1 Pairs need an even number of players, teams of three need six."""
    teams, players = values["teams"], values["num_players"]
    if teams is not None and (players % teams or players // teams < 2):
        return f"teams of {teams} do not fit {players} players; allowed: 2 with 4 or 6 players, 3 with 6, or None."
    return None


OPTIONS = OptionSpec(
    (3, SEATS),
    4,
    Option("layout", "random", ("random", "fixed"), "how the four parts of the house lie"),
    Option("token_mode", "by_cost", ("by_cost", "uniform"), "dear cells hold dear tokens, or all are mixed"),
    Option("teams", None, (None, 2, 3), "players in a team"),
    switch("entrance_is_exit", True, "the south door lets pawns out too"),
    check=uneven_teams,
)

STATE = StateSpec(
    SEATS,
    OPTIONS,
    field("first_seat", "seat that moves first in a tie before anybody has"),
    field("starter", "1 + seat that moved first in the last successful round, 0 = none yet"),
    field("rounds", "rounds begun"),
    field("threshold", "most noise that wakes nobody"),
    field("cost", "what it costs to enter each cell", CELLS, type=np.int8),
    field("lying", "1 for each cell where a token lies", CELLS, type=np.int8),
    field("token", "value of the token in each cell", CELLS, HIDDEN, np.int8),
    field("bag", "tokens not laid out yet, empty once the game begins", (COSTS, VALUES), HIDDEN, np.int8),
    field("pawn", "place of each pawn: 0 outside, 1 + cell, 65 gone", SEATS),
    field("deck", "each deck as shuffled, next card at `drawn`", (SEATS, DECK_SIZE), HIDDEN, np.int8),
    field("drawn", "cards drawn from each deck", SEATS),
    field("undrawn", "cards left in each deck by value", (SEATS, CARDS), OWNER, np.int8),
    field("hand", "cards in hand by value", (SEATS, CARDS), OWNER, np.int8),
    field("hand_size", "cards in hand", SEATS),
    field("chosen", "1 + value of the card chosen in this round (1 = pass), secret until all have chosen", SEATS, OWNER),
    field("last_card", "1 + value of each seat's card in the last round that was shown", SEATS),
    field("played", "cards each seat has played by value", (SEATS, CARDS), HIDDEN, np.int8, recall=True),
    field("mover", "seat that walks"),
    field("to_walk", "1 for each seat that will still walk in this round", SEATS),
    field("budget", "what the walking seat may still spend"),
    field("path", "places entered on this walk", MOST_STEPS),
    field("steps", "how many"),
    field("picked", "tokens picked up on this walk", MOST_STEPS, HIDDEN),
    field("picks", "how many"),
    field("loot", "worth of the tokens each seat has taken", SEATS, TEAM),
    field("tokens", "tokens each seat has taken by cost of the cell and value", (SEATS, COSTS, VALUES), HIDDEN, np.int8),
    field("taken_at", "tokens each seat has taken by cost of the cell", (SEATS, COSTS), OWNER, recall=True),
    field("taken", "tokens each seat has taken", SEATS),
)
