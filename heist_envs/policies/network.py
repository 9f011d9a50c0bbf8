"""Trained networks as policies: built, used, saved and loaded without pickle. The only file here that needs torch.

A policy is a folder with `policy.safetensors` (the weights) and `policy.json` (what they belong to). Loading trusts
neither: sizes are limited, names come from fixed lists, shapes must be exact, weights finite.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as write_tensors
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from ..engine.actions import WAIT
from ..engine.errors import HeistError, unknown
from ..engine.registry import game_names, load_game
from .cards import check_card, read_bytes, read_card

WEIGHTS, CARD = "policy.safetensors", "policy.json"
ADVICE = f"a policy is a folder with {CARD} and {WEIGHTS}"
FORMAT = 1
ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}
MOST_LAYERS, MOST_WIDTH = 4, 1024
HEADER_BYTES = 16 * 1024
ILLEGAL = -1e8  # the logit of an illegal action: its probability is exactly 0 after the softmax


def trunk(inputs, layers, activation):
    """The layers that policy and value share: linear, activation, and so on, as one `nn.Sequential`."""
    modules = []
    for width in layers:
        modules += [nn.Linear(inputs, width), ACTIVATIONS[activation]()]
        inputs = width
    return nn.Sequential(*modules)


class RoleTrunks(nn.Module):
    """A trunk for each role of a game; what comes out has a block for each role, all 0 but the observing one's. Linear
    heads on top are then heads of one role each: policies of their own, learned side by side."""

    def __init__(self, inputs, layers, activation, roles):
        super().__init__()
        self.first, count = roles
        self.width = layers[-1]
        self.trunks = nn.ModuleList(trunk(inputs, layers, activation) for _ in range(count))

    def forward(self, observation):
        blocks = observation.new_zeros(len(observation), self.width * len(self.trunks))
        for k, one in enumerate(self.trunks):  # each trunk only on the rows of its role
            rows = torch.nonzero(observation[:, self.first + k], as_tuple=True)[0]
            blocks[rows, k * self.width : (k + 1) * self.width] = one(observation[rows])
        return blocks


def roles_of(game):
    """(first index, number) of the observation's one-hot `role` where a `Game` has several roles, otherwise None."""
    count = len(game.about.roles)
    return (game.observation.at.role, count) if count > 1 else None


def body(inputs, layers, activation, roles):
    """(module, width of what comes out): one trunk, or one for each role."""
    if roles is None:
        return trunk(inputs, layers, activation), layers[-1]
    return RoleTrunks(inputs, layers, activation, roles), roles[1] * layers[-1]


def masked_log_policy(logits, mask):
    """log-probabilities (N, A) of `logits` (N, A) where only actions with `mask` (any shape that fits, bool) may be."""
    if mask is not None:
        mask = torch.as_tensor(mask, device=logits.device).reshape(logits.shape)
        logits = logits.masked_fill(~mask.bool(), ILLEGAL)
    return torch.log_softmax(logits, dim=-1)


def sample(log_policy, generator=None):
    """One action (N,) int64 per row of log-probabilities; never one with probability 0."""
    policy = log_policy.exp()
    if policy.is_cuda:  # a parallel cumulative sum is not monotone to the last bit, so an illegal action could slip in
        return (policy / torch.empty_like(policy).exponential_(generator=generator)).argmax(-1)
    steps = policy.cumsum(-1)
    # The last factor keeps the draw below the total whatever the rounding.
    draw = torch.rand(len(policy), 1, generator=generator, dtype=policy.dtype) * steps[:, -1:] * (1 - 2**-22)
    return torch.searchsorted(steps, draw, right=True).squeeze(-1)


