"""Duplicate matches: one agent against others, every deal played once from each side, so that luck cancels out."""

import math
from dataclasses import asdict, dataclass

import numpy as np

from ..engine.table import Table
from ..policies.players import NOBODY, Players

Z95 = 1.959964
PLAYS = ("sampled", "deterministic")
ILLEGAL = -1


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


@dataclass(frozen=True)
class Outcome:
    """How N games ended. `rank` (N, players) int64: final places, 1 = winner; `score` (N, players) float64; `forfeits`
    {game: (seat, why)}: that seat's agent failed and its side is last, all others share the first place; `actions`: for
    each game the list of its actions, or None if they were not recorded."""

    rank: np.ndarray
    score: np.ndarray
    forfeits: dict
    actions: list | None

    def win_shares(self, mine):
        """(N,) what the seats `mine` (N, players) bool won of each game; a win shared by w seats counts 1/w for each."""
        won = self.rank == 1
        return (won & mine).sum(1) / won.sum(1)


def play_match(game, agent, opponent, games, seed=0, role="", stopped=lambda: False, **options):
    """The `Result` of an `Agent` at one side against copies of another, over about `games` games of a `Game`, a whole
    number of deals. With `role` the agent always has the side of that role. None once `stopped()`."""
    played = duplicate_games(game, [agent, opponent], 1, games, seed, role, stopped, **options)
    if played is None:
        return None
    outcome, mine, deals = played
    mean, low, high = interval(outcome.win_shares(mine).reshape(deals, -1).mean(1))
    numbers = (mean, low, high, outcome.score[mine].mean(), outcome.score[~mine].mean())
    mean, low, high, own, others = (round(float(number), 4) for number in numbers)
    parity = None if role else round(deals / len(mine), 4)
    play = PLAYS[agent.deterministic]
    return Result(agent.name, opponent.name, role, play, len(mine), mean, low, high, parity, own, others)


def duplicate_games(game, agents, others, games, seed, role="", stopped=lambda: False, **options):
    """Play games in which `agents[0]` has one side and every other side one of the `others` agents after it, drawn by deal.
    Each deal is played from every side (with `role` only from that role's), the games of one deal side by side. Returns
    (`Outcome`, (N, players) bool of the first agent's seats, number of deals); None once `stopped()`."""
    side = Table(game, 1, **options).sides()
    sides = [game.about.roles.index(role)] if role else np.unique(side)
    deals = max(2, round(games / len(sides)))
    table = Table(game, deals * len(sides), **options)
    mine = side == np.tile(sides, deals)[:, None]
    random = np.random.default_rng([seed, 2])
    table.reset(np.repeat(random.integers(2**63, size=deals), len(sides)))
    drawn = 1 + random.integers(others, size=(deals, side.max() + 1)).repeat(len(sides), 0)
    outcome = play_out(table, Players(table, agents, np.where(mine, 0, drawn[:, side]), [seed, 1]), stopped)
    return outcome and (outcome, mine, deals)


def play_out(table, players, stopped=lambda: False, record=False, lenient=False):
    """Play all games of a table, which has just been dealt, to their end with `Players` at all seats. Returns the
    `Outcome`; None once `stopped()`. An agent that raises or chooses an illegal action stops everything with its error,
    unless `lenient`: then it forfeits the games it was asked in, and the others go on."""
    actions, steps = np.zeros(table.games, np.int64), []
    while not stopped():
        running = _running(table, players)
        if not running.any():
            return outcome_of(table, players.forfeits, _by_game(steps, table.games) if record else None)
        players.seats[~running] = NOBODY
        if lenient:
            _choose_or_forfeit(table, players, actions)
        else:
            players.choose(actions)
        moving = _running(table, players)  # not where somebody has forfeited just now
        table.play(actions, moving.view(np.uint8))
        if record:
            steps.append((actions.astype(np.int32), moving))
    return None


def _choose_or_forfeit(table, players, actions):
    """`players.choose`, after which no action is illegal where nobody has forfeited."""
    actions[:] = ILLEGAL
    try:
        players.choose(actions)
    except Exception:  # whatever it is: a stranger's fault must not end the games of others
        _ask_one_by_one(table, players, actions)
    rows, asked = np.arange(table.games), table.seat.copy()
    waiting = players.seats[rows, asked] != NOBODY
    known = (actions >= 0) & (actions < table.mask.shape[1])
    legal = known & (table.mask[rows, np.where(known, actions, 0)] != 0)
    for game in np.flatnonzero(waiting & ~legal).tolist():
        players.forfeit(game, int(asked[game]), f"it chose the action {actions[game]}, which is not legal.")


def _ask_one_by_one(table, players, actions):
    """Ask each agent alone, to learn who fails: it forfeits the games in which it is asked. Those who had chosen already are
    asked again, which moves their random streams on (and a memory), as it would in any repetition of the match. Programs
    are asked last and have not been yet."""
    seats, asked, programs = players.seats.copy(), table.seat.copy(), players.external
    players.external = None
    for number in range(len(players.agents)):
        players.seats[:] = np.where(seats == number, number, NOBODY)
        try:
            players.choose(actions)
        except Exception as error:
            why = f"it failed with {type(error).__name__}: {error}"
            for game in np.flatnonzero(seats[np.arange(table.games), asked] == number).tolist():
                players.forfeit(game, int(asked[game]), why)
    players.seats[:] = seats
    players.seats[list(players.forfeits)] = NOBODY
    players.external = programs
    if programs:
        programs.choose(actions)


def _running(table, players):
    """(N,) bool: games that are not over and in which nobody has forfeited."""
    running = table.over == 0
    running[list(players.forfeits)] = False
    return running


def outcome_of(table, forfeits, actions=None):
    """The `Outcome` of a table whose games are over, or in `forfeits` {game: (seat, why)}. A game that was over is not
    forfeited any more."""
    rank = table.rank[:, : table.players].astype(np.int64)
    forfeits = {game: forfeit for game, forfeit in forfeits.items() if not table.over[game]}
    sides = table.sides()
    for game, (seat, _) in forfeits.items():
        lost = sides == sides[seat]
        rank[game] = np.where(lost, 1 + np.count_nonzero(~lost), 1)
    score = table.states["score"][:, : table.players].astype(np.float64)
    return Outcome(rank, score, forfeits, actions)


def _by_game(steps, games):
    """The actions of each game from those of each step [(actions (N,), moved (N,) bool)]."""
    chosen, moved = (np.array([step[k] for step in steps]) for k in (0, 1))
    return [chosen[moved[:, game], game].tolist() for game in range(games)]


def interval(samples):
    """(mean, low, high) of independent samples of a share, with 95 % confidence. The games of one deal share its luck, so
    deals, not games, are independent samples."""
    mean, error = samples.mean(), Z95 * samples.std(ddof=1) / math.sqrt(len(samples))
    return mean, max(0.0, mean - error), min(1.0, mean + error)


def as_json(results):
    """`Result`s ready for JSON."""
    return [asdict(result) for result in results]
