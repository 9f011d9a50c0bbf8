"""One name scheme for whoever can sit at a table: a bot of the game, `baseline` (the trained agent shipped with the game)
and `run:PATH` (the policy in a run folder)."""

from dataclasses import dataclass
from pathlib import Path

from ..engine.errors import HeistError, unknown
from ..engine.registry import load_game
from .scripted import bot_names

BASELINE, RUN = "baseline", "run:"
BASELINES = Path(__file__).resolve().parents[1] / "baselines"


@dataclass(frozen=True)
class Agent:
    """Somebody who can play seats of one game. `policy`: a `NetworkPolicy`, None for a scripted bot. `deterministic`:
    plays its likeliest action instead of drawing one; means nothing to a bot."""

    name: str
    policy: object = None
    deterministic: bool = False


def is_agent_name(name, game):
    """Whether `name` is spelled like an agent of a `Game`; whether a file stands behind it is not looked at."""
    return name in bot_names(game) or name == BASELINE or (name.startswith(RUN) and len(name) > len(RUN))


def check_agent_name(name, game):
    """Raise the `HeistError` that `find_agent` would, without reading files."""
    if not is_agent_name(name, game):
        raise unknown(f"agent for {game.name}", name, [*bot_names(game), BASELINE, RUN + "PATH"])


def find_agent(name, game, deterministic=False):
    """The `Agent` of that name for a `Game`. Raises `HeistError` for unknown names and for files that cannot be used."""
    check_agent_name(name, game)
    if name in bot_names(game):
        return Agent(name)
    return Agent(name, _policy(name, game.name), deterministic)


def load_agent(game, name=BASELINE):
    """The trained agent `name` of a game (a name) as a `NetworkPolicy`: `load_agent("banquefall").act(observation)`.

    `baseline` ships with the package, `run:PATH` is the policy in a folder. Nothing is fetched and nothing is unpickled;
    a policy that is damaged or made for another observation layout or action table raises `HeistError`. Needs torch.
    """
    played = load_game(game)
    check_agent_name(name, played)
    if name in bot_names(played):
        raise HeistError(f"{name} is a scripted bot, which reads its table's state; load_agent loads baseline or run:PATH.")
    return _policy(name, played.name)


def _policy(name, game):
    try:
        from .network import load_policy  # the only part of the package that needs torch
    except ModuleNotFoundError as error:
        raise HeistError(f"agent {name!r} is a network and needs {error.name}; pip install 'heist_envs[train]'.") from None
    if name != BASELINE:
        return load_policy(name.removeprefix(RUN), game)
    if not (BASELINES / game).is_dir():
        raise HeistError(f"no baseline of {game} is shipped with this version; train one and name it run:PATH.")
    return load_policy(BASELINES / game, game)
