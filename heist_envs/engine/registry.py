"""Which games there are: every folder of `heist_envs/games` with an about.toml, and games registered from outside."""

from functools import lru_cache
from importlib import import_module
from pathlib import Path

from .about import read_about
from .errors import HeistError, unknown

GAMES = Path(__file__).resolve().parents[1] / "games"
_outside = {}


@lru_cache(maxsize=1)
def _inside():
    return {file.parent.name: read_about(file.parent) for file in sorted(GAMES.glob("*/about.toml"))}


def game_names():
    """The names of all games, sorted."""
    return sorted({*_inside(), *_outside})


def about(name):
    """The `About` of a game, without importing its rules; a `HeistError` for unknown names."""
    if name in _outside:
        return _outside[name].about
    if name not in _inside():
        raise unknown("game", name, game_names())
    return _inside()[name]


def load_game(name):
    """The `Game` of this name; a `HeistError` for unknown names."""
    if name in _outside:
        return _outside[name]
    return import_module(f"heist_envs.games.{about(name).name}").GAME


def register(game):
    """Add a game that lives outside this package; it then works everywhere by its name."""
    if game.name in _inside():
        raise HeistError(f"there is already a game {game.name!r} in heist_envs; give yours another name.")
    _outside[game.name] = game
