"""The units of a trial as sums: how many there are with so many rows, and sums of products of what is known of them.

Every method but drawing the arms again reads these sums alone, so that units may stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.errors import LengthsDiffer
from steelyard.results import Array

OUTCOME, MONEY, EARLIER, SCORE = "outcome", "money", "earlier", "score"
TOTALS = (OUTCOME, MONEY)
"""Added up over the rows of a unit; the others are means over them."""
ORDER = 3
"""Skewness takes third powers."""
Powers = tuple[int, int]
"""The powers of a total and of the earlier value in a product."""
PAIRED: tuple[Powers, ...] = tuple((i, j) for i in range(ORDER + 1) for j in range(ORDER + 1 - i))


def name_of(total: str, powers: Powers) -> str:
    """What the sum of such a product is called.

    >>> name_of("outcome", (2, 1)), name_of("outcome", (0, 2)), name_of("money", (3, 0)), name_of("score", (0, 0))
    ('outcome outcome earlier', 'earlier earlier', 'money money money', 'units')
    """
    first, second = powers
    return " ".join([total] * first + [EARLIER] * second) or "units"


def products_of(known: set[str]) -> dict[str, tuple[tuple[str, int], ...]]:
    """The products that are added up where these things are known of a unit, as powers of each.

    >>> list(products_of({"outcome"}))
    ['outcome', 'outcome outcome', 'outcome outcome outcome']
    """
    out: dict[str, tuple[tuple[str, int], ...]] = {}
    for total in TOTALS:
        if total in known:
            for powers in PAIRED:
                if any(powers) and (not powers[1] or EARLIER in known) and (total == OUTCOME or not powers[1]):
                    parts = ((total, powers[0]), (EARLIER, powers[1]))
                    out[name_of(total, powers)] = tuple((what, p) for what, p in parts if p)
    if SCORE in known:
        out |= {SCORE: ((SCORE, 1),), f"{SCORE} {SCORE}": ((SCORE, 2),)}
    return out


@dataclass(frozen=True, eq=False, slots=True)
class ArmSums:
    """The units of one arm: how many have so many rows, and sums over these, each less its centre.

    A total is taken less its centre for every row of the unit, so that no digits are lost where values are large beside their
    spread.
    """

    rows: Array
    sums: Mapping[str, Array]
    centres: Mapping[str, float]
    total: str = OUTCOME
    """Which total is looked at: the outcome, or the money that it is worth."""

    @property
    def units(self) -> float:
        """How many units there are."""
        return float(self.sums["units"].sum())

    @property
    def size(self) -> float:
        """How many rows they have."""
        return float((self.rows * self.sums["units"]).sum())

    @property
    def whole(self) -> float:
        """The sum of the total."""
        return float(self.sums[self.total].sum()) + self.centres[self.total] * self.size

    @property
    def mean(self) -> float:
        """The mean over rows; NaN without any."""
        return self.centres[self.total] + float(self.sums[self.total].sum()) / self.size if self.size else math.nan

    @property
    def repeated(self) -> bool:
        """Whether some unit has several rows."""
        return bool(self.rows.max(initial=1.0) > 1)

    def average(self, what: str) -> float:
        """The mean over units of a score or an earlier value."""
        return self.centres[what] + float(self.sums[what].sum()) / self.units

    def variance(self, what: str) -> float:
        """Its variance over units, with the divisor n − 1."""
        n, off = self.units, float(self.sums[what].sum())
        return max(float(self.sums[f"{what} {what}"].sum()) - off * off / n, 0.0) / (n - 1)

    def powers(self, slope: float = 0.0) -> tuple[Array, Array, Array]:
        """By number of rows, the sums of e, e² and e³ with e = (y − m n) / n̄ − slope × (x − x̄).

        y is the total, m the mean over rows, n̄ the mean number of rows and x the earlier value: what a unit is off, told as
        if every unit had one row.
        """
        per = self.units / self.size
        lift = (self.mean - self.centres[self.total]) * self.rows * per
        away = slope * float(self.sums[EARLIER].sum()) / self.units if slope else 0.0
        constant = away - lift
        found = []
        for order in (1, 2, 3):
            added = np.zeros_like(self.rows)
            for first in range(order + 1):
                for second in range(order + 1 - first if slope else 1):
                    rest = order - first - second
                    ways = math.factorial(order) // math.factorial(first) // math.factorial(second)
                    term = self.sums[name_of(self.total, (first, second))]
                    added = (
                        added + ways // math.factorial(rest) * per**first * (-slope) ** second * constant**rest * term
                    )
            found.append(added)
        return found[0], np.maximum(found[1], 0.0), found[2]

    def together(self) -> float:
        """The sum of (y − m n) / n̄ × (x − x̄)."""
        per, off = self.units / self.size, self.mean - self.centres[self.total]
        x, n = float(self.sums[EARLIER].sum()) / self.units, self.rows
        plain = self.sums[f"{self.total} {EARLIER}"] - off * n * self.sums[EARLIER]
        return per * float((plain - x * (self.sums[self.total] - off * n * self.sums["units"])).sum())


Arms = tuple[ArmSums, ArmSums]
"""The treated and the control."""


def values_of(values: ArrayLike) -> Array:
    """The values as one row of numbers."""
    return np.asarray(values, dtype=np.float64).ravel()


def arms_of_units(
    totals: tuple[Any, Any], rows: tuple[Any, Any], before: tuple[Any, Any] | None = None
) -> tuple[ArmSums, ArmSums]:
    """The sums of two arms from a total, a number of rows and perhaps an earlier value of every unit.

    >>> arms = arms_of_units(([2.0, 4.0, 3.0], [1.0]), ([2, 2, 1], [1]))
    >>> arms[0].rows.tolist(), arms[0].sums["units"].tolist(), arms[0].mean
    ([1.0, 2.0], [1.0, 2.0], 1.8)
    """
    ys, ns = [values_of(v) for v in totals], [values_of(v) for v in rows]
    xs = None if before is None else [values_of(v) for v in before]
    for y, n in zip(ys, ns, strict=True):
        if y.size != n.size:
            message = f"There are {y.size:,} totals of units and {n.size:,} numbers of rows."
            raise LengthsDiffer(message, "Pass one of each for every unit.")
    size = sum(float(n.sum()) for n in ns)
    centres = {OUTCOME: sum(float(y.sum()) for y in ys) / size if size else 0.0}
    if xs is not None:
        centres[EARLIER] = float(np.concatenate(xs).mean()) if sum(x.size for x in xs) else 0.0
    made = []
    for i, (y, n) in enumerate(zip(ys, ns, strict=True)):
        known = {OUTCOME: y} if xs is None else {OUTCOME: y, EARLIER: xs[i]}
        made.append(arm_of_units(n, known, centres))
    return made[0], made[1]


def arm_of_units(rows: Array, known: Mapping[str, Array], centres: Mapping[str, float]) -> ArmSums:
    """The sums of one arm from what is known of every unit."""
    if rows.size and (rows == rows[0]).all():
        kinds, place = rows[:1], np.zeros(rows.size, dtype=np.int64)
    else:
        kinds, place = np.unique(rows, return_inverse=True)
    return ArmSums(kinds, added(place, len(kinds), rows, known, centres), dict(centres))


def added(
    place: Any, size: int, rows: Array, known: Mapping[str, Array], centres: Mapping[str, float]
) -> dict[str, Array]:
    """The sums of all products over the units of each place."""
    off = {what: v - centres[what] * (rows if what in TOTALS else 1.0) for what, v in known.items()}
    out = {"units": np.bincount(place, minlength=size).astype(np.float64)}
    for name, factors in products_of(set(known)).items():
        term = np.ones_like(rows)
        for what, power in factors:
            term = term * off[what] ** power
        out[name] = np.bincount(place, weights=term, minlength=size).astype(np.float64)
    return out
