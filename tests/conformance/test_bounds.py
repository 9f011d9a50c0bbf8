"""No rule reads or writes outside an array: compiled code would silently touch the neighbouring field."""

import pytest

from ..support import TABLES, each_game, run_python

PLAY_CHECKED = """
import sys
import numba
from tests.support import TABLES, digest_of_play
assert numba.config.BOUNDSCHECK == 1
for name, players in TABLES:
    if name == sys.argv[1]:
        print(players, digest_of_play(name, players, seed=8))
"""


@pytest.fixture
def checked(pytestconfig):
    """Settings of a process with bounds checks: a compile cache of its own, and no time spent on optimising."""
    return {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "HEIST_CACHE": str(pytestconfig.cache.mkdir("bounds"))}


@each_game
def test_games_run_with_bounds_checks(name, checked):
    played = [int(line.split()[0]) for line in run_python(PLAY_CHECKED, name, **checked).splitlines()]
    assert played == [players for game, players in TABLES if game == name]
