"""The 280 actions of robin_hood, the same for every player count and symbol mode."""

from heist_envs.engine.actions import ActionTable, Verb

from .pieces import COLOURS, KIND_NAMES, MARKET, RUN, SEATS, TRIOS, VALUES

ACTIONS = ActionTable(
    take=Verb("take {slot}", "take an open card into the hand", slot=range(MARKET)),
    run=Verb("run {colour} {first}", "three in sequence rob the sheriff", colour=COLOURS, first=range(1, VALUES - RUN + 2)),
    trio=Verb("trio {value} {symbols}", "lay three of a value to rob a player", value=range(1, VALUES + 1), symbols=TRIOS),
    target=Verb("target +{steps} {card}", "the treasure to rob, so far to the left", steps=range(1, SEATS), card=KIND_NAMES),
    counter=Verb("counter", "show a card of the value and keep the treasure"),
    decline=Verb("decline", "let it go"),
    discard=Verb("discard {card}", "discard this card", card=KIND_NAMES),
    end=Verb("end", "end the turn"),
)
DECODE = ACTIONS.decode
TAKE, SHERIFF, TRIO, TARGET = (ACTIONS.first[verb] for verb in ("take", "run", "trio", "target"))
COUNTER, DECLINE, DISCARD, END = (ACTIONS.first[verb] for verb in ("counter", "decline", "discard", "end"))
