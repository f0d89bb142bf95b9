"""How many rows or units a spread rests on: against formulas of textbooks, and what intervals keep of their promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import steelyard as sy
from steelyard.comparisons.influence import carried_by, kish
from steelyard.comparisons.row_means import means_of
from steelyard.comparisons.shared_rows import SharedRows


def test_degrees_of_freedom_are_those_of_the_kurtosis() -> None:
    """2 n / (κ − 1), and as many as rows where these are normal."""
    rng = np.random.default_rng(1)
    for x in (rng.normal(size=4000), rng.standard_t(5, size=500), rng.random(300)):
        x = x - x.mean()
        assert carried_by(x**2) == pytest.approx(2 * len(x) / (stats.kurtosis(x, fisher=False) - 1))
    assert carried_by(rng.normal(size=40_000) ** 2) == pytest.approx(40_000, rel=0.1)
    assert carried_by(np.ones(5)) == math.inf
    # Rows that are alike count as often as they come.
    assert carried_by(np.array([1.0, 4.0]), np.array([3.0, 2.0])) == pytest.approx(
        carried_by(np.array([1, 1, 1, 4, 4.0]))
    )


def test_units_of_one_size_have_the_spread_they_had() -> None:
    """U / (U − 1) Σ s² / (Σ w)² for units of one size, and more where one is large."""
    rng = np.random.default_rng(2)
    for sizes in ([20] * 12, [5] * 11 + [200]):
        unit = np.repeat(np.arange(12), sizes)
        x = rng.normal(size=(len(unit), 1)) + rng.normal(size=12)[unit][:, None]
        mean, covariance, units = means_of(SharedRows(np.zeros(len(unit)), unit=unit), x)
        sums = np.bincount(unit, x[:, 0] - mean[0])
        share = np.bincount(unit) / len(unit)
        plain = 12 / 11 * (sums**2).sum() / len(unit) ** 2
        assert units == 12
        assert covariance[0, 0] == pytest.approx((sums**2 / (1 - share)).sum() / len(unit) ** 2)
        assert covariance[0, 0] == pytest.approx(plain) if len(set(sizes)) == 1 else covariance[0, 0] > plain


def test_kish_counts_units_of_one_size() -> None:
    assert kish(np.full(7, 3.0)) == pytest.approx(7)
    assert kish(np.array([1000.0, 1, 1, 1])) == pytest.approx(1, abs=0.01)


def few(rng: np.random.Generator, n: int, positives: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y = np.r_[np.ones(positives, dtype=int), np.zeros(n - positives, dtype=int)]
    labels = [np.where(y == 1, rng.random(n) < 0.65, rng.random(n) < 0.04).astype(int) for _ in range(2)]
    return y, labels[0], labels[1]


@pytest.mark.parametrize("measure", ["f1", "mcc", "kappa"])
def test_few_positives_have_wide_intervals(measure: str) -> None:
    """Two label-makers that are alike on ten positives: their interval holds zero as often as it says."""
    rng = np.random.default_rng(3)
    inside = []
    for _ in range(150):
        y, one, two = few(rng, 300, 10)
        d = sy.compare(target=y, prediction={"a": one, "b": two}, measures=measure).difference(measure, "a", "b")
        inside.append(d.low <= 0 <= d.high)
        assert d.caution == "rests on 10 real positives"
    assert np.mean(inside) >= 0.95 - 1.5 * math.sqrt(0.05 * 0.95 / 150)


@pytest.mark.parametrize("measure", ["accuracy", "f1"])
def test_one_large_unit_among_many_is_no_many_units(measure: str) -> None:
    """Forty units, one as large as all others: what one unit is like is not known from forty."""
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(40), np.r_[np.full(39, 4), 156])
    wrong = 0
    for _ in range(60):
        lean = rng.normal(size=40)[unit]
        y = rng.integers(0, 2, len(unit))
        labels = {
            name: np.where(rng.random(len(unit)) < 0.75 + 0.2 * np.tanh(sign * lean), y, 1 - y)
            for name, sign in (("a", 1), ("b", -1))
        }
        d = sy.compare(target=y, prediction=labels, unit=unit, measures=measure).difference(measure, "a", "b")
        wrong += d.low > 0 or d.high < 0
    assert wrong <= 6
