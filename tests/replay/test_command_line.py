"""`python -m heist_envs record | verify | games | warm`: exit status, files, sentences."""

import json

import pytest

from heist_envs.__main__ import main
from heist_envs.engine.errors import HeistError
from heist_envs.replay.record import record

from ..support import GAMES, run_python


def test_record_and_verify_in_their_own_processes(tmp_path):
    file = tmp_path / "games.jsonl"
    code = "import sys; from heist_envs.__main__ import main; sys.exit(main(sys.argv[1:]))"
    asked = ["record", "banquefall", "--games", 2, "--num-players", 3, "--seed", 5, "--option", "reward=margin", "--legal"]
    said = run_python(code, *asked, "--bots", "random_legal, greedy", "--out", file)
    assert said == f"2 games of banquefall written to {file}"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line["options"]["num_players"] for line in lines] == [3, 3]
    assert lines[0]["options"]["reward"] == "margin" and len(lines[0]["actions"][0]) == 3
    assert run_python(code, "verify", file) == "2 games agree"


def test_games_are_listed(capsys):
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in GAMES)


def test_games_are_compiled_ahead(capsys):
    assert main(["warm", "toy_game"]) == 0
    assert capsys.readouterr().out == "toy_game is compiled\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["toy_gam"], "unknown game 'toy_gam' - did you mean 'toy_game'"),
        (["toy_game", "--num-players", "5"], "option num_players may not be '5'; allowed: 2 to 3"),
        (["toy_game", "--num-players", "two"], "option num_players may not be 'two'"),
        (["toy_game", "--games", "0"], "record writes 1 or more games, not 0"),
        (["toy_game", "--seed", "-1"], "a seed is a whole number"),
        (["toy_game", "--bots", "gredy"], "unknown bot of toy_game 'gredy' - did you mean 'greedy'"),
        (["toy_game", "--bots", ""], "unknown bot of toy_game ''"),
        (["toy_game", "--option", "all_pay"], "should read KEY=VALUE"),
        (["toy_game", "--option", "allpay=True"], "unknown option 'allpay' - did you mean 'all_pay'"),
        (["toy_game", "--option", "all_pay=maybe"], "option all_pay may not be 'maybe'; allowed: False, True"),
    ],
)
def test_wrong_calls_are_refused_and_write_nothing(tmp_path, capsys, arguments, sentence):
    assert main(["record", *arguments, "--out", str(tmp_path / "out.jsonl")]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_written_are_named(tmp_path, capsys):
    for out, sentence in ((tmp_path / "no" / "x.jsonl", "there is no folder"), (tmp_path, "is a folder")):
        assert main(["record", "toy_game", "--out", str(out)]) == 2
        assert sentence in capsys.readouterr().err


def test_a_failed_recording_leaves_the_old_file_alone(tmp_path):
    file = tmp_path / "games.jsonl"
    record("toy_game", file)
    before = file.read_bytes()
    with pytest.raises(HeistError):
        record("toy_game", file, bots=["nobody"])
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("bots", [[], ()])
def test_somebody_has_to_play(tmp_path, bots):
    with pytest.raises(HeistError, match="bot"):
        record("toy_game", tmp_path / "games.jsonl", bots=bots)
