"""Two models on the same folds: against SciPy, by hand, and in words where there is nothing to test."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

import steelyard as sy
from steelyard.comparisons.folds import (
    TOO_SHORT,
    corrected_t,
    correlated_bayes,
    five_by_two_f,
    five_by_two_t,
    paired_t,
)
from steelyard.intervals import folds as intervals


def samples(n: int = 40) -> list[np.ndarray]:
    rng = np.random.default_rng(11)
    return [rng.normal(rng.normal() * 0.02, 0.03, size=rng.integers(2, 30)) for _ in range(n)]


def test_paired_t_is_scipys() -> None:
    for d in samples():
        b = np.random.default_rng(len(d)).random(d.size)
        want = stats.ttest_rel(b + d, b)
        found = paired_t(d, 0.9)
        assert found.statistic == pytest.approx(want.statistic)
        assert found.p_value == pytest.approx(want.pvalue)
        ends = want.confidence_interval(0.9)
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high))
        assert found.method == TOO_SHORT and found.n == (d.size, d.size)


def test_the_textbook_interval_with_its_erratum() -> None:
    """Definition 1.20: the quantile for ten folds at 95% is 2.262, and the centre is the mean of d."""
    d = np.linspace(-0.01, 0.05, 10)
    found = paired_t(d)
    half = 2.262 * math.sqrt(((d - d.mean()) ** 2).sum() / (10 * 9))
    assert found.value == pytest.approx(d.mean())
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-3)


def test_corrected_t_widens_by_the_shared_rows() -> None:
    for d in samples():
        plain, wide = paired_t(d), corrected_t(d, 1 / 9)
        factor = math.sqrt((1 / d.size + 1 / 9) * d.size)
        assert (wide.high - wide.low) == pytest.approx(factor * (plain.high - plain.low))
        assert wide.statistic == pytest.approx(plain.statistic / factor)
        assert wide.p_value == pytest.approx(2 * stats.t.sf(abs(wide.statistic), d.size - 1))
        same = intervals.corrected_t(d, 1 / 9)
        assert (wide.low, wide.high) == pytest.approx((same.low, same.high))


def test_p_and_interval_say_the_same() -> None:
    for d in samples(80):
        cases = [paired_t(d), corrected_t(d, 0.2)]
        if d.size >= 10:
            cases += [five_by_two_t(d[:10].reshape(5, 2)), five_by_two_f(d[:10].reshape(5, 2))]
        for c in cases:
            if c.low is not None:
                assert (c.low > 0 or c.high < 0) == (c.p_value < 0.05)
                assert (c.verdict in {"better", "worse"}) == (c.p_value < 0.05)


def test_the_sense_of_better() -> None:
    d = [0.1, 0.11, 0.12, 0.09, 0.1]
    assert [corrected_t(d, 0.25, better=b).verdict for b in ("higher", "lower", "")] == ["better", "worse", ""]
    up, down = corrected_t(d, 0.25), corrected_t([-x for x in d], 0.25)
    assert (up.low, up.p_value, up.statistic) == pytest.approx((-down.high, down.p_value, -down.statistic))
    named = corrected_t(d, 0.25, measure="auc", names=("tree", "knn"))
    assert (named.measure, named.first, named.second) == ("auc", "tree", "knn")


# ---- five times two


FIVE = np.array([[0.04, 0.02], [0.03, 0.05], [0.02, 0.03], [0.05, 0.03], [0.03, 0.02]])


def test_five_by_two_by_hand() -> None:
    """Σ s² is (0.02² + 0.02² + 0.01² + 0.02² + 0.01²) / 2 = 0.0007, Σ d² is 0.0114."""
    t, f = five_by_two_t(FIVE), five_by_two_f(FIVE)
    assert t.statistic == pytest.approx(0.04 / math.sqrt(0.0007 / 5))
    assert t.p_value == pytest.approx(2 * stats.t.sf(t.statistic, 5))
    assert f.statistic == pytest.approx(0.0114 / (2 * 0.0007))
    assert f.p_value == pytest.approx(stats.f.sf(f.statistic, 10, 5))
    assert t.value == 0.04 and "0.0320" in t.note
    assert f.value == pytest.approx(0.032)


def test_the_interval_of_the_f_test_turns_it() -> None:
    """Taken off all ten, an end of the interval leaves an F of exactly the critical value."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        d = rng.normal(0.01, 0.02, size=(5, 2))
        found = five_by_two_f(d, 0.9)
        if found.low is not None:
            ends = [five_by_two_f(d - end).p_value for end in (found.low, found.high)]
            assert ends == pytest.approx([0.1, 0.1])
    assert five_by_two_f(FIVE - five_by_two_f(FIVE).low).p_value == pytest.approx(0.05)


def test_repeats_that_disagree_leave_no_interval() -> None:
    d = np.array([[1.0, 1.01], [-1.0, -1.01], [2.0, 2.01], [-2.0, -2.01], [0.5, 0.51]])
    found = five_by_two_f(d)
    assert found.low is None and found.verdict == "no clear difference" and "no difference fits all ten" in found.note
    assert found.p_value < 0.05


