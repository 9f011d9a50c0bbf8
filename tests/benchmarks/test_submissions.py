"""Submissions: what fits plays as it should, and whatever hostile thing is handed in ends in a sentence."""

import gc
import gzip
import hashlib
import io
import json
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import time
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save

from benchmarks import submit_check
from heist_envs import HeistError, load_agent, load_game
from heist_envs.arena.match import play_match, play_out
from heist_envs.engine.table import Table
from heist_envs.envs.seat_batch import SeatBatch
from heist_envs.policies import processes
from heist_envs.policies.agents import Agent, find_agent
from heist_envs.policies.external_players import hello
from heist_envs.policies.network import save_policy
from heist_envs.policies.players import Players
from heist_envs.policies.processes import LIMITS, Fault, Limits, Process, Talk, hold
from heist_envs.policies.submissions import CARD, WEIGHTS, load_submission, submissions_for

from ..policies.test_players import a_network
from ..support import ROOT, each_game, run_python

TOY = load_game("toy_game")
QUICK = Limits(start=20, decision=20, memory=256, restarts=1)
EXAMPLE = ROOT / "benchmarks" / "submissions" / "example" / "example_program"
LINUX = sys.platform == "linux"

PLAYING = """
import json, os, sys, time
def say(message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "ready"})
    elif message["type"] == "act":
        game, legal, seen = message["game"], message["legal"], message["observation"]
"""
LOWEST = "say({'game': game, 'action': min(legal)})"


@pytest.fixture
def program(tmp_path):
    """Makes the folder of a program from what it does in an `act` (or from the whole of it) and changes of its card."""

    def make(act=LOWEST, whole=None, **changes):
        folder = tmp_path / "agent"
        folder.mkdir(exist_ok=True)
        body = "".join(f"        {line}\n" for line in act.splitlines())
        (folder / "agent.py").write_text(whole if whole is not None else PLAYING + body)
        card = {"format": 1, "kind": "process", "name": "agent", "author": "someone", "description": "a test"}
        card |= {"game": "toy_game", "game_version": 0, "command": ["python3", "-I", "-S", "agent.py"]}
        (folder / CARD).write_text(json.dumps(card | changes))
        return folder

    return make


@pytest.fixture
def policy(tmp_path):
    """The folder of a policy submission."""
    save_policy(tmp_path / "run", a_network(TOY, 1).policy)
    submit_check.pack(tmp_path / "run", tmp_path / "net", "someone", "a test")
    return tmp_path / "net"


def change_card(folder, **changes):
    card = json.loads((folder / CARD).read_text()) | changes
    (folder / CARD).write_text(json.dumps({key: value for key, value in card.items() if value is not None}))


def put_weights(folder, content):
    """Replace the weights and let the card agree, as an attacker would."""
    (folder / WEIGHTS).write_bytes(content)
    change_card(folder, weights_sha256=hashlib.sha256(content).hexdigest())


def refused(folder, words):
    with pytest.raises(HeistError, match=words) as error:
        load_submission(folder, "toy_game")
    assert "\n" not in str(error.value)


def play(folder, limits=QUICK, games=4, seats=(0, 1), deals=None):
    """Play games of a program (agent 0) against a bot. Returns (`Outcome`, its `Program`)."""
    table = Table("toy_game", games, num_players=len(seats))
    table.reset(np.arange(games) if deals is None else deals)
    agent = Agent("agent", external=replace(load_submission(folder), limits=limits))
    with Players(table, [agent, Agent("greedy")], np.tile(seats, (games, 1)), [1]) as players:
        outcome = play_out(table, players, record=True)
    return outcome, players.external.programs[0]


def wait_until(condition, seconds=30):
    """Whether a condition comes true; how long it takes is nobody's business."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def running(marker):
    """Whether any process has `marker` in its command line."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in file.read_bytes() and file.parent.name != str(os.getpid()):
                return True
        except OSError:
            continue
    return False


# --- good programs


