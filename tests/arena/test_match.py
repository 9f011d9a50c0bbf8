"""Duplicate matches: the same deals from every side, who wins how much, forfeits, recorded games."""

import numpy as np
import pytest

from heist_envs import load_game
from heist_envs.arena.match import Outcome, duplicate_games, interval, outcome_of, play_match, play_out
from heist_envs.engine.errors import HeistError
from heist_envs.engine.table import Table
from heist_envs.policies.agents import Agent
from heist_envs.policies.players import Players

from ..policies.test_players import a_network

TOY = load_game("toy_game")


def test_every_deal_is_played_from_every_side():
    outcome, mine, deals = duplicate_games(TOY, [Agent("greedy"), Agent("random_legal")], 1, 30, seed=1, num_players=3)
    assert deals == 10 and mine.shape == (30, 3)
    assert (mine.reshape(deals, 3, 3) == np.eye(3, dtype=bool)).all()
    assert ((outcome.rank == 1).sum(1) >= 1).all()


def test_copies_of_one_bot_reach_parity_exactly():
    """Bots without luck of their own make the same game of a deal whoever is called the first agent."""
    result = play_match(TOY, Agent("greedy"), Agent("greedy"), 400)
    assert result.win_share == result.parity == pytest.approx(1 / TOY.about.default_seats, abs=1e-4)
    assert result.mean_score == result.opponents_score


def test_the_better_bot_wins_more():
    better, worse = (
        play_match(TOY, Agent(a), Agent(b), 2000, seed=1)
        for a, b in (("greedy", "random_legal"), ("random_legal", "greedy"))
    )
    assert better.low > better.parity > worse.high
    assert better.low < better.win_share < better.high and better.games == 2000


def test_roles_are_played_one_at_a_time():
    game = load_game("rob_a_bank")
    outcome, mine, deals = duplicate_games(game, [Agent("greedy"), Agent("random_legal")], 1, 6, seed=1, role="robber")
    assert deals == len(mine) == 6 and (mine == [False, True, True]).all()
    # A team wins together, and its win is one win.
    assert set(outcome.win_shares(mine)) <= {0.0, 1.0}


def test_a_stopped_match_tells_nothing():
    assert play_match(TOY, Agent("greedy"), Agent("random_legal"), 20, stopped=lambda: True) is None


def test_recorded_actions_make_the_same_games():
    table = Table(TOY, 8)
    table.reset(4)
    agents = [Agent("random_legal"), a_network(TOY, 1, deterministic=False)]
    outcome = play_out(table, Players(table, agents, np.tile([0, 1], (8, 1)), [1]), record=True)
    for game, actions in enumerate(outcome.actions):
        again = Table(TOY)
        again.reset(int(table.states["seed"][game]))
        for action in actions:
            again.play([action])
        assert again.over[0] and (again.rank[0, : again.players] == outcome.rank[game]).all()


class Quitter(Players):
    """Players whose agent 1 gives up in game 2 at once."""

    def choose(self, actions):
        if 2 not in self.forfeits:
            self.forfeit(2, int(np.flatnonzero(self.seats[2] == 1)[0]), "it gave up")
        return super().choose(actions)


def test_a_forfeit_ends_one_game_only():
    table = Table(TOY, 5, num_players=3)
    table.reset(4)
    seats = np.tile([0, 1, 0], (5, 1))
    outcome = play_out(table, Quitter(table, [Agent("greedy"), Agent("greedy")], seats, [1]), record=True)
    assert outcome.forfeits == {2: (1, "it gave up")}
    assert outcome.rank[2].tolist() == [1, 3, 1] and outcome.actions[2] == []
    assert all(outcome.actions[game] for game in (0, 1, 3, 4))
    assert outcome.win_shares(seats == 1)[2] == 0 and outcome.win_shares(seats == 0)[2] == 1


def test_shared_wins_and_intervals():
    outcome = Outcome(np.array([[1, 1, 3], [1, 2, 3]]), np.zeros((2, 3)), {}, None)
    first = np.array([[True, False, False]] * 2)
    assert outcome.win_shares(first).tolist() == [0.5, 1.0]
    mean, low, high = interval(np.array([0.0, 1.0] * 50))
    assert mean == 0.5 and (low, high) == pytest.approx((0.5 - 0.0985, 0.5 + 0.0985), abs=1e-3)


class Raiser(Players):
    """Players whose agent 1 raises whenever it is asked."""

    def choose(self, actions):
        if (self.seats[np.arange(len(self.seats)), self.table.seat] == 1).any():
            raise RuntimeError("out of ideas")
        return super().choose(actions)


class Cheat(Players):
    """Players whose agent 1 always chooses an action that there is not."""

    def choose(self, actions):
        super().choose(actions)
        actions[self.seats[np.arange(len(self.seats)), self.table.seat] == 1] = 10**6


@pytest.mark.parametrize(
    ("kind", "error", "why"),
    [
        (Raiser, RuntimeError, "it failed with RuntimeError: out of ideas"),
        (Cheat, HeistError, "it chose the action 1000000, which is not legal."),
    ],
)
def test_a_failing_agent_ends_its_own_games_only(kind, error, why):
    """Where the match is lenient; otherwise its error is raised."""
    seats = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]])
    table = Table(TOY, 4, num_players=3)
    for lenient in (False, True):
        table.reset(4)
        players = kind(table, [Agent("greedy"), Agent("greedy")], seats, [1])
        if lenient:
            outcome = play_out(table, players, record=True, lenient=True)
        else:
            with pytest.raises(error):
                play_out(table, players)
    assert outcome.forfeits == {0: (1, why), 2: (0, why)}
    assert outcome.rank[[0, 2]].tolist() == [[1, 3, 1], [3, 1, 1]]
    assert table.over.tolist() == [0, 1, 0, 1]
    assert play_out_of(table, outcome, 1) and play_out_of(table, outcome, 3)


def play_out_of(table, outcome, game):
    """Whether the recorded actions of a game make its ranks again."""
    again = Table(TOY, num_players=3)
    again.reset(int(table.states["seed"][game]))
    for action in outcome.actions[game]:
        again.play([action])
    return again.over[0] and again.rank[0, :3].tolist() == outcome.rank[game].tolist()


def test_who_fails_after_the_end_loses_nothing():
    table = Table(TOY, 2)
    table.reset(1)
    play_out(table, Players(table, [Agent("greedy")], np.zeros((2, 2)), [1]))
    outcome = outcome_of(table, {0: (1, "it fell over")})
    assert outcome.forfeits == {} and (outcome.rank == table.rank[:, :2]).all()
