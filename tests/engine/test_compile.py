"""The compile cache: where it lies, what it depends on, and what happens when nothing can be written."""

import shutil
import stat
from pathlib import Path

import pytest

from heist_envs.engine import compile as compiling
from heist_envs.policies import scripted

from ..support import run_python, toy_game

DEAL_ONE = """
from heist_envs.engine.table import Table
import tests.support
table = Table("toy_game")
table.kernels.broken_games(table.words, table.seat)
print(table.kernels.broken_games.stats.cache_path)
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """No cache but the ones a test names."""
    for name in ("HEIST_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def cache_folder():
    return compiling.cache_folder(toy_game.GAME.about.folder)


def test_heist_cache_is_respected(home, monkeypatch):
    monkeypatch.setenv("HEIST_CACHE", str(home / "mine"))
    assert cache_folder().parent == home / "mine"


def test_compiled_code_lands_in_heist_cache(tmp_path):
    path = Path(run_python(DEAL_ONE, HEIST_CACHE=str(tmp_path / "mine")))
    assert (tmp_path / "mine") in path.parents
    assert list(path.rglob("*.nbi"))


def test_without_heist_cache_it_lies_with_the_users_caches(home, monkeypatch):
    assert cache_folder().parent == home / ".cache" / "heist_envs"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "xdg"))
    assert cache_folder().parent == home / "xdg" / "heist_envs"


def test_folders_that_cannot_be_made_fall_back_to_the_temporary_folder(home, monkeypatch):
    (home / "file").write_text("not a folder")
    monkeypatch.setenv("HEIST_CACHE", str(home / "file" / "cache"))
    monkeypatch.setenv("HOME", str(home / "file"))
    monkeypatch.setattr(compiling.tempfile, "gettempdir", lambda: str(home / "tmp"))
    assert cache_folder().is_relative_to(home / "tmp")


def test_a_folder_that_is_read_only_is_passed_over(home, monkeypatch):
    monkeypatch.setenv("HEIST_CACHE", str(home / "locked"))
    locked = cache_folder()
    monkeypatch.setattr(compiling.os, "access", lambda path, mode: not Path(path).is_relative_to(home / "locked"))
    assert locked.is_relative_to(home / "locked")
    assert cache_folder().parent == home / ".cache" / "heist_envs"


def test_a_changed_source_changes_the_digest(tmp_path):
    folder = tmp_path / "toy_game"
    shutil.copytree(toy_game.GAME.about.folder, folder)
    digest = compiling.source_digest.__wrapped__  # as a process that begins later takes it
    before = digest(folder)
    assert before == digest(folder)
    rules = folder / "rules.py"
    rules.chmod(rules.stat().st_mode | stat.S_IWUSR)
    rules.write_text(rules.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert digest(folder) != before


def test_a_running_process_keeps_the_digest_of_what_it_has_loaded(tmp_path):
    """Otherwise a bot compiled late would be stored, old, under the digest of the new sources."""
    folder = tmp_path / "toy_game"
    shutil.copytree(toy_game.GAME.about.folder, folder)
    before = compiling.source_digest(folder)
    (folder / "late.py").write_text("", encoding="utf-8")
    assert compiling.source_digest(folder) == before


def test_the_generic_bots_are_part_of_the_digest(monkeypatch):
    """They are compiled into the same cache, so an old choice would come back after a change of theirs."""
    read = []
    original = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path) or original(path))
    compiling.source_digest.__wrapped__(toy_game.GAME.about.folder)
    assert Path(scripted.__file__) in read
    assert Path(compiling.__file__) in read and toy_game.GAME.about.folder / "rules.py" in read


def test_old_caches_are_forgotten(home, monkeypatch):
    monkeypatch.setenv("HEIST_CACHE", str(home))
    for k in range(compiling.KEPT_CACHES + 5):
        (home / f"old-{k}").mkdir()
    assert cache_folder().is_dir()
    assert len([path for path in home.iterdir() if path.is_dir()]) == compiling.KEPT_CACHES
