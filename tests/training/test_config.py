"""Settings: the shipped file is complete, games override it, and what is wrong is refused with what is allowed."""

import pytest
import yaml

from heist_envs import HeistError, game_names
from training.config import SETTINGS, SHIPPED, Config, load_config, read_file
from training.train import main


def test_the_shipped_defaults_are_complete_and_documented():
    assert set(read_file(SHIPPED)["default"]) == set(SETTINGS)
    assert all(f.metadata["doc"] for f in SETTINGS.values())


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_a_configuration(game):
    config = load_config(game)
    assert isinstance(config, Config)
    assert yaml.safe_load(config.as_yaml())["default"]["layers"] == config.layers


def test_later_words_win(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("default: {gamma: 0.9, n_steps: 32, n_timesteps: 1e5}\ntoy_game: {gamma: 0.8}\n")
    config = load_config("toy_game", file, {"n_steps": "16"})
    assert (config.gamma, config.n_steps, config.n_timesteps) == (0.8, 16, 100_000)
    assert load_config("banquefall", file).gamma == 0.9


def test_yaml_and_text_say_the_same(tmp_path):
    given = {"layers": [8, 8], "learning_rate": "lin_0.001", "torch_threads": 2, "env_kwargs": {"num_players": 3}}
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump({"default": given}))
    texts = {"layers": "[8, 8]", "learning_rate": "lin_1e-3", "torch_threads": "2", "env_kwargs": "{num_players: 3}"}
    assert load_config("toy_game", file) == load_config("toy_game", changes=texts)
    again = tmp_path / "again.yaml"
    again.write_text(load_config("toy_game", file).as_yaml())
    assert load_config("toy_game", again) == load_config("toy_game", file)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_timesteps", 0), ("n_timesteps", True), ("n_timesteps", 1.5), ("n_timesteps", "many"), ("n_envs", None),
        ("gamma", 1.1), ("gamma", "nan"), ("learning_rate", 0), ("learning_rate", "lin_"), ("learning_rate", "inf"),
        ("layers", []), ("layers", [0]), ("layers", "[8"), ("layers", 8), ("activation", "gelu"), ("torch_threads", 0),
        ("env_kwargs", [1]), ("target_kl", -1), ("n_epochs", [2]),
    ],
)  # fmt: skip
def test_wrong_values_are_refused(name, value):
    with pytest.raises(HeistError, match=f"^{name} may not be .*; allowed: "):
        load_config("toy_game", changes={name: value})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("default: {gama: 1}", "unknown setting 'gama' - did you mean 'gamma'"),
        ("toy_gam: {gamma: 1}", "did you mean 'toy_game'"),
        ("[1, 2]", "must map"),
        ("default: 3", "must map"),
        ("default: {gamma: !!python/object/apply:os.system [exit]}", "not YAML that can be read safely"),
        ("{", "not YAML"),
        ("default: {batch_size: 999999}", "batch_size 999999 is more than a rollout has"),
    ],
)
def test_wrong_files_are_refused(tmp_path, content, words):
    (tmp_path / "mine.yaml").write_text(content)
    with pytest.raises(HeistError, match=words):
        load_config("toy_game", tmp_path / "mine.yaml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "required: --game"),
        ("--game banquefal", "did you mean 'banquefall'"),
        ("--game toy_game --oponents self", "unknown flag '--oponents' - did you mean '--opponents'"),
        ("--game toy_game --opponents ltest", "did you mean 'latest'"),
        ("--game toy_game --num-players 9", "num_players may not be '9'"),
        ("--game toy_game --env-kwargs nonsense:1", "unknown option 'nonsense'"),
        ("--game toy_game --env-kwargs all_pay", "NAME:VALUE"),
        ("--game toy_game --seed -2", "--seed may not be '-2'"),
        ("--game toy_game --device tpu", "--device may not be 'tpu'; allowed: auto, cpu, cuda"),
        ("--game toy_game --num-threads none", "--num-threads may not be"),
        ("--game toy_game --n-timesteps", "expected one argument"),
        ("--game toy_game -n -5", "-n"),
        ("--game toy_game -params gamma:2", "gamma may not be"),
        ("--game toy_game -conf nowhere.yaml", "cannot read"),
        ("--game toy_game -f /dev/null", "cannot make a run folder"),
    ],
)
def test_wrong_calls_are_refused_with_a_sentence(capsys, arguments, words):
    assert main(arguments.split()) == 2
    error = capsys.readouterr().err
    assert words in error and "Traceback" not in error and error.count("\n") == 1


def test_print_config_shows_what_would_run(capsys):
    arguments = "--game toy_game --num-players 3 -params gamma:0.5 --opponents robby_junior --print-config"
    assert main(arguments.split()) == 0
    shown = yaml.safe_load(capsys.readouterr().out)["default"]
    assert (shown["gamma"], shown["opponents"], shown["env_kwargs"]) == (0.5, "robby_junior", {"num_players": 3})
