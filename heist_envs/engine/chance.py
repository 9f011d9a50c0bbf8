"""Dice. Every game carries its own 64-bit stream in its state (splitmix64), so a game is a value and replays exactly."""

import numpy as np

from .compile import rule, wrapping_rule

STEP = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@wrapping_rule
def scramble(word):
    """A 64-bit word that looks unrelated to `word`; also how one seed is derived from another."""
    word = (word ^ (word >> S30)) * MIX_1
    word = (word ^ (word >> S27)) * MIX_2
    return word ^ (word >> S31)


@wrapping_rule
def next_word(state):
    """The next 64 random bits of `state.dice`."""
    state.dice = state.dice + STEP
    return scramble(state.dice)


@wrapping_rule
def random_below(state, n):
    """A random integer 0..n-1 (bias below n / 2**32)."""
    return np.int64(((next_word(state) >> S32) * np.uint64(n)) >> S32)


@wrapping_rule
def seed_after(seed):
    """The seed of the game that follows a game with this seed at the same table (63 bits, so that JSON holds it)."""
    return scramble(seed + STEP) >> np.uint64(1)


@rule
def shuffle(state, cards, n):
    """Shuffle the first n entries of `cards` in place."""
    for i in range(n - 1, 0, -1):
        j = random_below(state, i + 1)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card
