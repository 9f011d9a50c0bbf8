"""How fast is heist_envs on this machine? `python benchmarks/speed.py [--quick] [--game NAME]... [--json FILE]`

One core (pinned where the system allows), medians of interleaved runs in the process's own CPU time, so that both sides of
a ratio meet the same machine; start-up times are wall time of fresh processes. Prints figures, targets and pass or miss.
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
import warnings
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

import heist_envs

SIZES = (256, 1024, 4096)
MIB = 2**20
AEC_TARGET, RATIO_TARGET, IMPORT_TARGET, START_TARGET = 1e5, 10, 0.3, 1.5
# Decisions/s of the compiled loop; wide observations and long turns cost. Another game: 1 million.
BATCH_TARGETS = {"banquefall": 3e6, "robby_solo": 3e6, "robin_hood": 1e6, "silence": 2e6, "rob_a_bank": 1.5e6}
PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo")


@dataclass
class Figure:
    """One measured number. `target` is the least that passes, or with `at_most` the most."""

    what: str
    value: float
    unit: str
    note: str = ""
    target: float | None = None
    at_most: bool = False

    @property
    def verdict(self):
        """`pass`, `miss`, or nothing where there is no target."""
        if self.target is None:
            return ""
        return "pass" if (self.value <= self.target if self.at_most else self.value >= self.target) else "miss"

    def __str__(self):
        sign = "at most" if self.at_most else "at least"
        goal = f"{sign} {short(self.target)}: {self.verdict}" if self.target is not None else ""
        return f"  {self.what:<46}{short(self.value):>9} {self.unit:<13}{goal:<26}{self.note}".rstrip()


def short(number):
    """A number in three digits: 4.12 M, 205 k, 0.18."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def pin():
    """Stay on one core, the last allowed one; says what happened."""
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned to a core (this system cannot)"
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return f"pinned to core {core}"


def rate(work, seconds):
    """What `work()` returns, summed up per second of CPU time."""
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += work()
    return done / spent


def medians(works, runs, seconds):
    """The median rate of each of `works` (name -> function), one run of each in turn."""
    for work in works.values():
        work()  # compiles, fills caches
    rates = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            rates[name].append(rate(work, seconds))
    return {name: statistics.median(values) for name, values in rates.items()}


