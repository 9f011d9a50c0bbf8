"""Recurrent masked PPO: each learning seat of each game remembers; updates run through time, along each seat's decisions.

MaskablePPO's own loops run as they are: the environment keeps the memories, the policy reads and writes them, the buffer
hands out pieces of trajectories packed so that the policy can run them through its GRU.
"""

from dataclasses import dataclass

import numba
import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples

from heist_envs.envs.sb3_vector import Sb3Vector
from heist_envs.policies.network import GruMemory
from training.buffer import NONE, SeatRolloutBuffer
from training.policy import FastMaskablePolicy


class RememberingVector(Sb3Vector):
    """An `Sb3Vector` that keeps what the learner's seats remember.

    memory (N, players, W) float32, of every seat, all 0 from the end of a game to the seat's first decision in the next.
    recalled (N, W) float32: the memories with which the last decisions were made.
    """

    def __init__(self, batch, width):
        super().__init__(batch)
        self.memory = np.zeros((batch.num_games, batch.players, width), np.float32)
        self.recalled = np.zeros((batch.num_games, width), np.float32)

    def reset(self):
        self.memory[:] = 0
        return super().reset()

    def step_wait(self):
        result = super().step_wait()
        self.memory[self.batch.done] = 0
        return result

    def recall(self):
        """(N, W) a copy of the asked seats' memories."""
        return self.memory[self._rows, self.batch.seat]

    def remember(self, after):
        """Keep `after` (N, W) as the memories of the asked seats, which have just decided."""
        self.recalled[:] = self.recall()
        self.memory[self._rows, self.batch.seat] = after


@dataclass(frozen=True)
class Sequences:
    """Decisions to run through time, in the order of a `PackedSequence`: the first of every sequence, the second of every
    one that has two, and so on, longer sequences before shorter ones.

    observations (rows, D); batch_sizes (longest,) int64 on the CPU: sequences that are so long; memory (sequences, W): what
    each begins with.
    """

    observations: torch.Tensor
    batch_sizes: torch.Tensor
    memory: torch.Tensor


class RecurrentMaskablePolicy(FastMaskablePolicy):
    """`FastMaskablePolicy` whose trunk also sees what a GRU remembers. `venv`: the `RememberingVector` it plays in;
    decisions are always those of the seats asked there."""

    def __init__(self, *args, venv, **kwargs):
        self.venv, self.memory_width = venv, venv.memory.shape[2]
        super().__init__(*args, **kwargs)

    @property
    def memory(self):
        """(N, players, W) float32: what every seat remembers; written in place."""
        return self.venv.memory

    def _build_mlp_extractor(self):
        """Called by SB3 before it collects the parameters."""
        super()._build_mlp_extractor()
        self.remembering = GruMemory(self.observation_space.shape[0], self.memory_width)

    def forward(self, obs, deterministic=False, action_masks=None):
        latent, after = self._step(obs)
        self.venv.remember(after.detach().cpu().numpy())
        return self._choose(latent, deterministic, action_masks)

    def predict_values(self, obs):
        """Values (N, 1) of the asked seats' observations; nobody remembers having seen them."""
        return self.value_net(self._step(obs)[0])

    def predict(self, observation, state=None, episode_start=None, deterministic=False, action_masks=None):
        """Actions and the new memory of one or N observations anywhere, as SB3's recurrent policies have it: `state` (N, W)
        is the memory before, None for none; rows with `episode_start` (N,) begin without. The games here do not change."""
        self.set_training_mode(False)
        observations, several = self.obs_to_tensor(observation)
        memory = observations.new_zeros(len(observations), self.memory_width)
        if state is not None:
            memory += torch.as_tensor(state, device=self.device)
        if episode_start is not None:
            memory[torch.as_tensor(episode_start, dtype=torch.bool, device=self.device)] = 0
        with torch.no_grad():
            seen, after = self.remembering.step(observations, memory)
            actions = self._choose(super()._latent(seen), deterministic, action_masks)[0].cpu().numpy()
        return actions if several else actions[0], after.cpu().numpy()

    def _step(self, observations):
        """(N, W) that both heads see, and the new memory, of the asked seats."""
        seen, after = self.remembering.step(observations, torch.from_numpy(self.venv.recall()).to(self.device))
        return super()._latent(seen), after

    def _latent(self, observations):
        """Of `Sequences`; rows of a plain tensor are sequences of one decision, without memory."""
        if isinstance(observations, torch.Tensor):
            memory = observations.new_zeros(len(observations), self.memory_width)
            observations = Sequences(observations, torch.tensor([len(observations)]), memory)
        parts = observations.observations, observations.batch_sizes, observations.memory
        return super()._latent(self.remembering.run(*parts))


