"""A game is the same game in a batch or alone, compiled or interpreted, saved, copied, pickled, here or elsewhere."""

import copy
import pickle

import numpy as np
import pytest

import heist_envs
from heist_envs.engine.table import Table

from ..support import GAMES, a_legal_action, around_the_defaults, digest_of_play, each_table, run_python, walk

DIGEST = "import sys; from tests.support import digest_of_play; print(digest_of_play(sys.argv[1], int(sys.argv[2])))"


@each_table
def test_batch_games_equal_single_games(name, players):
    batch = heist_envs.make_batch(name, 5, seed=9, num_players=players)
    singles = [Table(name, num_players=players) for _ in range(5)]
    for single, seed in zip(singles, batch.seeds, strict=True):
        single.reset(int(seed))
    ended = np.zeros(5, int)
    while ended.min() < 2:
        for i, single in enumerate(singles):
            assert single.words.tobytes() == batch.table.words[i].tobytes()
            assert single.seat[0] == batch.seat[i]
            assert (single.observation[0] == batch.observation[i]).all()
            assert (single.mask[0] == batch.action_mask[i]).all()
        actions = batch.random_actions().copy()
        batch.step(actions)
        for i, single in enumerate(singles):
            single.play(actions[i : i + 1])
            assert (single.rewards[0] == batch.rewards[i]).all()
            assert bool(single.over[0]) == bool(batch.terminated[i] or batch.truncated[i])
            if single.over[0]:
                ended[i] += 1
                single.reset(int(batch.seeds[i]))


@each_table
def test_batch_games_do_not_depend_on_the_size_of_the_batch(name, players):
    small, large = (heist_envs.make_batch(name, games, seed=9, num_players=players) for games in (2, 7))
    assert (small.seeds == large.seeds[:2]).all()
    assert (small.table.words == large.table.words[:2]).all()
    assert len(set(large.seeds.tolist())) == 7


@each_table
def test_aec_environment_equals_batch_game_with_its_seed(name, players):
    batch = heist_envs.make_batch(name, 2, seed=4, num_players=players)
    env = heist_envs.make_aec(name, num_players=players)
    env.reset(seed=int(batch.seeds[1]))
    while not env.terminations[env.agent_selection] and not env.truncations[env.agent_selection]:
        seen = env.last()[0]
        assert env.possible_agents[batch.seat[1]] == env.agent_selection
        assert (seen["observation"] == batch.observation[1]).all()
        assert (seen["action_mask"] == batch.action_mask[1]).all()
        actions = batch.random_actions().copy()
        batch.step(actions)
        env.step(actions[1])
    assert [env.rewards[agent] for agent in env.possible_agents] == batch.rewards[1].tolist()


@each_table
def test_compiled_equals_interpreted(name, players):
    assert run_python(DIGEST, name, players, HEIST_JIT="0") == digest_of_play(name, players)


@pytest.mark.parametrize(("name", "options"), [(n, o) for n in GAMES for o in around_the_defaults(n)], ids=str)
def test_same_seed_same_bytes(name, options):
    tables = [Table(name, **options), Table(name, **options)]
    for _ in zip(*(walk(table, seed=12) for table in tables), strict=True):
        assert tables[0].words.tobytes() == tables[1].words.tobytes()
    other = Table(name, **options)
    other.reset(13)
    tables[0].reset(12)
    assert other.words.tobytes() != tables[0].words.tobytes()


@each_table
def test_reset_without_a_seed_goes_on_to_another_game(name, players):
    first, second = (Table(name, num_players=players) for _ in range(2))
    seeds = set()
    for table in (first, second):
        table.reset(3)
        table.reset()
        table.reset()
        seeds.add(int(table.states[0].seed))
    assert len(seeds) == 1 and seeds != {3}
    assert first.words.tobytes() == second.words.tobytes()


def saved_and_restored(table):
    other = Table(table.game, table.games, recording=True, **table.options)
    other.restore(table.save())
    return other


