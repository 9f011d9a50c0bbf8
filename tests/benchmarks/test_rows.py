"""Rows: what is written can be read, nothing else can; files only grow, whatever is cut off on the way."""

import errno
import json
import os
from dataclasses import asdict, replace

import numpy as np
import pytest
from filelock import FileLock

from benchmarks.rows import (
    Row,
    append_row,
    block_id,
    digest_of,
    figures,
    ids,
    mend,
    one_line,
    read_row,
    read_rows,
    replay_path,
    row_line,
    scan_rows,
    win_shares,
    writing,
)
from heist_envs.engine.errors import HeistError

RANKS = np.array([[[1, 2, 2], [3, 1, 1], [1, 1, 1]], [[1, 2, 3], [2, 1, 3], [2, 3, 1]]])


def a_row(seed=1, **changes):
    """A row of two deals of a duel at three seats."""
    agents = [{"name": name, "digest": digest_of(name)} for name in ("greedy", "random_legal")]
    lineups = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    found = figures(lineups, [0, 1, 2], RANKS, RANKS * 1.5, {}, ["greedy", "random_legal"])
    row = Row(
        id="", game="toy_game", version=0, options={"num_players": 3, "all_pay": False}, kind="duel", agents=agents,
        sides=[0, 1, 2], lineups=lineups, seed=seed, deals=2, games=6, **found, replay="", replay_sha256=digest_of("replay"),
        command="python benchmarks/leaderboard.py --game toy_game", commit=None, machine={"cores": 2}, seconds=0.5,
    )  # fmt: skip
    row = replace(row, id=block_id(vars(row)))
    return replace(row, replay=replay_path(row.game, row.id), **changes)


def line_of(**changes):
    """The line of a row some of whose values were changed by somebody who also mended its digest."""
    content = json.loads(row_line(a_row())) | changes
    del content["sha256"]
    return json.dumps(content | {"sha256": digest_of(content)}).encode() + b"\n"


def test_what_is_written_is_read(tmp_path):
    rows = [a_row(seed) for seed in range(3)]
    for row in rows:
        append_row(tmp_path / "toy_game.jsonl", row)
    assert read_rows(tmp_path / "toy_game.jsonl") == rows
    assert [(number, intact) for number, _, intact in scan_rows(tmp_path / "toy_game.jsonl")] == [(1, 1), (2, 1), (3, 1)]
    assert ids(tmp_path / "toy_game.jsonl") == {row.id for row in rows}


def test_no_file_is_no_rows(tmp_path):
    assert read_rows(tmp_path / "toy_game.jsonl") == [] and ids(tmp_path / "toy_game.jsonl") == set()
    assert not mend(tmp_path / "toy_game.jsonl")


def test_ranks_and_shares_of_a_duel():
    row = a_row()
    assert row.ranks == "122 311 111 123 213 231"
    assert row.rank_array.dtype == np.int8 and (row.rank_array == RANKS).all()
    # Alone, shared with one copy, shared by all three; what the two copies won together is halved.
    assert row.shares[0] == pytest.approx(np.array([[1, 0], [1 / 2, 1 / 4], [1 / 3, 1 / 3]]))
    assert row.shares[1] == pytest.approx(np.array([[1, 0], [1, 0], [1, 0]]))
    assert row.win_share == pytest.approx([(1 + 1 / 2 + 1 / 3 + 3) / 6, (1 / 4 + 1 / 3) / 6], abs=1e-6)
    # Of deal 0 and 1 in lineup 1 greedy's places are 1 and 1, the others' 3, 1, 2 and 3.
    assert row.scores[1] == pytest.approx([1.5, 1.5 * (3 + 1 + 2 + 3) / 4])


def test_a_team_wins_once():
    """Sides of two seats: whoever has one of them has all of its win."""
    ranks = np.array([[[1, 2, 2, 1], [2, 1, 1, 2]]])
    shares = win_shares(ranks, [0, 1, 1, 0], [[0, 1, 1, 0], [1, 0, 0, 1]])
    assert shares.tolist() == [[[1, 0], [1, 0]]]


