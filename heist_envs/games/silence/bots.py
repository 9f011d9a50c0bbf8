"""Scripted players of silence: one goes for the richest walk it dares, one keeps below its share of the noise, one gets
out early and wakes the house for the others."""

from heist_envs.engine.compile import rule

from .actions import EXIT, PASS, PLAY, STAY, STEP
from .pieces import CARDS, CHEAPEST, DECK_SIZE, EXIT_COST, GONE, NEXT, OUTSIDE, STEPS, WAY_OUT, Phase
from .walking import occupied

WORTH = (2.95, 5.0, 8.0)  # mean value of a token by the cost of its cell
NEVER = -1000.0


@rule
def cards_left(seen, seat):
    """Rounds this seat can still play a card in."""
    return seen.hand_size[seat] + DECK_SIZE - seen.drawn[seat]


@rule
def way_out(seen, place):
    """Cells to the nearest exit, the door included; 0 once gone."""
    return 0 if place == GONE else WAY_OUT[seen.option_entrance_is_exit, place]


@rule
def end_value(seen, seat, place, homeward):
    """How good it is to end a walk here: far from a door is bad once it is time to leave."""
    if occupied(seen, seat, place):
        return NEVER
    return -homeward * way_out(seen, place)


@rule
def best_end(seen, seat, place, budget, homeward):
    """The most it can be worth to end here, through the door if there is one and it is time."""
    best = end_value(seen, seat, place, homeward)
    if homeward > 0 and budget >= EXIT_COST and way_out(seen, place) == 1:
        best = max(best, 0.0)
    return best


@rule
def token_worth(seen, cell):
    """What the token in a cell is worth on average, 0 where none lies."""
    return WORTH[seen.cost[cell] - CHEAPEST] if seen.lying[cell] else 0.0


@rule
def best_step(seen, seat, place, budget, homeward):
    """The most that ending here, or one step farther, can bring."""
    best = best_end(seen, seat, place, budget, homeward)
    for way in range(len(STEPS)):
        cell = NEXT[place, way] - 1
        if cell >= 0 and seen.cost[cell] <= budget:
            left = budget - seen.cost[cell]
            best = max(best, token_worth(seen, cell) + best_end(seen, seat, cell + 1, left, homeward))
    return best


@rule
def best_walk(seen, seat, place, budget, homeward):
    """The most a walk from here can bring: tokens on the way and a good place, or the door, in the end. After a first
    step no walk has more than two."""
    best = best_end(seen, seat, place, budget, homeward)
    for way in range(len(STEPS)):
        cell = NEXT[place, way] - 1
        if cell >= 0 and seen.cost[cell] <= budget:
            left = budget - seen.cost[cell]
            best = max(best, token_worth(seen, cell) + best_step(seen, seat, cell + 1, left, homeward))
    return best


@rule
def walk(seen, seat, mask, homeward):
    """The first step of the best walk; with `homeward` above 0 the way to a door counts, and a door is taken."""
    here = seen.pawn[seat]
    best, most = STAY, end_value(seen, seat, here, homeward) if mask[STAY] else NEVER
    if mask[EXIT] and homeward > 0 and here != OUTSIDE and most <= 0.0:
        best, most = EXIT, 0.0
    for way in range(len(STEPS)):
        if mask[STEP + way]:
            cell = NEXT[here, way] - 1
            value = token_worth(seen, cell) + best_walk(seen, seat, cell + 1, seen.budget - seen.cost[cell], homeward)
            if value > most:
                best, most = STEP + way, value
    return best if mask[best] else EXIT


@rule
def card_up_to(mask, most):
    """The loudest legal card of at most `most`, otherwise the quietest one."""
    best = PASS
    for card in range(CARDS - 1, -1, -1):
        if mask[PLAY + card]:
            best = PLAY + card
            if card + 1 <= most:
                return best
    return best


@rule
def share(seen):
    """An equal part of the noise that wakes nobody."""
    return seen.threshold / seen.seats


@rule
def greedy(seen, seat, mask, memory):
    """Plays a little more than its share, walks where most lies and heads for a door in the last rounds."""
    if seen.phase == Phase.WALK:
        return walk(seen, seat, mask, 1.5 if cards_left(seen, seat) <= 4 else 0.0)
    return PASS if mask[PASS] else card_up_to(mask, share(seen) + 1.5)


@rule
def quiet(seen, seat, mask, memory):
    """Never plays more than its share and heads for a door early."""
    if seen.phase == Phase.WALK:
        return walk(seen, seat, mask, 1.0 if cards_left(seen, seat) <= 6 else 0.0)
    return PASS if mask[PASS] else card_up_to(mask, share(seen))


@rule
def spoiler(seen, seat, mask, memory):
    """Takes what it can get, leaves after half of the rounds and from then on plays its loudest cards."""
    if seen.phase == Phase.WALK:
        return walk(seen, seat, mask, 2.0 if cards_left(seen, seat) <= 8 else 0.0)
    return card_up_to(mask, CARDS if mask[PASS] else share(seen) + 1.5)


BOTS = {"greedy": greedy, "quiet": quiet, "spoiler": spoiler}
