"""One training run: MaskablePPO on a `SeatBatch`, watched, saved, ended in time and evaluated."""

import math
import time
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import LinearSchedule

from heist_envs.arena.match import as_json
from heist_envs.engine.errors import HeistError
from heist_envs.envs.mix import POOL
from heist_envs.envs.sb3_vector import Sb3Vector
from heist_envs.envs.seat_batch import SeatBatch
from heist_envs.policies.network import roles_of, save_policy
from training import checkpoint, torch_threads
from training.buffer import SeatRolloutBuffer
from training.evaluate import evaluate
from training.league import League
from training.outputs import outputs
from training.policy import FastMaskablePolicy, export, policy_options
from training.recurrent import RecurrentMaskablePolicy, RecurrentRolloutBuffer, RememberingVector
from training.run_folder import versions, write_json

AUTO_EVERY = 50  # updates between two choices of the number of threads
SLOWED, AUTO_PAUSE = 1.5, 5  # chosen earlier when updates take this much longer, but not within so many updates
WINDOW = 20  # updates over which the shown win shares are taken


@dataclass(frozen=True)
class Cadence:
    """What happens how often during training; 0 = never."""

    save_freq: int = 0
    eval_freq: int = 0
    eval_episodes: int = 400


def choose_device(name):
    """The torch device for auto, cpu or cuda."""
    if name == "cuda" and not torch.cuda.is_available():
        raise HeistError("device cuda is not available here; use --device cpu or auto.")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


def build(game, config, seed, device="cpu"):
    """The `MaskablePPO` model of a configuration, with its environment, ready to learn."""
    if config.torch_threads != "auto":
        torch.set_num_threads(config.torch_threads)
    batch = SeatBatch(game, config.n_envs, config.opponents, seed, config.pool_size, **config.env_kwargs)
    return MaskablePPO(
        **_parts(batch, config),
        learning_rate=_schedule(config.learning_rate),
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=_schedule(config.clip_range),
        ent_coef=config.ent_coef,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        target_kl=None if config.target_kl == "none" else config.target_kl,
        seed=seed,
        device=device,
    )


def _parts(batch, config):
    """Policy, environment and buffer for one kind of network, as arguments of `MaskablePPO`."""
    memory_width = config.memory_width if config.policy == "gru" else 0
    options = policy_options(config.layers, config.activation, roles_of(batch.game), memory_width)
    if memory_width:
        env, policy, buffer = RememberingVector(batch, memory_width), RecurrentMaskablePolicy, RecurrentRolloutBuffer
        options, cutting = options | {"venv": env}, {"sequence_length": config.sequence_length}
    else:
        env, policy, buffer, cutting = Sb3Vector(batch), FastMaskablePolicy, SeatRolloutBuffer, {}
    buffer_parts = {"rollout_buffer_class": buffer, "rollout_buffer_kwargs": {"venv": env} | cutting}
    return {"policy": policy, "env": env, "policy_kwargs": options, **buffer_parts}


def _schedule(value):
    if isinstance(value, str):
        return LinearSchedule(float(value.removeprefix("lin_")), 0.0, 1.0)
    return value


