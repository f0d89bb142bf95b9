"""Label-makers on the same rows: tests against SciPy and enumeration, intervals against published examples and coverage."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, binomtest, chi2

from steelyard.comparisons.labels import (
    ALIKE,
    INTERVALS,
    TESTS,
    cochran_q,
    mcnemar,
    paired_counts,
    paired_share_difference,
)
from steelyard.errors import BadLevels, EmptyTable, LengthsDiffer, UsageError

# ---- McNemar


def test_exact_is_the_two_sided_binomial_test() -> None:
    for b, c in product(range(13), repeat=2):
        if b + c:
            assert mcnemar(b, c).p_value == pytest.approx(binomtest(b, b + c).pvalue, abs=1e-12)


def test_mid_p_takes_off_half_a_point_on_each_side() -> None:
    for b, c in product(range(13), repeat=2):
        if b + c and b != c:
            exact, point = binomtest(b, b + c).pvalue, binom.pmf(min(b, c), b + c, 0.5)
            assert mcnemar(b, c, "mid-p").p_value == pytest.approx(exact - point, abs=1e-12)
    assert mcnemar(6, 6, "mid-p").p_value == 1


def test_prime_minister_as_agresti_prints_it() -> None:
    """Agresti, Categorical Data Analysis: 150 changed from approval to disapproval, 86 the other way; z² = 17.36."""
    plain, corrected = mcnemar(150, 86, "plain"), mcnemar(150, 86, "corrected")
    assert plain.statistic == pytest.approx(64**2 / 236)
    assert plain.p_value == pytest.approx(chi2.sf(64**2 / 236, 1), rel=1e-12)
    assert corrected.statistic == pytest.approx(63**2 / 236)
    assert (plain.freedom, corrected.freedom) == (1, 1)


def test_many_rows_are_no_trouble() -> None:
    # Where the normal approximation is right to many digits, so is the exact test.
    b, c = 500_500_000, 499_500_000
    far = mcnemar(50_050, 49_950).p_value
    assert far == pytest.approx(binomtest(50_050, 100_000).pvalue, rel=1e-9)
    assert 0 <= (mcnemar(b, c).p_value or 0) < 1e-200 or math.isfinite(mcnemar(b, c).p_value or 0)


def test_order_of_models_does_not_matter_and_no_discordant_row_says_nothing() -> None:
    for method in TESTS:
        assert mcnemar(3, 9, method).p_value == mcnemar(9, 3, method).p_value
        none = mcnemar(0, 0, method)
        assert (none.p_value, none.note) == (1, ALIKE)


def test_errors_of_the_first_kind_by_enumeration() -> None:
    """Over all outcomes of n discordant rows: exact never errs more than it says, mid-p about as often as it says."""
    worst, usual = {}, {}
    for method in ("exact", "mid-p"):
        errs = []
        for n in range(5, 80):
            p = np.array([mcnemar(b, n - b, method).p_value for b in range(n + 1)])
            errs.append(float(binom.pmf(np.arange(n + 1), n, 0.5)[p <= 0.05].sum()))
        worst[method], usual[method] = max(errs), float(np.mean(errs))
    assert worst["exact"] <= 0.05
    assert worst["mid-p"] <= 0.08
    assert usual["exact"] < 0.035 < 0.045 < usual["mid-p"] < 0.055


def test_only_rows_are_counted() -> None:
    with pytest.raises(UsageError, match=r"counts rows, and 2\.5 is no number of rows"):
        mcnemar(2.5, 3)
    with pytest.raises(UsageError, match=r"counts rows, and 1\.5 is no number of rows"):
        paired_counts([1, 0], [1, 1], [0, 0], copies=[1.5, 2.0])
    assert paired_counts([1, 0], [1, 1], [0, 0], copies=[3, 2]) == paired_counts([1] * 3 + [0] * 2, [1] * 5, [0] * 5)
    with pytest.raises(UsageError, match='no variant "midp"'):
        mcnemar(1, 2, "midp")
    with pytest.raises(LengthsDiffer, match="2, 1 and 2"):
        paired_counts([1, 0], [1], [0, 0])


def test_counts_are_those_of_the_rows() -> None:
    rng = np.random.default_rng(3)
    y, a, b = rng.integers(0, 3, (3, 200))
    c = paired_counts(y, a, b)
    assert c.rows == 200
    assert (c.both, c.first, c.second, c.neither) == (
        sum(t == i == j for t, i, j in zip(y, a, b, strict=True)),
        sum(t == i != j for t, i, j in zip(y, a, b, strict=True)),
        sum(t == j != i for t, i, j in zip(y, a, b, strict=True)),
        sum(t not in (i, j) for t, i, j in zip(y, a, b, strict=True)),
    )


# ---- the interval


def newcombe_by_hand(a: int, b: int, c: int, d: int, z: float) -> tuple[float, float]:
    """Written again from the paper: e, f, g, h are the marginal totals."""
    n = a + b + c + d

    def wilson(x: int) -> tuple[float, float]:
        root = z * math.sqrt(z * z + 4 * x * (n - x) / n)
        return (2 * x + z * z - root) / (2 * (n + z * z)), (2 * x + z * z + root) / (2 * (n + z * z))

    p1, p2 = (a + b) / n, (a + c) / n
    (l1, u1), (l2, u2) = wilson(a + b), wilson(a + c)
    bottom = math.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    top = a * d - b * c
    top = 0 if 0 <= top <= n / 2 else top - n / 2 if top > 0 else top
    phi = top / bottom if bottom else 0.0
    low = math.sqrt((p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2)
    high = math.sqrt((u1 - p1) ** 2 - 2 * phi * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2)
    return p1 - p2 - low, p1 - p2 + high


def test_newcombe_written_twice() -> None:
    rng = np.random.default_rng(1)
    for cells in [*rng.integers(0, 40, (200, 4)).tolist(), [0, 3, 0, 0], [5, 0, 0, 0], [0, 0, 0, 7], [20, 12, 2, 16]]:
        if not sum(cells):
            continue
        d = paired_share_difference(*cells)
        low, high = newcombe_by_hand(*cells, 1.959963984540054)
        assert (d.low, d.high) == pytest.approx((max(low, -1), min(high, 1)), abs=1e-9)
        assert d.value == pytest.approx((cells[1] - cells[2]) / sum(cells))


def test_newcombe_as_printed() -> None:
    """Newcombe (1998), table II, method 10: 36 both, 12 and 2 discordant, 0 neither: +0.0569 to +0.3404."""
    d = paired_share_difference(36, 12, 2, 0)
    assert (round(d.low or 0, 4), round(d.high or 0, 4)) == (0.0569, 0.3404)


def test_wald_and_agresti_min_by_formula() -> None:
    a, b, c, d, z = 20, 12, 2, 16, 1.959963984540054
    wald = paired_share_difference(a, b, c, d, method="Wald")
    half = z * math.sqrt((14 - 100 / 50) / 2500)
    assert (wald.low, wald.high) == pytest.approx((0.2 - half, 0.2 + half))
    added = paired_share_difference(a, b, c, d, method="Agresti-Min")
    half = z * math.sqrt((15 - 100 / 52) / 52**2)
    assert (added.low, added.high) == pytest.approx((10 / 52 - half, 10 / 52 + half))


@pytest.mark.parametrize("method", INTERVALS)
def test_turned_round_it_is_the_same(method: str) -> None:
    rng = np.random.default_rng(2)
    for a, b, c, d in rng.integers(0, 30, (50, 4)).tolist():
        one, two = (
            paired_share_difference(a, b, c, d + 1, method=method),
            paired_share_difference(a, c, b, d + 1, method=method),
        )
        assert (one.low, one.high) == pytest.approx((-(two.high or 0), -(two.low or 0)), abs=1e-12)
        assert (one.p_value, one.statistic) == (two.p_value, -(two.statistic or 0))
        assert -1 <= (one.low or 0) <= (one.value or 0) <= (one.high or 0) <= 1 or method == "Agresti-Min"


def test_coverage_by_enumeration() -> None:
    """All tables of 25 rows with the chances of four settings: Newcombe's interval covers in 93% to 99.5%."""
    n = 25
    tables = [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]
    told = [paired_share_difference(*t) for t in tables]
    ends = np.array([(d.low, d.high) for d in told])
    counts = np.array(tables)
    logs = np.array([math.lgamma(n + 1) - sum(math.lgamma(x + 1) for x in t) for t in tables])
    for chances in ((0.7, 0.1, 0.1, 0.1), (0.6, 0.25, 0.05, 0.1), (0.3, 0.2, 0.2, 0.3), (0.85, 0.05, 0.05, 0.05)):
        weight = np.exp(logs + counts @ np.log(chances))
        true = chances[1] - chances[2]
        covered = float(weight[(ends[:, 0] <= true) & (true <= ends[:, 1])].sum())
        assert 0.93 <= covered <= 0.995, chances


