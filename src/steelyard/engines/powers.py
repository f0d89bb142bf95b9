"""Logarithms and powers of frames: the same at the ends of what they take, whoever works them out.

Some databases refuse the logarithm of zero and results that no float holds; others answer with a gap. Here the argument is
kept within what all of them take, and what lies outside is put in its place afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from steelyard.engines.words import Term

LARGEST, SMALLEST = math.log(1.7e308), math.log(5e-324)
"""Between these e to the power of a number is a float above zero."""


class AnyFrame(Protocol):
    """What is needed of a frame."""

    def chain(self, cases: Sequence[tuple[Any, Any]], otherwise: object) -> Any:
        """The value of the first case that holds."""
        ...


class Powers:
    """log, exp and power as expressions."""

    def log(self: AnyFrame, x: Term) -> Any:
        """The natural logarithm; NaN of what is not above zero."""
        found = self.chain([(x > 0.0, x)], 1.0).log()
        return self.chain([(x.is_null(), x), (x > 0.0, found)], math.nan)

    def exp(self: AnyFrame, x: Term) -> Any:
        """E to the power of x."""
        inside = (x < LARGEST) & (x > SMALLEST)
        found = self.chain([(inside, x)], 0.0).exp()
        return self.chain([(x.is_null() | x.is_nan(), x), (inside, found), (x > 0.0, math.inf)], 0.0)

    def power(self: AnyFrame, x: Term, exponent: float) -> Any:
        """X to a constant power; NaN where x is below zero."""
        exponent = float(exponent)
        if exponent == 0:
            return self.chain([(x.is_null() | x.is_nan(), x), (x < 0.0, math.nan)], 1.0)
        # Where the result is a float above zero.
        ends = sorted(_exp(end / exponent) for end in (LARGEST, SMALLEST))
        inside = (x > ends[0]) & (x < ends[1])
        found = self.chain([(inside, x)], 1.0) ** exponent
        below, above = (0.0, math.inf) if exponent > 0 else (math.inf, 0.0)
        gone = x.is_null() | x.is_nan()
        return self.chain([(gone, x), (x < 0.0, math.nan), (inside, found), (x > 1.0, above)], below)


def _exp(x: float) -> float:
    return math.inf if x > LARGEST else math.exp(x) if x > SMALLEST else 0.0