def test_five_by_two_needs_its_design() -> None:
    for test in (five_by_two_t, five_by_two_f):
        with pytest.raises(sy.errors.LengthsDiffer, match=r"five repeats of two folds.*\(10,\)"):
            test(np.zeros(10))
        gap = FIVE.copy()
        gap[2, 1] = np.nan
        assert test(gap).reason == "1 of 10 folds have no value, and this test needs all ten"
        zero = test(np.zeros((5, 2)))
        assert (zero.value, zero.p_value) == (0.0, 1.0)
        flat = test(np.repeat([[0.01], [0.02], [0.03], [0.04], [0.05]], 2, axis=1))
        assert flat.p_value is None and flat.verdict == "too few cases to say" and flat.note


# ---- Bayes


def test_the_posterior_by_integration() -> None:
    """The posterior of the mean of correlated normal differences under the flat prior, integrated by brute force.

    With correlation ρ between any two folds the mean has the variance σ² (1/n + ρ/(1 − ρ)) in terms of the spread within,
    and the spread within n − 1 degrees of freedom.
    """
    for d in samples(6):
        rho = 0.1
        n, ratio = d.size, rho / (1 - rho)
        found = correlated_bayes(d, ratio, rope=0.01)
        squares = float(((d - d.mean()) ** 2).sum())

        def density(mu: float, n: int = n, squares: float = squares, d: np.ndarray = d, ratio: float = ratio) -> float:
            return (1 + (mu - d.mean()) ** 2 / (squares * (1 / n + ratio))) ** (-n / 2)

        wide = 500 * math.sqrt(squares * (1 / n + ratio) / (n - 1))
        places = [d.mean() - wide, -0.01, 0.01, d.mean() + wide]
        mass = [
            integrate.quad(density, a, b, points=[d.mean()] if a < d.mean() < b else None, limit=400)[0]
            for a, b in pairwise(places)
        ]
        if n > 4:
            want = np.array(mass) / sum(mass)
            assert (found.left, found.rope, found.right) == pytest.approx(want.tolist(), abs=1e-5)
        assert found.left + found.rope + found.right == pytest.approx(1)


def test_the_posterior_agrees_with_the_corrected_t() -> None:
    for d in samples():
        c, b = corrected_t(d, 0.25), correlated_bayes(d, 0.25, rope=0.0)
        assert min(b.left, b.right) * 2 == pytest.approx(c.p_value)
        assert b.rope == 0 and (b.low, b.high, b.value) == (c.low, c.high, c.value)
        wider = [correlated_bayes(d, 0.25, rope=r).rope for r in (0.0, 0.01, 0.02, 0.05)]
        assert wider == sorted(wider)


def test_verdicts_of_a_posterior() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.001, 20)
    words = [correlated_bayes(noise + shift, 0.1, rope=0.01).verdict for shift in (-0.1, 0.0, 0.1)]
    assert words == ["lower", "practically alike", "higher"]
    assert correlated_bayes(rng.normal(0.01, 0.02, 10), 1 / 9).verdict == "no clear difference"
    json.dumps(correlated_bayes(noise, 0.1).to_dict(), allow_nan=False)


# ---- in words


@pytest.mark.parametrize("test", [paired_t, lambda d: corrected_t(d, 1 / 9)])
def test_nothing_to_test(test: object) -> None:
    assert callable(test)
    none, one, zero, same = test([]), test([0.1]), test([0.0] * 5), test([0.1] * 5)
    assert (none.value, none.reason) == (None, "no folds")
    assert (one.value, one.low, one.p_value, one.verdict) == (0.1, None, None, "too few cases to say")
    assert "one fold only" in one.note
    assert (zero.value, zero.p_value, zero.verdict) == (0.0, 1.0, "no clear difference")
    assert "alike in every fold" in zero.note
    assert (same.value, same.p_value, same.verdict) == (pytest.approx(0.1), None, "too few cases to say")
    assert "same difference" in same.note
    gaps = test([0.1, math.nan, 0.12, 0.2, 0.01, 0.11])
    assert gaps.n == (5, 5) and "1 of 6 folds have no value" in gaps.note
    assert gaps.value == pytest.approx(test([0.1, 0.12, 0.2, 0.01, 0.11]).value)
    assert test([math.nan] * 3).reason == "3 of 3 folds have no value"
    assert "3 folds only" in test([0.1, 0.2, 0.15]).note
    for found in (none, one, zero, same, gaps):
        json.dumps(found.to_dict(), allow_nan=False)
        str(found)


def test_bad_calls_get_a_sentence() -> None:
    for ratio in (0, -1, math.inf, math.nan):
        with pytest.raises(sy.errors.UsageError, match="ratio of test to training rows"):
            corrected_t([0.1, 0.2], ratio)
    with pytest.raises(sy.errors.UsageError, match="confidence"):
        paired_t([0.1, 0.2], 95)
    with pytest.raises(sy.errors.UsageError, match="practical equivalence"):
        correlated_bayes([0.1, 0.2], 0.1, rope=-1)
    with pytest.raises(sy.errors.NotNumeric, match="must be numbers"):
        paired_t(["a", "b"])
    assert correlated_bayes([0.1], 0.1).left is None
    assert "one fold only" in str(correlated_bayes([0.1], 0.1))
