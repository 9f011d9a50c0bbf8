"""One game as a PettingZoo parallel environment: all seats that owe a decision choose in one step, the others wait."""

from operator import index

import numpy as np
from pettingzoo import ParallelEnv

from ..engine.actions import WAIT
from ..engine.errors import HeistError, IllegalAction, unknown
from .single import SingleGame


class HeistParallel(SingleGame, ParallelEnv):
    """Every agent is in `agents` until the end. One that owes nothing has the one legal action 0, `wait`, and may be
    left out of the actions."""

    def reset(self, seed=None, options=None):
        """Deal a game from `seed` (0 to 2**64 - 1), or the one after the last. Returns (observations, infos) by agent."""
        self._begin(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions):
        """Play the action ids of all agents. Returns observations, rewards, terminations, truncations, infos by agent."""
        self._need_agents()
        for agent in actions:
            if agent not in self._seat_of:
                raise unknown("agent", agent, self.possible_agents)
        over, (rewards, infos) = self._play(actions), self._between()
        if over:
            rewards, infos = self._end_of(*over)
        truncated = bool(over) and over[0] is None and bool(self.table.truncated[0])
        result = (
            self._observations(),
            rewards,
            dict.fromkeys(self.possible_agents, bool(over) and not truncated),
            dict.fromkeys(self.possible_agents, truncated),
            infos,
        )
        if over:
            self.agents = []
        self._show_human()
        return result

    def _between(self):
        return dict.fromkeys(self.possible_agents, 0.0), {agent: {} for agent in self.possible_agents}

    def _play(self, actions):
        """Let every owing seat decide. Returns None, or (offender, sentence) at the end, (None, None) without offence."""
        table, owes = self.table, self.table.states["to_act"][0]
        owing = [seat for seat in range(table.players) if owes[seat]]
        chosen = {seat: actions.get(agent) for agent, seat in self._seat_of.items()}
        for seat, action in chosen.items():
            if action is None and seat not in owing:
                action = WAIT
            if action is None:
                raise HeistError(f"{self.possible_agents[seat]} owes a decision and is missing in the actions.")
            sentence = self._objection(seat, action, seat in owing)
            if sentence and self.illegal == "raise":
                raise IllegalAction(sentence)
            if sentence:
                return self.possible_agents[seat], sentence
        for _ in owing:  # asked one after another; what one chooses changes nothing for the others
            table.play(np.array([index(chosen[table.seat[0]])]))
        return (None, None) if table.over[0] else None

    def _objection(self, seat, action, owes):
        """The sentence against an illegal action of a seat, or None."""
        try:
            number = index(action)
        except TypeError:
            return self.table.refusal(action, seat=seat)
        if not owes:
            legal = number == WAIT
        else:
            mask = self.table.show(seat)[1][0]
            legal = 0 <= number < len(mask) and mask[number]
        return None if legal else self.table.refusal(action, seat=seat)

    def _observations(self):
        return {agent: self._observe(agent) for agent in self.possible_agents}
