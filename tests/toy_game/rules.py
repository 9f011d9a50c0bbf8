"""The rules, section by section of RULES.md."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL, emit, put, put_list
from heist_envs.engine.rewards import rank_by_score
from heist_envs.engine.seating import to_the_left

from .state import AT, BID, COINS, EVENTS, LOOK, MAX_BID, PASS, ROUNDS, TREASURES, Phase

SETUP, LOOKED, BIDS, END = range(len(EVENTS.names))


@rule
def setup(state, tape):
    """1.1, 1.2 Shuffle the treasures, give coins, draw the first seat."""
    for i in range(TREASURES):
        state.deck[i] = i + 1
    shuffle(state, state.deck, TREASURES)
    for seat in range(state.seats):
        state.coins[seat] = COINS
    state.turn = random_below(state, state.seats)
    emit(tape, SETUP)
    put_list(tape, state.deck, TREASURES)
    put(tape, state.turn)
    begin_round(state)


@rule
def begin_round(state):
    """2.1 Lay out the next treasure and ask whose turn it is."""
    state.row[state.drawn] = state.deck[state.drawn]
    state.drawn += 1
    state.phase = Phase.LOOK
    state.lead = state.turn
    state.to_act[state.turn] = 1


@rule
def legal(seen, seat, mask):
    """2.1, 2.2 Looking costs a coin; bids are 0 to 5 coins that one has."""
    if seen.phase == Phase.LOOK:
        mask[PASS] = 1
        mask[LOOK] = seen.coins[seat] > 0
    else:
        for coins in range(min(seen.coins[seat], MAX_BID) + 1):
            mask[BID + coins] = 1


@rule
def play(state, seat, action, tape):
    """One decision of an asked seat."""
    state.to_act[seat] = 0
    if state.phase == Phase.LOOK:
        look(state, seat, action == LOOK, tape)
    else:
        state.bid[seat] = action - BID
        for other in range(state.seats):
            if state.to_act[other]:
                return
        take(state, tape)


@rule
def look(state, seat, looks, tape):
    """2.1 Pay and see the treasure, or pass; then all bid."""
    at = state.drawn - 1
    if looks:
        state.coins[seat] -= 1
        state.knowers[at] |= 1 << seat
    emit(tape, LOOKED)
    put(tape, seat)
    put(tape, state.row[at] if looks else NULL)
    state.phase = Phase.BID
    for other in range(state.seats):
        state.to_act[other] = 1


@rule
def highest_alone(state):
    """2.2 The seat with the highest bid that nobody else made, or NULL."""
    best, winner = -1, NULL
    for seat in range(state.seats):
        same = 0
        for other in range(state.seats):
            same += state.bid[other] == state.bid[seat]
        if same == 1 and state.bid[seat] > best:
            best, winner = state.bid[seat], seat
    return winner


@rule
def take(state, tape):
    """2.2, 2.3 The winner pays and takes the treasure, all see it, the turn goes to the left."""
    at, winner = state.drawn - 1, highest_alone(state)
    worth = int(state.row[at])
    emit(tape, BIDS)
    put_list(tape, state.bid, state.seats)
    put(tape, worth)
    put(tape, winner)
    if winner != NULL:
        state.points[winner] += worth
    for seat in range(state.seats):
        if seat == winner or state.option_all_pay:
            state.coins[seat] -= state.bid[seat]
        state.bid[seat] = 0
        state.knowers[at] |= 1 << seat
    state.shown[worth - 1] = 1
    state.turn = to_the_left(state.turn, 1, state.seats)
    if state.drawn == ROUNDS:
        end_game(state, tape)
    else:
        begin_round(state)


@rule
def end_game(state, tape):
    """3.1 Points and half the coins; the highest score wins."""
    state.over = 1
    for seat in range(state.seats):
        state.score[seat] = state.points[seat] + state.coins[seat] // 2
    rank_by_score(state)
    emit(tape, END)
    put_list(tape, state.score, state.seats)


@rule
def observe(seen, seat, out):
    """What the seat sees."""
    out[AT.seats + seen.seats - 2] = 1
    out[AT.seat + seat] = 1
    out[AT.phase + seen.phase] = 1
    out[AT.my_turn] = seen.turn == seat
    out[AT.treasure] = seen.row[seen.drawn - 1] / TREASURES
    for worth in range(TREASURES):
        out[AT.shown + worth] = seen.shown[worth]
    for k in range(seen.seats):
        other = to_the_left(seat, k, seen.seats)
        out[AT.coins + k] = seen.coins[other] / COINS
        out[AT.points + k] = seen.points[other] / TREASURES


@rule
def redeal(state, seat):
    """Shuffle the treasures that the seat has not seen, and draw the others' secret bids anew."""
    first = state.drawn
    if not (state.knowers[first - 1] >> seat) & 1:
        first -= 1
        state.deck[first] = state.row[first]
    shuffle(state, state.deck[first:], TREASURES - first)
    if first < state.drawn:
        state.row[first] = state.deck[first]
    if state.phase == Phase.BID:
        for other in range(state.seats):
            if other != seat and not state.to_act[other] and not state.over:
                state.bid[other] = random_below(state, min(state.coins[other], MAX_BID) + 1)


INVARIANTS = ("each treasure exists once", "no debts", "shown treasures are those laid out")


@rule
def broken(state):
    """Flags of violated invariants, bit k for INVARIANTS[k]."""
    lost = debts = shown = 0
    for worth in range(1, TREASURES + 1):
        copies = 0
        for i in range(state.drawn):
            copies += state.row[i] == worth
        for i in range(state.drawn, TREASURES):
            copies += state.deck[i] == worth
        lost += copies != 1
        shown += state.shown[worth - 1]
    for seat in range(state.seats):
        debts += state.coins[seat] < 0
    return (lost > 0) + 2 * (debts > 0) + 4 * (shown != state.drawn - 1 + state.over)


@rule
def greedy(seen, seat, mask, memory):
    """Never looks; bids three coins, or half the worth of a treasure it knows."""
    if seen.phase == Phase.LOOK:
        return PASS
    worth = int(seen.row[seen.drawn - 1])
    coins = (worth + 1) // 2 if worth else 3
    while not mask[BID + coins]:
        coins -= 1
    return BID + coins
