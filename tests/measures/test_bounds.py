"""What a grid can have hidden, for cells small enough to try everything that they can have held."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.measure import find
from steelyard.summaries.cells import Cells
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores

from . import plain


def table(cells: list[tuple[float, float, float, float]]) -> Scores:
    """Of (low, high, negatives, positives)."""
    low, high, n, p = map(np.array, zip(*cells))
    return Scores(
        Cells(low, high, np.stack([n, p], axis=-1).astype(float), int(n.sum() + p.sum()), gridded=True), (0, 1), 1
    )


def told(name: str, s: Any, **options: Any) -> float:
    bound = find(name).bound
    assert bound is not None
    return float(bound(s, **options))


def value(name: str, s: Any, **options: Any) -> float:
    return float(find(name)(s, **options).value)


def mean_shift(s: Scores, bins: int) -> float:
    """Half a cell for every row, and two for a row of a cell that reaches over an edge of a bin."""
    shift = weight = 0.0
    for low, high, n in zip(s.cells.low, s.cells.high, s.counts.sum(axis=-1)):
        shift += n * ((high - low) / 2 + 2 * (int(low * bins) != int(high * bins)))
        weight += n
    return shift / weight


def test_the_bound_of_bins_is_the_mean_shift() -> None:
    s = table([(0.12, 0.18, 2, 1), (0.28, 0.32, 1, 4), (0.5, 0.5, 2, 2), (0.81, 0.84, 0, 3)])
    for bins in (10, 4):
        assert told("ece", s, bins=bins) == pytest.approx(mean_shift(s, bins))
        for name in ("brier_reliability", "brier_resolution"):
            assert told(name, s, bins=bins) == pytest.approx(2 * mean_shift(s, bins))
    assert told("ece", s) == pytest.approx(mean_shift(s, 10)) and told("brier_resolution", s) == 2 * told("ece", s)
    assert told("ece", table([(0.5, 0.5, 0, 0)])) == 0.0
    light = s.replicate(s.counts / 1024)
    assert told("ece", light) == pytest.approx(told("ece", s)), "only the proportions of weights matter"


def worst_precision(s: Scores) -> float:
    """The largest change of average precision when positives of a blurred cell come first together, or last bit by bit."""

    def rows(last: bool) -> list[tuple[int, float, float]]:
        out: list[tuple[int, float, float]] = []
        for low, high, (n, p) in zip(s.cells.low, s.cells.high, s.counts):
            if low == high:
                out += [(0, low, n), (1, low, p)]
            elif last:
                pieces = 4000
                out += [(0, high, n)] + [(1, low + (high - low) * k / pieces / 2, p / pieces) for k in range(pieces)]
            else:
                out += [(0, low, n), (1, high, p)]
        return [r for r in out if r[2] > 0]

    def precision(found: list[tuple[int, float, float]]) -> float:
        tp = fp = total = 0.0
        for cut in sorted({x for _, x, _ in found}, reverse=True):
            here = [r for r in by_score[cut] if r[0]]
            gained = sum(w for _, _, w in here)
            tp += gained
            fp += sum(w for y, _, w in by_score[cut] if not y)
            total += gained * tp / (tp + fp)
        return total / tp

    ends = []
    for last in (False, True):
        found = rows(last)
        by_score: dict[float, list[tuple[int, float, float]]] = {}
        for r in found:
            by_score.setdefault(r[1], []).append(r)
        ends.append(precision(found))
    return max(abs(x - value("average_precision", s)) for x in ends)


@pytest.mark.parametrize(
    "cells",
    [
        [(0.1, 0.1, 3, 0), (0.3, 0.31, 2, 4), (0.6, 0.6, 1, 1), (0.9, 0.92, 1, 3)],
        [(0.1, 0.2, 5, 1), (0.4, 0.5, 0, 2), (0.7, 0.8, 4, 0)],
        [(0.1, 0.2, 0, 3), (0.8, 0.8, 2, 0)],
    ],
)
def test_the_bound_of_average_precision_is_the_worst_order(cells: Any) -> None:
    s = table(cells)
    assert told("average_precision", s) == pytest.approx(worst_precision(s), abs=1e-3)
    assert told("average_precision", s) > 0 or not any(n and p for *_, n, p in cells)
    assert told("average_precision", table([(0.1, 0.2, 4, 0)])) == 0.0


def logit(p: Any) -> Any:
    return np.log(p) - np.log1p(-np.asarray(p))


def test_the_bound_of_the_intercept_is_the_greatest_shift_of_log_odds() -> None:
    s = table([(0.1, 0.1, 3, 1), (0.30, 0.36, 2, 4), (0.9, 0.92, 1, 3)])
    wanted = max(
        abs(logit(end) - logit((low + high) / 2)) for low, high in ((0.30, 0.36), (0.9, 0.92)) for end in (low, high)
    )
    assert told("calibration_intercept", s) == pytest.approx(wanted)
    for sharp in (table([(0.1, 0.1, 3, 1), (0.4, 0.4, 2, 4)]), table([(0.0, 0.1, 3, 1), (0.4, 0.5, 2, 4)])):
        assert told("calibration_intercept", sharp) == told("calibration_slope", sharp) == 0.0
    assert told("calibration_slope", table([(0.1, 0.2, 3, 0), (0.6, 0.7, 0, 4)])) == 0.0, "there is no slope"


def test_the_bound_of_the_slope_is_twice_the_first_order_effect() -> None:
    """Twice the push of the gradient by every log-odds moved half a cell, through the inverse of the information."""
    cells = [(0.2, 0.21, 6, 2), (0.45, 0.46, 3, 4), (0.8, 0.82, 2, 5)]
    s = table(cells)
    rows = [(y, (low + high) / 2, w) for low, high, n, p in cells for y, w in ((0, n), (1, p))]
    a, b = plain.fitted(rows, slope=True)
    x, w = logit(np.array([p for _, p, _ in rows])), np.array([v for *_, v in rows])
    mu = 1 / (1 + np.exp(-(a + b * x)))
    v = w * mu * (1 - mu)
    inverse = np.linalg.inv(np.array([[v.sum(), (v * x).sum()], [(v * x).sum(), (v * x * x).sum()]]))
    push = np.zeros(2)
    for low, high, n, p in cells:
        width = (logit(high) - logit(low)) / 2
        most = abs(logit(low)) + width
        push += (n + p) * width * np.array([abs(b) / 4, 1 + most * abs(b) / 4])
    assert told("calibration_slope", s) == pytest.approx(2 * float(np.abs(inverse)[1] @ push), rel=1e-5)
    moved = [plain.fitted([(y, p + d * 0.004, w) for (y, p, w), d in zip(rows, np.repeat(signs, 2))], slope=True)[1]
             for signs in product((-1, 1), repeat=3)]  # fmt: skip
    assert max(abs(m - b) for m in moved) < told("calibration_slope", s)


def test_the_bound_of_a_loss_is_that_of_the_farthest_ends() -> None:
    s = table([(0.1, 0.1, 3, 1), (0.30, 0.36, 2, 4), (0.9, 0.92, 1, 3)])
    surprise = [
        math.fsum(
            n * -math.log(1 - (high if worst else low)) + p * -math.log(low if worst else high)
            for low, high, n, p in zip(s.cells.low, s.cells.high, s.negatives, s.positives)
        )
        / float(s.total)
        for worst in (False, True)
    ]
    wanted = max(abs(x - value("log_loss", s)) for x in surprise)
    assert told("log_loss", s) == pytest.approx(wanted)


def test_the_bound_of_many_classes() -> None:
    """Of a loss the sum over classes, of areas the largest of any pair."""
    exact = ClassScores.of({"a": [0.7, 0.2, 0.4], "b": [0.2, 0.5, 0.3], "c": [0.1, 0.3, 0.3]}, ["a", "b", "c"])
    assert told("hand_till_auc", exact) == told("log_loss", exact) == 0.0
    assert told("hand_till_auc", ClassScores.of({"a": [0.7], "b": [0.3]}, ["a"])) == 0.0, "no pair has an area"
    with pytest.MonkeyPatch.context() as patch:
        for place in ("summaries.cells", "counting.rules"):
            patch.setattr(f"steelyard.{place}.EXACT_ROWS", 4)
        tiny = 2.0**-17
        target = list("abc") * 4
        first = [0.5 + tiny * (i % 4) if v == "a" else 0.5 + tiny * (i % 3) for i, v in enumerate(target)]
        e = sy.evaluate(target=target, score={"a": first, "b": [0.3] * 12, "c": [0.2] * 12})
    m = e.class_scores
    assert m is not None
    areas = []
    for i, j in product(m.levels, repeat=2):
        if i != j:
            t = m.table(i).between(i, j)
            areas.append(max(abs(value("auc", x) - value("auc", t)) for x in t.extremes()))
    assert told("hand_till_auc", m) == pytest.approx(max(areas)) and max(areas) > 0.1 > min(areas)


def test_the_bound_of_the_median_is_that_of_the_ends() -> None:
    r = Residuals.of([0.0] * 5, [1.0, 2.0, 3.0, 4.0, 5.0])
    assert told("median_ae", r) == 0.0
    low, high = np.array([1.0, 2.8, 4.0]), np.array([1.0, 3.4, 5.5])
    sizes = Cells(low, high, np.array([[1.0], [3.0], [2.0]]), 6, gridded=True)
    assert told("median_ae", replace(r, sizes=sizes)) == pytest.approx(0.3)
    # Half of the rows lie at or below the first cell: the median is the mean of the two middle ones.
    even = Cells(low, high, np.array([[3.0], [2.0], [1.0]]), 6, gridded=True)
    assert told("median_ae", replace(r, sizes=even)) == pytest.approx(0.15)
    assert told("median_ae", replace(r, sizes=Cells.of(np.array([]), np.zeros((0, 1)), 0))) == 0.0


def test_the_bound_of_relative_errors_is_that_of_the_least_and_the_most_distance() -> None:
    target, prediction = [1.0, 2.0, 4.0, 9.0] * 2, [1.5, 2.0, 3.0, 7.0] * 2
    r = Residuals.of(target, prediction)
    assert told("rae", r) == 0.0
    low = np.array([0.9, 1.9, 3.9, 8.8])
    high = np.array([1.1, 2.1, 4.1, 9.2])
    wide = replace(r, targets=Cells(low, high, np.full((4, 1), 2.0), 8, gridded=True))
    total, slack = float(wide.distance_from_mean()), 2 * (0.1 * 3 + 0.2)
    least, most = wide.distance_limits()
    ends = (max(total - slack, least), min(total + slack, most))
    assert told("rae", wide) == pytest.approx(max(abs(7 / x - 7 / total) for x in ends))
    assert told("rae", wide) > 0
    small = Residuals.of([t / 1024 for t in target], [m / 1024 for m in prediction])
    thin = replace(small, targets=Cells(low / 1024, high / 1024, wide.targets.counts, 8, gridded=True))
    assert told("rae", thin) == pytest.approx(told("rae", wide)), "a share has no unit"


@pytest.mark.parametrize("per", ["total", "case"])
@pytest.mark.parametrize("positive", [0, 1])
def test_the_bound_of_money_is_what_uncertain_rows_can_change(per: str, positive: int) -> None:
    payoff = sy.Profit(tp=5, fn=-2, fp=-3, tn=1)
    counts = [[4, 1], [2, 7]]
    sure = Confusion.of(counts, (1, 0), positive)
    assert told("profit", sure, payoff=payoff, per=per) == 0.0
    unsure = replace(sure, uncertain=(2.0, 3.0))
    wanted = (2 * 7 + 3 * 4) / (1 if per == "total" else 14)
    for name in ("profit", "cost"):
        assert told(name, unsure, payoff=payoff, per=per) == pytest.approx(wanted)


def test_the_bound_of_money_by_row_is_no_less_than_what_they_can_change() -> None:
    """By Cauchy and Schwarz at most as much as rows of one amount; exactly so where they are all the same."""
    tiny = 2.0**-17
    score = [0.1, 0.3, 0.3 + tiny, 0.3 + 2 * tiny, 0.9, 0.9]
    with pytest.MonkeyPatch.context() as patch:
        for place in ("summaries.cells", "counting.rules"):
            patch.setattr(f"steelyard.{place}.EXACT_ROWS", 2)
        for amount in ([7.0] * 6, [1.0, 2.0, 3.0, 9.0, 5.0, 5.0]):
            e = sy.evaluate(
                {"y": [0, 1, 0, 1, 1, 0], "p": score, "amount": amount},
                target="y",
                score="p",
                profit=sy.Profit(tp="amount", fp="-0.5 * amount - 1"),
                threshold=0.5,
            ).at(0.3 + tiny)
            c = e.confusion
            assert c is not None and c.uncertain == (2.0, 1.0)
            real = amount[1] + amount[3] + 0.5 * amount[2] + 1
            found = told("profit", c, payoff=e.payoff, per="total")
            assert found >= real - 1e-9
            assert amount[0] != 7.0 or found == pytest.approx(real)
