"""What too few means: how many cases a verdict takes, and what is said where there are fewer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.intervals.by_unit import FEWEST
from steelyard.results import Estimate
from steelyard.words import count

FEW = 30
"""With fewer cases than this the interval is shown and the verdict withheld."""
FEW_UNITS = FEWEST
"""With fewer units than this there is no interval by unit either."""


@dataclass(frozen=True, slots=True)
class CaseCount:
    """So many of what a number rests on, as many as count under weights, and how many a verdict takes.

    >>> print(CaseCount(20, "real positive"), "/", CaseCount(2.5, "customer with the outcome"))
    20 real positives / 2.5 customers with the outcome
    """

    n: float
    what: str
    """What they are, of one."""
    needed: int = FEW

    @property
    def short(self) -> bool:
        """Whether there are too few of them."""
        return round(self.n, 6) < self.needed

    def __str__(self) -> str:
        told = count(round(self.n, 1))
        if told == "1":
            return f"{told} {self.what}"
        mark = next((m for m in (" called ", " with") if m in self.what), "")
        first, _, rest = self.what.partition(mark) if mark else (self.what, "", "")
        return f"{told} {first}s{mark}{rest}"


def lacking(cases: Iterable[CaseCount]) -> CaseCount | None:
    """The first of which there are too few; None where there are enough of all."""
    return next((x for x in cases if x.short), None)


def too_few(cases: Iterable[CaseCount]) -> str:
    """Why a verdict is withheld; empty where there are cases enough.

    >>> too_few(sides_of(40, 12)), too_few(sides_of(40, 30))
    ('12 real negatives, and 30 are needed', '')
    """
    found = lacking(cases)
    return "" if found is None else f"{found}, and {found.needed} are needed"


def fewest_apart(alpha: float) -> int:
    """So many rows on which one of two alone is right, the same on all of them, are beyond luck: 2 · 0.5ᵏ ≤ α.

    >>> fewest_apart(0.05)
    6
    """
    return math.ceil(math.log2(2 / alpha) - 1e-9)


def sides_of(positives: float, negatives: float) -> tuple[CaseCount, CaseCount]:
    """Both classes, each of which must be large enough."""
    return CaseCount(positives, "real positive"), CaseCount(negatives, "real negative")


def classes_in(prevalence: Estimate) -> tuple[float, float] | None:
    """Positives and negatives behind a prevalence, as many as count under weights; None where it is not defined.

    >>> classes_in(Estimate("prevalence", 0.25, n=200)), classes_in(Estimate("prevalence", 0.25, n=200, n_eff=80))
    ((50.0, 150.0), (20.0, 60.0))
    """
    if prevalence.value is None:
        return None
    n = prevalence.n if prevalence.n_eff is None else prevalence.n_eff
    return prevalence.value * n, (1 - prevalence.value) * n
