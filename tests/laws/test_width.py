"""The law of width: what has not come yet may come, so an interval of a model without an error, or always wrong, has a width.

Every measure of every kind, by rows and by units. Amounts have no such bound: where their errors are all alike they say so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.intervals.skewed import ALIKE

ROWS = 120
Y = np.tile([1, 0, 0, 1, 1, 0], ROWS // 6)
THREE = np.tile([0, 1, 2], ROWS // 3)


def _three(share: float, guess: np.ndarray) -> dict[int, np.ndarray]:
    return {k: np.where(guess == k, share, (1 - share) / 2) for k in range(3)}


ALWAYS = {(share, way) for share in ("prevalence", "predicted_positive_rate") for way in ("macro", "micro")}
"""Shares of all classes are one in all, whatever the rows."""
ROLES: dict[str, dict[str, Any]] = {
    "labels": {"target": Y, "prediction": Y, "positive": 1},
    "labels, all wrong": {"target": Y, "prediction": 1 - Y, "positive": 1},
    "scores of 0 and 1": {"target": Y, "score": Y.astype(float)},
    "scores of 0 and 1, all wrong": {"target": Y, "score": 1.0 - Y},
    "sure scores": {"target": Y, "score": 0.05 + 0.9 * Y},
    "sure scores, all wrong": {"target": Y, "score": 0.95 - 0.9 * Y},
    "three classes": {"target": THREE, "score": _three(0.9, THREE)},
    "three classes, certain": {"target": THREE, "score": _three(1.0, THREE)},
    "numbers": {"target": np.arange(ROWS) + 1.0, "prediction": np.arange(ROWS) + 1.0},
    "numbers, all off by one": {"target": np.arange(ROWS) + 1.0, "prediction": np.arange(ROWS) + 2.0},
}


@pytest.mark.parametrize("by", ["rows", "units"])
@pytest.mark.parametrize("kind", ROLES)
def test_no_interval_is_without_a_width_unless_it_says_so(kind: str, by: str) -> None:
    more: dict[str, Any] = {"unit": np.repeat(np.arange(ROWS // 6), 6)} if by == "units" else {}
    e = sy.evaluate(**ROLES[kind], **more)
    told = [x for x in e.rows_of_numbers() if x.low is not None and x.high is not None]
    none = [x for x in told if x.high - x.low <= 1e-9 * abs(x.high) and x.caution != ALIKE]
    flat = [(x.measure, x.level, x.low) for x in none if (x.measure, x.level) not in ALWAYS]
    assert len(told) > 10
    assert not flat


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_rows_that_always_lie_near_a_line_do_not_fix_a_correlation(rows: int) -> None:
    """Any correlation gives ±1 with two rows, and often nearly so with three."""
    e = sy.evaluate(target=[1.0, 2.0, 4.0, 3.5][:rows], prediction=[1.0, 1.3, 2.0, 2.1][:rows])
    x = e["correlation"]
    assert (x.low is None and "two rows" in x.note) if rows == 2 else x.high - x.low > 0.8
    assert rows > 2 or e["explained_variance"].low is None
