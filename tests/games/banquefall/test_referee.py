"""An independent second implementation of the rules agrees with every recorded game, legal actions included."""

import copy
import json

import pytest

from heist_envs.replay.record import record

from .referee import Foul, referee

BOTS = ("random_legal", "robby_junior", "greedy")


def recorded(folder, games=12, **options):
    file = folder / "games.jsonl"
    record("banquefall", file, games, seed=11, bots=BOTS, legal=True, **options)
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("option", [{}, {"stop_on_unpaid": True}, {"perfect_recall": False}, {"reward": "margin"}])
def test_referee_agrees(tmp_path, players, option):
    for line in recorded(tmp_path, num_players=players, **option):
        referee(line)


def test_referee_sees_a_wrong_payment(tmp_path):
    line = recorded(tmp_path, games=1)[0]
    changed = copy.deepcopy(line)
    robbery = next(event for event in changed["events"] if event["event"] == "robbery")
    robbery["paid"][0] += 1
    referee(line)
    with pytest.raises(Foul):
        referee(changed)
