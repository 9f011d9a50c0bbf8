"""The league: past selves that the learner keeps meeting, drawn by how hard they still are to beat."""

from dataclasses import dataclass

import numpy as np

from heist_envs.arena.match import duplicate_games, interval
from heist_envs.policies.agents import Agent

DECAY = 0.98  # of the counted games, at every update: the learner changes, so old games tell less
DOUBT = 8  # games a newcomer is taken to have won: it is met often until it is known
SHIFT = 4  # updates after which others of the pool become active


@dataclass
class Member:
    """A past self in the pool. `by`: what let it in, "step" or "gate". `games`, `won`: all games the learner met it in and
    the learner's wins in them (a win shared by w winners counts 1/w); `recent_*` the same, older games fading."""

    name: str
    timesteps: int
    by: str
    policy: object
    games: int = 0
    won: float = 0.0
    recent_games: float = 0.0
    recent_won: float = 0.0

    @property
    def win_share(self):
        """The learner's recent win share against this member; cautious while few games are known."""
        return self.recent_won / (self.recent_games + DOUBT)


class League:
    """The pool of a `SeatBatch`: who is in it, how the learner fares against whom, who is met how often.

    `config`: a training `Config`. A snapshot joins every `snapshot_freq` decisions, and every `gate_freq` decisions if it
    beats the pool head to head: its win share over `gate_games` duplicate games against members drawn evenly is above
    parity with 95 % confidence. When the pool is full, the member that is beaten most often leaves.

    Of the pool `active_members` play at a time, drawn anew every few updates by how hard they are to beat: fewer networks
    at once are quicker, and over time it is the same mixture.
    """

    def __init__(self, batch, config, seed):
        self.batch, self.config, self.seed = batch, config, seed
        self.members = [None] * batch.pool_size
        self.random = np.random.default_rng([seed, 5])
        self.updates = 0
        self.steps_done = self.gates_done = 0
        self.gates = []  # (timesteps, win share, low, joined) of every gate

    def count(self, versus):
        """Book `SeatBatch.statistics()["versus"]` of one update and draw members accordingly from now on."""
        for member in filter(None, self.members):
            games, won = versus[member.name]
            member.games, member.won = member.games + games, member.won + won
            member.recent_games = member.recent_games * DECAY + games
            member.recent_won = member.recent_won * DECAY + won
        self.updates += 1
        if self.updates % SHIFT == 0:
            self._choose_active()

    def shares(self):
        """The learner's recent win share against every member."""
        return [member.win_share for member in self.members if member]

    def _choose_active(self):
        """Draw who of the pool plays in the games that begin from now on."""
        weights = self.weights()
        count = min(self.config.active_members, np.count_nonzero(weights))
        active = np.zeros(len(weights))
        if count:
            active[self.random.choice(len(weights), count, replace=False, p=weights)] = 1.0
        self.batch.set_pool_weights(active)

    def weights(self):
        """(pool size,) how often each place of the pool is drawn, adding up to 1; all 0 while the pool is empty."""
        hard = [max((1 - m.win_share) ** 2, self.config.pool_floor) if m else 0.0 for m in self.members]
        return np.array(hard) / (sum(hard) or 1.0)

    def update(self, timesteps, snapshot):
        """Let a snapshot join if it is time to; `snapshot()` returns the learner as a `NetworkPolicy`."""
        if not self.members:
            return
        if self._due(timesteps, self.config.snapshot_freq, self.steps_done):
            self.steps_done = timesteps
            self.join(snapshot(), timesteps, "step")
        elif self._due(timesteps, self.config.gate_freq, self.gates_done):
            self.gates_done = timesteps
            self._try_gate(snapshot(), timesteps)

    @staticmethod
    def _due(timesteps, every, last):
        return every and timesteps - last >= every

    def _try_gate(self, policy, timesteps):
        pool = [Agent(m.name, m.policy) for m in self.members if m]
        share, low, beats = 1.0, 1.0, True
        if pool:
            share, low, parity = self._head_to_head(policy, pool, timesteps)
            beats = low > parity
        self.gates.append((timesteps, round(share, 4), round(low, 4), bool(beats)))
        if beats:
            self.join(policy, timesteps, "gate")

    def _head_to_head(self, policy, pool, timesteps):
        """(win share, its lower bound, parity) of a policy against the pool, both ways round where roles differ."""
        batch = self.batch
        agents = [Agent("snapshot", policy), *pool]
        seed = int(np.random.SeedSequence([self.seed, timesteps]).generate_state(1)[0])
        games = self.config.gate_games
        outcome, mine, deals = duplicate_games(batch.game, agents, len(pool), games, seed, **batch.table.options)
        share, low, _ = interval(outcome.win_shares(mine).reshape(deals, -1).mean(1))
        return float(share), float(low), deals / len(mine)

    def join(self, policy, timesteps, by):
        """Take a policy into the pool; when it is full, whoever is beaten most often leaves."""
        if None in self.members:
            place = self.members.index(None)
        else:
            place = max(range(len(self.members)), key=lambda k: self.members[k].win_share)
        self._seat(place, Member(f"{by}_{timesteps}", timesteps, by, policy))
        self._choose_active()

    def _seat(self, place, member):
        self.members[place] = member
        self.batch.seat_in_pool(place, member.policy, member.name)

    def table(self):
        """The win table ready for JSON: the learner against every member, hardest first, and the gates so far."""
        weights = {m.name: weight for m, weight in zip(self.members, self.weights(), strict=True) if m}
        rows = [
            {
                "member": m.name, "timesteps": m.timesteps, "joined_by": m.by, "games": m.games,
                "win_share": round(m.won / m.games, 4) if m.games else None,
                "recent_win_share": round(m.recent_won / m.recent_games, 4) if m.recent_games else None,
                "drawn": round(float(weights[m.name]), 4),
            }
            for m in sorted(filter(None, self.members), key=lambda m: m.win_share)
        ]  # fmt: skip
        names = ("timesteps", "win_share", "low", "joined")
        return {"members": rows, "gates": [dict(zip(names, gate, strict=True)) for gate in self.gates]}

    def get_state(self):
        """Everything about the pool, for an exact resume."""
        kept = {str(place): self._member_state(m) for place, m in enumerate(self.members) if m}
        told = {name: getattr(self, name) for name in ("gates", "steps_done", "gates_done", "updates")}
        return told | {"members": kept, "random": self.random.bit_generator.state, "active": self.batch.pool_weights}

    @staticmethod
    def _member_state(member):
        told = {name: value for name, value in vars(member).items() if name != "policy"}
        return told | {"weights": dict(member.policy.network.state_dict())}

    def set_state(self, state, rebuild):
        """Go back to what `get_state` told; `rebuild(weights)` makes a `NetworkPolicy` of a member's weights."""
        self.gates = [tuple(gate) for gate in state["gates"]]
        self.steps_done, self.gates_done, self.updates = state["steps_done"], state["gates_done"], state["updates"]
        self.random.bit_generator.state = state["random"]
        for place, told in state["members"].items():
            told = dict(told)
            policy = rebuild(told.pop("weights"))
            self._seat(int(place), Member(policy=policy, **told))
        self.batch.set_pool_weights(state["active"])
