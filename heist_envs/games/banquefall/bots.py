"""Scripted players of banquefall. Both reckon with the cards they know at a bank; they differ in what they dare."""

from heist_envs.engine.compile import rule

from .actions import BID, CARD, PASS, PLACE, ROB
from .knowledge import class_of
from .pieces import BANK_CAPACITY, BANKS, CARDS, CLASSES, DEALT, MAX_BID, WORTH, Card, Phase, Result

UNKNOWN_MONEY = 2.5  # mean worth of a card nobody has shown: 111 coins in 45 cards


@rule
def known(seen, bank, card):
    """Cards of this kind that the seat knows at a bank; UNKNOWN counts those it does not know."""
    found = 0
    for slot in range(seen.length[bank]):
        found += seen.row[bank, slot] == card
    return found


@rule
def known_money(seen, bank):
    """Coins lying there for certain, before any X."""
    money = 0
    for slot in range(seen.length[bank]):
        money += WORTH[seen.row[bank, slot]]
    return money


@rule
def forecast(seen, bank):
    """How a robbery would end if the unknown cards were no people."""
    police, thieves = known(seen, bank, Card.POLICEMAN), known(seen, bank, Card.THIEF)
    if known(seen, bank, Card.SEDUCTRESS) == 1:
        police = thieves = 0
    if police == 1:
        return Result.POLICE
    return Result.THIEF if thieves > known(seen, bank, Card.DETECTIVE) else Result.SHARED


@rule
def expected_loot(seen, bank, trust):
    """Loot of a shared robbery, unknown cards counted at `trust` times their mean worth."""
    money = known_money(seen, bank) + trust * UNKNOWN_MONEY * known(seen, bank, Card.UNKNOWN)
    return money * (1 + known(seen, bank, Card.X))


@rule
def highest_first(seen, bank):
    """Whether a spare detective will turn the order of payment, as far as the seat knows."""
    held = known(seen, bank, Card.SEDUCTRESS) == 1
    return not held and known(seen, bank, Card.DETECTIVE) > known(seen, bank, Card.THIEF)


@rule
def bid_share(seen, seat, mask, share, top_share, trust):
    """Bid `share` of an equal part of the loot, `top_share` of all of it when the highest bid is paid first, nothing
    where police or a thief is known."""
    bank = seen.target
    if forecast(seen, bank) != Result.SHARED:
        return BID
    loot = expected_loot(seen, bank, trust)
    coins = int(loot * top_share) if highest_first(seen, bank) else int(loot * share / seen.seats)
    coins = min(coins, MAX_BID)
    while not mask[BID + coins]:
        coins -= 1
    return BID + coins


@rule
def best_bank_to_rob(seen, seat):
    """The bank that promises most to somebody who knows what this seat knows: others bid on what they do not see."""
    best, best_value = 0, -1.0
    for bank in range(BANKS):
        value = expected_loot(seen, bank, 0.5) / seen.seats
        if forecast(seen, bank) == Result.POLICE:
            value = 5.0
        elif forecast(seen, bank) == Result.THIEF:
            value = 0.0
        if value > best_value:
            best, best_value = bank, value
    return ROB + best


@rule
def worth_placing(seen, seat, card, bank):
    """How much a seat that plays for its own knowledge likes this card at this bank."""
    money = known_money(seen, bank)
    if card == Card.POLICEMAN:  # a trap: others bid on money they see, this seat bids nothing and is rewarded
        return 12.0 + money if known(seen, bank, Card.POLICEMAN) == 0 else 0.0
    if card == Card.THIEF:
        return 6.0 + known(seen, bank, Card.UNKNOWN)
    if card == Card.X:
        return 2.0 + money
    if card == Card.SEDUCTRESS:
        return 1.0 + (money if forecast(seen, bank) != Result.SHARED else 0.0)
    if card == Card.DETECTIVE:
        return 1.0 + 0.5 * money * (1 + known(seen, bank, Card.X))
    shared = forecast(seen, bank) == Result.SHARED
    return WORTH[card] + (0.5 * money + 3.0 * known(seen, bank, Card.X) if shared else 0.0)


@rule
def best_placement(seen, seat):
    """The card and bank this seat likes most."""
    best, best_value = PLACE, -1.0
    for card in range(1, CARDS):
        for bank in range(BANKS):
            if seen.hand[seat, card] and seen.length[bank] < BANK_CAPACITY:
                value = worth_placing(seen, seat, card, bank)
                if value > best_value:
                    best, best_value = PLACE + (card - 1) * BANKS + bank, value
    return best


@rule
def safe_placement(seen, seat):
    """The dearest money at the bank with most known money, people only when there is nothing else."""
    for card in (Card.TEN, Card.FIVE, Card.FOUR, Card.THREE, Card.TWO, Card.X):
        if seen.hand[seat, card]:
            return PLACE + (card - 1) * BANKS + richest_bank(seen)
    for card in range(Card.SEDUCTRESS, CARDS):
        if seen.hand[seat, card]:
            return PLACE + (card - 1) * BANKS + richest_bank(seen)
    return PLACE


@rule
def richest_bank(seen):
    """The bank with most known money among those with room."""
    best, most = 0, -1
    for bank in range(BANKS):
        if seen.length[bank] < BANK_CAPACITY and known_money(seen, bank) > most:
            best, most = bank, known_money(seen, bank)
    return best


@rule
def spy_where_most_is_unknown(seen, seat, mask):
    """Look at an unknown card of the bank that hides most from this seat; pass when all is known."""
    best, most = PASS, 0
    for bank in range(BANKS):
        hidden = known(seen, bank, Card.UNKNOWN)
        if hidden > most:
            for kind in range(DEALT, CLASSES):
                if mask[CARD + bank * CLASSES + kind]:
                    best, most = CARD + bank * CLASSES + kind, hidden
    return best


@rule
def reveal_a_stranger(seen, seat, mask):
    """Turn up a card the seat does not know, never its own secrets."""
    for bank in range(BANKS):
        for slot in range(seen.length[bank]):
            kind = class_of(seen, seat, bank, slot)
            if not seen.face_up[bank, slot] and kind >= DEALT and mask[CARD + bank * CLASSES + kind]:
                return CARD + bank * CLASSES + kind
    return PASS


@rule
def greedy(seen, seat, mask, memory):
    """Sets traps, calls the bank it knows best and bids a little more than an equal share."""
    if seen.phase == Phase.BID:
        return bid_share(seen, seat, mask, 1.2, 0.8, 0.5)
    if seen.phase == Phase.PLACE:
        return best_placement(seen, seat)
    if seen.phase == Phase.SPY:
        return spy_where_most_is_unknown(seen, seat, mask)
    if seen.phase == Phase.REVEAL:
        return PASS
    return best_bank_to_rob(seen, seat)


@rule
def careful(seen, seat, mask, memory):
    """Puts money to money, reveals strangers and bids less than an equal share of what it has seen."""
    if seen.phase == Phase.BID:
        return bid_share(seen, seat, mask, 0.8, 0.3, 0.0)
    if seen.phase == Phase.PLACE:
        return safe_placement(seen, seat)
    if seen.phase == Phase.SPY:
        return spy_where_most_is_unknown(seen, seat, mask)
    if seen.phase == Phase.REVEAL:
        return reveal_a_stranger(seen, seat, mask)
    return best_bank_to_rob(seen, seat)


BOTS = {"greedy": greedy, "careful": careful}
