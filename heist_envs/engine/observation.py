"""Name every slice of the flat observation vector once; offsets, bounds, views and tables follow."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Part:
    """One named slice: the vector holds `number / scale` for each number of an array of this shape."""

    name: str
    shape: tuple
    doc: str
    scale: float
    low: float
    high: float

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=int))


def part(name, shape, doc, scale=1, most=None, least=0):
    """Declare a slice of numbers between `least` and `most` (default: `scale`), divided by `scale` in the vector."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return Part(name, shape, doc, scale, least / scale, (scale if most is None else most) / scale)


class ObservationSpec:
    """The layout of a game's observation: `size`, `at.<name>` (first index, usable in rules), `low`, `high` (float32)."""

    def __init__(self, *parts):
        self.parts = parts
        starts = np.cumsum([0] + [p.size for p in parts])
        self.size = int(starts[-1])
        self.at = namedtuple("At", [p.name for p in parts])(*map(int, starts[:-1]))
        self.low = np.concatenate([np.full(p.size, p.low, np.float32) for p in parts])
        self.high = np.concatenate([np.full(p.size, p.high, np.float32) for p in parts])

    def named(self, vector):
        """Views of one vector (or of a batch, last axis = vector) by name, in their own shapes."""
        return {
            p.name: vector[..., start : start + p.size].reshape(*vector.shape[:-1], *p.shape)
            for p, start in zip(self.parts, self.at, strict=True)
        }

    def decode(self, vector):
        """The numbers behind a vector by name, int64: the inverse of the scaling."""
        named = self.named(np.asarray(vector, np.float64))
        return {p.name: np.rint(named[p.name] * p.scale).astype(np.int64) for p in self.parts}