def test_verdict_follows_the_sense_of_the_measure_and_disagreement_is_said() -> None:
    assert paired_share_difference(50, 30, 5, 15).verdict == "better"
    assert paired_share_difference(50, 30, 5, 15, better="lower").verdict == "worse"
    said = [paired_share_difference(40, b, c, 20) for b, c in product(range(25), repeat=2)]
    odd = [d for d in said if ((d.p_value or 0) < 0.05) == ((d.low or 0) <= 0 <= (d.high or 0))]
    assert odd
    assert all("disagree narrowly" in d.note for d in odd)
    assert all(0.02 < (d.p_value or 0) < 0.1 for d in odd)


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(EmptyTable):
        paired_share_difference(0, 0, 0, 0)
    with pytest.raises(UsageError, match="above 0 and below 1, and 95"):
        paired_share_difference(5, 1, 2, 3, confidence=95)
    with pytest.raises(UsageError, match='"Newcombe", "Wald", "Agresti-Min"'):
        paired_share_difference(5, 1, 2, 3, method="Tango")


# ---- Cochran


def test_two_models_are_mcnemar() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        table = rng.integers(0, 2, (40, 2))
        b, c = int((table[:, 0] > table[:, 1]).sum()), int((table[:, 0] < table[:, 1]).sum())
        q, plain = cochran_q(table), mcnemar(b, c, "plain")
        assert q.statistic == pytest.approx(plain.statistic)
        assert q.p_value == pytest.approx(plain.p_value)


