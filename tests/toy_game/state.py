"""All that a game consists of: state, actions, events, observation."""

from enum import IntEnum

import numpy as np

from heist_envs.engine.actions import ActionTable, Verb
from heist_envs.engine.events import MAYBE, NUMBER, EventSpec, many
from heist_envs.engine.fields import HIDDEN, OWNER, StateSpec, field
from heist_envs.engine.observation import ObservationSpec, part
from heist_envs.engine.options import OptionSpec, switch

SEATS, TREASURES, ROUNDS, COINS, MAX_BID = 3, 6, 4, 8, 5


class Phase(IntEnum):
    """Which decision is asked."""

    LOOK = 0
    BID = 1


OPTIONS = OptionSpec((2, SEATS), 2, switch("all_pay", False, "every bid is paid, not only the one that takes"))

STATE = StateSpec(
    SEATS,
    OPTIONS,
    field("deck", "treasures as shuffled, the next one at `drawn`", TREASURES, HIDDEN, np.int8),
    field("drawn", "treasures laid out so far"),
    field("turn", "seat that may look"),
    field("row", "treasures laid out, oldest first", ROUNDS, type=np.int8, known="knowers"),
    field("knowers", "bit s: seat s knows this treasure", ROUNDS, type=np.int8),
    field("shown", "1 for each treasure shown to all so far, by worth", TREASURES, HIDDEN, recall=True),
    field("coins", "coins left", SEATS),
    field("points", "points taken", SEATS),
    field("bid", "secret until all have bid", SEATS, OWNER),
)

ACTIONS = ActionTable(
    look=Verb("look", "pay a coin to see the treasure"),
    skip=Verb("pass", "do not look"),
    bid=Verb("bid {coins}", "offer coins, in secret", coins=range(MAX_BID + 1)),
)
LOOK, PASS, BID = (ACTIONS.first[verb] for verb in ("look", "skip", "bid"))

EVENTS = EventSpec(
    setup={"deck": many(NUMBER), "first_seat": NUMBER},
    look={"seat": NUMBER, "treasure": MAYBE},
    bids={"bids": many(NUMBER), "treasure": NUMBER, "winner": MAYBE},
    end={"scores": many(NUMBER)},
)

OBSERVATION = ObservationSpec(
    part("seats", SEATS - 1, "number of players, one-hot from 2"),
    part("seat", SEATS, "my seat, one-hot"),
    part("phase", len(Phase), "what is asked, one-hot"),
    part("my_turn", 1, "1 when I am the one who may look"),
    part("treasure", 1, "worth of the treasure, 0 = unknown", scale=TREASURES),
    part("shown", TREASURES, "treasures shown so far by worth; 0 without perfect recall"),
    part("coins", SEATS, "coins, me first", scale=COINS),
    part("points", SEATS, "points, me first", scale=TREASURES, most=18),
)
AT = OBSERVATION.at
