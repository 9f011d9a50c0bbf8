"""A run that was killed or stopped at any moment goes on to the same last bit; what cannot go on is refused, unharmed."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
import yaml
from safetensors import safe_open
from safetensors.numpy import save

from heist_envs import HeistError
from training import checkpoint
from training.outputs import TIMESTEPS, ProgressTable
from training.run_folder import changes, locked
from training.train import main

from ..support import PYTEST_SETTINGS, ROOT
from .interrupted import SPOILED

SETTINGS = """n_envs:16 n_steps:8 batch_size:64 layers:[16] learning_rate:lin_5e-3 eval_games:20 max_minutes:0
pool_size:2 active_members:1 gate_freq:256 gate_games:20 snapshot_freq:600 start_reward:margin start_share:0.6"""
MIX = "latest:0.4,pool:0.4,greedy:0.1,random_legal:0.1"
CADENCE = "--save-freq 256 --eval-freq 512 --eval-episodes 10"
TIMES = ("time/fps", "time/time_elapsed", "time/share_env", "time/share_policy", "time/share_update")


def command(folder, *settings, n=1300):
    """The arguments of a run in a folder of its own: eleven updates, with everything that a state may have."""
    given = f"--game toy_game --seed 7 --num-threads 1 -n {n} {CADENCE} --opponents {MIX} -f {folder} -params {SETTINGS}"
    return [*given.split(), *settings]


def run_of(folder):
    return folder / "maskable_ppo" / "toy_game_1"


def resume(folder):
    return ["--resume", str(run_of(folder))]


def happen(children):
    """Exit statuses of children of a process of its own, see `interrupted`."""
    settings = {key: value for key, value in os.environ.items() if key not in PYTEST_SETTINGS}
    call = [sys.executable, "-m", "tests.training.interrupted"]
    done = subprocess.run(call, input=json.dumps(children), cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout)


def contents(path):
    """{what: value} of a checkpoint, without what differs between two runs alike: times and versions."""
    with safe_open(path, "np") as file:
        told = json.loads(file.metadata()["state"])
        arrays = {name: file.get_tensor(name).tobytes() for name in file.keys()}  # noqa: SIM118 - not a mapping
    return {key: value for key, value in told.items() if key not in ("clock", "versions")} | arrays


def rows(path):
    with path.open() as file:
        return [{key: value for key, value in row.items() if key not in TIMES} for row in csv.DictReader(file)]


def outcome(folder):
    """All that a run leaves, without the times."""
    run = run_of(folder)
    results = json.loads((run / "results.json").read_text())
    times = ("train_seconds", "decisions_per_second", "time_shares")
    return {
        "weights": (run / "policy.safetensors").read_bytes(),
        "card": json.loads((run / "policy.json").read_text()),
        "checkpoint": contents(run / checkpoint.FILE),
        "rows": rows(run / "progress.csv"),
        "league": json.loads((run / "league.json").read_text()),
        "results": {key: value for key, value in results.items() if key not in times},
        "config": (run / "config.yml").read_text(),
    }


def assert_same(folder, wanted):
    """Every part of what a run leaves is what it should be."""
    found = outcome(folder)
    assert [name for name in wanted if found[name] != wanted[name]] == [], folder
    left = sorted(path.name for path in run_of(folder).iterdir() if not path.name.startswith("events"))
    assert left == [
        "args.yml", "checkpoint.safetensors", "command.txt", "config.yml", "league.json", "lock", "policy.json",
        "policy.safetensors", "progress.csv", "results.json", "versions.json",
    ]  # fmt: skip


KILLED, STOPPED = -signal.SIGKILL, 128 + signal.SIGTERM


def test_killed_at_any_moment_it_goes_on_to_the_last_bit(tmp_path):
    """In each story: what happens to the first process, to the one that goes on, and so on; the last one gets to the end."""
    whole = tmp_path / "whole"
    stories = {  # how it happens, and the how manieth time
        "early": [("any call", 3_000), ("stop in a rollout", 3)],
        "often": [("any call", 90_000), ("any call", 60_000), ("any call", 120_000), ("stop in a rollout", 10)],
        "late": [("any call", 320_000)],
        "writing": [("half a checkpoint", 1), ("half a checkpoint", 3), ("checkpoint without its name", 2)],
        "between": [("checkpoint before policy", 1), ("weights without card", 2), ("checkpoint before policy", 3)],
        "stopped": [("stop in an update", 4), ("stop in an evaluation", 1), ("stop in a rollout", 1)],
        "ended": [("results without evaluation", 1)],
    }
    children, expected = [["nothing", 0, command(whole)]], [0]
    for name, story in stories.items():
        for number, (way, at) in enumerate(story):
            children.append([way, at, resume(tmp_path / name) if number else command(tmp_path / name)])
            expected.append(STOPPED if way.startswith("stop") else KILLED)
        children.append(["nothing", 0, resume(tmp_path / name)])
        expected.append(0)
    assert happen(children) == expected
    wanted = outcome(whole)
    assert wanted["results"]["updates"] == 11 == len(wanted["rows"])
    assert len(wanted["league"]["members"]) == 2 and {gate["joined"] for gate in wanted["league"]["gates"]} == {True, False}
    for name in stories:
        assert_same(tmp_path / name, wanted)


def test_with_memory_too(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    gru = "policy:gru", "sequence_length:8"
    ways = [
        ["nothing", 0, command(whole, *gru)],
        ["checkpoint before policy", 2, command(killed, *gru)],
        ["stop in a rollout", 20, resume(killed)],
        ["nothing", 0, resume(killed)],
    ]
    assert happen(ways) == [0, KILLED, STOPPED, 0]
    assert_same(killed, outcome(whole))


def test_every_part_of_the_state_is_needed(tmp_path):
    """Without any one of them the run becomes another one."""
    begun, right, longer = tmp_path / "begun", tmp_path / "right", ["-n", "1800"]
    assert happen([["checkpoint before policy", 4, command(begun)]]) == [KILLED]
    copies = {way: tmp_path / way.replace(" ", "_") for way in SPOILED}
    for copy in (right, *copies.values()):
        shutil.copytree(begun, copy)
    children = [["nothing", 0, resume(right) + longer]]
    children += [[way, 0, resume(copy) + longer] for way, copy in copies.items()]
    assert happen(children) == [0] * len(children)
    results = {way: outcome(folder) for way, folder in ({"right": right} | copies).items()}
    wanted = results.pop("right")
    assert [way for way, result in results.items() if result["weights"] == wanted["weights"]] == ["no more gates"]
    assert results["no more gates"]["league"] != wanted["league"]


def test_a_complete_run_becomes_longer(tmp_path):
    """As long as nothing is scheduled by the length it is the same as one that was longer from the beginning."""
    whole, longer = tmp_path / "whole", tmp_path / "longer"
    settings = "learning_rate:5e-3", "start_reward:none"
    children = [
        ["nothing", 0, command(whole, *settings)],
        ["nothing", 0, command(longer, *settings, n=700)],
        ["nothing", 0, resume(longer) + ["-n", "1300"]],
    ]
    assert happen(children) == [0, 0, 0]
    assert_same(longer, outcome(whole))
    commands = (run_of(longer) / "command.txt").read_text().splitlines()
    assert len(commands) == 2


def test_the_real_command_killed(tmp_path):
    """The script as a person runs it, killed from outside whenever that happens to be."""
    script = [sys.executable, str(ROOT / "training" / "train.py")]
    arguments = ["--game", "banquefall", "--seed", "3", "--num-threads", "1", "-n", "1500", "--save-freq", "1"]
    arguments += ["-params", "n_envs:16", "n_steps:8", "batch_size:64", "layers:[16]", "eval_games:10", "max_minutes:0"]
    killed, whole = (tmp_path / name / "maskable_ppo" / "banquefall_1" for name in ("killed", "whole"))
    with subprocess.Popen([*script, *arguments, "-f", str(tmp_path / "killed")], stdout=subprocess.PIPE) as process:
        while process.poll() is None and not (killed / checkpoint.FILE).is_file():
            time.sleep(0.01)
        process.kill()
        process.stdout.read()
    assert main([*arguments, "-f", str(tmp_path / "whole")]) == 0
    assert main(["--resume", str(killed), "--verbose", "0", "--game", "banquefall"]) == 0
    assert (killed / "policy.safetensors").read_bytes() == (whole / "policy.safetensors").read_bytes()
    assert rows(killed / "progress.csv") == rows(whole / "progress.csv")
    assert contents(killed / checkpoint.FILE) == contents(whole / checkpoint.FILE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a short run that is complete."""
    folder = tmp_path_factory.mktemp("whole")
    assert main(command(folder, n=300)) == 0
    return folder