@numba.njit(cache=True)
def cut(following, valid, length):
    """Cut the trajectories of a rollout into pieces: (pieces, length) int64 flat indices of the decisions of each in order,
    NONE after the last. `following`, `valid` (T, N) as in `seat_gae`; a trajectory ends where a game does."""
    steps, rows = following.shape
    piece, place = np.full((steps, rows), NONE), np.zeros((steps, rows), np.int64)
    pieces = 0
    for step in range(steps):
        for row in range(rows):
            if not valid[step, row]:
                continue
            if piece[step, row] == NONE:
                piece[step, row] = pieces
                pieces += 1
            after = following[step, row]
            if after != NONE and place[step, row] + 1 < length:
                piece[after, row] = piece[step, row]
                place[after, row] = place[step, row] + 1
    table = np.full((pieces, length), NONE)
    for step in range(steps):
        for row in range(rows):
            if valid[step, row]:
                table[piece[step, row], place[step, row]] = step * rows + row
    return table


class RecurrentRolloutBuffer(SeatRolloutBuffer):
    """A `SeatRolloutBuffer` whose minibatches are pieces of trajectories, at most `sequence_length` decisions of one seat
    in one game, each with the memory it began with. `venv`: a `RememberingVector`."""

    def __init__(self, *args, venv, sequence_length, **kwargs):
        self.venv, self.sequence_length = venv, sequence_length
        super().__init__(*args, venv=venv, **kwargs)

    def reset(self):
        super().reset()
        self.memories = np.zeros((self.buffer_size, *self.venv.recalled.shape), np.float32)

    def add(self, *args, **kwargs):
        """Store one step, with the memories its decisions were made with."""
        self.memories[self.pos] = self.venv.recalled
        super().add(*args, **kwargs)

    def get(self, batch_size=None):
        """Minibatches of whole pieces in random order, about `batch_size` valid decisions each; `observations` is
        `Sequences` and everything else in the same order."""
        assert self.full, "the rollout is not complete"
        if not self.generator_ready:
            self._prepare()
        order = np.random.permutation(len(self._pieces))
        ends = self._lengths[order].cumsum()
        count = max(1, round(ends[-1] / (batch_size or ends[-1])))
        for chosen in np.split(order, np.searchsorted(ends, np.arange(1, count) * ends[-1] / count)):
            if len(chosen):
                yield self._minibatch(chosen)

    def _prepare(self):
        super()._prepare()
        self._pieces = cut(self.following, self.valid, self.sequence_length)
        self._lengths = (self._pieces != NONE).sum(1)
        self._memories = torch.from_numpy(self.memories.reshape(-1, self.memories.shape[2]))

    def _minibatch(self, chosen):
        """The pieces `chosen`, packed."""
        longest_first = chosen[np.argsort(-self._lengths[chosen], kind="stable")]
        by_time = self._pieces[longest_first].T
        there = by_time != NONE
        sizes = there.sum(1)
        rows = torch.from_numpy(by_time[there]).to(self.device)
        observations, *others = (tensor[rows] for tensor in self._tensors)
        memory = self._memories[torch.from_numpy(by_time[0])].to(self.device)
        sequences = Sequences(observations, torch.from_numpy(sizes[sizes > 0]), memory)
        return MaskableRolloutBufferSamples(sequences, *others)
