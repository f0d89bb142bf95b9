"""Areas under the ROC curves of several models on the same rows: DeLong's covariance, differences and tests.

A placement is the share of the other class that a row is ranked right against, so the area is the mean placement of
positives, and of negatives as well. The spread of placements and what two models' placements have in common give the
covariance of the areas from one sort for each model. At a nominal 95%, over ten settings of 60 to 1,000 rows and areas of 0.75
to 0.99, down to 30 positives, MOVER covers in 92.9% to 96.7%, DeLong's ± in 88.4% to 97.5% (`docs/studies/comparisons_rows.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.comparisons.independent import NORMAL
from steelyard.comparisons.labels import AT_ODDS, Significance, joined, no_difference
from steelyard.comparisons.placements import partial_placements, placements
from steelyard.comparisons.shared_rows import column, rows_of
from steelyard.errors import BadLevels, UsageError, listing
from steelyard.intervals.area_differences import partial_limits, score_limits
from steelyard.measures.measure import find
from steelyard.results import Array, Difference
from steelyard.summaries.summary import effective_rows
from steelyard.verdicts.comparison import judged

ALIKE = "the scores rank the rows alike"
CERTAIN = "neither area has any spread on these rows"
INTERVALS = ("MOVER", "DeLong")


@dataclass(frozen=True, eq=False, slots=True)
class Areas:
    """Areas of several models, the covariances due to positives and to negatives, and how many rows of each count."""

    values: Array
    from_positives: Array
    from_negatives: Array
    positives: float
    negatives: float
    measure: str = "auc"
    most: float = 1.0
    """The greatest possible area: one, or the largest false positive rate of a partial one."""

    @property
    def partial(self) -> bool:
        """Whether they end at a false positive rate."""
        return find(self.measure).area is None

    @property
    def covariance(self) -> Array:
        """The covariance matrix of the areas."""
        return self.from_positives + self.from_negatives

    @property
    def errors(self) -> Array:
        """The standard error of each area."""
        return np.asarray(np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0)))


def paired_areas(
    target: npt.ArrayLike, scores: Sequence[Any], weight: npt.ArrayLike | None = None, weights: str = "frequency"
) -> Areas:
    """The areas of several models on the same rows with DeLong's covariance, exact with ties.

    A_k = Σᵢ V_ki / P, cov(A_k, A_l) = S⁺_kl / P + S⁻_kl / N, with V_ki the share of negatives that model k scores below
    positive i (ties one half), S⁺ and S⁻ the covariances of these placements among positives and among negatives. Frequency
    weights count as copies; sampling weights give the sandwich Σ wᵢ² (V_ki − A_k)(V_li − A_l) / (Σ wᵢ)².

    >>> y = [0, 0, 0, 1, 1, 1]
    >>> a = paired_areas(y, [[0.1, 0.4, 0.35, 0.8, 0.3, 0.9], [0.2, 0.3, 0.5, 0.5, 0.6, 0.4]])
    >>> a.values.round(4).tolist(), a.covariance.round(4).tolist()
    ([0.7778, 0.8333], [[0.0617, -0.0093], [-0.0093, 0.037]])

    DeLong, DeLong, Clarke-Pearson, Comparing the areas under two or more correlated receiver operating characteristic
    curves, Biometrics 44 (1988).
    """
    truth, columns, w = _rows(target, scores, weight, weights)
    own = [placements(truth, x, w) for x in columns]
    return _areas(truth, own, w, weights)


def paired_partial_areas(
    target: npt.ArrayLike,
    scores: Sequence[Any],
    max_fpr: float,
    weight: npt.ArrayLike | None = None,
    weights: str = "frequency",
) -> Areas:
    """The areas where the false positive rate is at most `max_fpr`, with the covariance of DeLong's kind.

    With S the share of negatives above a score and G that of positives, q the score at S(q) = f: a positive at x places
    max(0, f − S(x)), a negative f G(q), less G(q) − G(x) where x lies above q: q is read from the negatives themselves.

    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a = paired_partial_areas(y, [[1, 2, 3, 6, 4, 5, 7, 8], [1, 2, 5, 6, 3, 4, 7, 8]], 0.5)
    >>> a.values.tolist()
    [0.375, 0.25]

    He and Escobar, Nonparametric statistical inference method for partial areas under receiver operating characteristic
    curves, Statistics in Medicine 27 (2008).
    """
    if not 0 < max_fpr <= 1:
        message = f"The largest false positive rate must lie between 0 and 1, and {max_fpr} came."
        raise UsageError(message, "0.1 is usual.")
    truth, columns, w = _rows(target, scores, weight, weights)
    own = [partial_placements(truth, x, w, float(max_fpr)) for x in columns]
    return replace(_areas(truth, own, w, weights), measure="partial_auc", most=float(max_fpr))


# Rows -----------------------------------------------------------------------------------------------------------


def _rows(
    target: npt.ArrayLike, scores: Sequence[Any], weight: npt.ArrayLike | None, weights: str
) -> tuple[npt.NDArray[np.bool_], list[Array], Array | None]:
    rows = rows_of(target, None, weight, weights)
    if not np.isin(rows.target, (0, 1)).all():
        message = "The target must be true or false, 1 or 0, and other values came."
        raise BadLevels(message, "Compare it with the positive level first: target == positive.")
    if not len(scores):
        message = "There are no scores to compare."
        raise UsageError(message, "Pass one array of scores for each model.")
    columns = [np.ascontiguousarray(column(x, rows, "scores", number=True)) for x in scores]
    truth = rows.target.astype(np.bool_)
    if truth.all() or not truth.any():
        message = "The target has one level only, and an area needs positives and negatives."
        raise BadLevels(message, "Take rows of both classes.")
    return truth, columns, rows.weight


def _areas(truth: npt.NDArray[np.bool_], own: list[Array], w: Array | None, weights: str) -> Areas:
    positives = int(truth.sum())
    sides = []
    weighed = (None, None) if w is None else (w[truth], w[~truth])
    for part, own_weight in zip((slice(0, positives), slice(positives, None)), weighed, strict=True):
        sides.append(_spread([v[part] for v in own], own_weight, weights))
    (values, spread_p, count_p), (_, spread_n, count_n) = sides
    return Areas(values, spread_p, spread_n, count_p, count_n)


def _spread(placed: list[Array], w: Array | None, weights: str) -> tuple[Array, Array, float]:
    """Mean placements, the covariance of these means, and how many rows count."""
    if w is None:
        count = float(len(placed[0]))
        values = np.array([float(v.sum()) / count for v in placed])
        for v, mean in zip(placed, values, strict=True):
            v -= mean
        products = np.array([[float(np.dot(a, b)) for b in placed] for a in placed])
        return values, products / count / max(count - 1, 1.0), count
    total = float(w.sum())
    values = np.array([float(np.dot(w, v)) / total for v in placed])
    away = np.stack(placed) - values[:, None]
    if weights == "frequency":
        return values, (away * w) @ away.T / total / max(total - 1, 1.0), total
    count = float(effective_rows(np.asarray(total), np.asarray((w**2).sum())))
    return values, (away * w**2) @ away.T / total**2 * count / max(count - 1, 1.0), count


# Differences and tests ------------------------------------------------------------------------------------------------


def area_difference(
    areas: Areas,
    i: int = 0,
    j: int = 1,
    confidence: float = 0.95,
    *,
    method: str = "MOVER",
    names: tuple[str, str] = ("first", "second"),
) -> Difference:
    """How much one area exceeds another, with DeLong's z and p-value.

    z = (Aᵢ − Aⱼ) / √(vᵢ + vⱼ − 2 cᵢⱼ). "MOVER" puts the interval together from the two areas' own (`score_limits`) with
    their correlation r: low = d − √(a² − 2 r a b + b²), a and b the distances to the lower end of the first and the upper end
    of the second; "DeLong" is d ± z s. Of the two, MOVER keeps its promise where areas are near one and positives few.

    >>> y = [0] * 6 + [1] * 6
    >>> one = [1, 2, 3, 4, 5, 8, 6, 7, 9, 10, 11, 12]
    >>> two = [1, 2, 4, 7, 9, 10, 3, 5, 6, 8, 11, 12]
    >>> d = area_difference(paired_areas(y, [one, two]))
    >>> print(d, round(d.statistic, 3), round(d.p_value, 3))
    0.28 [−0.01, 0.60] 1.917 0.055

    Zou, Toward using confidence intervals to compare correlations, Psychological Methods 12 (2007).
    """
    if method not in INTERVALS:
        message = f"There is no interval {listing([method])} of two areas; there are {listing(INTERVALS)}."
        raise UsageError(message, '"MOVER" keeps its promise near one.')
    confidence = confidence_of(confidence)
    a, b = float(areas.values[i]), float(areas.values[j])
    v = areas.covariance
    value, spread = a - b, float(v[i, i] + v[j, j] - 2 * v[i, j])
    facts: dict[str, Any] = {"value": value, "confidence": confidence, "values": (a, b)}
    facts["n"] = (areas.positives + areas.negatives,) * 2
    if areas.partial:
        facts["options"] = {"fpr": areas.most}
    # What subtracting equal covariances leaves over is nothing.
    same = spread <= 1e-13 * max(float(v[i, i]), float(v[j, j]), 1e-300)
    if same and abs(value) < 1e-12:
        return no_difference(areas.measure, names, "higher", "DeLong", **facts | {"value": 0.0, "note": ALIKE})
    low, high = limits(areas, i, j, confidence, method)
    name = "DeLong" if method == "DeLong" else "MOVER with DeLong's correlation"
    facts |= {"method": f"{name}; DeLong's test", "note": CERTAIN}
    if not same:
        statistic = value / math.sqrt(spread)
        p = 2 * NORMAL.cdf(-abs(statistic))
        note = AT_ODDS if (low <= 0 <= high) == (p < 1 - confidence) else ""
        facts |= {"p_value": p, "statistic": statistic, "note": note}
    return judged(areas.measure, names, "higher", (low, high), **facts)


def limits(areas: Areas, i: int, j: int, confidence: float, method: str = "MOVER") -> tuple[float, float]:
    """Ends of the interval of one area less another."""
    v = areas.covariance
    value = float(areas.values[i] - areas.values[j])
    z = NORMAL.inv_cdf(0.5 + confidence / 2)
    if method == "DeLong":
        half = z * math.sqrt(max(float(v[i, i] + v[j, j] - 2 * v[i, j]), 0.0))
        return value - half, value + half
    error = areas.errors
    r = float(v[i, j]) / float(error[i] * error[j]) if error[i] > 0 and error[j] > 0 else 0.0
    ends = [_own_limits(areas, k, confidence) for k in (i, j)]
    (a, (low_a, high_a)), (b, (low_b, high_b)) = zip(areas.values[[i, j]].tolist(), ends, strict=True)
    r = min(max(r, -1.0), 1.0)
    low = value - joined(a - low_a, high_b - b, r)
    high = value + joined(high_a - a, b - low_b, r)
    return max(low, -areas.most), min(high, areas.most)


def _own_limits(areas: Areas, k: int, confidence: float) -> tuple[float, float]:
    """The interval of one area; of a partial one as a share of the greatest possible one."""
    top, value = areas.most, float(areas.values[k])
    spread = float(areas.from_positives[k, k]), float(areas.from_negatives[k, k])
    if not areas.partial:
        return score_limits(value, *spread, areas.positives, areas.negatives, confidence)
    share = min(max(value / top, 0.0), 1.0)
    low, high = partial_limits(
        share, spread[0] / top**2, spread[1] / top**2, areas.positives, areas.negatives, confidence
    )
    return top * min(low, share), top * max(high, share)


def areas_test(areas: Areas) -> Significance:
    """DeLong's test that all areas are equal.

    χ² = (C A)ᵀ (C V Cᵀ)⁻ C A with C the differences of neighbours and ⁻ the pseudo-inverse; as many degrees of freedom as
    the rank of C V Cᵀ.

    >>> y = [0] * 6 + [1] * 6
    >>> one = [1, 2, 3, 4, 5, 8, 6, 7, 9, 10, 11, 12]
    >>> two = [1, 2, 4, 7, 9, 10, 3, 5, 6, 8, 11, 12]
    >>> t = areas_test(paired_areas(y, [one, two, one]))
    >>> round(t.statistic, 3), t.freedom, round(t.p_value, 3)
    (3.676, 1, 0.055)
    """
    from scipy.special import chdtrc

    models = len(areas.values)
    if models < 2:
        message = f"The test compares two areas or more, and {models} came."
        raise UsageError(message, "Pass one array of scores for each model.")
    contrast = np.eye(models)[:-1] - np.eye(models)[1:]
    d, v = contrast @ areas.values, contrast @ areas.covariance @ contrast.T
    size = float(np.max(np.diagonal(areas.covariance), initial=0.0))
    roots, vectors = np.linalg.eigh((v + v.T) / 2)
    kept = roots > max(1e-12 * size, 1e-300)
    rank = int(kept.sum())
    along = vectors.T @ d
    name = "DeLong, all areas equal"
    if np.abs(along[~kept]).max(initial=0.0) > 1e-9:
        return Significance(None, None, name, rank, CERTAIN)
    if rank == 0:
        return Significance(0.0, 1.0, name, 0, ALIKE)
    statistic = float((along[kept] ** 2 / roots[kept]).sum())
    return Significance(statistic, float(chdtrc(rank, statistic)), name, rank)
