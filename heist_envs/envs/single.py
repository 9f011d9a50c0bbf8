"""What all forms of a single game share, keywords and rendering; and what only PettingZoo's two do: spaces, seeds, ends."""

import logging

import gymnasium
import numpy as np
from gymnasium import spaces

from ..engine.errors import HeistError, unknown
from ..engine.table import Table, check_seed

ILLEGAL = ("terminate", "raise")
RENDER_MODES = ("ansi", "human")
ILLEGAL_REWARD = -1.0

log = logging.getLogger("heist_envs")


class UnknownRenderMode(HeistError, TypeError):
    """A TypeError too: SB3's `make_vec_env` asks every environment for "rgb_array" and does without where it gets one."""


def check_modes(render_mode, illegal):
    """Raise a `HeistError` for values of the keywords `render_mode` and `illegal` that there are not."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise UnknownRenderMode(*unknown("render_mode", render_mode, (None, *RENDER_MODES)).args)
    if illegal not in ILLEGAL:
        raise unknown("value of the option illegal,", illegal, ILLEGAL)


def need_start(started, what):
    """Raise a `HeistError` unless a game has been dealt."""
    if not started:
        raise HeistError(f"call reset() before {what}(): no game has been dealt yet.")


class Rendered:
    """`render` for whoever has a `render_mode` and a `_picture()`."""

    def render(self):
        """The whole table as text, hidden cards included, and what has just happened: returned with
        `render_mode="ansi"`, printed with "human" (then also after every reset and step)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='ansi' or 'human', given when the environment is made.")
            return None
        text = self._picture()
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def _show_human(self):
        if self.render_mode == "human":
            self.render()


class SingleGame(Rendered):
    """A `Table` of one game with agent names. `HeistAEC` and `HeistParallel` add PettingZoo's calls."""

    def __init__(self, game, render_mode=None, illegal="terminate", **options):
        check_modes(render_mode, illegal)
        self.table = Table(game, recording=render_mode is not None, **options)
        self.render_mode, self.illegal = render_mode, illegal
        game = self.table.game
        self.possible_agents = list(game.agents(self.table.players))
        self.agents = []
        self.metadata = {"name": game.about.module_name, "render_modes": list(RENDER_MODES), "render_fps": 1}
        self.metadata["is_parallelizable"] = True
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._started = False
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(game.observation.low, game.observation.high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (len(game.actions),), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {agent: spaces.Discrete(len(game.actions)) for agent in self.possible_agents}

    def observation_space(self, agent):
        """Dict of `observation` (D,) float32 and `action_mask` (A,) int8; the same object at every call."""
        return self._observation_spaces[agent]

    def action_space(self, agent):
        """Discrete(A), the same for every player count; `table.game.actions` has the texts."""
        return self._action_spaces[agent]

    def _begin(self, seed):
        """Deal a game; without a seed the one that follows the last."""
        self.table.reset(None if seed is None else check_seed(seed))
        self.agents = self.possible_agents[:]
        self._started = True
        self._show_human()

    def _observe(self, agent):
        seat = self._seat_of.get(agent)
        if seat is None:
            raise unknown("agent", agent, self.possible_agents)
        need_start(self._started, "observe")
        table = self.table
        if seat == table.seat[0]:
            return {"observation": table.observation[0].copy(), "action_mask": table.mask[0].copy()}
        observation, mask = table.show(seat)
        return {"observation": observation[0], "action_mask": mask[0]}

    def _need_agents(self):
        need_start(self._started, "step")
        if not self.agents:
            raise HeistError("the game is over and no agent is left to act; call reset() to deal another.")

    def _end_of(self, offender, sentence):
        """Rewards and infos by agent at the end of an episode, illegal actions included."""
        state = self.table.states[0]
        infos = {agent: {"score": int(state.score[seat])} for agent, seat in self._seat_of.items()}
        if offender is None:
            return dict(zip(self.possible_agents, self.table.rewards[0].tolist(), strict=True)), infos
        log.warning("%s The episode ends.", sentence)
        infos[offender]["illegal"] = sentence
        return {agent: ILLEGAL_REWARD if agent == offender else 0.0 for agent in self.possible_agents}, infos

    def _picture(self):
        need_start(self._started, "render")
        return self.table.game.draw(self.table.states[0], None, self.table.events())

    def close(self):
        """Nothing to release."""

    def __str__(self):
        return self.metadata["name"]

    __repr__ = __str__
