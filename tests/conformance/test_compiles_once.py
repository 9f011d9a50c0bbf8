"""What one process has compiled, the next one loads."""

import json

from ..support import each_game, run_python

PLAY_AND_COUNT = """
import json, sys
from tests.support import digest_of_play
from heist_envs.engine.kernels import LOOPS, build
from heist_envs.engine.registry import load_game
from heist_envs.policies.scripted import bot_names, bot_rule

name = sys.argv[1]
digest_of_play(name, load_game(name).about.default_seats)
kernels, game = build(load_game(name)), load_game(name)
used = [getattr(kernels, loop.__name__) for loop in LOOPS]
used += [kernels.chooser(bot, bot_rule(game, bot)) for bot in bot_names(game)]
hits = sum(sum(kernel.stats.cache_hits.values()) for kernel in used)
misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in used)
print(json.dumps([hits, misses]))
"""


@each_game
def test_second_process_compiles_nothing(name):
    run_python(PLAY_AND_COUNT, name)
    hits, misses = json.loads(run_python(PLAY_AND_COUNT, name))
    assert misses == 0
    assert hits >= 8
