"""What tables say of themselves, counted again from the rows: labels at a threshold, buckets, bounds, moments, deviances."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.measure import find
from steelyard.results import Share
from steelyard.summaries.cells import Cells
from steelyard.summaries.deviances import Deviances
from steelyard.summaries.effective import effective_whole
from steelyard.summaries.moments import ORDERS, Moments
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores
from steelyard.summaries.steps import ERRORS, PREDICTIONS, octaves_of
from steelyard.summaries.summary import added, effective_rows, sort_levels
from steelyard.summaries.unit_targets import STEPS, level_of
from steelyard.summaries.unlabelled import read_unlabelled

N = 40
PLACE = np.arange(N)
ROWS: dict[str, Any] = {
    "y": (PLACE * 37 % 101 < 45).astype(int),
    "p": (PLACE * 53 % 20) / 20,
    "w": 0.5 + PLACE % 4,
    "who": PLACE // 4,
    "worth": (PLACE * 13 % 29) / 2 - 2.0,
}
WEIGHTS: dict[str, dict[str, Any]] = {"none": {}, "sampling": {"weight": "w", "weights": "sampling"}}


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.31, 0.95, 2.0])
def test_labels_at_a_threshold_are_those_of_rows_that_reach_it(threshold: float, weighting: str, positive: int) -> None:
    """With the same buckets of units, squared weights and amounts as labels that were counted as such."""
    more = {"unit": "who", "value": "worth", "positive": positive, **WEIGHTS[weighting]}
    said = np.where(ROWS["p"] >= threshold, positive, 1 - positive)
    found = sy.evaluate(ROWS, target="y", score="p", threshold=threshold, **more).confusion
    wanted = sy.evaluate(ROWS | {"said": said}, target="y", prediction="said", levels=[0, 1], **more).confusion
    assert found is not None and wanted is not None
    assert found.levels == wanted.levels and found.uncertain == (0.0, 0.0)
    assert np.allclose(found.counts, wanted.counts)
    assert (found.squares is None) == (weighting == "none") == (wanted.squares is None)
    assert weighting == "none" or np.allclose(found.squares, wanted.squares)
    assert found.units is not None and wanted.units is not None and np.allclose(found.units.table, wanted.units.table)
    a, b = found.amounts, wanted.amounts
    assert a is not None and b is not None and a.units is not None and b.units is not None
    for which in ((0,), (0, 0)):
        assert np.allclose(a.of(which), b.of(which))
    assert np.allclose(a.units.table[:, 0], b.units.table[:, 0])


def test_a_cell_that_a_threshold_cuts_is_uncertain() -> None:
    cells = Cells(
        np.array([0.1, 0.4, 0.8]), np.array([0.2, 0.5, 0.9]), np.array([[1.0, 2], [3, 4], [5, 6]]), 21, gridded=True
    )
    s = Scores(cells, (0, 1), 1)
    for threshold, wanted in (
        (0.4, (0, 0)),
        (0.41, (4, 3)),
        (0.5, (4, 3)),
        (0.51, (0, 0)),
        (0.9, (6, 5)),
        (0.05, (0, 0)),
    ):
        assert s.at(threshold).uncertain == wanted, threshold
    best, worst = s.extremes()
    value = float(find("auc")(s).value)
    assert float(find("auc")(worst).value) < value < float(find("auc")(best).value)
    off = max(abs(float(find("auc")(x).value) - value) for x in (best, worst))
    assert s.bound(find("auc"), value) == off and s.bound(find("auc"), value, lambda _: 0.5) == 0.5
    sharp = Scores.of([0.1, 0.4], [0, 1], positive=1)
    assert sharp.bound(find("auc"), 1.0, lambda _: 0.5) == 0.0


@pytest.mark.parametrize(
    ("low", "high", "fine"),
    [(0.0, 1.0, True), (-1e-9, 1.0, False), (0.0, 1 + 1e-9, False), (-1.0, -0.5, False), (1.5, 2.0, False)],
)
def test_scores_are_probabilities_if_all_of_them_are(low: float, high: float, fine: bool) -> None:
    assert Scores.of([low, high], [0, 1], positive=1).probabilities is fine
    wide = Cells(np.array([low]), np.array([high]), np.ones((1, 2)), 2, gridded=True)
    assert Scores(wide, (0, 1), 1).probabilities is fine


def test_buckets_hold_the_rows_of_their_units() -> None:
    e = sy.evaluate(ROWS, target="y", score="p", unit="who")
    assert e.scores is not None
    table = e.scores.by_bucket()
    wanted = sorted([int(((ROWS["who"] == u) & (ROWS["y"] == v)).sum()) for v in (0, 1)] for u in range(10))
    assert sorted(table.astype(int).tolist()) == wanted and e.scores.bucket_sizes().tolist() == [4.0] * 10
    assert Scores.of([0.1], [1], positive=1).by_unit() is None


@pytest.mark.parametrize("weights", [[1.0] * 4, [1.0, 2.0, 5.0, 0.5]])
def test_the_rows_that_count_by_kish(weights: list[float]) -> None:
    w = np.array(weights)
    assert float(effective_rows(w.sum(), (w**2).sum())) == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert effective_rows(np.array([3.0, 0.0]), np.array([3.0, 0.0])).tolist() == [3.0, 0.0]
    e = sy.evaluate(target=[1, 0, 0, 1], score=[0.1, 0.4, 0.4, 0.9], weight=weights, weights="sampling")
    assert e.scores is not None
    sides = [w[[0, 3]], w[[1, 2]]]
    assert e.scores.rarest == pytest.approx(min(x.sum() ** 2 / (x**2).sum() for x in sides))


def moments(t: Any, e: Any, w: Any, centre: Any) -> Moments:
    return Moments(
        np.array([(w * (t - centre[0]) ** i * (e - centre[1]) ** j).sum() for i, j in ORDERS]), np.array(centre)
    )


def test_moments_move_add_and_are_known_again() -> None:
    rng = np.random.default_rng(4)
    t, e, w = rng.normal(3, 2, 30), rng.normal(-1, 1, 30), rng.choice([0.5, 1, 2], 30)
    for a, b in (((0, 0), (2, -1)), ((3, 1), (0, 0)), ((1, 0), (1, 5))):
        assert np.allclose(moments(t, e, w, a).about(np.array(b, dtype=float)).sums, moments(t, e, w, b).sums)
    means = (np.average(t, weights=w), np.average(e, weights=w))
    centred = moments(t, e, w, (0, 0)).centred()
    assert np.allclose(centred.centre, means) and np.allclose(centred.sums, moments(t, e, w, means).sums, atol=1e-9)
    parts = [moments(t[s], e[s], w[s], (1, 1)).centred() for s in (slice(0, 11), slice(11, 12), slice(12, 30))]
    whole = parts[0] + parts[1] + parts[2]
    assert whole == centred and whole == parts[2] + (parts[0] + parts[1])
    assert Moments.zero() + parts[0] == parts[0] == parts[0] + Moments.zero()
    assert whole != parts[0] and whole != 3
    for k in range(len(ORDERS)):
        other = whole.sums.copy()
        other[k] += 1e-3 * (abs(other[k]) + 1)
        assert Moments(other, whole.centre) != whole, ORDERS[k]
        near = whole.sums * (1 + 1e-12)
        assert Moments(near, whole.centre) == whole
    for k in (0, 1):
        moved = whole.centre.copy()
        moved[k] += 1e-4
        assert Moments(whole.sums, moved) != whole
        assert Moments(whole.sums, whole.centre * (1 + 1e-13)) == whole
    stacked = replace(whole, sums=np.stack([whole.sums, 2 * whole.sums]), centre=np.stack([whole.centre] * 2))
    assert np.allclose(stacked.about(np.zeros(2)).sums[1], 2 * whole.about(np.zeros(2)).sums)


@pytest.mark.parametrize("zero", [False, True])
def test_deviances_of_rows_at_hand_are_those_that_are_counted(zero: bool) -> None:
    t, m = [0.0 if zero else 0.5, 1.0, 2.5, 7.0, 3.0], [0.5, 1.5, 2.0, 7.5, 3.0]
    by_hand, counted = Deviances.of(t, m), sy.evaluate(target=t, prediction=m).evidence["deviances"]
    assert np.allclose(by_hand.sums, counted.sums)
    for power in (1.0, 1.5, 2.0):
        each = [2 * ((a * math.log(a / b) if a else 0) - a + b) if power == 1 else
                4 * (math.sqrt(a) - math.sqrt(b)) ** 2 / math.sqrt(b) if power == 1.5 else
                2 * (a / b - 1 - math.log(a / b)) if a else 0.0 for a, b in zip(t, m)]  # fmt: skip
        assert np.allclose(by_hand.deviance(power), [sum(x**k for x in each) for k in (1, 2, 3, 4)])
    for target, prediction in (([-1.0, 2.0], [1.0, 2.0]), ([1.0, 2.0], [0.0, 2.0]), ([1.0, 2.0], [-1.0, 2.0])):
        found = Deviances.of(target, prediction)
        assert np.allclose(found.sums, sy.evaluate(target=target, prediction=prediction).evidence["deviances"].sums)
        assert not found.sums[4:].any() and found.sums[1:3].sum() == 1


def test_one_target_has_no_spread_whatever_rounding_left() -> None:
    t = [1e6 + 0.1] * 7
    r = sy.evaluate(
        target=t, prediction=[x + k / 7 for k, x in enumerate(t)], weight=[0.1 * k for k in range(1, 8)]
    ).residuals
    assert r is not None
    tt, pp, _ = map(float, r.spread())
    assert (tt, float(r.distance_from_mean())) == (0.0, 0.0) and pp > 0
    u, v = np.array([1.0, 2.0, 4.0]), np.array([3.0, 2.5, 7.0])
    wanted = [((u - u.mean()) ** 2).sum(), ((v - v.mean()) ** 2).sum(), ((u - u.mean()) * (v - v.mean())).sum()]
    assert np.allclose(Residuals.of(u, v).spread(), wanted)
    assert float(Residuals.of(u, v).distance_from_mean()) == pytest.approx(np.abs(u - u.mean()).sum())
    blurred = replace(
        Residuals.of(u, v), targets=Cells(np.array([1.0]), np.array([4.0]), np.full((1, 1), 3.0), 3, gridded=True)
    )
    low, high = blurred.distance_limits()
    real = np.abs(u - u.mean()).sum()
    assert low <= real <= high and low <= float(blurred.distance_from_mean()) <= high
    # No sum of distances with these squares is less than if one row had all of it, or more than if all had the same.
    assert high == pytest.approx(math.sqrt(3 * ((u - u.mean()) ** 2).sum()))


@pytest.mark.parametrize("steps", [PREDICTIONS, ERRORS])
def test_a_step_holds_the_numbers_between_its_ends(steps: Any) -> None:
    x = np.concatenate([np.linspace(-70, 70, 281), 2.0 ** np.arange(-3, 40), -(2.0 ** np.arange(-3, 40))])
    for width in (1.0, 0.25, 8.0):
        low = steps.lower(x, width)
        high = steps.upper(low, width)
        assert (low <= x).all() and (x < high).all()
        assert np.array_equal(steps.lower(low, width), low), "its lower end is in it"
        inside = np.where(high == 0, -1e-9, np.nextafter(high, -np.inf))
        assert np.array_equal(steps.lower(inside, width), low), "and all that is below its upper one"
    code = steps.encode(np.sort(x))
    assert (np.diff(code) >= 0).all() and np.array_equal(np.unique(code), np.unique(steps.encode(steps.decode(code))))
    assert [octaves_of(v) for v in (0.0, 0.3, 1.0, 2.0, 5.0)] == [0, 0, 1, 2, 3]


def test_targets_by_unit_lie_in_few_steps() -> None:
    for values in ([0.0, 100.0], [-3.0, 5.0, 9.0], [1e6, 1e6 + 1], [0.0, 0.0], [2.0**-40, 2.0**40]):
        cells = Cells.of(np.unique(values), np.ones((len(np.unique(values)), 1)), len(values))
        level = level_of(cells)
        ends = np.array([cells.low[0], cells.high[-1]])
        assert np.ptp(PREDICTIONS.encode(np.ldexp(ends, -level))) < STEPS
        finer = np.ptp(PREDICTIONS.encode(np.ldexp(ends, 1 - level))) >= STEPS
        assert finer or ends[0] == ends[1] or level <= max(np.frexp(np.abs(ends).max())[1] - 69, -1000)


def test_distances_without_each_unit_are_those_of_the_others() -> None:
    t = np.array([1.0, 2.0, 2.5, 7.0, 3.0, 4.0, 8.0, 1.5, 6.0, 5.0, 2.0, 9.0])
    unit = np.arange(12) // 2
    for weight in (None, 1.0 + np.arange(12) % 3):
        given: dict[str, Any] = {} if weight is None else {"weight": weight, "weights": "sampling"}
        r = sy.evaluate(target=t, prediction=t + 0.5, unit=unit, **given).residuals
        assert r is not None and r.unit_targets is not None and r.units is not None
        w = np.ones(12) if weight is None else weight
        _, without, many = r.left_out()
        found = sorted(np.asarray(without.distance_from_mean()).tolist())
        kept = [unit != u for u in range(6)]
        wanted = sorted(float((w[k] * np.abs(t[k] - np.average(t[k], weights=w[k]))).sum()) for k in kept)
        assert many == 6 and found == pytest.approx(wanted, rel=0.03)
        for old in (replace(r, unit_targets=None), replace(r, unit_sizes=None), replace(r, units=None)):
            for both in (old + r, r + old):
                lost = [getattr(both, k) is None for k in ("unit_targets", "unit_sizes", "units")]
                assert lost == [getattr(old, k) is None for k in ("unit_targets", "unit_sizes", "units")]
        wider = r.unit_targets.at(r.unit_targets.level + 7)
        assert np.allclose(wider.units.table.sum(axis=1), r.unit_targets.units.table.sum(axis=1))
        assert len(wider.starts) < len(r.unit_targets.starts) and r.unit_targets.at(-1000) is r.unit_targets


def test_rows_without_a_target_are_kept_by_what_was_predicted() -> None:
    rows, missing = np.array([2, 3, 4, 5]), np.array([True, False, True, False])
    labels = read_unlabelled({"label": np.array(["a", "a", "b", None], dtype=object), "rows": rows}, missing)
    assert labels is not None and labels.levels == ("a", "b") and labels.counts is not None
    assert sorted(map(sorted, labels.counts.tolist())) == [[0.0, 4.0], [2.0, 3.0]] and labels.missing == 6
    x = np.array([0.5, 0.2, 0.2, np.nan])
    scores = read_unlabelled({"score": x, "low": x, "high": x, "rows": rows}, missing)
    assert scores is not None and scores.cells is not None and scores.cells.low.tolist() == [0.2, 0.5]
    assert scores.missing == 6 and scores.cells.rows == 9 and scores.cells.sharp
    cell = {
        "cell": np.array([7, 3, 3, 9]),
        "low": np.array([0.5, 0.2, 0.1, np.nan]),
        "high": np.array([0.6, 0.25, 0.2, np.nan]),
    }
    gridded = read_unlabelled({**cell, "rows": rows}, missing)
    assert gridded is not None and gridded.cells is not None
    assert (gridded.cells.low.tolist(), gridded.cells.high.tolist()) == ([0.1, 0.5], [0.25, 0.6])
    assert read_unlabelled({"label": np.array(["a"] * 4), "rows": rows}, np.zeros(4, bool)) is None
    assert read_unlabelled({"rows": rows}, missing) is None
    assert read_unlabelled({"label": np.array(["a"] * 4), "bucket": rows, "rows": rows}, missing) is None
    assert (labels + labels).missing == 12 and labels + labels != labels


def test_many_are_added_and_levels_ordered() -> None:
    for n in (1, 2, 3, 7, 8):
        assert added([[i] for i in range(n)]) == list(range(n))
    assert sort_levels(["b", 2, "a", True, 0.5, False]) == (False, 0.5, True, 2, "a", "b")


def test_the_rows_that_a_weighted_share_rests_on() -> None:
    """Those that spread alike, p (1 − p) W² / Σ w² (x − p)², but hardly more than Kish's, and no more than there are."""
    rng = np.random.default_rng(9)
    for n in (3, 6, 40):
        w, hit = rng.choice([0.2, 1.0, 4.0], n), rng.random(n) < 0.4
        hit[:2] = True, False
        share, squares = Share((w * hit).sum(), w.sum()), Share((w**2 * hit).sum(), (w**2).sum())
        p, kish = float(share.value), w.sum() ** 2 / (w**2).sum()
        alike = p * (1 - p) * w.sum() ** 2 / (w**2 * (hit - p) ** 2).sum()
        sides = [w[hit].sum() ** 2 / (w[hit] ** 2).sum(), w[~hit].sum() ** 2 / (w[~hit] ** 2).sum()]
        wanted = min(alike, kish * (1 + min(sides) / 100))
        assert effective_whole(share, squares) == pytest.approx(wanted)
        assert effective_whole(share, squares, 1.5) == min(wanted, 1.5)
        assert effective_whole(share, None) == share.whole
        for whole in (Share(0.0, w.sum()), Share(w.sum(), w.sum())):
            all_of_it = Share(float(whole.value) * (w**2).sum(), (w**2).sum())
            assert effective_whole(whole, all_of_it) == pytest.approx(kish)
    assert effective_whole(Share(0.0, 0.0), Share(0.0, 0.0)) == 0.0
