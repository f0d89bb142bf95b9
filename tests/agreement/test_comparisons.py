"""Comparisons against published examples whose data can be rebuilt, and against SciPy or a second way to 1e-10.

Each case names its source; a docstring tells where a printed figure is not what comes out.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from steelyard.comparisons.areas import area_difference, areas_test, paired_areas
from steelyard.comparisons.folds import corrected_t, correlated_bayes, five_by_two_f, five_by_two_t, paired_t
from steelyard.comparisons.independent import mover
from steelyard.comparisons.labels import cochran_q, mcnemar, paired_share_difference
from steelyard.comparisons.powers import hanley_mcneil
from steelyard.comparisons.ranks import friedman, range_quantile, sign_test, wilcoxon
from steelyard.comparisons.shares import fisher, newcombe_interval, normal_interval, pooled_test
from steelyard.comparisons.step_down import benjamini_hochberg, bonferroni, hochberg, holm, shaffer, true_together
from steelyard.results import Interval

from .published import (
    ABNORMAL_RATINGS,
    BASES,
    BONFERRONI_DUNN,
    COCHRAN,
    CONOVER,
    DARWIN,
    DEPRESSION,
    FINDINGS,
    FIVE,
    MEANS_OF_TREES,
    NEMENYI,
    NEWCOMBE,
    NORMAL_RATINGS,
    PAIRED,
    SLEEP,
)

CLOSE = 1e-10
Z = stats.norm.ppf(0.975)


def close(value: Any) -> Any:
    return pytest.approx(value, rel=CLOSE, abs=CLOSE)


# ---- two shares of rows of their own


def score_limits(x: int, n: int) -> tuple[float, float]:
    """Wilson's limits as the roots of (p̂ − p)² = z² p (1 − p) / n."""
    p = x / n
    roots = np.roots([1 + Z**2 / n, -(2 * p + Z**2 / n), p**2])
    return float(min(roots.real)), float(max(roots.real))


@pytest.mark.parametrize(("x", "m", "y", "n", "low", "high"), NEWCOMBE)
def test_newcombe_1998_table_2(x: int, m: int, y: int, n: int, low: float, high: float) -> None:
    d = newcombe_interval(x / m, m, y / n, n)
    assert (round(d.low or 0, 4), round(d.high or 0, 4)) == (low, high)
    (l1, u1), (l2, u2) = score_limits(x, m), score_limits(y, n)
    p, q = x / m, y / n
    assert (d.low, d.high) == close((p - q - math.hypot(p - l1, u2 - q), p - q + math.hypot(u1 - p, q - l2)))


@pytest.mark.parametrize(
    ("x", "m", "y", "n", "low", "high"),
    # The same table, method 1.
    [(56, 70, 48, 80, 0.0575, 0.3425), (9, 10, 3, 10, 0.2605, 0.9395), (5, 56, 0, 29, 0.0146, 0.1640)],
)
def test_newcombe_1998_method_1(x: int, m: int, y: int, n: int, low: float, high: float) -> None:
    d = normal_interval(x / m, m, y / n, n)
    assert (round(d.low or 0, 4), round(d.high or 0, 4)) == (low, high)


def test_aspirin_and_heart_attacks() -> None:
    """Agresti, Categorical Data Analysis (2002), physicians' health study: 189 of 11,034 and 104 of 11,037.

    Printed: difference .0077, standard error .0015, χ² = 25.01.
    """
    d = normal_interval(189 / 11034, 11034, 104 / 11037, 11037)
    assert round(d.value or 0, 4) == 0.0077
    assert round(((d.high or 0) - (d.low or 0)) / 2 / Z, 4) == 0.0015
    chi = stats.chi2_contingency([[189, 10845], [104, 10933]], correction=False)
    t = pooled_test(189 / 11034, 11034, 104 / 11037, 11037)
    assert round((t.statistic or 0) ** 2, 2) == 25.01
    assert ((t.statistic or 0) ** 2, t.p_value) == close((chi.statistic, chi.pvalue))


