"""Ratings against results worked out by hand, published, or computed in another way."""

import numpy as np
import pytest
from openskill.models import PlackettLuce

from benchmarks.ratings import (
    ALL,
    Encounter,
    alpha_rank,
    boards,
    direct,
    encounters,
    fixation,
    interval_of,
    openskill_ratings,
    resampled,
    settled_alpha,
    stationary,
)

from .synthetic import duel, row, table, tournament

CYCLE = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def only(rows, **settings):
    (board,) = boards(rows, **{"resamples": 200, "refits": 2} | settings)
    return board


def share(board, name, role=ALL):
    return next(one for one in board.standings[role] if one.name == name).win_share


def test_the_win_share_is_the_mean_over_opponents_not_over_games():
    strong = duel("ada", "ben", [[1, 1], [1, 1], [1, 1], [1, 0]])  # 7 of 8
    weak = duel("ada", "cy", [[1, 0], [0, 0]])  # 1 of 4
    board = only([strong, weak])
    assert share(board, "ada").mean == pytest.approx((7 / 8 + 1 / 4) / 2)
    assert board.matrix[ALL]["ada", "ben"].mean == pytest.approx(7 / 8)
    assert board.parity == 1 / 2


def test_between_two_sides_the_other_agent_is_told_by_the_same_games():
    board = only([duel("ada", "ben", [[1, 1], [1, 0]])])
    assert share(board, "ben").mean == pytest.approx(1 / 4)
    assert share(board, "ada").mean == pytest.approx(3 / 4)


def test_games_told_from_both_ends_count_once():
    there, back = duel("ada", "ben", [[1, 1], [1, 0]], seed=3), duel("ben", "ada", [[0, 0], [1, 0]], seed=3)
    met = [one for of in (there, back) for one in encounters(of)]
    assert len(met) == 4
    assert all(len(found) == 1 for found in direct(met).values())


def test_with_three_sides_only_the_agent_at_one_side_is_measured():
    board = only([duel("ada", "ben", [[1, 1, 0]], players=3)])
    assert share(board, "ada").mean == pytest.approx(2 / 3)
    assert share(board, "ben") is None
    assert board.parity == pytest.approx(1 / 3)


def test_a_shared_win_counts_its_share():
    board = only([row([[[1, 1], [1, 2]]], ["ada", "ben"], [0, 1], [[0, 1], [1, 0]])])
    assert share(board, "ada").mean == pytest.approx((0.5 + 0.0) / 2)


def test_two_blocks_of_one_pair_are_pooled_by_deals():
    board = only([duel("ada", "ben", [[1, 1]], seed=1), duel("ada", "ben", [[0, 0], [0, 0], [0, 0]], seed=2)])
    assert share(board, "ada").mean == pytest.approx(1 / 4)


def test_a_longer_block_of_the_same_seed_replaces_the_shorter_one():
    board = only([duel("ada", "ben", [[1, 1]], seed=1), duel("ada", "ben", [[1, 1], [0, 0]], seed=1)])
    assert share(board, "ada").mean == pytest.approx(1 / 2)
    assert len(board.rows) == 1


def test_bootstrap_interval_of_a_known_distribution():
    """Of n deals, half of them won, the bootstrapped mean is binomial: its standard deviation is 1 / (2 sqrt(n))."""
    deals = 400
    samples = np.arange(deals) % 2
    cells = {"one": [Encounter("ada", "ben", ALL, (1, deals), samples, 0.0)]}
    interval = interval_of(resampled(cells, 0, 4000)["one"])
    assert interval.mean == 0.5
    assert interval.high - interval.low == pytest.approx(2 * 1.96 / (2 * np.sqrt(deals)), rel=0.08)
    assert resampled(cells, 0, 100)["one"].tolist() == resampled(cells, 0, 100)["one"].tolist()


def test_blocks_on_the_same_deals_are_resampled_together():
    """Two cells that always differ by a constant do so in every bootstrap sample, other deals do not."""
    random = np.random.default_rng(0)
    samples = random.random(50)
    of = lambda seed, values: [Encounter("ada", "ben", ALL, (seed, 50), values, 0.0)]  # noqa: E731
    found = resampled({"a": of(1, samples), "b": of(1, samples / 2), "c": of(2, samples)}, 0, 200)
    assert np.allclose(found["a"], 2 * found["b"])
    assert abs(np.corrcoef(found["a"][1:], found["c"][1:])[0, 1]) < 0.4


