"""Tournaments: who plays whom, the same rows however often they are interrupted, faults that cost only who made them, and
figures that can be checked."""

import gzip
import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from tempfile import TemporaryFile

import numpy as np
import pytest

from benchmarks import leaderboard
from benchmarks.replays import deal_seeds, file_digest, play_again, read_games, write_replay
from benchmarks.rows import append_row, block_id, digest_of, read_rows, replay_path, row_file, row_line
from benchmarks.tournament import Entrant, draw_tables, entrant, make_row, play_block, registered, schedule, short_name
from benchmarks.verify import AGREES, DIFFERS, OTHER_VERSION, verify_rows
from heist_envs import load_game
from heist_envs.engine.errors import HeistError
from heist_envs.engine.table import Table

from ..support import PYTEST_SETTINGS, ROOT

TOY = load_game("toy_game")
BOTS = ["random_legal", "robby_junior", "greedy"]
MACHINE = {"cores": 1}


def blocks_of(agents=BOTS, games=12, seed=0, game=TOY, **options):
    return schedule(game, game.options.resolve(options), [entrant(name, game) for name in agents], games, seed)


def play_into(results, blocks):
    """Play blocks in this process and keep their rows, as a tournament does."""
    rows = [make_row(block, play_block(block, results), "by hand", None, MACHINE) for block in blocks]
    for row in rows:
        append_row(row_file(results, row.game), row)
    return rows


def board(results, *arguments, fault="", status=0):
    """Run the leaderboard of the toy game in a process of its own; what it said (standard output, error)."""
    settings = {key: value for key, value in os.environ.items() if key not in PYTEST_SETTINGS} | {"BOARD_FAULT": fault}
    command = [sys.executable, "-m", "tests.benchmarks.board", "--results", str(results), "--workers", "2", *arguments]
    with TemporaryFile("w+") as said, TemporaryFile("w+") as warned:  # pipes would wait for processes that outlive it
        with subprocess.Popen(
            command, cwd=ROOT, env=settings, stdout=said, stderr=warned, start_new_session=True
        ) as process:
            ended = process.wait()
        for file in (said, warned):
            file.seek(0)
        texts = said.read(), warned.read()
    assert ended == status, texts
    wait_for_all_of(process.pid)
    return texts


def wait_for_all_of(session):
    """Wait until all processes of a session have ended; they have a minute."""
    for _ in range(600):
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("processes outlive the tournament")


PLAY = ("--game", "toy_game", "--players", "3", "--games", "12")


