"""The numbers of positions that a few decisions lead to are those that were counted before."""

from ..playthroughs.counts import counts, stored
from ..support import GAMES, each_table


@each_table
def test_as_many_positions_as_ever(name, players):
    golden = stored().get(name, {}).get(str(players))
    assert golden, f"no counts of {name} with {players} players; run python -m tests.playthroughs.write {name}"
    assert counts(name, players) == golden


def test_no_counts_are_left_over():
    assert set(stored()) <= set(GAMES)
