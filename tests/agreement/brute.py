"""Definitions written out plainly over all rows or all pairs: slow, short, and sharing nothing with the library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

Floats = Sequence[float]


def _beats(a: float, b: float) -> float:
    return 1.0 if a > b else 0.5 if a == b else 0.0


def auc(positives: Floats, negatives: Floats) -> float:
    """Share of positive-negative pairs in the right order, ties one half."""
    return sum(_beats(a, b) for a in positives for b in negatives) / (len(positives) * len(negatives))


@dataclass(frozen=True)
class Area:
    """An area with the variances due to positives and to negatives, and how many there are of each."""

    value: float
    from_positives: float
    from_negatives: float
    positives: int
    negatives: int


def delong(positives: Floats, negatives: Floats) -> Area:
    """DeLong, DeLong and Clarke-Pearson (1988): the spread of each row's share of pairs won, divisors m - 1, n - 1."""
    area = auc(positives, negatives)
    m, n = len(positives), len(negatives)
    of_positive = [sum(_beats(a, b) for b in negatives) / n for a in positives]
    of_negative = [sum(_beats(a, b) for a in positives) / m for b in negatives]
    s10 = sum((v - area) ** 2 for v in of_positive) / (m - 1)
    s01 = sum((v - area) ** 2 for v in of_negative) / (n - 1)
    return Area(area, s10 / m, s01 / n, m, n)


def hand_till(truth: Sequence[object], score: dict[str, Floats]) -> float:
    """Hand and Till (2001): mean over pairs of levels of the mean of the two areas within the pair."""
    areas = []
    for i, j in combinations(sorted(score), 2):
        for this, other in ((i, j), (j, i)):
            rows = list(zip(truth, score[this], strict=True))
            areas.append(auc([s for t, s in rows if t == this], [s for t, s in rows if t == other]))
    return sum(areas) / len(areas)


def capture(y: Sequence[int], score: Floats, depth: float) -> float:
    """Share of positives among the first depth * n rows by decreasing score (needs a whole count and no tie there)."""
    rows = sorted(zip(score, y, strict=True), reverse=True)
    k = round(depth * len(rows))
    assert abs(k - depth * len(rows)) < 1e-9
    assert rows[k - 1][0] != rows[k][0]
    return sum(v for _, v in rows[:k]) / sum(y)


def l_quality(y: Sequence[int], score: Floats) -> float:
    """Area under the gains curve, one step per distinct score, scaled so that random is 0 and perfect is 1."""
    n, total = len(y), sum(y)
    x_before = gain_before = area = 0.0
    for cut in sorted(set(score), reverse=True):
        x = sum(s >= cut for s in score) / n
        gain = sum(v for s, v in zip(score, y, strict=True) if s >= cut) / total
        area += (x - x_before) * (gain + gain_before) / 2
        x_before, gain_before = x, gain
    base = total / n
    return (area - 0.5) / ((1 - base / 2) - 0.5)


def brier_parts(y: Sequence[int], p: Floats, bins: int) -> tuple[float, float, float]:
    """Murphy (1973) over equal-width bins: reliability, resolution, uncertainty."""
    n, base = len(y), sum(y) / len(y)
    reliability = resolution = 0.0
    place = [math.floor(s * bins + 1e-9) for s in p]
    for b in set(place):
        group = [(s, v) for s, v, i in zip(p, y, place, strict=True) if i == b]
        promised, happened = (sum(column) / len(group) for column in zip(*group, strict=True))
        reliability += len(group) * (promised - happened) ** 2 / n
        resolution += len(group) * (happened - base) ** 2 / n
    return reliability, resolution, base * (1 - base)


def ece(y: Sequence[int], p: Floats, bins: int) -> float:
    """Expected calibration error over equal-width bins of [0, 1]; probabilities on an edge are refused."""
    total = 0.0
    for b in range(bins):
        group = [(s, v) for s, v in zip(p, y, strict=True) if b / bins < s < (b + 1) / bins]
        if group:
            total += abs(sum(s for s, _ in group) - sum(v for _, v in group))
    assert all(abs(s * bins - round(s * bins)) > 1e-9 for s in p), "a probability lies on the edge of a bin"
    return total / len(y)


def concordance(t: Floats, m: Floats) -> float:
    """Lin (1989): 2 s_tm / (s_t^2 + s_m^2 + (mean_t - mean_m)^2), moments with divisor n."""
    n = len(t)
    mt, mm = math.fsum(t) / n, math.fsum(m) / n
    covariance = math.fsum((a - mt) * (b - mm) for a, b in zip(t, m, strict=True)) / n
    spread = math.fsum((a - mt) ** 2 for a in t) / n + math.fsum((b - mm) ** 2 for b in m) / n
    return 2 * covariance / (spread + (mt - mm) ** 2)


def weighted_share_rows(hits: list[bool], weights: list[float]) -> float:
    """Equally weighted rows of the same spread, p (1 - p) (sum w)^2 / sum w^2 (x - p)^2; little above (sum w)^2 / sum w^2."""
    total = sum(weights)
    p = sum(w for w, hit in zip(weights, hits) if hit) / total
    spread = p * (1 - p) * total**2 / sum(w**2 * (hit - p) ** 2 for w, hit in zip(weights, hits))
    sides = [[w for w, hit in zip(weights, hits) if hit == side] for side in (True, False)]
    own = min(sum(side) ** 2 / sum(w**2 for w in side) for side in sides)
    return min(spread, total**2 / sum(w**2 for w in weights) * (1 + own / 100))
