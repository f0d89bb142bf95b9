"""Two models on the same folds: the difference of their values, with tests that know that folds share their training rows.

Everywhere d is one difference a fold, first − second. Folds in which one of the two has no value are left out and counted.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.comparisons.labels import About, read_about
from steelyard.comparisons.rounding import slack
from steelyard.comparisons.shared_rows import numbers_of
from steelyard.comparisons.signed_ranks import FIRST_LESS_SECOND
from steelyard.errors import LengthsDiffer, UsageError
from steelyard.results import Array, Difference
from steelyard.verdicts.comparison import TOO_FEW, UNCLEAR, likeliest, verdict_word
from steelyard.words import percent, significant

TOO_SHORT = "paired t (too short: folds share training data)"
CORRECTED = "corrected resampled t"
FIVE_BY_TWO_T = "5×2 cross-validated t"
FIVE_BY_TWO_F = "5×2 cross-validated F"
CORRELATED = "Bayesian correlated t"
ALIKE = "the two are alike in every fold, so the spread between folds is not known"
SAME = "every fold gave the same difference, so the spread between folds is not known"
NUMBERS = "Differences must be numbers, one for each fold."
FEW = 5
"""With fewer folds than these a word is added."""


def paired_t(d: npt.ArrayLike, confidence: float = 0.95, **about: Unpack[About]) -> Difference:
    """The paired t-test as textbooks print it, as if folds were independent: shown for comparison only.

    mean(d) ± t_{1 − α/2, k − 1} · s / √k

    >>> print(paired_t([0.02, 0.03, 0.01, 0.04, 0.02]))
    0.024 [0.010, 0.038]

    Tan, Steinbach and Kumar, Introduction to Data Mining (2005), with the mean of d and the upper α/2 quantile.
    """
    return _t(d, 0.0, confidence, TOO_SHORT, about)


def corrected_t(d: npt.ArrayLike, ratio: float, confidence: float = 0.95, **about: Unpack[About]) -> Difference:
    """The paired t-test with the variance that allows for training rows shared between folds; the usual choice.

    t = mean(d) / (s · √(1/J + ratio)) with J − 1 degrees of freedom, where ratio = n_test / n_train: 1/9 for ten folds.
    Over ten repeats of ten folds it found a difference between equal models in 3% to 5% of samples for linear learners and
    in 10% to 11% for nearest neighbours, whose mistakes folds share; over ten folds alone in 0% to 4%
    (docs/studies/comparisons_folds.py).

    >>> c = corrected_t([0.02, 0.03, 0.01, 0.04, 0.00], 1 / 4)
    >>> print(c, c.verdict, round(c.p_value, 3))
    0.020 [−0.009, 0.049] no clear difference 0.132

    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52 (2003).
    """
    _check_ratio(ratio)
    return _t(d, ratio, confidence, CORRECTED, about)


def _t(d: npt.ArrayLike, ratio: float, confidence: float, method: str, about: About) -> Difference:
    from scipy.special import stdtr, stdtrit

    found, gone = _kept(d)
    told = _Told(about, confidence, method, found, gone)
    if (why := told.unclear()) is not None:
        return why
    error = float(found.std(ddof=1)) * math.sqrt(1 / found.size + ratio)
    value = float(found.mean())
    half = float(stdtrit(found.size - 1, 0.5 + confidence / 2)) * error
    p = 2 * float(stdtr(found.size - 1, -abs(value) / error))
    few = f"{found.size} folds only: the test rests on the normal shape of the differences" if found.size < FEW else ""
    return told.said(value, value - half, value + half, value / error, p, few)


# Five times two folds -------------------------------------------------------------------------------------------------


def five_by_two_t(d: npt.ArrayLike, confidence: float = 0.95, **about: Unpack[About]) -> Difference:
    """Dietterich's test on five repeats of two folds, d of the shape (5, 2).

    t = d₁₁ / √(Σ s_i² / 5) with 5 degrees of freedom, where s_i² = (d_i1 − m_i)² + (d_i2 − m_i)² and m_i is the mean of
    repeat i. The value is d₁₁, the first fold's difference, since the test and its interval are about that one.

    >>> c = five_by_two_t([[0.04, 0.02], [0.03, 0.05], [0.02, 0.03], [0.05, 0.03], [0.03, 0.02]])
    >>> print(c, round(c.statistic, 2), round(c.p_value, 3))
    0.040 [0.010, 0.070] 3.38 0.02

    Dietterich, Approximate statistical tests for comparing supervised classification learning algorithms, Neural
    Computation 10 (1998).
    """
    from scipy.special import stdtr, stdtrit

    found, gone = _kept(_five_by_two(d))
    told = _Told(about, confidence, FIVE_BY_TWO_T, found, gone, all_of=10)
    if (why := told.unclear()) is not None:
        return why
    table = found.reshape(5, 2)
    error = math.sqrt(_within(table) / 5)
    if error == 0:
        return told.no_spread()
    value = float(table[0, 0])
    half = float(stdtrit(5, 0.5 + confidence / 2)) * error
    p = 2 * float(stdtr(5, -abs(value) / error))
    note = (
        f"the value is the first fold's, as the test has it; the mean of all ten is {significant(float(found.mean()))}"
    )
    return told.said(value, value - half, value + half, value / error, p, note)


def five_by_two_f(d: npt.ArrayLike, confidence: float = 0.95, **about: Unpack[About]) -> Difference:
    """Alpaydin's test on five repeats of two folds, d of the shape (5, 2), which does not hang on one fold.

    F = Σ d_ij² / (2 Σ s_i²) with 10 and 5 degrees of freedom. The interval holds every difference that, taken off all ten,
    leaves F unremarkable: mean(d) ± √((2 F_{1 − α} Σ s_i² − Σ (d_ij − mean(d))²) / 10).

    >>> c = five_by_two_f([[0.04, 0.02], [0.03, 0.05], [0.02, 0.03], [0.05, 0.03], [0.03, 0.02]])
    >>> print(c, round(c.statistic, 2), round(c.p_value, 3))
    0.032 [0.009, 0.055] 8.14 0.016

    Alpaydin, Combined 5×2 cv F test for comparing supervised classification learning algorithms, Neural Computation 11
    (1999).
    """
    from scipy.special import fdtrc, fdtri

    found, gone = _kept(_five_by_two(d))
    told = _Told(about, confidence, FIVE_BY_TWO_F, found, gone, all_of=10)
    if (why := told.unclear()) is not None:
        return why
    within = _within(found.reshape(5, 2))
    if within == 0:
        return told.no_spread()
    value = float(found.mean())
    statistic = float((found**2).sum()) / (2 * within)
    p = float(fdtrc(10, 5, statistic))
    room = 2 * within * float(fdtri(10, 5, confidence)) - float(((found - value) ** 2).sum())
    if room < 0:
        note = "the repeats differ more than their folds, so no difference fits all ten and there is no interval"
        return told.said(value, None, None, statistic, p, note)
    half = math.sqrt(room / 10)
    return told.said(value, value - half, value + half, statistic, p)


def _five_by_two(d: npt.ArrayLike) -> Array:
    found = numbers_of(d, NUMBERS, FIRST_LESS_SECOND)
    if found.shape != (5, 2):
        message = f"This test needs five repeats of two folds, and differences of the shape {found.shape} came."
        raise LengthsDiffer(message, "Use KFold(2, repeats=5), or the corrected t for other designs.")
    return found


def _within(table: Array) -> float:
    """The squares within repeats: (a − m)² + (b − m)² is (a − b)² / 2."""
    return float(((table[:, 0] - table[:, 1]) ** 2).sum()) / 2


# Bayes ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Posterior:
    """How likely the difference is below, inside or above a region of practical equivalence, given the data."""

    left: float | None
    """The chance that first − second lies below the region."""
    rope: float | None
    right: float | None
    low: float | None
    high: float | None
    """Ends of the credible interval, where there is one."""
    value: float | None
    method: str
    confidence: float = 0.95
    width: float = 0.0
    """Half of the region of practical equivalence."""
    n: int = 0
    reason: str = ""
    note: str = ""
    luck: float | None = None
    """How often so much would be seen if the likeliest of the three were only as likely as not, where that is counted."""

    @property
    def verdict(self) -> str:
        """What is at least as likely as the confidence, and seldom enough by luck alone; otherwise that nothing is."""
        return likeliest((self.left, self.rope, self.right), self.confidence, self.luck, 0.5**self.n)

    def __str__(self) -> str:
        if self.left is None or self.rope is None or self.right is None:
            return f"n/a ({self.reason})"
        return f"lower {percent(self.left)}, practically alike {percent(self.rope)}, higher {percent(self.right)}"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return asdict(self) | {"verdict": self.verdict, "text": str(self)}


def correlated_bayes(d: npt.ArrayLike, ratio: float, rope: float = 0.01, confidence: float = 0.95) -> Posterior:
    """The Bayesian t-test of correlated folds: how likely the difference is below, inside and above ±rope.

    The posterior is Student's t with J − 1 degrees of freedom, centre mean(d) and scale s · √(1/J + ratio), where
    ratio = n_test / n_train; so the credible interval is that of the corrected t.

    >>> print(correlated_bayes([0.02, 0.03, 0.01, 0.04, 0.00], 1 / 4, rope=0.01))
    lower 2.4%, practically alike 17.6%, higher 80.0%

    Corani and Benavoli, A Bayesian approach for comparing cross-validated algorithms on multiple data sets, Machine
    Learning 100 (2015).
    """
    from scipy.special import stdtr

    check_rope(rope)
    c = corrected_t(d, ratio, confidence)
    n = int(c.n[0])
    if c.low is None or c.high is None or c.value is None or c.statistic is None:
        why = c.reason or c.note
        return Posterior(None, None, None, None, None, c.value, CORRELATED, confidence, rope, n, why)
    found, _ = _kept(d)
    scale = float(found.std(ddof=1)) * math.sqrt(1 / n + ratio)
    left = float(stdtr(n - 1, (-rope - c.value) / scale))
    right = float(stdtr(n - 1, (c.value - rope) / scale))
    inside = max(0.0, 1.0 - left - right) if rope > 0 else 0.0
    return Posterior(left, inside, right, c.low, c.high, c.value, CORRELATED, confidence, rope, n, "", c.note)


def check_rope(rope: float) -> None:
    """Refuse a region of practical equivalence of negative or infinite width."""
    if not (math.isfinite(rope) and rope >= 0):
        message = f"The region of practical equivalence must have a width of zero or more, and {rope} came."
        raise UsageError(message, "Give the largest difference that does not matter: 0.01 for accuracies.")


# What they share ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Told:
    """What every answer repeats."""

    about: About
    confidence: float
    method: str
    found: Array
    gone: int
    all_of: int = 0
    """The number of folds that all must be there; 0 where some may be missing."""

    def _difference(self, value: float | None, **rest: Any) -> Difference:
        measure, names, _ = read_about(self.about, "difference")
        n = (float(self.found.size),) * 2
        return Difference(measure, *names, value, confidence=self.confidence, n=n, **rest)

    def unclear(self) -> Difference | None:
        """An answer in words where there are too few folds or no spread between them."""
        confidence_of(self.confidence)
        lost = f"{self.gone} of {self.found.size + self.gone} folds have no value"
        if self.all_of and self.gone:
            return self._difference(None, method="none", reason=f"{lost}, and this test needs all ten", verdict=TOO_FEW)
        if not self.found.size:
            return self._difference(None, method="none", reason=lost if self.gone else "no folds", verdict=TOO_FEW)
        if self.found.size == 1:
            note = "one fold only: the spread between folds is unknown" + (f"; {lost}" if self.gone else "")
            return self._difference(float(self.found[0]), method="none", note=note, verdict=TOO_FEW)
        # Differences that are the same but for their last bits have no spread either.
        return self.no_spread() if np.ptp(self.found) <= slack(self.found) else None

    def no_spread(self) -> Difference:
        """An answer where folds do not differ: nothing to tell where all are zero, too little to tell elsewhere."""
        if not self.found.any():
            return self._difference(0.0, method=self.method, p_value=1.0, statistic=0.0, note=ALIKE, verdict=UNCLEAR)
        return self._difference(float(self.found.mean()), method=self.method, note=SAME, verdict=TOO_FEW)

    def said(
        self, value: float, low: float | None, high: float | None, statistic: float, p: float, note: str = ""
    ) -> Difference:
        """The answer with its numbers."""
        _, _, better = read_about(self.about)
        word = UNCLEAR if low is None or high is None else verdict_word((low, high), better)
        lost = f"{self.gone} of {self.found.size + self.gone} folds have no value and are left out" if self.gone else ""
        rest = {"method": self.method, "p_value": p, "statistic": statistic, "verdict": word if better else ""}
        return self._difference(value, low=low, high=high, note="; ".join(filter(None, (note, lost))), **rest)


def _kept(d: npt.ArrayLike) -> tuple[Array, int]:
    """The differences that are there, and how many are not."""
    found = numbers_of(d, NUMBERS, FIRST_LESS_SECOND).ravel()
    there = np.isfinite(found)
    return found[there], int((~there).sum())


def _check_ratio(ratio: float) -> None:
    if not (math.isfinite(ratio) and ratio > 0):
        message = f"The ratio of test to training rows must be a positive number, and {ratio} came."
        raise UsageError(message, "Give n_test / n_train: 1/9 for ten folds.")
