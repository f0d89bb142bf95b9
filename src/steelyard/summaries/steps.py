"""Steps along the number line that grow with the distance from zero, numbered alike by every engine.

The first steps have one width, a power of two. From there on they widen by powers of two: those of errors as their distance
from zero does, four to an octave, those of predictions more slowly (as its power 2/3), since predictions may lie far from zero
and close together. Were all steps alike, the few rows far out would need most of them. Where the first width is doubled each
new step is made of whole old ones, so tables of any width can be joined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.results import Array

LAST = 1023
"""The octave of the largest number."""


class Steps:
    """How steps widen: octave d of the distance from zero, in first widths, has steps of 2**growth(d) first widths.

    >>> steps = Steps([0, 0, 0, 0, 1, 2, 3])
    >>> steps.encode(np.array([-17.0, -0.5, 0.0, 15.5, 16.0, 18.0])).tolist()
    [-17.0, -1.0, 0.0, 15.0, 16.0, 17.0]
    >>> steps.decode(np.array([-17.0, 17.0])).tolist()
    [-18.0, 18.0]
    """

    def __init__(self, growth: list[int]) -> None:
        octaves = len(growth)
        self.growth: Array = np.array(growth, dtype=np.float64)
        cells = np.array([2.0 ** (d - j) for d, j in enumerate(growth)])
        # Below octave 0 there is one step; `before` counts those below each octave.
        self.before: Array = np.concatenate([[1.0], 1.0 + np.cumsum(cells)])[:octaves]
        self.factor: Array = 2.0**-self.growth
        self.offset: Array = self.before - cells

    def encode(self, x: Array) -> Array:
        """The number of each number's step, counted from zero; x is in first widths."""
        x = np.ascontiguousarray(x, dtype=np.float64) + 0.0
        negative = x < 0
        # Steps are closed on the left, also below zero: there an octave ends with its power of two.
        octave = ((np.abs(x).view(np.int64) - negative) >> 52) - 1023
        octave = np.clip(octave, 0, len(self.growth) - 1)
        offset = self.offset[octave]
        return np.asarray(np.floor(x * self.factor[octave]) + np.where(negative, -offset, offset))

    def decode(self, code: Array) -> Array:
        """The lower end of each step, in first widths."""
        negative = code < 0
        octave = np.searchsorted(self.before, np.where(negative, -1 - code, code), side="right") - 1
        octave = np.maximum(octave, 0)
        offset = self.offset[octave]
        return np.asarray((code - np.where(negative, -offset, offset)) / self.factor[octave])

    def lower(self, x: Array, width: float) -> Array:
        """The lower end of the step in which each number lies, for a first width."""
        return np.asarray(self.decode(self.encode(x / width)) * width)

    def upper(self, lower: Array, width: float) -> Array:
        """The upper end of each step that begins there."""
        return np.asarray(self.decode(self.encode(lower / width) + 1) * width)

    def expression(self, row: Any, x: Any, octaves: int) -> Any:
        """The same number, written in the row language; no |x| reaches octave `octaves`."""
        if isinstance(x, np.ndarray):
            # Whole numbers in memory are grouped in place, and need not be sorted.
            code = self.encode(x)
            return code.astype(np.int64) if np.abs(code).max(initial=0.0) < 2.0**53 else code
        last = min(octaves, len(self.growth) - 1)
        ends = [d for d in range(1, last + 1) if self.growth[d] != self.growth[d - 1]]

        def step(d: int, side: float) -> Any:
            return row.whole(x * float(self.factor[d])) + side * float(self.offset[d])

        up = row.chain([(x < 2.0**d, step(d - 1, 1.0)) for d in ends], step(last, 1.0))
        down = row.chain([(x >= -(2.0**d), step(d - 1, -1.0)) for d in ends], step(last, -1.0))
        return row.chain([(x >= 0.0, up)], down)


def octaves_of(x: float) -> int:
    """The first octave that holds no number up to x, in first widths.

    >>> octaves_of(0.3), octaves_of(5.0)
    (0, 3)
    """
    return max(int(np.frexp(x)[1]), 0)


PREDICTIONS = Steps([max(0, 2 * (d - 3) // 3, d - 23) for d in range(LAST + 1)])
ERRORS = Steps([max(0, d - 2) for d in range(LAST + 1)])
AXES = (PREDICTIONS, ERRORS)
