"""What the scripted players of robby_solo are for."""

import numpy as np
import pytest

from heist_envs.engine.table import Table
from heist_envs.policies.scripted import ScriptedPlayers


def reveals(bot, players, games=20, **options):
    """(round, choices) of every reveal of games among copies of one bot with Robby Junior at the table."""
    table = Table("robby_solo", recording=True, num_players=players, robby_junior=True, **options)
    choice = np.zeros(1, np.int64)
    for seed in range(games):
        bots = ScriptedPlayers(table, [bot], np.zeros((1, players), np.int64), seed)
        table.reset(seed)
        rounds = 0
        while not table.over[0]:
            table.play(bots.choose(choice))
            for event in table.events():
                if event["event"] == "reveal":
                    rounds += 1
                    yield rounds, event["choices"]


def collisions(bot, players, **options):
    """How often a seat meets Robby Junior once all his cards have been seen."""
    banks = players + 2
    late = [choices for rounds, choices in reveals(bot, players, **options) if rounds > banks]
    assert late, "no game lasted long enough"
    return np.mean([bank == choices[-1] for choices in late for bank in choices[:-1]])


@pytest.mark.parametrize("players", [3, 4, 5])
def test_tracker_never_meets_junior_once_his_cycle_is_known(players):
    """4.1, 6.3 With perfect recall the cycle is in what a seat sees."""
    assert collisions("tracker", players) == 0
    assert collisions("mixer", players) > 0.05


def test_tracker_meets_junior_without_perfect_recall():
    """6.3 Without it only his last card shows."""
    assert collisions("tracker", 4, perfect_recall=False) > 0.05
