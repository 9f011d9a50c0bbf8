"""What rows of games say about the agents in them: win shares, cross-play, openskill ratings, alpha-rank.

A board is all rows of one game, version and set of options. Everything random is seeded: the same rows give the same
figures. Intervals are 95 % percentile bootstraps over deals, which are what is independent; blocks that were played on
the same deals are resampled together.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from heist_envs.engine.errors import HeistError
from heist_envs.engine.registry import about

RESAMPLES = 2000
REFITS, MOST_GAMES = 16, 2000  # of openskill: how often, and how many games each time at most
POPULATION = 50  # of alpha-rank
ALPHAS = tuple(2.0**k for k in range(17))
SETTLED = 1e-3  # the sweep ends when doubling alpha moves no mass by more
LEAST = 1e-20  # chance of fixation; 0 would cut the chain apart
ALL = ""  # the role of figures over all roles


class Interval(NamedTuple):
    """A figure with the bounds of its 95 % interval."""

    mean: float
    low: float
    high: float


class Rating(NamedTuple):
    """An openskill rating: mean and standard deviation of mu over the refits, and the mean of openskill's own sigma."""

    mean: float
    spread: float
    sigma: float


@dataclass(frozen=True)
class Standing:
    """One line of a table. `win_share`: mean over all opponents of the share won at one side against copies of each, None
    without duels · `score`: mean of the game's own score in those games · `rating`: None without tables · `mass`: of
    alpha-rank, None if some pair has not met · `games`, `forfeits`: in all blocks."""

    name: str
    digest: str
    games: int
    forfeits: int
    win_share: Interval | None
    score: float | None
    rating: Rating | None
    mass: Interval | None


@dataclass(frozen=True)
class Board:
    """Figures of one game (`version`, `options`). `current`: no newer version is known. `roles`: those of its sides, () if
    sides are alike. `standings` {role: list, best first} and `matrix` {role: {(agent, opponent): Interval}}; `ALL` is the
    mean of the roles. `parity`: what equal agents win under `ALL`; in a single role nobody knows. `rows`: those counted;
    `superseded`: those with an earlier form of an agent, which are not."""

    game: str
    version: int
    current: bool
    options: dict
    players: int
    roles: tuple
    parity: float
    standings: dict
    matrix: dict
    rows: tuple
    superseded: tuple


class Encounter(NamedTuple):
    """What one agent won of another in one role: `samples` (deals,) win shares on the deals that `deals` names."""

    agent: str
    opponent: str
    role: str
    deals: tuple
    samples: np.ndarray
    score: float


def boards(rows, seed=0, resamples=RESAMPLES, refits=REFITS):
    """The `Board`s of `Row`s, by game, newest version first, then by options."""
    grouped = defaultdict(list)
    for row in rows:
        grouped[row.game, -row.version, tuple(sorted(row.options.items()))].append(row)
    latest = {}
    for row in rows:
        latest[row.game] = max(row.version, latest.get(row.game, installed_version(row.game)))
    made = []
    for (game, version, options), mine in sorted(grouped.items(), key=lambda entry: repr(entry[0])):
        made.append(board(mine, -version == latest[game], dict(options), seed, resamples, refits))
    return sorted(made, key=lambda one: (one.game, -one.version, one.players))


def installed_version(game):
    """The version of a game (a name) in this package, -1 if it has none of that name."""
    try:
        return about(game).version
    except HeistError:
        return -1