def rows_without_origin(results):
    """The rows of the toy game by id, without what tells when and where they were made."""
    rows = read_rows(row_file(results, "toy_game"))
    return {row.id: replace(row, seconds=0.0, command="", commit=None, machine={}) for row in rows}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with the results of a tournament that nobody interrupted."""
    results = tmp_path_factory.mktemp("results")
    said, _ = board(results, *PLAY)
    assert "toy_game: 8 blocks, 0 of them known before; played 96 games" in said
    return results


# Who plays whom


def test_everybody_meets_everybody_at_every_side():
    blocks = blocks_of(num_players=3)
    duels = [block for block in blocks if block.kind == "duel"]
    pairs = Counter(tuple(one.name for one in block.entrants) for block in duels)
    assert pairs == {(a, b): 1 for a in BOTS for b in BOTS if a != b}
    assert all(block.lineups == [[0, 1, 1], [1, 0, 1], [1, 1, 0]] for block in duels)
    tables = [block for block in blocks if block.kind == "table"]
    assert all(block.lineups == [[0, 1, 2], [1, 2, 0], [2, 0, 1]] for block in tables)
    assert all(sorted(one.name for one in block.entrants) == sorted(BOTS) for block in tables)
    assert all((block.deals, block.games) == (4, 12) for block in blocks)


def test_two_sides_are_played_both_ways():
    blocks = blocks_of(game=load_game("rob_a_bank"), agents=["greedy", "random_legal"], games=10)
    assert {tuple(map(tuple, block.lineups)) for block in blocks} == {((0, 1, 1), (1, 0, 0))}
    assert Counter(block.kind for block in blocks) == {"duel": 2, "table": 1}
    assert all(block.sides == [0, 1, 1] and block.deals == 5 for block in blocks)


def test_fewer_agents_than_sides_sit_down_again_in_turn():
    (table,) = [b for b in blocks_of(["greedy", "random_legal"], num_players=3) if b.kind == "table"]
    assert table.lineups == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_everybody_sits_at_several_tables():
    many = [Entrant(str(k), str(k), digest_of(k)) for k in range(11)]
    tables = draw_tables(many, 4, {}, 0)
    sat = Counter(one.name for table in tables for one in table)
    assert min(sat.values()) >= 4 and len(sat) == 11
    assert all(len({one.name for one in table}) == 4 for table in tables)
    assert draw_tables(many[::-1], 4, {}, 0) == tables != draw_tables(many, 4, {}, 1)


def test_blocks_follow_from_what_decides_them():
    ids = {block.id for block in blocks_of()}
    assert {block.id for block in blocks_of(BOTS[::-1])} == ids
    duels = {block.id for block in blocks_of(["greedy", "random_legal"]) if block.kind == "duel"}
    assert duels < ids, "a newcomer leaves the duels of the others as they were"
    for other in (blocks_of(games=20), blocks_of(seed=1), blocks_of(num_players=3), blocks_of(all_pay=True)):
        assert not ids & {block.id for block in other}
    assert all(block.id == block_id(block.deciding) for block in blocks_of())
    seeds = [block.seed for block in blocks_of()]
    assert len(set(seeds)) == len(seeds) and max(seeds) < 2**48


def test_one_agent_and_doubles_are_refused():
    with pytest.raises(HeistError, match="needs two agents at least; it has 1"):
        blocks_of(["greedy"])
    with pytest.raises(HeistError, match="two agents are called 'greedy'"):
        blocks_of(["greedy", "greedy"])


def test_rows_name_no_paths_of_this_machine(tmp_path):
    assert short_name("greedy") == "greedy"
    assert short_name(f"run:{ROOT}/runs/maskable_ppo/toy_game_1") == "run:runs/maskable_ppo/toy_game_1"
    assert short_name(f"run:{tmp_path}/toy_game_1") == "run:toy_game_1"
    assert short_name(f"submission:{ROOT}/benchmarks/submissions/toy_game/me") == "submission:me"


def test_submissions_are_registered(tmp_path):
    for name in ("b", "a", "no_card"):
        (tmp_path / "toy_game" / name).mkdir(parents=True)
    for name in ("b", "a"):
        (tmp_path / "toy_game" / name / "agent.json").write_text("{}")
    found = [f"submission:{tmp_path / 'toy_game' / name}" for name in ("a", "b")]
    assert registered(TOY, tmp_path) == ["random_legal", "robby_junior", "greedy", *found]


# The playing of it


def test_every_lineup_plays_the_same_deals(tmp_path):
    block = blocks_of(num_players=3)[0]
    play_block(block, tmp_path)
    with gzip.open(tmp_path / replay_path("toy_game", block.id)) as file:
        head, *games = map(json.loads, file)
    assert head["id"] == block.id and head["lineups"] == block.lineups
    assert [game["seed"] for game in games] == [seed for seed in deal_seeds(block.seed, 4) for _ in range(3)]


def test_a_block_is_played_the_same_every_time(tmp_path):
    block = blocks_of()[0]
    first, second = (play_block(block, tmp_path / name) for name in "ab")
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert first["ranks"] != play_block(replace(block, seed=block.seed + 1), tmp_path)["ranks"]


def test_processes_play_what_one_would(whole, tmp_path):
    play_into(tmp_path, blocks_of(num_players=3))
    assert rows_without_origin(tmp_path) == rows_without_origin(whole)


def test_a_second_call_plays_nothing_again(whole, capsys):
    before = row_file(whole, "toy_game").read_bytes()
    assert leaderboard.main([*PLAY, "--results", str(whole)]) == 0
    assert "8 blocks, 8 of them known before; played 0 games" in capsys.readouterr().out
    assert row_file(whole, "toy_game").read_bytes() == before


def test_a_killed_tournament_goes_on_where_it_was(whole, tmp_path):
    """Killed twice, both times half-way through a line: no row is lost, none comes twice, all are what they would be."""
    board(tmp_path, *PLAY, fault="kill:3", status=-9)
    kept = row_file(tmp_path, "toy_game").read_bytes()
    assert len(read_rows(row_file(tmp_path, "toy_game"))) == 2 and not kept.endswith(b"\n")
    board(tmp_path, *PLAY, fault="kill:4", status=-9)
    said, _ = board(tmp_path, *PLAY)
    assert "8 blocks, 5 of them known before; played 36 games" in said
    assert row_file(tmp_path, "toy_game").read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])
    assert rows_without_origin(tmp_path) == rows_without_origin(whole)
    assert not list(tmp_path.rglob("*.part"))


def test_a_stopped_tournament_keeps_what_has_ended(whole, tmp_path):
    said, warned = board(tmp_path, *PLAY, fault="stop:2", status=143)
    assert "the same command goes on from here" in warned and "Traceback" not in warned
    found, expected = rows_without_origin(tmp_path), rows_without_origin(whole)
    assert 2 <= len(found) < 8 and found.items() <= expected.items()


def test_a_process_that_dies_costs_no_game(whole, tmp_path):
    """Its block is played again."""
    block = blocks_of(num_players=3)[1]
    board(tmp_path, *PLAY, fault=f"once:{block.id}:{tmp_path / 'died'}")
    assert (tmp_path / "died").exists()
    assert rows_without_origin(tmp_path) == rows_without_origin(whole)


def test_a_block_that_kills_its_process_stops_no_other(whole, tmp_path):
    block = blocks_of(num_players=3)[1]
    said, warned = board(tmp_path, *PLAY, fault=f"worker:{block.id}", status=1)
    assert f"{block.id} (random_legal - greedy) has no result: the process that played it died 2 times" in warned
    expected = rows_without_origin(whole)
    del expected[block.id]
    assert rows_without_origin(tmp_path) == expected


PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "act":
        print(json.dumps({"game": message["game"], "action": ACTION}), flush=True)
"""


