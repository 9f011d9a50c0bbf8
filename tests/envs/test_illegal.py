"""Wrong actions, wrong order, wrong options: one sentence that says what is allowed, and nothing moves."""

import logging

import numpy as np
import pytest

import heist_envs
from heist_envs.engine.errors import HeistError, IllegalAction

from ..support import each_game

NO_ACTIONS = {
    "too large": 10**6, "negative": -1, "huge": 10**40, "wait": 0, "a float": 1.0, "nan": float("nan"), "text": "pass",
    "a list": [1], "an array": np.array([1, 2]), "an array of one": np.array([1]), "an object": object(), "none": None,
}  # fmt: skip
each_no_action = pytest.mark.parametrize("action", NO_ACTIONS.values(), ids=NO_ACTIONS)


@pytest.fixture
def env():
    env = heist_envs.make_aec("toy_game", num_players=3)
    env.reset(seed=1)
    return env


@pytest.fixture
def raw_env():
    env = heist_envs.make_aec("toy_game", num_players=3, illegal="raise")
    env.reset(seed=1)
    return env


@pytest.fixture
def parallel_env():
    env = heist_envs.make_parallel("toy_game", num_players=3)
    env.reset(seed=1)
    return env


@each_no_action
def test_env_ends_the_episode_and_blames_the_offender(env, action, caplog):
    offender = env.agent_selection
    with caplog.at_level(logging.WARNING, logger="heist_envs"):
        env.step(action)
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.truncations == dict.fromkeys(env.possible_agents, False)
    assert env.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    assert f"{offender} may not" in env.infos[offender]["illegal"]
    assert "legal: look, pass." in env.infos[offender]["illegal"] and env.infos[offender]["illegal"] in caplog.text
    assert all("illegal" not in env.infos[agent] for agent in env.agents if agent != offender)
    while env.agents:
        env.step(None)
    env.reset(seed=1)
    assert len(env.agents) == 3 and not any(env.terminations.values())


@each_no_action
def test_raw_env_raises_and_stays_where_it_was(raw_env, action):
    before, agent = raw_env.table.save(), raw_env.agent_selection
    with pytest.raises(IllegalAction, match=rf"{agent} may not .*; legal: look, pass\."):
        raw_env.step(action)
    assert raw_env.table.save() == before
    assert raw_env.agent_selection == agent and raw_env.agents == raw_env.possible_agents
    assert not any(raw_env.terminations.values())
    raw_env.step(np.int32(2))
    assert raw_env.table.save() != before


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint16, lambda n: np.array(n)])
def test_every_kind_of_integer_is_an_action(raw_env, kind):
    raw_env.step(kind(2))
    assert raw_env.table.states[0].decisions == 1


def owing(env):
    return env.possible_agents[int(env.table.seat[0])]


@pytest.mark.parametrize("action", list(NO_ACTIONS.values())[:-1], ids=list(NO_ACTIONS)[:-1])
def test_parallel_env_ends_the_episode(parallel_env, action):
    offender = owing(parallel_env)
    actions = {agent: action if agent == offender else 0 for agent in parallel_env.agents}
    observations, rewards, terminations, truncations, infos = parallel_env.step(actions)
    assert terminations == dict.fromkeys(parallel_env.possible_agents, True)
    assert not any(truncations.values()) and set(observations) == set(terminations)
    assert rewards == {agent: -1.0 if agent == offender else 0.0 for agent in parallel_env.possible_agents}
    assert "legal: look, pass." in infos[offender]["illegal"]
    assert parallel_env.agents == []


def test_parallel_env_refuses_an_action_of_a_waiting_agent():
    env = heist_envs.make_parallel("toy_game", num_players=3, illegal="raise")
    env.reset(seed=1)
    before, decider = env.table.save(), owing(env)
    waiting = next(agent for agent in env.agents if agent != decider)
    with pytest.raises(IllegalAction, match=rf"{waiting} may not 'pass' .*; legal: wait\."):
        env.step({decider: 2, waiting: 2})
    assert env.table.save() == before


@pytest.mark.parametrize("waits", ["left out", 0, None])
def test_waiting_agents_may_wait_or_be_left_out(parallel_env, waits):
    decider = owing(parallel_env)
    other = next(agent for agent in parallel_env.agents if agent != decider)
    parallel_env.step({decider: 2} if waits == "left out" else {decider: 2, other: waits})
    assert parallel_env.table.states[0].decisions == 1


