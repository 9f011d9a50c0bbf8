"""Final ranks and scores -> rewards, the same for every game. Rules set `rank` and `score`, never a reward;
a game with a `margin` of its own or payments on the way (`bonus`) says so in its declaration.

`win`: each of the w winners gets +1/w, each of the others -1/(n-w), all 0 when everybody wins; a contender without an
agent (`outside_winners`, `outside_losers`) counts, and its share goes to nobody.
In a game of two sides (about.toml names two roles) every member of the winning side gets +1, of the other -1.
`margin`: (own score - mean score of the other sides' seats) / SCORE_SCALE of the game.
"""

from .compile import rule
from .options import REWARDS

MARGIN = REWARDS.index("margin")
SCORE_SCALE = 1.0  # bound to the game's


@rule
def rank_by_score(state):
    """Give every seat its place by `score`: 1 for the most, equal scores share a place."""
    for seat in range(state.seats):
        state.rank[seat] = 1
        for other in range(state.seats):
            state.rank[seat] += state.score[other] > state.score[seat]


@rule
def win_reward(state, seat):
    """What `seat` gets at the end with `reward="win"`."""
    winners = state.outside_winners
    for other in range(state.seats):
        winners += state.rank[other] == 1
    losers = state.seats + state.outside_winners + state.outside_losers - winners
    if losers == 0:
        return 0.0
    return 1.0 / winners if state.rank[seat] == 1 else -1.0 / losers


@rule
def side_reward(state, seat):
    """The same where two sides play against each other: every member of the winning side +1, of the other -1."""
    return 1.0 if state.rank[seat] == 1 else -1.0


def margin_reward(state, seat):
    """What `seat` gets at the end with `reward="margin"`."""
    others, count = 0.0, 0
    for other in range(state.seats):
        if state.side[other] != state.side[seat]:
            others += state.score[other]
            count += 1
    return (state.score[seat] - others / count) / SCORE_SCALE


def pay(state, rewards):
    """Add the final reward of every seat of a finished game."""
    for seat in range(state.seats):
        rewards[seat] += margin_reward(state, seat) if state.option_reward == MARGIN else win_reward(state, seat)