@pytest.mark.parametrize(
    ("a", "m", "b", "n", "printed"),
    [
        # Fisher, The Design of Experiments (1935): the lady who tasted tea; .243 one-sided.
        (3, 4, 1, 4, 0.486),
        (4, 4, 0, 4, 0.029),
        # Fisher, Statistical Methods for Research Workers: convictions of twins; as in the manual of R, fisher.test.
        (2, 17, 10, 13, 0.0005367),
    ],
)
def test_fisher(a: int, m: int, b: int, n: int, printed: float) -> None:
    p = fisher(a, m, b, n).p_value
    assert p == pytest.approx(printed, abs=0.5 * 10 ** -len(f"{printed:g}".partition(".")[2]))
    ways = [math.comb(m, x) * math.comb(n, a + b - x) for x in range(max(0, a + b - n), min(m, a + b) + 1)]
    mine = math.comb(m, a) * math.comb(n, b)
    assert p == close(float(Fraction(sum(w for w in ways if w <= mine), sum(ways))))


def test_zou_and_donner_2008_on_any_limits() -> None:
    """Zou and Donner, Statistics in Medicine 27 (2008), equation (7): with symmetric limits it is the sum of variances."""
    for a, s, b, t in ((0.8, 0.05, 0.6, 0.02), (3.0, 0.4, 2.0, 0.3)):
        ends = mover(a, b, Interval(a - Z * s, a + Z * s, ""), Interval(b - Z * t, b + Z * t, ""))
        assert ends == close((a - b - Z * math.hypot(s, t), a - b + Z * math.hypot(s, t)))


# ---- two or more on the same rows


def test_mcnemar_as_printed_by_agresti_and_bland() -> None:
    assert round(mcnemar(150, 86, "plain").statistic or 0, 2) == 17.36
    assert round(mcnemar(144, 256, "plain").statistic or 0, 2) == 31.36
    d = paired_share_difference(*PAIRED["prime minister"], method="Wald")
    # Printed: .944 of 1,600 less 880 of 1,600 is .04, standard error .0095, interval .02 to .06.
    assert d.value == close(0.04)
    assert round(((d.high or 0) - (d.low or 0)) / 2 / Z, 4) == 0.0095
    assert (round(d.low or 0, 2), round(d.high or 0, 2)) == (0.02, 0.06)


@pytest.mark.parametrize(
    ("name", "plain", "middle", "exact", "corrected"),
    # Fagerland, Lydersen, Laake (2013), to three decimals.
    [("airways", 0.034, 0.039, 0.070, 0.077), ("response", 0.033, 0.035, 0.052, 0.055)],
)
def test_mcnemar_as_printed_by_fagerland(
    name: str, plain: float, middle: float, exact: float, corrected: float
) -> None:
    _, b, c, _ = PAIRED[name]
    methods = {"plain": plain, "mid-p": middle, "exact": exact, "corrected": corrected}
    for method, printed in methods.items():
        assert mcnemar(b, c, method).p_value == pytest.approx(printed, abs=0.00051)


@pytest.mark.parametrize("name", list(PAIRED))
def test_mcnemar_against_scipy(name: str) -> None:
    _, b, c, _ = PAIRED[name]
    assert mcnemar(b, c).p_value == close(stats.binomtest(b, b + c).pvalue)
    point = stats.binom.pmf(min(b, c), b + c, 0.5)
    assert mcnemar(b, c, "mid-p").p_value == close(stats.binomtest(b, b + c).pvalue - point)
    assert mcnemar(b, c, "plain").p_value == close(stats.chi2.sf((b - c) ** 2 / (b + c), 1))