class Watch(BaseCallback):
    """Everything around the updates: threads, time shares, statistics, saving, evaluation on the way, ending.

    `keep` is called between two updates, before anything else is done there; `save` writes what was kept last.
    """

    def __init__(self, config, report, save, cadence, stopped, league, keep=lambda: None):
        super().__init__()
        self.config, self.report, self.save, self.cadence, self.stopped = config, report, save, cadence, stopped
        self.league, self.keep = league, keep
        self.elapsed = 0.0
        self.own_reward = False  # the reward to begin with is over
        self.seconds = {"env": 0.0, "policy": 0.0, "update": 0.0}
        self.window = deque(maxlen=WINDOW)
        self.updates, self.ended = 0, "n_timesteps"
        self.threads_chosen_at, self.fastest_update, self.last_update = -AUTO_EVERY, math.inf, 0.0
        self.saved_at = self.evaluated_at = 0

    def _on_training_start(self):
        self.mark = time.perf_counter()
        self.start = self.mark - self.elapsed
        self.updates_before = self.updates
        # SB3 logs the time and the speed since these; a run that goes on counts from its beginning.
        self.model.start_time, self.model._num_timesteps_at_start = time.time_ns() - int(self.elapsed * 1e9), 0
        self.batch = self.training_env.batch

    def _on_rollout_start(self):
        now = time.perf_counter()
        self.elapsed = now - self.start
        if self.updates > self.updates_before:
            self._add_update(now - self.mark)
        self._keep_and_save()
        if self.updates and not self.stopped():
            self._act_on_schedule()
        if self.config.torch_threads == "auto" and self._threads_are_due():
            torch.set_num_threads(torch_threads.fastest(self.model.policy, self.config.batch_size))
            self.threads_chosen_at, self.fastest_update = self.updates, math.inf
        self._choose_reward()
        self.mark, self.env_mark = time.perf_counter(), self.training_env.seconds

    def _choose_reward(self):
        """Begin with the reward that is easier to learn from, go over to the game's own when it is time."""
        start, share = self.config.start_reward, self.config.start_share
        if start != "none":
            self.own_reward = self.own_reward or self._elapsed_share() >= share
            self.batch.use_reward(self.batch.table.options["reward"] if self.own_reward else start)

    def _elapsed_share(self):
        """How much of the training is over, by decisions or by time, whichever is farther."""
        limit = self.config.max_minutes * 60
        by_time = (time.perf_counter() - self.start) / limit if limit else 0.0
        return max(self.num_timesteps / self.config.n_timesteps, by_time)

    def _add_update(self, seconds):
        self.seconds["update"] += seconds
        self.last_update, self.fastest_update = seconds, min(seconds, self.fastest_update)

    def _threads_are_due(self):
        """Whether other work on the machine may have changed which number of threads is the fastest."""
        passed = self.updates - self.threads_chosen_at
        return passed >= AUTO_EVERY or (passed >= AUTO_PAUSE and self.last_update > SLOWED * self.fastest_update)

    def _keep_and_save(self):
        """Keep the state before anything is done between two updates: a run that goes on from there does it, too."""
        due = self.cadence.save_freq and self.num_timesteps - self.saved_at >= self.cadence.save_freq
        if due:
            self.saved_at = self.num_timesteps
        self.keep()
        if due:
            self.save()

    def _act_on_schedule(self):
        """Let a snapshot join the league and evaluate, when it is time to."""
        done = self.num_timesteps
        self.league.update(done, self._snapshot)
        if self.cadence.eval_freq and done - self.evaluated_at >= self.cadence.eval_freq:
            self.evaluated_at = done
            games, plays = self.cadence.eval_episodes, ("sampled",)
            for result in evaluate(self._snapshot(), games=games, plays=plays, stopped=self.stopped):
                who = f"{result.opponent}/{result.role}" if result.role else result.opponent
                self.logger.record(f"eval/win_share_vs/{who}", result.win_share)

    def _snapshot(self):
        return export(self.model.policy, self.batch.game, self.batch.table.options, {})

    def _on_step(self):
        limit = self.config.max_minutes * 60
        if self.stopped():
            self.ended = "stopped"
        # Looked at only before an update's first decision: a rollout begun is a rollout used.
        elif limit and self.mark - self.start >= limit:
            self.ended = "max_minutes"
        return self.ended == "n_timesteps"

    def _on_rollout_end(self):
        now = time.perf_counter()
        env = self.training_env.seconds - self.env_mark
        self.seconds["env"] += env
        self.seconds["policy"] += now - self.mark - env
        self.mark = now
        self.updates += 1
        self._log()

    def _log(self):
        self.window.append(self.batch.statistics())
        self.batch.clear_statistics()
        self.league.count(self.window[-1]["versus"])
        shares = self.win_shares()
        for name, share in shares.items():
            self.logger.record(f"selfplay/winrate_vs/{name}", share)
        if self.league.members:
            self.logger.record("league/members", len(self.league.shares()))
            self.logger.record("league/least_win_share", min(self.league.shares(), default=None))
        for name, share in self.time_shares().items():
            self.logger.record(f"time/share_{name}", share)
        self.logger.record("rollout/games", self.window[-1]["games"])
        self.logger.record("rollout/game_len_mean", self.window[-1]["length"])
        self.logger.record("time/torch_threads", torch.get_num_threads())
        self.report.update(self.num_timesteps, shares)
        self.model.dump_logs(self.updates)

    def _on_training_end(self):
        if self.ended == "n_timesteps":  # the last update was not followed by a rollout
            self._add_update(time.perf_counter() - self.mark)
        self.elapsed = time.perf_counter() - self.start

    def win_shares(self):
        """{opponent: win share of the learner in the last games with it}, only of those met; the pool counts as one."""
        counts = Counter(), Counter()
        for counted in self.window:
            for name, (met, won) in counted["versus"].items():
                shown = name if name in self.league.batch.mix else POOL
                counts[0][shown] += met
                counts[1][shown] += won
        return {name: counts[1][name] / met for name, met in counts[0].items() if met}

    def time_shares(self):
        """Shares of the time so far: environments, policy (with storing the rollout), update."""
        total = sum(self.seconds.values()) or 1.0
        return {name: seconds / total for name, seconds in self.seconds.items()}

    def get_state(self):
        """How far training is, for an exact resume."""
        return {name: getattr(self, name) for name in self._KEPT} | {"window": list(self.window)}

    def clock(self):
        """The time used so far, ready for JSON."""
        return {"elapsed": self.elapsed, "seconds": dict(self.seconds)}

    def set_state(self, state, clock):
        """Go back to what `get_state` and `clock` told, before training begins."""
        for name in self._KEPT:
            setattr(self, name, state[name])
        self.window.extend(state["window"])
        self.elapsed, self.seconds = clock["elapsed"], clock["seconds"]

    _KEPT = ("updates", "saved_at", "evaluated_at", "own_reward")


