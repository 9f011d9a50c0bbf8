"""What a training run is made of: every setting with its meaning and limits, read from YAML and from the command line."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from heist_envs.engine.errors import HeistError, unknown
from heist_envs.engine.registry import game_names

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
SHIPPED = CONFIGS / "maskable_ppo.yaml"
DEFAULT = "default"


@dataclass(frozen=True)
class Kind:
    """What a setting may be: `read` turns a value from YAML or a text into it, or raises ValueError or TypeError."""

    read: Callable[[Any], Any]
    allowed: str

    def check(self, name, value):
        """The value read, or a `HeistError` naming the setting and what it may be."""
        try:
            return self.read(value)
        except (ValueError, TypeError, OverflowError, yaml.YAMLError):
            raise HeistError(f"{name} may not be {value!r}; allowed: {self.allowed}.") from None


def whole(least, most=None):
    """A whole number; 1e6 and 1_000_000 are fine."""

    def read(value):
        number = _number(value)
        if number != int(number) or number < least or (most is not None and number > most):
            raise ValueError
        return int(number)

    return Kind(read, f"a whole number from {least}" + (f" to {most}" if most is not None else ""))


def real(least, most=None, above=False):
    """A number from `least` on, or with `above` greater than it, up to `most`."""

    def read(value):
        number = float(_number(value))
        if not least <= number < math.inf or (above and number == least) or (most is not None and number > most):
            raise ValueError
        return number

    text = f"a number above {least}" if above else f"a number from {least}"
    return Kind(read, text + (f" to {most}" if most is not None else ""))


def _number(value):
    """A number as YAML or a command line gives it. YAML takes 1e-3 (without a dot) for a text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError
    return float(value)


def one_of(*words):
    """One of some words."""

    def read(value):
        if str(value) not in words:
            raise ValueError
        return str(value)

    return Kind(read, ", ".join(words))


def either(word, kind):
    """`word`, or what `kind` reads."""
    return Kind(lambda value: word if value in (word, None) else kind.read(value), f"{word} or {kind.allowed}")


def _read_schedule(value):
    linear = isinstance(value, str) and value.startswith("lin_")
    number = real(0, above=True).read(value[4:] if linear else value)
    return f"lin_{number:g}" if linear else number


def _read_layers(value):
    from heist_envs.policies.network import valid_layers

    layers = yaml.safe_load(value) if isinstance(value, str) else value
    if not valid_layers(layers):
        raise ValueError
    return list(layers)


def _read_mapping(value):
    options = (yaml.safe_load(value) if isinstance(value, str) else value) or {}
    if not isinstance(options, dict):
        raise TypeError
    return dict(options)


schedule = Kind(_read_schedule, "a number above 0, or lin_NUMBER to let it fall to 0 in a straight line")
layer_widths = Kind(_read_layers, "1 to 4 widths from 1 to 1024, for example [256, 256]")
mapping = Kind(_read_mapping, "a mapping of the game's options, for example {perfect_recall: false}")
text = Kind(str, "a text")
threads = either("auto", whole(1, 256))
device = one_of("auto", "cpu", "cuda")


def setting(kind, doc):
    """A field of `Config`: its kind and its help text."""
    return field(metadata={"kind": kind, "doc": doc})


