"""The rules of banquefall, section by section of RULES.md; the robbery itself is in robbery.py."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule
from heist_envs.engine.events import NULL, emit, put
from heist_envs.engine.rewards import rank_by_score
from heist_envs.engine.seating import to_the_left

from . import events
from .actions import BID, CARD, DECODE, PASS, PLACE, ROB
from .events import put_card, tell_end, tell_look, tell_setup
from .knowledge import class_of, face_down, learn, oldest_of_class
from .pieces import (
    BANK_CAPACITY,
    BANKS,
    CARDS,
    CLASSES,
    CREDIT,
    DECK,
    DECK_SIZE,
    FUNDS,
    HAND,
    MAX_BID,
    MIN_FACE_DOWN,
    TILE_COPIES,
    TILES,
    Phase,
    Tile,
)
from .robbery import rob_bank


@rule
def setup(state, tape):
    """2 Shuffle, deal, draw the first seat, turn its first tile."""
    for i in range(DECK_SIZE):
        state.deck[i] = DECK[i]
    shuffle(state, state.deck, DECK_SIZE)
    deal(state)
    give_funds(state)
    tell_setup(state, tape)
    begin_turn(state, tape)


@rule
def deal(state):
    """2.1 One face-down card at each bank, five cards to each hand, the rest is the pile."""
    for bank in range(BANKS):
        add_to_row(state, bank, draw(state), 0)
    for seat in range(state.seats):
        for _ in range(HAND):
            draw_to_hand(state, seat)


@rule
def give_funds(state):
    """1.3, 2.2 Ten coins each; the first seat is drawn by lot."""
    for seat in range(state.seats):
        state.funds[seat] = FUNDS
    state.turn = random_below(state, state.seats)


@rule
def draw(state):
    """The next card of the pile, UNKNOWN (no card) when it is empty."""
    if state.drawn == DECK_SIZE:
        return 0
    state.drawn += 1
    return state.deck[state.drawn - 1]


@rule
def draw_to_hand(state, seat):
    """Take the pile's next card, if there is one; returns it."""
    card = draw(state)
    if card:
        state.hand[seat, card] += 1
        state.hand_size[seat] += 1
    return card


@rule
def add_to_row(state, bank, card, origin):
    """Lay a card face down at a bank; returns its slot."""
    slot = state.length[bank]
    state.row[bank, slot] = card
    state.origin[bank, slot] = origin
    state.length[bank] += 1
    return slot


@rule
def begin_turn(state, tape):
    """3.1 The seat whose turn it is turns a tile; a tile that cannot be executed passes the turn on (3.3, 3.4)."""
    while True:
        tile = turn_tile(state, tape)
        if can_execute(state, tile):
            ask(state, tile)
            return
        tell_look(state, tape, events.SPY if tile == Tile.SPY else events.REVEAL, NULL, NULL)
        next_seat(state)


@rule
def turn_tile(state, tape):
    """1.2, 3.1 One of the unturned tiles at random; when all seven are turned they are mixed again."""
    left = 0
    for tile in range(TILES):
        left += state.tiles[tile]
    if left == 0:
        for tile in range(TILES):
            state.tiles[tile] = TILE_COPIES[tile]
            left += TILE_COPIES[tile]
    at = random_below(state, left)
    tile = 0
    while at >= state.tiles[tile]:
        at -= state.tiles[tile]
        tile += 1
    state.tiles[tile] -= 1
    emit(tape, events.TILE)
    put(tape, state.turn)
    put(tape, tile)
    return tile


@rule
def can_execute(state, tile):
    """3.3, 3.4 Nobody is asked to spy where nothing lies face down, or to reveal where nothing may be revealed."""
    if tile != Tile.SPY and tile != Tile.REVEAL:
        return True
    for bank in range(BANKS):
        if face_down(state, bank) >= least_face_down(tile):
            return True
    return False


@rule
def least_face_down(tile):
    """3.4 Revealing must leave a face-down card at the bank; spying needs only one."""
    return MIN_FACE_DOWN if tile == Tile.REVEAL else 1


@rule
def ask(state, phase):
    """The seat whose turn it is owes a decision."""
    state.phase = phase
    state.to_act[state.turn] = 1
    state.lead = state.turn


@rule
def next_seat(state):
    """3.6 The turn goes to the left."""
    state.turn = to_the_left(state.turn, 1, state.seats)


@rule
def end_turn(state, tape):
    next_seat(state)
    begin_turn(state, tape)


@rule
def legal(seen, seat, mask):
    """3.2 to 3.5, 4.1: what the asked seat may do."""
    if seen.phase == Phase.BID:
        legal_bids(seen, seat, mask)
    elif seen.phase == Phase.PLACE:
        legal_placements(seen, seat, mask)
    elif seen.phase == Phase.ROB:
        for bank in range(BANKS):
            mask[ROB + bank] = 1
    else:
        legal_looks(seen, seat, mask)


@rule
def legal_bids(seen, seat, mask):
    """4.1, 7.2 Anything from nothing to all the funds, at most MAX_BID."""
    for coins in range(min(seen.funds[seat], MAX_BID) + 1):
        mask[BID + coins] = 1


