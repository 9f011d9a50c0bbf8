"""The Python examples of README.md run as they stand, and its generated table and all game READMEs are current."""

import re
from pathlib import Path

import pytest

from heist_envs import describe

README = Path(__file__).resolve().parents[1] / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture
def short_trainings(monkeypatch):
    """Trainings stop after their first update, evaluations after their first games: what they reach was measured by hand."""
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable import evaluation

    learn, evaluate, threads = MaskablePPO.learn, evaluation.evaluate_policy, torch.get_num_threads()
    monkeypatch.setattr(MaskablePPO, "learn", lambda model, steps, **given: learn(model, min(steps, model.n_steps), **given))
    monkeypatch.setattr(evaluation, "evaluate_policy", lambda model, env, games: evaluate(model, env, min(games, 5)))
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("code", EXAMPLES, ids=range(len(EXAMPLES)))
def test_example_runs(code, short_trainings):
    exec(compile(code, str(README), "exec"), {})


def test_there_is_an_example_of_each_form():
    for form in ("make_aec", "make_parallel", "make_batch", "gymnasium.make(", "gymnasium.make_vec("):
        assert any(form in code for code in EXAMPLES)


def test_examples_are_short():
    assert all(len(code.splitlines()) <= 11 for code in EXAMPLES)


def test_files_and_folders_it_names_exist():
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []


def test_generated_documentation_is_current():
    assert describe.stale() == [], "run `make docs`"
