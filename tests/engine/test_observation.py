"""Observation layouts: names, places, bounds and the way back to numbers."""

import numpy as np

from heist_envs.engine.observation import ObservationSpec, part

SPEC = ObservationSpec(
    part("seat", 3, "one-hot"),
    part("grid", (2, 2), "cards", scale=4, most=10),
    part("change", 1, "gain or loss", scale=5, least=-10),
)


def test_slices_follow_one_another():
    assert SPEC.size == 8
    assert (SPEC.at.seat, SPEC.at.grid, SPEC.at.change) == (0, 3, 7)


def test_bounds_are_those_of_the_scaled_numbers():
    assert SPEC.low.dtype == SPEC.high.dtype == np.float32
    assert SPEC.low.tolist() == [0] * 7 + [-2]
    assert SPEC.high.tolist() == [1, 1, 1] + [2.5] * 4 + [1]


def test_named_parts_are_views_in_their_own_shapes():
    batch = np.zeros((5, 8), np.float32)
    SPEC.named(batch)["grid"][2, 1, 0] = 7
    assert batch[2, 5] == 7
    assert SPEC.named(batch[0])["change"].shape == (1,)


def test_decode_undoes_the_scaling():
    vector = np.array([0, 1, 0, 0.25, 2.5, 0, 0.75, -1.2], np.float32)
    numbers = SPEC.decode(vector)
    assert numbers["seat"].tolist() == [0, 1, 0]
    assert numbers["grid"].tolist() == [[1, 10], [0, 3]]
    assert numbers["change"].tolist() == [-6]
