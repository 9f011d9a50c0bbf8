"""Recorded games play again exactly, whatever the players and options, and a changed line is found out."""

import json

import pytest

from heist_envs.engine.errors import HeistError
from heist_envs.policies.scripted import bot_names
from heist_envs.replay.record import record
from heist_envs.replay.verify import verify, verify_line

from ..support import around_the_defaults, each_game, each_table, heist_envs


def recorded(folder, name, games=1, **settings):
    """The lines of a recording, as dicts."""
    file = folder / f"{name}.jsonl"
    record(name, file, games, **{"seed": 4, "legal": True, **settings})
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@each_table
def test_games_of_all_bots_verify(tmp_path, name, players):
    file = tmp_path / "games.jsonl"
    bots = bot_names(heist_envs.load_game(name))
    for legal in (True, False):
        record(name, file, games=4, seed=1, bots=bots, legal=legal, num_players=players)
        assert verify(file) == (4, [])


@each_table
def test_every_option_value_verifies(tmp_path, name, players):
    game = heist_envs.load_game(name)
    for options in around_the_defaults(name, num_players=players):
        file = tmp_path / "games.jsonl"
        record(name, file, games=2, seed=1, bots=bot_names(game), **options)
        assert verify(file) == (2, [])
        line = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
        assert line["options"] == game.options.resolve(options)


@each_table
def test_a_line_holds_the_whole_game(tmp_path, name, players):
    game = heist_envs.load_game(name)
    line, other = recorded(tmp_path, name, games=2, num_players=players)
    assert list(line) == ["format", "game", "version", "options", "seed", "actions", "events"]
    assert (line["format"], line["game"], line["version"]) == (1, name, game.about.version)
    assert line["seed"] != other["seed"]
    assert line["events"][0]["event"] == "setup" and line["events"][-1]["event"] == "end"
    for event in line["events"]:
        assert list(event) == ["event", *game.events.events[event["event"]]]
    for seat, text, legal in line["actions"]:
        assert 0 <= seat < players
        assert text in legal and "wait" not in legal
        assert [game.actions.parse(word) for word in legal] == sorted(game.actions.ids[word] for word in legal)


@each_game
def test_same_call_same_bytes(tmp_path, name):
    files = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    for file in files:
        record(name, file, games=3, seed=8, bots=["greedy", "robby_junior"], legal=True)
    assert files[0].read_bytes() == files[1].read_bytes()
    record(name, files[1], games=2, seed=8, bots=["greedy", "robby_junior"], legal=True)
    assert files[0].read_bytes().startswith(files[1].read_bytes())


def change_event(line):
    line["events"][3][list(line["events"][3])[1]] = "something else"
    return "event 3 differs"


def drop_event(line):
    del line["events"][5]
    return "event 5 differs"


def add_event(line):
    line["events"].append({"event": "end"})
    return f"event {len(line['events']) - 1} differs"


def change_seat(line):
    line["actions"][2][0] += 1
    return "action 2: recorded for seat"


def change_action(line):
    line["actions"][2][1] = "wait"
    return "action 2: "


def change_legal(line):
    del line["actions"][2][2][-1]
    return "action 2: the recorded legal actions differ"


def cut_off(line):
    del line["actions"][-1]
    return "the game is not over"


def go_on(line):
    line["actions"].append(line["actions"][-1])
    return f"action {len(line['actions']) - 1}: the game is over before"


def other_deal(line):
    line["seed"] += 1
    return "."


CHANGES = (change_event, drop_event, add_event, change_seat, change_action, change_legal, cut_off, go_on, other_deal)


@each_game
@pytest.mark.parametrize("change", CHANGES)
def test_changed_lines_are_found_out(tmp_path, name, change):
    good, line = recorded(tmp_path, name, games=2)
    verify_line(line)
    sentence = change(line)
    with pytest.raises(HeistError, match=sentence):
        verify_line(line)
    file = tmp_path / "changed.jsonl"
    file.write_text(json.dumps(good) + "\n" + json.dumps(line) + "\n", encoding="utf-8")
    agree, wrong = verify(file)
    assert agree == 1
    assert len(wrong) == 1 and wrong[0].startswith("line 2: ")
