"""The rules of silence, section by section of RULES.md; walking.py has chapter 4, house.py the set-up of the house."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule
from heist_envs.engine.events import emit, put, put_list, put_winners
from heist_envs.engine.rewards import rank_by_score
from heist_envs.engine.seating import to_the_left

from . import events
from .actions import EXIT, PASS, PLAY, STAY, STEP
from .events import tell_cards, tell_noise, tell_setup
from .house import build_house, lay_tokens
from .pieces import (
    CARDS,
    CELLS,
    COSTS,
    DECK,
    DECK_SIZE,
    GONE,
    HAND,
    STEPS,
    THRESHOLD_PER_PLAYER,
    TREASURES,
    VALUES,
    WAY_OUT,
    Phase,
)
from .walking import can_exit, can_stay, can_step, end_move, has_choice, leave, start_walk, step

PASSED = 1  # `chosen` of a seat that passes


@rule
def setup(state, tape):
    """2, 2.3 House, tokens, decks, first seat, threshold, teams."""
    build_house(state)
    lay_tokens(state)
    prepare_decks(state)
    state.first_seat = random_below(state, state.seats)
    state.threshold = THRESHOLD_PER_PLAYER * state.seats
    make_teams(state)
    tell_setup(state, tape)
    for seat in range(state.seats):
        refill(state, seat)
    begin_round(state)


@rule
def prepare_decks(state):
    """2.2 Everybody has the same fourteen cards, shuffled on his own."""
    for seat in range(state.seats):
        for i in range(DECK_SIZE):
            state.deck[seat, i] = DECK[i]
            state.undrawn[seat, DECK[i] - 1] += 1
        shuffle(state, state.deck[seat], DECK_SIZE)


@rule
def make_teams(state):
    """6.1 Pairs sit opposite each other, teams of three in every other seat."""
    if state.option_teams:
        count = state.seats // state.option_teams
        for seat in range(state.seats):
            state.side[seat] = seat % count


@rule
def refill(state, seat):
    """2.2, 3.1 Draw up to five cards while the own deck lasts; returns how many."""
    count = 0
    while state.hand_size[seat] < HAND and state.drawn[seat] < DECK_SIZE:
        card = state.deck[seat, state.drawn[seat]] - 1
        state.drawn[seat] += 1
        state.undrawn[seat, card] -= 1
        state.hand[seat, card] += 1
        state.hand_size[seat] += 1
        count += 1
    return count


@rule
def begin_round(state):
    """3.2 All choose a card at once, also those who have left."""
    state.rounds += 1
    state.phase = Phase.CARD
    state.lead = 0
    for seat in range(state.seats):
        state.chosen[seat] = 0
        state.to_act[seat] = 1


@rule
def legal(seen, seat, mask):
    """3.2, 4: what the asked seat may do."""
    if seen.phase == Phase.CARD:
        for card in range(CARDS):
            mask[PLAY + card] = seen.hand[seat, card] > 0
        mask[PASS] = seen.pawn[seat] == GONE
    else:
        for way in range(len(STEPS)):
            mask[STEP + way] = can_step(seen, seat, way)
        mask[EXIT] = can_exit(seen, seat)
        mask[STAY] = can_stay(seen, seat)


@rule
def play(state, seat, action, tape):
    """One decision of an asked seat."""
    state.to_act[seat] = 0
    if state.phase == Phase.CARD:
        choose(state, seat, action, tape)
    elif action == STAY:
        next_walker(state, False, tape)
    elif action == EXIT:
        leave(state, seat)
        next_walker(state, True, tape)
    else:
        step(state, seat, action - STEP)
        if has_choice(state, seat):
            state.to_act[seat] = 1
        else:
            next_walker(state, False, tape)


@rule
def choose(state, seat, action, tape):
    """3.2 Cards stay secret until the last one is chosen."""
    state.chosen[seat] = PASSED if action == PASS else action - PLAY + 2
    for other in range(state.seats):
        if state.to_act[other]:
            return
    show_cards(state, tape)


@rule
def show_cards(state, tape):
    """3.3 The sum decides: above the threshold nobody moves and it rises, otherwise it falls and pawns walk."""
    noise = 0
    for seat in range(state.seats):
        state.last_card[seat] = state.chosen[seat]
        card = state.chosen[seat] - PASSED
        if card:
            noise += card
            state.hand[seat, card - 1] -= 1
            state.hand_size[seat] -= 1
            state.played[seat, card - 1] += 1
    tell_cards(state, tape)
    limit = state.threshold
    quiet = noise <= limit
    state.threshold = max(limit - (state.seats - 1), 0) if quiet else limit + state.seats - 2
    tell_noise(state, tape, noise, limit)
    if quiet:
        begin_walks(state, tape)
    else:
        end_round(state, tape)


@rule
def begin_walks(state, tape):
    """3.4 From the first mover on clockwise, everybody who is still inside."""
    if everybody_is_out(state):
        end_round(state, tape)
        return
    first = first_mover(state)
    state.starter = first + 1
    for seat in range(state.seats):
        state.to_walk[seat] = state.pawn[seat] != GONE
    walk_from(state, first, tape)


@rule
def first_mover(state):
    """3.4 The highest card; in a tie the seat after the last starter, at first `first_seat`; if gone, the next inside."""
    loudest = 0
    count = 0
    for seat in range(state.seats):
        if state.last_card[seat] > state.last_card[loudest]:
            loudest = seat
    for seat in range(state.seats):
        count += state.last_card[seat] == state.last_card[loudest]
    seat = loudest
    if count > 1:
        seat = to_the_left(state.starter - 1, 1, state.seats) if state.starter else state.first_seat
    while state.pawn[seat] == GONE:
        seat = to_the_left(seat, 1, state.seats)
    return seat


@rule
def walk_from(state, seat, tape):
    """3.4, 4.6 Let the seats walk in order; who has nothing to decide stays unasked."""
    while state.to_walk[seat]:
        start_walk(state, seat)
        if has_choice(state, seat):
            state.phase = Phase.WALK
            state.lead = seat
            state.to_act[seat] = 1
            return
        end_move(state, False, tape)
        seat = following_walker(state, seat)
    end_round(state, tape)


@rule
def following_walker(state, seat):
    """The next seat clockwise that will still walk, or the same one if there is none."""
    for k in range(1, state.seats):
        other = to_the_left(seat, k, state.seats)
        if state.to_walk[other]:
            return other
    return seat


@rule
def next_walker(state, exited, tape):
    """3.4, 4.5, 4.6 A walk is over."""
    seat = state.mover
    end_move(state, exited, tape)
    walk_from(state, following_walker(state, seat), tape)


@rule
def end_round(state, tape):
    """3.5, 3.1, 5.1 Everybody out, or nobody inside has a card left: the game ends. Otherwise all refill."""
    if everybody_is_out(state):
        end_game(state, 0, tape)
    elif nobody_inside_has_cards(state):
        end_game(state, 1, tape)
    else:
        emit(tape, events.REFILL)
        put(tape, state.seats)
        for seat in range(state.seats):
            first = state.drawn[seat]
            put_list(tape, state.deck[seat, first:], refill(state, seat))
        begin_round(state)


@rule
def everybody_is_out(state):
    """5.1 Nobody is inside or at the entrance."""
    for seat in range(state.seats):
        if state.pawn[seat] != GONE:
            return False
    return True


@rule
def nobody_inside_has_cards(state):
    """5.1 Neither in hand nor in the deck."""
    for seat in range(state.seats):
        if state.pawn[seat] != GONE and (state.hand_size[seat] or state.drawn[seat] < DECK_SIZE):
            return False
    return True


@rule
def penalty(state, seat):
    """5.2 Cells on the shortest way out, the door included; nothing for whoever has left."""
    return 0 if state.pawn[seat] == GONE else WAY_OUT[state.option_entrance_is_exit, state.pawn[seat]]


@rule
def end_game(state, reason, tape):
    """5.3, 6.2 Loot less penalties, of the whole team in team play; the most wins, equals share the win."""
    state.over = 1
    for seat in range(state.seats):
        state.score[seat] = 0
        for mate in range(state.seats):
            if state.side[mate] == state.side[seat]:
                state.score[seat] += state.loot[mate] - penalty(state, mate)
    rank_by_score(state)
    tell_end(state, reason, tape)


@rule
def tell_end(state, reason, tape):
    """Loot, penalties, scores and winners."""
    emit(tape, events.END)
    put(tape, reason)
    put_list(tape, state.loot, state.seats)
    put(tape, state.seats)
    for seat in range(state.seats):
        put(tape, penalty(state, seat))
    put_list(tape, state.score, state.seats)
    put_winners(tape, state)


INVARIANTS = ("50 tokens, none lost", "14 cards each", "loot is what was taken", "one pawn a cell between walks")


@rule
def broken(state):
    """Flags of violated invariants, bit k for INVARIANTS[k]."""
    tokens = 0
    for cell in range(CELLS):
        tokens += state.lying[cell]
    wrong_cards = 0
    wrong_loot = 0
    crowded = 0
    for seat in range(state.seats):
        cards = DECK_SIZE - state.drawn[seat] + state.hand_size[seat]
        for card in range(CARDS):
            cards += state.played[seat, card]
        wrong_cards += cards != DECK_SIZE
        tokens += state.taken[seat]
        worth = 0
        for kind in range(COSTS):
            for value in range(VALUES):
                worth += value * int(state.tokens[seat, kind, value])
        wrong_loot += worth != state.loot[seat]
        for other in range(seat):
            crowded += 0 < state.pawn[seat] < GONE and state.pawn[seat] == state.pawn[other]
    between = state.phase == Phase.CARD or state.over
    return (tokens != TREASURES) + 2 * (wrong_cards > 0) + 4 * (wrong_loot > 0) + 8 * (between and crowded > 0)
