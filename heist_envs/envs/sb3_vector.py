"""A `SeatBatch` as a Stable-Baselines3 `VecEnv`, for sb3-contrib's MaskablePPO."""

from time import perf_counter

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from ..engine.errors import HeistError


class Sb3Vector(VecEnv):
    """Row = game. Observations (N, D) float32, actions (N,), rewards (N,) float32 of the seat that acted.

    Several seats of a game may learn at once; then consecutive rows of a rollout belong to different seats and only a
    buffer that reads `batch.acting` and `batch.seat_rewards` credits them rightly. Such a buffer sets `credits_seats`;
    without it a step raises `HeistError`. `seconds` adds up the time spent in `step`.
    """

    def __init__(self, batch):
        self.batch = batch
        self.credits_seats = False
        self.seconds = 0.0
        game = batch.game
        observation_space = spaces.Box(game.observation.low, game.observation.high, dtype=np.float32)
        super().__init__(batch.num_games, observation_space, spaces.Discrete(len(game.actions)))
        self._rows = np.arange(batch.num_games)
        # One shared dict for all rows: building N of them at every step costs more than playing the games.
        self._nothing = {}
        self._infos = [self._nothing] * batch.num_games
        self._reported = ()

    def reset(self):
        """Begin all games anew, from the seed given to `seed()` if there was one."""
        self.batch.reset(self._seeds[0])
        self._reset_seeds()
        return self.batch.observation.copy()

    def step_async(self, actions):
        self._actions = actions

    def step_wait(self):
        batch = self.batch
        if batch.self_share and not self.credits_seats:
            raise HeistError(
                "several seats of a game learn here, so SB3's own rollout buffer would credit rewards to the wrong seat; "
                "pass rollout_buffer_class=SeatRolloutBuffer with rollout_buffer_kwargs={'venv': env}, or no latest."
            )
        start = perf_counter()
        batch.step(self._actions)
        self._report_episodes()
        rewards = batch.seat_rewards[self._rows, batch.acting].astype(np.float32)
        # SB3 keeps what a step returns and stores it after the next one: never hand out the batch's own arrays.
        result = batch.observation.copy(), rewards, batch.done.copy(), self._infos
        self.seconds += perf_counter() - start
        return result

    def _report_episodes(self):
        """Put "episode" entries where a game ended: with opponents in the mix, only games with opponents, because the mean
        return of a learner that plays all seats says nothing."""
        batch = self.batch
        for row in self._reported:
            self._infos[row] = self._nothing
        told = batch.done & batch.episode_versus if batch.has_opponents else batch.done
        self._reported = np.flatnonzero(told).tolist()
        for row in self._reported:
            episode = {"r": float(batch.episode_return[row]), "l": int(batch.episode_length[row])}
            self._infos[row] = {"episode": episode}

    def env_method(self, method_name, *method_args, indices=None, **method_kwargs):
        """`action_masks` as a list of one (N, A) bool array: sb3-contrib stacks and reshapes it in a single copy, where
        N separate rows would cost a Python loop per step."""
        if method_name != "action_masks":
            raise AttributeError(f"the games have no method {method_name!r}; there is action_masks.")
        masks = self.batch.mask
        return [masks if indices is None else masks[indices]]

    def has_attr(self, attr_name):
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name, indices=None):
        if attr_name != "render_mode":
            raise AttributeError(f"the games have no attribute {attr_name!r}; there is render_mode.")
        return [None] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name, value, indices=None):
        raise AttributeError(f"attribute {attr_name!r} of the games cannot be set; make another batch.")

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * len(list(self._get_indices(indices)))

    def close(self):
        """Nothing to release."""
