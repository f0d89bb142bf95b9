"""Two or more label-makers on the same rows: who is right where the other is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.comparisons.independent import NORMAL
from steelyard.errors import BadLevels, EmptyTable, LengthsDiffer, UsageError, listing
from steelyard.intervals.proportions import wilson
from steelyard.results import Array, Difference
from steelyard.verdicts.comparison import judged

TESTS = ("exact", "mid-p", "corrected", "plain")
INTERVALS = ("Newcombe", "Wald", "Agresti-Min")
ALIKE = "no row tells them apart"
AT_ODDS = "the interval and the test disagree narrowly"


class About(TypedDict, total=False):
    """Of which measure a difference is, whose the two numbers are, and which side of it is better."""

    measure: str
    names: tuple[str, str]
    better: str


def read_about(about: About, measure: str = "share") -> tuple[str, tuple[str, str], str]:
    """The measure, the names and the better side as they were told, or as they are usual."""
    return about.get("measure", measure), about.get("names", ("first", "second")), about.get("better", "higher")


@dataclass(frozen=True, slots=True)
class Significance:
    """What a test of "no difference" found: its statistic, degrees of freedom and p-value."""

    statistic: float | None
    p_value: float | None
    method: str
    freedom: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows that both, only the first, only the second and neither got right."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def rows(self) -> int:
        """All rows."""
        return self.both + self.first + self.second + self.neither


def paired_counts(
    target: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, copies: npt.ArrayLike | None = None
) -> Counts:
    """Rows that both, one or neither of two label-makers got right; `copies` says for how many rows each stands.

    >>> paired_counts(["a", "a", "b", "b"], ["a", "b", "b", "b"], ["a", "a", "b", "a"])
    Counts(both=2, first=1, second=1, neither=0)
    """
    truth, one, two = (np.asarray(x) for x in (target, first, second))
    if not len(truth) == len(one) == len(two):
        message = f"Target and labels differ in length: {len(truth):,}, {len(one):,} and {len(two):,}."
        raise LengthsDiffer(message, "Pass one label of each model for each row.")
    right, also = one == truth, two == truth
    times = np.ones(len(truth)) if copies is None else np.asarray(copies, dtype=np.float64)
    return Counts(*(whole(times[x].sum()) for x in (right & also, right & ~also, ~right & also, ~right & ~also)))


def no_difference(measure: str, names: tuple[str, str], better: str, method: str, **facts: Any) -> Difference:
    """Exactly nothing: no row tells the two apart."""
    nothing = {"value": 0.0, "p_value": 1.0, "statistic": 0.0, "note": ALIKE}
    return judged(measure, names, better, (0.0, 0.0), method=method, **{**nothing, **facts})


def mcnemar(b: float, c: float, method: str = "exact") -> Significance:
    """McNemar's test of two label-makers, from the rows on which only one of them is right.

    Without a difference b is binomial with b + c trials and chance ½. "exact" is its two-sided p-value,
    2 P(X ≤ min(b, c)); "mid-p" takes off P(X = min(b, c)); "plain" is χ² = (b − c)² / (b + c) with one degree of freedom
    and "corrected" χ² = (|b − c| − 1)² / (b + c).

    >>> t = mcnemar(150, 86, "plain")
    >>> round(t.statistic, 2), round(mcnemar(10, 2).p_value, 4), round(mcnemar(10, 2, "mid-p").p_value, 4)
    (17.36, 0.0386, 0.0225)

    McNemar, Psychometrika 12 (1947); Fagerland, Lydersen, Laake, The McNemar test for binary matched-pairs data: mid-p
    and asymptotic are better than exact conditional, BMC Medical Research Methodology 13 (2013).
    """
    if method not in TESTS:
        message = f"McNemar's test has no variant {listing([method])}; there are {listing(TESTS)}."
        raise UsageError(message, 'Choose one of them; "exact" never errs more often than it says.')
    b, c = whole(b), whole(c)
    n, least = b + c, min(b, c)
    name = f"McNemar, {method}"
    chi = method in {"plain", "corrected"}
    if n == 0:
        return Significance(0.0, 1.0, name, 1 if chi else None, ALIKE)
    if chi:
        from scipy.special import chdtrc

        away = abs(b - c) if method == "plain" else max(abs(b - c) - 1, 0)
        statistic = away**2 / n
        return Significance(statistic, float(chdtrc(1, statistic)), name, 1)
    from scipy.special import betainc, gammaln

    # P(X ≤ least) as an incomplete beta function, which holds for any number of rows.
    tail = float(betainc(n - least, least + 1, 0.5))
    point = math.exp(float(gammaln(n + 1) - gammaln(least + 1) - gammaln(n - least + 1)) - n * math.log(2))
    p = 2 * tail - (point if method == "mid-p" else 0.0)
    return Significance(float(least), 1.0 if b == c else min(p, 1.0), name)


def whole(count: float) -> int:
    """A number of rows, refused where it is a sum of weights."""
    number = float(count)
    if not math.isfinite(number) or number < 0 or abs(number - round(number)) > 1e-9 * max(number, 1.0):
        message = f"McNemar's test counts rows, and {count} is no number of rows."
        raise UsageError(message, "With weights use the bootstrap: resampling.paired_difference.")
    return round(number)


def paired_share_difference(
    both: float,
    b: float,
    c: float,
    neither: float,
    confidence: float = 0.95,
    method: str = "Newcombe",
    **about: Unpack[About],
) -> Difference:
    """The difference of two shares of the same rows, (b − c) / n, with its interval and McNemar's mid-p.

    "Newcombe" (his method 10) squares and adds the distances δ, ε of Wilson's limits with the correlation φ between the two,
    √(δ² − 2 φ δ ε + ε²), φ corrected for continuity; "Wald" is (b − c) / n ± z √(b + c − (b − c)² / n) / n, and
    "Agresti-Min" the same with half a row added to each cell.

    >>> print(paired_share_difference(20, 12, 2, 16))
    0.20 [0.06, 0.33]

    Newcombe, Improved confidence intervals for the difference between binomial proportions based on paired data,
    Statistics in Medicine 17 (1998); Agresti and Min, Statistics in Medicine 24 (2005).
    """
    if method not in INTERVALS:
        message = (
            f"There is no interval {listing([method])} of two shares of the same rows; there are {listing(INTERVALS)}."
        )
        raise UsageError(message, '"Newcombe" keeps its promise best.')
    confidence, (measure, names, better) = confidence_of(confidence), read_about(about)
    a, b, c, d = (whole(x) for x in (both, b, c, neither))
    n = a + b + c + d
    if n == 0:
        message = "There are no rows to compare."
        raise EmptyTable(message, "At least one row is needed.")
    z = NORMAL.inv_cdf(0.5 + confidence / 2)
    if method == "Newcombe":
        low, high = _newcombe(a, b, c, d, z)
    else:
        extra = 0.5 if method == "Agresti-Min" else 0.0
        total, apart, away = n + 4 * extra, b + c + 2 * extra, b - c
        half = z * math.sqrt(max(apart - away**2 / total, 0.0)) / total
        low, high = max(away / total - half, -1.0), min(away / total + half, 1.0)
    test = mcnemar(b, c, "mid-p")
    assert test.p_value is not None
    clear, significant = not low <= 0 <= high, test.p_value < 1 - confidence
    facts: dict[str, Any] = {"value": (b - c) / n, "confidence": confidence, "p_value": test.p_value, "n": (n, n)}
    facts |= {"method": f"{method} for paired shares; McNemar's mid-p", "values": ((a + b) / n, (a + c) / n)}
    facts["statistic"] = (b - c) / math.sqrt(b + c) if b + c else 0.0
    facts["note"] = test.note or (AT_ODDS if clear != significant else "")
    return judged(measure, names, better, (low, high), **facts)


def _newcombe(a: int, b: int, c: int, d: int, z: float) -> tuple[float, float]:
    n = a + b + c + d
    ends = [[float(x) for x in wilson(float(part), float(n), z)] for part in (a + b, a + c)]
    p, q = (a + b) / n, (a + c) / n
    lean: float = a * d - b * c
    if lean > 0:
        lean = max(lean - n / 2, 0.0)
    product = (a + b) * (c + d) * (a + c) * (b + d)
    phi = lean / math.sqrt(product) if product else 0.0
    low = p - q - joined(p - ends[0][0], ends[1][1] - q, phi)
    high = p - q + joined(ends[0][1] - p, q - ends[1][0], phi)
    return max(low, -1.0), min(high, 1.0)


def joined(a: float, b: float, r: float) -> float:
    """Two distances squared and added, as they add where the numbers are correlated: √(a² − 2 r a b + b²)."""
    return math.sqrt(max(a * a - 2 * r * a * b + b * b, 0.0))


def cochran_q(table: npt.ArrayLike | Mapping[tuple[int, ...], float]) -> Significance:
    """Cochran's test that L label-makers are right equally often on the same rows.

    Q = (L − 1) (L Σ Gⱼ² − (Σ Gⱼ)²) / (L Σ Rᵢ − Σ Rᵢ²), χ² with L − 1 degrees of freedom; Gⱼ counts how often model j is
    right, Rᵢ how many are right in row i. The table is rows × models of 0 and 1, or a mapping of patterns to counts.

    >>> t = cochran_q({(1, 1, 0): 6, (1, 0, 0): 4, (0, 1, 1): 2, (1, 1, 1): 8})
    >>> round(t.statistic, 2), t.freedom, round(t.p_value, 4)
    (8.67, 2, 0.0131)

    Cochran, The comparison of percentages in matched samples, Biometrika 37 (1950).
    """
    patterns, counts = _patterns(table)
    models = patterns.shape[1]
    if models < 2:
        message = f"Cochran's test compares two models or more, and {models} came."
        raise UsageError(message, "Pass one column for each model.")
    right = counts @ patterns
    each = patterns.sum(axis=1)
    top = (models - 1) * (models * float((right**2).sum()) - float(right.sum()) ** 2)
    bottom = float(counts @ (models * each - each**2))
    if bottom == 0:
        return Significance(0.0, 1.0, "Cochran's Q", models - 1, ALIKE)
    from scipy.special import chdtrc

    statistic = max(top / bottom, 0.0)
    return Significance(statistic, float(chdtrc(models - 1, statistic)), "Cochran's Q", models - 1)


def _patterns(table: npt.ArrayLike | Mapping[tuple[int, ...], float]) -> tuple[Array, Array]:
    """Patterns of 0 and 1, and how many rows have each."""
    if isinstance(table, Mapping):
        rows = [[int(x) for x in pattern] for pattern in table]
        counts = np.array([whole(n) for n in table.values()], dtype=np.float64)
        if len({len(r) for r in rows}) > 1:
            message = "The patterns differ in length, so they speak of different numbers of models."
            raise LengthsDiffer(message, "Every pattern needs one 0 or 1 for each model.")
        patterns = np.array(rows, dtype=np.float64)
    else:
        patterns = np.asarray(table, dtype=np.float64)
        counts = np.ones(len(patterns))
    if patterns.ndim != 2 or not counts.sum() > 0:
        message = "There are no rows to compare."
        raise EmptyTable(message, "Pass a table of rows × models, 1 where a model is right.")
    if not np.isin(patterns, (0.0, 1.0)).all():
        message = "Right or wrong must be told as 1 or 0, and other values came."
        raise BadLevels(message, "Compare labels with the target first: labels == target.")
    return patterns, counts