def test_a_program_plays_what_it_was_shown(program):
    """Its action depends on all of the observation, so a wrong number or a mixed-up game would show."""
    act = "say({'game': game, 'action': legal[round(1000 * sum(seen)) % len(legal)]})"
    outcome, told = play(program(act), games=12, seats=(0, 1, 0))
    assert outcome.forfeits == {} and told.faults == 0 and told.decisions > 50
    table = Table("toy_game", num_players=3)
    for game, actions in enumerate(outcome.actions):
        table.reset(game)
        for action in actions:
            if table.seat[0] != 1:
                legal = np.flatnonzero(table.mask[0])
                exact = [float(str(number)) for number in table.observation[0]]
                assert action == legal[round(1000 * sum(exact)) % len(legal)]
            table.play([action])
        assert table.over[0]


def test_the_first_line_tells_all_about_the_game(program):
    whole = PLAYING.replace('say({"type": "ready"})', "print(line, file=sys.stderr); say({'type': 'ready'})")
    _, told = play(program(whole=whole + f"        {LOWEST}\n"))
    assert len(told.hello) < 2 * processes.LAST_WORDS
    assert told.last_words.strip() and told.hello.strip().endswith(told.last_words.strip()[-200:])
    hello = json.loads(told.hello)
    assert hello["actions"] == TOY.actions.texts and hello["options"]["num_players"] == hello["players"] == 2
    assert sum(int(np.prod(part["shape"])) for part in hello["observation"]) == TOY.observation.size
    assert hello["limits"] == asdict(QUICK) and (hello["game"], hello["version"]) == ("toy_game", 0)


@each_game
def test_every_game_can_be_told_in_one_line(name):
    table = Table(name)
    told = json.loads(hello(table, LIMITS))
    assert sum(int(np.prod(part["shape"])) for part in told["observation"]) == table.observation.shape[1]
    assert told["actions"] == table.game.actions.texts and told["options"] == table.options


def test_answers_may_come_late_and_in_any_order():
    backwards = "import sys\nfor line in [sys.stdin.readline() for _ in range(9)][::-1]: print(line, end='', flush=True)"
    process = Process([sys.executable, "-c", backwards], ROOT, QUICK)
    talk = Talk(process, [(str(key).encode(), f"{key}\n".encode()) for key in range(9)], lambda line: (line, int(line)), 10)
    hold([talk])
    process.close()
    assert talk.fault is None and list(talk.answers.values()) == list(range(9))[::-1]


def test_copies_never_meet_a_deal_twice(program):
    """Duplicate deals and several seats at one table: each repetition has a process of its own, which stays the same."""
    table = Table("toy_game", 6, num_players=3)
    table.reset(np.repeat([7, 8], 3))
    agent = Agent("agent", external=replace(load_submission(program()), limits=QUICK))
    seats, actions, seen = np.tile([[0, 0, 1], [0, 1, 0], [1, 0, 0]], (2, 1)), np.zeros(6, np.int64), {}
    with Players(table, [agent, Agent("greedy")], seats, [1]) as players:
        while not table.over.all():
            players.seats[table.over != 0] = -1
            players.choose(actions)
            for place, copy in players.external._copies.items():
                assert seen.setdefault(place, copy) is copy
            table.play(actions, table.over == 0)
    for deal in (0, 3):
        copies = [copy for (game, _), copy in seen.items() if deal <= game < deal + 3]
        assert len(copies) == len(set(copies)) == 6
    assert len(set(seen.values())) == 6


def test_programs_play_matches(program):
    result = play_match(TOY, find_agent(f"submission:{program()}", TOY), Agent("greedy"), 10, seed=1)
    assert result.games == 10 and result.agent.startswith("submission:")


def test_it_sees_only_a_small_environment(program, monkeypatch):
    monkeypatch.setenv("A_SECRET", "1")
    _, told = play(program("print(' '.join(sorted(os.environ)), file=sys.stderr, flush=True)\n" + LOWEST), games=1)
    names = set(told.last_words.decode().split())
    assert names - {"LC_CTYPE"} == set(processes.environment("."))
    assert "A_SECRET" not in names