def copying(size):
    """Copy `size` bytes some times; returns the bytes copied."""
    source, target = np.ones(size, np.uint8), np.zeros(size, np.uint8)
    times = max(1, 64 * MIB // size)

    def work():
        for _ in range(times):
            np.copyto(target, source)
        return times * size

    return work


def rolling(batch):
    """Random play without leaving compiled code."""
    steps = max(1, 100_000 // batch.num_games)

    def work():
        batch.roll_out(steps)
        return steps * batch.num_games

    return work


def stepping(batch):
    """Random play by one call per step from Python."""
    steps = max(1, 100_000 // batch.num_games)

    def work():
        for _ in range(steps):
            batch.step(batch.random_actions())
        return steps * batch.num_games

    return work


def sample(mask):
    """A random legal action; ten times quicker than `Discrete.sample(mask)`."""
    legal = mask.nonzero()[0]
    return legal[int(random.random() * len(legal))]


def playing(env):
    """One game of any AEC environment in PettingZoo's documented loop; returns its decisions."""

    def work():
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(sample(observation["action_mask"]))
                decisions += 1
        return decisions

    return work


def playing_parallel(env):
    """One game of a parallel environment; returns its steps, in each of which at least one agent decides."""

    def work():
        observations, _ = env.reset()
        steps = 0
        while env.agents:
            observations, *_ = env.step({agent: sample(seen["action_mask"]) for agent, seen in observations.items()})
            steps += 1
        return steps

    return work


def memory_and_batch(games, runs, seconds):
    """The memory copy rate of this machine, and how the batched engine compares with it."""
    copies = {"memory copy, 256 MiB": copying(256 * MIB), "memory copy, 256 KiB": copying(MIB // 4)}
    works = dict(copies)
    batches = {(game, size): heist_envs.make_batch(game, size) for game in games for size in SIZES}
    for (game, size), batch in batches.items():
        works[f"{game} x {size}, roll_out"] = rolling(batch)
        works[f"{game} x {size}, step from Python"] = stepping(batch)
    found = medians(works, runs, seconds)
    memory = found["memory copy, 256 MiB"]
    for name in copies:
        yield Figure(name, found.pop(name) / 1e9, "GB/s")
    written = {game: batch.observation[0].nbytes + batch.action_mask[0].nbytes for (game, _), batch in batches.items()}
    for name, value in found.items():
        game = name.split()[0]
        size, target = written[game], BATCH_TARGETS.get(game, 1e6)
        note = f"{size} B each, {value * size / memory:.0%} of the memory copy"
        yield Figure(name, value, "decisions/s", note, target if name.endswith("roll_out") else None)


def single(games, runs, seconds):
    """AEC and parallel environments, and PettingZoo's connect_four in the same loop."""
    connect_four = _connect_four()
    works = {f"{game}, AEC env()": playing(heist_envs.make_aec(game)) for game in games}
    works |= {f"{game}, parallel_env()": playing_parallel(heist_envs.make_parallel(game)) for game in games}
    works |= {f"connect_four_v3, {form}()": playing(getattr(connect_four, form)()) for form in ("env", "raw_env")}
    found = medians(works, runs, seconds)
    for name, value in found.items():
        aec = name.endswith("AEC env()")
        unit = "steps/s" if "parallel" in name else "decisions/s"
        yield Figure(name, value, unit, target=AEC_TARGET if aec else None)
    for game in games:
        own = found[f"{game}, AEC env()"]
        yield Figure(f"{game} / connect_four_v3 env()", own / found["connect_four_v3, env()"], "times", target=RATIO_TARGET)
        yield Figure(f"{game} / connect_four_v3 raw_env()", own / found["connect_four_v3, raw_env()"], "times")


def _connect_four():
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    warnings.filterwarnings("ignore", category=DeprecationWarning, module="pettingzoo")
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        sys.exit("PettingZoo's connect_four needs pygame: pip install -e '.[bench]', or run this by `make bench`.")
    warnings.filterwarnings("ignore", message=".*deprecated.*")
    return connect_four_v3


FRAMEWORKS = "import gymnasium, pettingzoo"
START = "import heist_envs\nstart = time.perf_counter()\nheist_envs.make_aec({game!r}).reset(seed=0)"


def start_up(games, runs, _seconds):
    """Import, and the first environment of a process whose code another one has compiled before."""
    scripts = {"frameworks": FRAMEWORKS, "all": f"{FRAMEWORKS}, heist_envs"}
    scripts |= {game: START.format(game=game) for game in games}
    for script in scripts.values():
        fresh_process(script)
    taken = {name: [] for name in scripts}
    for _ in range(2 * runs):
        for name, script in scripts.items():
            taken[name].append(fresh_process(script))
    found = {name: statistics.median(values) for name, values in taken.items()}
    yield Figure("import pettingzoo and gymnasium", found["frameworks"], "s")
    yield Figure("heist_envs adds", found["all"] - found["frameworks"], "s", "", IMPORT_TARGET, True)
    for game in games:
        yield Figure(f"{game}, make + reset in a second process", found[game], "s", "", START_TARGET, True)


def fresh_process(script):
    """Seconds that a script takes in a new Python, whose own start does not count; a script may set `start` anew."""
    timed = f"import time\nstart = time.perf_counter()\n{script}\nprint(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def machine():
    """What was measured on: kind of processor and versions, no names."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").is_file():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    versions = {name: version(name) for name in PACKAGES}
    return {"processor": model, "system": platform.system(), "python": platform.python_version(), **versions}


SECTIONS = {
    "Batch: choose, play, write observation and mask, start finished games anew": memory_and_batch,
    "One game from Python: last(), sample, step()": single,
    "Start-up": start_up,
}


def main(arguments=None):
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Measure the speed of heist_envs on this machine.")
    parser.add_argument("--quick", action="store_true", help="shorter and fewer runs, rougher figures")
    parser.add_argument("--game", action="append", metavar="NAME", help="measure only this game; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    args = parser.parse_args(arguments)
    games = args.game or heist_envs.game_names()
    try:
        players = {game: heist_envs.about(game).default_seats for game in games}
    except heist_envs.HeistError as error:
        parser.error(str(error))
    runs, seconds = (3, 0.2) if args.quick else (7, 0.5)
    report = {**machine(), "core": pin(), "runs": runs, "seconds": seconds, "players": players}
    print(", ".join(f"{key} {value}" for key, value in report.items() if key != "players"))
    print("players: " + ", ".join(f"{game} {count}" for game, count in players.items()))
    report["figures"] = []
    for title, section in SECTIONS.items():
        print(f"\n{title}")
        for figure in section(games, runs, seconds):
            print(figure, flush=True)
            report["figures"].append({**asdict(figure), "verdict": figure.verdict})
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        print(f"\nwritten to {args.json}")


if __name__ == "__main__":
    main()