def a_program(folder, action):
    """The spec of a submitted program that always answers with `action`, a Python expression."""
    folder.mkdir()
    card = {"format": 1, "kind": "process", "name": folder.name, "author": "someone", "description": "a test"}
    card |= {"game": "toy_game", "game_version": 0, "command": ["python3", "-I", "-S", "agent.py"]}
    (folder / "agent.json").write_text(json.dumps(card))
    (folder / "agent.py").write_text(PROGRAM.replace("ACTION", action))
    return f"submission:{folder}"


def test_faults_of_an_agent_are_its_forfeits(tmp_path):
    """Programs that crash or cheat lose their games, with the reason in the row; the row can be checked like any other."""
    rude, crash = (a_program(tmp_path / name, action) for name, action in (("rude", "99"), ("crash", "1 / 0")))
    blocks = [
        block
        for block in blocks_of([rude, crash, "greedy"], games=6, num_players=3)
        if [one.name for one in block.entrants] in (["submission:rude", "greedy"], ["greedy", "submission:crash"])
    ]
    rows = {row.agents[0]["name"]: row for row in play_into(tmp_path, blocks)}
    alone, copies = rows["submission:rude"], rows["greedy"]
    assert alone.forfeits == [6, 0] and alone.win_share == [0, 0.5]
    (reason,) = alone.forfeit_reasons
    assert reason.startswith("submission:rude: it chose ") and "99" in reason
    assert copies.forfeits == [0, 6] and copies.win_share[0] > copies.win_share[1]
    assert copies.forfeit_reasons and all(reason.startswith("submission:crash: it ") for reason in copies.forfeit_reasons)
    findings = list(verify_rows(tmp_path, [row_file(tmp_path, "toy_game")]))
    assert [finding.verdict for finding in findings] == [AGREES, AGREES]


def test_an_agent_that_changes_under_way_is_noticed(tmp_path):
    program = a_program(tmp_path / "me", "0")
    block = blocks_of([program, "greedy"])[0]
    (tmp_path / "me" / "agent.py").write_text("print()")
    with pytest.raises(HeistError, match="submission:me has changed since the tournament began"):
        play_block(block, tmp_path)


# Verifying


@pytest.fixture
def one(tmp_path):
    """(folder of results, its only row)."""
    (row,) = play_into(tmp_path, blocks_of(num_players=3)[:1])
    return tmp_path, row


def findings_of(results):
    return list(verify_rows(results, [row_file(results, "toy_game")]))


def rewrite(results, row):
    """Put `row` in the place of the only row, digest and all."""
    row_file(results, "toy_game").write_bytes(row_line(row))


def test_what_was_played_is_confirmed(one):
    (finding,) = findings_of(one[0])
    assert (finding.id, finding.verdict, finding.sentences) == (one[1].id, AGREES, [])


def other_rank(row):
    words = row.ranks.split(" ")
    words[7] = "231" if words[7] != "231" else "123"
    return {"ranks": " ".join(words)}