class MaskedMlp(nn.Module):
    """A shared trunk (one a role) with action and value head: (N, inputs) float32 -> logits (N, actions), values (N,)."""

    family = "mlp"
    memory_width = 0  # it remembers nothing from one decision to the next

    def __init__(self, inputs, actions, layers, activation, roles=None):
        super().__init__()
        self.trunk, width = body(inputs, layers, activation, roles)
        self.action = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)

    def forward(self, observation):
        latent = self.trunk(observation)
        return self.action(latent), self.value(latent).squeeze(-1)

    def slices(self):
        """For each role what leads to its logits: [(weights (out, in), biases (out,)) of each layer], the head's last."""
        trunks = self.trunk.trunks if isinstance(self.trunk, RoleTrunks) else [self.trunk]
        width = self.action.in_features // len(trunks)
        return [
            [
                *((layer.weight, layer.bias) for layer in one if isinstance(layer, nn.Linear)),
                (self.action.weight[:, k * width : (k + 1) * width], self.action.bias),
            ]
            for k, one in enumerate(trunks)
        ]


class GruMemory(nn.Module):
    """What remembers: a GRU that reads every observation. What comes out is the observation with the new memory beside it,
    as if the environment showed what is worth remembering; the trunk behind can combine both, which linear heads on a
    memory could not."""

    def __init__(self, inputs, width):
        super().__init__()
        self.gru = nn.GRU(inputs, width)

    def step(self, observation, memory):
        """One decision a row: (N, inputs), (N, width) -> (N, inputs + width), the new memory (N, width)."""
        after = self.gru(observation[None], memory[None])[0][0]
        return torch.cat([observation, after], 1), after

    def run(self, observation, batch_sizes, memory):
        """Sequences in the order of a `PackedSequence`: (rows, inputs), and for each sequence the memory (n, width) that it
        begins with -> (rows, inputs + width)."""
        after = self.gru(PackedSequence(observation, batch_sizes), memory[None])[0].data
        return torch.cat([observation, after], 1)


class MaskedGru(nn.Module):
    """A `MaskedMlp` that also sees a memory of `memory_width` floats per seat, all 0 when a game begins."""

    family = "gru"

    def __init__(self, inputs, actions, layers, activation, memory_width, roles=None):
        super().__init__()
        self.memory_width = memory_width
        self.memory = GruMemory(inputs, memory_width)
        self.trunk, width = body(inputs + memory_width, layers, activation, roles)
        self.action = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)

    def step(self, observation, memory):
        """(N, inputs), (N, memory_width) float32 -> logits (N, actions), values (N,), the new memory (N, memory_width)."""
        seen, after = self.memory.step(observation, memory)
        latent = self.trunk(seen)
        return self.action(latent), self.value(latent).squeeze(-1), after


def empty_network(game, layers, activation, memory_width=0):
    """A `MaskedMlp` for a `Game`, or with a `memory_width` a `MaskedGru`, whose weights are to be overwritten; making it
    leaves torch's random stream as it was."""
    sizes = game.observation.size, len(game.actions), layers, activation
    with torch.random.fork_rng(devices=()):
        if memory_width:
            return MaskedGru(*sizes, memory_width, roles_of(game))
        return MaskedMlp(*sizes, roles_of(game))


