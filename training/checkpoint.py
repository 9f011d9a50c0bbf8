"""The checkpoint of a run: all that decides how training goes on, between two updates, in one file without pickle.

`checkpoint.safetensors` holds the arrays as tensors and the rest as JSON in its metadata. It is replaced as a whole, so
that a run killed at any moment has its last complete one. Reading trusts nothing: the size is limited, a checksum finds
damage, and what is read must be built exactly like the state of a run freshly made with the same settings.
"""

import hashlib
import json
import random
from collections import deque
from dataclasses import asdict, dataclass

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from heist_envs.engine.errors import HeistError
from heist_envs.policies.network import action_digest, observation_digest
from training.league import Member
from training.policy import export
from training.run_folder import write_bytes

FILE, FORMAT = "checkpoint.safetensors", 1
ARRAY = "array"  # {ARRAY: name} in the JSON stands for the tensor of that name
FREE = ("n_timesteps", "max_minutes", "eval_games")  # settings that may change: they only say when training ends
SPARE_BYTES = 2**26
MT19937_WORDS = 624


def pack(tree, arrays, copy=True, path=""):
    """`tree` as JSON has it. Its leaves are JSON values, arrays and tensors; the latter two go to `arrays` {name: array},
    with `copy` as copies, so that what is packed does not change with what it was taken from."""
    if isinstance(tree, dict):
        return {str(key): pack(value, arrays, copy, f"{path}/{key}") for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [pack(value, arrays, copy, f"{path}/{number}") for number, value in enumerate(tree)]
    if isinstance(tree, torch.Tensor):
        tree = tree.detach().cpu().numpy()
    if not isinstance(tree, (np.ndarray, np.generic)):
        return tree
    name = f"{len(arrays)}{path}"  # the number keeps names apart whatever the keys are
    arrays[name] = np.array(tree) if copy else np.asarray(tree)
    return {ARRAY: name}


def unpack(tree, arrays):
    """What was packed; tuples come back as lists, keys as texts, tensors as arrays and arrays without axes as scalars."""
    if isinstance(tree, list):
        return [unpack(value, arrays) for value in tree]
    if not isinstance(tree, dict):
        return tree
    if tree.keys() == {ARRAY}:
        return arrays[tree[ARRAY]][()]
    return {key: unpack(value, arrays) for key, value in tree.items()}


def capture(run):
    """(tree, arrays), a copy of the state of a `Run`, for `write`. Only between two updates."""
    arrays = {}
    tree = pack(_state(run), arrays)
    tree["league"] = pack(run.league.get_state(), arrays, copy=False, path="/league")  # past selves never change
    return tree, arrays


def write(path, captured, clock):
    """Replace the checkpoint at `path`; `clock`: the time used so far, which passes without changing the state."""
    tree, arrays = captured
    told = json.dumps(tree | {"clock": clock})
    write_bytes(path, save(arrays, {"state": told, "sha256": _digest(told, arrays)}), durable=True)


def _digest(told, arrays):
    digest = hashlib.sha256(told.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def read(path, most):
    """The state in the checkpoint at `path`, of at most `most` bytes; a `HeistError` if it is none or damaged."""
    damaged = HeistError(f"{path} is damaged, so this run cannot go on; put a copy of it back or train anew.")
    try:
        too_large = path.stat().st_size > most
        if not too_large:
            with safe_open(path, "np") as file:
                told = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except OSError as error:
        raise HeistError(f"cannot read {path}: {error.strerror or error}.") from None
    except (SafetensorError, UnicodeDecodeError, TypeError):
        raise damaged from None
    if too_large:
        raise HeistError(f"{path} is larger than the {most} bytes it may have; it is no checkpoint of this run.")
    if told.keys() != {"state", "sha256"} or _digest(told["state"], arrays) != told["sha256"]:
        raise damaged
    try:
        return unpack(json.loads(told["state"]), arrays)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged from None


ANYTHING = object()


@dataclass(frozen=True)
class Each:
    """For `check`: a dict or list (`kind`) of any size, whose entries are all built like `entry`."""

    kind: type
    entry: object = ANYTHING


def check(given, wanted, where):
    """Raise a `HeistError` unless `given` is built like `wanted`: the same keys, lengths, array shapes and types."""
    if wanted is ANYTHING:
        return
    if not _fits(given, wanted):
        raise HeistError(f"{where} is not as this run has it, so it cannot go on from there; train anew.")
    if isinstance(given, (dict, list)):
        for key, value in given.items() if isinstance(given, dict) else enumerate(given):
            check(value, wanted.entry if isinstance(wanted, Each) else wanted[key], f"{where}/{key}")


def _fits(given, wanted):
    """Whether a value is like the wanted one, whatever is inside."""
    if isinstance(wanted, Each):
        return type(given) is wanted.kind
    if type(given) is not type(wanted):
        return False
    if isinstance(wanted, dict):
        return given.keys() == wanted.keys()
    if isinstance(wanted, list):
        return len(given) == len(wanted)
    if isinstance(wanted, (np.ndarray, np.generic)):
        return given.dtype == wanted.dtype and given.shape == wanted.shape
    return True


def as_read(tree):
    """`tree` as it would come back from a file."""
    arrays = {}
    return unpack(pack(tree, arrays, copy=False), arrays)


def identity(run):
    """What must be the same in a run that goes on, ready for JSON."""
    game, agents = run.batch.game, zip(run.batch.names, run.batch.opponents.agents, strict=True)
    return {
        "game": game.name,
        "game version": game.about.version,
        "observation layout": observation_digest(game),
        "action table": action_digest(game),
        "seed": run.seed,
        "device": run.model.device.type,
        "settings": asdict(run.config),
        "opponents": {name: _weights_digest(agent.policy) for name, agent in agents if agent and agent.policy},
    }


def _weights_digest(policy):
    return _digest("", {name: tensor.numpy() for name, tensor in policy.network.state_dict().items()})


def _state(run):
    """The state of a `Run` without the league: dicts and lists of arrays, tensors and JSON values."""
    model, policy = run.model, run.model.policy
    adam = policy.optimizer.state
    return {
        "format": FORMAT,
        "of": run.identity,
        "versions": run.versions,
        "weights": dict(policy.named_parameters()),
        "optimizer": {name: dict(adam[weight]) for name, weight in policy.named_parameters() if weight in adam},
        "memory": getattr(policy, "memory", None),  # what the learner's seats remember, if they do
        "learner": {
            "timesteps": model.num_timesteps,
            "updates": model._n_updates,
            "progress_remaining": model._current_progress_remaining,
            "episode_starts": model._last_episode_starts,
            "episodes": [[episode["r"], episode["l"]] for episode in model.ep_info_buffer or ()],
        },
        "random": _random_state(model.device),
        "batch": run.batch.get_state(),
        "watch": run.watch.get_state(),
        # What has been logged since the last row.
        "log": [[name, value, model.logger.name_to_excluded[name]] for name, value in model.logger.name_to_value.items()],
    }


def restore(run):
    """Bring a freshly made `Run` to where the checkpoint in its folder was written. Returns the versions it was written
    with. Raises `HeistError` if it is damaged, or if this run could not go on from it exactly."""
    path = run.folder / FILE
    tree, arrays = capture(run)
    fresh = unpack(tree, arrays) | {"clock": run.watch.clock()}
    pool = run.batch.pool_size * sum(weight.nbytes for weight in fresh["weights"].values())
    state = read(path, SPARE_BYTES + pool + 4 * sum(array.nbytes for array in arrays.values()))
    try:
        _compare(state, fresh, path)
        check(state, _expected(run, fresh, state), f"{path}: ")
        _set_state(run, state, path)
    except HeistError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RuntimeError) as error:
        raise HeistError(f"{path} holds what no run writes ({error}); put a copy of it back or train anew.") from error
    return state["versions"]


def _compare(state, fresh, path):
    """Refuse a checkpoint of another format, game, seed, device, of other settings or other opponents."""
    if state["format"] != FORMAT:
        raise HeistError(f"{path} has format {state['format']!r}, this version of heist_envs reads format {FORMAT}.")
    saved, now = state["of"], fresh["of"]
    check(saved, now | {"settings": Each(dict), "opponents": Each(dict, "")}, path)
    for key in now.keys() - {"settings", "opponents"}:
        if saved[key] != now[key]:
            raise HeistError(f"{path} was saved with {key} {saved[key]!r}, but now it is {now[key]!r}; train anew.")
    for name, value in now["settings"].items():
        before = saved["settings"].get(name, value)  # settings that are new since then do as before unless they are set
        if before != value and name not in FREE:
            raise HeistError(f"{path} was saved with {name} {before!r}, but config.yml says {value!r}; put {before!r} back.")
    for name, digest in now["opponents"].items():
        if saved["opponents"].get(name) != digest:
            raise HeistError(f"opponent {name} has other weights than when {path} was saved; put the old ones back.")


def _expected(run, fresh, state):
    """How `state` must be built, for `check`; the batch is looked at when the league sits at its tables."""
    member = {name: value for name, value in vars(Member("", 0, "", None)).items() if name != "policy"}
    member["weights"] = as_read(_learner_now(run).network.state_dict())
    met = {"games": 0, "length": 0.0, "versus": Each(dict, [0, 0.0])}
    asked = np.zeros(run.batch.num_games, bool)
    return fresh | {
        "of": Each(dict),
        "versions": Each(dict),
        "optimizer": {name: _like_adam(fresh["weights"][name]) for name in state["optimizer"]},
        "learner": fresh["learner"] | {"episode_starts": asked, "episodes": Each(list, [0.0, 0])},
        "random": fresh["random"] | {"python": Each(list)},
        "batch": Each(dict),
        "league": fresh["league"] | {"gates": Each(list, [0, 0.0, 0.0, True]), "members": Each(dict, member)},
        "watch": fresh["watch"] | {"window": Each(list, met)},
        "log": Each(list, Each(list)),
    }


def _learner_now(run):
    return export(run.model.policy, run.batch.game, run.batch.table.options, {})


def _like_adam(weight):
    return {"step": np.float32(0), "exp_avg": weight, "exp_avg_sq": weight}


def _set_state(run, state, path):
    """The league first, because its members must sit at the tables when those are restored; the random streams last."""
    model, policy, batch = run.model, run.model.policy, run.batch
    if not state["league"]["members"].keys() <= {str(place) for place in range(batch.pool_size)}:
        raise ValueError("places that the pool does not have")
    run.league.set_state(state["league"], lambda weights: _past_self(run, weights))
    check(state["batch"], as_read(batch.get_state()), f"{path}: /batch")
    batch.set_state(state["batch"])
    if batch.table.broken().any() or not _are_seated(batch):
        raise ValueError("games that cannot be")
    with torch.no_grad():
        for name, weight in policy.named_parameters():
            weight.copy_(_tensor(state["weights"][name]))
            if name in state["optimizer"]:
                policy.optimizer.state[weight] = _adam_state(state["optimizer"][name], weight.device)
    if state["memory"] is not None:
        policy.memory[:] = state["memory"]
    _set_learner(model, state["learner"])
    model._last_obs = batch.observation.copy()
    run.watch.set_state(state["watch"], state["clock"])
    for name, value, excluded in state["log"]:
        model.logger.record(name, value, tuple(excluded))
    _set_random_state(state["random"], model.device)


def _past_self(run, weights):
    """The `NetworkPolicy` of a member of the pool: the learner with other weights."""
    policy = _learner_now(run)
    policy.network.load_state_dict({name: _tensor(array) for name, array in weights.items()})
    return policy


def _are_seated(batch):
    """Whether whoever sits at the tables exists, and the learner (-1) is asked in every game."""
    asked = np.take_along_axis(batch.seats, batch.seat[:, None], 1)
    return batch.seats.min() >= -1 and batch.seats.max() < len(batch.names) and (asked == -1).all()


def _set_learner(model, state):
    model.num_timesteps, model._n_updates = state["timesteps"], state["updates"]
    model._current_progress_remaining = state["progress_remaining"]
    model._last_episode_starts = state["episode_starts"]
    episodes = [{"r": reward, "l": length} for reward, length in state["episodes"]]
    model.ep_info_buffer = deque(episodes, model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)


def _tensor(array):
    return torch.from_numpy(np.array(array))


def _adam_state(state, device):
    """Adam's state of one weight; it counts its steps on the CPU."""
    return {name: _tensor(array).to("cpu" if name == "step" else device) for name, array in state.items()}


def _random_state(device):
    """The random streams that everybody shares."""
    version, words, gauss = random.getstate()
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state(device) if device.type == "cuda" else None,
        "numpy": np.random.get_state(legacy=False),
        "python": [version, np.array(words, np.uint32), gauss],
    }


def _set_random_state(state, device):
    numpy, (version, words, gauss) = state["numpy"], state["python"]
    if not 0 <= numpy["state"]["pos"] <= MT19937_WORDS:  # numpy itself would not look
        raise ValueError("a place in the random stream that it does not have")
    torch.set_rng_state(_tensor(state["torch"]))
    if device.type == "cuda":
        torch.cuda.set_rng_state(_tensor(state["cuda"]), device)
    np.random.set_state(numpy)
    random.setstate((version, tuple(words.tolist()), gauss))
