"""Scripted players of robby_solo: the plainly greedy, one who mixes and listens, one who follows Robby Junior."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule

from .actions import DECLARE, KEEP, PLACE, REPLAY, RIGHT
from .pieces import OBJECT, OBJECT_WORTH, Phase

SPREAD = 1000  # resolution of a weighted draw


@rule
def value(seen, seat, bank):
    """What the loot at a bank is worth to this seat, in thousands; objects by what they add to its own."""
    total, objects = 0, 0
    for slot in range(seen.length[bank]):
        if seen.lying[bank, slot] == OBJECT:
            objects += 1
        else:
            total += seen.lying[bank, slot]
    own = seen.loot[seat, OBJECT]
    return total + max(OBJECT_WORTH[min(own + objects, 7)] - OBJECT_WORTH[own], 6 * objects)


@rule
def richest(seen, seat, avoided):
    """The bank of most value other than `avoided` (1 + bank, 0 = none)."""
    best, most = 0, -1
    for bank in range(seen.banks):
        if bank + 1 != avoided and value(seen, seat, bank) > most:
            best, most = bank, value(seen, seat, bank)
    return best


@rule
def weighted(seen, seat, avoided, memory):
    """A bank drawn with a chance that grows with its value, never `avoided` (1 + bank, 0 = none)."""
    total = 0.0
    for bank in range(seen.banks):
        total += weight(seen, seat, bank, avoided)
    left = random_below(memory, SPREAD) * total / SPREAD
    for bank in range(seen.banks):
        left -= weight(seen, seat, bank, avoided)
        if left < 0:
            return bank
    return richest(seen, seat, avoided)


@rule
def weight(seen, seat, bank, avoided):
    """How often `weighted` draws a bank: between evenly and in proportion to its value."""
    return 0.0 if bank + 1 == avoided else 2.0 + value(seen, seat, bank)


@rule
def robbed_by_gentleman(seen):
    """1 + the bank the Gentleman has said he robs, 0 when he has said nothing of the kind."""
    return seen.declared * seen.declared_robs


@rule
def greedy(seen, seat, mask, memory):
    """Goes for the richest bank, says so as Gentleman, and makes way only for a Gentleman who says the same."""
    if seen.phase == Phase.SUPPLY:
        return RIGHT
    if seen.phase == Phase.DECLARE:
        return DECLARE + seen.choice[seat] - 1
    if seen.phase == Phase.CONFIRM:
        taken = robbed_by_gentleman(seen)
        return REPLAY + richest(seen, seat, taken) if taken == seen.choice[seat] else KEEP
    return PLACE + richest(seen, seat, 0)


@rule
def mixer(seen, seat, mask, memory):
    """Draws a bank by value, says as Gentleman which one he robs, and leaves the declared bank to the Gentleman."""
    if seen.phase == Phase.SUPPLY:
        return RIGHT
    if seen.phase == Phase.DECLARE:
        return DECLARE + seen.choice[seat] - 1
    if seen.phase == Phase.CONFIRM:
        taken = robbed_by_gentleman(seen)
        return REPLAY + weighted(seen, seat, taken, memory) if taken == seen.choice[seat] else KEEP
    return PLACE + weighted(seen, seat, 0, memory)


@rule
def junior_comes_to(seen):
    """1 + the bank Robby Junior robs in this round, 0 while his card is unknown."""
    return seen.junior_known[seen.junior_at] if seen.option_robby_junior else 0


@rule
def tracker(seen, seat, mask, memory):
    """The mixer who also remembers Robby Junior's cards: from the second time round never meets him."""
    junior = junior_comes_to(seen)
    if seen.phase == Phase.CONFIRM:
        taken = robbed_by_gentleman(seen)
        if taken != seen.choice[seat]:
            return KEEP
        bank = weighted(seen, seat, taken, memory)
        return REPLAY + (bank if bank + 1 != junior else free_bank(seen, seat, taken, junior))
    if seen.phase == Phase.SUPPLY or seen.phase == Phase.DECLARE:
        return mixer(seen, seat, mask, memory)
    return PLACE + weighted(seen, seat, junior, memory)


@rule
def free_bank(seen, seat, taken, junior):
    """The richest bank that neither the Gentleman nor Robby Junior robs."""
    best, most = 0, -1
    for bank in range(seen.banks):
        if bank + 1 != taken and bank + 1 != junior and value(seen, seat, bank) > most:
            best, most = bank, value(seen, seat, bank)
    return best


@rule
def robby_junior(seen, seat, mask, memory):
    """Robby Junior at a seat: a pack of banks shuffled once and played in turn; he keeps his card, declares it as
    Gentleman and supplies to the right. `notes`: 1 + place of his next card, then the pack."""
    if seen.phase == Phase.SUPPLY:
        return RIGHT
    if seen.phase == Phase.DECLARE:
        return DECLARE + seen.choice[seat] - 1
    if seen.phase == Phase.CONFIRM:
        return KEEP
    notes = memory.notes
    pack = notes[1:]
    if notes[0] == 0:
        for bank in range(seen.banks):
            pack[bank] = bank
        shuffle(memory, pack, seen.banks)
        notes[0] = 1
    bank = pack[notes[0] - 1]
    notes[0] = notes[0] + 1 if notes[0] < seen.banks else 1
    return PLACE + bank


BOTS = {"robby_junior": robby_junior, "greedy": greedy, "mixer": mixer, "tracker": tracker}
