"""Dice: fair, and the same stream for ever, because recorded games depend on it."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from heist_envs.engine.chance import next_word, random_below, scramble, seed_after, shuffle
from heist_envs.engine.compile import rule
from heist_envs.engine.kernels import DICE
from heist_envs.engine.table import seeds_from

DRAWS = 60_000
GOLDEN_SEEDS = [7896617691693857887, 6195319269190327588, 1180918054825871008]
GOLDEN_AFTER = 5225608189600411232
GOLDEN_SCRAMBLE = 6238072747940578789


@rule
def throw_many(dice, n, out):
    """Many throws in compiled code."""
    for i in range(out.shape[0]):
        out[i] = random_below(dice, n)


@rule
def shuffle_many(dice, out):
    """Shuffle every row."""
    for i in range(out.shape[0]):
        shuffle(dice, out[i], out.shape[1])


@pytest.fixture
def dice():
    dice = np.zeros(1, DICE)
    dice["dice"] = 12345
    return dice


def chi_squared(counts, expected):
    return sum((count - expected) ** 2 / expected for count in counts)


@pytest.mark.parametrize("n", [2, 3, 7, 45, 112])
def test_throws_are_uniform(dice, n):
    out = np.zeros(DRAWS, np.int64)
    throw_many(dice[0], n, out)
    counts = np.bincount(out, minlength=n)
    assert len(counts) == n
    assert chi_squared(counts, DRAWS / n) < n + 5 * np.sqrt(2 * n)


def test_pairs_of_throws_are_independent(dice):
    out = np.zeros(DRAWS, np.int64)
    throw_many(dice[0], 6, out)
    pairs = Counter(zip(out[::2], out[1::2], strict=True))
    assert len(pairs) == 36
    assert chi_squared(pairs.values(), DRAWS / 72) < 36 + 5 * np.sqrt(72)


def test_every_order_is_equally_likely(dice):
    rows = np.tile(np.arange(4), (DRAWS, 1))
    shuffle_many(dice[0], rows)
    counts = Counter(map(tuple, rows))
    assert set(counts) == set(permutations(range(4)))
    assert chi_squared(counts.values(), DRAWS / 24) < 24 + 5 * np.sqrt(48)


def test_shuffle_leaves_the_rest_alone(dice):
    cards = np.arange(10)
    shuffle(dice[0], cards, 4)
    assert cards[4:].tolist() == [4, 5, 6, 7, 8, 9]
    assert sorted(cards[:4]) == [0, 1, 2, 3]


def test_the_stream_is_splitmix64():
    """First words of the published generator for seed 1234567."""
    dice = np.zeros(1, DICE)
    dice["dice"] = 1234567
    words = [int(next_word(dice[0])) for _ in range(5)]
    assert words == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
    ]  # fmt: skip


def test_derived_seeds_never_change():
    assert seeds_from(0, 3).tolist() == GOLDEN_SEEDS
    assert seeds_from(0, 2).tolist() == GOLDEN_SEEDS[:2]
    assert int(seed_after(np.uint64(1))) == GOLDEN_AFTER
    assert int(scramble(np.uint64(1))) == GOLDEN_SCRAMBLE
    assert (seeds_from(7, 1000) < 2**63).all() and seed_after(np.uint64(2**64 - 1)) < 2**63