def test_one_game_is_rated_as_openskill_does():
    model = PlackettLuce()
    (winner,), (loser,) = model.rate([[model.rating()], [model.rating()]], ranks=[1, 2])
    single = row([[[1, 2]]], ["ada", "ben"], [0, 1], [[0, 1]], "table")
    found = openskill_ratings([single], ["ada", "ben"], (), 0, refits=3)
    assert found["ada", ALL].mean == pytest.approx(winner.mu)
    assert found["ben", ALL].mean == pytest.approx(loser.mu)
    assert found["ada", ALL].sigma == pytest.approx(winner.sigma)
    assert found["ada", ALL].spread == pytest.approx(0)


def test_ratings_follow_places_and_do_not_depend_on_the_order_of_rows():
    rows = [table(["ada", "ben", "cy"], [[1, 2, 3]] * 20), table(["ben", "cy", "ada"], [[2, 3, 1]] * 20, seed=9)]
    found = openskill_ratings(rows, ["ada", "ben", "cy"], (), 0, refits=5)
    mu = [found[name, ALL].mean for name in ("ada", "ben", "cy")]
    assert mu[0] > mu[1] + 5 > mu[2] + 10
    ties = openskill_ratings([table(["ada", "ben", "cy"], [[1, 1, 1]] * 20)], ["ada", "ben", "cy"], (), 0, refits=2)
    assert np.ptp([ties[name, ALL].mean for name in ("ada", "ben", "cy")]) < 0.5


def test_who_sits_at_several_sides_of_a_table_moves_by_their_mean():
    model = PlackettLuce()
    first, second, third = (one for (one,) in model.rate([[model.rating()] for _ in range(3)], ranks=[1, 2, 3]))
    seated = row([[[1, 2, 3]]], ["ada", "ben"], [0, 1, 2], [[0, 1, 0]], "table")
    found = openskill_ratings([seated], ["ada", "ben"], (), 0, refits=1)
    assert found["ada", ALL].mean == pytest.approx((first.mu + third.mu) / 2)
    assert found["ben", ALL].mean == pytest.approx(second.mu)


def test_a_side_of_several_seats_is_one_competitor_with_its_best_place():
    teams = row([[[1, 1, 3, 3]]] * 4, ["ada", "ben"], [0, 0, 1, 1], [[0, 0, 1, 1]], "table")
    found = openskill_ratings([teams], ["ada", "ben"], (), 0, refits=2)
    assert found["ada", ALL].mean > 26 > 24 > found["ben", ALL].mean


def test_rock_paper_scissors_has_no_best_agent():
    for alpha in (0.01, 1, 100):
        assert alpha_rank(CYCLE, alpha) == pytest.approx([1 / 3] * 3)


def test_a_dominant_agent_takes_all_mass():
    payoffs = np.array([[0, 1, 1, 1], [-1, 0, -1, 1], [-1, 1, 0, -1], [-1, -1, 1, 0]])
    assert alpha_rank(payoffs, settled_alpha(payoffs)) == pytest.approx([1, 0, 0, 0], abs=1e-6)


def test_an_agent_that_loses_to_a_whole_cycle_has_no_mass():
    payoffs = np.full((4, 4), -1.0)
    payoffs[:3, :3], payoffs[:3, 3] = CYCLE, 1
    assert alpha_rank(payoffs, settled_alpha(payoffs)) == pytest.approx([1 / 3] * 3 + [0], abs=1e-6)


def test_alpha_rank_of_two_agents_by_hand():
    """The chain has two states, so the masses are as the chances of fixation: rho(u) / (rho(u) + rho(-u))."""
    gain, size = 0.3, 50
    win = (1 - np.exp(-gain)) / (1 - np.exp(-size * gain))
    lose = (1 - np.exp(gain)) / (1 - np.exp(size * gain))
    found = alpha_rank([[0, gain / 2], [-gain / 2, 0]], 1.0)
    assert found == pytest.approx([win / (win + lose), lose / (win + lose)])
    assert fixation(np.array([0.0, gain, -gain]), size) == pytest.approx([1 / size, win, lose])


def test_alpha_rank_agrees_with_the_eigenvector_of_the_chain():
    payoffs = np.random.default_rng(4).random((5, 5))
    gains = 2.0 * (payoffs.T - payoffs)
    with np.errstate(invalid="ignore"):
        chain = (1 - np.exp(-gains)) / (1 - np.exp(-50 * gains)) / 4
    np.fill_diagonal(chain, 0)
    np.fill_diagonal(chain, 1 - chain.sum(1))
    values, vectors = np.linalg.eig(chain.T)
    expected = np.real(vectors[:, np.argmax(np.real(values))])
    assert alpha_rank(payoffs, 2.0) == pytest.approx(expected / expected.sum())


