"""One game as a PettingZoo AEC environment. PettingZoo's guards (order, bounds, illegal actions) are built in: three
stacked wrappers would cost more than the game."""

from operator import index

import numpy as np
from pettingzoo import AECEnv

from ..engine.errors import HeistError, IllegalAction
from .single import SingleGame


class HeistAEC(SingleGame, AECEnv):
    """Agents act one at a time; seats that owe a decision at the same time are asked one after another, and nothing of
    an earlier choice shows before all have chosen. All agents stay until the end and end with the same flag."""

    def __init__(self, game, render_mode=None, illegal="terminate", **options):
        super().__init__(game, render_mode, illegal, **options)
        self._action = np.zeros(1, np.int64)

    def reset(self, seed=None, options=None):
        """Deal a game from `seed` (0 to 2**64 - 1), or the one after the last; `options` is accepted and not used."""
        self._begin(seed)
        agents = self.possible_agents
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos = {agent: {} for agent in agents}
        self._over = False
        self.agent_selection = agents[self.table.seat[0]]

    def observe(self, agent):
        """What any seat sees now: fresh arrays `observation` (D,) float32 and `action_mask` (A,) int8. A seat that owes
        nothing has the one legal action 0, `wait`."""
        return self._observe(agent)

    def last(self, observe=True):
        """(observation, cumulative reward, terminated, truncated, info) of the agent whose turn it is."""
        if not self.agents:
            self._need_agents()
        agent = self.agent_selection
        return (
            self._observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action):
        """Play an action id for `agent_selection`; None once that agent has ended."""
        if not self.agents:
            self._need_agents()
        if self._over:
            self._leave(action)
            return
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        try:
            self._action[0] = index(action)
            self.table.play(self._action)
        except (TypeError, OverflowError, IllegalAction):
            self._refuse(agent, action)
            return
        table = self.table
        if table.terminated[0] or table.truncated[0]:
            self._finish(None, None)
        self.agent_selection = self.possible_agents[table.seat[0]]
        self._show_human()

    def _refuse(self, agent, action):
        sentence = self.table.refusal(action)
        if self.illegal == "raise":
            raise IllegalAction(sentence) from None
        self._finish(agent, sentence)

    def _finish(self, offender, sentence):
        self.rewards, self.infos = self._end_of(offender, sentence)
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += reward
        truncated = offender is None and bool(self.table.truncated[0])
        self.terminations = dict.fromkeys(self.possible_agents, not truncated)
        self.truncations = dict.fromkeys(self.possible_agents, truncated)
        self._over = True

    def _leave(self, action):
        if action is not None:
            raise HeistError(f"the game is over for {self.agent_selection}: step(None) lets it leave, or call reset().")
        self._was_dead_step(None)
