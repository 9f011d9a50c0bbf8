"""Dealing anew what a seat of silence does not know."""

from heist_envs.engine.chance import random_below, shuffle
from heist_envs.engine.compile import rule

from .house import bag_of, draw_token
from .pieces import CARDS, CELLS, CHEAPEST, COSTS, DECK_SIZE, GONE, VALUES, Phase
from .rules import PASSED


@rule
def redeal(state, seat):
    """7.1 The order of the own deck, hands and decks of others, their cards of this round, and all unseen tokens."""
    for other in range(state.seats):
        if other != seat:
            return_hand(state, other)
        shuffle(state, state.deck[other, state.drawn[other] :], DECK_SIZE - state.drawn[other])
        if other != seat:
            take_hand(state, other)
            if state.phase == Phase.CARD and state.chosen[other]:
                state.chosen[other] = random_choice(state, other)
    redeal_tokens(state, seat)


@rule
def return_hand(state, other):
    """A hand goes back under the deck's next card."""
    for card in range(CARDS):
        for _ in range(state.hand[other, card]):
            state.drawn[other] -= 1
            state.deck[other, state.drawn[other]] = card + 1
            state.undrawn[other, card] += 1
        state.hand[other, card] = 0


@rule
def take_hand(state, other):
    """As many cards as it had."""
    for _ in range(state.hand_size[other]):
        card = state.deck[other, state.drawn[other]] - 1
        state.drawn[other] += 1
        state.undrawn[other, card] -= 1
        state.hand[other, card] += 1


@rule
def random_choice(state, other):
    """A card this seat may have chosen; whoever has left may have passed."""
    choices = state.hand_size[other] + (state.pawn[other] == GONE)
    at = random_below(state, choices)
    for card in range(CARDS):
        at -= state.hand[other, card]
        if at < 0:
            return card + 2
    return PASSED


@rule
def redeal_tokens(state, seat):
    """7.1, 7.3 Tokens that lie, and those of other sides, are drawn anew from the same bags."""
    for cell in range(CELLS):
        if state.lying[cell]:
            state.bag[bag_of(state, state.cost[cell] - CHEAPEST), state.token[cell]] += 1
    for other in range(state.seats):
        if state.side[other] != state.side[seat]:
            collect(state, other)
    for cell in range(CELLS):
        if state.lying[cell]:
            state.token[cell] = draw_token(state, state.cost[cell] - CHEAPEST)
    for other in range(state.seats):
        if state.side[other] != state.side[seat]:
            for kind in range(COSTS):
                for _ in range(state.taken_at[other, kind]):
                    value = draw_token(state, kind)
                    state.tokens[other, kind, value] += 1
                    state.loot[other] += value


@rule
def collect(state, other):
    """All tokens of a seat go into the bags."""
    for kind in range(COSTS):
        for value in range(VALUES):
            state.bag[bag_of(state, kind), value] += state.tokens[other, kind, value]
            state.tokens[other, kind, value] = 0
    state.loot[other] = 0
