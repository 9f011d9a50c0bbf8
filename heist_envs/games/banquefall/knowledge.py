"""RULES.md 6: what a seat knows of face-down cards, and dealing anew what it does not know."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL
from heist_envs.engine.seating import steps_to

from .pieces import BANKS, CARDS, DEALT, DECK_SIZE, MAX_BID, Phase


@rule
def knows(table, seat, bank, slot):
    """6.1 Whoever placed a card or spied on it knows it for good; everybody knows a face-up card."""
    return (table.knowers[bank, slot] >> seat) & 1


@rule
def class_of(table, seat, bank, slot):
    """6.1 What a face-down card is to a seat: its kind if known, else dealt, or how far left its placer sits."""
    kind, placer = int(table.row[bank, slot]) - 1, int(table.origin[bank, slot]) - 1
    unknown = DEALT + steps_to(seat, placer, table.seats) if placer >= 0 else DEALT
    return kind if knows(table, seat, bank, slot) else unknown


@rule
def oldest_of_class(table, seat, bank, kind):
    """6.1 The slot of the oldest face-down card of a class, NULL if there is none."""
    for slot in range(table.length[bank]):
        if not table.face_up[bank, slot] and class_of(table, seat, bank, slot) == kind:
            return slot
    return NULL


@rule
def face_down(table, bank):
    """How many cards at a bank lie face down."""
    count = 0
    for slot in range(table.length[bank]):
        count += 1 - table.face_up[bank, slot]
    return count


@rule
def learn(state, seat, bank, slot):
    """6.1 The seat knows this card from now on."""
    state.knowers[bank, slot] |= 1 << seat


@rule
def redeal(state, seat):
    """6.2 Shuffle together all cards the seat does not know (pile, other hands, face-down cards) and deal them again;
    others' bids in a running robbery are drawn anew too."""
    at = state.drawn
    count = DECK_SIZE - at
    # The drawn part of the deck is history: it serves as the pool, and forgetting it keeps it from telling anything.
    for other in range(state.seats):
        if other != seat:
            for card in range(1, CARDS):
                for _ in range(state.hand[other, card]):
                    at -= 1
                    state.deck[at] = card
    for bank in range(BANKS):
        for slot in range(state.length[bank]):
            if not knows(state, seat, bank, slot):
                at -= 1
                state.deck[at] = state.row[bank, slot]
    pool = state.deck[at:]
    shuffle(state, pool, state.drawn - at + count)
    for other in range(state.seats):
        if other != seat:
            for card in range(CARDS):
                state.hand[other, card] = 0
            for _ in range(state.hand_size[other]):
                state.hand[other, state.deck[at]] += 1
                at += 1
    for bank in range(BANKS):
        for slot in range(state.length[bank]):
            if not knows(state, seat, bank, slot):
                state.row[bank, slot] = state.deck[at]
                at += 1
    for i in range(state.drawn):
        state.deck[i] = 0
    if state.phase == Phase.BID:
        for other in range(state.seats):
            if other != seat and not state.to_act[other]:
                state.bid[other] = random_below(state, min(state.funds[other], MAX_BID) + 1)
