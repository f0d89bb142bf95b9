"""Intervals of areas under the ROC curve: few positives, weights, units, long tables, pairs of classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import steelyard as sy
from steelyard.comparisons.placements import partial_placements as by_row
from steelyard.intervals import areas
from steelyard.intervals.area_differences import score_limits
from steelyard.intervals.placements import delong, partial_placements, placements, sides
from steelyard.summaries.scores import Scores


def drawn(rng: np.random.Generator, area: float, positives: int, negatives: int, **more: Any) -> Any:
    y = np.repeat([1, 0], [positives, negatives])
    return sy.evaluate(target=y, score=rng.normal(math.sqrt(2) * ndtri(area) * y), **more)


def test_one_positive_says_little() -> None:
    """With one positive its placements do not spread, which says nothing about others to come."""
    e = sy.evaluate(target=[1] + [0] * 200, score=np.r_[0.88, np.linspace(0, 1, 200)])
    x = e["auc"]
    assert x.low < 0.3
    assert x.high > 0.95
    turned = sy.evaluate(target=[0] + [1] * 200, score=np.r_[0.12, 1 - np.linspace(0, 1, 200)])["auc"]
    assert (turned.low, turned.high) == pytest.approx((x.low, x.high), abs=1e-9)


@pytest.mark.parametrize(("area", "positives"), [(0.95, 1), (0.95, 5), (0.95, 15), (0.8, 2)])
def test_few_positives_are_covered(area: float, positives: int) -> None:
    rng = np.random.default_rng([4, positives])
    held = 0
    for _ in range(150):
        x = drawn(rng, area, positives, 200)["auc"]
        held += x.low <= area <= x.high
    assert held / 150 >= 0.91


def test_all_numbers_of_an_area_share_its_interval_and_a_turned_score_turns_it() -> None:
    rng = np.random.default_rng(5)
    y, s = np.repeat([1, 0], [12, 70]), rng.normal(size=82)
    e, f = sy.evaluate(target=y, score=s), sy.evaluate(target=y, score=-s)
    a, g, q, back = e["auc"], e["gini"], e["l_quality"], f["auc"]
    assert (g.low, g.high) == pytest.approx((2 * a.low - 1, 2 * a.high - 1))
    assert (q.low, q.high) == (g.low, g.high)
    assert (back.low, back.high) == pytest.approx((1 - a.high, 1 - a.low), abs=1e-9)


def test_with_many_rows_it_is_delongs_interval() -> None:
    e = drawn(np.random.default_rng(6), 0.8, 4000, 9000)
    area, x = delong(e.scores), e["auc"]
    assert (x.high - x.low) / 2 == pytest.approx(1.96 * area.error, rel=0.02)
    assert [p.variance / p.rows for p in sides(e.scores)] == pytest.approx(
        [area.from_positives, area.from_negatives], rel=1e-3
    )


def test_long_tables_are_joined_without_losing_their_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    for area, positives in ((0.85, 2000), (0.999, 40), (0.6, 9)):
        e = drawn(np.random.default_rng(7), area, positives, 12_000)
        found = e["auc"]
        with monkeypatch.context() as m:
            m.setattr("steelyard.intervals.placements.GROUPS", 1 << 20)
            whole = areas.area_limits(found.value, sides(e.scores), 0.95)
        assert (found.low, found.high) == pytest.approx(whole, abs=0.02 * (whole[1] - whole[0]))


def test_heavy_weights_count_as_the_rows_that_they_leave() -> None:
    rng = np.random.default_rng(8)
    y, s = np.repeat([1, 0], [40, 200]), rng.normal(size=240) + np.repeat([1.5, 0.0], [40, 200])
    plain = sy.evaluate(target=y, score=s)["auc"]
    alike = sy.evaluate(target=y, score=s, weight=np.full(240, 3.7))["auc"]
    assert (alike.low, alike.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
    heavy = sy.evaluate(target=y, score=s, weight=rng.lognormal(0, 1.5, 240))["auc"]
    assert heavy.high - heavy.low > 1.4 * (plain.high - plain.low)


def test_units_that_all_agree_still_leave_room() -> None:
    unit = np.repeat(np.arange(20), 5)
    y = np.tile([1, 0, 0, 0, 0], 20)
    x = sy.evaluate(target=y, score=y + np.linspace(0, 0.5, 100), unit=unit)["auc"]
    assert (x.value, x.high) == (1, 1)
    assert 0.6 < x.low < 0.95
    assert "20 buckets of units" in x.method


def test_rows_of_one_unit_are_not_new_rows() -> None:
    """Each of 30 rows written eight times: the interval is that of 30, not of 240."""
    rng = np.random.default_rng(9)
    y, s = np.repeat([1, 0], [12, 18]), rng.normal(size=30) + np.repeat([1.2, 0.0], [12, 18])
    once = sy.evaluate(target=y, score=s)["auc"]
    many = sy.evaluate(target=np.repeat(y, 8), score=np.repeat(s, 8), unit=np.repeat(np.arange(30), 8))["auc"]
    assert many.high - many.low > 0.9 * (once.high - once.low)


def test_partial_placements_are_those_of_the_rows() -> None:
    rng = np.random.default_rng(10)
    y, s = rng.random(80) < 0.3, np.round(rng.normal(size=80), 1)
    table = Scores.of(s.tolist(), y.astype(int).tolist(), positive=1)
    place = np.searchsorted(table.score, s)
    for limit in (0.05, 0.3, 1.0):
        positive, negative = partial_placements(table.positives, table.negatives, limit)
        rows = by_row(y, s, None, limit)
        assert rows == pytest.approx(np.concatenate([positive[place[y]], negative[place[~y]]]))
        assert positive[place[y]].mean() == pytest.approx(negative[place[~y]].mean())
    whole = partial_placements(table.positives, table.negatives, 1.0)
    below, above = placements(table)
    assert whole[0][place[y]] == pytest.approx(below[place[y]])
    assert whole[1][place[~y]] == pytest.approx(above[place[~y]])


def test_a_partial_area_of_few_negatives_says_so_and_holds() -> None:
    rng = np.random.default_rng(11)
    u = (np.arange(20_000) + 0.5) / 20_000 * 0.1
    d = math.sqrt(2) * ndtri(0.8)
    truth = 0.1 * float(np.mean(1 - ndtr(-ndtri(u) - d)))
    held = 0
    for _ in range(120):
        x = drawn(rng, 0.8, 60, 30)["partial_auc"]
        held += x.low <= truth <= x.high
    assert held / 120 >= 0.92
    assert x.caution == "rests on 3 of 30 negatives"


def test_the_mean_over_pairs_of_classes_holds_with_a_class_of_few_rows() -> None:
    def classes(rng: np.random.Generator, rows: tuple[int, ...]) -> Any:
        t = np.repeat(np.arange(3), rows)
        s = np.exp(1.2 * np.eye(3)[t] + rng.normal(size=(len(t), 3)))
        s /= s.sum(axis=1, keepdims=True)
        score = {f"c{i}": s[:, i].tolist() for i in range(3)}
        return sy.evaluate(target=[f"c{i}" for i in t], score=score)["hand_till_auc"]

    rng = np.random.default_rng(12)
    truth = float(classes(rng, (3000,) * 3))
    held, width = 0, []
    for _ in range(60):
        x = classes(rng, (4, 20, 40))
        held += x.low <= truth <= x.high
    for _ in range(10):
        x = classes(rng, (60, 60, 60))
        width.append(x.high - x.low)
    assert held / 60 >= 0.91
    assert np.mean(width) < 0.125, "each class errs for itself: all of them agreeing would make it 0.14"


@pytest.mark.parametrize("value", [0.0, 0.2, 0.5, 0.83, 1.0])
def test_score_limits_solve_their_equation(value: float) -> None:
    """Hanley and McNeil's variance at the limit, times DeLong's over theirs at the value, or one where that is nothing."""

    def g(x: float) -> float:
        return x * (1 - x) * ((1 - x) / (2 - x) + x / (1 + x)) / 2

    p, n, from_positives, from_negatives = 12.0, 30.0, 0.001, 0.0007
    kappa = [
        (size * size * v / g(value) + 8) / (size + 8) if g(value) > 0 else 1.0
        for size, v in ((p, from_positives), (n, from_negatives))
    ]
    for end in score_limits(value, from_positives, from_negatives, p, n, 0.9):
        spread = g(end) * (kappa[0] / p + kappa[1] / n) + end * (1 - end) / (p * n)
        inside = 0 < end < 1
        assert (end - value) ** 2 == pytest.approx(1.6448536**2 * spread, rel=1e-6) or (not inside and end == value)


@pytest.mark.parametrize("shape", ["two levels", "classes"])
def test_units_of_one_row_give_the_interval_of_rows(shape: str) -> None:
    """However many there are: buckets hold several of them, and are not taken for so many units."""
    rng = np.random.default_rng(8)
    n = 12_000
    if shape == "classes":
        y = rng.integers(0, 3, n)
        z = np.exp(rng.normal(size=(n, 3)) + 0.8 * np.eye(3)[y])
        given: dict[str, Any] = {"target": y, "score": z / z.sum(axis=1, keepdims=True), "levels": [0, 1, 2]}
    else:
        x = rng.normal(size=n)
        given = {"target": (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int), "score": 1 / (1 + np.exp(-x))}
    name = "auc" if shape == "two levels" else "hand_till_auc"
    rows, units = (sy.evaluate(**given, **more)[name] for more in ({}, {"unit": np.arange(n)}))
    # Without units the pairs of classes are held by an upper bound of how they go together, which the jackknife sees.
    assert (0.88 if shape == "two levels" else 0.7) < (units.high - units.low) / (rows.high - rows.low) < 1.12


def test_rows_of_large_units_that_err_alone_keep_their_interval() -> None:
    """A unit of twenty rows that have nothing in common tells as much as twenty rows."""
    rng = np.random.default_rng(9)
    who = np.repeat(np.arange(300), 20)
    x = rng.normal(size=len(who))
    given = {"target": (rng.random(len(who)) < 1 / (1 + np.exp(-x))).astype(int), "score": 1 / (1 + np.exp(-x))}
    rows, units = (sy.evaluate(**given, **more)["auc"] for more in ({}, {"unit": who}))
    assert 0.85 < (units.high - units.low) / (rows.high - rows.low) < 1.2
