"""The rules of rob_a_bank: rounds, planning, turns, the end; bank.py and robbers.py hold what the two sides can do."""

from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL, emit, put

from . import events
from .actions import DECODE, DONE, FIRST_BONUS, LAST_BONUS, PLAN, REVIVE
from .bank import all_guards_down, any_guard_down, legal_bank, play_bank, revive_guards
from .events import tell_act, tell_draw, tell_layout, tell_setup, tell_turn
from .layout import draw_cards, lay_out
from .pieces import (
    ACTORS,
    BANK,
    CARD_CRAWLS,
    CARD_MOVES,
    CARD_OTHER,
    DRAWN,
    KINDS,
    MOST_PAWNS,
    PAWNS,
    PLANNED,
    ROBBER,
    ROOMS,
    ROUNDS,
    Alarm,
    Phase,
)
from .robbers import legal_robber, play_robber


@rule
def setup(state, tape):
    """1.1, 2 Two sides, their pawns, the first round."""
    state.pawns = PAWNS[state.seats]
    for seat in range(state.seats):
        state.side[seat] = BANK if seat == 0 else ROBBER
    show_hands(state)
    tell_setup(state, tape)
    begin_round(state, tape)


@rule
def show_hands(state):
    """9.1 The bank sees its own hand, every robber the hands of all robbers."""
    for actor in range(ACTORS):
        for kind in range(KINDS):
            state.hand_seers[actor, kind] = 1 if actor == 0 else ((1 << state.seats) - 1) & ~1


@rule
def begin_round(state, tape):
    """2 The bank is laid out anew, cards are drawn, planning begins."""
    state.round_number += 1
    state.stolen_before = state.stolen
    lay_out(state)
    draw_cards(state)
    tell_layout(state, tape)
    tell_draw(state, tape)
    state.phase = Phase.PLAN
    state.go = 0
    state.actor = 0
    ask(state)


@rule
def seat_of(state, actor):
    """1.1 Who decides for an actor: the bank, or the robber of this pawn; with two players one for all pawns."""
    return 1 if actor > 0 and state.seats == 2 else actor


@rule
def ask(state):
    """The actor's seat owes a decision."""
    seat = seat_of(state, state.actor)
    state.lead = seat
    state.to_act[seat] = 1


@rule
def legal(seen, seat, mask):
    """3.1, 4, 5, 6, 7: what the asked seat may do."""
    if seen.phase == Phase.PLAN:
        for kind in range(KINDS):
            mask[PLAN + kind] = seen.hand[seen.actor, kind] > 0
    else:
        legal_turn(seen, mask)


@rule
def legal_turn(seen, mask):
    """4.2 What is left of the card and the bonus action, and `done` once nothing mandatory can be done (4.4)."""
    if seen.actor == 0:
        if any_guard_down(seen) and not seen.acted:
            mask[REVIVE] = 1
            if all_guards_down(seen):
                return
        must = legal_bank(seen, mask)
    else:
        must = legal_robber(seen, seen.actor - 1, mask)
    mask[DONE] = not must


@rule
def anything_to_decide(state):
    """4.4 Whether something other than `done` is possible."""
    if state.actor == 0:
        if any_guard_down(state) and not state.acted:
            return True
        legal_bank(state, state.probe)
    else:
        legal_robber(state, state.actor - 1, state.probe)
    return found_on_probe(state)


@rule
def found_on_probe(state):
    """Whether a look at the legal actions found any; clears the scratch mask they were noted on."""
    found = False
    for action in range(len(state.probe)):
        found = found or state.probe[action] > 0
        state.probe[action] = 0
    return found


@rule
def play(state, seat, action, tape):
    """One decision of an asked seat."""
    state.to_act[seat] = 0
    if state.phase == Phase.PLAN:
        plan(state, DECODE[action, 1], tape)
    else:
        act(state, action, tape)


@rule
def plan(state, kind, tape):
    """3.1 A hand card face up onto the own pile; bank first, then pawn by pawn, five times."""
    actor = state.actor
    state.hand[actor, kind] -= 1
    state.plan[actor, state.go] = kind + 1
    state.plan_top[actor] = kind + 1
    state.plan_height[actor] += 1
    emit(tape, events.PLAN)
    put(tape, actor)
    put(tape, kind)
    if next_actor(state):
        ask(state)
    else:
        state.phase = Phase.ACT
        state.go = 0
        state.actor = 0
        begin_turn(state, tape)


@rule
def next_actor(state):
    """4.1 The next pawn, after the last one the bank with the next card; False when all five are through."""
    state.actor += 1
    if state.actor > state.pawns:
        state.actor = 0
        state.go += 1
    return state.go < PLANNED