def test_forfeits_are_counted_for_whom_they_were():
    found = figures(
        [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
        [0, 1, 2],
        RANKS,
        RANKS,
        {1: (1, "it hung"), 5: (0, "it\x1b[31m died")},
        ["a", "b"],
    )
    assert found["forfeits"] == [1, 1]
    assert found["forfeit_reasons"] == ["a: it hung", "b: it [31m died"]


def test_texts_of_strangers_become_one_line():
    assert one_line("a\nb\x00\u202ec") == "a b  c"
    assert len(one_line("x" * 10_000)) == 400


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"format": 2}, "no row of format 1"),
        ({"more": 1}, "differ by more"),
        ({"id": "toy_game"}, "id must be"),
        ({"id": "banquefall-000000000000"}, "id must begin with the game's name"),
        ({"game": "../toy_game"}, "game must be"),
        ({"version": True}, "version must be"),
        ({"version": -1}, "version must be"),
        ({"options": {"num_players": [3]}}, "options must be"),
        ({"kind": "duels"}, "kind must be duel or table"),
        ({"agents": []}, "agents must be"),
        ({"agents": [{"name": "a\nb", "digest": "0" * 64}] * 2}, "agents must be"),
        ({"agents": [{"name": "a", "digest": "0" * 64}] * 2}, "agents must have different names"),
        ({"sides": [0]}, "an agent for each seat"),
        ({"sides": [0] * 10}, "sides must be"),
        ({"sides": [0, 0, 1]}, "agents on the same side"),
        ({"lineups": [[0, 1, 1], [1, 0, 1], [1, 1, 1]]}, "every one of the agents"),
        ({"lineups": [[0, 1, 1], [1, 0, 1], [1, 1, 2]]}, "every one of the agents"),
        ({"lineups": [[0, 1], [1, 0, 1], [1, 1, 0]]}, "an agent for each seat"),
        ({"seed": 1.5}, "seed must be"),
        ({"deals": 3}, "deals times lineups"),
        ({"games": 0}, "games must be"),
        ({"ranks": "122 311 111 123 213"}, "a word for each game"),
        ({"ranks": "122 311 111 123 213 2311"}, "a digit for each seat"),
        ({"ranks": "122 311 111 123 213 233"}, "a winner in each game"),
        ({"ranks": "122 311 111 123 213 291"}, "a winner in each game"),
        ({"ranks": "122 311 111 123 213 201"}, "ranks must be"),
        ({"scores": [[1.0, 2.0]]}, "scores must have"),
        ({"scores": [[1.0, "2"]] * 3}, "scores must be"),
        ({"win_share": [0.5]}, "win_share must have"),
        ({"win_share": [0.5, 1.5]}, "win_share must be"),
        ({"forfeits": [0, -1]}, "forfeits must be"),
        ({"forfeits": [0]}, "forfeits must have"),
        ({"forfeit_reasons": ["x"] * 6}, "forfeit_reasons must be"),
        ({"replay": "../../secret"}, "replay must be replays/toy_game/"),
        ({"replay_sha256": "0"}, "replay_sha256 must be"),
        ({"command": "rm\n"}, "command must be"),
        ({"commit": 1}, "commit must be"),
        ({"machine": []}, "machine must be"),
        ({"seconds": -1}, "seconds must be"),
    ],
)  # fmt: skip
def test_what_no_row_can_be_is_named_with_its_line(tmp_path, changes, sentence):
    file = tmp_path / "toy_game.jsonl"
    file.write_bytes(row_line(a_row(7)) + line_of(**changes))
    with pytest.raises(HeistError, match=sentence) as refused:
        read_rows(file)
    assert str(refused.value).startswith(f"line 2 of {file}: ")


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"[]\n",
        b"{}\n",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b'{"format": 1' + b"0" * 5000 + b"}\n",
        b'{"format": NaN}\n',
    ],
)
def test_lines_that_are_no_rows_are_refused(tmp_path, line):
    file = tmp_path / "toy_game.jsonl"
    file.write_bytes(line + row_line(a_row()))
    with pytest.raises(HeistError, match="line 1"):
        read_rows(file)
    assert [isinstance(row, HeistError) for _, row, _ in scan_rows(file)] == [True, False]


