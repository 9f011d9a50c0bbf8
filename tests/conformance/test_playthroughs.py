"""Recorded transcripts, one per game, player count and variant, still read the same line by line."""

import pytest

import heist_envs

from ..playthroughs.transcript import FOLDER, TRANSCRIPTS, body, file_of, history_line, split

each_transcript = pytest.mark.parametrize(("name", "players", "options"), TRANSCRIPTS)
WRITE = "; if this is meant, run python -m tests.playthroughs.write"


@each_transcript
def test_game_reads_as_its_transcript(name, players, options):
    file = file_of(name, players, options)
    assert file.exists(), f"{file.name} is missing{WRITE}"
    _, golden = split(file.read_text(encoding="utf-8"))
    now = body(name, players, options)
    for number, (old, new) in enumerate(zip(golden, now, strict=False)):
        assert old == new, f"line {number} of the game in {file.name} differs{WRITE}"
    assert len(golden) == len(now)


@each_transcript
def test_every_change_of_a_transcript_has_a_version_or_a_reason(name, players, options):
    history, lines = split(file_of(name, players, options).read_text(encoding="utf-8"))
    entries = [line.removeprefix("# version ").split("  ", 2) for line in history]
    assert all(len(entry) == 3 and entry[2].strip() for entry in entries)
    version, _, reason = entries[-1]
    assert version == str(heist_envs.about(name).version)
    assert history[-1] == history_line(version, lines, reason)
    versions = [int(entry[0]) for entry in entries]
    assert versions == sorted(versions)


def test_no_transcript_is_left_over():
    assert {file.name for file in FOLDER.glob("*.txt")} == {file_of(*transcript).name for transcript in TRANSCRIPTS}