def test_stationary_distribution_where_chances_are_tiny():
    """A chain along a line is balanced step by step: the ratio of neighbours is 1e-18 each time."""
    steps = 6
    chain = np.zeros((steps, steps))
    chain[np.arange(steps - 1), np.arange(1, steps)] = 1e-18
    chain[np.arange(1, steps), np.arange(steps - 1)] = 1.0
    assert stationary(chain)[:3] == pytest.approx([1, 1e-18, 1e-36], rel=1e-9)


def test_masses_of_a_tournament():
    board = only(tournament({"ada": 8, "ben": 2, "cy": 1}, deals=60))
    first, *others = board.standings[ALL]
    assert first.name == "ada"
    assert first.mass.mean > 0.95
    assert sum(one.mass.mean for one in (first, *others)) == pytest.approx(1)
    assert first.rating.mean > others[0].rating.mean > others[1].rating.mean
    assert first.win_share.low < first.win_share.mean < first.win_share.high
    assert first.games == 3 * 60 * (2 * 2 + 3)


def test_no_mass_while_a_pair_has_not_met():
    board = only(tournament({"ada": 8, "ben": 2, "cy": 1})[1:])
    assert all(one.mass is None for one in board.standings[ALL])


def bank_and_robbers(bank_won, robber_won, first="ada", second="ben", **changes):
    """A duel of rob_a_bank for three: `first` as bank, then as the two robbers; (deals,) bool who won."""
    ranks = [[[1, 2, 2] if bank else [3, 1, 1], [3, 1, 1] if robbers else [1, 2, 2]] for bank, robbers in
             zip(bank_won, robber_won, strict=True)]  # fmt: skip
    return row(ranks, [first, second], [0, 1, 1], [[0, 1, 1], [1, 0, 0]], game="rob_a_bank",
               scores=[[10.0, 1.0], [2.0, 4.0]], **changes)  # fmt: skip


def test_roles_have_a_table_each_and_one_together():
    board = only([bank_and_robbers([1, 1, 1, 0], [0, 1, 0, 0])])
    assert board.roles == ("bank", "robber")
    assert share(board, "ada", "bank").mean == pytest.approx(3 / 4)
    assert share(board, "ada", "robber").mean == pytest.approx(1 / 4)
    assert share(board, "ada").mean == pytest.approx(1 / 2)
    assert share(board, "ben", "bank").mean == pytest.approx(3 / 4)
    assert share(board, "ben", "robber").mean == pytest.approx(1 / 4)
    scores = {role: {one.name: one.score for one in board.standings[role]} for role in board.standings}
    assert scores["bank"] == {"ada": 10.0, "ben": 4.0}
    assert scores["robber"] == {"ada": 2.0, "ben": 1.0}
    assert scores[ALL]["ada"] == pytest.approx(6.0)


def test_roles_are_rated_apart():
    """Banks always win: as banks both are above, as robbers below, and together alike."""
    board = only([bank_and_robbers([1] * 30, [0] * 30)], refits=4)
    ratings = {(one.name, role): one.rating.mean for role in board.standings for one in board.standings[role]}
    assert ratings["ada", "bank"] > ratings["ada", "robber"] + 5
    assert ratings["ada", ALL] == pytest.approx((ratings["ada", "bank"] + ratings["ada", "robber"]) / 2)
    assert ratings["ada", ALL] == pytest.approx(ratings["ben", ALL], abs=1.5)


def test_older_versions_and_other_options_are_boards_of_their_own():
    rows = [
        duel("ada", "ben", [[1, 1]], version=0),
        duel("ada", "ben", [[1, 1, 1]], players=3, version=1),
        duel("ada", "ben", [[1, 1]], version=1),
    ]
    found = [(one.version, one.players, one.current) for one in boards(rows, resamples=10, refits=1)]
    assert found == [(1, 2, True), (1, 3, True), (0, 2, False)]


def test_rows_older_than_the_installed_game_are_not_current():
    (board,) = boards([duel("ada", "ben", [[1, 1]], game="banquefall")], resamples=10, refits=1)
    assert board.current
    (board,) = boards([duel("ada", "ben", [[1, 1]], game="forgotten")], resamples=10, refits=1)
    assert board.current and board.roles == ()


def test_rows_with_an_earlier_form_of_an_agent_do_not_count():
    older = duel("ada", "ben", [[0, 0]], digests={"ada": "a" * 64})
    board = only([older, duel("ada", "ben", [[1, 1]])])
    assert share(board, "ada").mean == 1
    assert board.superseded == (older,)


def test_the_same_rows_give_the_same_figures():
    rows = tournament({"ada": 3, "ben": 2, "cy": 1}, deals=10)
    assert only(rows) == only(rows)
