"""Networks at the seats of a `Table`; those of one shape run together."""

import numpy as np
import torch

from .network import masked_log_policy, roles_of, sample


class NetworkPlayers:
    """The networks among `agents` (a list of `Agent`s or None) at the `seats` (N, players) of a `Table`; `seed`: ints."""

    def __init__(self, table, agents, seats, seed):
        self.table, self.seats = table, seats
        self._rows = np.arange(table.games)
        self.generator = torch.Generator().manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
        self.memory = np.zeros((table.games, table.players, 0), np.float32)
        self.set_agents(agents)

    def set_agents(self, agents):
        """Play for these from now on; networks that remember go on remembering."""
        self._groups = groups(agents)
        width = max((group.memory_width for group in self._groups), default=0)
        if width > self.memory.shape[2]:
            more = np.zeros((*self.memory.shape[:2], width - self.memory.shape[2]), np.float32)
            self.memory = np.concatenate([self.memory, more], 2)

    def begin(self, which):
        """Forget everything in the games in `which` (N,) bool."""
        self.memory[which] = 0

    def choose(self, actions):
        """Write the actions of the games whose asked seat one of the networks plays into `actions` (N,) int64."""
        seat = self.table.seat
        asked = self.seats[self._rows, seat]
        for group in self._groups:
            place = group.places[asked]
            rows = np.flatnonzero(place >= 0)
            if not len(rows):
                continue
            memory = self.memory[rows, seat[rows], : group.memory_width]
            observation, mask = torch.from_numpy(self.table.observation[rows]), self.table.mask[rows]
            actions[rows] = group.choose(observation, mask, torch.from_numpy(place[rows]), memory, self.generator)
            self.memory[rows, seat[rows], : group.memory_width] = memory

    def get_state(self):
        """Memories and random stream."""
        return {"memory": self.memory, "generator": self.generator.get_state().numpy()}

    def set_state(self, state):
        """Go back to what `get_state` told."""
        self.memory = np.array(state["memory"], np.float32)
        self.generator.set_state(torch.from_numpy(np.array(state["generator"])))


def groups(agents):
    """The networks among `agents` in groups that can run together: MLPs of one shape, every other network on its own."""
    shapes = {}
    for number, agent in enumerate(agents):
        if agent is not None and agent.policy is not None:
            policy = agent.policy
            shape = number if policy.memory_width else (policy.layers, policy.activation)
            shapes.setdefault(shape, []).append(number)
    return [
        (Recurrent if agents[numbers[0]].policy.memory_width else Stack)([agents[n] for n in numbers], numbers, len(agents))
        for numbers in shapes.values()
    ]


class Group:
    """Networks that run together. `places` (agents + 1,) int64: which of them an agent is, -1 = none; the last entry, also
    reached by the index -1, is for seats of nobody."""

    def __init__(self, agents, numbers, count):
        self.places = np.full(count + 1, -1, np.int64)
        self.places[numbers] = np.arange(len(numbers))
        self.deterministic = torch.tensor([agent.deterministic for agent in agents])
        self.memory_width = agents[0].policy.memory_width

    @torch.inference_mode()
    def choose(self, observation, mask, place, memory, generator):
        """Actions (n,) int64 for observations (n, D) and masks (n, A) of the networks `place` (n,); `memory` (n, width)
        float32 is read and written."""
        log_policy = masked_log_policy(self.logits(observation, place, memory), mask)
        likeliest = self.deterministic[place]
        if likeliest.all():
            return log_policy.argmax(-1).numpy()
        drawn = sample(log_policy, generator)
        return torch.where(likeliest, log_policy.argmax(-1), drawn).numpy() if likeliest.any() else drawn.numpy()


class Recurrent(Group):
    """A single network with memory."""

    def __init__(self, agents, numbers, count):
        super().__init__(agents, numbers, count)
        self.network = agents[0].policy.network

    def logits(self, observation, place, memory):
        logits, _, after = self.network.step(observation, torch.from_numpy(memory))
        memory[:] = after.numpy()
        return logits


class Stack(Group):
    """MLPs of one shape. Every role of every network is one slice: its own trunk and its block of the heads. The rows are
    sorted by slice, so that each layer is one product per slice, without copies. Measured: as quick as a padded batch
    product when the slices have about as many rows each, and quicker when they do not."""

    def __init__(self, agents, numbers, count):
        super().__init__(agents, numbers, count)
        self.roles = roles_of(agents[0].policy.game)
        self.activation = torch.relu_ if agents[0].policy.activation == "relu" else torch.tanh_
        slices = [one for agent in agents for one in agent.policy.network.slices()]
        # For each slice [(weights (in, out), biases (out,)) of each layer]
        self.slices = [[(weights.T.contiguous(), biases) for weights, biases in layers] for layers in slices]

    def logits(self, observation, place, memory):
        if self.roles:
            first, count = self.roles
            place = place * count + observation[:, first : first + count].argmax(1)
        order = torch.argsort(place, stable=True)
        counts = torch.bincount(place, minlength=len(self.slices)).tolist()
        parts = observation[order].split(counts)
        found = [self._through(rows, layers) for rows, layers, n in zip(parts, self.slices, counts, strict=True) if n]
        sorted_logits = torch.cat(found)
        return torch.empty_like(sorted_logits).index_copy_(0, order, sorted_logits)

    def _through(self, rows, layers):
        """Observations (n, D) through one slice -> logits (n, A)."""
        *hidden, (weights, biases) = layers
        for inner, offset in hidden:
            rows = self.activation(torch.addmm(offset, rows, inner))
        return torch.addmm(biases, rows, weights)