def test_it_writes_no_files_and_reaches_nobody(program):
    act = """try:
    with open('kept.txt', 'w') as file: file.write('x')
except OSError as error: print('no file', file=sys.stderr, flush=True)
import socket
try: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 1); print('connected', file=sys.stderr, flush=True)
except OSError: pass
"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = ["python3", "-I", "-S", "agent.py", str(server.getsockname()[1])]
        folder = program(act + LOWEST, command=command)
        outcome, told = play(folder, games=1)
    assert outcome.forfeits == {} and b"no file" in told.last_words
    kept = folder / "kept.txt"
    assert not kept.exists() or kept.stat().st_size == 0
    assert told.confined is (b"connected" not in told.last_words)


# --- programs that fail: the games concerned are forfeited, with a reason, and the others go on

SILENT = "it did not answer"
FAULTS = {
    "hangs": ("time.sleep(60)", "it did not answer within 0.3 seconds"),
    "answers nothing": ("pass", "it did not answer within 0.3 seconds"),
    "prints garbage": ("print('hello', flush=True)", "it answered 'hello' instead of a line such as"),
    "prints bytes": ("os.write(1, bytes(range(128, 200)) + b'\\n')", "instead of a line such as"),
    "prints an empty line": ("print(flush=True)", "it answered '' instead of a line"),
    "prints no object": ("say([game, min(legal)])", "instead of a line such as"),
    "names no game": ("say({'action': min(legal)})", "instead of a line such as"),
    "names true as its game": ("say({'game': True, 'action': min(legal)})", "instead of a line such as"),
    "names another game": ("say({'game': 77777, 'action': min(legal)})", "which nobody had asked for"),
    # Both in one write: an answer that comes later may be taken for that to the next question.
    "answers twice": (
        "os.write(1, (json.dumps({'game': game, 'action': min(legal)}) + '\\n').encode() * 2)",
        "which nobody had asked for",
    ),
    "nests deeply": ("print('[' * 900, flush=True)", "instead of a line such as"),
    "sends a huge number": ("print('{\"game\": ' + '9' * 900 + '}', flush=True)", "nobody had asked for"),
    "floods without end": ("while True: os.write(1, b'x' * 65536)", "it wrote a line of more than 1000 bytes"),
    "floods with lines": ("while True: os.write(1, b'{}\\n' * 20000)", "instead of a line such as"),
    "floods the error stream": ("while True: os.write(2, b'x' * 65536)", "it did not answer within 0.3 seconds"),
    "exits": ("os._exit(3)", "it ended with status 3"),
    "raises": ("raise ValueError('no')", "it ended with status 1"),
    "kills itself": ("os.kill(os.getpid(), 9)", "it was ended by signal 9"),
    "closes its output": ("os.close(1); time.sleep(60)", "it closed its output|it did not answer"),
    "leaves a child with its output": ("if os.fork() == 0: time.sleep(60)\nos._exit(4)", "it ended with status 4"),
    "takes memory": ("held = b'x' * (1 << 30)", "it ended with status 1"),
    "forks without end": ("while True: os.fork()", "it did not answer|it ended|it took more than"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_a_forfeit(program, fault, monkeypatch):
    monkeypatch.setattr(processes, "FAREWELL", 1.0 if fault == "closes its output" else 10.0)
    act, why = FAULTS[fault]
    patience = 0.3 if SILENT in why else 20
    outcome, told = play(program(act), Limits(start=20, decision=patience, memory=256, restarts=0), games=3)
    assert set(outcome.forfeits) == {0, 1, 2} and told.faults == 1
    for seat, reason in outcome.forfeits.values():
        assert seat == 0 and re.search(why, reason) and reason.endswith(".") and reason.isprintable()
    assert outcome.rank.tolist() == [[2, 1]] * 3
    assert len(told.last_words) <= processes.LAST_WORDS


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("0", "it chose an illegal action: player_0 may not 'wait'"),
        ("99", "it chose '99', which is no action; actions are whole numbers below"),
        ("-1", "it chose '-1', which is no action"),
        ("10**300", "which is no action"),
        ("float('nan')", "it chose 'NaN', which is no action"),
        ("1.0", "it chose '1.0', which is no action"),
        ("True", "it chose 'true', which is no action"),
        ("None", "it chose 'null', which is no action"),
        ("'pass'", "which is no action"),
        ("[1] * 200", "which is no action"),
        ("{'\\x1b[2J': 1}", "which is no action"),
    ],
)
def test_a_wrong_action_costs_one_game_only(program, action, why):
    """In the second game; the program itself goes on."""
    outcome, told = play(program(f"say({{'game': game, 'action': ({action}) if game == 2 else min(legal)}})"))
    assert set(outcome.forfeits) == {1} and told.faults == 0
    assert why in outcome.forfeits[1][1] and outcome.forfeits[1][1].isprintable() and len(outcome.forfeits[1][1]) < 400


STARTS = {
    "never reads": ("import time; time.sleep(60)", "it did not answer within 0.3 seconds"),
    "exits at once": ("raise SystemExit(5)", "it ended with status 5"),
    "is no Python": ("(", "it ended with status 1"),
    "greets wrongly": ("print('{}', flush=True); input(); input()", 'to the first line instead of {"type": "ready"}'),
    "floods at once": ("while True: print('x' * 1000)", "it wrote a line of more than 1000 bytes|instead of a line"),
}


@pytest.mark.parametrize("start", STARTS)
def test_a_program_that_does_not_start_forfeits_all_at_once(program, start):
    whole, why = STARTS[start]
    outcome, told = play(program(whole=whole), replace(QUICK, start=0.3 if SILENT in why else 20), seats=(0, 1, 0))
    assert set(outcome.forfeits) == {0, 1, 2, 3} and told.faults == 1
    assert all(re.search(f"it could not be started: .*({why})", reason) for _, reason in outcome.forfeits.values())


def test_a_command_that_leads_nowhere(program):
    outcome, _ = play(program(command=["python3", "missing.py"]), games=1)
    assert "could not be started: it ended with status 2." in outcome.forfeits[0][1]


def test_it_is_started_anew_for_the_other_games(program, monkeypatch):
    """A process that ends at its third question loses one game each time; the last one allowed loses the rest."""
    monkeypatch.setattr(processes, "WINDOW", 1)
    act = "asked = globals()['asked'] = globals().get('asked', 0) + 1\nif asked == 3: os._exit(1)\n" + LOWEST
    outcome, told = play(program(act), replace(QUICK, restarts=2), games=8)
    reasons = [why for _, why in outcome.forfeits.values()]
    assert reasons[:3] == ["it ended with status 1."] * 3 and told.faults == 3
    assert set(reasons[3:]) == {"it had failed 3 times before; the last time: it ended with status 1."}
    assert len(outcome.forfeits) == 8


def test_slow_programs_run_out_of_time(program):
    outcome, told = play(program("time.sleep(0.02)\n" + LOWEST), replace(QUICK, game=0.05), games=3)
    assert set(outcome.forfeits) == {0, 1, 2} and told.faults == 0
    assert {why for _, why in outcome.forfeits.values()} == {"its answers took more than 0.05 seconds a game."}


def test_noise_on_the_error_stream_is_no_fault(program):
    outcome, told = play(program("os.write(2, b'noise ' * 100000)\n" + LOWEST), games=3)
    assert outcome.forfeits == {} and len(told.last_words) == processes.LAST_WORDS


def test_memory_of_all_that_a_program_starts_is_counted(program):
    """Shared memory is in no limit of a single process."""
    act = "import mmap\nheld = mmap.mmap(-1, 200 << 20)\nfor at in range(0, 200 << 20, 4096): held[at] = 1\ntime.sleep(60)"
    outcome, _ = play(program(act), replace(QUICK, decision=60, memory=100), games=1)
    assert not LINUX or outcome.forfeits[0][1] == "it took more than the 100 MiB of memory it may have."


def test_who_does_not_read_is_not_waited_for():
    """More than a pipe holds is on its way to a program that never reads."""
    process = process = Process([sys.executable, "-c", "import time; time.sleep(60)"], ROOT, QUICK)
    talk = Talk(process, [(key, b"x" * 100_000 + b"\n") for key in range(40)], lambda line: (line, None), 0.3)
    hold([talk])
    process.close()
    assert talk.fault == "it did not answer within 0.3 seconds." and len(talk.waiting) == 40 - processes.WINDOW
    assert process.unsent


def test_one_that_fails_does_not_hold_up_another():
    echo = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    good, bad = (Process([sys.executable, "-c", code], ROOT, QUICK) for code in (echo, "while True: print('x' * 999)"))
    requests = [(str(key).encode(), f"{key}\n".encode()) for key in range(200)]

    def parse(line):
        if b"x" in line:
            raise Fault("it shouts.")
        return line, int(line)

    talks = [Talk(process, requests, parse, 10) for process in (good, bad)]
    hold(talks)
    good.close(), bad.close()
    assert talks[0].fault is None and talks[0].answers == {str(key).encode(): key for key in range(200)}
    assert talks[1].fault == "it shouts." and not talks[1].answers


# --- nothing is left running

LEAVE_BEHIND = """import subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for stream in (0, 1, 2): os.close(stream)
        os.execvp('sleep', ['sleep', '60.' + sys.argv[1]])
    os._exit(0)
