"""A process that trains the toy game again and again, each time in a child that something happens to.

`python -m tests.training.interrupted`, with a JSON list of [way, at, arguments of training/train.py] on standard input,
prints the exit status of every child (negative: the signal that killed it). Children are forked one after the other, so
that nothing has to be imported and loaded for each of them.
"""

import contextlib
import json
import os
import signal
import sys
import traceback
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from heist_envs.envs.seat_batch import SeatBatch
from tests import support  # noqa: F401 - registers the toy game
from training import checkpoint, train, trainer


def die(*_):
    """Nothing of this process happens after this."""
    os.kill(os.getpid(), signal.SIGKILL)


def stop(*_):
    """What a scheduler sends."""
    os.kill(os.getpid(), signal.SIGTERM)


def cut_off(file):
    """Half of a file has reached the disk when the process dies."""
    os.ftruncate(file, os.fstat(file).st_size // 2)
    die()


class At:
    """Does something before or after the `at`-th call of a function with which `concerns(*arguments)`."""

    def __init__(self, at, owner, name, before=None, after=None, concerns=lambda *_: True):
        self.left, self.before, self.after, self.concerns = at, before, after, concerns
        self.function = getattr(owner, name)
        setattr(owner, name, lambda *arguments, **named: self(*arguments, **named))  # a function, so that it binds

    def __call__(self, *arguments, **named):
        self.left -= self.concerns(*arguments)
        now = self.left == 0 and self.concerns(*arguments)
        if now and self.before:
            self.before(*arguments)
        result = self.function(*arguments, **named)
        if now and self.after:
            self.after(*arguments)
        return result


def at_any_call(at):
    """Dies at a call of any function or its end, all over the program, counted from when training begins."""
    left = [at]

    def count(*_):
        left[0] -= 1
        if left[0] == 0:
            die()

    At(1, trainer.Run, "train", before=lambda *_: sys.setprofile(count))


def is_new(name):
    """Whether a file of that name is about to appear."""
    return lambda _, path: Path(path).name == name


def is_part(file):
    """Whether this is a checkpoint that is being written."""
    return Path(f"/proc/self/fd/{file}").readlink().name.startswith(checkpoint.FILE)


WAYS = {
    "nothing": lambda at: None,
    "any call": at_any_call,
    "half a checkpoint": lambda at: At(at, os, "fsync", before=cut_off, concerns=is_part),
    "checkpoint without its name": lambda at: At(at, os, "replace", before=die, concerns=is_new(checkpoint.FILE)),
    "checkpoint before policy": lambda at: At(at, os, "replace", after=die, concerns=is_new(checkpoint.FILE)),
    "weights without card": lambda at: At(at, os, "replace", after=die, concerns=is_new("policy.safetensors")),
    "results without evaluation": lambda at: At(at, os, "replace", after=die, concerns=is_new("results.json")),
    "stop in a rollout": lambda at: At(at, trainer.Watch, "_on_step", before=stop),
    "stop in an update": lambda at: At(at, MaskablePPO, "train", before=stop),
    "stop in an evaluation": lambda at: At(at, trainer, "evaluate", before=stop),
}


def other_dice(_):
    """A state of numpy's random streams, not the one it takes the place of."""
    return np.random.default_rng(2).bit_generator.state


def no_weights(weights):
    return {name: array * 0 for name, array in weights.items()}


def spoiled(*path, change):
    """A way that changes one part of what is read from a checkpoint."""

    def spoil(_):
        read = checkpoint.read

        def read_spoiled(*arguments):
            state = inner = read(*arguments)
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = change(inner[path[-1]])
            return state

        checkpoint.read = read_spoiled

    return spoil


def _deal_again(_):
    SeatBatch.set_state = lambda self, state: None


# Each leaves out one part of the state; a run that goes on without it must become another one.
SPOILED = {
    "no Adam": spoiled("optimizer", change=lambda _: {}),
    "no weights": spoiled("weights", change=no_weights),
    "other torch dice": spoiled("random", "torch", change=lambda _: torch.Generator().get_state().numpy()),
    "other order of minibatches": spoiled("random", "numpy", "state", "pos", change=lambda pos: (pos + 5) % 600),
    "other games": _deal_again,
    "other seats": spoiled("batch", "random", change=other_dice),
    "other bots": spoiled("batch", "opponents", "scripted", "random", change=other_dice),
    "other dice of the pool": spoiled(
        "batch", "opponents", "networks", "generator", change=lambda _: torch.Generator().get_state().numpy()
    ),
    "other members": spoiled("league", "members", "0", "weights", change=no_weights),
    "other draw of members": spoiled("league", "random", change=other_dice),
    "other members playing": spoiled("league", "active", change=lambda active: 1 - active),
    "no more gates": spoiled("league", "gates_done", change=lambda _: 10**9),
    "back to the first reward": spoiled("watch", "own_reward", change=lambda _: False),
}
EVERY = WAYS | SPOILED


def child(way, at, arguments):
    """Train in a forked process; returns its exit status."""
    number = os.fork()
    if number == 0:
        status = 99
        try:
            EVERY[way](at)
            status = train.main(arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


if __name__ == "__main__":
    torch.set_num_threads(1)
    batch = SeatBatch("toy_game", 4, "latest:0.4,greedy:0.3,random_legal:0.2,robby_junior:0.1")
    batch.step(batch.mask.argmax(1))  # loads what is compiled
    torch.optim.Adam([torch.zeros(1, requires_grad=True)])  # loads a thousand modules
    with contextlib.redirect_stdout(sys.stderr):
        statuses = [child(*told) for told in json.load(sys.stdin)]
    print(json.dumps(statuses))
