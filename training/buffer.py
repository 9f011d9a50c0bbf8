"""The rollout buffer for several learning seats per game: every seat's decisions form a trajectory of their own."""

import numba
import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

NONE = -1


@numba.njit(cache=True)
def link_step(step, acting, seat_rewards, done, last, rewards, following, final):
    """Enter one step: `last` (N, seats) is each seat's latest decision in this rollout.

    A reward of any seat goes to that seat's latest decision, whoever has just acted; `following` (T, N) points from a
    decision to the same seat's next one; the end of a game is `final` (T, N) for the last decision of all its seats.
    """
    for row in range(seat_rewards.shape[0]):
        seat = acting[row]
        if last[row, seat] != NONE:
            following[last[row, seat], row] = step
        last[row, seat] = step
        for other in range(seat_rewards.shape[1]):
            if last[row, other] != NONE:
                rewards[last[row, other], row] += seat_rewards[row, other]
                if done[row]:
                    final[last[row, other], row] = True
                    last[row, other] = NONE


@numba.njit(cache=True)
def seat_gae(rewards, values, following, final, last, asked, last_values, gamma, gae_lambda, valid, advantages):
    """Generalised advantage estimation along each seat's own decisions.

    At the end of the rollout the `asked` seat's decision is followed by `last_values`. Of the other seats nobody knows
    the value of the next observation yet: their last decision is not `valid` for training, it only bootstraps the one
    before it.
    """
    for row in range(rewards.shape[1]):
        for step in range(rewards.shape[0] - 1, -1, -1):
            after = following[step, row]
            valid[step, row] = True
            if final[step, row]:
                advantages[step, row] = rewards[step, row] - values[step, row]
            elif after != NONE:
                delta = rewards[step, row] + gamma * values[after, row] - values[step, row]
                advantages[step, row] = delta + gamma * gae_lambda * advantages[after, row]
            elif last[row, asked[row]] == step:
                advantages[step, row] = rewards[step, row] + gamma * last_values[row] - values[step, row]
            else:
                valid[step, row] = False
                advantages[step, row] = 0


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """For `MaskablePPO(rollout_buffer_class=SeatRolloutBuffer, rollout_buffer_kwargs={"venv": env})`, env a `Sb3Vector`."""

    def __init__(self, *args, venv, **kwargs):
        self.batch = venv.batch
        venv.credits_seats = True
        super().__init__(*args, **kwargs)

    def reset(self):
        super().reset()
        shape = self.buffer_size, self.n_envs
        self.action_masks = np.zeros((*shape, self.mask_dims), bool)
        self.following = np.full(shape, NONE, np.int64)
        self.final = np.zeros(shape, bool)
        self.valid = np.zeros(shape, bool)
        self.last = np.full((self.n_envs, self.batch.players), NONE, np.int64)

    def add(self, obs, action, reward, *args, **kwargs):
        """Store one step; the rewards come from the batch, seat by seat, not from `reward`."""
        step, batch = self.pos, self.batch
        super().add(obs, action, np.zeros_like(reward), *args, **kwargs)
        link_step(step, batch.acting, batch.seat_rewards, batch.done, self.last, self.rewards, self.following, self.final)

    def compute_returns_and_advantage(self, last_values, dones):
        """Seat-wise advantages; `last_values` (N, 1) are those of the observations after the rollout."""
        seat_gae(
            self.rewards, self.values, self.following, self.final, self.last, self.batch.seat,
            last_values.detach().cpu().numpy().flatten(), self.gamma, self.gae_lambda, self.valid, self.advantages,
        )  # fmt: skip
        self.returns = self.advantages + self.values

    def get(self, batch_size=None):
        """Minibatches of the valid decisions in random order, of about equal size."""
        assert self.full, "the rollout is not complete"
        if not self.generator_ready:
            self._prepare()
        order = torch.from_numpy(np.random.permutation(self._kept))
        for chosen in order.tensor_split(max(1, round(len(order) / (batch_size or len(order))))):
            chosen = chosen.to(self.device)
            yield MaskableRolloutBufferSamples(*(tensor[chosen] for tensor in self._tensors))

    def _prepare(self):
        """Flatten the arrays once per rollout; the order does not matter, so views do."""
        total = self.buffer_size * self.n_envs
        arrays = (
            self.observations, self.actions, self.values, self.log_probs, self.advantages, self.returns, self.action_masks,
        )  # fmt: skip
        shapes = ((total, -1), (total, -1), total, total, total, total, (total, -1))
        self._tensors = [
            torch.from_numpy(array.reshape(shape)).to(self.device) for array, shape in zip(arrays, shapes, strict=True)
        ]
        self._kept = np.flatnonzero(self.valid)
        # SB3 logs the explained variance of these two: only of decisions that count.
        self.values, self.returns = self.values[self.valid], self.returns[self.valid]
        self.generator_ready = True
