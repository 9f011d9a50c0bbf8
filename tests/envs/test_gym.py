"""The Gymnasium forms: one learner against an opponent mix, alone or N times, for Gymnasium's and SB3's own tools."""

import copy
import dataclasses
import itertools
import json
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import heist_envs
from heist_envs.engine.errors import HeistError, IllegalAction
from heist_envs.envs.names import gymnasium_id, publish_all
from heist_envs.envs.seat_batch import LEARNER, SeatBatch

from ..support import each_game, run_python
from .test_illegal import NO_ACTIONS

TOY = "heist/ToyGame-v0"
MIX = "robby_junior:0.5,random_legal:0.5"
modes = pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
both = pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])


def id_of(name):
    return gymnasium_id(heist_envs.about(name))


def legal(masks, rng):
    """Random legal actions: an int for one mask, (N,) for many."""
    return (rng.random(masks.shape) * masks).argmax(-1)


def play(env, steps, seed=0, info=None):
    """Step with random legal actions, a single environment reset whenever it ends; yields what every `step` returns."""
    env, rng = env.unwrapped, np.random.default_rng(seed)
    for _ in range(steps):
        told = env.step(legal(env.action_masks(), rng))
        yield told
        if not hasattr(env, "num_envs") and (told[2] or told[3]):
            env.reset()


def episode(env, seed=0):
    """Play a single environment to the end; what the last `step` returned."""
    return next(told for told in play(env, 1000, seed) if told[2] or told[3])


# names


def test_ids():
    ids = ["heist/Banquefall-v0", "heist/RobABank-v0", "heist/RobbySolo-v0", "heist/RobinHood-v0", "heist/Silence-v0", TOY]
    assert set(ids) <= set(gymnasium.registry)
    assert sorted(map(id_of, heist_envs.game_names())) == sorted(ids)


def test_publishing_again_does_no_harm():
    before = {name: gymnasium.registry[id_of(name)] for name in heist_envs.game_names()}
    module = heist_envs.banquefall_v0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        publish_all()
        heist_envs.register(heist_envs.load_game("toy_game"))
    assert all(gymnasium.registry[id_of(name)] is spec for name, spec in before.items())
    assert heist_envs.banquefall_v0 is module


def test_an_id_belongs_to_one_game():
    toy = heist_envs.load_game("toy_game")
    twin = dataclasses.replace(toy, about=dataclasses.replace(toy.about, name="toy__game"))
    with pytest.raises(HeistError, match="heist/ToyGame-v0 is already the game 'toy_game'; give 'toy__game' another name"):
        heist_envs.register(twin)
    assert "toy__game" not in heist_envs.game_names()


def test_specs_are_plain_data():
    spec = json.loads(gymnasium.spec("heist/RobABank-v0").to_json())
    assert spec["kwargs"] == {"game": "rob_a_bank"}
    assert (spec["entry_point"], spec["vector_entry_point"]) == (
        "heist_envs.envs.gym_single:HeistGym",
        "heist_envs.envs.gym_vector:HeistVector",
    )


def test_gymnasium_imports_the_package_and_nothing_heavy():
    code = """
import sys, gymnasium
env = gymnasium.make("heist_envs:heist/Banquefall-v0", opponents="greedy")
env.reset(seed=1)
print([name for name in ("torch", "stable_baselines3", "matplotlib", "ray") if name in sys.modules])
"""
    assert run_python(code) == "[]"


# checkers


@each_game
def test_gymnasium_and_sb3_check_the_environment(name, capsys):
    from stable_baselines3.common.env_checker import check_env as sb3_check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(id_of(name))
        check_env(env.unwrapped)
        sb3_check_env(env)


@each_game
@both
def test_observations_lie_in_the_space(name, make):
    env = make(id_of(name), opponents="random_legal")
    observation, info = env.reset(seed=1)
    single = getattr(env, "single_observation_space", env.observation_space)
    assert single.shape == (heist_envs.load_game(name).observation.size,) and single.dtype == np.float32
    for told in itertools.chain([(observation,)], play(env, 40)):
        assert env.observation_space.contains(told[0])


# the same games, reproducibly


@each_game
def test_a_seed_decides_everything_that_follows(name):
    first, second = (gymnasium.make(id_of(name), opponents="random_legal") for _ in range(2))
    for _ in play_after(second, 7):  # what came before must not matter
        pass
    assert data_equivalence(first.reset(seed=5), second.reset(seed=5), exact=True)
    ends = 0
    for told, other in zip(play(first, 300), play(second, 300), strict=True):
        assert data_equivalence(told, other, exact=True)
        ends += told[2] or told[3]
    assert ends > 0


