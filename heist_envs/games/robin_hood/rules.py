"""The rules of robin_hood, section by section of RULES.md; market.py and hideout.py hold what they handle."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import emit, put
from heist_envs.engine.rewards import rank_by_score
from heist_envs.engine.seating import to_the_left

from . import events
from .actions import COUNTER, DECLINE, DECODE, DISCARD, END, SHERIFF, TAKE, TARGET, TRIO
from .cards import (
    colour_of,
    gain,
    held,
    held_of_value,
    held_with_symbol,
    kind_of,
    lowest_colour,
    lowest_symbol,
    part_with,
    symbol_of,
    throw_away,
    value_of,
)
from .events import put_card, tell_card, tell_end, tell_run, tell_setup, tell_stolen, tell_trio
from .hideout import can_be_robbed, hide_card, open_card, pay_coin, protect, take_out
from .market import deal, market_is_empty, refill
from .pieces import (
    COIN,
    COIN_STOCK,
    DECK_SIZE,
    HAND_LIMIT,
    KINDS,
    MARKET,
    RUN,
    TRIO_NEEDS,
    TRIO_SYMBOLS,
    TRIOS,
    VALUES,
    Phase,
)

RUNS = VALUES - RUN + 1


@rule
def setup(state, tape):
    """2 Deal and let the first seat begin; Marian is with nobody (1.3)."""
    deal(state)
    tell_setup(state, tape)
    ask(state, Phase.TURN, state.turn)


@rule
def ask(state, phase, seat):
    """One seat owes a decision."""
    state.phase = phase
    state.lead = seat
    state.to_act[seat] = 1


@rule
def legal(seen, seat, mask):
    """3, 4: what the asked seat may do."""
    if seen.phase == Phase.TURN:
        legal_turn(seen, seat, mask)
    elif seen.phase == Phase.TARGET:
        legal_targets(seen, seat, mask)
    elif seen.phase == Phase.COUNTER:
        mask[COUNTER] = 1
        mask[DECLINE] = 1
    elif seen.phase == Phase.LOSE:
        for i in range(3):
            mask[DISCARD + kind_of(seen.pending[i])] = 1
    else:
        for kind in range(KINDS):
            mask[DISCARD + kind] = held(seen, seat, kind) > 0


@rule
def legal_turn(seen, seat, mask):
    """3.1 First take one card; then a second, actions and the end, as far as 3.3 and 3.4 allow."""
    if seen.taken == 0:
        for slot in range(MARKET):
            mask[TAKE + slot] = seen.market[slot] > 0
        return
    if seen.taken == 1 and not seen.acted:
        for slot in range(MARKET):
            mask[TAKE + slot] = seen.market[slot] > 0 and could_act_with(seen, seat, seen.market[slot])
    mask[END] = seen.taken == 1 or seen.acted
    legal_runs(seen, seat, mask)
    if somebody_can_be_robbed(seen, seat):
        legal_trios(seen, seat, mask)


@rule
def legal_runs(seen, seat, mask):
    """4.1 Three consecutive values of a colour, from hand."""
    for colour in range(3):
        row = 0
        for value in range(VALUES):
            row = row + 1 if held(seen, seat, colour * VALUES + value) else 0
            if row >= RUN:
                mask[SHERIFF + colour * RUNS + value - RUN + 1] = 1


@rule
def legal_trios(seen, seat, mask):
    """4.2 Any three cards of a value, told by their symbols."""
    for value in range(VALUES):
        bows, hats = held_with_symbol(seen, seat, value, 0), held_with_symbol(seen, seat, value, 1)
        staffs = held_with_symbol(seen, seat, value, 2)
        if bows + hats + staffs >= 3:
            for trio in range(len(TRIOS)):
                enough = bows >= TRIO_NEEDS[trio, 0] and hats >= TRIO_NEEDS[trio, 1] and staffs >= TRIO_NEEDS[trio, 2]
                mask[TRIO + value * len(TRIOS) + trio] = enough


@rule
def legal_targets(seen, seat, mask):
    """4.3 Any open treasure of a seat that Marian is not with."""
    for steps in range(1, seen.seats):
        victim = to_the_left(seat, steps, seen.seats)
        if can_be_robbed(seen, victim):
            for colour in range(3):
                for i in range(seen.open_count[victim, colour]):
                    mask[TARGET + (steps - 1) * KINDS + kind_of(int(seen.open_cards[victim, colour, i]))] = 1


@rule
def somebody_can_be_robbed(seen, seat):
    """4.2, 4.3 A trio may be laid only while there is a treasure it can aim at."""
    for other in range(seen.seats):
        if other != seat and can_be_robbed(seen, other):
            return True
    return False


@rule
def could_act_with(seen, seat, card):
    """3.3 Whether some run, or some trio with a target, exists once this card is in hand."""
    extra = kind_of(card)
    for colour in range(3):
        row = 0
        for value in range(VALUES):
            kind = colour * VALUES + value
            row = row + 1 if held(seen, seat, kind) or kind == extra else 0
            if row >= RUN:
                return True
    if somebody_can_be_robbed(seen, seat):
        for value in range(VALUES):
            if held_of_value(seen, seat, value) + (extra % VALUES == value) >= 3:
                return True
    return False


@rule
def play(state, seat, action, tape):
    """One decision of an asked seat."""
    state.to_act[seat] = 0
    first, second = DECODE[action, 1], DECODE[action, 2]
    if state.phase == Phase.TARGET:
        choose_target(state, first + 1, second, tape)
    elif state.phase == Phase.COUNTER:
        react(state, seat, action == COUNTER, tape)
    elif state.phase == Phase.LOSE:
        lose_card(state, first, tape)
    elif state.phase == Phase.DISCARD:
        discard(state, seat, first, tape)
    elif action == END:
        end_turn(state, seat, tape)
    elif action >= TRIO:
        lay_trio(state, seat, first, second)
    else:
        if action >= SHERIFF:
            rob_sheriff(state, seat, first, second, tape)
        else:
            take_card(state, seat, first, tape)
        ask(state, Phase.TURN, seat)


@rule
def take_card(state, seat, slot, tape):
    """3.2, 3.3 An open card into the hand, for all to see; its slot stays empty until the turn ends."""
    card = state.market[slot]
    state.market[slot] = 0
    state.taken += 1
    gain(state, seat, card, True)
    emit(tape, events.TAKEN)
    put(tape, seat)
    put(tape, slot)
    put_card(state, tape, card)


@rule
def rob_sheriff(state, seat, colour, first, tape):
    """4.1 The highest card is kept in the hide-out, the two others are discarded, a coin is paid while there are any."""
    kind = colour * VALUES + first
    low, middle = lowest_symbol(state, seat, kind), lowest_symbol(state, seat, kind + 1)
    high = lowest_symbol(state, seat, kind + 2)
    part_with(state, seat, low)
    part_with(state, seat, middle)
    part_with(state, seat, high)
    throw_away(state, low)
    throw_away(state, middle)
    hide_card(state, seat, high)
    state.acted = 1
    tell_run(state, tape, low, middle, high, pay_coin(state, seat))
    protect(state, seat, colour, True, tape)


@rule
def lay_trio(state, seat, value, trio):
    """4.2 Three cards of a value on the table; whom they rob is asked next."""
    for i in range(3):
        card = lowest_colour(state, seat, value, TRIO_SYMBOLS[trio, i])
        part_with(state, seat, card)
        state.pending[i] = card
    ask(state, Phase.TARGET, seat)


@rule
def choose_target(state, steps, kind, tape):
    """4.3, 4.4 The treasure is named; only its owner may counter, and only if he can and the trio leaves room for it."""
    victim = to_the_left(state.turn, steps, state.seats)
    state.victim = victim + 1
    state.target = open_card(state, victim, kind)
    counterable = symbols_shown(state) < 3
    tell_trio(state, tape, counterable)
    if counterable and held_of_value(state, victim, value_of(state.pending[0]) - 1):
        ask(state, Phase.COUNTER, victim)
    else:
        steal(state, tape)


@rule
def symbols_shown(state):
    """4.2 Different symbols in the trio: three of them cannot be countered."""
    shown = 0
    for symbol in range(3):
        for i in range(3):
            if symbol_of(state.pending[i]) == symbol:
                shown += 1
                break
    return shown


@rule
def react(state, owner, counters, tape):
    """4.4 The owner shows a card of the same value and keeps it and the treasure, or lets the treasure go."""
    card = 0
    if counters:
        card = shown_card(state, owner)
        if state.known[owner, kind_of(card)] == 0:
            state.known[owner, kind_of(card)] = 1
    tell_card(state, tape, events.COUNTER, owner, card)
    if not counters:
        steal(state, tape)
    elif same_colour(state):
        lose_card(state, kind_of(state.pending[0]), tape)
    else:
        ask(state, Phase.LOSE, state.turn)


@rule
def shown_card(state, owner):
    """4.4 Of several cards of the value the one with the lowest symbol, then the lowest colour, is shown."""
    value = value_of(state.pending[0]) - 1
    for symbol in range(3):
        card = lowest_colour(state, owner, value, symbol)
        if card:
            return card
    return 0


@rule
def same_colour(state):
    """4.5 Whether the three cards of the trio leave their thief no choice."""
    first = colour_of(state.pending[0])
    return first == colour_of(state.pending[1]) and first == colour_of(state.pending[2])


@rule
def lose_card(state, kind, tape):
    """4.5 The countered thief discards one of the three (of equal ones the lowest symbol) and takes two back."""
    lost = 0
    while kind_of(state.pending[lost]) != kind:
        lost += 1
    for i in range(3):
        if i == lost:
            throw_away(state, state.pending[i])
        else:
            gain(state, state.turn, state.pending[i], True)
    tell_card(state, tape, events.LOST_CARD, state.turn, state.pending[lost])
    finish_trio(state)


@rule
def steal(state, tape):
    """4.6, 4.7 The treasure changes the hide-out, the trio is discarded, Marian goes to whoever was robbed."""
    thief, victim, card = state.turn, state.victim - 1, state.target
    take_out(state, victim, card)
    hide_card(state, thief, card)
    for i in range(3):
        throw_away(state, state.pending[i])
    if state.option_use_marian:
        state.marian = victim + 1
    tell_stolen(state, tape, victim, card)
    protect(state, thief, colour_of(card), False, tape)
    finish_trio(state)


@rule
def finish_trio(state):
    """4.5, 4.6 An action was done, successful or not; the thief's turn goes on."""
    for i in range(3):
        state.pending[i] = 0
    state.victim = 0
    state.target = 0
    state.acted = 1
    ask(state, Phase.TURN, state.turn)


