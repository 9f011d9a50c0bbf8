"""The learner's view: who is asked, who is credited, what is counted; and the same games under SB3's roof."""

import numpy as np
import pytest

from heist_envs import HeistError, IllegalAction, load_game
from heist_envs.envs.seat_batch import LEARNER, SeatBatch, opponent_mix
from heist_envs.policies.scripted import bot_names

from ..support import each_game

MIXES = ("self", "robby_junior", "self:0.5,robby_junior:0.3,random_legal:0.2")
each_mix = pytest.mark.parametrize("mix", MIXES)


def random_actions(batch, rng):
    """(N,) a uniformly random legal action per game."""
    return (rng.random(batch.mask.shape) * batch.mask).argmax(1)


@each_game
@each_mix
def test_a_learner_is_always_asked(name, mix):
    batch, rng = SeatBatch(name, 16, mix, seed=1), np.random.default_rng(1)
    for _ in range(60):
        asked = batch.seats[np.arange(16), batch.seat]
        assert (asked == LEARNER).all()
        assert (batch.table.states["to_act"][np.arange(16), batch.seat] == 1).all()
        before = batch.seat.copy()
        batch.step(random_actions(batch, rng))
        assert (batch.acting == before).all()


def test_seats_follow_the_mix():
    batch = SeatBatch("toy_game", 4000, "self:0.6,robby_junior:0.3,random_legal:0.1", seed=3)
    learners = (batch.seats == LEARNER).sum(1)
    assert set(learners) == {1, batch.players}
    assert np.mean(learners == batch.players) == pytest.approx(0.6, abs=0.03)
    single = batch.seats[learners == 1]
    assert np.mean(single[single != LEARNER] == batch.names.index("robby_junior")) == pytest.approx(0.75, abs=0.03)
    assert np.bincount((single == LEARNER).argmax(1)) == pytest.approx(len(single) / batch.players, rel=0.2)


@pytest.mark.parametrize("reward", ["win", "margin"])
@each_mix
def test_rewards_of_a_game_add_up(mix, reward):
    """What the learner's seats are credited between first decision and end is what the table paid them; in games where
    nothing is paid before that, the sum over all seats of a self-play game is the game's own sum, 0."""
    batch, rng = SeatBatch("toy_game", 32, mix, seed=2, reward=reward), np.random.default_rng(2)
    returns, lengths, ended = np.zeros((32, batch.players)), np.zeros(32), 0
    for _ in range(150):
        seats = batch.seats.copy()
        batch.step(random_actions(batch, rng))
        returns += batch.seat_rewards
        lengths += 1
        for row in np.flatnonzero(batch.done):
            assert returns[row].sum() == pytest.approx(0)
            mine = seats[row] == LEARNER
            assert batch.episode_return[row] == pytest.approx(returns[row][mine].mean())
            assert batch.episode_versus[row] == (not mine.all())
            assert batch.episode_length[row] >= lengths[row] > 0
            if mine.all():
                assert batch.episode_length[row] == lengths[row]
            returns[row], lengths[row], ended = 0, 0, ended + 1
    assert ended > 32


def test_statistics_count_what_was_played():
    batch, rng = SeatBatch("toy_game", 64, "self:0.2,robby_junior:0.4,random_legal:0.4", seed=4), np.random.default_rng(4)
    games = decisions = 0
    for _ in range(200):
        batch.step(random_actions(batch, rng))
        games += batch.done.sum()
        decisions += batch.episode_length[batch.done].sum()
    counted = batch.statistics()
    assert counted["games"] == games and counted["length"] == pytest.approx(decisions / games)
    for met, won in counted["versus"].values():
        assert 0 < won < met < games
        assert won / met == pytest.approx(1 / batch.players, abs=0.1)  # a random learner among equals
    batch.clear_statistics()
    assert batch.statistics()["games"] == 0


@each_mix
def test_same_seed_same_games(mix):
    batches = [SeatBatch("toy_game", 8, mix, seed=5) for _ in range(2)]
    batches[1].step(random_actions(batches[1], np.random.default_rng(9)))
    batches[1].reset(5)
    rngs = [np.random.default_rng(6) for _ in range(2)]
    for _ in range(80):
        for batch, rng in zip(batches, rngs, strict=True):
            batch.step(random_actions(batch, rng))
        for array in ("observation", "mask", "seat", "seat_rewards", "done", "seats"):
            assert (getattr(batches[0], array) == getattr(batches[1], array)).all(), array


def test_an_illegal_action_moves_nothing():
    batch = SeatBatch("toy_game", 4, "self:0.5,robby_junior:0.5", seed=1)
    before = batch.table.words.copy(), batch.acting.copy(), batch.done.copy()
    actions = batch.mask.argmax(1)
    actions[2] = batch.mask[2].argmin()
    with pytest.raises(IllegalAction, match="may not"):
        batch.step(actions)
    assert all((a == b).all() for a, b in zip(before, (batch.table.words, batch.acting, batch.done), strict=True))


@each_game
def test_mix_reads_all_bots_of_a_game(name):
    game = load_game(name)
    names = ["latest", "pool", *bot_names(game), "baseline", "run:runs/a:b"]
    mix = opponent_mix(",".join(f"{name}:1" for name in names), game)
    assert sum(mix.values()) == pytest.approx(1) and list(mix) == names
    assert opponent_mix("self", game) == opponent_mix("latest:3", game) == {"latest": 1}
    assert opponent_mix("run:runs/a:b,run:c:0.5", game) == pytest.approx({"run:runs/a:b": 2 / 3, "run:c": 1 / 3})
    assert opponent_mix(mix, game) == pytest.approx(mix)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("robby_jr:1", "did you mean 'robby_junior'"),
        ("self:much", "not a number"),
        ("self:-1", "from 0 on"),
        ("self:nan", "from 0 on"),
        ("self:0", "no weight at all"),
        ("self:1,latest:2", "twice"),
        ("", "unknown opponent"),
        ({"self": True}, "from 0 on"),
    ],
)
def test_a_wrong_mix_is_refused(given, words):
    with pytest.raises(HeistError, match=words):
        opponent_mix(given, load_game("toy_game"))