def play_after(env, seed):
    env.reset(seed=seed)
    return play(env, 9)


@both
def test_other_seeds_and_no_seed_give_other_games(make):
    env, other = make(TOY), make(TOY)
    seen = [env.reset(seed=seed)[0].tobytes() + b"".join(t[0].tobytes() for t in play(env, 30)) for seed in (1, 2, 1)]
    assert seen[0] == seen[2] != seen[1]
    env.reset(), other.reset()
    assert env.np_random_seed != other.np_random_seed
    assert env.unwrapped.batch.table.states["seed"][0] != other.unwrapped.batch.table.states["seed"][0]


@both
def test_without_a_seed_np_random_decides(make):
    seeds = set()
    for _ in range(2):
        env = make(TOY)
        env.unwrapped.np_random = np.random.default_rng(4)
        env.reset()
        seeds.add(int(env.unwrapped.batch.table.states["seed"][0]))
    assert len(seeds) == 1


@pytest.mark.parametrize("name", ["toy_game", "rob_a_bank"])
def test_vector_is_a_seat_batch(name):
    env = gymnasium.make_vec(id_of(name), num_envs=12, opponents=MIX, reward="margin")
    batch, rng = SeatBatch(name, 12, MIX, seed=3, reward="margin"), np.random.default_rng(3)
    observations, infos = env.reset(seed=3)
    for _ in range(60):
        assert (observations == batch.observation).all()
        assert (infos["action_mask"] == batch.mask).all() and (env.unwrapped.action_masks() == batch.mask).all()
        assert (infos["seat"] == batch.seat).all()
        assert infos["agent"].tolist() == [env.unwrapped.agents[seat] for seat in batch.seat]
        mine = batch.seats == LEARNER
        actions = legal(batch.mask, rng)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        batch.step(actions)
        assert (terminations == batch.done).all() and not truncations.any()
        assert rewards == pytest.approx(np.array([row[m].mean() for row, m in zip(batch.seat_rewards, mine, strict=True)]))


@pytest.mark.parametrize("name", ["toy_game", "rob_a_bank"])
def test_single_is_a_seat_batch_of_one(name):
    env, batch, rng = gymnasium.make(id_of(name), opponents=MIX), SeatBatch(name, 1, MIX, seed=4), np.random.default_rng(4)
    observation, info = env.reset(seed=4)
    ends, earned = 0, 0.0
    while ends < 4:
        assert (observation == batch.observation[0]).all() and (info["action_mask"] == batch.mask[0]).all()
        action = legal(batch.mask[0], rng)
        observation, reward, terminated, _, info = env.step(action)
        batch.step(np.array([action]))
        earned += reward
        assert terminated == batch.done[0]
        if terminated:
            assert earned == pytest.approx(batch.episode_return[0])
            observation, info = env.reset()
            ends, earned = ends + 1, 0.0


# what is told


@each_game
def test_infos_tell_the_result_at_the_end_and_nothing_before(name):
    env = gymnasium.make(id_of(name), opponents="random_legal")
    start = env.reset(seed=2)[1]
    players = env.unwrapped.batch.players
    ends = 0
    for _, reward, terminated, truncated, info in itertools.chain([(0, 0, False, False, start)], play(env, 150)):
        assert info["action_mask"].dtype == np.int8 and info["agent"] == env.unwrapped.agents[info["seat"]]
        assert env.unwrapped.action_masks().dtype == bool
        always = {"action_mask", "seat", "agent"}
        if not (terminated or truncated):
            assert set(info) == always and not info["action_mask"][0] and info["action_mask"].any()
            continue
        ends += 1
        assert set(info) == always | {"scores", "ranks", "is_success"} and type(info["is_success"]) is bool
        assert info["scores"].shape == info["ranks"].shape == (players,) and info["ranks"].min() == 1
        assert info["is_success"] == (info["ranks"][info["seat"]] == 1)
        assert (reward > 0) >= info["is_success"] or reward == 0  # a win that all share pays nothing
        assert info["action_mask"].tolist() == [1] + [0] * (env.action_space.n - 1)
    assert ends