"""


def test_children_that_hide_are_killed(program):
    marker = str(time.monotonic_ns())
    folder = program(LEAVE_BEHIND + LOWEST, command=["python3", "-I", "-S", "agent.py", marker])
    table = Table("toy_game", 1)
    table.reset(1)
    agent = Agent("agent", external=replace(load_submission(folder), limits=QUICK))
    players = Players(table, [agent], np.zeros((1, 2)), [1])
    players.choose(np.zeros(1, np.int64))
    assert not LINUX or wait_until(lambda: running(f"60.{marker}"))
    players.close()
    assert wait_until(lambda: not running(marker))


def test_forgotten_programs_end_too(program):
    marker = str(time.monotonic_ns())
    folder = program(command=["python3", "-I", "-S", "agent.py", marker])
    table = Table("toy_game", 1)
    table.reset(1)
    players = Players(table, [Agent("agent", external=load_submission(folder))], np.zeros((1, 2)), [1])
    players.choose(np.zeros(1, np.int64))
    assert not LINUX or running(marker)
    del players
    gc.collect()
    assert wait_until(lambda: not running(marker))


def test_programs_end_with_a_tournament_that_is_killed():
    marker = str(time.monotonic_ns())
    code = f"""
import sys, time
from heist_envs.policies.processes import LIMITS, Process
process = Process([sys.executable, "-c", "import time; time.sleep(60)", "{marker}x"], ".", LIMITS)
print("begun", flush=True)
time.sleep(60)
"""
    tournament = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    assert tournament.stdout.readline() == b"begun\n"
    assert not LINUX or wait_until(lambda: running(f"{marker}x\0"))
    tournament.send_signal(signal.SIGKILL)
    tournament.wait()
    tournament.stdout.close()
    assert wait_until(lambda: not running(f"{marker}x"))


# --- folders


def test_a_policy_that_fits(policy):
    found = load_submission(policy, "toy_game")
    assert (found.kind, found.name, found.game, found.command, found.policy.layers) == (
        "policy",
        "net",
        "toy_game",
        (),
        (16,),
    )
    assert found.digest == load_submission(policy).digest
    (policy / "README.md").write_text("About me.")
    assert load_submission(policy).digest != found.digest
    assert found.policy.options == load_agent("toy_game", f"submission:{policy}").options


def test_a_program_that_fits(program):
    found = load_submission(program(), "toy_game")
    assert found.policy is None and found.command[0] == "python3" and found.limits is LIMITS


def test_a_submitted_policy_plays_as_the_one_it_was(policy, tmp_path):
    mine, theirs = (find_agent(name, TOY) for name in (f"run:{tmp_path / 'run'}", f"submission:{policy}"))
    assert theirs.external is None
    one, other = (play_match(TOY, agent, Agent("greedy"), 40, seed=3) for agent in (mine, theirs))
    assert one.win_share == other.win_share and one.mean_score == other.mean_score


def a_zip():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("policy.safetensors", bytes(1 << 20))
    return content.getvalue()


class Evil:
    """Runs code when unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('code ran')",)


