"""The 244 actions of banquefall, the same for every player count."""

from heist_envs.engine.actions import ActionTable, Verb

from .pieces import BANKS, CARD_NAMES, CLASS_NAMES, MAX_BID

ACTIONS = ActionTable(
    place=Verb("place {card} @{bank}", "lay a hand card face down at a bank", card=CARD_NAMES, bank=range(BANKS)),
    card=Verb("card {bank} {kind}", "spy on or reveal the oldest such face-down card", bank=range(BANKS), kind=CLASS_NAMES),
    skip=Verb("pass", "spy on or reveal nothing"),
    rob=Verb("rob {bank}", "call a robbery", bank=range(BANKS)),
    bid=Verb("bid {coins}", "offer coins, in secret", coins=range(MAX_BID + 1)),
)
DECODE = ACTIONS.decode
PLACE, CARD, PASS, ROB, BID = (ACTIONS.first[verb] for verb in ("place", "card", "skip", "rob", "bid"))