def test_the_last_observation_is_the_end_of_the_game():
    """The one thing that the observation of a game that is over shows: all rounds have been played."""
    env = gymnasium.make(TOY, opponents="random_legal")
    env.reset(seed=1)
    observation, *_, info = episode(env)
    at = env.unwrapped.batch.game.observation.at
    assert observation[at.shown : at.shown + 6].sum() == 4
    assert observation[at.points] * 6 + info["scores"][info["seat"]] > 0
    again, _ = env.reset()
    assert again[at.shown : at.shown + 6].sum() == 0


@both
def test_a_truncated_game_is_truncated(make):
    """With one turn to a game most are over before the learner is asked: they pass by, only those it decided in are told."""
    env = make("heist/RobinHood-v0", opponents="random_legal", max_turns=1, num_players=3)
    env.reset(seed=1)
    batch, told = env.unwrapped.batch, 0
    seed = int(batch.table.states["seed"][0])
    for _, _, terminations, truncations, infos in play(env, 40):
        assert not np.any(terminations)
        if np.any(truncations):
            told += 1
            assert np.shape(infos.get("final_info", infos)["scores"])[-1] == 3
            assert batch.final_states["seed"][0] == seed, "the game that the learner played"
            seed = int(batch.table.states["seed"][0])
    assert told > 3


def test_each_side_learns_equally_often():
    env = gymnasium.make_vec("heist/RobABank-v0", num_envs=600)
    _, infos = env.reset(seed=1)
    assert np.mean(infos["seat"] == 0) == pytest.approx(0.5, abs=0.08)
    assert env.unwrapped.agents == ("bank_0", "robber_0", "robber_1")


@pytest.mark.parametrize("role", ["bank", "robber"])
@both
def test_a_role_is_always_the_learners(role, make):
    env = make("heist/RobABank-v0", role=role, opponents="random_legal")
    env.reset(seed=1)
    for told in play(env, 100):
        assert all(str(agent).startswith(role) for agent in np.atleast_1d(told[4]["agent"]))


@both
def test_game_options_are_keywords(make):
    env = make("heist/Banquefall-v0", num_players=2, reward="margin", perfect_recall=False)
    assert env.unwrapped.batch.players == 2
    assert env.unwrapped.batch.table.options["reward"] == "margin"


# what is wrong


@both
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"opponents": "self"}, "'latest', the learner itself.*name bots of toy_game.*make train GAME=toy_game"),
        ({"opponents": "greedy:0.9,latest:0.1"}, "the learner itself"),
        ({"opponents": "greedy,pool"}, "'pool', the learner itself"),
        ({"opponents": "greedi"}, "unknown opponent for toy_game 'greedi' - did you mean 'greedy'"),
        ({"opponents": None}, "unknown opponent for toy_game"),
        ({"role": "bank"}, "unknown role in toy_game 'bank'. Allowed: player"),
        ({"illegal": "forgive"}, "unknown value of the option illegal, 'forgive'.*Allowed: terminate, raise"),
        ({"num_players": 9}, "num_players"),
        ({"seed": 3}, "seed"),
        ({"keep_final": False}, "keep_final"),
        ({"players": 3}, "players"),
    ],
)
def test_wrong_keywords_are_refused(make, given, words):
    with pytest.raises(HeistError, match=words):
        make(TOY, **given)


