"""What a number is the mean of, and ends of it that are too good in no more samples than promised, however few the cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from steelyard.intervals.bounded import WHOLE, Values

MOST = 1e6
"""Where more than so many times the cases would be needed, no number of them is told."""


def _as_it_is(mean: float) -> float:
    return mean


@dataclass(frozen=True, slots=True)
class Guard:
    """What a number is the mean of, class by class, and how a limit of these means becomes one of the number."""

    value: float
    parts: tuple[Values, ...]
    cases: tuple[str, ...]
    """What the rows of each part are called."""
    method: str
    told: Callable[[float], float] = _as_it_is
    one_mean: bool = False
    """Whether all parts have the number for their mean, as both classes of an area do, in place of adding up to it."""
    known: bool = True
    """Whether it is known how bad a row can be; if not, a row is added that is further off than any seen."""

    def limits(self, confidence: float) -> tuple[float, float]:
        """Ends of which each is too good with a chance of (1 − confidence) / 2 at most."""
        return self.end(confidence, upper=False), self.end(confidence, upper=True)

    def end(self, confidence: float, *, upper: bool, times: float = 1.0) -> float:
        """One of the ends, as if there were so many times the cases."""
        tail = (1 - confidence) / 2
        parts = self.parts if times == 1 else tuple(p.counting(p.rows * times) for p in self.parts)
        if upper:
            at = self.value + math.hypot(*(max(p.high(tail, WHOLE) - p.mean, 0.0) for p in parts))
        else:
            at = self.value - math.hypot(*(max(p.mean - p.low(tail, WHOLE), 0.0) for p in parts))
        return self.told(at)

    def perfect(self, *, upper: bool) -> Guard:
        """The same with every row at the end to which a requirement pulls."""
        parts = tuple(
            replace(p, values=np.array([p.worst if upper else p.best]), shares=np.array([1.0])) for p in self.parts
        )
        moved = sum(p.mean for p in parts) - sum(p.mean for p in self.parts)
        return replace(self, parts=parts, value=parts[0].mean if self.one_mean else self.value + moved)

    def needed(
        self, meets: Callable[[float], bool], confidence: float, *, upper: bool, within: float = 0.01
    ) -> float | None:
        """How many cases of the scarcest kind would do, all else the same; None where no number would."""

        def enough(times: float) -> bool:
            return meets(self.end(confidence, upper=upper, times=times))

        if not enough(MOST):
            return None
        low, high = 1.0, 4.0
        while not enough(high):
            low, high = high, high * 4
        while high / low > 1 + within:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if enough(middle) else (middle, high)
        return min(p.rows for p in self.parts) * high
