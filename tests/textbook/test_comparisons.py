"""Printed examples of Tan, Steinbach, Kumar, Introduction to Data Mining, chapter 4: the comparison of two models.

Intervals of one accuracy are read here from counts alone; test_tan.py reads them from an evaluation.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

import steelyard as sy
from steelyard.comparisons.folds import corrected_t, paired_t
from steelyard.comparisons.independent import NORMAL, difference
from steelyard.comparisons.shares import fisher, newcombe_interval, normal_interval, pooled_test
from steelyard.errors import UsageError
from steelyard.intervals.proportions import wilson

from . import printed
from .reading import exactly, rounds_to

M1, M2 = (0.15, 30), (0.25, 5000)
"""Error rates and test instances of the two models."""


# --- an interval for accuracy ----------------------------------------------------------------------------------------

RIGHT = {
    50: ("0.66963", "0.88756"),
    100: ("0.71117", "0.86663"),
    500: ("0.76271", "0.83272"),
    1000: ("0.77408", "0.82362"),
    5000: ("0.78868", "0.81086"),
}


@pytest.mark.parametrize("n", list(RIGHT))
def test_score_interval_row_by_row(n: int) -> None:
    """Printed lower limits .670 .711 .763 .774 .789, all right; upper .888 .866 .833 .824 .811, where .866 should be .867."""
    low, high = (float(x) for x in wilson(0.8 * n, n, 1.96))
    # With the page's Z of 1.96 in place of 1.959964 nothing changes in five digits but the last.
    assert low == pytest.approx(float(RIGHT[n][0]), abs=1.1e-5)
    assert high == pytest.approx(float(RIGHT[n][1]), abs=1.1e-5)
    lower, upper = printed.ACCURACY_LIMITS[n]
    assert rounds_to(low, lower)
    assert rounds_to(high, upper) == (n != 100)
    assert n != 100 or rounds_to(high, "0.867")


def test_call_out_of_the_score_interval() -> None:
    """Printed 71.1 and 86.7 per cent for 80 of 100; both right, and at odds with the .866 of the table beside it."""
    low, high = (100 * float(x) for x in wilson(80.0, 100.0, NORMAL.inv_cdf(0.975)))
    assert rounds_to(low, "71.1")
    assert rounds_to(high, "86.7")
    assert not rounds_to(high, "86.6")


@pytest.mark.parametrize(
    ("confidence", "right"), [(0.99, "2.5758"), (0.98, "2.3263"), (0.95, "1.9600"), (0.90, "1.6449")]
)
def test_table_of_z(confidence: float, right: str) -> None:
    """Printed 2.58, 2.33, 1.96, 1.65; the last is 1.6449 and rounds to 1.64.

    Read from the interval of two shares: its half-width over the root of the variance.
    """
    d = normal_interval(*M1, *M2, confidence)
    assert d.high is not None and d.value is not None
    z = (d.high - d.value) / sqrt(0.0042875)
    assert rounds_to(z, right)
    assert rounds_to(z, printed.NORMAL_QUANTILES[confidence]) == (confidence != 0.90)
    assert confidence != 0.90 or rounds_to(z, "1.64")


# --- two models on test sets of their own ----------------------------------------------------------------------------


def test_variance_of_the_difference() -> None:
    """Printed .0043; right, and .0042875 to the end."""
    d = normal_interval(*M1, *M2)
    assert d.high is not None and d.value is not None
    variance = ((d.high - d.value) / NORMAL.inv_cdf(0.975)) ** 2
    assert variance == exactly(0.0042875)
    assert rounds_to(variance, "0.0043")


def test_interval_of_the_difference() -> None:
    """Printed d = .100 ± .128; right: .12834. From the printed variance .0043 it would be .1285, which rounds to .129."""
    d = normal_interval(*M2, *M1, measure="error_rate", better="lower", names=("M2", "M1"))
    assert d.value is not None and d.low is not None and d.high is not None
    assert rounds_to(d.value, "0.100")
    assert rounds_to((d.high - d.low) / 2, "0.12834")
    assert rounds_to(1.96 * sqrt(0.0043), "0.1285") and rounds_to(1.96 * sqrt(0.0043), "0.129")
    assert d.low < 0 < d.high
    assert d.verdict == "no clear difference"
    assert d.method == "normal, variances added"


def test_the_sign_of_the_difference_is_kept() -> None:
    """Printed d = |e2 − e1|, which loses what d = e1 − e2 says: M1 has the lower error rate."""
    here, there = normal_interval(*M1, *M2), normal_interval(*M2, *M1)
    assert here.value == exactly(-0.1)
    assert there.value == exactly(0.1)
    assert here.low == pytest.approx(-(there.high or 0), abs=1e-15)
    assert here.p_value == exactly(there.p_value or 0)


def test_the_statistic_and_p_value_the_page_leaves_out() -> None:
    """Not printed: z = 1.5272, p = .1267; with the pooled variance z = 1.2621."""
    d = normal_interval(*M2, *M1)
    assert rounds_to(d.statistic, "1.5272")
    assert rounds_to(d.p_value, "0.1267")
    pooled = pooled_test(*M2, *M1)
    assert rounds_to(pooled.statistic, "1.2621")
    assert pooled.p_value == pytest.approx(2 * stats.norm.sf(pooled.statistic), rel=1e-12)


def test_85_per_cent_of_30_is_no_count() -> None:
    """Printed accuracy 85 per cent of 30 instances, which is 25.5: no exact test can be made of it.

    With 5 errors Fisher's p is .398, with 4 it is .202; M2 has 1250 errors of 5000 either way.
    """
    with pytest.raises(UsageError, match="no number of rows"):
        fisher(0.15 * 30, 30, 1250, 5000)
    for errors, p in ((5, "0.398"), (4, "0.202")):
        assert rounds_to(fisher(errors, 30, 1250, 5000).p_value, p)
        assert fisher(errors, 30, 1250, 5000).p_value == pytest.approx(
            stats.fisher_exact([[errors, 30 - errors], [1250, 3750]]).pvalue, rel=1e-9
        )


def test_newcombe_says_the_same_of_whole_counts() -> None:
    """With 5 or 4 errors of 30 the better interval holds zero too, and is what two evaluations give."""
    for errors in (4, 5):
        d = newcombe_interval(errors / 30, 30, 0.25, 5000)
        assert d.low is not None and d.high is not None
        assert d.low < 0 < d.high
        e, f = (
            sy.evaluate(target=[1] * n, prediction=[0] * x + [1] * (n - x), levels=[0, 1])
            for x, n in ((errors, 30), (1250, 5000))
        )
        same = difference(e, f, "error_rate")
        assert (d.value, d.low, d.high) == pytest.approx((same.value, same.low, same.high), abs=1e-12)
        assert d.p_value == pytest.approx(same.p_value, abs=1e-6)


# --- two algorithms on k folds ---------------------------------------------------------------------------------------

FOLDS = [0.03, -0.01, 0.04, 0.02, 0.05, 0.00, 0.01, 0.03, 0.02, 0.06]
"""Ten differences; the page gives the formula and no data."""


def test_interval_of_k_paired_folds() -> None:
    """Printed d_t = d ± t(1 − α, k − 1) σ_t; it needs the mean of d, and t(1 − α/2, k − 1): 2.262 for ten folds, not 1.833."""
    d = np.array(FOLDS)
    found = paired_t(FOLDS, 0.95)
    assert found.value is not None and found.low is not None and found.high is not None
    # The page's estimator, with the divisor k (k − 1), is the variance of the mean.
    error = sqrt(((d - d.mean()) ** 2).sum() / (10 * 9))
    assert found.value == exactly(d.mean())
    quantile = (found.high - found.low) / 2 / error
    assert rounds_to(quantile, "2.262")
    assert not rounds_to(quantile, "1.833")
    assert rounds_to(stats.t.ppf(0.95, 9), "1.833")
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 9, d.mean(), error), rel=1e-12)


def test_folds_share_their_training_rows() -> None:
    """The page's interval is too short: the corrected one is wider by √(1 + k / (k − 1)) for k folds, and says so."""
    plain, right = paired_t(FOLDS), corrected_t(FOLDS, 1 / 9)
    assert "too short" in plain.method
    widths = [(x.high or 0) - (x.low or 0) for x in (plain, right)]
    assert widths[1] / widths[0] == exactly(sqrt(1 + 10 / 9))
    assert right.value == plain.value