def test_wrong_values_are_refused():
    with pytest.raises(HeistError, match="unknown render_mode 'rgb'. Allowed: None, ansi, human"), pytest.warns(UserWarning):
        gymnasium.make(TOY, render_mode="rgb")
    with pytest.raises(HeistError, match="unknown autoreset_mode 'Disabled'.*Allowed: SameStep, NextStep"):
        gymnasium.make_vec(TOY, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(HeistError, match="a table holds 1 or more games, not 0"):
        gymnasium.make_vec(TOY, num_envs=0)
    env = gymnasium.make_vec(TOY, num_envs=2)
    for seed in (-1, 1.5, [1, 2]):
        with pytest.raises(HeistError, match="a seed is a whole number"):
            env.reset(seed=seed)
    with pytest.raises(HeistError, match="reset_mask is not supported"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(options={"anything": 1})


@both
def test_nothing_works_before_reset(make):
    env = make(TOY).unwrapped
    for what, call in (("step", lambda: env.step(np.array([2]))), ("action_masks", env.action_masks)):
        with pytest.raises(HeistError, match=rf"call reset\(\) before {what}\(\): no game has been dealt yet"):
            call()


def test_nothing_works_after_the_end():
    env = gymnasium.make(TOY)
    env.reset(seed=1)
    episode(env)
    env.unwrapped.reset()
    env.step(0)
    for _ in range(2):
        with pytest.raises(HeistError, match=r"the game is over; call reset\(\)"):
            env.step(2)


@pytest.mark.parametrize("action", NO_ACTIONS.values(), ids=NO_ACTIONS)
def test_an_illegal_action_ends_the_episode(action):
    env = gymnasium.make(TOY, disable_env_checker=True)
    before, _ = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)
    assert (observation == before).all()
    assert (reward, terminated, truncated, info["is_success"]) == (-1.0, True, False, False)
    assert f"{info['agent']} may not" in info["illegal"] and "legal: " in info["illegal"]
    assert "scores" not in info, "an unfinished game keeps its secrets"
    env.reset()
    episode(env)


def test_reset_in_the_middle_deals_another_game():
    env = gymnasium.make(TOY)
    env.reset(seed=1)
    seeds = [int(env.unwrapped.batch.table.states["seed"][0])]
    for action in (None, 0):
        if action is not None:
            env.step(action)
        env.reset()
        seeds.append(int(env.unwrapped.batch.table.states["seed"][0]))
    assert len(set(seeds)) == 3


@pytest.mark.parametrize("action", NO_ACTIONS.values(), ids=NO_ACTIONS)
def test_illegal_actions_may_raise(action):
    env = gymnasium.make(TOY, illegal="raise", disable_env_checker=True)
    env.reset(seed=1)
    before = env.unwrapped.batch.table.save()
    with pytest.raises(IllegalAction, match="may not .*; legal: "):
        env.step(action)
    assert env.unwrapped.batch.table.save() == before
    env.step(int(env.unwrapped.action_masks().argmax()))


@modes
def test_an_illegal_action_ends_its_own_row_only(mode):
    env, twin = (gymnasium.make_vec(TOY, num_envs=4, opponents=MIX, autoreset_mode=mode) for _ in range(2))
    env.reset(seed=1), twin.reset(seed=1)
    actions = env.unwrapped.action_masks().argmax(1)
    right = twin.step(actions)
    wrong = [0, 10**6, -1]
    for row, action in enumerate(wrong):
        actions[row] = action
    before = env.unwrapped.batch.observation.copy()
    observations, rewards, terminations, truncations, infos = env.step(actions)
    assert rewards.tolist() == [-1, -1, -1, right[1][3]] and terminations.tolist() == [True, True, True, False]
    assert not truncations.any() and (observations[3] == right[0][3]).all()
    told = infos["final_info"] if mode == "SameStep" else infos
    assert told["illegal"].tolist() == told["_illegal"].tolist() == [True, True, True, False]
    assert not told["is_success"].any() and not told["_scores"].any()
    final = np.stack(infos["final_obs"][:3]) if mode == "SameStep" else observations[:3]
    assert (final == before[:3]).all()
    list(play(env, 20))


def test_illegal_actions_may_raise_before_any_game_has_moved():
    env = gymnasium.make_vec(TOY, num_envs=3, illegal="raise")
    env.reset(seed=1)
    before, actions = env.unwrapped.batch.table.save(), env.unwrapped.action_masks().argmax(1)
    actions[1] = 0
    with pytest.raises(IllegalAction, match="in game 1, player_. may not 'wait'.*legal: "):
        env.step(actions)
    assert env.unwrapped.batch.table.save() == before
    list(play(env, 20))


@pytest.mark.parametrize("actions", [[1.0, 2.0], [True, False], ["a", "b"], [None, None], [1], 1, [[1, 2]], [[1], [1, 2]]])
def test_vector_actions_are_whole_numbers_one_per_game(actions):
    env = gymnasium.make_vec(TOY, num_envs=2)
    env.reset(seed=1)
    with pytest.raises(
        HeistError, match=r"whole numbers, an integer array of shape \(2,\)|one action per game, shape \(2,\)"
    ):
        env.step(actions)


# autoreset


@modes
def test_the_mode_is_declared(mode):
    env = gymnasium.make_vec(TOY, num_envs=2, autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert gymnasium.make_vec(TOY).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert gymnasium.make_vec(TOY, autoreset_mode=AutoresetMode(mode)).metadata == env.metadata


def episodes(env, steps, mode):
    """Each row's episodes as [(observation, reward), ...], without the steps of "NextStep" that only show the next game."""
    observations, _ = env.reset(seed=6)
    rows = [[[]] for _ in range(env.num_envs)]
    rngs = [np.random.default_rng(row) for row in range(env.num_envs)]
    ended = np.zeros(env.num_envs, bool)
    for _ in range(steps):
        masks = env.unwrapped.action_masks()
        actions = np.array([0 if over else legal(m, rng) for over, m, rng in zip(ended, masks, rngs, strict=True)])
        before, shows_only = observations, ended & (mode == "NextStep")
        observations, rewards, terminations, truncations, infos = env.step(actions)
        ended = terminations | truncations
        assert not rewards[shows_only].any() and not ended[shows_only].any()
        for row in np.flatnonzero(~shows_only):
            rows[row][-1].append((before[row].tobytes(), rewards[row]))
            if ended[row]:
                final = infos["final_obs"][row] if mode == "SameStep" else observations[row]
                rows[row][-1].append(final.tobytes())
                rows[row].append([])
        ended &= mode == "NextStep"
    return rows


def test_both_modes_play_the_same_episodes():
    same, following = (
        episodes(gymnasium.make_vec(TOY, num_envs=5, opponents="greedy", autoreset_mode=mode), 60, mode)
        for mode in ("SameStep", "NextStep")
    )
    for a, b in zip(same, following, strict=True):
        whole = len(b) - 1
        assert whole > 2 and a[:whole] == b[:whole]


@pytest.mark.parametrize("actions", ["legal", "any"])
@modes
def test_infos_have_the_form_of_gymnasiums_own_vector(mode, actions):
    """Entry by entry what `SyncVectorEnv` makes of `HeistGym`: names, shapes, dtypes, masks. Only a refused action is told
    as True instead of as a sentence, which would be slow."""
    mine = gymnasium.make_vec(TOY, num_envs=3, autoreset_mode=mode)
    theirs = gymnasium.make_vec(
        TOY, num_envs=3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": AutoresetMode(mode)}
    )
    forms = []
    for env in (mine, theirs):
        env.reset(seed=1)
        env.action_space.seed(1)
        rng, form = np.random.default_rng(1), {}
        masks = np.ones((3, 9)) if actions == "any" else env.reset(seed=1)[1]["action_mask"]
        for _ in range(40):
            told = env.step(legal(masks, rng))
            form |= shape_of(told[4])
            masks = masks if actions == "any" else told[4]["action_mask"]
        form |= {k: (told[k].shape, told[k].dtype) for k in range(4)}
        forms.append({name: kind for name, kind in form.items() if not str(name).endswith("illegal")})
    assert forms[0].keys() >= forms[1].keys()
    assert {name: forms[0][name] for name in forms[1]} == forms[1]
    assert {str(name).rpartition("/")[2].lstrip("_") for name in forms[0].keys() - forms[1].keys()} <= {"scores", "ranks"}


def shape_of(infos, path=""):
    form = {}
    for name, value in infos.items():
        form |= shape_of(value, f"{path}{name}/") if isinstance(value, dict) else {path + name: (value.shape, value.dtype)}
    return form


@modes
def test_gymnasiums_vector_wrappers_work(mode):
    env = gymnasium.make_vec(TOY, num_envs=6, opponents="random_legal", autoreset_mode=mode)
    env = DictInfoToList(RecordEpisodeStatistics(env))
    env.reset(seed=1)
    rng, counted, ended = np.random.default_rng(1), 0, 0
    for _ in range(60):
        _, _, terminations, _, infos = env.step(legal(env.unwrapped.action_masks(), rng))
        ended += terminations.sum()
        counted += sum("episode" in info for info in infos)
    assert counted == ended > 6
    assert set(env.env.return_queue) <= {-1.0, 0.0, 1.0} and min(env.env.length_queue) >= 4


def test_a_thousand_games():
    env = gymnasium.make_vec(TOY, num_envs=1024, opponents="greedy:0.5,random_legal:0.5")
    assert (env.num_envs, env.single_action_space.n) == (1024, 9)
    assert env.observation_space.shape == (1024, *env.single_observation_space.shape)
    env.reset(seed=1)
    env.action_space.seed(1)
    rewards, ended = [], 0
    for observations, reward, terminations, truncations, infos in play(env, 40):
        assert env.observation_space.contains(observations) and infos["action_mask"].shape == (1024, 9)
        assert reward.dtype == np.float64 and terminations.dtype == truncations.dtype == bool
        rewards.append(reward)
        ended += terminations.sum()
    assert ended > 3000 and np.sum(rewards) < 0, "a random player loses against this mix"
    env.step(env.action_space.sample())
    env.close()


@both
def test_returned_arrays_are_the_callers(make):
    env, twin = make(TOY), make(TOY)
    spoil(env.reset(seed=1)), twin.reset(seed=1)
    for told, other in zip(play(env, 30), play(twin, 30), strict=True):
        assert data_equivalence(told, other, exact=True)
        spoil(told)


def spoil(told):
    """Overwrite every array in it."""
    for value in told.values() if isinstance(told, dict) else told:
        if isinstance(value, (dict, tuple)):
            spoil(value)
        elif isinstance(value, np.ndarray):
            value[...] = 1


@pytest.mark.parametrize("name", ["toy_game", "rob_a_bank"])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copied", "pickled"])
@both
def test_a_copy_goes_on_like_the_original(name, again, make):
    env = make(id_of(name), opponents=MIX)
    env.reset(seed=3)
    list(play(env, 11))
    twin = again(env)
    assert twin.unwrapped.batch.table.words is not env.unwrapped.batch.table.words
    for told, other in zip(play(env, 40, seed=1), play(twin, 40, seed=1), strict=True):
        assert data_equivalence(told, other, exact=True)


# drawings


def test_ansi_shows_the_end_and_what_opponents_did():
    env = gymnasium.make(TOY, render_mode="ansi", opponents="random_legal", num_players=3)
    env.reset(seed=1)
    drawn = [env.render()]
    for _, _, terminated, _, info in play(env, 50):
        drawn.append(env.unwrapped.render())
        if terminated:
            points = [int(text.strip(" ],")) for text in drawn[-1].partition("points [")[2].partition("]")[0].split()]
            assert all(score >= point for score, point in zip(info["scores"], points, strict=True)) and max(points) > 0
            break
    happened = [int(text.split(", ")[-1].split()[0]) for text in drawn]
    assert max(happened) >= 2 and happened[-1] >= 2, "several events between two of the learner's decisions"
    again = pickle.loads(pickle.dumps(env))
    assert "toy game" in again.render()


def test_human_prints_every_position(capsys):
    env = gymnasium.make(TOY, render_mode="human")
    env.reset(seed=1)
    assert capsys.readouterr().out.count("toy game for all") == 1
    steps = sum(1 for _ in itertools.takewhile(lambda told: not told[2], play(env, 50)))
    assert capsys.readouterr().out.count("toy game for all") == steps + 1


def test_render_without_a_mode_warns():
    env = gymnasium.make(TOY).unwrapped
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="needs render_mode='ansi' or 'human'"):
        assert env.render() is None
    with pytest.raises(HeistError, match=r"call reset\(\) before render\(\)"):
        gymnasium.make(TOY, render_mode="ansi").unwrapped.render()


# Stable-Baselines3


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_maskable_ppo_learns_the_toy_game():
    from sb3_contrib import MaskablePPO

    env = gymnasium.make(TOY, opponents="random_legal")
    model = MaskablePPO("MlpPolicy", env, n_steps=256, learning_rate=3e-3, seed=3)
    before = win_share(model)
    model.learn(2048)
    assert model.num_timesteps == 2048 and len(model.ep_success_buffer) == 100
    assert win_share(model) > before + 0.05


def win_share(model):
    """Share of some 1400 games against random play that the model wins, measured on the vector form."""
    env = gymnasium.make_vec(TOY, num_envs=256, opponents="random_legal")
    observations, _ = env.reset(seed=8)
    won = ended = 0
    for _ in range(30):
        actions, _ = model.predict(observations, action_masks=env.unwrapped.action_masks())
        observations, _, terminations, _, infos = env.step(actions)
        if terminations.any():
            won, ended = won + infos["final_info"]["is_success"].sum(), ended + terminations.sum()
    return won / ended


def test_sb3_makes_vectors_of_it():
    """`make_vec_env` asks for render_mode "rgb_array" first; masks come from inside the environments, forked ones too."""
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium's, that there is no rgb_array
        here = make_vec_env(TOY, 2, seed=1, env_kwargs={"opponents": "greedy"})
        there = make_vec_env(TOY, 2, seed=1, vec_env_cls=SubprocVecEnv, vec_env_kwargs={"start_method": "fork"})
    try:
        assert is_masking_supported(here) and is_masking_supported(there)
        assert (here.reset() == there.reset()).all()
        rng = np.random.default_rng(1)
        for _ in range(30):
            masks = get_action_masks(here)
            assert masks.shape == (2, 9) and masks.dtype == bool and (masks == get_action_masks(there)).all()
            actions = legal(masks, rng)
            for a, b in zip(here.step(actions)[:3], there.step(actions)[:3], strict=True):
                assert (a == b).all()
    finally:
        there.close()
