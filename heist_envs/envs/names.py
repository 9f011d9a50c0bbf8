"""How a game becomes an environment: the public `make_*` functions, versioned modules, PettingZoo and Gymnasium ids.

Adapters are imported when the first environment is made, so that importing the package stays quick.
"""

import sys
import types

import gymnasium
import pettingzoo

from ..engine import registry
from ..engine.errors import HeistError
from ..engine.registry import about, game_names


def make_aec(game, **options):
    """A PettingZoo AEC environment (`HeistAEC`) of a game.

    `options` are the game's own (`num_players`, ...), `render_mode` (None, "ansi" or "human") and `illegal`: what an illegal
    action does, "terminate" (PettingZoo's convention: the episode ends, -1 for the offender) or "raise".
    Raises `HeistError` for unknown games, options and values.
    """
    from .aec import HeistAEC

    return HeistAEC(about(game).name, **options)


def make_parallel(game, **options):
    """A PettingZoo parallel environment (`HeistParallel`) of a game; options as for `make_aec`."""
    from .parallel import HeistParallel

    return HeistParallel(about(game).name, **options)


def make_batch(game, num_games, seed=0, **options):
    """`num_games` games of one kind in arrays (`Batch`), reset from `seed`; `options` are the game's own."""
    from .batch import Batch

    return Batch(about(game).name, num_games, seed, **options)


def load_agent(game, name="baseline"):
    """The trained agent `name` of a game as a `NetworkPolicy`: see `policies.agents.load_agent`. Needs torch."""
    from ..policies import agents

    return agents.load_agent(game, name)


def register(game):
    """Add a `Game` that lives outside this package; it then works everywhere by its name, the registries of PettingZoo and
    Gymnasium included. Raises `HeistError` for a name that is taken."""
    gymnasium_id(game.about)  # raises before anything is changed
    registry.register(game)
    publish(game.about)


def publish_all():
    """Offer every game of the package under its versioned names."""
    for name in game_names():
        publish(about(name))


def publish(game):
    """Offer a game (its `About`) as `heist_envs.<game>_vN` and by its ids in the registries; again does no harm."""
    package = sys.modules[__package__.rpartition(".")[0]]
    name = f"{package.__name__}.{game.module_name}"
    module = sys.modules.setdefault(name, _versioned_module(name, game))
    setattr(package, game.module_name, module)
    env_id = f"heist/{game.name}-v{game.version}"
    if env_id not in pettingzoo.aec_registry:
        pettingzoo.register("aec", env_id, entry_point=f"{module.__name__}:env")
        pettingzoo.register("parallel", env_id, entry_point=f"{module.__name__}:parallel_env")
    if gymnasium_id(game) not in gymnasium.registry:
        gymnasium.register(
            gymnasium_id(game),
            entry_point=f"{__package__}.gym_single:HeistGym",
            vector_entry_point=f"{__package__}.gym_vector:HeistVector",
            kwargs={"game": game.name},
        )


def gymnasium_id(game):
    """`heist/RobABank-v0` for the game (its `About`) rob_a_bank; a `HeistError` when another game has that id."""
    camel = "".join(part[:1].upper() + part[1:] for part in game.name.split("_"))
    env_id = f"heist/{camel}-v{game.version}"
    spec = gymnasium.registry.get(env_id)
    if spec is not None and spec.kwargs.get("game") != game.name:
        raise HeistError(f"{env_id} is already the game {spec.kwargs.get('game')!r}; give {game.name!r} another name.")
    return env_id


def _versioned_module(name, game):
    """`heist_envs.<game>_vN` with `env`, `raw_env`, `parallel_env`, as PettingZoo's users know it."""
    module = types.ModuleType(name, f"{game.title}: {game.summary}")

    def env(**options):
        return make_aec(game.name, **options)

    def raw_env(**options):
        return make_aec(game.name, **{"illegal": "raise", **options})

    def parallel_env(**options):
        return make_parallel(game.name, **options)

    for function, what in ((env, make_aec.__doc__), (raw_env, make_aec.__doc__), (parallel_env, make_parallel.__doc__)):
        function.__doc__, function.__module__, function.__qualname__ = what, module.__name__, function.__name__
        setattr(module, function.__name__, function)
    module.__all__ = ["env", "raw_env", "parallel_env"]
    return module
