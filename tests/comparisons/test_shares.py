"""Two shares from counts: laws, a second way, and calls that cannot be meant."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.comparisons.shares import fisher, newcombe_interval, normal_interval, pooled_test
from steelyard.errors import EmptyTable, UsageError


def counts(seed: int) -> list[tuple[int, int, int, int]]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 120, (60, 2))
    return [(int(rng.integers(0, m + 1)), int(m), int(rng.integers(0, n + 1)), int(n)) for m, n in sizes]


def test_fisher_against_scipy() -> None:
    for a, m, b, n in counts(1):
        other = stats.fisher_exact([[a, m - a], [b, n - b]]).pvalue
        assert fisher(a, m, b, n).p_value == pytest.approx(other, rel=1e-9)
        assert fisher(b, n, a, m).p_value == pytest.approx(other, rel=1e-9)


def test_pooled_z_squared_is_chi_square() -> None:
    for a, m, b, n in counts(2):
        t = pooled_test(a / m, m, b / n, n)
        if 0 < a + b < m + n:
            chi = stats.chi2_contingency([[a, m - a], [b, n - b]], correction=False)
            assert ((t.statistic or 0) ** 2, t.p_value) == pytest.approx(
                (chi.statistic, chi.pvalue), rel=1e-9, abs=1e-12
            )
        else:
            assert (t.statistic, t.p_value, t.note) == (0.0, 1.0, "all rows are alike in both")


def test_the_other_way_round_and_the_p_value_agrees_with_the_interval() -> None:
    for a, m, b, n in counts(3):
        for make in (normal_interval, newcombe_interval):
            d, e = make(a / m, m, b / n, n), make(b / n, n, a / m, m)
            if d.low is None:
                assert d.method == "none" and "no width" in d.note
                continue
            assert d.high is not None and e.low is not None and e.high is not None and d.p_value is not None
            assert (d.low, d.high) == pytest.approx((-e.high, -e.low), abs=1e-12)
            assert (d.low > 0 or d.high < 0) == (d.p_value < 0.05)
            assert (d.verdict == "better") == (d.low > 0)
            assert make(a / m, m, b / n, n, better="lower").verdict == e.verdict
        wide = newcombe_interval(a / m, m, b / n, n)
        assert -1 <= (wide.low or 0) <= (wide.high or 0) <= 1


def test_calls_that_cannot_be_meant() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        normal_interval(56, 70, 48, 80)
    with pytest.raises(EmptyTable, match="at least one row"):
        newcombe_interval(0.5, 0, 0.5, 10)
    with pytest.raises(UsageError, match="confidence"):
        newcombe_interval(0.5, 10, 0.5, 10, confidence=95)
    with pytest.raises(UsageError, match="More rows were counted"):
        fisher(5, 4, 1, 4)
    with pytest.raises(EmptyTable, match="no rows"):
        fisher(0, 0, 1, 4)
    with pytest.raises(EmptyTable, match="at least one row"):
        pooled_test(0.1, -3, 0.2, 5)
