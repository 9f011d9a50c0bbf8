"""Recorded transcripts, one per game and player count, still read the same line by line."""

import heist_envs

from ..playthroughs.transcript import FOLDER, body, file_of, history_line, split
from ..support import TABLES, each_table

WRITE = "; if this is meant, run python -m tests.playthroughs.write"


@each_table
def test_game_reads_as_its_transcript(name, players):
    file = file_of(name, players)
    assert file.exists(), f"{file.name} is missing{WRITE}"
    _, golden = split(file.read_text(encoding="utf-8"))
    now = body(name, players)
    for number, (old, new) in enumerate(zip(golden, now, strict=False)):
        assert old == new, f"line {number} of the game in {file.name} differs{WRITE}"
    assert len(golden) == len(now)


@each_table
def test_every_change_of_a_transcript_has_a_version_or_a_reason(name, players):
    history, lines = split(file_of(name, players).read_text(encoding="utf-8"))
    entries = [line.removeprefix("# version ").split("  ", 2) for line in history]
    assert all(len(entry) == 3 and entry[2].strip() for entry in entries)
    version, _, reason = entries[-1]
    assert version == str(heist_envs.about(name).version)
    assert history[-1] == history_line(version, lines, reason)
    versions = [int(entry[0]) for entry in entries]
    assert versions == sorted(versions)


def test_no_transcript_is_left_over():
    assert {file.name for file in FOLDER.glob("*.txt")} == {file_of(name, players).name for name, players in TABLES}