@pytest.mark.parametrize("name", list(PAIRED))
def test_intervals_of_paired_shares_written_out(name: str) -> None:
    """Newcombe, Statistics in Medicine 17 (1998), paired data, method 10; Agresti and Min, Statistics in Medicine 24 (2005)."""
    a, b, c, d = PAIRED[name]
    n = a + b + c + d
    (l1, u1), (l2, u2) = score_limits(a + b, n), score_limits(a + c, n)
    p, q = (a + b) / n, (a + c) / n
    lean = a * d - b * c
    phi = (max(lean - n / 2, 0) if lean > 0 else lean) / math.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    down, up = ((p - l1), (u2 - q)), ((u1 - p), (q - l2))
    size = [math.sqrt(x**2 - 2 * phi * x * y + y**2) for x, y in (down, up)]
    found = paired_share_difference(a, b, c, d)
    assert (found.low, found.high) == close((p - q - size[0], p - q + size[1]))
    more = [x + 0.5 for x in (a, b, c, d)]
    centre = (more[1] - more[2]) / sum(more)
    error = math.sqrt(((more[1] + more[2]) / sum(more) - centre**2) / sum(more))
    found = paired_share_difference(a, b, c, d, method="Agresti-Min")
    assert (found.low, found.high) == close((centre - Z * error, centre + Z * error))


@pytest.mark.parametrize(("patterns", "q", "p"), COCHRAN)
def test_cochran(patterns: dict[tuple[int, ...], int], q: float, p: float) -> None:
    t = cochran_q(patterns)
    assert t.statistic == pytest.approx(q, abs=0.5 * 10.0 ** -len(f"{q}".partition(".")[2]))
    assert t.p_value == pytest.approx(p, abs=0.51 * 10.0 ** -len(f"{p}".partition(".")[2]))
    rows = np.array([x for x, n in patterns.items() for _ in range(n)], dtype=float)
    # Friedman's test on 0 and 1, corrected for ties, is the same test.
    other = stats.friedmanchisquare(*rows.T) if rows.shape[1] > 2 else None
    assert other is None or (t.statistic, t.p_value) == close((other.statistic, other.pvalue))


# ---- areas


def ratings() -> tuple[Any, Any]:
    y = np.r_[np.zeros(58), np.ones(51)]
    return y, np.r_[np.repeat(np.arange(1, 6), NORMAL_RATINGS), np.repeat(np.arange(1, 6), ABNORMAL_RATINGS)]


def test_hanley_and_mcneil_1982() -> None:
    """Printed area .893; their formula then gives a standard error of .0325."""
    y, x = ratings()
    a = paired_areas(y, [x])
    assert round(float(a.values[0]), 3) == 0.893
    assert math.sqrt(hanley_mcneil(float(a.values[0]), 51, 58)) == pytest.approx(0.0325, abs=1e-4)
    assert float(a.values[0]) == close(stats.mannwhitneyu(x[y == 1], x[y == 0]).statistic / (51 * 58))


def test_delong_1988_over_all_pairs() -> None:
    """DeLong, DeLong, Clarke-Pearson, Biometrics 44 (1988), their formula over all pairs of rows, for three readers."""
    y, x = ratings()
    rng = np.random.default_rng(1)
    readers = [x, np.clip(x + rng.integers(-1, 2, len(x)), 1, 5), rng.permutation(x)]
    p, n = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    wins = np.array([[[(r[i] > r[j]) + (r[i] == r[j]) / 2 for j in n] for i in p] for r in readers])
    area = wins.mean(axis=(1, 2))
    v10, v01 = wins.mean(axis=2), wins.mean(axis=1)
    covariance = np.cov(v10) / len(p) + np.cov(v01) / len(n)
    found = paired_areas(y, readers)
    assert found.values == close(area)
    assert found.covariance == close(covariance)
    z = (area[0] - area[1]) / math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert area_difference(found, 0, 1).p_value == close(2 * stats.norm.sf(abs(z)))
    contrast = np.array([[1, -1, 0], [1, 0, -1]])
    gap = contrast @ area
    chi = gap @ np.linalg.solve(contrast @ covariance @ contrast.T, gap)
    assert (areas_test(found).statistic, areas_test(found).p_value) == close((chi, stats.chi2.sf(chi, 2)))


# ---- folds and pairs