@rule
def end_turn(state, seat, tape):
    """3.4 With more than nine cards in hand one is discarded first."""
    if state.hand_size[seat] > HAND_LIMIT:
        ask(state, Phase.DISCARD, seat)
    else:
        pass_turn(state, tape)


@rule
def discard(state, seat, kind, tape):
    """3.4 The card that is too many, face up."""
    card = lowest_symbol(state, seat, kind)
    part_with(state, seat, card)
    throw_away(state, card)
    tell_card(state, tape, events.DISCARD, seat, card)
    pass_turn(state, tape)


@rule
def pass_turn(state, tape):
    """3.5, 6.2, 6.4 The market is filled up; with nothing left to take, or after the last allowed turn, the game ends."""
    refill(state, tape)
    state.turns += 1
    if market_is_empty(state):
        end_game(state, False, tape)
    elif state.turns == state.option_max_turns:
        end_game(state, True, tape)
    else:
        state.turn = to_the_left(state.turn, 1, state.seats)
        state.taken = 0
        state.acted = 0
        ask(state, Phase.TURN, state.turn)


@rule
def end_game(state, truncated, tape):
    """6.3, 6.4 Treasures in the hide-out, protected or not, and coins; cards in hand count nothing; equals share the win."""
    state.over = 1
    state.truncated = truncated
    for seat in range(state.seats):
        state.score[seat] = COIN * state.coins[seat] + treasure(state, seat)
    rank_by_score(state)
    tell_end(state, tape)


