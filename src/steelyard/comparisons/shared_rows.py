"""The rows that two models share, checked before anything is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import check_word
from steelyard.errors import BadWeight, EmptyTable, LengthsDiffer, MissingValues, NotNumeric
from steelyard.results import Array, Codes

OneModel = npt.ArrayLike | Mapping[Any, npt.ArrayLike]
"""What a model gives for all rows: scores, labels or numbers, or scores by level."""
RowAmounts = npt.ArrayLike | Mapping[str, npt.ArrayLike]
"""Amounts of the rows' own: one column, or several by name."""


@dataclass(frozen=True, eq=False, slots=True)
class SharedRows:
    """The rows that two models share: target, weights, units, and the target as numbers of levels."""

    target: npt.NDArray[Any]
    weight: Array | None = None
    copies: bool = False
    """Whether weights mean copies of a row."""
    unit: Codes | None = None
    codes: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    levels: tuple[Any, ...] = ()
    positive: Any = None

    @property
    def mass(self) -> Array:
        """What each row counts."""
        return np.ones(len(self.target)) if self.weight is None else self.weight


def rows_of(
    target: npt.ArrayLike, unit: npt.ArrayLike | None, weight: npt.ArrayLike | None, weights: str
) -> SharedRows:
    """The rows as they came: target, units and weights, checked."""
    truth = np.asarray(target)
    if not len(truth):
        message = "There are no rows to compare."
        raise EmptyTable(message, "At least one row is needed.")
    check_word("weights", weights, ("frequency", "sampling"), "A frequency weight of k means k copies of the row.")
    rows = SharedRows(truth)
    column(truth, rows, "targets", number=False)
    if unit is not None:
        rows = replace(rows, unit=np.unique(column(unit, rows, "units", number=False), return_inverse=True)[1])
    if weight is not None:
        w = column(weight, rows, "weights", number=True)
        if not (w > 0).all():
            message = "Some weights are zero or negative."
            raise BadWeight(message, "Weights must be above zero; leave out rows that should not count.")
        rows = replace(rows, weight=w, copies=weights == "frequency")
    return rows


def column(values: object, rows: SharedRows, what: str, *, number: bool) -> npt.NDArray[Any]:
    """One value for each row, none of them missing."""
    x = np.asarray(values, dtype=np.float64) if number else np.asarray(values)
    if len(x) != len(rows.target):
        message = f"Target and {what} differ in length: {len(rows.target):,} and {len(x):,} rows."
        raise LengthsDiffer(message, "Pass one value for each row.")
    lost = (
        ~np.isfinite(x)
        if x.dtype.kind == "f"
        else np.array([v is None for v in x.tolist()])
        if x.dtype == object
        else None
    )
    if lost is not None and lost.any():
        gone = int(lost.sum())
        message = f"Of {len(x):,} {what}, {gone:,} {'is' if gone == 1 else 'are'} missing or not finite."
        raise MissingValues(message, "Mend these rows, or leave them out for both models.")
    return x


def numbers_of(values: npt.ArrayLike, needed: str, hint: str) -> Array:
    """Anything as floats; what cannot be read as such is refused in these words."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise NotNumeric(needed, hint) from None


def codes_of(values: npt.NDArray[Any], levels: tuple[Any, ...]) -> npt.NDArray[np.int64]:
    """The place of each value among the levels."""
    distinct, place = np.unique(values, return_inverse=True)
    known = {v: i for i, v in enumerate(levels)}
    return np.array([known[v] for v in distinct.tolist()], dtype=np.int64)[place]
