"""What was counted of the rows of a trial: its arms, its units as sums, outcomes by period, and units by segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import BadLevels
from steelyard.trials.arms import Periods, TrialRows, arms_of, periods_of, units_of, with_order
from steelyard.trials.unit_sums import UnitSums, summed


@dataclass(frozen=True, eq=False, slots=True)
class CountedTrial:
    """All that is asked of the rows of a trial; where they live, and how many there are, no longer matters."""

    control: Any
    treated: Any
    kind: str
    """What the outcome is: "0/1", "count" or "number"."""
    rows: int
    dropped: int
    others: int
    """Rows of groups that are not compared."""
    declared: bool
    """Whether the rows name their units."""
    units: UnitSums
    periods: Periods | None
    segments: Mapping[Any, tuple[float, float]]
    """Units of the control and the treated by segment; one that was seen in several belongs to each."""


def kind_of_outcome(low: float, high: float, *, whole: bool) -> str:
    """What an outcome is by its ends and whether all are whole numbers; refused where all are the same.

    >>> kind_of_outcome(0, 1, whole=True), kind_of_outcome(0, 7, whole=True), kind_of_outcome(-1, 1, whole=True)
    ('0/1', 'count', 'number')
    """
    if low == high:
        message = f"The outcome is {low:g} in every row of both arms, so there is nothing to compare."
        raise BadLevels(message, "Check the column, or wait for outcomes to come in.")
    if not whole or low < 0:
        return "number"
    return "0/1" if high <= 1 else "count"


def counted_rows(table: TrialRows, control: object, treated: object) -> CountedTrial:
    """Rows that are in memory."""
    rows, control, treated, others = arms_of(table, control, treated)
    outcome = rows.columns["outcome"]
    kind = kind_of_outcome(float(outcome.min()), float(outcome.max()), whole=bool((outcome % 1 == 0).all()))
    names: list[Any] = []
    if rows.has("period"):
        rows, names = with_order(rows)
    declared = rows.has("unit")
    units = summed(units_of(rows, declared=declared))
    periods = periods_of(rows, names, counted=False) if names else None
    return CountedTrial(
        control,
        treated,
        kind,
        len(rows),
        table.dropped,
        others,
        declared,
        units,
        periods,
        _segments(rows, declared=declared),
    )


def _segments(rows: TrialRows, *, declared: bool) -> dict[Any, tuple[float, float]]:
    if not rows.has("segment"):
        return {}
    codes, group = rows.columns["segment"], rows.columns["group"]
    if declared:
        # A unit counts once in each segment.
        pairs = np.unique(np.stack([rows.columns["unit"], codes, group]), axis=1)
        codes, group = pairs[1], pairs[2]
    labels = rows.levels["segment"]
    return {
        labels[k]: (float(((codes == k) & (group == 0)).sum()), float(((codes == k) & (group == 1)).sum()))
        for k in np.unique(codes)
    }