def board(rows, current, options, seed=0, resamples=RESAMPLES, refits=REFITS):
    """The `Board` of `Row`s of one game, version and set of options."""
    digests = {agent["name"]: agent["digest"] for row in rows for agent in row.agents}  # the last row has the last word
    counted, superseded = [], []
    for row in rows:
        newest = all(digests[agent["name"]] == agent["digest"] for agent in row.agents)
        (counted if newest else superseded).append(row)
    counted = without_repeats(counted)
    roles = roles_of(counted[0])
    keys = [*roles, ALL] if roles else [ALL]
    met = [one for row in counted for one in encounters(row, roles)]
    cells = resampled(direct(met), seed, resamples)
    if roles:
        cells |= over_roles(cells, roles)
    names = list(dict.fromkeys(agent["name"] for row in counted for agent in row.agents))
    fitted = openskill_ratings(counted, names, roles, seed, refits)
    masses = alpha_masses(cells, names)
    standings = {}
    for role in keys:
        lines = [
            Standing(
                name,
                digests[name],
                *_counts(counted, name),
                _win_share(cells, name, role),
                _score(met, name, role),
                fitted.get((name, role)),
                masses.get(name) if role == ALL else None,
            )
            for name in names
        ]
        standings[role] = sorted(lines, key=_best_first)
    matrix = {role: {(a, b): interval_of(cell) for (r, a, b), cell in cells.items() if r == role} for role in keys}
    first, parity = counted[0], 1 / len(set(counted[0].sides))
    told = first.game, first.version, current, options, len(first.sides), roles, parity
    return Board(*told, standings, matrix, tuple(counted), tuple(superseded))


def _best_first(standing):
    return -(standing.win_share.mean if standing.win_share else -1.0), standing.name


def _counts(rows, name):
    """(games, forfeits) of an agent."""
    mine = [(row, k) for row in rows for k, agent in enumerate(row.agents) if agent["name"] == name]
    return sum(row.games for row, _ in mine), sum(row.forfeits[k] for row, k in mine)


def without_repeats(rows):
    """Rows of the same block with the same seed hold the same deals: only the longest of them counts."""
    longest = {}
    for row in rows:
        agents = tuple(agent["name"] for agent in row.agents)
        key = row.kind, agents, row.seed, tuple(map(tuple, row.lineups))
        if key not in longest or row.deals > longest[key].deals:
            longest[key] = row
    return list(longest.values())


def roles_of(row):
    """The roles of a row's sides, side k the k-th; () where sides are alike or the game is not known any more."""
    try:
        roles = about(row.game).roles
    except HeistError:
        return ()
    return roles if len(roles) > 1 and len(roles) == len(set(row.sides)) else ()


def encounters(row, roles=()):
    """The `Encounter`s of a `Row`: in a duel those of the agent at one side; between two sides of both agents, in a table
    too, because the other's copies are then all at one side."""
    sides, two = np.asarray(row.sides), len(set(row.sides)) == 2 and len(row.agents) == 2
    if row.kind != "duel" and not two:
        return
    names, shares = [agent["name"] for agent in row.agents], row.shares
    side = np.array([[sides[np.asarray(lineup) == k][0] for k in range(len(names))] for lineup in row.lineups])
    for k in (0, 1) if two else (0,):
        for number, role in enumerate(roles or (ALL,)):
            chosen = np.flatnonzero(side[:, k] == number) if roles else np.arange(len(row.lineups))
            if len(chosen):
                score = float(np.mean([row.scores[at][k] for at in chosen]))
                samples = shares[:, chosen, k].mean(1)
                yield Encounter(names[k], names[1 - k], role, (row.seed, row.deals), samples, score)


def direct(met):
    """{(role, agent, opponent): list of `Encounter`s}. Between two sides one and the same games can be told from both ends:
    each deal counts once."""
    cells = defaultdict(dict)
    for one in met:
        cells[one.role, one.agent, one.opponent].setdefault(one.deals, one)
    return {key: list(found.values()) for key, found in cells.items()}


def resampled(cells, seed, resamples):
    """{key: (resamples + 1,) mean win share} of cells {key: list of `Encounter`s}: first the mean as it is, then those of
    bootstrap samples of the deals, the same ones for all cells played on the same deals."""
    by_deals = defaultdict(list)
    for key, found in cells.items():
        for one in found:
            by_deals[one.deals].append((key, one.samples))
    sums = {key: np.zeros(resamples + 1) for key in cells}
    for name, parts in by_deals.items():
        counts = drawn_deals(name, seed, resamples)
        means = counts @ np.array([samples for _, samples in parts]).T
        for column, (key, _) in enumerate(parts):
            sums[key] += means[:, column]
    return {key: total / sum(one.deals[1] for one in cells[key]) for key, total in sums.items()}


