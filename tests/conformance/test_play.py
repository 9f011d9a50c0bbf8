"""Random legal play comes to an end, and on the way everything stays as declared."""

import numpy as np
import pytest

import heist_envs
from heist_envs.engine.options import REWARDS
from heist_envs.engine.table import Table

from ..support import a_legal_action, around_the_defaults, each_table, owing_seats, walk

GAMES_AT_ONCE = 200


class RandomGames:
    """Random legal games side by side, each stopping at its end."""

    def __init__(self, name, games=GAMES_AT_ONCE, seed=7, **options):
        self.table = Table(name, games, **options)
        self.table.reset(seed)
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        """Yields before every decision, the last time when all games have ended."""
        yield self.table
        while not self.table.over.all():
            self.table.play((self.table.mask * self.rng.random(self.table.mask.shape)).argmax(1))
            yield self.table


@each_table
def test_games_end_within_longest_and_break_nothing(name, players):
    about = heist_envs.about(name)
    for table in RandomGames(name, num_players=players):
        assert not table.broken().any()
        assert table.states["decisions"].max() <= about.longest
    assert table.over.all()


@each_table
def test_masks_offer_wait_only_to_those_who_owe_nothing(name, players):
    for table in RandomGames(name, 50, num_players=players):
        for seat in range(players):
            mask = table.show(seat)[1]
            owes = (table.states["to_act"][:, seat] != 0) & (table.over == 0)
            assert np.isin(mask, (0, 1)).all()
            assert (mask[:, 0] == ~owes).all()
            assert (mask[:, 1:].any(1) == owes).all()
        assert (table.states["to_act"][np.arange(50), table.seat] | table.over).all()


@each_table
@pytest.mark.parametrize("perfect_recall", [True, False])
def test_observations_stay_in_their_box(name, players, perfect_recall):
    for table in RandomGames(name, 50, num_players=players, perfect_recall=perfect_recall):
        spec = table.game.observation
        for seat in range(players):
            observation = table.show(seat)[0]
            outside = ((observation < spec.low) | (observation > spec.high)).any(0)
            assert not outside.any(), [part for part, hit in spec.named(outside).items() if hit.any()]
            assert observation.any(1).all()


@each_table
def test_ranks_are_places(name, players):
    *_, table = RandomGames(name, num_players=players)
    ranks = table.rank[:, :players]
    assert (ranks == 1 + (ranks[:, :, None] > ranks[:, None, :]).sum(2)).all()
    assert not table.rank[:, players:].any()


def expected_rewards(table):
    """What rules/README.md promises for the final ranks and scores of a table of 1, contenders without an agent counted."""
    state, players, sides = table.states[0], table.players, len(table.game.about.roles) > 1
    if table.options["reward"] == "margin" and table.game.margin:
        return np.array([table.game.margin(state, seat) for seat in range(players)])
    if table.options["reward"] == "margin":
        score = state.score[:players].astype(float)
        side = state.side[:players]
        others = np.array([score[side != own].mean() for own in side])
        return (score - others) / table.game.about.score_scale
    first = state.rank[:players] == 1
    if sides:
        return np.where(first, 1.0, -1.0)
    winners, losers = first.sum() + state.outside_winners, (~first).sum() + state.outside_losers
    return np.where(first, 1 / max(winners, 1), -1 / max(losers, 1)) if losers else np.zeros(players)


@each_table
def test_rewards_follow_from_ranks_and_scores(name, players):
    for options in around_the_defaults(name, num_players=players):
        table = Table(name, **options)
        if table.options["reward"] not in REWARDS:
            continue  # a mode of the game's own that pays on the way, see its rule tests
        for seed in range(5):
            for _ in walk(table, seed):
                assert not table.rewards.any()
            np.testing.assert_allclose(table.rewards[0], expected_rewards(table), atol=1e-12)
            state = table.states[0]
            if not state.outside_winners and not state.outside_losers and len(table.game.about.roles) == 1:
                assert abs(table.rewards.sum()) < 1e-9


@each_table
def test_agents_are_asked_from_the_lead_on(name, players):
    table = Table(name, num_players=players)
    for _ in walk(table, seed=4):
        lead = int(table.states[0].lead)
        assert table.seat[0] == min(owing_seats(table), key=lambda seat: (seat - lead) % players)


@each_table
def test_a_finished_game_stays_as_it_is(name, players):
    table = Table(name, num_players=players)
    for _ in walk(table, seed=4):
        pass
    before = table.words.tobytes()
    table.play(a_legal_action(table, np.random.default_rng(0)))
    assert table.words.tobytes() == before
    assert not table.rewards.any() and not table.terminated.any()