def test_endless_lines_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.rows.MOST_LINE", 500)
    file = tmp_path / "toy_game.jsonl"
    file.write_bytes(row_line(a_row()))
    with pytest.raises(HeistError, match="longer than the 500 bytes"):
        read_rows(file)


def test_a_changed_row_is_read_and_known_as_changed():
    row, intact = read_row(row_line(a_row()).replace(b'"seconds":0.5', b'"seconds":0.4'))
    assert row == a_row(seconds=0.4) and not intact
    assert read_row(line_of(seconds=0.4)) == (a_row(seconds=0.4), True)


def test_an_id_stands_for_what_decides_the_block():
    row = vars(a_row())
    for name, other in (("game", "silence"), ("version", 1), ("options", {}), ("kind", "table"), ("seed", 2), ("deals", 3)):
        assert block_id(row | {name: other}).rpartition("-")[2] != block_id(row).rpartition("-")[2]
    assert block_id(row | {"seconds": 3, "machine": {}, "win_share": []}) == block_id(row)


def test_a_row_is_never_replaced(tmp_path):
    file = tmp_path / "toy_game.jsonl"
    append_row(file, a_row())
    with pytest.raises(HeistError, match="rows are never replaced"):
        append_row(file, a_row(seconds=9.0))
    twice = file.read_bytes() * 2
    file.write_bytes(twice)
    with pytest.raises(HeistError, match="line 2 .* there is a row"):
        read_rows(file)


def test_what_could_not_be_read_is_not_written(tmp_path):
    for wrong in (a_row(win_share=[2.0, 0.0]), a_row(forfeit_reasons=["a\nb"]), a_row(games=5)):
        with pytest.raises(HeistError):
            append_row(tmp_path / "toy_game.jsonl", wrong)
    assert not (tmp_path / "toy_game.jsonl").exists()


@pytest.mark.parametrize("kept", [1, 5, 18, 40, 300, -3, -2])
def test_a_line_cut_off_is_no_row_and_is_mended(tmp_path, kept):
    file, first, second = tmp_path / "toy_game.jsonl", a_row(1), a_row(2)
    file.write_bytes(row_line(first) + row_line(second)[:kept])
    assert read_rows(file) == [first]
    append_row(file, second)
    assert file.read_bytes() == row_line(first) + row_line(second)


def test_a_row_that_only_lacks_its_end_is_kept(tmp_path):
    file, rows = tmp_path / "toy_game.jsonl", [a_row(1), a_row(2)]
    file.write_bytes(b"".join(map(row_line, rows))[:-1])
    assert read_rows(file) == rows
    with pytest.raises(HeistError, match="never replaced"):
        append_row(file, rows[1])
    assert read_rows(file) == rows and file.read_bytes().endswith(b"\n")


def test_what_somebody_else_wrote_is_left_alone(tmp_path):
    file = tmp_path / "toy_game.jsonl"
    file.write_bytes(row_line(a_row(1)) + b"my notes")
    before = file.read_bytes()
    with pytest.raises(HeistError, match="by hand"):
        append_row(file, a_row(2))
    with pytest.raises(HeistError, match="line 2"):
        read_rows(file)
    assert file.read_bytes() == before


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    file, write = tmp_path / "toy_game.jsonl", os.write
    append_row(file, a_row(1))
    before = file.read_bytes()

    def full(handle, line):
        if len(line) < 1000:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, line[: len(line) - 500])

    monkeypatch.setattr("benchmarks.rows.os.write", full)
    with pytest.raises(OSError, match="No space left"):
        append_row(file, a_row(2))
    assert file.read_bytes() == before


def test_one_process_writes_at_a_time(tmp_path):
    file = tmp_path / "toy_game.jsonl"
    other, refused = (
        FileLock(tmp_path / "toy_game.lock", is_singleton=False),
        pytest.raises(HeistError, match="another process"),
    )
    with other, refused, writing(file, seconds=0):
        raise AssertionError("two at a time")
    with writing(file):  # and who writes may append
        append_row(file, a_row())
    assert read_rows(file) == [a_row()]


def test_rows_hold_nothing_but_plain_values():
    assert json.loads(row_line(a_row())) == {
        "format": 1,
        **asdict(a_row()),
        "sha256": digest_of({"format": 1, **asdict(a_row())}),
    }