def drawn_deals(name, seed, resamples):
    """(resamples + 1, deals) how often each deal of `name` (seed, deals) is in each bootstrap sample; once each in the first
    line."""
    of_deals, deals = name
    random = np.random.default_rng([seed, of_deals, deals])
    counts = random.multinomial(deals, np.full(deals, 1 / deals), size=resamples)
    return np.vstack([np.ones(deals), counts])


def over_roles(cells, roles):
    """The cells of `ALL`: means over the roles, of the pairs that have met in each."""
    pairs = dict.fromkeys((a, b) for _, a, b in cells)
    whole = [(a, b) for a, b in pairs if all((role, a, b) in cells for role in roles)]
    return {(ALL, a, b): np.mean([cells[role, a, b] for role in roles], axis=0) for a, b in whole}


def interval_of(values):
    """The `Interval` of (mean, then bootstrapped means)."""
    low, high = np.quantile(values[1:], [0.025, 0.975]) if len(values) > 1 else (values[0], values[0])
    return Interval(float(values[0]), float(low), float(high))


def _win_share(cells, name, role):
    mine = [cell for (r, a, _), cell in cells.items() if r == role and a == name]
    return interval_of(np.mean(mine, axis=0)) if mine else None


def _score(met, name, role):
    """Mean score over the agent's deals in a role, or in each role alike."""
    mine = [one for one in met if one.agent == name and role in (one.role, ALL)]
    if not mine:
        return None
    return float(np.average([one.score for one in mine], weights=[one.deals[1] for one in mine]))


def openskill_ratings(rows, names, roles, seed, refits=REFITS, most=MOST_GAMES):
    """{(agent, role): `Rating`} by Plackett-Luce from the final places in tables, or between two sides from duels where
    there is no table.

    openskill rates game by game, so its ratings depend on the order: it is run `refits` times, each time on a bootstrap
    sample of the deals (at most `most` games of them) in a random order. A side is one competitor, however many seats it
    has: all of them are one agent. With roles an agent has a rating in each, and their mean under `ALL`.
    """
    deals = _deals_of_tables(rows, roles)
    if not deals:
        return {}
    try:
        from openskill.models import PlackettLuce
    except ModuleNotFoundError:
        raise HeistError("ratings need openskill; pip install 'heist_envs[leaderboard]'.") from None
    model, random = PlackettLuce(), np.random.default_rng([seed, 1])
    keys = [(name, role) for name in names for role in roles or (ALL,)]
    found = []
    for _ in range(refits):
        ratings = dict.fromkeys(keys, (model.mu, model.sigma))
        games, drawn = [], random.integers(len(deals), size=len(deals))
        for at in drawn:
            if len(games) >= most:
                break
            games += deals[at]
        for at in random.permutation(len(games)):
            _rate(model, ratings, *games[at])
        found.append([ratings[key] for key in keys])
    mu, sigma = np.moveaxis(np.array(found), 2, 0)
    columns = {key: [k] for k, key in enumerate(keys)}
    if roles:
        columns |= {(name, ALL): [keys.index((name, role)) for role in roles] for name in names}
    return {key: _rating(mu[:, of], sigma[:, of]) for key, of in columns.items()}


def _rating(mu, sigma):
    means = mu.mean(1)
    return Rating(float(means.mean()), float(means.std()), float(sigma.mean()))


def _deals_of_tables(rows, roles):
    """For each deal its games, each as ((agent, role) of every side, place of every side)."""
    two = len(set(rows[0].sides)) == 2
    chosen = [row for row in rows if row.kind == "table"] or [row for row in rows if two]
    deals = []
    for row in chosen:
        sides = np.asarray(row.sides)
        seats = [np.flatnonzero(sides == side) for side in np.unique(sides)]
        places = np.stack([row.rank_array[:, :, of].min(-1) for of in seats], -1)
        named = [_competitors(row, lineup, seats, roles) for lineup in row.lineups]
        deals += [list(zip(named, deal, strict=True)) for deal in places.tolist()]
    return deals


