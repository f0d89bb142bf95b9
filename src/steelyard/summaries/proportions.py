"""Errors in proportion to what they are errors of: logarithms of one more, shares of both sizes, sizes of targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from steelyard.rows.language import Table, Term
from steelyard.summaries.asking import once
from steelyard.summaries.sums import Sums

LEAST = 2.0**-52
"""One more than a number is not above zero below this."""


class Proportions(Sums):
    """Rows without a logarithm of one more, and the sums that errors in proportion are read from.

    >>> p = Proportions.of([1.0, 0.0, 4.0], [1.5, 0.5, 3.0])
    >>> float(p.sum("size")), float(p.sum("off")), round(float(p.sum("share")), 4)
    (5.0, 2.0, 2.6857)
    """

    __slots__ = ()

    kind: ClassVar[str] = "proportions"
    needs: ClassVar[str] = "a continuous target and prediction"
    beside: ClassVar[str] = "residuals"
    names: ClassVar[tuple[str, ...]] = (
        "weight",
        "below",
        "logarithm",
        "logarithm2",
        "logarithm3",
        "logarithm4",
        "share",
        "share2",
        "off",
        "off2",
        "size",
        "size2",
        "off size",
    )

    @classmethod
    def of(cls, target: Sequence[float], prediction: Sequence[float]) -> Proportions:
        """From a few rows at hand; engines do this for many."""
        t, p = (np.asarray(x, dtype=np.float64) for x in (target, prediction))
        below = (1.0 + t < LEAST) | (1.0 + p < LEAST)
        one_more = [np.where(below, 1.0, 1.0 + x) for x in (t, p)]
        logarithm = np.log(one_more[1]) - np.log(one_more[0])
        off, size, both = np.abs(p - t), np.abs(t), np.abs(t) + np.abs(p)
        share = 2 * off / np.where(both > 0, both, 1.0)
        columns = (
            *(logarithm ** (2 * k) for k in (1, 2, 3, 4)),
            share,
            share**2,
            off,
            off**2,
            size,
            size**2,
            off * size,
        )
        return cls(np.array([len(t), below.sum(), *(c.sum() for c in columns)], dtype=np.float64), len(t))

    # How an engine is asked for it -----------------------------------------------------------------------------------
    @classmethod
    def looked_at(cls) -> dict[str, Term]:
        """Rows in which one more than the target or the prediction has no logarithm."""

        def below(row: Any) -> Any:
            target, prediction = row.value("target") + 1.0, row.value("prediction") + 1.0
            return row.chain([(target < LEAST, row.number(1.0)), (prediction < LEAST, row.number(1.0))], 0.0)

        return {"below": below}

    @classmethod
    def wanted(cls, seen: Table) -> bool:
        """Always: not all of the sums are logarithms."""
        return True

    @classmethod
    def terms(cls) -> dict[str, Term]:
        """The error, the size of the target, and the error in proportion."""

        def one_more(role: str) -> Term:
            return lambda r: r.chain([(r.value(role) + 1.0 >= LEAST, r.value(role) + 1.0)], 1.0)

        @once
        def logarithm(row: Any) -> Any:
            found = row.log(one_more("prediction")(row)) - row.log(one_more("target")(row))
            return found * found

        @once
        def off(row: Any) -> Any:
            return row.absolute(row.value("prediction") - row.value("target"))

        @once
        def size(row: Any) -> Any:
            return row.absolute(row.value("target"))

        @once
        def share(row: Any) -> Any:
            both = size(row) + row.absolute(row.value("prediction"))
            return row.chain([(both > 0.0, off(row) * 2.0 / row.chain([(both > 0.0, both)], 1.0))], 0.0)

        def square(term: Term) -> Term:
            return once(lambda r: term(r) * term(r))

        squared = square(logarithm)
        skew: dict[str, Term] = {
            "logarithm3": lambda r: squared(r) * logarithm(r),
            "logarithm4": lambda r: squared(r) * squared(r),
        }
        found: dict[str, Term] = {"logarithm": logarithm, "logarithm2": squared, **skew}
        for name, term in (("share", share), ("off", off), ("size", size)):
            found |= {name: term, f"{name}2": square(term)}
        return {**found, "off size": lambda r: off(r) * size(r)}