CHANGES = {
    "ranks": (other_rank, "ranks of game 7 is recorded as"),
    "scores": (
        lambda row: {"scores": [[row.scores[0][0] + 1e-6, row.scores[0][1]], *row.scores[1:]]},
        "scores is recorded as",
    ),
    "win_share": (lambda row: {"win_share": [row.win_share[0] + 1e-6, row.win_share[1]]}, "win_share is recorded as"),
    "forfeits": (lambda row: {"forfeits": [0, 1]}, "forfeits is recorded as"),
    "forfeit_reasons": (lambda row: {"forfeit_reasons": ["greedy: it hung"]}, "forfeit_reasons is recorded as"),
    "seed": (lambda row: {"seed": row.seed + 1}, "id is not the one"),
    "options": (lambda row: {"options": row.options | {"all_pay": True}}, "id is not the one"),
    "kind": (lambda row: {"kind": "table"}, "id is not the one"),
    "agents": (lambda row: {"agents": [{**row.agents[0], "name": "me"}, row.agents[1]]}, "id is not the one"),
    "digest": (lambda row: {"agents": [{**row.agents[0], "digest": "0" * 64}, row.agents[1]]}, "id is not the one"),
    "lineups": (lambda row: {"lineups": row.lineups[::-1]}, "id is not the one"),
    "replay_sha256": (lambda row: {"replay_sha256": "0" * 64}, "its sha256 differs"),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_a_changed_figure_is_named(one, changed):
    """Even when the row's own digest was mended."""
    change, sentence = CHANGES[changed]
    rewrite(one[0], replace(one[1], **change(one[1])))
    (finding,) = findings_of(one[0])
    assert finding.verdict == DIFFERS and any(sentence in said for said in finding.sentences), finding.sentences


@pytest.mark.parametrize("field", ["options", "sides", "seed"])
def test_an_id_made_anew_does_not_help(one, field):
    results, row = one
    changed = {"options": row.options | {"all_pay": True}, "sides": [1, 0, 2], "seed": row.seed + 1}[field]
    forged = replace(row, **{field: changed})
    forged = replace(forged, id=block_id(vars(forged)))
    forged = replace(forged, replay=replay_path("toy_game", forged.id))
    (results / row.replay).rename(results / forged.replay)
    rewrite(results, forged)
    (finding,) = findings_of(results)
    assert finding.verdict == DIFFERS
    assert finding.sentences[0].endswith(("its first line is not that of the row.", "sides are not those of the game."))


def test_any_changed_byte_of_a_row_is_found(one):
    """Whatever a byte belongs to: command, commit, machine and seconds cannot be played again, but they have a digest."""
    line = row_line(one[1])
    for at in range(20, len(line) - 1, 7):
        row_file(one[0], "toy_game").write_bytes(line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :])
        assert [finding.verdict for finding in findings_of(one[0])] == [DIFFERS], line[:at]


def test_any_changed_byte_of_a_replay_is_found(one):
    file = one[0] / one[1].replay
    content = file.read_bytes()
    for at in range(0, len(content), 97):
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        (finding,) = findings_of(one[0])
        assert finding.verdict == DIFFERS and "is not the file the row speaks of" in finding.sentences[0]
    file.unlink()
    (finding,) = findings_of(one[0])
    assert "there is no file" in finding.sentences[0]


def with_games(one, change):
    """Change the list of lines of the replay, as text, and let the row agree."""
    results, row = one
    lines = gzip.decompress((results / row.replay).read_bytes()).decode().splitlines(keepends=True)
    (results / row.replay).write_bytes(gzip.compress("".join(change(lines)).encode()))
    rewrite(results, replace(row, replay_sha256=file_digest(results / row.replay)))
    (finding,) = findings_of(results)
    assert finding.verdict == DIFFERS
    return finding.sentences[0]


