"""Mean errors along the predictions: their intervals hold the truth as often as they say, also by unit."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.intervals.mean_errors import mean_errors
from steelyard.results import Curve, Interval
from steelyard.summaries.residuals import Residuals

NONE = Interval(None, None, "none")


def _curve(e: sy.Evaluation) -> Curve:
    assert e.residuals is not None
    bias = e["bias"]
    return mean_errors(e.residuals, Interval(bias.low, bias.high, bias.method, bias.note), e.confidence)


def _held(c: Curve) -> list[bool]:
    """Whether each interval holds a true mean of zero."""
    ends = zip(c.columns["low"], c.columns["high"], strict=True)
    return [a <= 0 <= b for a, b in ends if a is not None and b is not None]


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(17)
    held = []
    for _ in range(150):
        p = rng.random(600)
        held += _held(mean_errors(Residuals.of(p - (0.2 + p) * rng.standard_normal(600), p), NONE, 0.9))
    assert len(held) == 150 * 12
    assert np.mean(held) == pytest.approx(0.9, abs=0.02)


def test_intervals_by_unit_hold_the_truth() -> None:
    rng = np.random.default_rng(18)
    by_unit, by_row = [], []
    for _ in range(60):
        unit = np.repeat(np.arange(100), 8)
        p = rng.random(800)
        error = rng.standard_normal(100)[unit] + 0.5 * rng.standard_normal(800)
        # Within one of twelve bins units meet themselves rarely, so the widened intervals are on the safe side.
        by_unit += _held(_curve(sy.evaluate(target=p - error, prediction=p, unit=unit)))
        p = np.repeat(rng.random(100), 8)
        c = _curve(sy.evaluate(target=p - error, prediction=p, unit=unit))
        assert "by unit" in c.method
        by_row += _held(c)
    assert np.mean(by_unit) > 0.95
    assert np.mean(by_row) == pytest.approx(0.95, abs=0.04)


def test_too_few_units_have_no_interval() -> None:
    rng = np.random.default_rng(19)
    p = rng.random(60)
    c = _curve(sy.evaluate(target=p + rng.standard_normal(60), prediction=p, unit=np.arange(60) % 4))
    assert set(c.columns["low"]) == {None}
    assert c.method == "none"
    assert c.note == "fewer than 10 units"


def test_sampling_weights_widen() -> None:
    rng = np.random.default_rng(20)
    p = rng.random(2000)
    t, w = p + rng.standard_normal(2000), np.where(np.arange(2000) % 2, 9.0, 1.0)
    widths = []
    for weight in ({}, {"weight": w}, {"weight": 100 * w}):
        c = _curve(sy.evaluate(target=t, prediction=p, **weight)).columns
        widths.append(
            np.mean([b - a for a, b in zip(c["low"], c["high"], strict=True) if a is not None and b is not None])
        )
    # Kish: (Σw)² / Σw² = n × 25 / 41.
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(41 / 25), rel=0.05)
    assert widths[2] == pytest.approx(widths[1], rel=1e-9)


def test_bins_of_few_rows_and_ties() -> None:
    one = mean_errors(Residuals.of([1.0], [2.0]), NONE, 0.95)
    assert (one.columns["error"], one.columns["low"], one.note) == (
        [1.0],
        [None],
        "one row tells nothing about the spread",
    )
    # One prediction is one bin, however many rows it has.
    p = [1.0] * 90 + [2.0] * 5 + [3.0] * 5
    c = mean_errors(Residuals.of([0.0] * 100, p), NONE, 0.95)
    assert (c.columns["from"], c.columns["to"]) == ([1.0, 2.0], [1.0, 3.0])
    assert (c.columns["rows"], c.columns["error"]) == ([90.0, 10.0], [1.0, 2.5])