@dataclass
class NetworkPolicy:
    """A network that plays one game. `trained` is free information about how it came to be, ready for JSON.

    A network with memory is asked once for every decision of a seat, in order, with that seat's memory: `memory_width`
    float32, all 0 when the game begins, written in place. Raises `HeistError` for arrays that do not fit.
    """

    game: object
    network: MaskedMlp | MaskedGru
    layers: tuple
    activation: str
    options: dict
    trained: dict = field(default_factory=dict)

    @property
    def memory_width(self):
        """Floats that the network keeps per seat from one decision to the next, 0 for none."""
        return self.network.memory_width

    @torch.inference_mode()
    def choose(self, observation, mask, deterministic=False, generator=None, memory=None):
        """Actions (N,) int64 for observations (N, D) float32 and masks (N, A): drawn from the policy (from torch's
        `generator` if given), or the likeliest ones. `memory` (N, memory_width) float32, if the network has one."""
        observation, mask = np.ascontiguousarray(observation, np.float32), np.asarray(mask)
        self._check(observation.shape[:1], observation, mask, memory)
        log_policy = masked_log_policy(self._logits(torch.from_numpy(observation), memory), mask)
        return (log_policy.argmax(-1) if deterministic else sample(log_policy, generator)).numpy()

    def act(self, observation, deterministic=False, generator=None, memory=None):
        """An action (int) for what one PettingZoo agent observes: a dict of `observation` (D,) and `action_mask` (A,).
        `memory` (memory_width,) float32, if the network has one; an agent that owes no decision waits, unchanged."""
        if not isinstance(observation, Mapping) or not {"observation", "action_mask"} <= observation.keys():
            raise HeistError("act needs what a PettingZoo agent observes, a dict with observation and action_mask.")
        seen, mask = np.asarray(observation["observation"]), np.asarray(observation["action_mask"])
        self._check((), seen, mask, memory)
        legal = np.flatnonzero(mask)
        if not len(legal):
            raise HeistError("this agent has no legal action; act is for agents whose game is not over.")
        if legal[0] == WAIT:
            return WAIT
        memory = None if memory is None else memory[None]
        return int(self.choose(seen[None], mask[None], deterministic, generator, memory)[0])

    def _check(self, lead, observation, mask, memory):
        """Raise `HeistError` unless all arrays have the shape `lead` with their own size after it."""
        game, width = self.game, (*lead, self.memory_width)
        for name, array, size in (("observation", observation, game.observation.size), ("mask", mask, len(game.actions))):
            if array.shape != (*lead, size):
                raise HeistError(f"the {name} must have shape {(*lead, size)} for {game.name}, not {array.shape}.")
        if memory is None and not self.memory_width:
            return
        if not isinstance(memory, np.ndarray) or memory.shape != width or memory.dtype != np.float32:
            given = f"{memory.dtype} {memory.shape}" if isinstance(memory, np.ndarray) else type(memory).__name__
            raise HeistError(
                f"memory must be a numpy array float32 {width}, not {given}; begin every game with zeros and pass the same "
                "array at each of the seat's decisions."
            )

    def _logits(self, observation, memory):
        if not self.memory_width:
            return self.network(observation)[0]
        logits, _, after = self.network.step(observation, torch.from_numpy(memory))
        memory[:] = after.numpy()
        return logits


def observation_digest(game):
    """Digest of the observation layout of a `Game`: names, shapes and scaling of all slices, in order."""
    return _digest([[p.name, list(p.shape), p.scale, p.low, p.high] for p in game.observation.parts])


def action_digest(game):
    """Digest of the action table of a `Game`: all texts, in order."""
    return _digest(list(game.actions.texts))


def _digest(value):
    return hashlib.sha256(json.dumps(value, default=float).encode()).hexdigest()