def test_parallel_env_needs_the_action_of_every_owing_agent(parallel_env):
    decider, before = owing(parallel_env), parallel_env.table.save()
    with pytest.raises(HeistError, match=f"{decider} owes a decision and is missing in the actions"):
        parallel_env.step({})
    with pytest.raises(HeistError, match="unknown agent 'player_7' - did you mean 'player_"):
        parallel_env.step({decider: 2, "player_7": 0})
    assert parallel_env.table.save() == before


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ([0.0, 1.0], "actions are whole numbers"),
        ([True, False], "actions are whole numbers"),
        (["pass", "pass"], "actions are whole numbers"),
        ([None, None], "actions are whole numbers"),
        ([1], r"one action per game, shape \(2,\)"),
        ([[1, 1]], r"one action per game, shape \(2,\)"),
        ([1, 99], "may not play 99: actions are whole numbers 0 to 8; legal: look, pass"),
        ([1, -1], "may not play -1"),
        ([1, 0], "may not 'wait'"),
    ],
)
def test_batch_refuses_before_any_game_has_moved(actions, sentence):
    batch = heist_envs.make_batch("toy_game", 2)
    before = batch.table.save()
    with pytest.raises(HeistError, match=sentence):
        batch.step(actions)
    assert batch.table.save() == before


def test_nothing_works_before_reset():
    for env in (heist_envs.make_aec("toy_game"), heist_envs.make_parallel("toy_game", render_mode="ansi")):
        with pytest.raises(HeistError, match=r"call reset\(\) before step\(\): no game has been dealt yet"):
            env.step({})
    with pytest.raises(HeistError, match=r"call reset\(\) before render\(\)"):
        env.render()
    with pytest.raises(HeistError, match=r"call reset\(\) before observe\(\)"):
        heist_envs.make_aec("toy_game").observe("player_0")


def play_to_the_end(env):
    env.reset(seed=1)
    while not env.table.over[0]:
        env.step(int(env.last()[0]["action_mask"].argmax()))


@each_game
def test_acting_after_the_end(name):
    env = heist_envs.make_aec(name)
    play_to_the_end(env)
    with pytest.raises(HeistError, match=rf"the game is over for {env.agent_selection}: step\(None\) lets it leave"):
        env.step(1)
    while env.agents:
        env.step(None)
    for act in (lambda: env.step(None), lambda: env.step(1), env.last):
        with pytest.raises(HeistError, match=r"no agent is left to act; call reset\(\)"):
            act()


@each_game
def test_acting_after_the_end_in_parallel(name):
    env = heist_envs.make_parallel(name)
    seen, _ = env.reset(seed=1)
    while env.agents:
        seen, *_ = env.step({agent: int(what["action_mask"].argmax()) for agent, what in seen.items()})
    with pytest.raises(HeistError, match=r"no agent is left to act; call reset\(\)"):
        env.step({})


def test_only_agents_can_be_observed(env):
    with pytest.raises(HeistError, match="unknown agent 'player_3'.*Allowed: player_0, player_1, player_2"):
        env.observe("player_3")


MAKERS = {
    "aec": heist_envs.make_aec,
    "parallel": heist_envs.make_parallel,
    "batch": lambda game, **options: heist_envs.make_batch(game, 2, **options),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"num_player": 3}, "unknown option 'num_player' - did you mean 'num_players'"),
        ({"num_players": 9}, "option num_players may not be 9; allowed: 2 to 3"),
        ({"reward": "score"}, "option reward may not be 'score'; allowed: win, margin"),
        ({"all_pay": "yes"}, "option all_pay may not be 'yes'; allowed: False, True"),
    ],
)
def test_wrong_options_are_refused(make, options, sentence):
    with pytest.raises(HeistError, match=sentence):
        make("toy_game", **options)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("name", ["toy_gam", "Toy_Game", "", None, 3])
def test_unknown_games_are_refused(make, name):
    with pytest.raises(HeistError, match="unknown game .*Allowed: .*toy_game"):
        make(name)


@pytest.mark.parametrize("make", [heist_envs.make_aec, heist_envs.make_parallel])
def test_wrong_settings_of_an_environment_are_refused(make):
    with pytest.raises(HeistError, match="unknown render_mode 'rgb'.*Allowed: None, ansi, human"):
        make("toy_game", render_mode="rgb")
    with pytest.raises(HeistError, match="illegal.*'ignore'.* Allowed: terminate, raise"):
        make("toy_game", illegal="ignore")


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1"])
def test_wrong_seeds_are_refused(env, parallel_env, seed):
    for reset in (env.reset, parallel_env.reset, heist_envs.make_batch("toy_game", 2).reset):
        with pytest.raises(HeistError, match="a seed is a whole number"):
            reset(seed=seed)


@pytest.mark.parametrize("games", [0, -3, 1.5, "many"])
def test_a_batch_has_at_least_one_game(games):
    with pytest.raises(HeistError, match="1 or more games"):
        heist_envs.make_batch("toy_game", games)
