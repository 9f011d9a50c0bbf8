"""The only file that imports numba: `rule` marks game code, `bind` ties an engine loop to one game.

`HEIST_JIT=0` leaves everything as plain Python (debugger, coverage). `HEIST_CACHE` names the folder of the compile
cache; otherwise it lies in the user's cache folder, in a folder named by a digest of the sources, because numba itself
does not notice that a function called from another file has changed.
"""

import functools
import hashlib
import logging
import os
import shutil
import sys
import tempfile
import types
from pathlib import Path

import numpy as np

INTERPRETED = os.environ.get("HEIST_JIT", "1") == "0"
ENGINE = Path(__file__).resolve().parent
GENERIC_BOTS = ENGINE.parent / "policies" / "scripted.py"  # compiled into every game's cache
KEPT_CACHES = 24  # older digests are removed when a new one appears
# `_nrt` off: no reference counts, an atomic operation for every array or slice handed on, a quarter of a decision's time.
# So compiled code cannot make arrays (a GPU could not either); callers hand in what it needs.
COMPILE = {"nogil": True, "error_model": "numpy", "_nrt": False}

if not INTERPRETED:
    import numba

log = logging.getLogger("heist_envs")
_announced = set()


def rule(function, inline=False):
    """Mark a function of the rules: compiled when a kernel that calls it is, plain Python with `HEIST_JIT=0`."""
    if INTERPRETED:
        return function
    return numba.njit(**COMPILE, forceinline=inline)(function)


def wrapping_rule(function):
    """A rule on 64-bit words that are meant to overflow; only plain Python has to be told so."""
    return np.errstate(over="ignore")(function) if INTERPRETED else rule(function)


def bind(function, label, names, folder):
    """Compile `function` with some of its global names replaced by `names`, cached under `label`.

    Closures over game functions would never be found in numba's cache again; rebound globals are.
    `folder` is the game's source folder, part of the cache's digest.
    """
    code = function.__code__.replace(co_name=label, co_qualname=label)
    bound = types.FunctionType(code, {**function.__globals__, **names}, label, function.__defaults__)
    bound.__module__, bound.__qualname__ = function.__module__, label
    if INTERPRETED:
        return bound
    cache = cache_folder(folder)
    _announce(cache)
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(cache)
    try:
        return numba.njit(**COMPILE, cache=True)(bound)
    finally:
        numba.config.CACHE_DIR = before


def _announce(cache):
    """Say once that the first use of a game takes a while."""
    if cache not in _announced and not any(cache.rglob("*.nbi")):
        game = cache.name.rpartition("-")[0]
        log.warning("heist_envs compiles %s for this machine; this takes up to a minute and is kept for next time.", game)
    _announced.add(cache)


def bind_rule(function, names):
    """The same for a function that kernels call: rebound, not cached on its own, inlined (its many array arguments cost)."""
    return rule(types.FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__), inline=True)


@functools.cache
def source_digest(folder):
    """Digest of all that compiled code depends on: engine and game sources, versions, checking mode. Taken once: sources
    that change while a process runs must not name what it has loaded before."""
    digest = hashlib.sha256()
    for version in (sys.version, np.__version__, numba.__version__, str(numba.config.BOUNDSCHECK)):
        digest.update(version.encode())
    for file in [*sorted(ENGINE.glob("*.py")), GENERIC_BOTS, *sorted(Path(folder).glob("*.py"))]:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


def cache_folder(folder):
    """The compile cache of the game in `folder`; made if missing, in a temporary place if nothing else is writable."""
    own = f"{Path(folder).name}-{source_digest(folder)}"
    for root in _cache_roots():
        try:
            path = root / own
            if not path.is_dir():
                path.mkdir(parents=True, exist_ok=True)
                _forget_old_caches(root)
            if os.access(path, os.W_OK):
                return path
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="heist_envs-"))


def _cache_roots():
    if "HEIST_CACHE" in os.environ:
        yield Path(os.environ["HEIST_CACHE"])
    if "XDG_CACHE_HOME" in os.environ:
        yield Path(os.environ["XDG_CACHE_HOME"]) / "heist_envs"
    elif os.environ.get("HOME"):
        yield Path(os.environ["HOME"]) / ".cache" / "heist_envs"
    yield Path(tempfile.gettempdir()) / f"heist_envs-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _forget_old_caches(root):
    by_age = sorted((p for p in root.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in by_age[KEPT_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)