def _competitors(row, lineup, seats, roles):
    return [(row.agents[lineup[of[0]]]["name"], roles[side] if roles else ALL) for side, of in enumerate(seats)]


def _rate(model, ratings, competitors, places):
    """One game. `ratings` {(agent, role): (mu, sigma)}; who has several sides moves by their mean."""
    rated = model.rate([[model.rating(*ratings[key])] for key in competitors], ranks=places)
    moved = defaultdict(list)
    for key, (one,) in zip(competitors, rated, strict=True):
        moved[key].append((one.mu, one.sigma))
    for key, several in moved.items():
        ratings[key] = tuple(sum(values) / len(several) for values in zip(*several, strict=True))


def alpha_masses(cells, names):
    """{agent: `Interval` of its mass} of alpha-rank over the cross-play matrix; {} if some pair has not met.

    Alpha is taken from the matrix as it is; the masses are means over its bootstrap samples, so that a lead within the noise
    does not take everything.
    """
    if len(names) < 2 or any((ALL, a, b) not in cells for a in names for b in names if a != b):
        return {}
    size = len(next(iter(cells.values())))
    payoffs = np.zeros((size, len(names), len(names)))
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if i != j:
                payoffs[:, i, j] = cells[ALL, a, b]
    masses = alpha_rank(payoffs, settled_alpha(payoffs[0]))
    several = masses[1:] if size > 1 else masses
    bounds = np.quantile(several, [0.025, 0.975], axis=0)
    figures = zip(names, several.mean(0), *bounds, strict=True)
    return {name: Interval(*map(float, figure)) for name, *figure in figures}


def settled_alpha(payoffs):
    """The first alpha of the sweep at which doubling it changes no mass any more."""
    before = alpha_rank(payoffs, ALPHAS[0])
    for alpha in ALPHAS[1:]:
        now = alpha_rank(payoffs, alpha)
        if np.abs(now - before).max() < SETTLED and alpha * np.abs(payoffs - payoffs.T).max() > 1:
            return alpha
        before = now
    return ALPHAS[-1]


def alpha_rank(payoffs, alpha, population=POPULATION):
    """(..., agents) the masses of alpha-rank for one population (Omidshafiei et al. 2019, "alpha-Rank: Multi-Agent
    Evaluation by Evolution") of `payoffs` (..., agents, agents): what the row's agent gets against the column's.

    A population of one agent is invaded by single mutants of the others; the masses are the shares of time that it consists
    of each agent. In a cycle all of it has mass, a dominated agent has none.
    """
    payoffs = np.asarray(payoffs, float)
    count = payoffs.shape[-1]
    gains = alpha * (np.swapaxes(payoffs, -1, -2) - payoffs)  # [resident, mutant]: how much better the mutant does
    chain = np.maximum(fixation(gains, population), LEAST) / max(count - 1, 1)
    return stationary(chain)


def fixation(gains, population):
    """The chance that a mutant takes over a population: (1 - exp(-u)) / (1 - exp(-m u)), 1/m where u = 0."""
    size = np.abs(gains)
    small = size < 1e-9
    size = np.where(small, 1.0, size)
    chance = np.expm1(-size) / np.expm1(-population * size)
    chance = np.where(gains < 0, chance * np.exp(-(population - 1) * size), chance)
    return np.where(small, 1 / population, chance)


def stationary(chain):
    """(..., n) the stationary distribution of Markov chains (..., n, n), whose diagonals are not looked at, by the algorithm
    of Grassmann, Taksar and Heyman (1985): it takes no differences and so is exact also where chances are tiny."""
    chain = np.array(chain)
    count = chain.shape[-1]
    for k in range(count - 1, 0, -1):
        chain[..., :k, k] /= chain[..., k, :k].sum(-1)[..., None]
        chain[..., :k, :k] += chain[..., :k, k, None] * chain[..., k, None, :k]
    masses = np.zeros(chain.shape[:-1])
    masses[..., 0] = 1
    for k in range(1, count):
        masses[..., k] = (masses[..., :k] * chain[..., :k, k]).sum(-1)
        masses /= masses.sum(-1, keepdims=True)
    return masses
