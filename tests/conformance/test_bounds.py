"""No rule reads or writes outside an array: compiled code would silently touch the neighbouring field."""

from ..support import each_game, run_python

PLAY_CHECKED = """
import sys
import numba
from tests.support import TABLES, digest_of_play
assert numba.config.BOUNDSCHECK == 1
for name, players in TABLES:
    if name == sys.argv[1]:
        print(digest_of_play(name, players, seed=8))
"""


@each_game
def test_games_run_with_bounds_checks(name):
    assert len(run_python(PLAY_CHECKED, name, NUMBA_BOUNDSCHECK="1").split()) >= 1
