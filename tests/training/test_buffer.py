"""Credit: every seat's decisions are a trajectory of their own, checked against a slow and obvious reference."""

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from heist_envs import HeistError
from heist_envs.envs.sb3_vector import Sb3Vector
from heist_envs.envs.seat_batch import SeatBatch
from training.buffer import SeatRolloutBuffer
from training.policy import FastMaskablePolicy, policy_options

GAMMA, LAMBDA, STEPS, GAMES = 0.97, 0.9, 40, 16
torch.set_num_threads(1)


class Recording(SeatRolloutBuffer):
    """Keeps what went in, and at the end of each rollout compares with the reference."""

    def reset(self):
        super().reset()
        self.log, self.checked = [], getattr(self, "checked", 0)

    def add(self, obs, action, reward, episode_start, value, log_prob, **kwargs):
        b = self.batch
        self.log.append((b.acting.copy(), b.seat_rewards.copy(), b.done.copy(), value.numpy().flatten(), reward.copy()))
        assert obs.base is None or not np.shares_memory(obs, b.observation)
        super().add(obs, action, reward, episode_start, value, log_prob, **kwargs)

    def compute_returns_and_advantage(self, last_values, dones):
        super().compute_returns_and_advantage(last_values, dones)
        for game in range(self.n_envs):
            expected = reference(self.log, game, self.batch.seat[game], float(last_values[game]))
            assert np.array_equal(np.flatnonzero(self.valid[:, game]), sorted(expected))
            for step, advantage in expected.items():
                assert self.advantages[step, game] == pytest.approx(advantage, abs=1e-5)
                self.checked += 1
        if not self.batch.self_share:
            self.compare_with_stock(last_values, dones)

    def compare_with_stock(self, last_values, dones):
        """With one learning seat per game SB3's own buffer must say the same."""
        mine = self.advantages.copy()
        stock = MaskableRolloutBuffer.__new__(MaskableRolloutBuffer)
        stock.__dict__.update(self.__dict__)
        stock.rewards = np.array([entry[4] for entry in self.log])
        stock.advantages = np.zeros_like(mine)
        MaskableRolloutBuffer.compute_returns_and_advantage(stock, last_values, dones)
        assert self.valid.all()
        assert np.allclose(mine, stock.advantages, atol=1e-5)


def reference(log, game, asked, last_value):
    """{step: advantage} of the decisions of one game's row that can be trained on."""
    open_decisions, result = {}, {}

    def close(seat, value_after):
        """A seat's trajectory ends: at a game's end (0), before a known value, or before an unknown one (None)."""
        trajectory = open_decisions.pop(seat, [])
        if value_after is None and trajectory:
            value_after = trajectory.pop()[1]
        advantage = 0.0
        for step, value, reward in reversed(trajectory):
            advantage = reward + GAMMA * value_after - value + GAMMA * LAMBDA * advantage
            result[step], value_after = advantage, value

    for step, (acting, rewards, done, values, _) in enumerate(log):
        open_decisions.setdefault(acting[game], []).append([step, values[game], 0.0])
        for seat, trajectory in open_decisions.items():
            trajectory[-1][2] += rewards[game, seat]
        if done[game]:
            for seat in list(open_decisions):
                close(seat, 0.0)
    for seat in list(open_decisions):
        close(seat, last_value if seat == asked else None)
    return result


def model(buffer, opponents="self", game="toy_game", **options):
    """A small MaskablePPO on a small batch."""
    env = Sb3Vector(SeatBatch(game, GAMES, opponents, seed=3, **options))
    mine = {"rollout_buffer_class": buffer, "rollout_buffer_kwargs": {"venv": env}} if buffer else {}
    return MaskablePPO(
        FastMaskablePolicy, env, n_steps=STEPS, batch_size=128, n_epochs=1, gamma=GAMMA, gae_lambda=LAMBDA, seed=1,
        device="cpu", policy_kwargs=policy_options([16], "relu"), **mine,
    )  # fmt: skip


@pytest.mark.parametrize("opponents", ["self", "robby_junior", "self:0.5,random_legal:0.5"])
@pytest.mark.parametrize(("game", "options"), [("toy_game", {"num_players": 3, "reward": "margin"}), ("banquefall", {})])
def test_advantages_follow_each_seat(game, options, opponents):
    ppo = model(Recording, opponents, game, **options)
    ppo.learn(3 * STEPS * GAMES)
    assert ppo.rollout_buffer.checked > 2 * STEPS * GAMES


def test_minibatches_are_the_valid_decisions_once_each():
    ppo = model(SeatRolloutBuffer)
    ppo.learn(STEPS * GAMES)
    buffer = ppo.rollout_buffer
    batches = list(buffer.get(100))
    assert len(buffer.values) == buffer.valid.sum() < STEPS * GAMES
    assert sum(len(b.actions) for b in batches) == buffer.valid.sum()
    assert max(len(b.actions) for b in batches) - min(len(b.actions) for b in batches) <= 1
    legal = torch.cat([b.action_masks.gather(1, b.actions) for b in batches])
    assert legal.all() and batches[0].action_masks.dtype == torch.bool
    values = torch.cat([b.old_values for b in batches])
    assert torch.equal(values.sort().values, torch.from_numpy(buffer.values).sort().values)


def test_sb3s_buffer_is_refused_where_several_seats_learn():
    with pytest.raises(HeistError, match="SeatRolloutBuffer"):
        model(None, "self:0.5,robby_junior:0.5").learn(STEPS * GAMES)
    model(None, "robby_junior").learn(STEPS * GAMES)  # one learning seat per game: the stock buffer is right


def test_masks_reach_sb3_in_one_piece():
    """The list of one 2-D array works because sb3-contrib reshapes what it stacks, for acting and for storing."""
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    env = Sb3Vector(SeatBatch("toy_game", GAMES, "robby_junior", seed=1))
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (1, GAMES, env.action_space.n) and masks.dtype == bool
    assert (masks[0] == env.batch.table.mask).all() and not np.shares_memory(masks, env.batch.table.mask)
    ppo = model(None, "robby_junior")
    ppo.learn(STEPS * GAMES)
    stored = ppo.rollout_buffer.action_masks.reshape(-1, env.action_space.n)
    actions = ppo.rollout_buffer.actions.reshape(-1).astype(int)
    assert (stored[np.arange(len(actions)), actions] == 1).all()


def test_vector_reports_episodes_and_hands_out_copies():
    env = Sb3Vector(SeatBatch("toy_game", GAMES, "robby_junior", seed=1))
    seen, told = [env.reset()], 0
    for _ in range(60):
        obs, rewards, dones, infos = env.step(env.batch.mask.argmax(1))
        assert obs.dtype == np.float32 and rewards.dtype == np.float32 and dones.dtype == bool
        assert all(not np.shares_memory(obs, before) for before in seen[-2:])
        seen.append(obs)
        for row in range(GAMES):
            assert ("episode" in infos[row]) == dones[row]
        told += dones.sum()
    assert told and not any(np.shares_memory(obs, env.batch.observation) for obs in seen)
