"""Every measure once more, as its docstring has it, row by row in plain Python: slow, short, sharing nothing with the library.

A row is (truth, what was said, weight). None is a number that does not exist.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

Rows = Sequence[tuple[Any, Any, float]]
Numbers = dict[str, float | None]


def over(part: float, whole: float) -> float | None:
    return None if whole == 0 else part / whole


def mean(rows: Rows, values: Sequence[float]) -> float | None:
    total = math.fsum(w for _, _, w in rows)
    return over(math.fsum(w * x for (_, _, w), x in zip(rows, values, strict=True)), total)


# Labels ---------------------------------------------------------------------------------------------------------------


def cells(rows: Rows, level: Any) -> tuple[float, float, float, float]:
    """TP, FN, FP, TN of one level against the rest."""
    count = {(a, b): 0.0 for a in (True, False) for b in (True, False)}
    for truth, said, w in rows:
        count[truth == level, said == level] += w
    return count[True, True], count[True, False], count[False, True], count[False, False]


def of_level(rows: Rows, level: Any) -> Numbers:
    """Measures of four outcomes, with other options under "name option"."""
    tp, fn, fp, tn = cells(rows, level)
    n, p, q = tp + fn + fp + tn, tp + fn, fp + tn
    recall, specificity, fpr, fnr = over(tp, p), over(tn, q), over(fp, q), over(fn, p)
    both = recall is not None and specificity is not None

    def ratio(top: float | None, bottom: float | None) -> float | None:
        return None if top is None or bottom is None or bottom == 0 else top / bottom

    def at(prevalence: float, mine: float | None, other: float | None) -> float | None:
        if mine is None or other is None:
            return None
        return over(prevalence * mine, prevalence * mine + (1 - prevalence) * other)

    def f(beta: float) -> float | None:
        return over((1 + beta**2) * tp, (1 + beta**2) * tp + beta**2 * fn + fp)

    def weighted(w1: float, w2: float, w3: float, w4: float) -> float | None:
        return over(w1 * tp + w4 * tn, w1 * tp + w2 * fn + w3 * fp + w4 * tn)

    return {
        "recall": recall,
        "specificity": specificity,
        "fpr": fpr,
        "fnr": fnr,
        "precision": over(tp, tp + fp),
        "npv": over(tn, tn + fn),
        "f1": over(2 * tp, 2 * tp + fp + fn),
        "f_beta": f(2),
        "f_beta beta=0.5": f(0.5),
        "f_beta beta=1": f(1),
        "f_beta beta=0": over(tp, tp + fp),
        "f_beta beta=3": f(3),
        "jaccard": over(tp, tp + fn + fp),
        "youden": recall + specificity - 1 if both else None,
        "lr_positive": ratio(recall, fpr),
        "lr_negative": ratio(fnr, specificity),
        "prevalence": over(p, n),
        "predicted_positive_rate": over(tp + fp, n),
        "precision_at_prevalence": at(0.5, recall, fpr),
        "precision_at_prevalence prevalence=0.1": at(0.1, recall, fpr),
        "npv_at_prevalence": at(0.5, specificity, fnr),
        "npv_at_prevalence prevalence=0.1": at(0.9, specificity, fnr),
        "weighted_accuracy": weighted(1, 1, 1, 1),
        "weighted_accuracy weights=(2,1,3,5)": weighted(2, 1, 3, 5),
        "weighted_accuracy weights=(0,1,1,0.5)": weighted(0, 1, 1, 0.5),
    }


def of_labels(rows: Rows, levels: Sequence[Any]) -> Numbers:
    """Measures of a whole table of labels; levels are in their order."""
    n = math.fsum(w for _, _, w in rows)
    right = math.fsum(w for t, s, w in rows if t == s)
    actual = {v: math.fsum(w for t, _, w in rows if t == v) for v in levels}
    said = {v: math.fsum(w for _, s, w in rows if s == v) for v in levels}
    recalls = [over(math.fsum(w for t, s, w in rows if t == s == v), actual[v]) for v in levels]
    known = [r for r in recalls if r is not None]

    def kappa(power: float) -> float | None:
        """One less the distance seen over that of chance; without a power any miss is one."""
        place = {v: i for i, v in enumerate(levels)}

        def far(a: Any, b: Any) -> float:
            return float(abs(place[a] - place[b]) ** power if power else a != b)

        seen = math.fsum(w * far(t, s) for t, s, w in rows)
        chance = math.fsum(far(a, b) * actual[a] * said[b] / n for a in levels for b in levels)
        return None if chance < 1e-12 * n else 1 - seen / chance

    top = right * n - math.fsum(actual[v] * said[v] for v in levels)
    left = n**2 - math.fsum(a**2 for a in actual.values())
    below = n**2 - math.fsum(a**2 for a in said.values())
    whole = len(known) == len(levels)
    return {
        "accuracy": right / n,
        "error_rate": 1 - right / n,
        "average_class_accuracy": math.fsum(known) / len(levels) if whole else None,
        "average_class_accuracy_hm": None
        if not whole
        else 0.0
        if 0.0 in known
        else len(levels) / math.fsum(1 / r for r in known),
        "kappa": kappa(0),
        "kappa_linear": kappa(1),
        "kappa_quadratic": kappa(2),
        "mcc": None if left < 1e-9 * n**2 or below < 1e-9 * n**2 else top / math.sqrt(left) / math.sqrt(below),
    }


# Scores ---------------------------------------------------------------------------------------------------------------


def auc(rows: Rows) -> float | None:
    """The share of pairs in the right order; a truth is 1 or 0."""
    won = whole = 0.0
    for y, s, w in rows:
        for z, r, v in rows:
            if y and not z:
                whole += w * v
                won += w * v * (1.0 if s > r else 0.5 if s == r else 0.0)
    return over(won, whole)


def curve(rows: Rows) -> list[tuple[float, float]]:
    """False and true positives at every threshold, from none to all."""
    found = [(0.0, 0.0)]
    for cut in sorted({s for _, s, _ in rows}, reverse=True):
        tp = math.fsum(w for y, s, w in rows if y and s >= cut)
        found.append((math.fsum(w for y, s, w in rows if not y and s >= cut), tp))
    return found


def captured(rows: Rows, depth: float) -> float:
    """Positives among the first share of rows, in proportion within a tie."""
    points = [(fp + tp, tp) for fp, tp in curve(rows)]
    wanted = depth * points[-1][0]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if wanted <= x1 * (1 + 1e-12):
            return y0 + (y1 - y0) * (wanted - x0) / (x1 - x0)
    return points[-1][1]


def partial_area(rows: Rows, limit: float) -> float:
    """The trapezium rule over many thin slices, each within one step of the curve."""
    points = curve(rows)
    fps, tps = points[-1]
    area = 0.0
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        a, b = x0 / fps, min(x1 / fps, limit)
        if b > a:
            end = y0 + (y1 - y0) * (b - a) / (x1 / fps - a)
            area += (b - a) * (y0 + end) / 2 / tps
    return area


def in_bins(rows: Rows, bins: int) -> list[Rows]:
    place: dict[int, list[Any]] = {}
    for row in rows:
        place.setdefault(min(int(row[1] * bins), bins - 1), []).append(row)
    return list(place.values())


def log_odds(p: float) -> float:
    return math.log(p) - math.log(1 - p)


def fitted(rows: Rows, *, slope: bool) -> tuple[float, float]:
    """The intercept and slope of greatest likelihood, by halving the interval where the gradient changes sign."""
    odds = [(y, log_odds(p), w) for y, p, w in rows]

    def gradient(a: float, b: float, by_slope: bool) -> float:
        return math.fsum(w * (y - 1 / (1 + math.exp(-(a + b * x)))) * (x if by_slope else 1.0) for y, x, w in odds)

    def root(function: Any) -> float:
        low, high = -60.0, 60.0
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if function(middle) > 0 else (low, middle)
        return (low + high) / 2

    def level(b: float) -> float:
        return root(lambda a: gradient(a, b, by_slope=False))

    best = root(lambda b: gradient(level(b), b, by_slope=True)) if slope else 1.0
    return level(best), best


def of_scores(rows: Rows) -> Numbers:
    """Measures of one score for two levels; a truth is 1 or 0, the score a probability strictly inside."""
    points = curve(rows)
    fps, tps = points[-1]
    n = fps + tps
    both = fps > 0 and tps > 0
    area = auc(rows)

    def gaps(bins: int) -> list[tuple[float, float, float]]:
        """Weight, mean probability and share of positives of every bin."""
        out = []
        for group in in_bins(rows, bins):
            w = math.fsum(v for _, _, v in group)
            out.append((w, math.fsum(v * p for _, p, v in group) / w, math.fsum(v * y for y, _, v in group) / w))
        return out

    def binned(bins: int) -> Numbers:
        end = "" if bins == 10 else f" bins={bins}"
        parts = gaps(bins)
        return {
            f"ece{end}": math.fsum(w * abs(p - y) for w, p, y in parts) / n,
            f"brier_reliability{end}": math.fsum(w * (p - y) ** 2 for w, p, y in parts) / n,
            f"brier_resolution{end}": math.fsum(w * (y - tps / n) ** 2 for w, _, y in parts) / n,
        }

    def at_depth(depth: float) -> Numbers:
        end = "" if depth == 0.1 else f" depth={depth}"
        first = captured(rows, depth)
        share = over(first, tps)
        out = {f"capture{end}": share, f"lift{end}": None if share is None else share / depth}
        rest = tps - first
        ratio = None if depth == 1 or rest <= 1e-12 * tps else (first / depth) / (rest / (1 - depth))
        return out if depth == 1 else out | {f"response_ratio{end}": ratio}

    square = mean(rows, [(p - y) ** 2 for y, p, _ in rows])
    surprise = mean(rows, [-math.log(p if y else 1 - p) for y, p, _ in rows])
    assert square is not None and surprise is not None
    doubt = -math.fsum(x / n * math.log(x / n) for x in (fps, tps) if x > 0)
    precision = 0.0
    for (_, before), (fp, tp) in itertools.pairwise(points):
        precision += (tp - before) * tp / (tp + fp)
    return {
        "auc": area,
        "gini": None if area is None else 2 * area - 1,
        "l_quality": None if area is None else 2 * area - 1,
        "partial_auc": partial_area(rows, 0.1) if both else None,
        "partial_auc fpr=0.5": partial_area(rows, 0.5) if both else None,
        "partial_auc fpr=1.0": area,
        "ks": max(abs(tp / tps - fp / fps) for fp, tp in points) if both else None,
        "average_precision": over(precision, tps),
        **at_depth(0.1),
        **at_depth(0.37),
        **at_depth(1.0),
        "brier": square,
        "brier_skill": 1 - square / (tps * fps / n**2) if both else None,
        "log_loss": surprise,
        "log_loss_skill": 1 - surprise / doubt if both else None,
        **binned(10),
        **binned(3),
        "brier_uncertainty": tps * fps / n**2,
    }


def of_classes(rows: Rows, levels: Sequence[Any]) -> Numbers:
    """Measures of one score for each class; what was said is one probability for each level."""
    areas = []
    for i, a in enumerate(levels):
        areas += [auc([(t == a, s[i], w) for t, s, w in rows if t in (a, b)]) for b in levels if b != a]

    def among(k: int) -> float | None:
        """The share whose true class is among the first k, ties in every order."""
        chances = []
        for t, s, _ in rows:
            mine = s[levels.index(t)]
            above, tied = sum(x > mine for x in s), sum(x == mine for x in s)
            chances.append(min(max((k - above) / tied, 0.0), 1.0))
        return mean(rows, chances)

    return {
        "hand_till_auc": None if None in areas else math.fsum(x for x in areas if x is not None) / len(areas),
        "top_k_accuracy": among(2),
        "top_k_accuracy k=1": among(1),
        "top_k_accuracy k=7": 1.0,
        "brier": mean(
            rows, [math.fsum((x - (t == v)) ** 2 for x, v in zip(s, levels, strict=True)) for t, s, _ in rows]
        ),
        "log_loss": mean(rows, [-math.log(s[levels.index(t)]) for t, s, _ in rows]),
    }


# Numbers --------------------------------------------------------------------------------------------------------------


def quantile(pairs: Sequence[tuple[float, float]], q: float) -> float:
    """Of (value, weight): the least value that a share q is not above, or the mean of two where it is met exactly."""
    ordered = sorted(pairs)
    wanted = q * math.fsum(w for _, w in ordered)
    seen = 0.0
    for i, (x, w) in enumerate(ordered):
        seen += w
        if abs(seen - wanted) < 1e-9 and i + 1 < len(ordered):
            return (x + ordered[i + 1][0]) / 2
        if seen > wanted:
            return x
    return ordered[-1][0]


def of_numbers(rows: Rows) -> Numbers:
    """Measures of quantities; a row is (target, prediction, weight)."""
    n = math.fsum(w for _, _, w in rows)
    errors = [m - t for t, m, _ in rows]
    centre, middle = mean(rows, [t for t, _, _ in rows]), mean(rows, [m for _, m, _ in rows])
    assert centre is not None and middle is not None
    squares = math.fsum(w * e * e for (_, _, w), e in zip(rows, errors, strict=True))
    tt = math.fsum(w * (t - centre) ** 2 for t, _, w in rows)
    pp = math.fsum(w * (m - middle) ** 2 for _, m, w in rows)
    tp = math.fsum(w * (t - centre) * (m - middle) for t, m, w in rows)
    bias = middle - centre
    absolute = math.fsum(w * abs(e) for (_, _, w), e in zip(rows, errors, strict=True))

    def pinball(q: float) -> float | None:
        return mean(rows, [q * max(-e, 0.0) + (1 - q) * max(e, 0.0) for e in errors])

    allowed = all(m > 0 and t >= 0 for t, m, _ in rows)

    def deviance(power: float) -> float | None:
        if not allowed or (power == 2 and any(t == 0 for t, _, _ in rows)):
            return None
        if power == 1:
            return mean(rows, [2 * ((t * math.log(t / m) if t else 0.0) - t + m) for t, m, _ in rows])
        if power == 2:
            return mean(rows, [2 * (t / m - 1 - math.log(t / m)) for t, m, _ in rows])
        return mean(rows, [4 * (math.sqrt(t) - math.sqrt(m)) ** 2 / math.sqrt(m) for t, m, _ in rows])

    logarithms = all(x > -1 for row in rows for x in row[:2])
    logarithm = mean(rows, [math.log((1 + m) / (1 + t)) ** 2 for t, m, _ in rows]) if logarithms else None
    sizes = math.fsum(w * abs(t) for t, _, w in rows)
    return {
        "sse": squares / 2,
        "mse": squares / n,
        "rmse": math.sqrt(squares / n),
        "mae": absolute / n,
        "median_ae": quantile([(abs(e), w) for (_, _, w), e in zip(rows, errors, strict=True)], 0.5),
        "mape": None if any(t == 0 for t, _, _ in rows) else mean(rows, [abs(m - t) / abs(t) for t, m, _ in rows]),
        "bias": bias,
        "max_error": max(map(abs, errors)),
        "r2": None if tt == 0 else 1 - squares / tt,
        "explained_variance": None if tt == 0 else 1 - (squares - n * bias**2) / tt,
        "rae": None if tt == 0 else absolute / math.fsum(w * abs(t - centre) for t, _, w in rows),
        "rrse": None if tt == 0 else math.sqrt(squares / tt),
        "correlation": None if tt == 0 or pp == 0 else tp / math.sqrt(tt * pp),
        "concordance": over(2 * tp, tt + pp + n * bias**2),
        "pinball": pinball(0.5),
        "pinball quantile=0.9": pinball(0.9),
        "msle": logarithm,
        "rmsle": None if logarithm is None else math.sqrt(logarithm),
        "smape": mean(rows, [2 * abs(m - t) / (abs(t) + abs(m)) if m != t else 0.0 for t, m, _ in rows]),
        "wape": absolute / sizes if sizes else None,
        "poisson_deviance": deviance(1),
        "gamma_deviance": deviance(2),
        "tweedie_deviance": deviance(1.5),
        "tweedie_deviance power=1": deviance(1),
        "tweedie_deviance power=2": deviance(2),
    }
