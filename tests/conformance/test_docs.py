"""What is written from the declarations of the games is up to date."""

from heist_envs import describe


def test_generated_texts_are_current():
    assert describe.stale() == [], "run python -m heist_envs.describe"