@rule
def treasure(table, seat):
    """6.3 Worth of the treasures in a hide-out."""
    worth = 0
    for kind in range(KINDS):
        worth += (kind % VALUES + 1) * int(table.safe[seat, kind])
    for colour in range(3):
        for i in range(table.open_count[seat, colour]):
            worth += value_of(int(table.open_cards[seat, colour, i]))
    return worth


INVARIANTS = ("108 treasures, none lost", "hand sizes add up", "coins, none lost", "known cards are there")


@rule
def broken(state):
    """Flags of violated invariants, bit k for INVARIANTS[k]."""
    cards = state.pile
    sizes = 0
    unknown = 0
    coins = state.stock
    for seat in range(state.seats):
        own = 0
        for kind in range(KINDS):
            own += held(state, seat, kind)
            unknown += state.known[seat, kind] > held(state, seat, kind)
            cards += state.safe[seat, kind]
        sizes += own != state.hand_size[seat]
        cards += own + state.open_count[seat, 0] + state.open_count[seat, 1] + state.open_count[seat, 2]
        coins += state.coins[seat]
    for i in range(3):
        cards += (state.market[i] > 0) + (state.pending[i] > 0)
    for kind in range(KINDS):
        cards += int(state.discard[kind, 0]) + state.discard[kind, 1] + state.discard[kind, 2]
    lost = cards != DECK_SIZE
    return lost + 2 * (sizes > 0) + 4 * (coins != COIN_STOCK[state.seats]) + 8 * (unknown > 0)
