"""Two ROC curves that cross: ranges against brute force, areas against their sum, spreads against DeLong's, and the words."""

from __future__ import annotations

import json
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

import steelyard as sy
from steelyard.charts.marks import Bar, Line
from steelyard.comparisons.areas import area_difference, paired_areas
from steelyard.comparisons.crossing import _by_row, _Spread, crossings, row_crossings
from steelyard.comparisons.paths import merged, path_of, pieces_of
from steelyard.errors import LengthsDiffer, NotAvailable, UsageError
from steelyard.results import Curve
from steelyard.summaries.scores import Scores

from ..simulating import draws, no_more_often

NAMES = ("steep", "wide")


def rows(seed: int, n: int = 1500, share: float = 0.4, same: float = 0.6) -> tuple[Any, Any, Any]:
    """Scores of two models on the same rows: one finds a few positives for sure, the other all of them slowly."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    common = rng.normal(size=n)
    noise = [same * common + np.sqrt(1 - same**2) * rng.normal(size=n) for _ in range(2)]
    # A wider spread of positives bends the curve up early and flattens it late.
    return y, noise[0] * np.where(y == 1, 2.0, 1.0) + 0.9 * y, noise[1] * np.where(y == 1, 0.6, 1.0) + 0.9 * y


def tables(y: Any, *scores: Any) -> list[Scores]:
    return [Scores.of(list(s), y.tolist(), 1) for s in scores]


def small(seed: int) -> tuple[Any, Any, Any]:
    """Few rows with many ties."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 60))
    y = np.r_[0, 1, rng.integers(0, 2, n)]
    return y, *(np.round(rng.normal(size=n + 2) + 0.8 * y, int(rng.integers(0, 3))) for _ in range(2))


def height(y: Any, s: Any, at: Any) -> Any:
    fpr, tpr, _ = roc_curve(y, s, drop_intermediate=False)
    return np.interp(at, fpr, tpr)


# ---- ranges


@pytest.mark.parametrize("seed", range(16))
def test_ranges_against_a_fine_grid(seed: int) -> None:
    y, a, b = small(seed)
    found = crossings(*tables(y, a, b), NAMES, narrow=0)
    assert found.ranges[0].low == 0 and found.ranges[-1].high == 1
    assert all(left.high == right.low and left.who != right.who for left, right in pairwise(found.ranges))
    at = np.linspace(0, 1, 4001) + 1e-7
    at = at[at < 1]
    gap = height(y, a, at) - height(y, b, at)
    for r in found.ranges:
        inside = gap[(at > r.low + 1e-6) & (at < r.high - 1e-6)]
        wanted = 0 if r.who is None else 1 if r.who == "steep" else -1
        assert (np.where(np.abs(inside) < 1e-9, 0, np.sign(inside)) == wanted).all()


@pytest.mark.parametrize("seed", range(10))
def test_the_areas_of_all_ranges_add_up(seed: int) -> None:
    y, a, b = small(seed)
    for narrow in (0, 0.02, 0.2):
        found = crossings(*tables(y, a, b), NAMES, narrow=narrow)
        assert sum(r.difference.value for r in found.ranges) == pytest.approx(
            roc_auc_score(y, a) - roc_auc_score(y, b), abs=1e-12
        )
        assert sum(r.difference.values[0] for r in found.ranges) == pytest.approx(roc_auc_score(y, a), abs=1e-12)
        assert len(found.ranges) == 1 or all(r.high - r.low >= narrow for r in found.ranges)
        for r in found.ranges:
            d = r.difference
            assert d.value == pytest.approx(d.values[0] - d.values[1], abs=1e-12)
            assert d.low <= d.value <= d.high
            assert r.clear == (r.who is not None and (d.low > 0 or d.high < 0))


def test_the_other_way_round() -> None:
    y, a, b = rows(2)
    one, two = crossings(*tables(y, a, b), NAMES), crossings(*tables(y, b, a), NAMES[::-1])
    assert [(r.low, r.high, r.who) for r in one.ranges] == [(r.low, r.high, r.who) for r in two.ranges]
    assert [r.difference.value for r in one.ranges] == pytest.approx([-r.difference.value for r in two.ranges])


def test_curves_that_cross_once() -> None:
    y, a, b = rows(3, 6000)
    found = row_crossings(y, a, b, NAMES)
    assert [r.who for r in found.ranges] == ["steep", "wide"]
    assert all(r.clear for r in found.ranges)
    assert found.dominant is None
    said = found.sentences()
    assert said[0] == "The ROC curves of steep and wide cross."
    assert said[1].startswith("At false positive rates from 0% to ") and "steep finds more positives" in said[1]
    assert "times a false alarm" in said[-1]