@pytest.mark.parametrize(
    "content", [a_zip(), gzip.compress(bytes(1 << 20)), pickle.dumps(Evil()), b""], ids=lambda c: repr(c[:4])
)
def test_weights_that_are_something_else(policy, content):
    put_weights(policy, content)
    refused(policy, "policy.safetensors is not a safetensors file")


def test_weights_that_are_a_torch_pickle(policy):
    content = io.BytesIO()
    torch.save(Evil(), content)
    put_weights(policy, content.getvalue())
    refused(policy, "not a safetensors file")


def test_weights_of_wrong_shapes_or_numbers(policy):
    kept = dict(load_submission(policy).policy.network.state_dict())
    put_weights(policy, save(kept | {"action.weight": torch.zeros(3, 3)}))
    refused(policy, r"tensor action.weight in .* must be torch.float32 .*, not torch.float32 \(3, 3\)")
    put_weights(policy, save(kept | {"value.bias": torch.full((1,), float("nan"))}))
    refused(policy, "tensor value.bias in .* not finite")
    put_weights(policy, save(kept | {"more": torch.zeros(1)}))
    refused(policy, "exactly the tensors")


def test_weights_that_are_not_those_of_the_card(policy):
    (policy / WEIGHTS).write_bytes((policy / WEIGHTS).read_bytes()[:-1] + b"\1")
    refused(policy, "is not the file its agent.json speaks of")
    (policy / WEIGHTS).unlink()
    refused(policy, "there is no file .*policy.safetensors")