def test_darwins_maize() -> None:
    """Printed by Fisher: mean 20.93, t = 2.148, just beyond the 5 per cent point 2.145."""
    t = paired_t(DARWIN)
    assert (round(t.value or 0, 2), round(t.statistic or 0, 3)) == (20.93, 2.148)
    assert round(float(stats.t.ppf(0.975, 14)), 3) == 2.145 and t.verdict == "better"
    w = wilcoxon(DARWIN)
    other = stats.wilcoxon(DARWIN, method="exact")
    assert w.p_value == close(other.pvalue)
    assert 120 - (w.statistic or 0) == close(other.statistic)


def test_students_sleep() -> None:
    """In the manual of R, t.test: t = −4.0621 with 9 degrees of freedom, p = .002833, interval −2.4598858 to −0.7001142."""
    t = paired_t(np.subtract(*SLEEP))
    assert (round(t.statistic or 0, 4), round(t.p_value or 0, 6)) == (-4.0621, 0.002833)
    assert (round(t.low or 0, 7), round(t.high or 0, 7)) == (-2.4598858, -0.7001142)


def test_hamilton_depression() -> None:
    """Printed: V = 40, one-sided p = .01953."""
    w = wilcoxon(np.subtract(*DEPRESSION))
    assert w.statistic == 40
    assert w.p_value == close(2 * 0.01953125)


def test_arbuthnot_1710() -> None:
    """More boys than girls were christened in all of 82 years: one-sided (1/2)⁸²."""
    assert sign_test([1.0] * 82).p_value == close(2.0**-81)


