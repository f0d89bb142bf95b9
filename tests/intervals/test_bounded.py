"""Limits of means of values between a worst and a best: closed forms, drawn weights, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from steelyard.intervals.bounded import HALF, WHOLE, Values, _lower


def of(values: list[float], rows: float | None = None, worst: float = 0.0, best: float = 1.0) -> Values:
    return Values(np.array(values), np.full(len(values), 1 / len(values)), float(rows or len(values)), worst, best)


@pytest.mark.parametrize("n", [1, 2, 5, 30, 400])
def test_shares_get_clopper_and_pearsons_limits_and_jeffreys(n: int) -> None:
    for x in {0, 1, n // 2, n}:
        share = Values(np.array([0.0, 1.0]), np.array([1 - x / n, x / n]), n)
        assert share.low(0.025, WHOLE) == pytest.approx(beta.ppf(0.025, x, n - x + 1) if x else 0.0, abs=1e-9)
        assert share.high(0.025, WHOLE) == pytest.approx(beta.ppf(0.975, x + 1, n - x) if x < n else 1.0, abs=1e-9)
        assert share.low(0.025, HALF) == pytest.approx(beta.ppf(0.025, x + 0.5, n - x + 0.5), abs=1e-9)


def test_the_saddlepoint_is_near_the_exact_quantile_of_a_share() -> None:
    for n in (1, 2, 5, 30, 1000):
        for x in {1, (n + 1) // 2, n}:
            near = _lower(np.array([0.0, 1.0]), np.array([n - x, float(x)]), 0.025, 1.0, 0.0)
            assert near == pytest.approx(beta.ppf(0.025, x, n - x + 1), rel=0.06), (
                "never far off, and on the careful side"
            )
            assert near <= beta.ppf(0.025, x, n - x + 1) * (1 + 1e-4)


@pytest.mark.parametrize("values", [[0.9], [0.2, 0.95, 1.0], list(np.linspace(0, 1, 40) ** 0.2), [1.0] * 30 + [0.4]])
@pytest.mark.parametrize("prior", [HALF, WHOLE])
def test_limits_are_quantiles_of_drawn_weights(values: list[float], prior: tuple[float, float]) -> None:
    """The second way: Dirichlet's weights for the rows and for those that are added, drawn."""
    rng = np.random.default_rng(7)
    z = np.array([*values, 0.0, 1.0])
    shape = np.array([1.0] * len(values) + list(prior))
    weights = rng.standard_gamma(np.broadcast_to(shape, (100_000, len(z))))
    means = weights @ z / weights.sum(axis=1)
    for tail in (0.005, 0.025, 0.2):
        assert (means < of(values).low(tail, prior)).mean() == pytest.approx(tail, rel=0.2)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-3, 7), min_size=1, max_size=30),
    st.floats(0.5, 1e6),
    st.sampled_from((HALF, WHOLE)),
    st.floats(1e-6, 0.4),
)
def test_limits_are_inside_the_range_turn_round_and_close_with_rows(
    values: list[float], rows: float, prior: tuple[float, float], tail: float
) -> None:
    x = of(values, rows, -3.0, 7.0)
    low, high = x.low(tail, prior), x.high(tail, prior)
    assert -3 - 1e-9 <= low <= high + 1e-9 <= 7 + 2e-9
    turned = of([-v for v in values], rows, -7.0, 3.0)
    assert turned.low(tail, prior) == pytest.approx(-high, abs=1e-6)
    if prior == WHOLE:
        assert low <= x.mean + 1e-6
        assert low <= x.counting(4 * rows).low(tail, prior) + 1e-6, "more rows show more"
    assert low <= x.low(min(2 * tail, 0.45), prior) + 1e-6, "the surer, the lower"


def test_the_limit_of_a_share_is_too_high_in_no_more_samples_than_promised() -> None:
    """All outcomes added up, no drawing: every n up to 100 and shares up to one."""
    for n in (1, 2, 5, 10, 15, 30, 60, 100):
        k = np.arange(n + 1)
        lows = np.array([Values(np.array([0.0, 1.0]), np.array([1 - i / n, i / n]), n).low(0.025, WHOLE) for i in k])
        for share in (0.5, 0.8, 0.9, 0.95, 0.99):
            assert binom.pmf(k[lows >= share], n, share).sum() <= 0.025 + 1e-12


def test_a_rare_bad_row_that_has_not_come_yet_is_allowed_for() -> None:
    """Means of values of which one in fifty is bad: a t interval is too high in 30% of samples of 60."""
    rng = np.random.default_rng(3)
    values = np.where(rng.random((600, 60)) < 0.02, 0.0, rng.uniform(0.9, 1.0, (600, 60)))
    truth = 0.98 * 0.95
    lows = np.array([of(list(v)).low(0.025, WHOLE) for v in values])
    assert (lows > truth).mean() <= 0.03