@pytest.mark.parametrize("name", [WEIGHTS, CARD, "README.md"])
def test_huge_files_are_not_read(policy, name):
    with (policy / name).open("ab") as file:
        file.truncate(1 << 40)  # sparse: it takes no room
    refused(policy, "has more than the 200 files and folders, 8 levels and 64 MiB it may have")


def test_many_files_and_deep_folders(program):
    folder = program()
    deep = folder / "/".join("abcdefgh")
    deep.mkdir(parents=True)
    assert load_submission(folder)
    (deep / "file").touch()
    refused(folder, "8 levels")
    (deep / "file").unlink()
    for number in range(200):
        (folder / f"{number}").touch()
    refused(folder, "more than the 200 files")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[" * 60_000, "not JSON"),
        (b'{"a":' * 10_000, "not JSON"),
        (b" " * 100_000, "larger than"),
        (gzip.compress(b" " * (1 << 24)), "not JSON"),
        (a_zip(), "not JSON"),
        (pickle.dumps(Evil()), "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"", "not JSON"),
        (b"[]", "must be a JSON object"),
        (b"{}", "must be a JSON object"),
        (b"9" * 5000, "not JSON"),
    ],
    ids=lambda value: repr(value)[:12],
)
def test_cards_that_are_no_cards(program, content, words):
    folder = program()
    (folder / CARD).write_bytes(content)
    refused(folder, words)


