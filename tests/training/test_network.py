"""Policy files: what was saved comes back; what is damaged, hostile or of another game is refused with a sentence."""

import hashlib
import json
import pickle
import struct

import numpy as np
import pytest
import torch
from safetensors.torch import save

from heist_envs import HeistError, load_game, make_aec
from heist_envs.policies.network import CARD, WEIGHTS, MaskedGru, MaskedMlp, NetworkPolicy, load_policy, save_policy

from ..support import run_python


@pytest.fixture
def policy():
    game = load_game("toy_game")
    torch.manual_seed(1)
    network = MaskedMlp(game.observation.size, len(game.actions), [8, 6], "relu")
    return NetworkPolicy(game, network, (8, 6), "relu", game.options.resolve({}), {"seed": 1})


@pytest.fixture
def folder(tmp_path, policy):
    save_policy(tmp_path, policy)
    return tmp_path


def change_card(folder, **changes):
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps(card | changes))


def put_weights(folder, content):
    """Replace the weights and let the card agree, as an attacker would."""
    (folder / WEIGHTS).write_bytes(content)
    change_card(folder, weights_sha256=hashlib.sha256(content).hexdigest())


def tensors(policy, **changes):
    kept = {name: tensor.clone() for name, tensor in policy.network.state_dict().items()} | changes
    return save({name: tensor for name, tensor in kept.items() if tensor is not None})


def refused(folder, words, game=None):
    with pytest.raises(HeistError, match=words) as error:
        load_policy(folder, game)
    assert "\n" not in str(error.value)


def test_what_was_saved_comes_back(folder, policy):
    before = torch.get_rng_state()
    loaded = load_policy(folder, "toy_game")
    assert torch.equal(before, torch.get_rng_state())
    assert (loaded.layers, loaded.activation) == ((8, 6), "relu")
    assert (loaded.options, loaded.trained) == (policy.options, {"seed": 1})
    for name, tensor in policy.network.state_dict().items():
        assert torch.equal(loaded.network.state_dict()[name], tensor)
    observations = np.random.default_rng(0).random((5, policy.game.observation.size), np.float32)
    mask = np.ones((5, len(policy.game.actions)), np.int8)
    assert (loaded.choose(observations, mask, True) == policy.choose(observations, mask, True)).all()
    assert sorted(file.name for file in folder.iterdir()) == [CARD, WEIGHTS]


def test_a_network_with_memory_comes_back(tmp_path, policy):
    game = policy.game
    network = MaskedGru(game.observation.size, len(game.actions), [8, 6], "tanh", 5)
    save_policy(tmp_path, NetworkPolicy(game, network, (8, 6), "tanh", policy.options))
    assert json.loads((tmp_path / CARD).read_text())["network"] == {
        "family": "gru", "layers": [8, 6], "activation": "tanh", "memory_width": 5,
    }  # fmt: skip
    loaded = load_policy(tmp_path, "toy_game")
    assert loaded.memory_width == 5 and policy.memory_width == 0
    seen, memory = torch.rand(3, game.observation.size), torch.rand(3, 5)
    for mine, theirs in zip(network.step(seen, memory), loaded.network.step(seen, memory), strict=True):
        assert torch.equal(mine, theirs)
    card = json.loads((tmp_path / CARD).read_text())["network"]
    change_card(tmp_path, network=card | {"memory_width": 6})
    refused(tmp_path, "must be")


def test_the_card_of_a_network_without_memory_is_as_it_was(folder):
    card = json.loads((folder / CARD).read_text())
    assert card["format"] == 1 and card["network"] == {"family": "mlp", "layers": [8, 6], "activation": "relu"}


def test_act_answers_a_pettingzoo_agent(policy):
    env = make_aec("toy_game")
    env.reset(seed=1)
    generator, decisions = torch.Generator().manual_seed(1), 0
    for _ in env.agent_iter():
        seen, _, terminated, *_ = env.last()
        action = None if terminated else policy.act(seen, decisions % 2, generator)
        assert action is None or (type(action) is int and seen["action_mask"][action])
        env.step(action)
        decisions += not terminated
    assert decisions > 5


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (np.zeros(3), "a dict with observation and action_mask"),
        ({"observation": np.zeros(3)}, "a dict with observation and action_mask"),
        ({"observation": np.zeros((1, 21)), "action_mask": np.ones(9)}, r"must have shape \(21,\) for toy_game"),
        ({"observation": np.zeros(21), "action_mask": np.ones(4)}, r"the mask must have shape \(9,\)"),
        ({"observation": np.zeros(21), "action_mask": np.zeros(9)}, "no legal action"),
    ],
)
def test_act_refuses_with_a_sentence(policy, seen, words):
    with pytest.raises(HeistError, match=words):
        policy.act(seen)


def test_choose_refuses_what_does_not_fit(policy):
    with pytest.raises(HeistError, match="the observation must have shape"):
        policy.choose(np.zeros((2, 5)), np.ones((2, 9)))
    with pytest.raises(HeistError, match="the mask must have shape"):
        policy.choose(np.zeros((2, 21)), np.ones((3, 9)))
    with pytest.raises(HeistError, match=r"float32 \(2, 0\), not float32 \(2, 4\)"):
        policy.choose(np.zeros((2, 21)), np.ones((2, 9)), memory=np.zeros((2, 4), np.float32))


