"""One name scheme for whoever can sit at a table: a bot of the game, `baseline` (the trained agent shipped with the game),
`run:PATH` (the policy in a run folder) and `submission:PATH` (a folder as benchmarks/SUBMITTING.md has it)."""

from dataclasses import dataclass
from pathlib import Path

from ..engine.errors import HeistError, unknown
from ..engine.registry import load_game
from .scripted import bot_names

BASELINE, RUN, SUBMISSION = "baseline", "run:", "submission:"
BASELINES = Path(__file__).resolve().parents[1] / "baselines"


@dataclass(frozen=True)
class Agent:
    """Somebody who can play seats of one game. `policy`: a `NetworkPolicy`, None for others. `deterministic`: plays its
    likeliest action instead of drawing one; means nothing to others than networks. `external`: a `Submission` that is a
    program, None for others. With neither it is a scripted bot."""

    name: str
    policy: object = None
    deterministic: bool = False
    external: object = None


def agent_names(game):
    """What may stand for an agent of a `Game`, for messages."""
    return [*bot_names(game), BASELINE, RUN + "PATH", SUBMISSION + "PATH"]


def is_agent_name(name, game):
    """Whether `name` is spelled like an agent of a `Game`; whether a file stands behind it is not looked at."""
    with_path = any(name.startswith(prefix) and len(name) > len(prefix) for prefix in (RUN, SUBMISSION))
    return with_path or name in bot_names(game) or name == BASELINE


def check_agent_name(name, game):
    """Raise the `HeistError` that `find_agent` would, without reading files."""
    if not is_agent_name(name, game):
        raise unknown(f"agent for {game.name}", name, agent_names(game))


def find_agent(name, game, deterministic=False):
    """The `Agent` of that name for a `Game`. Raises `HeistError` for unknown names and for files that cannot be used."""
    check_agent_name(name, game)
    if name in bot_names(game):
        return Agent(name)
    if name.startswith(SUBMISSION):
        submission = _submission(name, game.name)
        external = submission if submission.policy is None else None
        return Agent(name, submission.policy, deterministic, external)
    return Agent(name, _policy(name, game.name), deterministic)


def find_opponent(name, game):
    """As `find_agent`, for training, where an opponent must answer at once and may never fail: no submitted programs."""
    agent = find_agent(name, game)
    if agent.external:
        raise HeistError(f"{name} is a program, which can be met in matches only; train against a policy or a bot.")
    return agent


def load_agent(game, name=BASELINE):
    """The trained agent `name` of a game (a name) as a `NetworkPolicy`: `load_agent("banquefall").act(observation)`.

    `baseline` ships with the package, `run:PATH` is the policy in a folder, `submission:PATH` a submitted one. Nothing is
    fetched and nothing is unpickled; a policy that is damaged or made for another observation layout or action table raises
    `HeistError`. Needs torch.
    """
    played = load_game(game)
    check_agent_name(name, played)
    if name in bot_names(played):
        raise HeistError(f"{name} is a scripted bot, which reads its table's state; load_agent loads trained networks.")
    return _policy(name, played.name)


def _submission(name, game):
    from .submissions import load_submission  # much that is needed for nothing else

    return load_submission(name.removeprefix(SUBMISSION), game)


def _policy(name, game):
    if name.startswith(SUBMISSION):
        policy = _submission(name, game).policy
        if policy is None:
            raise HeistError(f"{name} is a program, not a network; it can be met in matches, see benchmarks/SUBMITTING.md.")
        return policy
    try:
        from .network import load_policy  # the only part of the package that needs torch
    except ModuleNotFoundError as error:
        raise HeistError(f"agent {name!r} is a network and needs {error.name}; pip install 'heist_envs[train]'.") from None
    if name != BASELINE:
        return load_policy(name.removeprefix(RUN), game)
    if not (BASELINES / game).is_dir():
        raise HeistError(f"no baseline of {game} is shipped with this version; train one and name it run:PATH.")
    return load_policy(BASELINES / game, game)