def test_patterns_are_rows_and_the_formula_is_the_sum_of_squares() -> None:
    rng = np.random.default_rng(5)
    table = rng.random((60, 4)) < [0.5, 0.6, 0.7, 0.65]
    patterns: dict[tuple[int, ...], int] = {}
    for row in table.astype(int).tolist():
        patterns[tuple(row)] = patterns.get(tuple(row), 0) + 1
    q = cochran_q(table)
    assert cochran_q(patterns) == q
    assert cochran_q({"".join(map(str, k)): v for k, v in patterns.items()}) == q
    # Cochran's own form: deviations of column totals.
    right, each, k = table.sum(axis=0), table.sum(axis=1), 4
    by_hand = k * (k - 1) * ((right - right.mean()) ** 2).sum() / (k * each.sum() - (each**2).sum())
    assert q.statistic == pytest.approx(by_hand)
    assert q.p_value == pytest.approx(chi2.sf(by_hand, 3))


def test_cochran_against_permutations_within_rows() -> None:
    rng = np.random.default_rng(6)
    table = (rng.random((40, 3)) < [0.5, 0.6, 0.75]).astype(int)
    q = cochran_q(table)
    found = [cochran_q(rng.permuted(table, axis=1)).statistic or 0 for _ in range(1500)]
    assert float(np.mean(np.array(found) >= (q.statistic or 0) - 1e-9)) == pytest.approx(q.p_value, abs=0.04)


def test_cochran_refuses_and_says_alike() -> None:
    same = cochran_q(np.ones((5, 3)))
    assert (same.p_value, same.note) == (1, ALIKE)
    with pytest.raises(BadLevels, match="1 or 0"):
        cochran_q([[0, 2], [1, 1]])
    with pytest.raises(UsageError, match="two models or more, and 1 came"):
        cochran_q([[0], [1]])
    with pytest.raises(LengthsDiffer):
        cochran_q({(1, 0): 3, (1, 0, 1): 2})
    with pytest.raises(EmptyTable):
        cochran_q(np.zeros((0, 2)))
