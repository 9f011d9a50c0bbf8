"""The folder of a run: made once, never overwritten, with all that is needed to know what was run."""

import json
import os
import platform
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import yaml

import heist_envs
from heist_envs.engine.errors import HeistError

ALGORITHM = "maskable_ppo"
PACKAGES = (
    "numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable-baselines3", "sb3-contrib", "safetensors", "tensorboard",
)  # fmt: skip


def make_run_folder(log_folder, game):
    """A new folder `LOG_FOLDER/maskable_ppo/GAME_K`; two runs that start at once get different ones."""
    parent = Path(log_folder) / ALGORITHM
    try:
        parent.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            try:
                (parent / f"{game}_{number}").mkdir()
                return parent / f"{game}_{number}"
            except FileExistsError:
                number += 1
    except OSError as error:
        raise HeistError(f"cannot make a run folder in {parent}: {error.strerror}; see --log-folder.") from None


def describe_run(folder, config, arguments, threads):
    """Write config.yml, args.yml, command.txt and versions.json."""
    write_text(folder / "config.yml", config.as_yaml())
    write_text(folder / "args.yml", yaml.safe_dump(arguments, sort_keys=False))
    write_text(folder / "command.txt", shlex.join([Path(sys.executable).name, *sys.argv]) + "\n")
    write_json(folder / "versions.json", versions(threads))


def versions(threads):
    """What the run ran on, ready for JSON."""
    return {
        "heist_envs": heist_envs.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "torch_threads": threads,
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


RESULTS = ("benchmarks/results", "benchmarks/LEADERBOARD.md", "benchmarks/leaderboard.html")  # what is made is no source


def _commit():
    """The commit of the sources, with `+changes` if files differ from it; None outside a repository."""
    here = Path(__file__).resolve().parent
    try:
        commit = _git(here, "rev-parse", "HEAD")
        sources = [":/", *(f":(top,exclude){path}" for path in RESULTS)]
        changes = _git(here, "status", "--porcelain", "--untracked-files=no", "--", *sources)
        return commit + ("+changes" if changes else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder, *command):
    done = subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, timeout=20, check=True)
    return done.stdout.strip()


def _cpu():
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def write_json(path, value):
    """Write JSON; the file appears complete or not at all."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def write_text(path, content):
    """Write a text; the file appears complete or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(content, encoding="utf-8")
    part.replace(path)