WRONG_CARDS = [
    ({"kind": "zip"}, "unknown kind in .*: 'zip'.*Allowed: policy, process"),
    ({"kind": None}, "with the keys kind, name"),
    ({"kind": 3}, "kind in .* must be a text"),
    ({"name": "other"}, "name in .* must be that of the folder"),
    ({"name": "../agent"}, "must be that of the folder"),
    ({"author": ""}, "author in .* must be one line of 1 to 80"),
    ({"author": "x" * 81}, "one line of 1 to 80"),
    ({"author": "\ud800"}, "printable characters"),
    ({"description": "two\nlines"}, "description in .* must be one line"),
    ({"description": "\x1b[2J"}, "printable"),
    ({"format": 2}, "reads format 1"),
    ({"format": True}, "format in .* must be of type int"),
    ({"game": "no_such"}, "unknown game in"),
    ({"game": "x" * 10_000}, "unknown game in"),
    ({"game": "banquefall"}, "is an agent for 'banquefall', not for 'toy_game'"),
    ({"game_version": 99}, "is for version 99 of toy_game, now 0"),
    ({"extra": 1}, "exactly the keys"),
    ({"command": None}, "exactly the keys"),
    ({"command": "python3 agent.py"}, "command in .* must be of type list"),
    ({"command": []}, "a list of 1 to 20 texts"),
    ({"command": ["python3"] * 21}, "a list of 1 to 20 texts"),
    ({"command": ["python3", 1]}, "a list of 1 to 20 texts"),
    ({"command": ["python3", ""]}, "1 to 200 printable characters"),
    ({"command": ["python3", "a\0b"]}, "1 to 200 printable characters"),
    ({"command": ["python3", "x" * 201]}, "1 to 200 printable characters"),
    ({"command": ["/bin/sh"]}, "'/bin/sh' of command in .* leads out of the folder"),
    ({"command": ["../run"]}, "leads out of the folder"),
    ({"command": ["python3", "x/../../y"]}, "leads out of the folder"),
    ({"command": ["python3", "~/y"]}, "leads out of the folder"),
    ({"command": ["no_such_program_here"]}, "there is no program 'no_such_program_here' on this machine"),
    ({"command": ["./missing"]}, "there is no program './missing' in the folder"),
    ({"command": ["./agent.py"]}, "may not be executed"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG_CARDS, ids=lambda value: repr(value)[:24])
def test_wrong_cards(program, changes, words):
    folder = program()
    change_card(folder, **changes)
    refused(folder, words)


def test_cards_of_policies_are_as_strict(policy):
    card = json.loads((policy / CARD).read_text())
    for key, value, words in (
        ("observation_layout", "0", "another observation layout"),
        ("action_table", "0", "another action table"),
        ("network", {"family": "os.system", "layers": [16], "activation": "relu"}, "unknown network family"),
        ("network", {"family": "mlp", "layers": [10**9], "activation": "relu"}, "widths from 1 to"),
        ("command", ["sh"], "exactly the keys"),
        ("weights_sha256", None, "exactly the keys"),
    ):
        change_card(policy, **{key: value})
        refused(policy, words)
        (policy / CARD).write_text(json.dumps(card))


def a_link_to_a_file(folder):
    (folder / "data").symlink_to("/etc/hostname")


def a_link_to_a_folder(folder):
    (folder / "data").symlink_to("/etc")


def a_link_in_a_folder(folder):
    (folder / "more").mkdir()
    (folder / "more" / "data").symlink_to("../agent.json")


def a_pipe(folder):
    os.mkfifo(folder / "data")


@pytest.mark.parametrize("trick", [a_link_to_a_file, a_link_to_a_folder, a_link_in_a_folder, a_pipe])
def test_links_and_pipes(program, trick):
    folder = program()
    trick(folder)
    refused(folder, "data is a link or something else that is no plain file")


@pytest.mark.parametrize("name", [CARD, WEIGHTS])
def test_links_and_pipes_in_the_place_of_its_files(policy, name):
    (policy / name).unlink()
    (policy / name).symlink_to("/dev/zero")
    refused(policy, "is a link")
    (policy / name).unlink()
    os.mkfifo(policy / name)
    refused(policy, "no plain file")


def test_a_folder_that_is_a_link(program, tmp_path):
    (tmp_path / "away").symlink_to(program())
    refused(tmp_path / "away", "away is a link; name the folder itself")


@pytest.mark.parametrize("name", ["__pycache__", ".hidden", "a b", "line\nbreak", "-x", "\x1b[2J", "é"])
def test_strange_file_names(program, name):
    folder = program()
    (folder / name).touch()
    refused(folder, "the file name .* is not allowed")


def test_policies_bring_no_other_files(policy):
    (policy / "agent.py").write_text("raise SystemExit('code ran')")
    refused(policy, "a policy submission has no file agent.py")


def test_a_folder_that_is_not_there(tmp_path):
    refused(tmp_path / "agent", "there is no folder")
    (tmp_path / "agent").mkdir()
    refused(tmp_path / "agent", "there is no file .*agent.json")


# --- where submissions are named


@pytest.mark.parametrize(("name", "words"), [("submission:", "unknown agent"), ("submission:nowhere", "there is no folder")])
def test_wrong_names(name, words):
    with pytest.raises(HeistError, match=words):
        find_agent(name, TOY)


def test_programs_are_no_networks_and_no_opponents_in_training(program, policy):
    folder = program()
    with pytest.raises(HeistError, match="is a program, not a network"):
        load_agent("toy_game", f"submission:{folder}")
    with pytest.raises(HeistError, match="can be met in matches only"):
        SeatBatch("toy_game", 2, opponents=f"submission:{folder}")
    assert SeatBatch("toy_game", 2, opponents=f"submission:{policy}:0.5,latest:0.5").mix == {
        f"submission:{policy}": 0.5,
        "latest": 0.5,
    }


def test_registered_submissions(tmp_path, program):
    for name in ("b_agent", "a_agent", "no_agent"):
        (tmp_path / "toy_game" / name).mkdir(parents=True)
        if name != "no_agent":
            (tmp_path / "toy_game" / name / CARD).touch()
    assert [folder.name for folder in submissions_for("toy_game", tmp_path)] == ["a_agent", "b_agent"]
    assert submissions_for("banquefall", tmp_path) == []


def test_programs_need_no_torch():
    code = "import sys; from heist_envs.policies import external_players, submissions; print('torch' in sys.modules)"
    assert run_python(code) == "False"


# --- make submit-check


def checked(capsys, *arguments):
    """(exit status, what it printed) of a check."""
    status = submit_check.main([*map(str, arguments), "--games", "4"])
    told = capsys.readouterr()
    return status, told.out + told.err


def test_a_check_that_finds_nothing(program, policy, capsys):
    for folder in (program(), policy):
        status, told = checked(capsys, folder)
        assert status == 0 and "It is fit for the leaderboard." in told
        assert "of 2 players against random_legal: won" in told and "of 3 players against random_legal: won" in told


def test_a_check_tells_all_that_is_wrong(program, capsys):
    folder = program(author="", game="nothing")
    (folder / "__pycache__").mkdir()
    status, told = checked(capsys, folder)
    assert status == 1 and told.count("\n- ") + told.startswith("- ") == 2
    assert "the file name '__pycache__' is not allowed; remove it" in told and "author in" in told


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (
            "print('debug: thinking', flush=True)",
            "everything else that the program wants to say belongs on the error stream",
        ),
        ("say({'game': game, 'action': 0})", "To mend it: choose one of the ids in `legal`"),
        ("raise ValueError('bad \x1b luck')", "bad ? luck"),
    ],
)
def test_a_check_says_how_to_mend_it(program, act, words, capsys):
    status, told = checked(capsys, program(act))
    assert status == 1 and words in told and "were forfeited" in told
    assert "It is not fit for the leaderboard yet." in told and "\x1b" not in told