def game_changed(**changes):
    """A change of game 3, whose line is the fifth."""
    return lambda lines: [*lines[:4], json.dumps({**json.loads(lines[4]), **changes}) + "\n", *lines[5:]]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: lines[:-1], "ends before game 11"),
        (lambda lines: [*lines, lines[-1]], "goes on after its 12 games"),
        (lambda lines: lines[1:], "its first line is not that of the row"),
        (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], "of the row|recorded as|cannot have been"),
        (lambda lines: ["x\n", *lines[1:]], "no line of JSON"),
        (lambda lines: [lines[0], "[" * 10_000 + "\n", *lines[2:]], "no line of JSON"),
        (lambda lines: [lines[0], "[]\n", *lines[2:]], "game 0 is no object"),
        (lambda lines: [lines[0], " " * 2**20 + lines[1], *lines[2:]], "or that line is too long"),
        (game_changed(seed=1), "game 3 has the seed 1, but"),
        (game_changed(actions=[0, 0, 0]), "action 0 of game 3 cannot have been: .* legal:"),
        (game_changed(actions=[7000]), "action 0 of game 3 cannot have been"),
        (game_changed(actions=[2**40]), "game 3 has no list of action ids"),
        (game_changed(actions=[1.0]), "game 3 has no list of action ids"),
        (game_changed(actions=[]), "game 3 is not over after its last action"),
        (game_changed(forfeit=[0, "it hung"]), "game 3 is over, though"),
        (game_changed(forfeit=[3, "it hung"]), "a seat that is not at the table"),
        (game_changed(forfeit=[0]), "no seat with a reason"),
        (game_changed(actions=[], forfeit=[0, "it hung"]), "ranks of game 3 is recorded as"),
        (game_changed(more=1), "game 3 is no object"),
    ],
)
def test_games_that_cannot_have_been_are_named(one, change, sentence):
    said = with_games(one, change)
    assert said.startswith((one[1].replay, "ranks"))
    assert any(
        part.replace(" .* ", " ") in said or all(word in said for word in part.split(" .* ")) for part in sentence.split("|")
    )


def test_a_game_goes_on_after_no_end(one):
    def longer(lines):
        game = json.loads(lines[1])
        return [lines[0], json.dumps({**game, "actions": [*game["actions"], game["actions"][0]]}) + "\n", *lines[2:]]

    assert "the game is over" in with_games(one, longer)


def test_a_bomb_is_not_unpacked(one):
    results, row = one
    (results / row.replay).write_bytes(gzip.compress(b" " * 50_000_000, 1))
    with pytest.raises(HeistError, match="too long"):
        list(read_games(results / row.replay, row))


def test_many_games_are_played_again_in_parts(one, monkeypatch):
    monkeypatch.setattr("benchmarks.replays.AT_ONCE", 5)
    assert [finding.verdict for finding in findings_of(one[0])] == [AGREES]


def test_forfeits_are_played_up_to_where_they_were(tmp_path):
    """What a replay says of forfeits makes the same figures again, in whatever part they are."""
    block = blocks_of(num_players=3)[0]
    fields = play_block(block, tmp_path)
    row = make_row(block, fields, "", None, MACHINE)
    games = [actions for actions, _ in read_games(tmp_path / row.replay, row)]
    seeds = np.repeat(deal_seeds(block.seed, block.deals), 3).tolist()
    games[4], given_up = games[4][:-2], {4: (2, "it left")}
    write_replay(tmp_path / row.replay, {**block.deciding, "id": block.id}, seeds, games, given_up)
    ranks, scores, forfeits = play_again(row, read_games(tmp_path / row.replay, row))
    assert forfeits == given_up and ranks.shape == scores.shape == (4, 3, 3)
    assert ranks[1, 1].tolist() == [1, 1, 3]


def test_rows_of_another_version_are_kept_and_said_to_be(whole, tmp_path, capsys):
    (row,) = play_into(tmp_path, blocks_of(num_players=3)[:1])
    older = replace(row, version=7)
    older = replace(older, id=block_id(vars(older)))
    older = replace(older, replay=replay_path("toy_game", older.id))
    (tmp_path / row.replay).rename(tmp_path / older.replay)
    rewrite(tmp_path, older)
    line = row_file(tmp_path, "toy_game").read_bytes()
    assert [finding.verdict for finding in findings_of(tmp_path)] == [OTHER_VERSION]
    assert leaderboard.main(["--results", str(tmp_path), "--verify"]) == 0
    said = capsys.readouterr().out
    assert f"{older.id}: of version 7 of toy_game; its rules are not here" in said
    assert "0 rows agree with their games, 0 do not, 1 of other versions" in said
    for newer in read_rows(row_file(whole, "toy_game")):
        append_row(row_file(tmp_path, "toy_game"), newer)
    assert leaderboard.main([*PLAY, "--results", str(tmp_path)]) == 0
    assert "8 blocks, 8 of them known before" in capsys.readouterr().out
    assert row_file(tmp_path, "toy_game").read_bytes().startswith(line)
    (tmp_path / older.replay).write_bytes(b"")
    assert leaderboard.main(["--results", str(tmp_path), "--verify", older.id]) == 1


