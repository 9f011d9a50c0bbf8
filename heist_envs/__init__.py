"""Five heist board games as PettingZoo environments, one compiled engine under all of them.

    env = heist_envs.make_aec("banquefall", num_players=4)          # PettingZoo AEC
    env = heist_envs.make_parallel("banquefall")                    # PettingZoo parallel
    env = gymnasium.make("heist/Banquefall-v0", opponents="greedy") # Gymnasium: one learner, opponents inside
    batch = heist_envs.make_batch("banquefall", num_games=1024)     # thousands of games in arrays

Importing registers every game with PettingZoo (`pettingzoo.make("aec", "heist/banquefall-v0")`) and Gymnasium, and offers
it by its versioned name (`from heist_envs import banquefall_v0`). Nothing is compiled before a game is made.
"""

from .engine.errors import HeistError, IllegalAction
from .engine.registry import about, game_names, load_game
from .envs.names import load_agent, make_aec, make_batch, make_parallel, publish_all, register

__version__ = "0.1.0"
__all__ = [
    "HeistError",
    "IllegalAction",
    "about",
    "game_names",
    "load_agent",
    "load_game",
    "make_aec",
    "make_batch",
    "make_parallel",
    "register",
]

publish_all()
