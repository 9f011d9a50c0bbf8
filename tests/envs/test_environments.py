"""What the environments promise a learner: rewards at the end for everybody, any seat's view at any time, auto-reset."""

import numpy as np
import pytest

import heist_envs

from ..support import each_game, each_table


def step_randomly(env, rng):
    env.step(rng.choice(np.flatnonzero(env.last()[0]["action_mask"])))


@each_table
def test_every_agent_gets_its_reward_and_score_at_the_end(name, players):
    env, rng = heist_envs.make_aec(name, num_players=players), np.random.default_rng(1)
    env.reset(seed=1)
    while not env.table.over[0]:
        assert env.rewards == dict.fromkeys(env.possible_agents, 0.0)
        assert env.agents == env.possible_agents
        step_randomly(env, rng)
    rewards = dict(zip(env.possible_agents, env.table.rewards[0].tolist(), strict=True))
    assert env.rewards == rewards
    got = {}
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        assert terminated != truncated
        got[agent] = reward
        assert info == {"score": int(env.table.states[0].score[env.possible_agents.index(agent)])}
        env.step(None)
    assert got == rewards


@each_table
def test_parallel_agents_all_end_in_the_same_step(name, players):
    env, rng = heist_envs.make_parallel(name, num_players=players), np.random.default_rng(1)
    observations, infos = env.reset(seed=1)
    assert infos == {agent: {} for agent in env.possible_agents}
    while env.agents:
        assert env.agents == env.possible_agents == list(observations)
        assert not any(map(any, ([], infos.values())))
        actions = {agent: rng.choice(np.flatnonzero(seen["action_mask"])) for agent, seen in observations.items()}
        observations, rewards, terminations, truncations, infos = env.step(actions)
    assert len(set(terminations.values())) == len(set(truncations.values())) == 1
    assert list(rewards.values()) == env.table.rewards[0].tolist()
    assert {agent: info["score"] for agent, info in infos.items()} == dict(
        zip(env.possible_agents, env.table.states[0].score.tolist(), strict=False)
    )
    assert list(observations) == env.possible_agents


@each_table
def test_any_seat_can_be_observed_at_any_time(name, players):
    env, rng = heist_envs.make_aec(name, num_players=players), np.random.default_rng(2)
    env.reset(seed=2)
    while not env.table.over[0]:
        before = env.table.save()
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            observation, mask = env.table.show(seat)
            assert (seen["observation"] == observation[0]).all() and (seen["action_mask"] == mask[0]).all()
            assert env.observation_space(agent).contains(seen)
            seen["observation"][:] = seen["action_mask"][:] = 7
        assert env.table.save() == before
        assert env.observe(env.agent_selection)["action_mask"].max() == 1
        step_randomly(env, rng)
    for agent in env.possible_agents:
        assert env.observe(agent)["action_mask"].tolist() == [1] + [0] * (env.action_space(agent).n - 1)


@each_game
def test_batch_begins_finished_games_anew_at_once(name):
    batch = heist_envs.make_batch(name, 8, seed=3)
    ended = np.zeros(8, int)
    while ended.min() < 2:
        seeds = batch.seeds
        batch.step(batch.random_actions())
        over = batch.terminated | batch.truncated
        assert not batch.table.over.any()
        assert ((batch.seeds != seeds) == over).all()
        assert not batch.rewards[~over].any()
        assert batch.action_mask.any(1).all() and not batch.action_mask[:, 0].any()
        assert (batch.table.states["decisions"][over] == 0).all()
        ended += over
    assert batch.terminated.dtype == batch.truncated.dtype == bool


@each_game
def test_batch_arrays_are_as_documented_and_written_in_place(name):
    players = heist_envs.about(name).seats[1]
    batch = heist_envs.make_batch(name, 5, num_players=players)
    actions, size = len(batch.game.actions), batch.game.observation.size
    arrays = {
        "observation": ((5, size), np.float32),
        "action_mask": ((5, actions), np.int8),
        "seat": ((5,), np.int64),
        "rewards": ((5, players), np.float64),
        "terminated": ((5,), np.bool_),
        "truncated": ((5,), np.bool_),
    }
    before = {array: getattr(batch, array) for array in arrays}
    batch.step(batch.random_actions())
    batch.reset()
    for array, (shape, kind) in arrays.items():
        assert getattr(batch, array) is before[array]
        assert (before[array].shape, before[array].dtype) == (shape, np.dtype(kind))


def test_batch_random_actions_follow_its_seed():
    first, second = (heist_envs.make_batch("toy_game", 50, seed=4) for _ in range(2))
    assert (first.random_actions() == second.random_actions()).all()
    drawn = first.random_actions().copy()
    first.reset(4)
    first.random_actions()
    assert (first.random_actions() == drawn).all()
    other = heist_envs.make_batch("toy_game", 50, seed=5)
    assert (other.seeds != heist_envs.make_batch("toy_game", 50, seed=4).seeds).all()


@each_game
def test_reset_without_a_seed_deals_other_games(name):
    env = heist_envs.make_aec(name)
    seeds = set()
    for _ in range(5):
        env.reset()
        seeds.add(int(env.table.states[0].seed))
    assert len(seeds) == 5
    other = heist_envs.make_aec(name)
    other.reset()
    assert int(other.table.states[0].seed) not in seeds


def test_reset_accepts_options_it_does_not_know():
    env, parallel = heist_envs.make_aec("toy_game"), heist_envs.make_parallel("toy_game")
    env.reset(seed=1, options={"anything": 1})
    parallel.reset(seed=1, options={"anything": 1})
    assert env.agents == parallel.agents


@each_table
def test_ansi_draws_text_and_human_prints_it(name, players, capsys):
    env = heist_envs.make_aec(name, num_players=players, render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert len(text.splitlines()) >= 1 and capsys.readouterr().out == ""
    human = heist_envs.make_aec(name, num_players=players, render_mode="human")
    human.reset(seed=1)
    assert capsys.readouterr().out == text + "\n"
    assert human.render() is None and capsys.readouterr().out == text + "\n"


def test_render_without_a_mode_warns():
    env = heist_envs.make_aec("toy_game")
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="needs render_mode='ansi' or 'human'"):
        assert env.render() is None
    env.close()
    assert str(env) == "toy_game_v0"