@rule
def legal_placements(seen, seat, mask):
    """3.2, 7.1 Any hand card at any bank whose row is not full."""
    for card in range(1, CARDS):
        held = seen.hand[seat, card] > 0
        for bank in range(BANKS):
            mask[PLACE + (card - 1) * BANKS + bank] = held & (seen.length[bank] < BANK_CAPACITY)


@rule
def legal_looks(seen, seat, mask):
    """3.3, 3.4, 6.1 Any face-down card, by class, where enough lie face down; or pass."""
    mask[PASS] = 1
    least = least_face_down(seen.phase)
    for bank in range(BANKS):
        if face_down(seen, bank) >= least:
            for slot in range(seen.length[bank]):
                if not seen.face_up[bank, slot]:
                    mask[CARD + bank * CLASSES + class_of(seen, seat, bank, slot)] = 1


@rule
def play(state, seat, action, tape):
    """One decision of an asked seat."""
    state.to_act[seat] = 0
    first, second = DECODE[action, 1], DECODE[action, 2]
    if state.phase == Phase.BID:
        bid(state, seat, first, tape)
    elif state.phase == Phase.PLACE:
        place(state, seat, first + 1, second, tape)
    elif state.phase == Phase.ROB:
        call_robbery(state, seat, first, tape)
    elif state.phase == Phase.SPY:
        spy(state, seat, action, first, second, tape)
    else:
        reveal(state, seat, action, first, second, tape)


@rule
def place(state, seat, card, bank, tape):
    """3.2 Lay a hand card face down at a bank and draw a new one."""
    state.hand[seat, card] -= 1
    state.hand_size[seat] -= 1
    learn(state, seat, bank, add_to_row(state, bank, card, seat + 1))
    drew = draw_to_hand(state, seat)
    emit(tape, events.PLACE)
    put(tape, seat)
    put_card(tape, card)
    put(tape, bank)
    put_card(tape, drew)
    if state.hand_size[seat] == 0:
        begin_final_round(state, tape)
    else:
        end_turn(state, tape)


@rule
def spy(state, seat, action, bank, kind, tape):
    """3.3 Look at a face-down card, or pass."""
    if action == PASS:
        tell_look(state, tape, events.SPY, NULL, NULL)
    else:
        slot = oldest_of_class(state, seat, bank, kind)
        learn(state, seat, bank, slot)
        tell_look(state, tape, events.SPY, bank, slot)
    end_turn(state, tape)


@rule
def reveal(state, seat, action, bank, kind, tape):
    """3.4 Turn a card face up for good, or pass."""
    if action == PASS:
        tell_look(state, tape, events.REVEAL, NULL, NULL)
    else:
        slot = oldest_of_class(state, seat, bank, kind)
        state.face_up[bank, slot] = 1
        for other in range(state.seats):
            learn(state, other, bank, slot)
        tell_look(state, tape, events.REVEAL, bank, slot)
    end_turn(state, tape)


@rule
def call_robbery(state, seat, bank, tape):
    """3.5 All players rob the bank that this seat, or in the final round (NULL) the order, has called."""
    state.target = bank
    emit(tape, events.ROB)
    put(tape, seat)
    put(tape, bank)
    state.phase = Phase.BID
    state.lead = 0
    for player in range(state.seats):
        state.to_act[player] = 1


@rule
def bid(state, seat, coins, tape):
    """4.1 Bids stay secret until the last one is in; then the bank is robbed and gets a new card (4.9)."""
    state.bid[seat] = coins
    for other in range(state.seats):
        if state.to_act[other]:
            return
    restock = draw(state)
    rob_bank(state, restock, tape)
    if restock:
        add_to_row(state, state.target, restock, 0)
    if state.final:
        next_final_robbery(state, tape)
    else:
        end_turn(state, tape)


@rule
def begin_final_round(state, tape):
    """5.1 Somebody has played his last card, so the pile is empty: every bank is robbed once more."""
    next_final_robbery(state, tape)


@rule
def next_final_robbery(state, tape):
    """5.2 From the bank of the seat that ended the game on, counter-clockwise; banks without cards are skipped."""
    while state.final < BANKS:
        bank = (state.turn - state.final) % BANKS
        state.final += 1
        if state.length[bank]:
            call_robbery(state, NULL, bank, tape)
            return
    end_game(state, tape)


@rule
def end_game(state, tape):
    """5.3 Funds less ten for each red coin; the richest wins, equals share the place."""
    state.over = 1
    for seat in range(state.seats):
        state.score[seat] = state.funds[seat] - CREDIT * state.credits[seat]
    rank_by_score(state)
    tell_end(state, tape)


INVARIANTS = ("45 cards, none lost", "hand sizes add up", "funds of at least 10", "loot covers what is paid")


@rule
def broken(state):
    """Flags of violated invariants, bit k for INVARIANTS[k]."""
    cards = DECK_SIZE - state.drawn
    sizes = 0
    paid = 0
    poor = 0
    for seat in range(state.seats):
        held = 0
        for card in range(CARDS):
            held += state.hand[seat, card]
        sizes += held != state.hand_size[seat]
        cards += held
        paid += state.last_paid[seat]
        poor += state.funds[seat] < FUNDS
    for bank in range(BANKS):
        cards += state.length[bank]
    for card in range(CARDS):
        cards += state.gone[card]
    overpaid = state.last_result == 1 and paid > state.last_loot
    return (cards != DECK_SIZE) + 2 * (sizes > 0) + 4 * (poor > 0) + 8 * overpaid