class Run:
    """A model, where it is kept, and how it came to be. Made anew, or brought to where it was by `checkpoint.restore`."""

    def __init__(self, game, config, seed, model, folder, cadence=Cadence(), stopped=lambda: False):  # noqa: B008 - frozen
        self.game, self.config, self.seed, self.model, self.folder = game, config, seed, model, Path(folder)
        self.batch = model.get_env().batch
        self.league = League(self.batch, config, seed)
        self.watch = Watch(config, None, self.save, cadence, stopped, self.league, self.keep)
        self.versions = versions(config.torch_threads)
        self.identity = checkpoint.identity(self)
        model.set_logger(Logger(str(folder), []))

    def policy(self):
        """The policy as it is now."""
        trained = {"algorithm": "MaskablePPO", "timesteps": self.model.num_timesteps, "seed": self.seed}
        trained["opponents"] = self.config.opponents
        return export(self.model.policy, self.batch.game, self.batch.table.options, trained)

    def keep(self):
        """Remember the state between two updates, for `save`."""
        self.kept = checkpoint.capture(self)

    def save(self):
        """Write the checkpoint, the policy and the league's win table into the run folder."""
        checkpoint.write(self.folder / checkpoint.FILE, self.kept, self.watch.clock())
        save_policy(self.folder, self.policy())
        if self.batch.pool_size:
            write_json(self.folder / "league.json", self.league.table())

    def ended_by(self):
        """What has ended the training, None while there is some left."""
        if self.model.num_timesteps >= self.config.n_timesteps:
            return "n_timesteps"
        limit = self.config.max_minutes * 60
        return "max_minutes" if limit and self.watch.elapsed >= limit else None

    def train(self, report, tensorboard=None):
        """Learn what is left to learn, save, and return what there is to say about it, ready for results.json."""
        try:
            self._learn(report, tensorboard)
            self.save()
        except OSError as error:
            raise HeistError(
                f"cannot write in {self.folder}: {error.strerror or error}; when that is mended, go on from the last "
                f"checkpoint with --resume {self.folder}."
            ) from None
        return self._summary()

    def _learn(self, report, tensorboard):
        model, watch, ended = self.model, self.watch, self.ended_by()
        watch.report, watch.ended = report, ended or "n_timesteps"
        begun, left = model._last_obs is not None, self.config.n_timesteps - model.num_timesteps
        try:
            if not ended:
                model.logger.output_formats.extend(outputs(self.folder, tensorboard, model.num_timesteps))
                # No log interval: SB3 would count the rows from here, the watch counts and logs them.
                model.learn(left, watch, log_interval=None, reset_num_timesteps=not begun)
        finally:
            report.close()
            model.logger.close()
        if ended or watch.ended == "n_timesteps":  # otherwise this is the middle of a rollout
            self.keep()

    def _summary(self):
        watch = self.watch
        decisions = watch.updates * self.config.n_envs * self.config.n_steps  # not those of a rollout cut short
        return {
            "game": self.game,
            "options": self.batch.table.options,
            "seed": self.seed,
            "timesteps": decisions,
            "ended_by": watch.ended,
            "updates": watch.updates,
            "train_seconds": round(watch.elapsed, 1),
            "decisions_per_second": round(decisions / watch.elapsed, 1),
            "time_shares": {name: round(share, 3) for name, share in watch.time_shares().items()},
            "torch_threads": torch.get_num_threads(),
            "league": self.league.table(),
            "win_shares_in_training": {name: round(share, 3) for name, share in watch.win_shares().items()},
        }

    def write_results(self, summary, results):
        """results.json: the summary of training and the evaluation."""
        write_json(self.folder / "results.json", {**summary, "evaluation": as_json(results)})
