"""Whole runs, small ones: what lies in the run folder, that they repeat, learn, stop when told, and can be evaluated."""

import csv
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
import yaml

from heist_envs import load_game
from heist_envs.arena.match import PLAYS
from heist_envs.policies.network import load_policy
from heist_envs.policies.scripted import bot_names
from training import evaluate, torch_threads
from training.config import load_config
from training.policy import export
from training.progress import clock
from training.run_folder import make_run_folder
from training.stopping import StopRequest
from training.train import main
from training.trainer import Watch, build

from ..support import ROOT

SMALL = "n_envs:32 n_steps:16 batch_size:256 layers:[32] learning_rate:2e-3 eval_games:60"


def train(folder, *arguments, settings=SMALL, status=0):
    """Run the command line in this process; returns the run folder."""
    words = ["--game", "toy_game", "--seed", "7", "--num-threads", "1", "-f", str(folder), *map(str, arguments)]
    assert main([*words, "-params", *settings.split()]) == status
    return max((folder / "maskable_ppo").iterdir(), key=lambda run: int(run.name.rpartition("_")[2]))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of one finished run."""
    return train(tmp_path_factory.mktemp("runs"), "-n", 2000, "--save-freq", 600, "--eval-freq", 1000, "--eval-episodes", 20)


def test_a_run_folder_tells_everything(finished):
    config = yaml.safe_load((finished / "config.yml").read_text())["default"]
    assert config["n_envs"] == 32 and config["layers"] == [32]
    assert yaml.safe_load((finished / "args.yml").read_text())["seed"] == 7
    assert (finished / "command.txt").read_text().strip()
    versions = json.loads((finished / "versions.json").read_text())
    assert versions["packages"]["torch"] and versions["cores"] >= 1
    results = json.loads((finished / "results.json").read_text())
    assert results["ended_by"] == "n_timesteps" and results["timesteps"] == 2048 == results["updates"] * 32 * 16
    assert sum(results["time_shares"].values()) == pytest.approx(1, abs=0.01)
    bots = bot_names(load_game("toy_game"))
    assert [(r["opponent"], r["play"]) for r in results["evaluation"]] == [(b, p) for b in bots for p in PLAYS]
    assert load_policy(finished, "toy_game").trained["timesteps"] == 2048
    assert not list(finished.glob("*.part"))


def test_what_is_logged(finished):
    with (finished / "progress.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    wanted = "rollout/ep_rew_mean rollout/ep_len_mean rollout/games train/approx_kl train/entropy_loss train/value_loss"
    wanted += " train/explained_variance time/fps time/share_env time/share_policy time/share_update time/torch_threads"
    wanted += " selfplay/winrate_vs/robby_junior eval/win_share_vs/random_legal"
    assert set(wanted.split()) <= set(rows[-1])
    assert any(row["eval/win_share_vs/random_legal"] for row in rows)
    assert list(finished.glob("events.out.tfevents.*"))


def test_the_same_seed_gives_the_same_weights(finished, tmp_path):
    again = train(tmp_path, "-n", 2000, "--save-freq", 600, "--eval-freq", 1000, "--eval-episodes", 20)
    assert (again / "policy.safetensors").read_bytes() == (finished / "policy.safetensors").read_bytes()
    # Neither saving nor evaluating on the way may disturb the run.
    plain = train(tmp_path, "-n", 2000)
    assert plain != again
    assert (plain / "policy.safetensors").read_bytes() == (finished / "policy.safetensors").read_bytes()
    results = [json.loads((run / "results.json").read_text())["evaluation"] for run in (finished, plain)]
    assert results[0] == results[1]


def test_evaluation_from_the_command_line(finished, capsys):
    before = json.loads((finished / "results.json").read_text())
    assert evaluate.main([str(finished), "--games", "40", "--opponents", "robby_junior"]) == 0
    assert "robby_junior" in capsys.readouterr().out
    after = json.loads((finished / "results.json").read_text())
    assert [r["games"] for r in after.pop("evaluation")] == [40, 40]
    before.pop("evaluation")
    assert after == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "there is no file"),
        (["RUN", "--games", "0"], "--games may not"),
        (["RUN", "--opponents", "x"], "unknown agent"),
        (["--game", "toy_game"], "name either RUN"),
        (["--game", "toy_game", "--agents", "greedy,baseline"], "no baseline of toy_game"),
        (["--game", "toy_game", "--agents", "run:nowhere"], "there is no file"),
    ],
)
def test_evaluation_refuses_with_a_sentence(finished, capsys, arguments, words):
    assert evaluate.main([str(finished) if word == "RUN" else word for word in arguments]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("opponents", "least"),
    [
        ("random_legal", 0.8),
        ("self", 0.56),  # in this game the best play against itself wins 0.60 against random
        ("self:0.5,random_legal:0.5", 0.56),
    ],
)
def test_learning_beats_random(opponents, least):
    """From parity to a clear lead within a second; with a fixed seed it is the same every time."""
    settings = {"n_envs": 64, "n_steps": 32, "batch_size": 512, "layers": [64], "learning_rate": 2e-3, "n_timesteps": 60_000}
    config = load_config("toy_game", changes={**settings, "opponents": opponents, "torch_threads": 1})
    model = build("toy_game", config, seed=3)
    batch = model.get_env().batch

    def win_share():
        policy = export(model.policy, batch.game, batch.table.options, {})
        return next(evaluate.evaluate(policy, ["random_legal"], 2000, seed=5))

    before = win_share()
    assert before.low < before.parity < before.high
    model.learn(config.n_timesteps)
    assert win_share().low > least


def test_evaluation_of_equals_is_parity():
    """A network that prefers nothing plays like random_legal, whatever the number of players; and seats are rotated."""
    config = load_config("toy_game", changes={"layers": [8], "env_kwargs": {"num_players": 3}, "torch_threads": 1})
    model = build("toy_game", config, seed=1)
    with torch.no_grad():
        model.policy.action_net.weight.zero_()
    batch = model.get_env().batch
    policy = export(model.policy, batch.game, batch.table.options, {})
    result = next(evaluate.evaluate(policy, ["random_legal"], 3000))
    assert result.games == 3000 and result.parity == pytest.approx(1 / 3, abs=1e-4)
    assert result.low < 1 / 3 < result.high and result.high - result.low < 0.05
    assert result.mean_score == pytest.approx(result.opponents_score, rel=0.1)


def test_a_run_ends_in_time(tmp_path):
    run = train(tmp_path, "-n", 10**9, "--max-minutes", 0.02)
    results = json.loads((run / "results.json").read_text())
    assert results["ended_by"] == "max_minutes" and results["train_seconds"] < 30
    assert load_policy(run).trained["timesteps"] >= results["timesteps"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_ends(tmp_path, monkeypatch, capsys, number):
    step, steps, before = Watch._on_step, [], signal.getsignal(number)

    def signal_at_the_fortieth(self):
        steps.append(0)
        if len(steps) == 40:
            os.kill(os.getpid(), number)
        return step(self)

    monkeypatch.setattr(Watch, "_on_step", signal_at_the_fortieth)
    run = train(tmp_path, "-n", 10**9, status=128 + number)
    results = json.loads((run / "results.json").read_text())
    assert results["ended_by"] == "stopped" and results["updates"] == 2 and results["evaluation"] == []
    assert load_policy(run, "toy_game")
    assert str(run) in capsys.readouterr().out
    assert signal.getsignal(number) is before


def test_a_second_signal_ends_at_once():
    with pytest.raises(SystemExit) as ended, StopRequest() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.status == 130
        os.kill(os.getpid(), signal.SIGINT)
    assert ended.value.code == 130


def test_ctrl_c_of_the_real_command(tmp_path):
    """The script as a person runs it, banquefall, interrupted in the middle of training."""
    command = [sys.executable, str(ROOT / "training" / "train.py"), "--game", "banquefall", "-n", "1000000000"]
    command += ["--num-threads", "1", "-params", "n_envs:16", "n_steps:8", "batch_size:64", "layers:[16]"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        shown = ""
        while "results in" not in shown:
            line = process.stdout.readline()
            assert line, shown
            shown += line
        run = tmp_path / "runs" / "maskable_ppo" / "banquefall_1"
        while process.poll() is None and not (run / "progress.csv").is_file():
            pass
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 130, shown + rest
    assert "ended by stopped; policy saved in" in rest and "Traceback" not in rest
    assert load_policy(run, "banquefall")


def test_dry_run_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--game", "toy_game", "--dry-run", "--seed", "-1", "--num-threads", "1"]) == 0
    assert "dry run: would train toy_game" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_run_folders_are_never_shared(tmp_path):
    folders = [make_run_folder(tmp_path, "toy_game").name for _ in range(3)]
    assert folders == ["toy_game_1", "toy_game_2", "toy_game_3"]


def test_choosing_threads_changes_nothing():
    config = load_config("toy_game", changes={"layers": [8], "torch_threads": 1})
    policy = build("toy_game", config, seed=1).policy
    weights = [p.detach().clone() for p in policy.parameters()]
    streams = torch.get_rng_state(), np.random.get_state()[1].copy()
    assert torch_threads.fastest(policy, 64) in torch_threads.candidates()
    assert torch.get_num_threads() == 1
    assert torch.equal(torch.get_rng_state(), streams[0]) and (np.random.get_state()[1] == streams[1]).all()
    assert all(torch.equal(a, b) for a, b in zip(weights, policy.parameters(), strict=True))


def test_threads_are_chosen_anew_when_updates_slow_down():
    watch = Watch(None, None, None, None, None, None)
    assert watch._threads_are_due()  # at the start
    watch.threads_chosen_at = 0
    for watch.updates, seconds, due in ((1, 1.0, False), (2, 2.0, False), (6, 1.1, False), (7, 2.0, True), (50, 1.0, True)):
        watch._add_update(seconds)
        assert watch._threads_are_due() == due


def test_tensorboard_events_go_where_told(tmp_path):
    run = train(tmp_path / "runs", "-n", 512, "-tb", tmp_path / "events")
    assert not list(run.glob("events*"))
    assert list((tmp_path / "events" / "maskable_ppo" / run.name).glob("events.out.tfevents.*"))


def test_clock():
    assert [clock(s) for s in (-1, 0, 61, 600)] == ["0:00", "0:00", "1:01", "10:00"]
