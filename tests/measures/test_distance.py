"""Errors of numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

import steelyard as sy

TARGET = [2.0, 4.0, 6.0, 12.0]
PREDICTION = [3.0, 4.0, 4.0, 8.0]
"""Errors +1, 0, −2, −4."""


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("sse", 21 / 2),
        ("mse", 21 / 4),
        ("rmse", math.sqrt(21 / 4)),
        ("mae", 7 / 4),
        ("median_ae", 1.5),
        ("mape", (1 / 2 + 0 + 1 / 3 + 1 / 3) / 4),
        ("bias", -5 / 4),
        ("max_error", 4.0),
        # Around the mean of the targets, 6: squares 16 + 4 + 0 + 36, distances 4 + 2 + 0 + 6.
        ("r2", 1 - 21 / 56),
        ("explained_variance", 1 - (21 - 25 / 4) / 56),
        ("rae", 7 / 12),
        ("rrse", math.sqrt(21 / 56)),
        # Around the mean of the predictions, 4.75: squares 14.75, products 7 + 1.5 + 0 + 19.5.
        ("correlation", 28 / math.sqrt(56 * 14.75)),
        ("concordance", 2 * 28 / (56 + 14.75 + 4 * 1.25**2)),
        ("pinball", 7 / 8),
    ],
)
def test_four_rows(name: str, wanted: float) -> None:
    e = sy.evaluate(target=TARGET, prediction=PREDICTION)
    assert e[name].value == pytest.approx(wanted)


def test_a_high_quantile_punishes_falling_short() -> None:
    e = sy.evaluate(target=TARGET, prediction=PREDICTION)
    assert e.measure("pinball", quantile=0.9).value == pytest.approx((0.1 * 1 + 0.9 * 2 + 0.9 * 4) / 4)


def test_the_median_of_weighted_errors() -> None:
    e = sy.evaluate(target=TARGET, prediction=PREDICTION, weight=[1, 1, 1, 5], weights="frequency")
    assert e["median_ae"].value == 4.0


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e6 + 0.1, -700.1])
@pytest.mark.parametrize("rows", [3, 7, 50])
def test_a_constant_has_no_correlation(value: float, rows: int) -> None:
    """The usual baseline predicts one number for all; rounding must not make a correlation of it."""
    varying = [value * math.sin(i + 1) for i in range(rows)]
    x = sy.evaluate(target=varying, prediction=[value] * rows)["correlation"]
    assert x.value is None, x
    e = sy.evaluate(target=[value] * rows, prediction=varying, weight=[0.1 * (i % 7 + 1) for i in range(rows)])
    for name in ("correlation", "r2", "explained_variance", "rae", "rrse"):
        assert e[name].value is None, f"{name}: {e[name]}"


def test_a_zero_target_has_no_percentage() -> None:
    x = sy.evaluate(target=[0.0, 1.5], prediction=[1.0, 1.0])["mape"]
    assert str(x) == "n/a (a target is zero, and a share of zero has no meaning)"