@rule
def begin_turn(state, tape):
    """4.1 The next card is turned up; whoever has nothing to decide is not asked (4.4, 6.1)."""
    while True:
        turn_card(state)
        if state.actor > 0 and state.robber_down[state.actor - 1]:
            state.robber_down[state.actor - 1] = 0  # 6.1 the card is spent to stand up
            tell_turn(state, tape, True)
        elif anything_to_decide(state):
            ask(state)
            return
        else:
            tell_turn(state, tape, False)
        if not next_actor(state):
            end_round(state, tape)
            return


@rule
def turn_card(state):
    """4.1, 4.2 The card's actions; the alarm that has rung is back before the bank's turn (7.5)."""
    if state.actor == 0 and state.alarm == Alarm.RUNG:
        state.alarm = Alarm.READY
    kind = state.plan[state.actor, state.go] - 1
    state.plan_top[state.actor] = kind + 1
    state.plan_height[state.actor] = PLANNED - 1 - state.go
    state.moves = CARD_MOVES[kind]
    state.crawls = CARD_CRAWLS[kind]
    state.other = CARD_OTHER[kind]
    state.acted = 0
    state.bonus_used = 0
    state.told = 0
    for guard in range(MOST_PAWNS):
        state.guard_start[guard] = state.guard[guard]
        state.guard_moved[guard] = 0


@rule
def act(state, action, tape):
    """4.2 One action of a turn; the turn goes on while something other than `done` can be decided."""
    tell_turn(state, tape, action == REVIVE)
    ends = action == DONE or action == REVIVE
    if action == REVIVE:
        tell_act(state, tape, action, NULL)
        revive_guards(state)
    elif action == DONE:
        tell_act(state, tape, action, NULL)
    elif state.actor == 0:
        play_bank(state, action, tape)
    else:
        bonus = FIRST_BONUS <= action <= LAST_BONUS
        ends = bonus and state.acted > 0  # 7.1 after the card it ends the turn
        play_robber(state, state.actor - 1, action, tape)
        if state.stolen >= state.option_bags_to_win:
            end_game(state, tape)
            return
    if not ends and anything_to_decide(state):
        ask(state)
    elif next_actor(state):
        begin_turn(state, tape)
    else:
        end_round(state, tape)


@rule
def end_round(state, tape):
    """8.1 What is not in the car is lost; after the third round the bank has won."""
    emit(tape, events.ROUND_END)
    put(tape, state.round_number)
    put(tape, state.stolen)
    if state.round_number == ROUNDS:
        end_game(state, tape)
    else:
        begin_round(state, tape)


@rule
def end_game(state, tape):
    """8.2 The robbers win with enough bags, at once; otherwise the bank."""
    state.over = 1
    robbed = state.stolen >= state.option_bags_to_win
    for seat in range(state.seats):
        state.score[seat] = state.stolen
        state.rank[seat] = 1 if (state.side[seat] == ROBBER) == robbed else 2
    emit(tape, events.END)
    put(tape, not robbed)
    put(tape, 1)
    put(tape, state.stolen)
    put(tape, robbed)


@rule
def margin(state, seat):
    """8.3 Bags stolen from -1 (none) to 1 (enough) for the robbers, the negative for the bank."""
    robbers = 2.0 * state.stolen / state.option_bags_to_win - 1.0
    return robbers if state.side[seat] == ROBBER else -robbers


INVARIANTS = ("bags, none lost", "fifteen cards each", "no more bags than needed", "pawns in rooms")


@rule
def broken(state):
    """Flags of violated invariants, bit k for INVARIANTS[k]."""
    bags = state.stolen - state.stolen_before
    wrong_cards = 0
    nowhere = 0
    for room in range(ROOMS):
        bags += state.bags[room] + state.locked[room]
    for pawn in range(state.pawns):
        bags += state.carried[pawn]
        nowhere += not 0 <= state.robber[pawn] < ROOMS or not 0 <= state.guard[pawn] < ROOMS
    for actor in range(1 + state.pawns):
        cards = 0
        for kind in range(KINDS):
            cards += state.hand[actor, kind]
        for go in range(PLANNED):
            cards += state.plan[actor, go] > 0
        wrong_cards += cards != DRAWN
    laid = 3 if state.pawns == MOST_PAWNS else 4
    too_many = state.stolen > state.option_bags_to_win
    return (bags != laid) + 2 * (wrong_cards > 0) + 4 * too_many + 8 * (nowhere > 0)
