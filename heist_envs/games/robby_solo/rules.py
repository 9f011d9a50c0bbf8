"""The rules of robby_solo up to the reveal, section by section of RULES.md; robbery.py has what follows."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule
from heist_envs.engine.events import emit, put
from heist_envs.engine.seating import to_the_left

from . import events
from .actions import DECLARE, DECODE, KEEP, LEFT, PLACE, REPLAY, RIGHT
from .deck import next_card
from .events import put_loot, tell_confirm, tell_round_end, tell_seat_and_bank, tell_setup
from .pieces import BANKS, DECK, DECK_SIZE, FULL, KINDS, OBJECT, Phase
from .robbery import end_game, police, reveal


@rule
def setup(state, tape):
    """1.1, 2 The banks in play, the shuffled loot, the first Gentleman, Robby Junior."""
    state.looters = state.seats + state.option_robby_junior
    state.banks = state.looters + 1  # 1.1 one bank more than players, Robby Junior counted
    prepare_deck(state)
    if state.option_robby_junior:
        prepare_junior(state)
    tell_setup(state, tape)
    begin_round(state, tape)


@rule
def prepare_deck(state):
    """1.2, 2.1 All 61 loot cards face down; the first Gentleman by lot."""
    for i in range(DECK_SIZE):
        state.deck[i] = DECK[i]
    shuffle(state, state.deck, DECK_SIZE)
    state.deck_size = DECK_SIZE
    state.gentleman = random_below(state, state.seats)


@rule
def prepare_junior(state):
    """2.2 Robby Junior's robbery cards are shuffled once and never again."""
    for bank in range(state.banks):
        state.junior_pack[bank] = bank + 1
    shuffle(state, state.junior_pack, state.banks)


@rule
def begin_round(state, tape):
    """3.1, 5.1, 5.4 A round begins only when the deck has a card for every bank, and not after the last allowed one."""
    clear_table(state)
    if state.deck_size < state.banks:
        end_game(state, False, tape)
    elif state.rounds == state.option_max_rounds:
        end_game(state, True, tape)
    else:
        state.rounds += 1
        if state.option_supply_choice:
            ask_one(state, Phase.SUPPLY, state.gentleman)
        else:
            supply(state, RIGHT, tape)


@rule
def clear_table(state):
    """3.1 Robbery cards are back in hand, nothing is declared. Who took back stays known (6.3) until the next pass."""
    state.declared = 0
    state.declared_robs = 0
    for seat in range(state.seats):
        state.choice[seat] = 0
        state.took_back[seat] *= state.option_perfect_recall


@rule
def ask_one(state, phase, seat):
    """One seat owes a decision."""
    state.phase = phase
    state.lead = seat
    state.to_act[seat] = 1


@rule
def supply(state, direction, tape):
    """3.2 A card to every bank, from the first bank on or from the last; then all but the Gentleman choose at once."""
    for k in range(state.banks):
        bank = k if direction == RIGHT else state.banks - 1 - k
        state.lying[bank, state.length[bank]] = next_card(state)
        state.length[bank] += 1
    emit(tape, events.SUPPLY)
    put(tape, direction == LEFT)
    put(tape, state.banks)
    for bank in range(state.banks):
        put_loot(tape, state.lying[bank, state.length[bank] - 1])
    state.phase = Phase.PLACE
    state.lead = to_the_left(state.gentleman, 1, state.seats)
    for seat in range(state.seats):
        state.to_act[seat] = seat != state.gentleman


@rule
def legal(seen, seat, mask):
    """3.2 to 3.6: what an asked seat may do. All robbery cards are always in hand."""
    if seen.phase == Phase.SUPPLY:
        mask[LEFT] = 1
        mask[RIGHT] = 1
        return
    first = PLACE
    if seen.phase == Phase.DECLARE:
        first = DECLARE
    elif seen.phase == Phase.CONFIRM:
        first = REPLAY
        mask[KEEP] = 1
    for bank in range(seen.banks):
        mask[first + bank] = 1


@rule
def play(state, seat, action, tape):
    """One decision of an asked seat."""
    state.to_act[seat] = 0
    bank = DECODE[action, 1]
    if state.phase == Phase.SUPPLY:
        supply(state, action, tape)
    elif state.phase == Phase.PLACE:
        place(state, seat, bank, tape)
    elif state.phase == Phase.GENTLEMAN:
        place_last(state, seat, bank, tape)
    elif state.phase == Phase.DECLARE:
        declare(state, seat, bank, tape)
    else:
        confirm(state, seat, action, bank, tape)


@rule
def place(state, seat, bank, tape):
    """3.3 A robbery card face down; when all others have chosen it is the Gentleman's turn."""
    state.choice[seat] = bank + 1
    tell_seat_and_bank(tape, events.PLACE, seat, bank)
    for other in range(state.seats):
        if state.to_act[other]:
            return
    ask_one(state, Phase.GENTLEMAN, state.gentleman)


@rule
def place_last(state, seat, bank, tape):
    """3.4 The Gentleman chooses last, without knowing more, and declares."""
    state.choice[seat] = bank + 1
    tell_seat_and_bank(tape, events.PLACE, seat, bank)
    ask_one(state, Phase.DECLARE, seat)


@rule
def declare(state, seat, bank, tape):
    """3.5 Naming his own bank he says `I rob it`, naming another `I do not rob it`: the truth in both cases."""
    state.declared = bank + 1
    state.declared_robs = state.choice[seat] == state.declared
    for other in range(state.seats):
        state.took_back[other] = 0
    tell_seat_and_bank(tape, events.DECLARE, seat, bank)
    put(tape, state.declared_robs)
    ask_one(state, Phase.CONFIRM, to_the_left(seat, 1, state.seats))


@rule
def confirm(state, seat, action, bank, tape):
    """3.6 Clockwise, once each: leave the card, or take it back for all to see and play one again, maybe the same."""
    if action != KEEP:
        state.choice[seat] = bank + 1
        state.took_back[seat] = 1
    tell_confirm(tape, seat, events.KEPT if action == KEEP else events.REPLAYED, state.choice[seat] - 1)
    following = to_the_left(seat, 1, state.seats)
    if following != state.gentleman:
        ask_one(state, Phase.CONFIRM, following)
        return
    reveal(state, tape)
    police(state, tape)
    end_round(state, tape)


@rule
def end_round(state, tape):
    """3.9 The deck passes to the left; Robby Junior is never the Gentleman."""
    state.gentleman = to_the_left(state.gentleman, 1, state.seats)
    tell_round_end(state, tape)
    begin_round(state, tape)


INVARIANTS = ("61 loot cards, none lost", "piles add up", "at most seven objects", "the declaration is true")


@rule
def broken(state):
    """Flags of violated invariants, bit k for INVARIANTS[k]."""
    cards = state.deck_size
    objects = 0
    wrong_piles = 0
    for bank in range(BANKS):
        cards += state.length[bank]
        wrong_piles += state.length[bank] > FULL
    for looter in range(state.looters):
        held = 0
        for kind in range(KINDS):
            held += state.loot[looter, kind]
        wrong_piles += held != state.pile_size[looter]
        cards += held
        objects += state.loot[looter, OBJECT]
    lie = state.declared > 0 and state.declared_robs != (state.choice[state.gentleman] == state.declared)
    return (cards != DECK_SIZE) + 2 * (wrong_piles > 0) + 4 * (objects > 7) + 8 * lie