def test_one_that_dominates_and_two_that_are_the_same() -> None:
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1] * 12)
    good, poor = np.array([1, 2, 3, 5, 4, 6, 7, 8] * 12), np.array([1, 2, 5, 6, 3, 4, 7, 8] * 12)
    found = crossings(*tables(y, good, poor), NAMES)
    assert found.dominant == "steep"
    assert found.sentences()[0] == "The ROC curve of steep is nowhere below that of wide."
    assert crossings(*tables(y, poor, good), NAMES).dominant == "wide"
    same = row_crossings(y, good, good * 10.0, NAMES)
    assert same.dominant is None and [r.who for r in same.ranges] == [None]
    assert same.sentences()[0] == "The ROC curves of steep and wide are the same."
    assert not same.ranges[0].clear


def test_a_narrow_crossing_is_told_as_such() -> None:
    y = np.r_[np.zeros(200), np.ones(200)].astype(int)
    a = np.r_[np.arange(200), np.arange(200) + 80]
    b = np.r_[np.arange(200), np.arange(200) + 60.0]
    b[np.argmax(b)] += 1000
    a[199] = 1000
    found = crossings(*tables(y, a, b), NAMES)
    assert found.dominant is None and [r.who for r in found.ranges if r.who] == ["steep"]
    assert found.sentences()[0] == "The ROC curve of steep is higher but for narrow stretches."
    assert len(crossings(*tables(y, a, b), NAMES, narrow=0).ranges) > len(found.ranges)


# ---- how far off


def test_the_spread_of_the_whole_area_is_delongs() -> None:
    for seed, same in ((5, 0.8), (6, 0.0)):
        y, a, b = rows(seed, 1200, same=same)
        areas = paired_areas(y, [a, b])
        d = area_difference(areas, method="DeLong")
        error = (d.high - d.low) / 2 / 1.959964
        bucket = np.arange(len(y)) % 512
        by_row = [_by_row(y, s, bucket, 1) for s in (a, b)]
        assert _Spread.of(by_row, paired=True).error(0, 1) == pytest.approx(error, rel=0.12)
        apart = float(np.sqrt(np.diagonal(areas.covariance).sum()))
        assert _Spread.of(tables(y, a, b), paired=False).error(0, 1) == pytest.approx(apart, rel=0.12)


def test_units_make_pairs_and_pairs_are_narrower() -> None:
    y, a, b = rows(7, 1500, same=0.9)
    squeeze = [1 / (1 + np.exp(-s)) for s in (a, b)]
    units = [sy.evaluate(target=y, score=s, unit=np.arange(len(y))) for s in squeeze]
    paired = crossings(*units, NAMES)
    assert paired.paired and "same units" in paired.method
    alone = crossings(*(sy.evaluate(target=y, score=s) for s in squeeze), NAMES)
    assert not alone.paired and "independent" in alone.method
    assert [(r.low, r.high) for r in paired.ranges] == [(r.low, r.high) for r in alone.ranges]
    width = [sum(r.difference.high - r.difference.low for r in found.ranges) for found in (paired, alone)]
    assert width[0] < 0.8 * width[1]
    by_row = row_crossings(y, *squeeze, NAMES)
    assert sum(r.difference.high - r.difference.low for r in by_row.ranges) == pytest.approx(width[0], rel=0.2)
    # Other rows, though of as many units, are no pairs.
    moved = sy.evaluate(target=y[::-1], score=squeeze[1], unit=np.arange(len(y)))
    assert not crossings(units[0], moved, NAMES).paired


def test_equal_models_are_seldom_told_apart() -> None:
    wrong = 0
    pairs = draws(16, 6)
    for seed in range(pairs):
        rng = np.random.default_rng(seed)
        y = (rng.random(400) < 0.4).astype(int)
        common = rng.normal(size=400) + y
        found = row_crossings(y, *(common + rng.normal(size=400) for _ in range(2)), NAMES)
        wrong += any(r.clear for r in found.ranges)
    assert no_more_often(wrong, pairs, 0.05)


def test_the_band_is_about_the_difference() -> None:
    y, a, b = rows(8)
    found = row_crossings(y, a, b, NAMES)
    x, d, low, high = (np.array(found.gap.columns[k]) for k in ("fpr", "difference", "low", "high"))
    assert (low <= d).all() and (d <= high).all() and len(x) == 101
    assert d[1:-1] == pytest.approx(height(y, a, x[1:-1] + 1e-9) - height(y, b, x[1:-1] + 1e-9), abs=1e-5)


# ---- costs, pictures, words


