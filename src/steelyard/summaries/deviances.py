"""Unit deviances of positive predictions: what Poisson's, the gamma and the compound distribution between them make of an error.

Sums of d, d², d³ and d⁴ for each of the POWERS, where every prediction is above zero and no target below; other rows are counted by
what is wrong with them. No other power can be read from these sums: one that is needed is one more number in POWERS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from steelyard.results import Array
from steelyard.rows.language import Table, Term
from steelyard.summaries.asking import once
from steelyard.summaries.sums import Sums

POWERS = (1.0, 1.5, 2.0)
"""The variance of a target goes with this power of its mean: Poisson's 1, compound Poisson and gamma 1.5, gamma 2."""
DEGREES = ("deviance", "squared", "cubed", "fourth")
"""What is summed of a unit deviance: its spread and its skew follow from its powers."""
LEAST = 2.0**-230
"""Below this a prediction is zero: a target over it, squared, is no number any more."""


class Deviances(Sums):
    """Rows outside of what a deviance allows, and for each power the sums of unit deviances and of their squares.

    >>> d = Deviances.of([1.0, 0.0, 4.0], [1.5, 0.5, 3.0])
    >>> round(float(d.deviance(1.0)[0]), 4), float(d.sum("zero"))
    (1.4905, 1.0)
    """

    __slots__ = ()

    kind: ClassVar[str] = "deviances"
    needs: ClassVar[str] = "a continuous target and prediction"
    beside: ClassVar[str] = "residuals"
    names: ClassVar[tuple[str, ...]] = (
        "weight",
        "not_above",
        "negative",
        "zero",
        *(f"{what} {power:g}" for power in POWERS for what in DEGREES),
    )

    @classmethod
    def of(cls, target: Sequence[float], prediction: Sequence[float]) -> Deviances:
        """From a few rows at hand; engines do this for many."""
        t, p = (np.asarray(x, dtype=np.float64) for x in (target, prediction))
        outside = [float((p < LEAST).sum()), float((t < 0).sum()), float((t == 0).sum())]
        sums = np.zeros(len(cls.names))
        sums[:4] = [len(t), *outside]
        if not any(outside[:2]):
            ratio = np.log(np.where(t > 0, t, 1.0) / p)
            poisson, gamma = 2 * (t * ratio - t + p), np.where(t > 0, 2 * (t / p - 1 - ratio), 0.0)
            between = 4 * (np.sqrt(t) - np.sqrt(p)) ** 2 / np.sqrt(p)
            sums[4:] = [(d**k).sum() for d in (poisson, between, gamma) for k in (1, 2, 3, 4)]
        return cls(sums, len(t))

    def deviance(self, power: float) -> tuple[Array, Array, Array, Array]:
        """The sum of unit deviances of a power, and those of their squares, cubes and fourth powers."""
        total, squares, cubes, fourths = (self.sum(f"{what} {power:g}") for what in DEGREES)
        return total, squares, cubes, fourths

    # How an engine is asked for it -----------------------------------------------------------------------------------
    @classmethod
    def looked_at(cls) -> dict[str, Term]:
        """Rows whose prediction is not above zero, whose target is negative, whose target is zero."""
        return {
            "not_above": lambda r: r.flag(r.value("prediction") < LEAST),
            "negative": lambda r: r.flag(r.value("target") < 0.0),
            "zero": lambda r: r.flag(r.value("target") == 0.0),
        }

    @classmethod
    def wanted(cls, seen: Table) -> bool:
        """Whether every row has a deviance of some power; most targets are neither counts nor amounts."""
        return not any(float(seen[name].sum()) for name in ("not_above", "negative"))

    @classmethod
    def terms(cls) -> dict[str, Term]:
        """Unit deviances and their powers; what comes of rows outside is not read."""

        @once
        def prediction(row: Any) -> Any:
            return row.chain([(row.value("prediction") >= LEAST, row.value("prediction"))], 1.0)

        @once
        def target(row: Any) -> Any:
            return row.chain([(row.value("target") > 0.0, row.value("target"))], 0.0)

        @once
        def logarithm(row: Any) -> Any:
            return row.log(row.chain([(target(row) > 0.0, target(row))], 1.0) / prediction(row))

        @once
        def poisson(row: Any) -> Any:
            return (target(row) * logarithm(row) - target(row) + prediction(row)) * 2.0

        @once
        def between(row: Any) -> Any:
            root = row.power(prediction(row), 0.5)
            off = row.power(target(row), 0.5) - root
            return off * off * 4.0 / root

        @once
        def gamma(row: Any) -> Any:
            return row.chain([(target(row) > 0.0, (target(row) / prediction(row) - 1.0 - logarithm(row)) * 2.0)], 0.0)

        def powers(term: Term) -> tuple[Term, ...]:
            square = once(lambda r: term(r) * term(r))
            return term, square, lambda r: square(r) * term(r), lambda r: square(r) * square(r)

        found = (f for deviance in (poisson, between, gamma) for f in powers(deviance))
        return dict(zip(cls.names[4:], found, strict=True))
