"""Recurrent masked PPO: what is remembered by whom and how long, that updates see what the rollout saw, that it learns
what no policy without memory can learn."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from heist_envs import HeistError, load_game, make_parallel
from heist_envs.arena.match import play_match
from heist_envs.engine.actions import WAIT
from heist_envs.engine.table import Table
from heist_envs.envs.sb3_vector import Sb3Vector
from heist_envs.policies.agents import Agent
from heist_envs.policies.network import NetworkPolicy, empty_network, load_policy
from heist_envs.policies.players import Players
from training import torch_threads
from training.buffer import SeatRolloutBuffer
from training.config import load_config
from training.policy import FastMaskablePolicy, export, policy_options
from training.recurrent import RecurrentMaskablePolicy, RecurrentRolloutBuffer, RememberingVector, Sequences
from training.train import main
from training.trainer import build

SMALL = {
    "policy": "gru", "layers": [16], "memory_width": 12, "sequence_length": 5, "n_envs": 12, "n_steps": 48,
    "batch_size": 96, "torch_threads": 1,
}  # fmt: skip
torch.set_num_threads(1)


def small_model(game="toy_game", **changes):
    """A model whose policy and memory depend strongly on what it sees: SB3 starts with nearly equal logits."""
    model = build(game, load_config(game, changes=SMALL | changes), seed=2)
    with torch.no_grad():
        model.policy.action_net.weight.mul_(300)
        for name, weights in model.policy.remembering.named_parameters():
            weights.mul_(3 if "weight" in name else 1)
    return model


def next_rollout(model):
    """Collect one rollout as `learn` does, without an update; returns the buffer."""
    _, callback = model._setup_learn(10**9, None, reset_num_timesteps=model._last_obs is None)
    assert model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
    return model.rollout_buffer


def gru_policy(game="toy_game", seed=1):
    torch.manual_seed(seed)
    played = load_game(game)
    network = empty_network(played, (16,), "relu", 12)
    with torch.no_grad():
        for weights in network.parameters():
            weights.normal_(0, 0.7)
    return NetworkPolicy(played, network.eval().requires_grad_(False), (16,), "relu", played.options.resolve({}))


@pytest.mark.parametrize(
    ("game", "opponents", "options"),
    [
        ("toy_game", "latest", {"num_players": 3}),
        ("toy_game", "latest:0.5,random_legal:0.5", {"num_players": 3}),
        ("rob_a_bank", "latest:0.5,random_legal:0.5", {}),
    ],
)
def test_an_update_sees_what_the_rollout_saw(game, opponents, options):
    model = small_model(game, opponents=opponents, env_kwargs=options)
    next_rollout(model)
    buffer = next_rollout(model)  # its games were running already, so trajectories begin with memories
    begun_before = seen = 0
    for data in buffer.get(96):
        values, log_prob, entropy = model.policy.evaluate_actions(data.observations, data.actions, data.action_masks)
        assert torch.allclose(log_prob, data.old_log_prob, atol=1e-5)
        assert torch.allclose(values.flatten(), data.old_values, atol=1e-5)
        assert (entropy >= 0).all() and len(data.observations.batch_sizes) <= 5
        assert data.observations.batch_sizes.sum() == len(data.actions) == len(data.observations.observations)
        begun_before += (data.observations.memory != 0).any(1).sum()
        seen += len(data.actions)
    assert seen == buffer.valid.sum() and begun_before > 12
    assert log_prob.std() > 0.1


def test_without_its_memory_an_update_would_see_something_else():
    model = small_model()
    next_rollout(model)
    data = next(next_rollout(model).get(96))
    forgetful = Sequences(data.observations.observations, data.observations.batch_sizes, data.observations.memory * 0)
    log_prob = model.policy.evaluate_actions(forgetful, data.actions, data.action_masks)[1]
    assert (log_prob - data.old_log_prob).abs().max() > 1e-3


def test_pieces_hold_every_valid_decision_once_in_order():
    """Against a slow and obvious walk through the rollout."""
    model = small_model(env_kwargs={"num_players": 3}, opponents="latest:0.7,random_legal:0.3")
    batch, log = model.get_env().batch, []
    add = model.rollout_buffer.add

    def logged(*args, **kwargs):
        log.append((batch.acting.copy(), batch.done.copy()))
        add(*args, **kwargs)

    model.rollout_buffer.add = logged
    buffer = next_rollout(model)
    list(buffer.get(96))
    expected = []
    for row in range(12):
        open_pieces = {}
        for step, (acting, done) in enumerate(log):
            if buffer.valid[step, row]:
                open_pieces.setdefault(acting[row], []).append(step * 12 + row)
                if len(open_pieces[acting[row]]) == 5:
                    expected.append(open_pieces.pop(acting[row]))
            if done[row]:
                expected += open_pieces.values()
                open_pieces = {}
        expected += open_pieces.values()
    pieces = [[index for index in piece if index >= 0] for piece in buffer._pieces.tolist()]
    assert sorted(pieces) == sorted(expected)
    assert sorted(sum(pieces, [])) == np.flatnonzero(buffer.valid).tolist()
    assert len({len(piece) for piece in pieces}) > 2


def test_minibatches_are_of_about_the_size_asked_for():
    buffer = next_rollout(small_model())
    sizes = [len(data.actions) for data in buffer.get(96)]
    assert sum(sizes) == buffer.valid.sum() and max(abs(size - sum(sizes) / len(sizes)) for size in sizes) <= 5
    first, second = (torch.cat([data.actions for data in buffer.get(96)]) for _ in range(2))
    assert not torch.equal(first, second)
    assert [len(data.actions) for data in buffer.get()] == [buffer.valid.sum()]


def test_memories_belong_to_seats_and_end_with_the_game():
    model = small_model(env_kwargs={"num_players": 3})
    env, policy = model.get_env(), model.policy
    batch, rows = env.batch, np.arange(12)
    observations, ended = env.reset(), 0
    assert not policy.memory.any()
    for _ in range(60):
        before, asked = policy.memory.copy(), batch.seat.copy()
        actions, values, _ = policy(torch.from_numpy(observations), action_masks=batch.mask.copy())
        assert (env.recalled == before[rows, asked]).all()
        after = policy.memory.copy()
        assert (after[rows, asked] != before[rows, asked]).any(1).all()
        after[rows, asked] = before[rows, asked]
        assert (after == before).all(), "only the seat that decides remembers more"
        kept = policy.memory.copy()
        assert torch.equal(policy.predict_values(torch.from_numpy(observations)).isfinite(), torch.ones(12, 1).bool())
        assert (policy.memory == kept).all()
        observations, _, done, _ = env.step(actions.numpy())
        assert not policy.memory[done].any() and (policy.memory[~done] == kept[~done]).all()
        ended += done.sum()
    assert ended > 12 and policy.memory.any()
    env.reset()
    assert not policy.memory.any()


class SecretBatch:
    """A game of two seats, deciding in turn, four times each: at his first decision each sees a secret of his own, 0 or 1,
    later nothing; at his last he should say it. Looks like a `SeatBatch` to `Sb3Vector`."""

    players, self_share, has_opponents, turns = 2, 1.0, False, 8

    def __init__(self, num_games):
        self.num_games = num_games
        self.game = SimpleNamespace(
            observation=SimpleNamespace(low=np.zeros(4, np.float32), high=np.ones(4, np.float32)), actions=range(2)
        )
        self.observation, self.mask = np.zeros((num_games, 4), np.float32), np.ones((num_games, 2), bool)
        self.acting, self.seat = np.zeros(num_games, np.int64), np.zeros(num_games, np.int64)
        self.seat_rewards, self.done = np.zeros((num_games, 2)), np.zeros(num_games, bool)
        self.episode_return, self.episode_length = np.zeros(num_games), np.zeros(num_games, np.int64)
        self.reset(0)

    def reset(self, seed):
        self.random = np.random.default_rng(seed)
        # Games at different points, so that sequences have different lengths.
        self.turn = np.arange(self.num_games) % (self.turns // 2) * 2
        self.secret = self.random.integers(2, size=(self.num_games, 2))
        self.show()

    def show(self):
        rows = np.arange(self.num_games)
        self.seat[:] = self.turn % 2
        self.observation[:] = 0
        first = self.turn < 2
        self.observation[rows[first], self.secret[rows, self.seat][first]] = 1
        self.observation[:, 2], self.observation[:, 3] = first, self.turn >= self.turns - 2

    def step(self, actions):
        rows = np.arange(self.num_games)
        self.acting[:], self.seat_rewards[:] = self.seat, 0
        right = actions == self.secret[rows, self.seat]
        self.seat_rewards[rows, self.seat] = np.where(self.turn >= self.turns - 2, 2.0 * right - 1, 0)
        self.turn += 1
        self.done[:] = self.turn == self.turns
        self.turn[self.done] = 0
        self.secret[self.done] = self.random.integers(2, size=(self.done.sum(), 2))
        self.show()


@pytest.mark.parametrize(("kind", "least", "most"), [("gru", 0.9, 1.0), ("mlp", -0.3, 0.3)])
def test_only_a_memory_learns_what_must_be_remembered(kind, least, most):
    batch, options = SecretBatch(32), policy_options([16], "tanh", memory_width=16 * (kind == "gru"))
    if kind == "gru":
        env = RememberingVector(batch, 16)
        policy, buffer, options = RecurrentMaskablePolicy, RecurrentRolloutBuffer, options | {"venv": env}
        buffer_options = {"venv": env, "sequence_length": 4}
    else:
        env = Sb3Vector(batch)
        policy, buffer, buffer_options = FastMaskablePolicy, SeatRolloutBuffer, {"venv": env}
    ppo = MaskablePPO(
        policy, env, n_steps=32, batch_size=256, n_epochs=4, learning_rate=5e-3, seed=1, device="cpu",
        policy_kwargs=options, rollout_buffer_class=buffer, rollout_buffer_kwargs=buffer_options,
    )  # fmt: skip
    ppo.learn(32 * 32 * 12)
    answers = ppo.rollout_buffer.rewards[ppo.rollout_buffer.rewards != 0]
    assert len(answers) > 200 and least <= answers.mean() <= most


def test_gradients_flow_through_time():
    model = small_model()
    first = torch.rand(1, model.observation_space.shape[0], requires_grad=True)
    rows = torch.cat([first, torch.rand(2, first.shape[1])])
    sequence = Sequences(rows, torch.tensor([1, 1, 1]), torch.zeros(1, 12))
    values, *_ = model.policy.evaluate_actions(sequence, torch.zeros(3, dtype=torch.long))
    (gradient,) = torch.autograd.grad(values[2].sum(), first)
    assert gradient.abs().max() > 0
    alone = model.policy.evaluate_actions(rows, torch.zeros(3, dtype=torch.long))[0]  # rows without a past
    assert torch.allclose(alone[0], values[0], atol=1e-6) and not torch.allclose(alone[2], values[2], atol=1e-3)


@pytest.mark.parametrize("game", ["toy_game", "rob_a_bank"])
def test_exported_policy_plays_as_trained(game):
    """The exported network, with a memory of its own for each seat, decides as the one in training does."""
    model = small_model(game)
    env = model.get_env()
    batch, rows = env.batch, np.arange(12)
    exported = export(model.policy, batch.game, batch.table.options, {})
    memory, observations = np.zeros((12, batch.players, exported.memory_width), np.float32), env.reset()
    for _ in range(40):
        seats, mask = batch.seat.copy(), batch.mask.copy()
        actions = model.policy(torch.from_numpy(observations), True, mask)[0].numpy()
        mine = memory[rows, seats]
        assert (exported.choose(observations, mask, True, memory=mine) == actions).all()
        memory[rows, seats] = mine
        observations, _, done, _ = env.step(actions)
        memory[done] = 0
        assert np.allclose(memory, model.policy.memory, atol=1e-6)


def test_networks_with_memory_at_a_table():
    """`Players` keeps a memory for each seat of each game, whoever sits there, until told to forget."""
    first, second, game = gru_policy(seed=1), gru_policy(seed=2), load_game("toy_game")
    table, games, rows = Table(game, 6, num_players=3), 6, np.arange(6)
    table.reset(4)
    seats = np.arange(18).reshape(6, 3) % 2
    players = Players(table, [Agent("a", first, True), Agent("b", second, True)], seats, [1])
    memory, actions, ended = np.zeros((games, 3, 12), np.float32), np.zeros(games, np.int64), 0
    for _ in range(60):
        expected = np.zeros(games, np.int64)
        for row in rows:
            seat = table.seat[row]
            policy, mine = (first, second)[seats[row, seat]], memory[row, seat][None].copy()
            expected[row] = policy.choose(table.observation[[row]], table.mask[[row]], True, memory=mine)[0]
            memory[row, seat] = mine[0]
        assert (players.choose(actions) == expected).all()
        table.play(actions)
        over = table.over != 0
        memory[over] = 0
        players.begin(over)
        table.reset(which=over)
        ended += over.sum()
    assert ended >= 6


def test_a_match_of_networks_with_memory_can_be_repeated():
    agents = Agent("a", gru_policy(seed=1)), Agent("b", gru_policy(seed=2))
    one, two = (play_match(load_game("toy_game"), *agents, 40, perfect_recall=False) for _ in range(2))
    assert one == two and one.games == 40


def test_act_decides_as_choose_does_and_waits_without_remembering():
    policy = gru_policy()
    env = make_parallel("toy_game", num_players=2)
    observations, _ = env.reset(seed=3)
    memories = {agent: np.zeros(policy.memory_width, np.float32) for agent in env.agents}
    waited = 0
    while env.agents:
        chosen = {}
        for agent, seen in observations.items():
            before, waits = memories[agent].copy(), seen["action_mask"][WAIT]
            chosen[agent] = policy.act(seen, True, memory=memories[agent])
            assert waits == (memories[agent] == before).all() == (chosen[agent] == WAIT)
            if not waits:
                row = before[None]
                same = policy.choose(seen["observation"][None], seen["action_mask"][None], True, memory=row)
                assert same[0] == chosen[agent] and (row[0] == memories[agent]).all()
            waited += waits
        observations, *_ = env.step(chosen)
    assert waited


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        (None, "not NoneType"),
        ([0.0] * 12, "not list"),
        (np.zeros((3, 11), np.float32), r"must be a numpy array float32 \(3, 12\), not float32 \(3, 11\)"),
        (np.zeros((2, 12), np.float32), r"not float32 \(2, 12\)"),
        (np.zeros((3, 12)), r"not float64 \(3, 12\)"),
    ],
)
def test_memories_that_do_not_fit_are_refused(memory, words):
    policy = gru_policy()
    seen = np.zeros((3, policy.game.observation.size), np.float32)
    with pytest.raises(HeistError, match=words):
        policy.choose(seen, np.ones((3, len(policy.game.actions))), memory=memory)


def test_choosing_threads_changes_nothing():
    model = small_model()
    kept, weights = model.policy.memory.copy(), [p.detach().clone() for p in model.policy.parameters()]
    assert torch_threads.fastest(model.policy, 64) in torch_threads.candidates()
    assert (model.policy.memory == kept).all()
    assert all(torch.equal(a, b) for a, b in zip(weights, model.policy.parameters(), strict=True))


def test_one_model_predicts_as_sb3_has_it():
    model = small_model()
    seen = np.random.default_rng(1).random((5, model.observation_space.shape[0]), np.float32)
    mask = np.ones((5, model.action_space.n), bool)
    kept = model.policy.memory.copy()
    _, state = model.predict(seen, deterministic=True, action_masks=mask)
    assert state.shape == (5, 12) and (model.policy.memory == kept).all()
    _, later = model.predict(seen, state, np.array([True, False, False, False, False]), True, action_masks=mask)
    assert np.allclose(later[0], state[0], atol=1e-6) and not np.allclose(later[1:], state[1:], atol=1e-3)
    action, one = model.predict(seen[0], state[:1], deterministic=True, action_masks=mask[0])
    assert action.shape == () and one.shape == (1, 12)


def test_a_whole_run_with_a_league(tmp_path):
    words = "policy:gru memory_width:8 sequence_length:8 n_envs:32 n_steps:16 batch_size:128 layers:[16] eval_games:40"
    words += " opponents:latest:0.4,pool:0.4,random_legal:0.2 snapshot_freq:512 pool_size:3 gate_freq:1024 gate_games:40"
    command = ["--game", "toy_game", "-n", "4000", "--seed", "7", "--num-threads", "1", "-f"]
    folders = []
    for name in ("one", "two"):
        assert main([*command, str(tmp_path / name), "-params", *words.split()]) == 0
        folders.append(tmp_path / name / "maskable_ppo" / "toy_game_1")
    results = json.loads((folders[0] / "results.json").read_text())
    assert results["evaluation"] and results["timesteps"] == 4096
    assert len(results["league"]["members"]) == 3
    assert json.loads((folders[0] / "policy.json").read_text())["network"]["memory_width"] == 8
    assert load_policy(folders[0]).memory_width == 8
    weights = [(folder / "policy.safetensors").read_bytes() for folder in folders]
    assert weights[0] == weights[1], "the same seed gives the same weights"


def test_minibatches_shorter_than_four_sequences_are_refused():
    with pytest.raises(HeistError, match="batch_size 96 is too small for sequence_length 30"):
        load_config("toy_game", changes=SMALL | {"sequence_length": 30})
    assert load_config("toy_game", changes=SMALL | {"sequence_length": 30, "policy": "mlp"}).policy == "mlp"