def test_costs_are_those_of_the_regions() -> None:
    y, a, b = rows(9)
    one, two = tables(y, a, b)
    found = crossings(one, two, NAMES, prevalence=0.2)
    worth = sy.regions({n: SimpleNamespace(scores=t) for n, t in zip(NAMES, (one, two))}, prevalence=0.2)
    assert found.regions is not None and found.regions.parts == worth.parts
    fewer = Scores.of(list(b[y == 1][:100]) + list(b[y == 0]), [1] * 100 + [0] * int((y == 0).sum()), 1)
    other = crossings(one, fewer, NAMES)
    assert other.regions is None and "different prevalences" in other.note
    assert crossings(one, fewer, NAMES, prevalence=0.3).regions is not None


def test_the_chart_and_the_document() -> None:
    y, a, b = rows(3, 3000)
    found = row_crossings(y, a, b, NAMES)
    chart = found.chart()
    bars = [m for m in chart.marks if isinstance(m, Bar)]
    assert [(m.x0, m.x1, m.colour) for m in bars] == [(r.low, r.high, NAMES.index(str(r.who))) for r in found.ranges]
    assert sum(isinstance(m, Line) for m in chart.marks) == 3
    assert chart.svg().startswith("<svg") and chart.description == " ".join(found.sentences())
    told = json.loads(json.dumps(found.to_dict()))
    assert told["text"] == str(found) and len(told["ranges"]) == len(found.ranges)
    assert Curve.from_dict(told["gap"]) == found.gap
    assert "all ranges at once" in found.ranges[0].difference.method and "same rows" in found.note


def test_calls_that_cannot_be_meant() -> None:
    y, a, b = small(1)
    one, two = tables(y, a, b)
    with pytest.raises(UsageError, match="both are called"):
        crossings(one, two, ("x", "x"))
    with pytest.raises(UsageError, match="confidence"):
        crossings(one, two, confidence=2)
    with pytest.raises(UsageError, match="narrow"):
        crossings(one, two, narrow=-1)
    with pytest.raises(NotAvailable, match="has none"):
        crossings(one, sy.evaluate(target=[0, 1], prediction=[0, 1]))
    with pytest.raises(NotAvailable, match="at least one positive"):
        crossings(one, Scores.of([0.1, 0.2], [0, 0], 1))
    with pytest.raises(LengthsDiffer, match="length"):
        row_crossings([0, 1], [0.1], [0.2, 0.3])


# ---- slivers


def steep_and_late(seed: int, n: int) -> tuple[Any, Any, Any]:
    """Two models whose curves cross near a false positive rate of a tenth."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    a = np.where(y == 1, rng.normal(1.2, 2.2, n), rng.normal(0, 1, n))
    b = np.where(y == 1, rng.normal(1.2, 0.6, n), rng.normal(0, 1, n))
    return y, a, b


def test_curves_that_cross_are_said_to() -> None:
    y, a, b = steep_and_late(0, 3000)
    found = row_crossings(y, a, b, NAMES)
    at = np.array([0.01])
    assert height(y, a, at) - height(y, b, at) > 0.2
    assert [r.who for r in found.ranges] == ["steep", "wide"]
    assert found.sentences()[0] == "The ROC curves of steep and wide cross."


@pytest.mark.parametrize("n", [300, 1000, 3000])
def test_no_stretch_of_some_width_is_lost(n: int) -> None:
    """Where each curve is higher over some stretch that is wide enough by itself, both are told."""
    for seed in range(20):
        paths = [path_of(t) for t in tables(*steep_and_late(seed, n))]
        pieces = pieces_of(*paths)
        wide = {s for low, high, s in pieces if high - low >= 0.02 and s}
        ends = np.array(merged(pieces, *paths, 0.02))
        gaps = np.diff(paths[0].until(ends) - paths[1].until(ends), axis=1)
        assert wide <= set(np.sign(gaps).astype(int).ravel().tolist()), seed
        assert (np.diff(ends, axis=1) >= 0.02).all()
        assert (ends[1:, 0] == ends[:-1, 1]).all() and (ends[0, 0], ends[-1, 1]) == (0, 1)


def test_many_ranges_in_which_nothing_is_shown_are_told_by_their_number() -> None:
    rng = np.random.default_rng(11)
    y = rng.random(3_000) < 0.25
    risk = rng.normal(size=3_000) + 1.4 * y
    found = sy.compare(
        target=y.astype(int), score={"one": risk, "twin": risk + 0.05 * rng.normal(size=3_000)}
    ).crossing("one", "twin")
    told = [r for r in found.ranges if r.who is not None]
    assert len(told) > 4 and not any(r.clear for r in told)
    said = found.sentences()
    assert said[1] == f"None of {len(told)} ranges shows a clear difference."
    assert not any(s.startswith("At false positive rates from") for s in said)
    assert len(found.to_dict()["ranges"]) == len(found.ranges)
