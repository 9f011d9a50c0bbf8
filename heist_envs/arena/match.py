"""Duplicate matches: one agent against others, every deal played once from each side, so that luck cancels out."""

import math
from dataclasses import asdict, dataclass

import numpy as np

from ..engine.table import Table
from ..policies.players import NOBODY, Players

Z95 = 1.959964
PLAYS = ("sampled", "deterministic")


@dataclass(frozen=True)
class Result:
    """One side played by `agent`, all others by copies of `opponent`; a side is one seat where each plays for himself.

    `role`: the role of that side in a game that has several, otherwise "". `play`: how the agent played, sampled or
    deterministic (opponents that are networks always draw from their policy). A win shared by w winners counts 1/w; `low`
    and `high` bound the win share with 95 % confidence; `parity` is what equal players get, None between roles that are
    not alike; scores are means of the game's own score.
    """

    agent: str
    opponent: str
    role: str
    play: str
    games: int
    win_share: float
    low: float
    high: float
    parity: float | None
    mean_score: float
    opponents_score: float


def play_match(game, agent, opponent, games, seed=0, role="", stopped=lambda: False, **options):
    """The `Result` of an `Agent` at one side against copies of another, over about `games` games of a `Game`, a whole
    number of deals. With `role` the agent always has the side of that role. None once `stopped()`."""
    played = duplicate_games(game, [agent, opponent], 1, games, seed, role, stopped, **options)
    if played is None:
        return None
    table, mine, deals = played
    scores = table.states["score"][:, : table.players].astype(np.float64)
    mean, low, high = interval(shares_by_deal(table, mine, deals))
    parity = None if role else 1 / len(np.unique(table.sides()))
    numbers = (mean, low, high, scores[mine].mean(), scores[~mine].mean())
    mean, low, high, own, others = (round(float(number), 4) for number in numbers)
    play = PLAYS[agent.deterministic]
    parity = parity and round(parity, 4)
    return Result(agent.name, opponent.name, role, play, table.games, mean, low, high, parity, own, others)


def duplicate_games(game, agents, others, games, seed, role="", stopped=lambda: False, **options):
    """Play games in which `agents[0]` has one side and every other side one of the `others` agents after it, drawn by deal.
    Returns (finished table, (N, players) bool of the first agent's seats, number of deals); None once `stopped()`."""
    side = Table(game, 1, **options).sides()
    roles = game.about.roles
    sides = [roles.index(role)] if role else np.unique(side)
    deals = max(2, round(games / len(sides)))
    table = Table(game, deals * len(sides), **options)
    mine = side == np.tile(sides, deals)[:, None]
    random = np.random.default_rng([seed, 2])
    table.reset(np.repeat(random.integers(2**63, size=deals), len(sides)))
    drawn = 1 + random.integers(others, size=(deals, side.max() + 1)).repeat(len(sides), 0)
    play_out(table, Players(table, agents, np.where(mine, 0, drawn[:, side]), [seed, 1]), stopped)
    return None if stopped() else (table, mine, deals)


def play_out(table, players, stopped=lambda: False):
    """Play all games of a table to their end, or until `stopped()`."""
    actions = np.zeros(table.games, np.int64)
    while not stopped():
        running = table.over == 0
        if not running.any():
            return
        players.seats[~running] = NOBODY
        table.play(players.choose(actions), running.view(np.uint8))


def shares_by_deal(table, mine, deals):
    """(deals,) mean win share of the seats `mine` (N, players) in the games of each deal. The games of one deal share its
    luck, so the deal, not the game, is the independent sample."""
    won = table.rank[:, : table.players] == 1
    return ((won & mine).sum(1) / won.sum(1)).reshape(deals, -1).mean(1)


def interval(samples):
    """(mean, low, high) of independent samples of a share, with 95 % confidence."""
    mean, error = samples.mean(), Z95 * samples.std(ddof=1) / math.sqrt(len(samples))
    return mean, max(0.0, mean - error), min(1.0, mean + error)


def as_json(results):
    """`Result`s ready for JSON."""
    return [asdict(result) for result in results]
