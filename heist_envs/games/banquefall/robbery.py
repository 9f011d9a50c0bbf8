"""RULES.md 4: what happens at a robbed bank once all bids are in."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import emit, put_list

from . import events
from .events import tell_robbery
from .pieces import CREDIT, FUNDS, POLICE_REWARD, WORTH, Card, Result


@rule
def rob_bank(state, restock, tape):
    """4 The people act on each other in their order, what is left decides; then all cards leave and credit is given.

    `restock` is the card the bank gets afterwards (4.9), only for the log.
    """
    bank = state.target
    emit(tape, events.BIDS)
    put_list(tape, state.bid, state.seats)
    open_ledger(state, bank)
    state.last_result = outcome(state, bank)
    if state.last_result == Result.POLICE:
        reward_the_cautious(state)
    elif state.last_result == Result.THIEF:
        lose_all_bids(state)
    else:
        share(state)
    settle(state)
    give_credit(state)
    tell_robbery(state, tape, state.row[bank], state.length[bank], restock)
    clear_row(state, bank)


@rule
def count(state, bank, card):
    """Cards of a kind at a bank, face up or down."""
    found = 0
    for slot in range(state.length[bank]):
        found += state.row[bank, slot] == card
    return found


@rule
def open_ledger(state, bank):
    """4.1 All see the bids, then the cards."""
    state.last_bank = bank
    state.last_loot = 0
    state.last_descending = 0
    for seat in range(state.seats):
        state.last_bid[seat] = state.bid[seat]
        state.last_paid[seat] = 0
        state.last_lost[seat] = 0
        state.bid[seat] = 0


@rule
def outcome(state, bank):
    """4.2 to 4.4 Who of the people at the bank has the last word; sets loot and order when it is shared."""
    police = count(state, bank, Card.POLICEMAN)
    detectives = count(state, bank, Card.DETECTIVE)
    thieves = count(state, bank, Card.THIEF)
    if count(state, bank, Card.SEDUCTRESS) == 1:  # 4.2 one turns every head, several chat
        police = detectives = thieves = 0
    if police == 1:  # 4.3 one policeman ends it, several play cards
        return Result.POLICE
    if thieves > detectives:  # 4.4 each detective holds one thief
        return Result.THIEF
    state.last_descending = detectives > thieves  # 4.4 a spare detective turns the order of payment
    state.last_loot = loot(state, bank)
    return Result.SHARED


@rule
def loot(state, bank):
    """4.5 The sum of the money, doubled by one X, tripled by two, and so on."""
    money = 0
    for slot in range(state.length[bank]):
        money += WORTH[state.row[bank, slot]]
    return money * (1 + count(state, bank, Card.X))


@rule
def reward_the_cautious(state):
    """4.3 The police pays whoever offered nothing."""
    for seat in range(state.seats):
        if state.last_bid[seat] == 0:
            state.last_paid[seat] = POLICE_REWARD


@rule
def lose_all_bids(state):
    """4.7 A thief at large takes what was offered."""
    for seat in range(state.seats):
        state.last_lost[seat] = state.last_bid[seat]


@rule
def share(state):
    """4.6 Each bid is matched from the loot in order; equal bids are paid together or not at all."""
    left = state.last_loot
    served = 0
    while served < state.seats:
        bid = next_bid(state, served)
        bidders = 0
        for seat in range(state.seats):
            bidders += state.last_bid[seat] == bid
        served += bidders
        if bid * bidders <= left:
            left -= bid * bidders
            for seat in range(state.seats):
                if state.last_bid[seat] == bid:
                    state.last_paid[seat] = bid
        elif state.option_stop_on_unpaid:
            return


@rule
def next_bid(state, served):
    """4.6 The bid that comes after `served` others: the lowest first, with a spare detective the highest."""
    for seat in range(state.seats):
        before = 0
        same = 0
        for other in range(state.seats):
            same += state.last_bid[other] == state.last_bid[seat]
            if state.last_descending:
                before += state.last_bid[other] > state.last_bid[seat]
            else:
                before += state.last_bid[other] < state.last_bid[seat]
        if before <= served < before + same:
            return state.last_bid[seat]
    return 0


@rule
def settle(state):
    """4.6, 4.7 Coins change hands behind the screens."""
    for seat in range(state.seats):
        state.funds[seat] += state.last_paid[seat] - state.last_lost[seat]


@rule
def give_credit(state):
    """4.8 Whoever has fewer than ten coins takes ten and a red coin."""
    for seat in range(state.seats):
        while state.funds[seat] < FUNDS:
            state.funds[seat] += CREDIT
            state.credits[seat] += 1


@rule
def clear_row(state, bank):
    """4 All cards of the bank are discarded, whatever happened."""
    for slot in range(state.length[bank]):
        state.gone[state.row[bank, slot]] += 1
        state.row[bank, slot] = 0
        state.knowers[bank, slot] = 0
        state.origin[bank, slot] = 0
        state.face_up[bank, slot] = 0
    state.length[bank] = 0
