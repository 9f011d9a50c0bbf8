"""RULES.md 3.7 to 5.3: the reveal, the police, Robby Junior's part in both, and the end."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL, emit, put

from . import events
from .deck import put_at_bottom
from .events import put_banks, put_loot, put_row
from .pieces import FULL, OBJECT, OBJECT_WORTH


@rule
def reveal(state, tape):
    """3.7 Whoever robs a bank alone takes all that lies there; where two meet it stays."""
    for seat in range(state.seats):
        state.last_choice[seat] = state.choice[seat]
    if state.option_robby_junior:
        play_junior(state)
    emit(tape, events.REVEAL)
    put_banks(tape, state.last_choice, state.looters)
    put(tape, state.looters)
    for looter in range(state.looters):
        bank = state.last_choice[looter] - 1
        if robbers_at(state, bank) == 1:
            put_row(tape, state.lying[bank], state.length[bank])
            take_row(state, looter, bank)
        else:
            put(tape, 0)


@rule
def play_junior(state):
    """4.1 Robby Junior plays the top card of his pack, keeps it whatever is declared, and puts it under the pack."""
    card = state.junior_pack[state.junior_at]
    state.last_choice[state.seats] = card
    state.junior_known[state.junior_at] = card
    state.junior_last = card
    state.junior_at = state.junior_at + 1 if state.junior_at + 1 < state.banks else 0


@rule
def robbers_at(state, bank):
    """3.7 How many have robbed this bank, Robby Junior included."""
    count = 0
    for looter in range(state.looters):
        count += state.last_choice[looter] == bank + 1
    return count


@rule
def take_row(state, looter, bank):
    """3.7, 4.2 The row goes onto the robber's pile, oldest card first."""
    for slot in range(state.length[bank]):
        kind = state.lying[bank, slot]
        state.pile[looter, state.pile_size[looter]] = kind
        state.pile_size[looter] += 1
        state.pile_top[looter] = kind
        state.loot[looter, kind] += 1
        state.lying[bank, slot] = 0
    state.length[bank] = 0


@rule
def police(state, tape):
    """3.8 Each bank with four cards gives them back to the deck and brings the police, one bank after the other."""
    for bank in range(state.banks):
        if state.length[bank] == FULL:
            emit(tape, events.POLICE)
            put(tape, bank)
            put_row(tape, state.lying[bank], FULL)
            for slot in range(FULL):
                put_at_bottom(state, state.lying[bank, slot])
                state.lying[bank, slot] = 0
            state.length[bank] = 0
            visit(state, tape)


@rule
def visit(state, tape):
    """3.8, 4.2 Everybody with the most cards loses the dearest one; the cards go under the deck from the Gentleman on,
    Robby Junior sitting after the last seat. Writes what each lost."""
    most = 0
    for looter in range(state.looters):
        most = max(most, state.pile_size[looter])
    put(tape, state.looters)
    for looter in range(state.looters):
        caught = most > 0 and state.pile_size[looter] == most
        put_loot(tape, state.pile[looter, dearest(state, looter)] if caught else 0)
    if most == 0:
        return
    for k in range(state.looters):
        looter = state.gentleman + k
        if looter >= state.looters:
            looter -= state.looters
        if state.pile_size[looter] == most:
            lose(state, looter, dearest(state, looter))


@rule
def dearest(state, looter):
    """3.8 The place in the pile of the highest money card, the lowest lying of equals; an object only without money."""
    kind = 0
    for money in range(1, OBJECT):
        if state.loot[looter, money]:
            kind = money
    if kind == 0:
        kind = OBJECT
    for at in range(state.pile_size[looter]):
        if state.pile[looter, at] == kind:
            return at
    return NULL


@rule
def lose(state, looter, at):
    """3.8 This card of the pile goes under the deck."""
    kind = state.pile[looter, at]
    put_at_bottom(state, kind)
    state.loot[looter, kind] -= 1
    state.pile_size[looter] -= 1
    for i in range(at, state.pile_size[looter]):
        state.pile[looter, i] = state.pile[looter, i + 1]
    size = state.pile_size[looter]
    state.pile[looter, size] = 0
    state.pile_top[looter] = state.pile[looter, size - 1] if size else 0


@rule
def worth(state, looter):
    """1.3, 5.2 Money counts its value, objects together by their number; loot still at the banks is nobody's."""
    total = OBJECT_WORTH[state.loot[looter, OBJECT]]
    for money in range(1, OBJECT):
        total += money * state.loot[looter, money]
    return total


@rule
def end_game(state, truncated, tape):
    """5.1, 5.3, 5.4 The richest wins, equals share the win; what lies there counts as it is when a limit ends the game."""
    state.over = 1
    state.truncated = truncated
    contenders = state.looters if state.option_junior_can_win else state.seats
    for seat in range(state.seats):
        state.score[seat] = worth(state, seat)
        state.rank[seat] = 1
        for other in range(contenders):
            state.rank[seat] += worth(state, other) > worth(state, seat)
    if contenders > state.seats:
        rank_junior(state)
    tell_end(state, contenders, tape)


@rule
def rank_junior(state):
    """4.3 As a contender he takes his share of the win, and nobody gets it for him."""
    beaten = 0
    for seat in range(state.seats):
        beaten += worth(state, seat) > worth(state, state.seats)
    state.outside_winners = beaten == 0
    state.outside_losers = beaten > 0


@rule
def tell_end(state, contenders, tape):
    """Scores of all, Robby Junior last, and the winners."""
    emit(tape, events.END)
    put(tape, state.truncated)
    put(tape, state.looters)
    best = 0
    winners = 0
    for looter in range(state.looters):
        put(tape, worth(state, looter))
    for looter in range(contenders):
        best = max(best, worth(state, looter))
    for looter in range(contenders):
        winners += worth(state, looter) == best
    put(tape, winners)
    for looter in range(contenders):
        if worth(state, looter) == best:
            put(tape, looter)
