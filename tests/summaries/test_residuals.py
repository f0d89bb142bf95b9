"""Sums of errors keep their digits, whatever they are added to."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy

NAMES = ("mse", "rmse", "mae", "bias", "r2", "explained_variance", "correlation")


def _numbers(centre: float, spread: float, seed: int, n: int = 200) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(seed)
    target = centre + spread * rng.random(n)
    return target.tolist(), (target + spread / 50 * rng.standard_normal(n)).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_small_customers_beside_large_ones(name: str) -> None:
    """A segment has the numbers and the intervals that it has alone, however large its neighbours are."""
    small, large = _numbers(0.0, 1.0, 1), _numbers(1e5, 1e4, 2)
    both = sy.evaluate(
        target=small[0] + large[0],
        prediction=small[1] + large[1],
        segment=["small"] * 200 + ["large"] * 200,
    )
    alone = sy.evaluate(target=small[0], prediction=small[1])
    a, b = both.segments["small"][name], alone[name]
    for field in ("value", "low", "high"):
        assert getattr(a, field) == pytest.approx(getattr(b, field), rel=1e-6), f"{field}: {a} and alone {b}"


@pytest.mark.parametrize("name", NAMES)
def test_far_from_zero(name: str) -> None:
    """A million added to target and prediction changes no error and no interval."""
    near, far = _numbers(0.0, 1.0, 3), _numbers(1e6, 1.0, 3)
    a, b = (sy.evaluate(target=t, prediction=p)[name] for t, p in (near, far))
    for field in ("value", "low", "high"):
        assert getattr(a, field) == pytest.approx(getattr(b, field), rel=1e-5), f"{field}: {a} and moved {b}"


def test_a_sum_of_days_is_the_month() -> None:
    days = [_numbers(10.0 * d, 1.0, d, n=30) for d in range(5)]
    parts = [sy.evaluate(target=t, prediction=p) for t, p in days]
    month = sy.evaluate(target=[x for t, _ in days for x in t], prediction=[x for _, p in days for x in p])
    total = parts[0] + parts[1] + parts[2] + parts[3] + parts[4]
    assert total.evidence == month.evidence
    for name in NAMES:
        assert total[name].value == pytest.approx(month[name].value, rel=1e-9)