def save_policy(folder, policy):
    """Write a `NetworkPolicy` into `folder` (made if missing); each file appears complete or not at all."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = write_tensors(
        {name: tensor.detach().cpu().contiguous() for name, tensor in policy.network.state_dict().items()}
    )
    game = policy.game
    card = {
        "format": FORMAT,
        "game": game.name,
        "game_version": game.about.version,
        "options": policy.options,
        "observation_layout": observation_digest(game),
        "action_table": action_digest(game),
        "network": _network_card(policy),
        "weights_sha256": hashlib.sha256(weights).hexdigest(),
        "trained": policy.trained,
    }
    _replace_file(folder / WEIGHTS, weights)
    _replace_file(folder / CARD, (json.dumps(card, indent=2) + "\n").encode())


def _network_card(policy):
    family = {"family": policy.network.family, "layers": list(policy.layers), "activation": policy.activation}
    return family | ({"memory_width": policy.memory_width} if policy.memory_width else {})


def _replace_file(path, content):
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def load_policy(folder, game=None):
    """The `NetworkPolicy` stored in `folder`; with `game` (a name) it must be of that game. Raises `HeistError` for
    everything that is damaged, hostile or made for another game or version."""
    path = Path(folder) / CARD
    return policy_of_card(read_card(path, ADVICE, "train or copy the policy again"), path, game)


def policy_of_card(card, path, game=None):
    """The `NetworkPolicy` of a `card` (dict) that was read from `path`, with the weights beside it; as `load_policy`."""
    check_card(card, path, "a policy", CARD_KEYS)
    if card["format"] != FORMAT:
        raise HeistError(f"{path} has format {card['format']}, this version of heist_envs reads format {FORMAT}.")
    played = _check_game(card, path, game)
    *shape, memory_width = _check_network(card["network"], path)
    network = empty_network(played, *shape, memory_width)
    weights = _read_weights(path.with_name(WEIGHTS), network.state_dict(), card["weights_sha256"], path.name)
    network.load_state_dict(weights, strict=True)
    network.eval().requires_grad_(False)
    return NetworkPolicy(played, network, *shape, options=card["options"], trained=card["trained"])


CARD_KEYS = {
    "format": int,
    "game": str,
    "game_version": int,
    "options": dict,
    "observation_layout": str,
    "action_table": str,
    "network": dict,
    "weights_sha256": str,
    "trained": dict,
}


def _check_game(card, path, wanted):
    """The `Game` of a card, if it is still the one the network was trained on."""
    name = card["game"]
    if wanted is not None and name != wanted:
        raise HeistError(f"{path} is a policy for {name!r}, not for {wanted!r}; name one that was trained on {wanted!r}.")
    if name not in game_names():
        raise unknown(f"game in {path}:", name, game_names())
    game = load_game(name)
    mine = {
        "game_version": game.about.version,
        "observation_layout": observation_digest(game),
        "action_table": action_digest(game),
    }
    for key, value in mine.items():
        if card[key] != value:
            what = key.replace("_", " ")
            raise HeistError(f"{path} belongs to another {what} of {name} ({card[key]!r}, now {value!r}); train it again.")
    card["options"] = game.options.resolve(card["options"])
    return game


FAMILY_KEYS = {"mlp": ("family", "layers", "activation"), "gru": ("family", "layers", "activation", "memory_width")}


def _check_network(network, path):
    """(layers, activation, memory width) of a card."""
    family = network.get("family")
    if not isinstance(family, str) or family not in FAMILY_KEYS:
        raise unknown(f"network family in {path}:", family, FAMILY_KEYS)
    keys = FAMILY_KEYS[family]
    if network.keys() != set(keys):
        raise HeistError(f"network in {path} must have exactly the keys {', '.join(keys)}.")
    layers, activation, memory_width = network["layers"], network["activation"], network.get("memory_width", 0)
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        raise unknown(f"activation in {path}:", activation, ACTIVATIONS)
    if not valid_layers(layers):
        raise HeistError(f"layers in {path} must be 1 to {MOST_LAYERS} widths from 1 to {MOST_WIDTH}.")
    if family == "gru" and not valid_layers([memory_width]):
        raise HeistError(f"memory_width in {path} must be from 1 to {MOST_WIDTH}.")
    return tuple(layers), activation, memory_width


def valid_layers(layers):
    """Whether `layers` is a list of widths a network of ours may have."""
    if not isinstance(layers, (list, tuple)) or not 1 <= len(layers) <= MOST_LAYERS:
        return False
    return all(type(width) is int and 1 <= width <= MOST_WIDTH for width in layers)


def _read_weights(path, expected, digest, card_name):
    """The tensors of a weights file, which must be exactly those of `expected`."""
    size = sum(tensor.numel() * tensor.element_size() for tensor in expected.values())
    content = read_bytes(path, size + HEADER_BYTES, ADVICE)
    if hashlib.sha256(content).hexdigest() != digest:
        raise HeistError(f"{path} is not the file its {card_name} speaks of (other checksum); copy both files again.")
    try:
        tensors = read_tensors(content)
    except (SafetensorError, ValueError, KeyError):
        raise HeistError(f"{path} is not a safetensors file; train or copy the policy again.") from None
    if tensors.keys() != expected.keys():
        raise HeistError(f"{path} must hold exactly the tensors {', '.join(expected)}.")
    for name, tensor in tensors.items():
        if tensor.shape != expected[name].shape or tensor.dtype != expected[name].dtype:
            want, got = (f"{t.dtype} {tuple(t.shape)}" for t in (expected[name], tensor))
            raise HeistError(f"tensor {name} in {path} must be {want}, not {got}.")
        if not torch.isfinite(tensor).all():
            raise HeistError(f"tensor {name} in {path} has weights that are not finite numbers; train it again.")
    return tensors