@pytest.fixture
def run(whole, tmp_path):
    """A copy of it."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    return run_of(tmp_path)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "lock"}


def refused(folder, capsys, *arguments):
    """The sentence with which a run that should become longer is refused; nothing in its folder changes."""
    before = files(folder)
    capsys.readouterr()
    assert main(["--resume", str(folder), *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("train: ") and error.endswith(".\n") and error.count("\n") == 1, error
    assert files(folder) == before
    return error


def rewrite(folder, change):
    """Change the state in a checkpoint, with a checksum that agrees."""
    path = folder / checkpoint.FILE
    state = checkpoint.read(path, 10**9)
    change(state)
    arrays, clock = {}, state.pop("clock")
    checkpoint.write(path, (checkpoint.pack(state, arrays), arrays), clock)


LONGER = "-n", "1000"


def test_a_complete_run_has_nothing_left_to_do(run, capsys):
    before = files(run)
    assert main(["--resume", str(run)]) == 0
    assert "is complete (384 decisions, ended by n_timesteps)" in capsys.readouterr().out
    assert files(run) == before


def test_only_the_evaluation_is_missing(run, whole):
    """Also if it was cut short, or is one of something else."""
    wanted = json.loads((run / "results.json").read_text())
    for kept in ([], wanted["evaluation"][:3]):
        (run / "results.json").write_text(json.dumps(wanted | {"evaluation": kept}))
        assert main(["--resume", str(run)]) == 0
        assert json.loads((run / "results.json").read_text()) == wanted
    assert (run / "policy.safetensors").read_bytes() == (run_of(whole) / "policy.safetensors").read_bytes()


def test_time_used_counts(run, capsys):
    """A run that has used up its minutes is complete; with more of them it goes on."""
    config = yaml.safe_load((run / "config.yml").read_text())
    config["default"] |= {"max_minutes": 5.0, "n_timesteps": 10**9}
    (run / "config.yml").write_text(yaml.safe_dump(config))
    path = run / checkpoint.FILE
    state = checkpoint.read(path, 10**9)
    arrays, clock = {}, state.pop("clock") | {"elapsed": 301.0}
    checkpoint.write(path, (checkpoint.pack(state, arrays), arrays), clock)
    assert main(["--resume", str(run)]) == 0
    assert "ended by max_minutes" in capsys.readouterr().out
    assert main(["--resume", str(run), "--max-minutes", "5.02"]) == 0  # another fifth of a second
    results = json.loads((run / "results.json").read_text())
    assert results["ended_by"] == "max_minutes" and 301.2 <= results["train_seconds"] < 500
    assert yaml.safe_load((run / "config.yml").read_text())["default"]["max_minutes"] == 5.02


@pytest.mark.parametrize(
    "flags",
    ["--seed -1", "--opponents self", "-params gamma:1", "-f runs", "--dry-run", "--num-threads 1", "--save-freq 1000000"],
)
def test_flags_that_a_run_has_already_are_refused(run, capsys, flags):
    assert "is as it was when the run began" in refused(run, capsys, *flags.split())


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--game banquefall", "plays toy_game, not banquefall"),
        ("-n 200", "384 decisions are made already"),
        ("-n few", "--n-timesteps may not be 'few'"),
        ("--verbose 3", "--verbose may not be"),
    ],
)
def test_wrong_flags_are_refused(run, capsys, flags, words):
    assert words in refused(run, capsys, *flags.split())


def test_where_no_run_is(tmp_path, capsys):
    assert main(["--resume", str(tmp_path)]) == 2
    assert "there is no run in" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["nothing", "half", "a byte of the arrays", "a letter of the text", "noise"])
def test_damage_is_found(run, capsys, part):
    path = run / checkpoint.FILE
    content = path.read_bytes()
    if part == "half":
        content = content[: len(content) // 2]
    elif part == "a byte of the arrays":
        content = content[:-5] + bytes([content[-5] ^ 1]) + content[-4:]
    elif part == "a letter of the text":
        content = content.replace(b"timesteps", b"timestepz", 1)
    else:
        content = b"" if part == "nothing" else np.random.default_rng(1).bytes(len(content))
    path.write_bytes(content)
    assert f"{path} is damaged" in refused(run, capsys, *LONGER)


def test_what_is_too_large_is_not_read(run, capsys, monkeypatch):
    monkeypatch.setattr(checkpoint, "SPARE_BYTES", -(10**9))
    assert "is larger than" in refused(run, capsys, *LONGER)


def more(state, *path, value):
    for key in path[:-1]:
        state = state[key]
    state[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["format"], 2, "has format 2"),
        (["of", "game version"], 99, "saved with game version 99"),
        (["of", "observation layout"], "x", "saved with observation layout 'x'"),
        (["of", "device"], "cuda", "saved with device 'cuda'"),
        (["of", "settings", "gamma"], 0.5, "saved with gamma 0.5, but config.yml says 1.0"),
        (["of", "settings"], 3, "is not as this run has it"),
        (["of"], None, "is not as this run has it"),
        (["weights", "action_net.bias"], np.zeros(3, np.float32), "weights/action_net.bias is not as"),
        (["weights", "more"], np.zeros(3, np.float32), "weights is not as"),
        (["optimizer", "action_net.bias", "exp_avg"], np.zeros(8), "exp_avg is not as"),
        (["optimizer", "stranger"], {}, "holds what no run writes"),
        (["memory"], np.zeros(3), "memory is not as"),
        (["learner", "timesteps"], 384.0, "learner/timesteps is not as"),
        (["learner", "episodes"], [["a", 1]], "is not as"),
        (["random", "numpy", "state", "pos"], 10**9, "holds what no run writes"),
        (["random", "torch"], np.zeros(5056, np.uint8), "holds what no run writes"),
        (["random", "python"], [3, np.zeros(3, np.uint32), None], "holds what no run writes"),
        (["batch", "opponents", "seats"], np.full((16, 2), 9), "holds what no run writes"),
        (["batch", "opponents", "scripted", "random"], {}, "random is not as"),
        (["batch", "table"], np.zeros(9, np.uint8), "batch/table is not as"),
        (["league", "members", "7"], {}, "members/7 is not as"),
        (["league", "gates"], [[1]], "gates/0 is not as"),
        (["watch", "window"], [{}], "window/0 is not as"),
        (["log"], [["name", 1.0]], "holds what no run writes"),
        (["clock", "elapsed"], "long", "clock/elapsed is not as"),
    ],
)
def test_what_no_run_writes_is_refused(run, capsys, path, value, words):
    rewrite(run, lambda state: more(state, *path, value=value))
    assert words in refused(run, capsys, *LONGER)


@pytest.mark.parametrize(
    ("name", "edit", "words"),
    [
        ("config.yml", ("gamma: 1.0", "gamma: 0.9"), "saved with gamma 1.0, but config.yml says 0.9; put 1.0 back"),
        ("config.yml", ("gamma: 1.0", "gama: 1.0"), "did you mean 'gamma'"),
        ("config.yml", ("layers: [16]", "layers: [32]"), "saved with layers [16]"),
        ("config.yml", ("gamma: 1.0", "gamma: !!python/object/apply:os.getcwd []"), "not YAML that can be read safely"),
        ("args.yml", ("seed: 7", "seed: 8"), "saved with seed 7, but now it is 8"),
        ("args.yml", ("seed: 7", "seed: seven"), "args.yml cannot be used: --seed may not be 'seven'"),
        ("args.yml", ("seed: 7", "sed: 7"), "args.yml cannot be used: seed is missing"),
        ("args.yml", ("game: toy_game", "game: [toy]"), "args.yml cannot be used: unknown game"),
        ("args.yml", ("seed: 7", "seed: !!python/object/apply:os.getcwd []"), "not YAML that can be read safely"),
    ],
)
def test_edited_files_are_refused(run, capsys, name, edit, words):
    path = run / name
    assert edit[0] in path.read_text()
    path.write_text(path.read_text().replace(*edit))
    assert words in refused(run, capsys, *LONGER)


@pytest.mark.parametrize(
    ("name", "words"),
    [("args.yml", "cannot read"), ("config.yml", "there is no run"), (checkpoint.FILE, "holds a policy, but no checkpoint")],
)
def test_missing_files_are_told(run, capsys, name, words):
    (run / name).unlink()
    assert words in refused(run, capsys, *LONGER)


def test_an_opponent_that_has_changed(whole, tmp_path, capsys):
    """An agent from a file plays as it did, or the run does not go on."""
    rival = tmp_path / "rival"
    shutil.copytree(run_of(whole), rival)
    assert main([*command(tmp_path / "mine", n=300), "--opponents", f"self,run:{rival}"]) == 0
    assert main([*command(tmp_path / "other", n=200), "--seed", "8"]) == 0
    mine = run_of(tmp_path / "mine")
    for name in ("policy.json", "policy.safetensors"):
        shutil.copy(run_of(tmp_path / "other") / name, rival / name)
    assert f"opponent run:{rival} has other weights" in refused(mine, capsys, *LONGER)
    for name in ("policy.json", "policy.safetensors"):
        shutil.copy(run_of(whole) / name, rival / name)
    assert main(["--resume", str(mine), *LONGER]) == 0


def test_other_versions_are_told_but_not_refused(run, capsys):
    rewrite(run, lambda state: state["versions"].update(sources="x", python="2.7"))
    assert main(["--resume", str(run), "-n", "500"]) == 0
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "have changed, so it may not go on exactly: sources; python 2.7 -> 3" in error
    assert changes(
        {"packages": None}, {key: {} for key in ("heist_envs", "sources", "python", "platform", "cpu", "packages")}
    )


def test_only_one_process_at_a_time(run, capsys):
    code = "import sys, pathlib; from training.run_folder import locked\n"
    code += "with locked(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()"
    call = [sys.executable, "-c", code, str(run)]
    with subprocess.Popen(call, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        assert "another process is at work in" in refused(run, capsys, *LONGER)
        holder.kill()
    assert main(["--resume", str(run)]) == 0
    with locked(run), pytest.raises(HeistError, match="another process"), locked(run):
        pass


def test_a_full_disk_harms_nothing(run, capsys, monkeypatch):
    """The sentence says how to go on; the checkpoint is the one from before."""
    before = (run / checkpoint.FILE).read_bytes()

    def no_room(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "write_bytes", no_room)
    assert main(["--resume", str(run), "-n", "600"]) == 2
    error = capsys.readouterr().err
    assert "No space left on device" in error and f"--resume {run}" in error and "Traceback" not in error
    assert (run / checkpoint.FILE).read_bytes() == before
    monkeypatch.undo()
    assert main(["--resume", str(run)]) == 0


def test_what_else_is_in_the_place_of_the_table(run, capsys):
    for steps, content in (400, b""), (600, b"hers,his\n1,2\n"), (600, b"\xff\xfe\n"):
        (run / "progress.csv").write_bytes(content)
        assert main(["--resume", str(run), "-n", str(steps)]) == (2 if content else 0)
        assert ("is not the table that a run writes" in capsys.readouterr().err) == bool(content)
        assert not content or (run / "progress.csv").read_bytes() == content


def test_packing_keeps_everything():
    arrays = {}
    tree = {
        "a/b": {1: torch.arange(3), "c": (1, 2.5, None, True, 2**127, float("inf"))},
        "scalar": np.float32(0.1),
        "empty": np.zeros((2, 0), np.float32),
        "a": {"b/1": np.array([True])},
    }
    text = json.dumps(checkpoint.pack(tree, arrays))
    back = checkpoint.unpack(json.loads(text), arrays)
    assert back["a/b"]["c"] == [1, 2.5, None, True, 2**127, float("inf")] and list(back["a/b"]["1"]) == [0, 1, 2]
    assert type(back["scalar"]) is np.float32 and back["scalar"] == np.float32(0.1)
    assert back["empty"].shape == (2, 0) and back["a"]["b/1"].dtype == bool
    tree["a/b"][1][0] = 9
    assert arrays and back["a/b"]["1"][0] == 0  # a copy
    assert all(len(save({name: array})) for name, array in arrays.items())


def test_the_table_goes_on(tmp_path):
    """Rows of what is done are kept, later ones and one that was cut off are dropped, new columns come at the right."""
    path = tmp_path / "progress.csv"
    table = ProgressTable(path, 0)
    for steps in (10, 20, 30):
        table.write({TIMESTEPS: steps, "b": None, "c,d": 0.1, "hidden": 1}, {"hidden": ("csv",)})
    table.close()
    with path.open("a") as file:
        file.write("1,2")
    table = ProgressTable(path, 20)
    table.write({TIMESTEPS: 40, "a": np.float32(0.1)}, {})
    table.close()
    assert path.read_text() == f'b,"c,d",{TIMESTEPS},a\n,0.1,10,\n,0.1,20,\n,,40,0.1\n'