class Evil:
    """Runs code when unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('code ran')",)


@pytest.mark.parametrize("content", [pickle.dumps(Evil()), b"", b"\xff" * 64, struct.pack("<Q", 2**60) + b"{}"])
def test_weights_that_are_no_safetensors(folder, content):
    put_weights(folder, content)
    refused(folder, "not a safetensors file")


def test_a_torch_pickle_in_the_place_of_weights(folder, tmp_path):
    torch.save(Evil(), tmp_path / "evil.pt")
    put_weights(folder, (tmp_path / "evil.pt").read_bytes())
    refused(folder, "not a safetensors file")


def test_weights_of_other_shapes_names_types(folder, policy):
    put_weights(folder, tensors(policy, **{"action.weight": torch.zeros(3, 3)}))
    refused(folder, "tensor action.weight in .* must be")
    put_weights(folder, tensors(policy, **{"action.bias": policy.network.action.bias.detach().double()}))
    refused(folder, "tensor action.bias in .* must be torch.float32")
    put_weights(folder, tensors(policy, **{"action.bias": None}))
    refused(folder, "exactly the tensors")
    put_weights(folder, tensors(policy, extra=torch.zeros(1)))
    refused(folder, "exactly the tensors")
    put_weights(folder, tensors(policy, extra=torch.zeros(100_000)))
    refused(folder, "larger than")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_weights_that_are_not_finite(folder, policy, number):
    bias = policy.network.value.bias.detach().clone()
    bias[0] = number
    put_weights(folder, tensors(policy, **{"value.bias": bias}))
    refused(folder, "not finite")


def test_weights_that_were_changed(folder, policy):
    content = bytearray((folder / WEIGHTS).read_bytes())
    content[-1] ^= 1
    (folder / WEIGHTS).write_bytes(content)
    refused(folder, "checksum")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[" * 60_000, "not JSON"),
        (b"{}" + b" " * 100_000, "larger than"),
        (b"\x80\x04.", "not JSON"),
        (b"[]", "exactly the keys"),
        (b"{}", "exactly the keys"),
    ],
)
def test_cards_that_are_no_cards(folder, content, words):
    (folder / CARD).write_bytes(content)
    refused(folder, words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 2}, "reads format 1"),
        ({"format": True}, "must be of type int"),
        ({"game": "os"}, "unknown game"),
        ({"game": "../toy_game"}, "unknown game"),
        ({"game": "banquefall"}, "of banquefall"),
        ({"game_version": 99}, "another game version"),
        ({"observation_layout": "0"}, "another observation layout"),
        ({"action_table": "0"}, "another action table"),
        ({"options": {"num_players": 99}}, "num_players may not be"),
        ({"options": {"no_such": 1}}, "unknown option"),
        ({"network": {}}, "unknown network family in .* None"),
        ({"network": {"family": "mlp"}}, "exactly the keys family, layers, activation"),
        ({"network": {"family": "gru", "layers": [8, 6], "activation": "relu"}}, "exactly the keys family.*memory_width"),
        ({"network": {"family": "gru", "layers": [8, 6], "activation": "relu", "memory_width": 0}}, "memory_width in"),
        ({"network": {"family": "gru", "layers": [8, 6], "activation": "relu", "memory_width": 10**9}}, "memory_width in"),
        ({"network": {"family": "gru", "layers": [8, 6], "activation": "relu", "memory_width": True}}, "memory_width in"),
        ({"network": {"family": "gru", "layers": [8, 6], "activation": "relu", "memory_width": 4}}, "exactly the tensors"),
        ({"network": {"family": ["gru"], "layers": [8, 6], "activation": "relu"}}, "unknown network family"),
        ({"network": {"family": "os.system", "layers": [8, 6], "activation": "relu"}}, "unknown network family"),
        ({"network": {"family": "mlp", "layers": [8, 6], "activation": "__import__"}}, "unknown activation"),
        ({"network": {"family": "mlp", "layers": [8, 6], "activation": ["relu"]}}, "unknown activation"),
        ({"network": {"family": "mlp", "layers": [8, 10**9], "activation": "relu"}}, "widths from 1 to"),
        ({"network": {"family": "mlp", "layers": [8] * 99, "activation": "relu"}}, "1 to 4 widths"),
        ({"network": {"family": "mlp", "layers": [True], "activation": "relu"}}, "1 to 4 widths"),
        ({"network": {"family": "mlp", "layers": [6, 8], "activation": "relu"}}, "must be"),
        ({"surprise": 1}, "exactly the keys"),
    ],
)
def test_cards_that_lie(folder, changes, words):
    change_card(folder, **changes)
    refused(folder, words)


def test_a_policy_for_another_game(folder):
    refused(folder, "is a policy for 'toy_game', not for 'banquefall'", game="banquefall")


def test_a_folder_without_policy(tmp_path):
    refused(tmp_path / "nowhere", "there is no file")


def test_importing_the_package_needs_no_torch():
    code = "import sys, heist_envs; heist_envs.make_batch('banquefall', 2); print('torch' in sys.modules)"
    assert run_python(code) == "False"
