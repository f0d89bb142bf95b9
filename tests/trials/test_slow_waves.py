"""Slow waves: the edge by simulation and by another formula, the level for alike neighbours, and what a few periods show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.fft import dct
from scipy.linalg import toeplitz

from steelyard.errors import LengthsDiffer, UsageError
from steelyard.trials.arms import Periods
from steelyard.trials.means import paired_t
from steelyard.trials.methods import SLOW, WELCH, period_methods
from steelyard.trials.planning import planned_effect
from steelyard.trials.slow_waves import ALLOWED, _beyond, _covariances, slow_waves_power, slow_waves_shift, slow_waves_t


def alike(rng: np.random.Generator, trials: int, n: int, r: float) -> np.ndarray:
    """Normal differences, each correlated with the one before by r."""
    d = np.empty((trials, n))
    d[:, 0] = rng.normal(size=trials)
    for t in range(1, n):
        d[:, t] = r * d[:, t - 1] + math.sqrt(1 - r**2) * rng.normal(size=trials)
    return d


def rejected(d: np.ndarray, edge: float, waves: int) -> float:
    parts = dct(d, norm="ortho", axis=1)
    return float(np.mean(np.abs(parts[:, 0]) > edge * np.sqrt((parts[:, 1 : waves + 1] ** 2).mean(axis=1))))


def test_the_statistic_is_that_of_the_cosine_transform() -> None:
    d = np.random.default_rng(1).normal(size=20)
    found = slow_waves_t(d, np.zeros(20))
    waves = found.options["waves"]
    error = math.sqrt(float((dct(d, norm="ortho")[1 : waves + 1] ** 2).mean()) / 20)
    assert found.options["error"] == pytest.approx(error)
    assert (found.low, found.high) == pytest.approx(
        (d.mean() - found.options["edge"] * error, d.mean() + found.options["edge"] * error)
    )


@pytest.mark.parametrize("n", [6, 12, 40])
def test_the_edge_keeps_the_level_up_to_the_likeness_allowed_and_no_further(n: int) -> None:
    rng = np.random.default_rng(n)
    found = slow_waves_t(rng.normal(size=n), np.zeros(n))
    edge, waves = found.options["edge"], found.options["waves"]
    at = {r: rejected(alike(rng, 60_000, n, r), edge, waves) for r in (0.0, 0.3, ALLOWED, 0.85)}
    # The Monte-Carlo error is about 0.001.
    assert at[ALLOWED] == pytest.approx(0.05, abs=0.004)
    assert at[0.0] < at[0.3] < at[ALLOWED] < at[0.85]


def test_the_chance_beyond_an_edge_meets_students_t_where_periods_are_independent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import steelyard.trials.slow_waves as room

    monkeypatch.setattr(room, "_covariances", lambda n: _covariances(n)[:1])
    for n, waves, t in ((12, 3, 2.0), (12, 5, 4.2), (30, 8, 1.1)):
        assert _beyond(t, n, waves) == pytest.approx(2 * stats.t.sf(t, waves), rel=1e-6)


def test_covariances_are_those_of_the_matrix() -> None:
    n = 9
    rows = dct(np.eye(n), norm="ortho", axis=0)
    for k, r in enumerate(np.linspace(0, ALLOWED, 7)):
        want = rows @ toeplitz(r ** np.arange(n)) @ rows.T
        assert np.allclose(_covariances(n)[k], want)


def test_interval_and_p_value_agree_at_every_confidence() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        d = rng.normal(0.8, 1, int(rng.integers(3, 30)))
        for confidence in (0.5, 0.9, 0.99):
            found = slow_waves_t(d, np.zeros(d.size), confidence)
            assert found.p_value is not None and found.low is not None and found.high is not None
            assert (found.p_value < 1 - confidence) == (found.low > 0 or found.high < 0)
        turned = slow_waves_t(np.zeros(d.size), d, 0.99)
        assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def test_plain_t_is_fooled_where_slow_waves_are_not() -> None:
    rng = np.random.default_rng(12)
    rows = alike(rng, 1500, 12, 0.6)
    plain = np.mean([paired_t(d, np.zeros(12)).p_value < 0.05 for d in rows])
    slow = np.mean([slow_waves_t(d, np.zeros(12)).p_value < 0.05 for d in rows])
    assert slow < 0.065 < 0.25 < plain


def test_power_by_simulation() -> None:
    rng = np.random.default_rng(7)
    n = 12
    shift = slow_waves_shift(n, 0.8)
    d = rng.normal(shift / math.sqrt(n), 1, (40_000, n))
    found = slow_waves_t(d[0], np.zeros(n))
    assert rejected(d, found.options["edge"], found.options["waves"]) == pytest.approx(0.8, abs=0.01)
    assert slow_waves_power(n, shift) == pytest.approx(0.8)
    plan = planned_effect(n, rate=20.0, alike=True)
    assert plan.effect == pytest.approx(shift * math.sqrt(2 * 20 / n)) and "may be alike" in str(plan)
    assert plan.effect > planned_effect(n, rate=20.0).effect


def test_too_few_or_the_same_is_said() -> None:
    assert slow_waves_t([1, 2], [2, 3]).low is None and "fewer than 3 periods" in slow_waves_t([1, 2], [2, 3]).note
    assert slow_waves_t([], []).value is None
    assert "the same in every pair" in slow_waves_t([1, 2, 3, 4], [2, 3, 4, 5]).note
    with pytest.raises(LengthsDiffer):
        slow_waves_t([1, 2, 3], [1, 2])
    with pytest.raises(UsageError, match="at least 3 periods"):
        slow_waves_power(2, 1.0)


def periods(treated: list[float], control: list[float]) -> Periods:
    counts = np.array([control, treated], dtype=float)
    return Periods(tuple(range(len(treated))), counts, np.where(np.isnan(counts), np.nan, 1000.0))


def test_only_slow_waves_are_valid_unless_independence_is_said_or_shown() -> None:
    rng = np.random.default_rng(2)
    few = periods([*rng.poisson(20, 12)], [*rng.poisson(20, 12)])
    methods, _, found = period_methods(few, 0.95)
    assert found is not None and not found.alike
    assert [m.name for m in methods if m.valid] == [SLOW] and all(m.unshown for m in methods if m.name != SLOW)
    assert f"up to {found.highest:.2f}" in next(m.why for m in methods if m.name == WELCH)
    methods, *_ = period_methods(few, 0.95, independent=True)
    assert all(m.valid for m in methods)
    # Very many periods that jump to and fro rule out that neighbours are alike.
    swing = np.tile([0, 8], 300)
    many = periods([*(rng.poisson(20, 600) + swing)], [*rng.poisson(24, 600)])
    methods, _, found = period_methods(many, 0.95)
    assert found is not None and found.harmless and all(m.valid for m in methods if m.name in {SLOW, WELCH})


def test_slow_waves_use_the_periods_that_both_arms_have() -> None:
    gaps = periods([9, 8, 7, 9, math.nan, 6], [3, 4, 4, 5, 5, 3])
    methods, *_ = period_methods(gaps, 0.95)
    slow = next(m for m in methods if m.name == SLOW)
    want = slow_waves_t([9, 8, 7, 9, 6], [3, 4, 4, 5, 3])
    assert (slow.effect.value, slow.effect.low) == pytest.approx((want.value, want.low))
    assert "both arms have" in slow.effect.note and slow.valid


def test_weeks_that_are_more_alike_than_allowed_leave_no_method() -> None:
    trend = periods([*range(20, 60, 2)], [*range(60, 20, -2)])
    methods, _, found = period_methods(trend, 0.95)
    assert found is not None and found.beyond and not any(m.valid for m in methods)
    assert "than the 0.6 that it allows for" in next(m.why for m in methods if m.name == SLOW)
