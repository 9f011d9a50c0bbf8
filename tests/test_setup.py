"""What a fresh clone needs: pins, commands, package data. Nothing is installed here."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import heist_envs
from heist_envs.engine.registry import GAMES

ROOT = Path(__file__).resolve().parents[1]
PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if "==" in line)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def plain(name):
    """A distribution's name as package indexes compare them."""
    return re.sub(r"[-_.]+", "-", name).lower()


def make(*arguments):
    """Run make in the project folder; never sets anything up, because `-n` only prints."""
    settings = {key: value for key, value in os.environ.items() if key not in ("GAME", "ARGS", "MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(["make", *arguments], cwd=ROOT, env=settings, capture_output=True, text=True)


def test_every_requirement_is_pinned():
    wanted = PROJECT["dependencies"] + sum(PROJECT["optional-dependencies"].values(), [])
    names = {plain(re.match(r"[\w.-]+", requirement).group()) for requirement in wanted}
    assert names <= {plain(name) for name in PINS}


def test_pins_rllib_accepts():
    assert PINS["gymnasium"] == "1.2.2"
    assert PINS["torch"] == "2.13.0"


def test_pins_name_no_local_versions():
    assert not [pin for pin in PINS.values() if "+" in pin]


def test_versions_agree():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {heist_envs.__version__}\n" in citation
    assert f"## [{heist_envs.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_license():
    assert "MIT License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert PROJECT["license"] == "MIT"


@needs_make
@pytest.mark.parametrize("arguments", [("train",), ("train", "GAME="), ("train", "GAME=nonsense"), ("train", "GAME=bank")])
def test_make_train_asks_for_a_known_game(arguments):
    done = make(*arguments)
    assert done.returncode != 0
    assert "Name a game: make train GAME=<game>" in done.stderr
    assert all(name in done.stderr for name in heist_envs.game_names() if heist_envs.about(name).folder.parent == GAMES)


@needs_make
def test_make_passes_flags_on():
    assert "--game banquefall --seed 3" in make("-n", "train", "GAME=banquefall", "ARGS=--seed 3").stdout
    assert "pytest -n 2 -k seed" in make("-n", "test", "ARGS=-k seed").stdout


def test_ci_runs_make_test():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text(encoding="utf-8")


def test_package_data_is_declared():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    found = {file for pattern in declared["heist_envs"] for file in (ROOT / "heist_envs").glob(pattern)}
    wanted = {
        folder / name
        for folder in GAMES.glob("*/")
        if (folder / "about.toml").is_file()
        for name in ("about.toml", "RULES.md", "README.md")
    }
    assert wanted <= found
    assert (ROOT / "heist_envs" / "py.typed") in found
