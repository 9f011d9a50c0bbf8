"""Nobody sees, and no bot uses, what the declarations of the state do not show to a seat."""

import numpy as np
import pytest

import heist_envs
from heist_envs.engine.table import Table
from heist_envs.policies.scripted import ScriptedPlayers, bot_names

from ..support import each_table, hidden_bytes, owing_seats, views, walk

both_recalls = pytest.mark.parametrize("perfect_recall", [True, False])


def scramble_hidden(table, seat, rng):
    """Overwrite every byte that `seat` may not see with noise; returns the words as they were."""
    before = table.words.copy()
    hidden = hidden_bytes(table, seat)
    table.words.view(np.uint8)[0, hidden] = rng.integers(0, 256, hidden.sum(), np.uint8)
    return before


@each_table
@both_recalls
def test_hidden_bytes_change_nothing_that_a_seat_sees(name, players, perfect_recall):
    table, rng = Table(name, num_players=players, perfect_recall=perfect_recall), np.random.default_rng(1)
    for _ in walk(table, seed=1):
        for seat in range(players):
            seen = views(table, [seat])
            before = scramble_hidden(table, seat, rng)
            assert views(table, [seat]) == seen
            table.words[:] = before


@each_table
@both_recalls
def test_a_seat_sees_nothing_but_zeros_where_it_may_not_look(name, players, perfect_recall):
    table, ever_hidden = Table(name, num_players=players, perfect_recall=perfect_recall), 0
    for _ in walk(table, seed=1):
        for seat in range(players):
            hidden = hidden_bytes(table, seat)
            seen, state = table.seen(seat).view(np.uint8), table.words.view(np.uint8)[0]
            assert not seen[hidden].any()
            assert (seen[~hidden] == state[~hidden]).all()
            ever_hidden += state[hidden].any()
    assert ever_hidden


@each_table
@both_recalls
def test_bots_choose_by_what_they_see(name, players, perfect_recall):
    table, rng = Table(name, num_players=players, perfect_recall=perfect_recall), np.random.default_rng(1)
    for bot in bot_names(table.game):
        bots, choice = ScriptedPlayers(table, [bot], np.zeros((1, players)), seed=3), np.zeros(1, np.int64)
        for _ in walk(table, seed=2):
            memory = bots.memory.copy()
            first = bots.choose(choice)[0]
            bots.memory[:] = memory
            before = scramble_hidden(table, int(table.seat[0]), rng)
            assert bots.choose(choice)[0] == first, bot
            table.words[:] = before


@each_table
def test_infos_tell_nothing_before_the_end(name, players):
    env = heist_envs.make_aec(name, num_players=players)
    env.reset(seed=1)
    env.action_space(env.agent_selection).seed(1)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        assert env.infos == {agent: {} for agent in env.agents}
        env.step(env.action_space(env.agent_selection).sample(env.last()[0]["action_mask"]))
    assert all(set(info) == {"score"} for info in env.infos.values())


@each_table
@both_recalls
def test_redeal_keeps_what_a_seat_sees_and_draws_the_rest_anew(name, players, perfect_recall):
    table, changed = Table(name, num_players=players, perfect_recall=perfect_recall), 0
    chance = np.zeros(table.game.state.dtype.itemsize, bool)
    for field in ("seed", "dice", "decisions"):
        kind, first = table.game.state.dtype.fields[field][:2]
        chance[first : first + kind.itemsize] = True
    for k, _ in enumerate(walk(table, seed=6)):
        seat, before, owing = k % players, table.words.copy(), owing_seats(table)
        seen = views(table, [seat])
        table.redeal(seat, seed=k)
        assert views(table, [seat]) == seen
        assert not table.broken().any()
        assert owing_seats(table) == owing
        changed += (before.view(np.uint8) != table.words.view(np.uint8))[0, ~chance].any()
        assert table.states[0].dice != before.view(table.game.state.dtype)["dice"][0, 0]
        table.words[:] = before
        table.restore(table.save())
    assert changed


@each_table
def test_redealt_games_go_on_to_their_end(name, players):
    table = Table(name, num_players=players)
    for k, _ in enumerate(walk(table, seed=6)):
        table.redeal(int(table.seat[0]), seed=k)
        assert not table.broken().any()
    assert table.states[0].decisions <= heist_envs.about(name).longest


@each_table
def test_redeal_depends_on_its_seed_and_on_nothing_hidden_from_the_seat(name, players):
    table = Table(name, num_players=players)
    for k, _ in enumerate(walk(table, seed=8)):
        if k % 10 == 5:
            start, seat = table.save(), int(table.seat[0])
            deals = []
            for seed in (1, 1, 2):
                table.restore(start)
                table.redeal(seat, seed)
                deals.append(table.words.tobytes())
            assert deals[0] == deals[1] != deals[2]
            table.restore(start)
