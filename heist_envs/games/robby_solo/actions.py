"""The 25 actions of robby_solo, the same for every player count."""

from heist_envs.engine.actions import ActionTable, Verb

from .pieces import BANKS

ACTIONS = ActionTable(
    place=Verb("place {bank}", "choose a bank in secret", bank=range(BANKS)),
    declare=Verb("declare {bank}", "say truly that one robs this bank, or that one does not", bank=range(BANKS)),
    keep=Verb("keep", "leave the card where it is"),
    replay=Verb("replay {bank}", "take the card back and choose again", bank=range(BANKS)),
    left=Verb("left", "lay out the loot from the last bank to the first"),
    right=Verb("right", "lay out the loot from the first bank to the last"),
)
DECODE = ACTIONS.decode
PLACE, DECLARE, KEEP, REPLAY, LEFT, RIGHT = (
    ACTIONS.first[v] for v in ("place", "declare", "keep", "replay", "left", "right")
)
