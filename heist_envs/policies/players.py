"""Agents at the seats of a `Table`: scripted bots, networks and submitted programs, each where `seats` puts it."""

import numpy as np

from .scripted import ScriptedPlayers

NOBODY = -1


class Players:
    """Agents at some seats of a `Table`.

    `agents`: a list of `Agent`s; None is an empty place that `replace` may fill later. `seats` (N, players) int64, a copy of
    what is given, written in place by whoever decides who plays where: which of `agents` sits there, NOBODY = none of them.
    `seed`: a list of ints.
    """

    def __init__(self, table, agents, seats, seed):
        self.table, self.agents = table, list(agents)
        self.seats = np.array(seats, np.int64)
        self.forfeits = {}  # {game: (seat, why)}: an agent failed there, and nobody plays that game any more
        self.scripted = ScriptedPlayers(table, [_bot_name(agent) for agent in self.agents], self.seats, seed)
        self._seed, self._networks, self.external = seed, None, None
        if any(agent and agent.policy for agent in self.agents):
            self._make_networks()
        if any(agent and agent.external for agent in self.agents):
            from .external_players import ExternalPlayers  # much that is needed for nothing else

            self.external = ExternalPlayers(table, self.agents, self.seats, self.forfeit)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End all submitted programs."""
        if self.external:
            self.external.close()

    def replace(self, number, agent):
        """Put an `Agent` that is a network in the place `number`, which no scripted bot has."""
        self.agents[number] = agent
        if self._networks is None:
            self._make_networks()
        else:
            self._networks.set_agents(self.agents)

    def _make_networks(self):
        from .network_players import NetworkPlayers  # needs torch

        self._networks = NetworkPlayers(self.table, self.agents, self.seats, [*self._seed, 1])

    def forfeit(self, game, seat, why):
        """The agent at `seat` failed in a game, which ends its part in it: a crash, a time-out, an illegal action."""
        self.forfeits[game] = seat, why
        self.seats[game] = NOBODY

    def begin(self, which):
        """Forget everything in the games in `which` (N,) bool: a new game begins there."""
        self.scripted.begin(which)
        if self._networks:
            self._networks.begin(which)
        if self.external:
            self.external.begin(which)

    def choose(self, actions):
        """Write the action of every game whose asked seat one of the agents plays into `actions` (N,) int64."""
        self.scripted.choose(actions)
        if self._networks:
            self._networks.choose(actions)
        if self.external:
            self.external.choose(actions)
        return actions

    def get_state(self):
        """Everything that decides what the agents do next, except who they are and the table: for an exact resume."""
        networks = self._networks.get_state() if self._networks else {}
        return {"seats": self.seats, "scripted": self.scripted.get_state(), "networks": networks}

    def set_state(self, state):
        """Go back to what `get_state` told; the agents must have been put in their places before."""
        self.seats[:] = state["seats"]
        self.scripted.set_state(state["scripted"])
        if self._networks:
            self._networks.set_state(state["networks"])


def _bot_name(agent):
    return agent.name if agent is not None and agent.policy is None and agent.external is None else None
