"""What the league costs is measured with both sides at work."""

from benchmarks import selfplay


def test_both_sides_learn_and_the_pool_is_full():
    settings = {"n_envs": 16, "n_steps": 8, "batch_size": 64, "layers": [8], "pool_size": 3}
    league = selfplay.Side("toy_game", selfplay.LEAGUE, 1, settings)
    assert all(league.run.league.members) and league.run.batch.self_share < 1
    plain, with_league, ratio = selfplay.measure("toy_game", 1, 1, **settings)
    assert plain > 0 and with_league > 0 and ratio == with_league / plain


def test_a_wrong_game_is_refused(capsys):
    assert selfplay.main(["--game", "x"]) == 2
    assert "unknown game" in capsys.readouterr().err
