"""The score grid: numbered cells of the real line that every engine computes alike.

Cells are octaves cut into 2**m equal steps: octaves of x below 1/2, of 1 − x from 1/2 to 1, of x from 1 on, and of −x
below zero. Every edge is a dyadic number and every operation a comparison or a product with a power of two, hence exact:
the cell of a score never depends on the machine, and tables of any shard, day or engine add without an agreed range.
Each cell is closed on the left, so "score ≥ 1/2" and other dyadic thresholds never cut one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.results import Array, Codes

FINE = 12
"""Steps per octave, as a power of two, of the score table."""
COARSE = 4
"""The same for tables kept per unit, which only serve the spread."""
SMALLEST = -40
"""Distances below 2**-40 share one cell, and so do values from 2**40 on."""
LARGEST = 40


def arm(m: int) -> int:
    """Number of cells between 0 and 1/2: one for underflow, then 39 octaves."""
    return (-1 - SMALLEST) * (1 << m) + 1


def _step(y: Array, m: int, *, left_open: bool) -> Codes:
    """Steps from 2**-40 up to y; the exponent and leading bits of a float are such a count already."""
    bits = np.ascontiguousarray(y).view(np.int64)
    return ((bits - 1 if left_open else bits) >> (52 - m)) - ((1023 + SMALLEST) << m) + 1


def encode(x: Array, m: int = FINE) -> Codes:
    """Cell of each finite number; increasing in x, zero has cell 0.

    >>> encode(np.array([-0.25, 0.0, 0.25, 0.5, 0.75, 1.0]), 2).tolist()
    [-153, 0, 154, 158, 162, 315]
    """
    x = np.asarray(x, dtype=np.float64) + 0.0
    a, top = arm(m), ((LARGEST - SMALLEST) << m) + 1
    with np.errstate(invalid="ignore"):
        upper = (x >= 0.5) & (x < 1.0)
        y = np.where(upper, 1.0 - x, np.abs(x))
        mirrored = upper | (x < 0.0)
        step = np.where(mirrored, _step(y, m, left_open=True), _step(y, m, left_open=False))
        step = np.clip(step, 0, top)
        beyond = 2 * a + step - ((-SMALLEST) << m)
        return np.where(
            x < 0.0,
            -1 - step,
            np.where(x == 0.0, 0, np.where(upper, 2 * a - step, np.where(x < 0.5, 1 + step, beyond))),
        )


def cuts(threshold: float, m: int = FINE) -> bool:
    """Whether a threshold falls inside a cell; dyadic ones such as 1/2 never do.

    >>> cuts(0.5), cuts(0.3)
    (False, True)
    """
    below, at = encode(np.array([np.nextafter(threshold, -np.inf), threshold]), m)
    return bool(below == at)


def expression(row: Any, x: Any, m: int = FINE) -> Any:
    """The same cell, written in the row language for engines that cannot see the bits of a number."""
    a, steps = arm(m), 1 << m

    def low_closed(y: Any, octave: int) -> Any:
        return row.whole(y * 2.0 ** (m - octave)) + (1 + (octave - SMALLEST) * steps - steps)

    def low_open(y: Any, octave: int) -> Any:
        # By subtraction: not every frame that is written in this language has a minus sign of its own.
        return row.number(0) - row.whole(y * -(2.0 ** (m - octave))) + ((octave - SMALLEST) * steps - steps)

    small = row.chain([(x >= 2.0**o, low_closed(x, o) + 1) for o in range(-2, SMALLEST - 1, -1)], 1)
    y = row.number(1.0) - x
    near_one = row.chain([(y > 2.0**o, row.number(2 * a) - low_open(y, o)) for o in range(-2, SMALLEST - 1, -1)], 2 * a)
    shift = 2 * a - ((-SMALLEST) << m)
    beyond = row.chain(
        [(x < 2.0 ** (o + 1), low_closed(x, o) + shift) for o in range(LARGEST)], 2 * a + 1 + (LARGEST << m)
    )
    z = x * -1.0
    top = ((LARGEST - SMALLEST) << m) + 1
    below = row.chain(
        [(z > 2.0**LARGEST, row.number(-1 - top))]
        + [(z > 2.0**o, row.number(-1) - low_open(z, o)) for o in range(LARGEST - 1, SMALLEST - 1, -1)],
        -1,
    )
    return row.chain([(x >= 1.0, beyond), (x >= 0.5, near_one), (x > 0.0, small), (x < 0.0, below)], 0)