def test_a_run_becomes_a_submission(policy, tmp_path, capsys):
    status, told = checked(capsys, tmp_path / "new", "--from-run", tmp_path / "run", "--author", "me")
    assert status == 0 and json.loads((tmp_path / "new" / CARD).read_text())["author"] == "me"
    kept = (tmp_path / "new" / CARD).read_bytes()
    status, told = checked(capsys, tmp_path / "new", "--from-run", tmp_path / "run")
    assert status == 2 and "exists already" in told and (tmp_path / "new" / CARD).read_bytes() == kept
    status, told = checked(capsys, tmp_path / "newer", "--from-run", tmp_path / "nowhere")
    assert status == 2 and "there is no file" in told and not (tmp_path / "newer").exists()


def test_wrong_calls_of_the_check(tmp_path, capsys):
    assert submit_check.main([str(tmp_path / "nowhere")]) == 2
    assert submit_check.main([str(tmp_path), "--games", "0"]) == 2
    told = capsys.readouterr().err
    assert "there is no folder" in told and "--games is a whole number from 1" in told


def test_make_submit_check_asks_for_a_folder():
    done = subprocess.run(["make", "-n", "submit-check"], cwd=ROOT, capture_output=True, text=True)
    assert "Name a folder: make submit-check AGENT=<folder>" in done.stdout
    done = subprocess.run(["make", "-n", "submit-check", "AGENT=a/b"], cwd=ROOT, capture_output=True, text=True)
    assert 'benchmarks/submit_check.py "a/b"' in done.stdout


# --- the page and the example


def test_the_example_plays():
    game = load_game("banquefall")
    result = play_match(game, find_agent(f"submission:{EXAMPLE}", game), Agent("random_legal"), 8, num_players=2)
    assert result.games == 8 and 0 <= result.win_share <= 1


def test_the_page_shows_the_example_and_the_limits():
    page = (ROOT / "benchmarks" / "SUBMITTING.md").read_text(encoding="utf-8")
    assert (EXAMPLE / "agent.py").read_text(encoding="utf-8") in page
    for name, value in asdict(LIMITS).items():
        assert re.search(rf"^\| `{name}` \| {value} ", page, re.M), name
    assert f"{processes.LONGEST_LINE} bytes" in page and f"Up to {processes.WINDOW} questions" in page
    for link in re.findall(r"\]\(([^)]+)\)", page):
        assert (ROOT / "benchmarks" / link).exists()
