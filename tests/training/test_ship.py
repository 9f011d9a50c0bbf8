"""A finished league run becomes a baseline."""

import csv
import json

import pytest

from heist_envs.policies.agents import BASELINES
from heist_envs.policies.network import load_policy
from training import ship as shipping
from training.ship import learning_curve, main, ship

from .test_train import train


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a finished league run of the toy game."""
    folder = tmp_path_factory.mktemp("runs")
    return train(folder, "-n", 4000, "--opponents", "latest:0.5,pool:0.3,greedy:0.2", "--save-freq", 1000)


def test_everything_about_a_baseline_is_shipped(run, tmp_path):
    target = ship(run, tmp_path)
    assert target == tmp_path / "toy_game"
    assert load_policy(target, "toy_game").trained["timesteps"] >= 4000
    assert {file.name for file in target.iterdir()} == {*shipping.WHOLE, shipping.CURVE}
    assert sum(file.stat().st_size for file in target.iterdir()) <= shipping.MOST_BYTES
    with (target / shipping.CURVE).open() as file:
        rows = list(csv.DictReader(file))
    assert rows[-1]["total_timesteps"] == str(json.loads((run / "results.json").read_text())["timesteps"])
    assert {"total_timesteps", "greedy"} <= set(rows[0])


def test_a_long_curve_is_thinned_and_keeps_its_end(tmp_path):
    lines = ["time/total_timesteps,selfplay/winrate_vs/greedy,loss", *(f"{k},0.123456,9" for k in range(1, 1002))]
    (tmp_path / "progress.csv").write_text("\n".join(lines))
    kept = learning_curve(tmp_path / "progress.csv").splitlines()
    assert kept[0] == "total_timesteps,greedy" and kept[1] == "1,0.1235" and kept[-1] == "1001,0.1235"
    assert len(kept) <= shipping.CURVE_ROWS + 2


@pytest.mark.parametrize(
    ("breakage", "words"),
    [
        (lambda folder: (folder / "league.json").unlink(), "lacks league.json"),
        (lambda folder: (folder / "results.json").write_text('{"evaluation": []}'), "has not been evaluated"),
        (lambda folder: (folder / "config.yml").write_text(" " * shipping.MOST_BYTES), "more than 2,097,152"),
        (lambda folder: (folder / "policy.json").unlink(), "there is no file"),
    ],
)
def test_what_is_no_finished_league_run_is_refused(run, tmp_path, capsys, breakage, words):
    copy = tmp_path / "run"
    ship(run, tmp_path / "first")
    (tmp_path / "first" / "toy_game").rename(copy)
    (copy / "progress.csv").write_text((run / "progress.csv").read_text())
    breakage(copy)
    assert main([str(copy)]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not (BASELINES / "toy_game").exists()
