"""What a measure answers with: a reading that remembers its parts.

An interval can be laid around it, and an undefined value can say why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Number = float | Array


def divide(top: Number, bottom: Number) -> Array:
    """Divide elementwise, NaN where the bottom is zero and without a warning."""
    top, bottom = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    if not top.ndim and not bottom.ndim:
        first, second = float(top), float(bottom)
        good = second != 0 and math.isfinite(first) and math.isfinite(second)
        return np.asarray(first / second if good else math.nan)
    # In a resampled table a bottom can be so small that the ratio has no number.
    with np.errstate(all="ignore"):
        found = np.asarray(top / bottom)
    if np.isfinite(found).all() and np.isfinite(bottom).all():
        return found
    return np.where((bottom != 0) & np.isfinite(bottom) & np.isfinite(top), found, np.nan)


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many rows: part / whole, the part counted inside the whole.

    >>> print(Share(8.0, 12.0, empty="no real positives"))
    0.667 (8 of 12)
    """

    part: Number
    whole: Number
    empty: str = "no rows to count"

    @property
    def value(self) -> Array:
        """The share itself, NaN where the whole is empty."""
        return divide(self.part, self.whole)

    def __str__(self) -> str:
        return f"{float(self.value):.3f} ({float(self.part):g} of {float(self.whole):g})"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Any other quotient, NaN where its bottom is zero; `empty` says what that means.

    >>> print(Ratio(12.0, 17.0))
    0.706
    """

    top: Number
    bottom: Number = 1.0
    empty: str = "the denominator is zero"

    @property
    def value(self) -> Array:
        """The quotient, NaN where it is undefined."""
        return divide(self.top, self.bottom)

    def __str__(self) -> str:
        return f"{float(self.value):.3g}"


@dataclass(frozen=True, slots=True)
class Average:
    """A weighted sum of shares whose wholes do not overlap, plus a constant.

    >>> float(Average((Share(1.0, 2.0), Share(3.0, 3.0)), (0.5, 0.5)).value)
    0.75
    """

    shares: tuple[Share, ...]
    weights: tuple[float, ...]
    constant: float = 0.0
    empty: str = "a level has no rows"

    @property
    def value(self) -> Array:
        """The weighted sum, NaN where any share is undefined."""
        total, values = np.asarray(self.constant, dtype=np.float64), self.values
        for i, weight in enumerate(self.weights):
            total = total + weight * values[..., i]
        return total

    @property
    def values(self) -> Array:
        """The value of every share, on a trailing axis."""
        parts, wholes = (
            np.stack(np.broadcast_arrays(*x), axis=-1)
            for x in ([s.part for s in self.shares], [s.whole for s in self.shares])
        )
        return divide(parts, wholes)


@dataclass(frozen=True, slots=True)
class Quotient:
    """One share over another, of rows that do not overlap.

    >>> float(Quotient(Share(6.0, 9.0), Share(2.0, 12.0)).value)
    4.0
    """

    top: Share
    bottom: Share
    empty: str = "the lower share is zero"

    @property
    def value(self) -> Array:
        """The quotient, NaN where it is undefined."""
        return divide(self.top.value, self.bottom.value)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a value per row, with the sum of its squares, so that its spread is known; of its cubes too, its skew.

    >>> float(Mean(total=6.0, squares=14.0, count=3.0).value)
    2.0
    """

    total: Number
    squares: Number
    count: Number
    empty: str = "no rows to average"
    factor: Number = 1.0
    cubes: Number | None = None
    """The sum of third powers, and of fourth ones, where they were counted."""
    fourths: Number | None = None
    carried: Number | None = None
    """How many rows carry the mean, where all others are as good as alike."""

    @property
    def value(self) -> Array:
        """The mean times `factor`, NaN where there is nothing to average."""
        return self.factor * divide(self.total, self.count)

    @property
    def deviation(self) -> Array:
        """The standard deviation of one row's value (divisor n − 1 in effect left to the interval)."""
        mean = divide(self.total, self.count)
        variance = divide(self.squares, self.count) - mean**2
        return np.abs(self.factor) * np.sqrt(np.maximum(variance, 0.0))


Reading = Share | Ratio | Average | Quotient | Mean