COPIES = {
    "save and restore": saved_and_restored,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}
each_copy = pytest.mark.parametrize("copy_of", COPIES.values(), ids=COPIES)
each_env_copy = pytest.mark.parametrize("copy_of", [COPIES["deepcopy"], COPIES["pickle"]], ids=["deepcopy", "pickle"])


@each_table
@each_copy
def test_copied_tables_go_on_identically(name, players, copy_of):
    table = Table(name, recording=True, num_players=players)
    for k, _ in enumerate(walk(table, seed=21)):
        if k % 9 == 4:
            original, twin = copy.deepcopy(table), copy_of(table)
            rng = np.random.default_rng(k)
            while not original.over[0]:
                action = a_legal_action(original, rng)
                original.play(action)
                twin.play(action)
                assert twin.words.tobytes() == original.words.tobytes()
                assert twin.events() == original.events()
                assert (twin.observation == original.observation).all() and (twin.mask == original.mask).all()
            assert (twin.rewards == original.rewards).all() and twin.rewards.shape == (1, players)


@each_table
@each_env_copy
def test_copied_environments_go_on_identically(name, players, copy_of):
    envs = [heist_envs.make_aec(name, num_players=players, render_mode="ansi")]
    envs[0].reset(seed=2)
    rng = np.random.default_rng(2)
    while envs[0].agents:
        if len(envs) == 1 and envs[0].table.states[0].decisions == 7:
            envs.append(copy_of(envs[0]))
            assert envs[1].render() == envs[0].render()
        seen, reward, *flags = envs[0].last()
        for env in envs[1:]:
            assert (env.agent_selection, env.agents) == (envs[0].agent_selection, envs[0].agents)
            twin, twin_reward, *twin_flags = env.last()
            assert (twin_reward, twin_flags) == (reward, flags)
            assert all((twin[key] == seen[key]).all() for key in seen)
        action = None if flags[0] or flags[1] else rng.choice(np.flatnonzero(seen["action_mask"]))
        for env in envs:
            env.step(action)
    assert len(envs) == 2 and envs[1].agents == []


@each_table
@each_env_copy
def test_copied_parallel_environments_go_on_identically(name, players, copy_of):
    env = heist_envs.make_parallel(name, num_players=players)
    observations, _ = env.reset(seed=2)
    rng, twin = np.random.default_rng(2), None
    while env.agents:
        actions = {agent: rng.choice(np.flatnonzero(seen["action_mask"])) for agent, seen in observations.items()}
        observations, *rest = env.step(actions)
        if twin is not None:
            same, *twin_rest = twin.step(actions)
            assert twin_rest == rest
            assert all((same[agent][key] == seen[key]).all() for agent, seen in observations.items() for key in seen)
        elif env.table.states[0].decisions > 5:
            twin = copy_of(env)
    assert twin is not None and twin.agents == []


@each_table
@each_env_copy
def test_copied_batches_go_on_identically(name, players, copy_of):
    batch = heist_envs.make_batch(name, 3, seed=1, num_players=players)
    for _ in range(5):
        batch.step(batch.random_actions())
    twin = copy_of(batch)
    for _ in range(150):
        batch.step(batch.random_actions())
        twin.step(twin.random_actions())
        for array in ("observation", "action_mask", "seat", "rewards", "terminated", "truncated", "seeds"):
            assert (getattr(twin, array) == getattr(batch, array)).all(), array


@each_table
def test_roll_out_plays_as_single_steps_do(name, players):
    rolled, stepped = (heist_envs.make_batch(name, 1, seed=6, num_players=players) for _ in range(2))
    ended, steps = 0, heist_envs.about(name).longest + 1
    for _ in range(steps):
        stepped.step(stepped.random_actions())
        ended += int(stepped.terminated[0] or stepped.truncated[0])
    assert rolled.roll_out(steps) == ended > 0
    assert rolled.table.words.tobytes() == stepped.table.words.tobytes()