def test_verify_on_the_command_line(whole, capsys):
    row = read_rows(row_file(whole, "toy_game"))[3]
    assert leaderboard.main(["--results", str(whole), "--verify"]) == 0
    assert capsys.readouterr().out == "8 rows agree with their games, 0 do not, 0 of other versions\n"
    assert leaderboard.main(["--results", str(whole), "--game", "toy_game", "--verify", row.id]) == 0
    assert capsys.readouterr().out.startswith("1 rows agree")


def test_what_differs_ends_with_status_1(one, capsys):
    rewrite(one[0], replace(one[1], **other_rank(one[1])))
    with row_file(one[0], "toy_game").open("ab") as file:
        file.write(b"what is this?\n")
    assert leaderboard.main(["--results", str(one[0]), "--verify"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"{one[1].id}: ranks of game 7 is recorded as")
    assert "line 2 of toy_game.jsonl: this is not a line of JSON" in said[-2]
    assert said[-1] == "0 rows agree with their games, 2 do not, 0 of other versions"


# The command line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name a game with --game: all, "),
        (["--game", "toy_gam"], "unknown game 'toy_gam' - did you mean 'toy_game'"),
        (["--game", "toy_game", "--players", "9"], "option num_players may not be '9'; allowed: 2 to 3"),
        (["--game", "toy_game", "--games", "1"], "--games may not be '1'; allowed: a whole number from 2"),
        (["--game", "toy_game", "--seed", "x"], "--seed may not be 'x'"),
        (["--game", "toy_game", "--workers", "0"], "--workers may not be '0'"),
        (["--game", "toy_game", "--agents", "greedy"], "needs two agents at least"),
        (
            ["--game", "toy_game", "--agents", "greedy,gredy"],
            "unknown agent for toy_game 'gredy' - did you mean 'greedy'",
        ),
        (["--game", "toy_game", "--agents", "greedy,baseline"], "no baseline of toy_game is shipped"),
        (["--game", "toy_game", "--agents", "greedy,run:nowhere"], "there is no file nowhere"),
        (["--game", "toy_game", "--env-kwargs", "all_pay"], "should read NAME:VALUE"),
        (["--game", "toy_game", "--env-kwargs", "allpay:True"], "unknown option 'allpay' - did you mean 'all_pay'"),
        (["--game", "toy_game", "--games"], "expected one argument; see --help"),
        (["--game", "toy_game", "--gamez", "2"], "unrecognized arguments: --gamez 2"),
        (["--verify", "toy_game-000000000000"], "there is no row toy_game-000000000000"),
        (["--verify", "--pages-only"], "cannot be given together"),
    ],
)
def test_wrong_calls_are_refused_and_write_nothing(tmp_path, capsys, arguments, sentence):
    assert leaderboard.main([*arguments, "--results", str(tmp_path / "results")]) == 2
    said = capsys.readouterr()
    assert sentence in said.err and said.err.count("\n") == 1 and said.out == ""
    assert not (tmp_path / "results").exists()


def test_results_that_are_no_folder_are_refused(tmp_path, capsys):
    (tmp_path / "results").write_text("mine")
    assert leaderboard.main(["--game", "toy_game", "--results", str(tmp_path / "results")]) == 2
    assert "is a file; name a folder" in capsys.readouterr().err
    assert (tmp_path / "results").read_text() == "mine"


def test_unusable_submissions_are_left_out_with_a_sentence(tmp_path, capsys, monkeypatch):
    (tmp_path / "toy_game" / "broken").mkdir(parents=True)
    (tmp_path / "toy_game" / "broken" / "agent.json").write_text("{")
    monkeypatch.setattr(leaderboard, "registered", lambda game: registered(game, tmp_path))
    assert [one.name for one in leaderboard.usable(TOY)] == ["random_legal", "robby_junior", "greedy"]
    assert "broken is left out: " in capsys.readouterr().err


def test_rows_tell_how_they_were_made(whole):
    (row, *_) = read_rows(row_file(whole, "toy_game"))
    assert row.command == "python benchmarks/leaderboard.py --game toy_game --games 12 --seed 0 --players 3"
    assert {"platform", "cpu", "cores", "python", "packages"} <= row.machine.keys()
    text = row_file(whole, "toy_game").read_text()
    assert str(whole) not in text and str(ROOT) not in text and os.uname().nodename not in text


def test_pages_follow_the_tournament(whole):
    assert "robby_junior" in (whole / "LEADERBOARD.md").read_text() and (whole / "leaderboard.html").is_file()


def test_sides_of_rows_are_those_of_the_game(whole):
    for row in read_rows(row_file(whole, "toy_game")):
        assert row.sides == Table(TOY, 1, **row.options).sides().tolist()
