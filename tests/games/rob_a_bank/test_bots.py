"""The scripted player of rob_a_bank is a fair match for itself."""

import numpy as np
import pytest

from heist_envs.engine.table import Table
from heist_envs.policies.scripted import ScriptedPlayers

GAMES = 1000


def robbers_win(bank, robbers, players):
    """How often the robbers win."""
    table = Table("rob_a_bank", GAMES, num_players=players)
    seats = np.ones((GAMES, players), np.int64)
    seats[:, 0] = 0
    table.reset(5)
    bots, actions = ScriptedPlayers(table, [bank, robbers], seats, 5), np.zeros(GAMES, np.int64)
    while not table.over.all():
        running = table.over == 0
        table.play(bots.choose(actions), running)
    return (table.rank[:, 1] == 1).mean()


@pytest.mark.parametrize(("players", "least", "most"), [(2, 0.25, 0.65), (3, 0.25, 0.65), (4, 0.1, 0.4)])
def test_greedy_against_itself(players, least, most):
    """Neither side is lost; with a third guard the bank is favoured."""
    assert least < robbers_win("greedy", "greedy", players) < most


def test_knowing_nothing_is_worse_on_either_side():
    """8.2 Random robbers practically never win, a random bank loses more often than a greedy one."""
    assert robbers_win("greedy", "random_legal", 3) < 0.01
    assert robbers_win("random_legal", "greedy", 3) > robbers_win("greedy", "greedy", 3) + 0.2