def test_dietterich_1998_and_alpaydin_1999_by_hand() -> None:
    """Neural Computation 10 (1998) and 11 (1999), in fractions; the 5 per cent points are 2.571 and 4.74."""
    d = [[Fraction(str(x)) for x in row] for row in FIVE]
    within = sum((a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2 for a, b in d)
    t = float(d[0][0]) / math.sqrt(within / 5)
    f = float(sum(x * x for row in d for x in row) / (2 * within))
    found = five_by_two_t(FIVE)
    assert (found.statistic, found.p_value) == close((t, 2 * stats.t.sf(t, 5)))
    assert round(((found.high or 0) - (found.value or 0)) / math.sqrt(within / 5), 3) == 2.571
    found = five_by_two_f(FIVE)
    assert (found.statistic, found.p_value) == close((f, stats.f.sf(f, 10, 5)))
    # The interval ends where F of the differences less its end is at the 5 per cent point.
    at = np.array(FIVE) - (found.high or 0)
    assert round(float((at**2).sum() / (2 * float(within))), 2) == 4.74


def test_nadeau_and_bengio_2003_by_hand() -> None:
    """Machine Learning 52 (2003): the plain t over √(1 + J n₂/n₁); and Corani and Benavoli's posterior (2015) is that t."""
    d = np.array(FIVE).ravel()
    plain = stats.ttest_1samp(d, 0.0).statistic
    found = corrected_t(d, 1 / 9)
    t = plain / math.sqrt(1 + 10 / 9)
    assert (found.statistic, found.p_value) == close((t, 2 * stats.t.sf(t, 9)))
    scale = d.mean() / t
    posterior = correlated_bayes(d, 1 / 9, rope=0.01)
    assert (posterior.left, posterior.right) == close(
        (stats.t.cdf(-0.01, 9, d.mean(), scale), stats.t.sf(0.01, 9, d.mean(), scale))
    )


# ---- many models, many data sets


def test_conovers_grasses() -> None:
    """Printed: rank sums 38, 23.5, 24.5, 34; T₁ = 8.097 with a correction for ties, Iman and Davenport's T₂ = 3.19."""
    r = friedman(CONOVER, better="lower")
    assert [12 * x for x in r.ranks] == close([38, 23.5, 24.5, 34])
    assert (round(r.chi_square, 3), round(r.f or 0, 2), r.freedom) == (8.097, 3.19, (3, 33))
    other = stats.friedmanchisquare(*np.array(CONOVER).T)
    assert (r.chi_square, r.chi_square_p) == close((other.statistic, other.pvalue))
    f = 11 * other.statistic / (12 * 3 - other.statistic)
    assert (r.f, r.f_p) == close((f, stats.f.sf(f, 3, 33)))


def test_hollander_and_wolfes_bases() -> None:
    """Printed: χ² = 11.143 with 2 degrees of freedom, p = .003805."""
    r = friedman(BASES, better="lower")
    assert (round(r.chi_square, 3), round(r.chi_square_p, 6)) == (11.143, 0.003805)


def test_demsars_wilcoxon() -> None:
    """Printed: R⁺ = 93, R⁻ = 12, the ranks of zeros split; below the critical value 21 for 14 data sets."""
    w = wilcoxon(np.subtract(*MEANS_OF_TREES[::-1]), zeros="split")
    assert w.statistic == 93
    assert w.verdict == "better"


@pytest.mark.parametrize("alpha", [0.05, 0.10])
def test_demsars_critical_values(alpha: float) -> None:
    """All right but one: for nine models and 5 per cent Bonferroni and Dunn's value is 2.734, where 2.724 is printed."""
    for k, nemenyi, dunn in zip(range(2, 11), NEMENYI[alpha], BONFERRONI_DUNN[alpha], strict=True):
        q = range_quantile(1 - alpha, k) / math.sqrt(2)
        # Some were rounded up from the third digit of a printed table.
        assert q == pytest.approx(nemenyi, abs=0.0011)
        values = np.random.default_rng(k).normal(size=(12, k))
        r = friedman(values, confidence=1 - alpha)
        error = math.sqrt(k * (k + 1) / (6 * 12))
        assert r.critical_difference == close(q * error)
        z = r.control_difference / error
        assert z == close(stats.norm.ppf(1 - alpha / 2 / (k - 1)))
        assert (round(z, 3) == dunn) == ((alpha, k) != (0.05, 9))
    exact = stats.studentized_range.ppf(1 - alpha, 5, np.inf) / math.sqrt(2)
    assert range_quantile(1 - alpha, 5) / math.sqrt(2) == pytest.approx(exact, abs=1e-6)


# ---- many p-values


def test_benjamini_and_hochberg_1995() -> None:
    """Printed: at 5 per cent Bonferroni finds three, their procedure four."""
    found = benjamini_hochberg(FINDINGS)
    assert sum(p <= 0.05 for p in found if p is not None) == 4
    assert sum(p <= 0.05 for p in bonferroni(FINDINGS) if p is not None) == 3
    assert sum(p <= 0.05 for p in holm(FINDINGS) if p is not None) == 3
    assert sum(p <= 0.05 for p in hochberg(FINDINGS) if p is not None) == 3
    assert found == close(stats.false_discovery_control(FINDINGS).tolist())


def test_holm_1979_and_hochberg_1988_step_by_step() -> None:
    """Each is told by what it rejects: from the smallest p-value on, or from the largest back."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        p = np.round(rng.random(7) ** 3, 3)
        order = np.sort(p)
        down, up = np.array(holm(p)), np.array(hochberg(p))
        for alpha in np.linspace(0.011, 0.31, 12):
            fine = order <= alpha / (7 - np.arange(7))
            holm_many = int(np.argmin(fine)) if not fine.all() else 7
            hochberg_many = int(np.flatnonzero(fine)[-1]) + 1 if fine.any() else 0
            assert (int((down <= alpha).sum()), int((up <= alpha).sum())) == (holm_many, hochberg_many)


def test_shaffer_1986() -> None:
    """Printed: S(3) = {0, 1, 3}, S(4) = {0, 1, 2, 3, 6}, S(5) = {0, 1, 2, 3, 4, 6, 10}; and all ways to group six models."""
    assert [true_together(k) for k in (3, 4, 5)] == [(0, 1, 3), (0, 1, 2, 3, 6), (0, 1, 2, 3, 4, 6, 10)]
    groups = {sum(math.comb(g.count(x), 2) for x in set(g)) for g in product(range(6), repeat=6)}
    assert true_together(6) == tuple(sorted(groups))
    # Four models: factors 6, 3, 3, 3, 2, 1.
    p = [0.001, 0.004, 0.010, 0.015, 0.018, 0.030]
    assert shaffer(p, 4) == close([0.006, 0.012, 0.030, 0.045, 0.045, 0.045])
