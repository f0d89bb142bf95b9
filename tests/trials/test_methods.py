"""Each method against a second way to the same answer."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from steelyard.errors import InputError, LengthsDiffer, UsageError
from steelyard.trials.autocorrelation import neighbours
from steelyard.trials.balance import balance_of
from steelyard.trials.means import paired_t, pooled_t, welch, wilcoxon_by_period
from steelyard.trials.money import money_effect
from steelyard.trials.proportions import fisher, two_proportions
from steelyard.trials.rates import KINDS, dispersion, negative_binomial, poisson_ratio, quasi_poisson
from steelyard.trials.sample_ratio import sample_ratio
from steelyard.trials.sums import arms_of_units

from .single_units import by_units, cuped

COUNTS = st.lists(st.integers(0, 60), min_size=3, max_size=15)


def samples(rng: np.random.Generator, n: int = 12) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(rng.normal(5, 2, int(rng.integers(3, 30))), rng.normal(4, 1, int(rng.integers(3, 30)))) for _ in range(n)]


def test_welch_and_pooled_agree_with_scipy(rng: np.random.Generator) -> None:
    for a, b in samples(rng):
        for mine, equal in ((welch(a, b), False), (pooled_t(a, b), True)):
            theirs = stats.ttest_ind(a, b, equal_var=equal)
            ends = theirs.confidence_interval(0.95)
            found = (mine.statistic, mine.p_value, mine.options["freedom"], mine.low, mine.high)
            assert found == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df, ends.low, ends.high), rel=1e-9)


def test_paired_and_wilcoxon_agree_with_scipy(rng: np.random.Generator) -> None:
    for _ in range(12):
        a, b = rng.normal(5, 2, 11), rng.normal(4, 2, 11)
        mine, theirs = paired_t(a, b), stats.ttest_rel(a, b)
        assert (mine.statistic, mine.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
        assert wilcoxon_by_period(a, b).p_value == pytest.approx(stats.wilcoxon(a, b, method="exact").pvalue, rel=1e-9)


@pytest.mark.parametrize("test", [welch, pooled_t, paired_t])
def test_swapping_the_arms_turns_the_answer_round(test, rng: np.random.Generator) -> None:
    for a, b in samples(rng, 6):
        n = min(a.size, b.size)
        one, other = test(a[:n], b[:n]), test(b[:n], a[:n])
        assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))
        assert one.p_value == pytest.approx(other.p_value)


def test_too_few_or_alike_is_said() -> None:
    assert welch([1.0], [2.0, 3.0]).low is None and "fewer than two" in welch([1.0], [2.0, 3.0]).note
    assert welch([], [2.0]).value is None
    alike = welch([1, 1, 1], [2, 2, 2])
    assert alike.value == -1 and alike.p_value is None and "no variation" in alike.note
    with pytest.raises(LengthsDiffer):
        paired_t([1, 2], [1, 2, 3])
    with pytest.raises(UsageError):
        welch([1, 2], [3, 4], confidence=1.2)


# ---- by unit


def sandwich(y: np.ndarray, arm: np.ndarray, unit: np.ndarray) -> tuple[float, float]:
    """Least squares on the arm with errors clustered by unit, each arm corrected for its own number of units."""
    X = np.column_stack([np.ones_like(y), arm])
    bread = np.linalg.inv(X.T @ X)
    beta = bread @ X.T @ y
    left = y - X @ beta
    meat = np.zeros((2, 2))
    size = {a: len(np.unique(unit[arm == a])) for a in (0, 1)}
    for u in np.unique(unit):
        here = unit == u
        score = X[here].T @ left[here]
        n = size[int(arm[here][0])]
        meat += np.outer(score, score) * n / (n - 1)
    return float(beta[1]), math.sqrt((bread @ meat @ bread)[1, 1])


def test_by_units_is_the_sandwich_of_least_squares(rng: np.random.Generator) -> None:
    """With many units of about one size; where a few carry the arm the sandwich is too sure."""
    for _ in range(10):
        rows = rng.integers(4, 6, 600)
        unit = np.repeat(np.arange(600), rows)
        arm = (unit % 2).astype(float)
        y = rng.normal(size=unit.size) + rng.normal(size=600)[unit] + 0.5 * arm
        totals = np.bincount(unit, weights=y)
        treated = np.arange(600) % 2 == 1
        d = by_units((totals[treated], totals[~treated]), (rows[treated], rows[~treated]))
        value, error = sandwich(y, arm, unit)
        assert d.value == pytest.approx(value, rel=1e-9) and d.options["error"] == pytest.approx(error, rel=2e-3)


def test_rows_of_a_unit_make_it_no_surer(rng: np.random.Generator) -> None:
    """Writing every row five times changes nothing but the number of rows."""
    y = (rng.normal(size=20), rng.normal(size=25))
    once = by_units(y, (np.ones(20), np.ones(25)))
    often = by_units((5 * y[0], 5 * y[1]), (np.full(20, 5), np.full(25, 5)))
    assert (once.value, once.low, once.high) == pytest.approx((often.value, often.low, often.high))


@pytest.mark.parametrize(("treated", "control", "near"), [(60, 60, 1e-9), (9, 9, 1e-9), (6_000, 8_000, 0.04)])
def test_cuped_is_the_regression_on_arm_and_covariate(
    rng: np.random.Generator, treated: int, control: int, near: float
) -> None:
    """With arms of one size the errors are the same number; otherwise near it, as each arm has a spread of its own."""
    n = treated + control
    x = (rng.normal(size=treated), rng.normal(size=control))
    y = (2 * x[0] + rng.normal(size=treated) + 1, 2 * x[1] + rng.normal(size=control))
    d = cuped(y, x)
    arm = np.r_[np.ones(treated), np.zeros(control)]
    X = np.column_stack([np.ones(n), arm, np.concatenate(x)])
    beta, *_ = np.linalg.lstsq(X, np.concatenate(y), rcond=None)
    assert (d.value, d.options["slope"]) == pytest.approx((beta[1], beta[2]), rel=1e-9)
    left = np.concatenate(y) - X @ beta
    errors = np.sqrt(np.diag(np.linalg.inv(X.T @ X)) * (left @ left) / (n - 3))
    assert d.options["error"] == pytest.approx(errors[1], rel=near)
    assert d.high - d.low < welch(*y).high - welch(*y).low and 0.5 * n < d.options["freedom"] < n - 2
    assert cuped(y, (np.zeros(treated), np.zeros(control))).value is None


# ---- counts


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.floats(0.2, 5))
def test_exact_poisson_is_the_binomial_test(x: int, y: int, e: float) -> None:
    d = poisson_ratio(x, y, (e, 1.0), kind="exact")
    if y == 0:
        assert d.value is None and d.reason
        return
    share = e / (e + 1)
    tails = stats.binom.cdf(x, x + y, share), stats.binom.sf(x - 1, x + y, share)
    assert d.p_value == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-7, abs=1e-12)
    ends = stats.binomtest(x, x + y, share).proportion_ci(0.95)
    assert d.low == pytest.approx(ends.low / (1 - ends.low) / e, rel=1e-6)
    assert d.high == pytest.approx(ends.high / (1 - ends.high) / e, rel=1e-6)
    mid = poisson_ratio(x, y, (e, 1.0), kind="mid-p")
    assert d.low <= mid.low * (1 + 1e-6) + 1e-8 and mid.high <= d.high * (1 + 1e-6) and mid.p_value <= d.p_value + 1e-12


def test_interval_and_p_value_agree_at_the_edge() -> None:
    """At the confidence 1 − p an end of the interval is 1."""
    for kind, (x, y) in itertools.product(KINDS, ((12, 25), (40, 22), (212, 246))):
        p = poisson_ratio(x, y, kind=kind).p_value
        d = poisson_ratio(x, y, kind=kind, confidence=1 - p)
        assert (d.high if x < y else d.low) == pytest.approx(1, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(COUNTS, COUNTS)
def test_dispersion_by_its_definition(x: list[int], y: list[int]) -> None:
    d = dispersion(x, y)
    used = [v for v in (x, y) if sum(v)]
    if not used:
        assert d is None
        return
    want = sum((len(v) - 1) * np.var(v, ddof=1) / np.mean(v) for v in used)
    assert d is not None and d.statistic == pytest.approx(want)
    assert d.p_over == pytest.approx(stats.chi2.sf(want, d.freedom), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(COUNTS, COUNTS)
def test_wider_laws_meet_poisson(x: list[int], y: list[int]) -> None:
    n, q = negative_binomial(x, y), quasi_poisson(x, y)
    if n.value is None:
        assert min(sum(x), sum(y)) == 0
        return
    assert n.value == pytest.approx(q.value if q.value is not None else n.value)
    spread = dispersion(x, y)
    assert spread is not None
    if spread.factor <= 1:
        assert n.options["kappa"] == 0
    else:
        mean = np.r_[np.full(len(x), np.mean(x)), np.full(len(y), np.mean(y))]
        squares = (np.r_[x, y] - mean) ** 2
        assert (squares / (mean + n.options["kappa"] * mean**2)).sum() == pytest.approx(len(x) + len(y) - 2, rel=1e-6)
        wald = poisson_ratio(sum(x), sum(y), (len(x), len(y)))
        assert n.high / n.low > wald.high / wald.low


def test_rates_do_not_depend_on_the_unit_of_exposure() -> None:
    x, y, e, f = [3, 8, 5, 9], [7, 2, 9, 12], [100, 200, 150, 180], [120, 150, 210, 260]
    for test in (quasi_poisson, negative_binomial):
        one, other = test(x, y, (e, f)), test(x, y, (np.array(e) * 7, np.array(f) * 7))
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_negative_counts_are_refused() -> None:
    with pytest.raises(InputError, match="negative"):
        dispersion([1, -2], [3, 4])
    with pytest.raises(InputError, match="no exposed units"):
        quasi_poisson([1, 2], [3, 4], ([0, 1], [1, 1]))
    with pytest.raises(UsageError, match="mid-p"):
        poisson_ratio(3, 4, kind="score")


# ---- shares


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_fisher_agrees_with_scipy(n: int, m: int, data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    d = fisher(x, n, y, m)
    theirs = stats.fisher_exact([[x, n - x], [y, m - y]])
    if d.p_value is None:
        assert x + y in (0, n + m)
        return
    assert d.p_value == pytest.approx(theirs.pvalue, rel=1e-6)
    if d.value is not None:
        ends = stats.contingency.odds_ratio([[x, n - x], [y, m - y]]).confidence_interval(0.95)
        assert (d.low, d.high) == pytest.approx((ends.low, ends.high), rel=1e-5)


def test_pooled_z_is_the_chi_square() -> None:
    for x, n, y, m in ((12, 50, 25, 60), (0, 31, 4, 31), (246, 1000, 212, 1000)):
        d = two_proportions(x, n, y, m)
        chi = stats.chi2_contingency([[x, n - x], [y, m - y]], correction=False)
        assert d.statistic**2 == pytest.approx(chi.statistic)
        if n == m:
            assert d.p_value == pytest.approx(chi.pvalue)
    with pytest.raises(InputError, match="no share"):
        two_proportions(12, 10, 3, 10)


@pytest.mark.parametrize(
    "counts", [(12, 50, 25, 60), (0, 31, 4, 31), (6, 533, 0, 67), (2, 20, 9, 380), (57, 60, 500, 540)]
)
def test_the_limits_of_two_shares_by_looking_for_the_likeliest(counts: tuple[int, int, int, int]) -> None:
    """At each end the corrected score is the quantile, with the likeliest shares found by a search and not by the cubic."""
    x, n, y, m = counts
    d = two_proportions(x, n, y, m)
    for end, quantile in ((d.low, 1.959964), (d.high, -1.959964)):

        def unlikely(q: float, end: float = end) -> float:
            p = q + end
            return -float(stats.binom.logpmf(x, n, p) + stats.binom.logpmf(y, m, q))

        near, far = max(0.0, -end) + 1e-12, min(1.0, 1 - end) - 1e-12
        q = optimize.minimize_scalar(unlikely, bounds=(near, far), method="bounded", options={"xatol": 1e-12}).x
        p = q + end
        variance = p * (1 - p) / n + q * (1 - q) / m
        skew = (p * (1 - p) * (1 - 2 * p) / n**2 - q * (1 - q) * (1 - 2 * q) / m**2) / variance**1.5
        z = (x / n - y / m - end) / math.sqrt(variance) - skew * (quantile**2 - 1) / 6
        assert z == pytest.approx(quantile, abs=1e-3)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 80), st.integers(1, 900), st.sampled_from([0.8, 0.95, 0.99]), st.data())
def test_interval_and_p_value_of_two_shares_never_disagree(
    n: int, m: int, confidence: float, data: st.DataObject
) -> None:
    x, y = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    d, back = two_proportions(x, n, y, m, confidence), two_proportions(y, m, x, n, confidence)
    assert d.low <= d.value <= d.high and (d.low, d.high) == pytest.approx((-back.high, -back.low), abs=1e-9)
    if d.p_value is not None and abs(d.p_value - (1 - confidence)) > 1e-6:
        assert (d.low > 0 or d.high < 0) == (d.p_value < 1 - confidence)


def test_no_events_in_a_small_control_prove_nothing() -> None:
    d = two_proportions(6, 533, 0, 67)
    assert d.low < 0 < d.high and d.p_value > 0.3 and d.caution == "rests on 6 outcomes"
    assert two_proportions(0, 10, 0, 90).caution == "rests on 0 outcomes"
    assert not two_proportions(60, 533, 9, 67).caution


# ---- checks


def test_sample_ratio_is_the_chi_square() -> None:
    for sizes, planned in (((950, 1050), "equal"), ((110, 880), {"a": 1, "b": 9})):
        check = sample_ratio(dict(zip("ab", sizes)), planned)
        expected = np.array(check.planned) * sum(sizes)
        assert check.total.p_value == pytest.approx(stats.chisquare(sizes, expected).pvalue)
    # One part off among many, and only just: corrected for the number of parts.
    parts = dict.fromkeys(range(9), (100, 100)) | {9: (126, 74)}
    assert not sample_ratio({"a": 1026, "b": 974}, "equal", parts).blocked
    assert sample_ratio({"a": 1060, "b": 970}, "equal", parts | {9: (160, 70)}).blocked
    with pytest.raises(UsageError, match="planned"):
        sample_ratio({"a": 1, "b": 2}, {"a": 0.5, "c": 0.5})


def apart_by(one: Any, two: Any) -> Any:
    return balance_of("score", arms_of_units((one, two), (np.ones(len(one)), np.ones(len(two)))), "outcome")


def test_balance_flags_a_tenth_and_tells_chance(rng: np.random.Generator) -> None:
    x = rng.normal(size=40)
    small = apart_by(x, x[::-1] + 0.5 * x.std(ddof=1))
    assert small.flagged and not small.beyond_chance and small.estimate.value == pytest.approx(-0.5)
    large = apart_by(rng.normal(0.5, 1, 2000), rng.normal(0, 1, 2000))
    assert large.beyond_chance
    assert apart_by([1, 1], [2, 2]).estimate.value is None


def test_neighbours_sees_what_is_there_and_not_shared_shocks() -> None:
    rng = np.random.default_rng(3)

    def series(r: float, n: int = 200) -> np.ndarray:
        out = [0.0]
        for _ in range(n):
            out.append(r * out[-1] + float(rng.normal()))
        return np.array(out)

    own = neighbours(series(0.7), series(0.7))
    assert own is not None and own.alike
    shared = series(0.9)
    both = neighbours(shared + rng.normal(size=shared.size), shared + rng.normal(size=shared.size))
    assert both is not None and not both.alike
    # At 5% it speaks up in about 5% of independent series.
    found = [neighbours(rng.normal(size=12), rng.normal(size=12)) for _ in range(1500)]
    assert 0.03 < np.mean([f.alike for f in found if f is not None]) < 0.07
    assert neighbours([1, 2, 3], [3, 4, 5]) is None
    # What is ruled out is ruled out rightly: independent series lie above the bound in about 5% of cases.
    assert 0.03 < np.mean([f.highest < 0 for f in found if f is not None]) < 0.07
    many = neighbours(np.tile([1.0, 0.0, 1.0, 0.0, 0.5], 300) + rng.normal(0, 0.1, 1500), np.zeros(1500))
    assert many is not None and many.harmless and not own.harmless


def test_money_is_gain_times_value_less_cost() -> None:
    d = welch([3.0, 4.0, 5.0], [6.0, 7.0, 9.0])
    lower = money_effect(d, value=10, cost=2, direction="lower", per="unit", treated=3)
    higher = money_effect(d, value=10, cost=2, direction="higher", per="unit", treated=3)
    assert lower is not None and higher is not None
    assert float(lower.each) == pytest.approx(-10 * d.value - 2) and float(higher.each) == pytest.approx(
        10 * d.value - 2
    )
    assert lower.each.low == pytest.approx(-10 * d.high - 2) and lower.total.value == pytest.approx(
        3 * float(lower.each)
    )
    with pytest.raises(UsageError, match="cost"):
        money_effect(d, value=10, cost=-2, direction="lower", per="unit", treated=3)
