"""The folder of a run: made once, never overwritten, with all that is needed to know what was run."""

import functools
import hashlib
import json
import os
import platform
import shlex
import subprocess
import sys
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import yaml
from filelock import FileLock, Timeout

import heist_envs
from heist_envs.engine.errors import HeistError

ALGORITHM = "maskable_ppo"
CONFIG, ARGUMENTS, COMMANDS = "config.yml", "args.yml", "command.txt"
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


@contextmanager
def locked(folder):
    """A context in which no other process trains in the run folder; the lock ends with the process, however that ends."""
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise HeistError(f"another process is at work in {folder}; wait until it has ended, or stop it.") from None
    except OSError as error:
        raise HeistError(f"cannot write in {folder}: {error.strerror}; copy the run to where that is allowed.") from None
    try:
        yield
    finally:
        lock.release()


def describe_run(folder, config, arguments, threads):
    """Write command.txt, versions.json, args.yml and config.yml; with the last one the run exists."""
    add_command(folder)
    write_json(folder / "versions.json", versions(threads))
    write_text(folder / ARGUMENTS, yaml.safe_dump(arguments, sort_keys=False))
    write_text(folder / CONFIG, config.as_yaml())


def add_command(folder):
    """Write the command of this process below those that worked on the run before."""
    path = folder / COMMANDS
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    write_text(path, before + shlex.join([Path(sys.executable).name, *sys.argv]) + "\n")


def read_run(folder):
    """{flag: value} that the run in a folder was begun with, not checked; a `HeistError` if there is no run."""
    if not (folder / CONFIG).is_file():
        raise HeistError(f"there is no run in {folder}, no {CONFIG}; name a folder like runs/{ALGORITHM}/GAME_1.")
    path = folder / ARGUMENTS
    try:
        arguments = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HeistError(f"cannot read {path}: {error.strerror}; without it the run cannot go on.") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise HeistError(f"{path} is not YAML that can be read safely; put a copy of it back.") from None
    if not isinstance(arguments, dict):
        raise HeistError(f"{path} must map flags to values; put a copy of it back.")
    return arguments


def versions(threads):
    """What the run ran on, ready for JSON."""
    return {
        "heist_envs": heist_envs.__version__,
        "commit": _commit(),
        "sources": _sources(),
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


@functools.cache
def _sources():
    """Digest of the sources of the package and of training: it changes with every edit, committed or not.
    Taken once: a process goes on with what it has loaded."""
    digest = hashlib.sha256()
    for folder in (Path(heist_envs.__file__).parent, Path(__file__).parent):
        for file in sorted(folder.rglob("*.py")):
            digest.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return digest.hexdigest()


def changes(before, now):
    """What differs between the `versions` of two processes and may make them train differently: ["torch 2.12 -> 2.13"]."""
    names = ("heist_envs", "sources", "python", "platform", "cpu")
    pairs = [(name, before.get(name), now[name]) for name in names]
    packages = before.get("packages")
    packages = packages if isinstance(packages, dict) else {}
    pairs += [(name, packages.get(name), version) for name, version in now["packages"].items()]
    told = [(name, old, new) for name, old, new in pairs if old != new]
    return [name if name == "sources" else f"{name} {old} -> {new}" for name, old, new in told]


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
    write_bytes(path, content.encode())


def write_bytes(path, content, durable=False):
    """Write a file; it appears complete or not at all, with `durable` even if the machine goes down meanwhile."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("wb") as file:
        file.write(content)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    part.replace(path)
    if durable and os.name == "posix":  # the new name, too, must have reached the disk
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def forget_parts(path):
    """Remove what processes left that were killed while they wrote the file at `path`."""
    for part in path.parent.glob(f"{path.name}.*.part"):
        part.unlink()