@dataclass(frozen=True)
class Config:
    """All settings of MaskablePPO training. The values are in configs/maskable_ppo.yaml, rl-zoo names where it has them."""

    n_timesteps: int = setting(whole(1), "decisions of the learner to train for")
    max_minutes: float = setting(real(0), "end training after this many minutes even if decisions are left; 0 = never")
    opponents: str = setting(text, "who plays, in shares: NAME:WEIGHT,... (latest, pool, bots, baseline, run:PATH)")
    pool_size: int = setting(whole(1, 256), "past selves in the pool at most")
    active_members: int = setting(whole(1, 256), "past selves that play at a time")
    pool_floor: float = setting(real(0, 1, above=True), "least weight of a past self; else the square of the share not won")
    snapshot_freq: int = setting(whole(0), "decisions after which a snapshot joins the pool, 0 = never")
    gate_freq: int = setting(whole(0), "decisions after which a snapshot joins the pool if it beats the pool, 0 = never")
    gate_games: int = setting(whole(2, 1_000_000), "games of that test")
    env_kwargs: dict = setting(mapping, "options of the game, num_players among them")
    n_envs: int = setting(whole(1, 65536), "games side by side")
    n_steps: int = setting(whole(2, 65536), "decisions per game between two updates")
    batch_size: int = setting(whole(2), "decisions per minibatch")
    n_epochs: int = setting(whole(1, 100), "passes over the decisions per update")
    learning_rate: float | str = setting(schedule, "Adam's step size")
    gamma: float = setting(real(0, 1), "discount per own decision")
    gae_lambda: float = setting(real(0, 1), "lambda of the advantage estimate, per own decision")
    clip_range: float | str = setting(schedule, "PPO's clip range")
    ent_coef: float = setting(real(0), "weight of the entropy bonus")
    vf_coef: float = setting(real(0), "weight of the value loss")
    max_grad_norm: float = setting(real(0, above=True), "gradients are cut to this norm")
    target_kl: float | str = setting(either("none", real(0, above=True)), "end an update early at 1.5 times this divergence")
    policy: str = setting(one_of("mlp", "gru"), "network behind the trunk: none (mlp), or a memory of one's own past (gru)")
    memory_width: int = setting(whole(1, 1024), "with gru: floats that each seat remembers")
    sequence_length: int = setting(whole(1, 4096), "with gru: own decisions that an update runs through at most")
    layers: list = setting(layer_widths, "widths of the trunk that policy and value share")
    activation: str = setting(one_of("relu", "tanh"), "what follows each layer")
    start_reward: str = setting(text, "reward option of the game to begin with, none = its own throughout")
    start_share: float = setting(real(0, 1), "share of the training after which the game's own reward takes over")
    torch_threads: int | str = setting(threads, "threads of torch; auto times updates with 1, 2, ... and takes the fastest")
    eval_games: int = setting(whole(1, 1_000_000), "games per opponent in the final evaluation")

    def as_yaml(self):
        """The settings as YAML that `--conf-file` reads."""
        return yaml.safe_dump({DEFAULT: asdict(self)}, sort_keys=False, default_flow_style=None, width=120)


SETTINGS = {f.name: f for f in fields(Config)}


def check_settings(given):
    """Settings {name: value} with every value read and checked; a `HeistError` for unknown names and values."""
    for name in given:
        if name not in SETTINGS:
            raise unknown("setting", name, SETTINGS)
    return {name: SETTINGS[name].metadata["kind"].check(name, value) for name, value in given.items()}


def read_pairs(pairs, what):
    """{name: text} from `NAME:VALUE` texts, rl-zoo's way of giving settings on the command line."""
    values = {}
    for pair in pairs:
        name, colon, value = pair.partition(":")
        if not colon or not name:
            raise HeistError(f"{what} {pair!r} should read NAME:VALUE.")
        values[name.strip()] = value.strip()
    return values


def read_file(path):
    """{entry: {setting: value}} of a YAML file, every value checked. Entries are `default` and names of games."""
    path = Path(path)
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HeistError(f"cannot read the configuration {path}: {error.strerror or error}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise HeistError(f"{path} is not YAML that can be read safely: {reason}.") from None
    if not isinstance(content, dict) or not all(isinstance(entry or {}, dict) for entry in content.values()):
        raise HeistError(f"{path} must map default and names of games to settings, like {SHIPPED.name}.")
    allowed = [DEFAULT, *game_names()]
    for entry in content:
        if entry not in allowed:
            raise unknown(f"entry in {path.name}:", entry, allowed)
    return {entry: check_settings(given or {}) for entry, given in content.items()}


def load_config(game, path=None, changes=None):
    """The `Config` for a game: the shipped file, then the file at `path`, in each `default` before the game's own entry,
    then `changes` {setting: value or text}."""
    values = {}
    for file in (SHIPPED, path):
        entries = read_file(file) if file else {}
        values |= entries.get(DEFAULT, {}) | entries.get(game, {})
    values |= check_settings(changes or {})
    if values["batch_size"] > values["n_envs"] * values["n_steps"]:
        raise HeistError(
            f"batch_size {values['batch_size']} is more than a rollout has, n_envs x n_steps = "
            f"{values['n_envs'] * values['n_steps']}; make it smaller or the rollout larger."
        )
    if values["policy"] == "gru" and values["batch_size"] < 4 * values["sequence_length"]:
        raise HeistError(
            f"batch_size {values['batch_size']} is too small for sequence_length {values['sequence_length']}: minibatches "
            "hold whole sequences; make it at least four times as long."
        )
    return Config(**values)
