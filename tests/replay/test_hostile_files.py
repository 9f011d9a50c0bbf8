"""Recorded games come from anywhere: whatever a file holds, `verify` answers with sentences."""

import json

import pytest

from heist_envs.__main__ import main
from heist_envs.engine.errors import HeistError
from heist_envs.replay.record import record
from heist_envs.replay.verify import KEYS, verify


@pytest.fixture
def line(tmp_path):
    """A good recorded game."""
    record("toy_game", tmp_path / "good.jsonl", seed=3, legal=True)
    return json.loads((tmp_path / "good.jsonl").read_text(encoding="utf-8"))


@pytest.fixture
def refusal(tmp_path):
    """The one sentence `verify` has for a file of one bad line, given as bytes or as a value for JSON."""

    def write_and_verify(content):
        file = tmp_path / "bad.jsonl"
        file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        agree, wrong = verify(file)
        assert agree == 0 and len(wrong) == 1
        assert wrong[0].startswith("line 1: ") and wrong[0].endswith(".")
        assert main(["verify", str(file)]) == 1
        return wrong[0]

    return write_and_verify


@pytest.mark.parametrize(
    "content",
    [
        b"hello",
        b"\n",
        b"{",
        b'{"format": 1,}',
        b"\xff\xfe\x00",
        b"\xef\xbb\xbf{}",
        b"[" * 200_000,
        b"{" + b'"a":{' * 100_000,
        b"9" * 10_000,
        b'"\\ud800',
        b"\0" * 1000,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_lines_that_are_not_json(refusal, content):
    assert "this is not a line of JSON" in refusal(content)


@pytest.mark.parametrize("content", [[], {}, None, 1, "text", [1, 2], {"format": 1}])
def test_values_that_are_no_recorded_game(refusal, content):
    assert "a recorded game is an object with the keys format, game, " in refusal(content)


@pytest.mark.parametrize("key", KEYS)
def test_missing_keys(refusal, line, key):
    del line[key]
    assert f"the keys {', '.join(KEYS)}" in refusal(line)


WRONG = [None, 1.5, -1, 10**400, "x", "\ud800", "a" * 10_000, [], [[]], [1], {}, {"a": 1}, float("nan"), float("inf")]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("value", WRONG, ids=lambda value: repr(value)[:12])
def test_values_of_wrong_types(refusal, line, key, value):
    line[key] = value
    assert refusal(line)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("format", 2, "format 2 is not known; this version reads format 1"),
        ("game", "toy_gam", "unknown game 'toy_gam' - did you mean 'toy_game'"),
        ("version", 3, "recorded with toy_game version 3, this is version 0"),
        ("seed", True, "a seed is a whole number"),
        ("seed", 2**64, "a seed is a whole number"),
    ],
)
def test_the_sentence_says_what_is_wrong(refusal, line, key, value, sentence):
    line[key] = value
    assert sentence in refusal(line)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"speed": 1}, "options must name each of num_players, perfect_recall, all_pay, reward"),
        ({"num_players": 7}, "option num_players may not be 7; allowed: 2 to 3"),
        ({"num_players": "2"}, "option num_players may not be '2'"),
        ({"reward": [[]]}, "option reward may not be"),
        ({"all_pay": {}}, "option all_pay may not be"),
    ],
)
def test_wrong_options(refusal, line, options, sentence):
    line["options"] |= options
    assert sentence in refusal(line)


@pytest.mark.parametrize("entry", [*WRONG, [0], [0, 1], [0, None, []], [0, "pass", [], []], {"0": "pass"}])
def test_wrong_actions(refusal, line, entry):
    line["actions"][1] = entry
    assert "action 1: an action is [seat, text] or [seat, text, legal texts]" in refusal(line)


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ([99, "pass"], "recorded for seat 99, but seat"),
        ([None, "pass"], "recorded for seat null"),
        ([True, "pass"], "recorded for seat true"),
        ([[], "pass"], "recorded for seat []"),
    ],
)
def test_wrong_seats(refusal, line, entry, sentence):
    line["actions"][0] = entry
    assert sentence in refusal(line)


@pytest.mark.parametrize("text", ["", "bid 99", "BID 1", "\ud800", "look\x1b[2J", "wait"])
def test_wrong_texts(refusal, line, text):
    line["actions"][0] = [line["actions"][0][0], text]
    sentence = refusal(line)
    assert sentence.startswith("line 1: action 0: ") and sentence.isprintable()


@pytest.mark.parametrize("legal", [None, 1, "look", {}, [], ["look"], ["pass", "look"], [[]]])
def test_wrong_legal_texts(refusal, line, legal):
    line["actions"][0][2] = legal
    assert "action 0: the recorded legal actions differ" in refusal(line)


@pytest.mark.parametrize("event", [*WRONG, {"event": "setup"}])
def test_wrong_events(refusal, line, event):
    line["events"][2] = event
    assert "event 2 differs: recorded " in refusal(line)


@pytest.mark.parametrize("key", ["events", "options", "seed", "version", "actions", "format"])
def test_every_depth_of_nesting_gets_a_sentence(refusal, line, key):
    place = {"events": "[@]", "options": json.dumps(line["options"])[:-1] + ', "reward": @}', "actions": "[[@]]"}
    for depth in range(800, 1010):
        nested = "[" * depth + "]" * depth
        text = json.dumps({**line, key: "HERE"}).replace('"HERE"', place.get(key, "@").replace("@", nested))
        assert refusal(text.encode())


def test_a_file_cut_off_in_the_middle(tmp_path):
    file = tmp_path / "games.jsonl"
    record("toy_game", file, games=3)
    file.write_bytes(file.read_bytes()[:-30])
    agree, wrong = verify(file)
    assert agree == 2
    assert len(wrong) == 1 and wrong[0].startswith("line 3: this is not a line of JSON")


def test_good_lines_count_beside_bad_ones(tmp_path, capsys):
    file = tmp_path / "games.jsonl"
    record("toy_game", file, games=2)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + b"garbage\n" + lines[1])
    assert main(["verify", str(file)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("line 2: ") and out[-1] == "2 games agree, 1 do not"


def test_empty_and_missing_files(tmp_path, capsys):
    (tmp_path / "empty.jsonl").touch()
    assert verify(tmp_path / "empty.jsonl")[1] == [f"{tmp_path / 'empty.jsonl'} is empty: there is no recorded game in it."]
    for missing in (tmp_path / "nowhere.jsonl", tmp_path):
        with pytest.raises(HeistError, match="there is no file .*; write one with"):
            verify(missing)
        assert main(["verify", str(missing)]) == 2
        assert "Traceback" not in capsys.readouterr().err
