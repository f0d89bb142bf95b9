"""Areas of several models on the same rows: brute force, copies, permutations, edges and coverage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, norm

import steelyard as sy
from steelyard.comparisons import placements as module
from steelyard.comparisons.areas import (
    ALIKE,
    CERTAIN,
    Areas,
    area_difference,
    areas_test,
    paired_areas,
    paired_partial_areas,
    score_limits,
)
from steelyard.comparisons.placements import partial_placements
from steelyard.errors import BadLevels, BadWeight, LengthsDiffer, MissingValues, UsageError
from steelyard.measures.ranking import partial_auc
from steelyard.summaries.scores import Scores


def brute(y: Any, scores: Any) -> tuple[Any, Any]:
    """DeLong as printed: every pair of a positive and a negative."""
    y = np.asarray(y, dtype=bool)
    v10, v01 = [], []
    for x in map(np.asarray, scores):
        wins = (x[y][:, None] > x[~y]) + 0.5 * (x[y][:, None] == x[~y])
        v10.append(wins.mean(axis=1))
        v01.append(wins.mean(axis=0))
    covariance = np.atleast_2d(np.cov(v10)) / y.sum() + np.atleast_2d(np.cov(v01)) / (~y).sum()
    return np.array([v.mean() for v in v10]), covariance


def drawn(rng: np.random.Generator, n: int, models: int = 2, digits: int | None = None) -> tuple[Any, list[Any]]:
    y = rng.random(n) < 0.4
    y[:4] = (True, True, False, False)
    common = rng.normal(size=n)
    scores = [y + common + rng.normal(size=n) for _ in range(models)]
    return y, [x if digits is None else np.round(x, digits) for x in scores]


@pytest.mark.parametrize("digits", [None, 1, 0])
def test_every_pair_says_the_same(digits: int | None) -> None:
    rng = np.random.default_rng(1)
    for _ in range(25):
        y, scores = drawn(rng, int(rng.integers(8, 90)), 3, digits)
        values, covariance = brute(y, scores)
        found = paired_areas(y, scores)
        assert found.values == pytest.approx(values, abs=1e-12)
        assert found.covariance == pytest.approx(covariance, abs=1e-12)
        assert (found.positives, found.negatives) == (y.sum(), (~y).sum())


def test_one_model_is_the_area_of_the_house() -> None:
    rng = np.random.default_rng(2)
    y, (x, _) = drawn(rng, 400, digits=1)
    e = sy.evaluate(target=y.astype(int), score=x)
    found = paired_areas(y, [x])
    assert found.values[0] == pytest.approx(e["auc"].value, abs=1e-12)


@pytest.mark.parametrize(
    "shape", ["probabilities", "log-odds", "ties", "zeros", "spread", "small", "negative", "narrow"]
)
def test_compiled_placements_are_those_of_numpy(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(3)
    n = 30_000
    y = rng.random(n) < 0.3
    x = rng.normal(size=n) + y
    x = {
        "probabilities": 1 / (1 + np.exp(-x)),
        "log-odds": x,
        "ties": np.round(x, 1) + 0.0,
        "zeros": np.where(rng.random(n) < 0.3, 0.0, np.where(rng.random(n) < 0.5, -0.0, x)),
        "spread": np.exp(60 * x),
        "small": np.sign(x) * 10.0 ** (-300 * rng.random(n)),
        "negative": -np.exp(x),
        "narrow": 0.5 + 1e-13 * np.round(1000 * x),
    }[shape]
    plain = paired_areas(y, [x, -x])
    monkeypatch.setattr(module, "LONG", 1)
    found = paired_areas(y, [x, -x])
    assert found.values.tolist() == plain.values.tolist()
    assert found.covariance == pytest.approx(plain.covariance, rel=1e-9)
    assert found.values.sum() == pytest.approx(1)


def test_order_of_rows_and_any_increasing_function_change_nothing() -> None:
    rng = np.random.default_rng(4)
    y, scores = drawn(rng, 80, digits=1)
    base = paired_areas(y, scores)
    order = rng.permutation(80)
    moved = paired_areas(y[order], [np.exp(scores[0][order] / 3), 5 * scores[1][order] - 2])
    assert moved.values == pytest.approx(base.values, abs=1e-12)
    assert moved.covariance == pytest.approx(base.covariance, abs=1e-12)


# ---- weights


def test_frequency_weights_are_copies() -> None:
    rng = np.random.default_rng(5)
    y, scores = drawn(rng, 50, 3, 1)
    w = rng.integers(1, 5, 50)
    copied = paired_areas(np.repeat(y, w), [np.repeat(x, w) for x in scores])
    weighed = paired_areas(y, scores, w)
    assert weighed.values == pytest.approx(copied.values, abs=1e-12)
    assert weighed.covariance == pytest.approx(copied.covariance, abs=1e-12)
    assert (weighed.positives, weighed.negatives) == (copied.positives, copied.negatives)


def test_sampling_weights_have_no_scale_and_equal_ones_change_nothing() -> None:
    rng = np.random.default_rng(6)
    y, scores = drawn(rng, 60, digits=1)
    w = rng.gamma(2, 1, 60)
    one, ten = (paired_areas(y, scores, c * w, "sampling") for c in (1, 10))
    assert one.covariance == pytest.approx(ten.covariance, rel=1e-12)
    even = paired_areas(y, scores, np.full(60, 3.0), "sampling")
    assert even.covariance == pytest.approx(paired_areas(y, scores).covariance, rel=1e-12)


def test_the_sandwich_covers() -> None:
    """Positives kept with a chance that depends on the score, weighed by its inverse."""
    rng = np.random.default_rng(7)
    inside = 0
    for _ in range(400):
        y = rng.random(900) < 0.3
        common = rng.normal(size=900)
        a, b = (1.2 * y + common + rng.normal(size=900) for _ in range(2))
        chance = np.where(a > 0.5, 0.6, 0.25)
        kept = rng.random(900) < chance
        d = area_difference(paired_areas(y[kept], [a[kept], b[kept]], 1 / chance[kept], "sampling"))
        inside += (d.low or 0) <= 0 <= (d.high or 0)
    assert 0.92 <= inside / 400 <= 0.98


# ---- differences


def test_z_and_p_are_delongs() -> None:
    rng = np.random.default_rng(8)
    y, scores = drawn(rng, 200)
    values, v = brute(y, scores)
    z = (values[0] - values[1]) / math.sqrt(v[0, 0] + v[1, 1] - 2 * v[0, 1])
    d = area_difference(paired_areas(y, scores))
    assert d.statistic == pytest.approx(z, abs=1e-10)
    assert d.p_value == pytest.approx(2 * norm.sf(abs(z)), rel=1e-9)
    plain = area_difference(paired_areas(y, scores), method="DeLong")
    half = 1.959963984540054 * (values[0] - values[1]) / z
    assert (plain.low, plain.high) == pytest.approx((d.value - half, d.value + half))
    back = area_difference(paired_areas(y, scores), 1, 0)
    assert (back.low, back.high) == pytest.approx((-d.high, -d.low))


def test_p_against_swapping_the_models_row_by_row() -> None:
    """A permutation test needs scores on one scale: ranks of each model, swapped at random in each row."""
    rng = np.random.default_rng(9)
    y, (a, b) = drawn(rng, 120)
    a, b = (np.argsort(np.argsort(x)).astype(float) for x in (a + 0.4 * y, b))
    d = area_difference(paired_areas(y, [a, b]))
    found = []
    for _ in range(1200):
        swap = rng.random(120) < 0.5
        v = paired_areas(y, [np.where(swap, b, a), np.where(swap, a, b)]).values
        found.append(abs(v[0] - v[1]))
    assert float(np.mean(np.array(found) >= abs(d.value or 0))) == pytest.approx(d.p_value, abs=0.035)


def test_the_same_ranking_is_said() -> None:
    rng = np.random.default_rng(10)
    y, (x, _) = drawn(rng, 90)
    d = area_difference(paired_areas(y, [x, np.exp(x)]))
    assert (d.value, d.low, d.high, d.p_value, d.note) == (0, 0, 0, 1, ALIKE)
    assert areas_test(paired_areas(y, [x, np.exp(x), 3 * x])).note == ALIKE


def test_without_spread_there_is_an_interval_but_no_test() -> None:
    y = np.array([False] * 20 + [True] * 20)
    x = np.arange(40.0)
    d = area_difference(paired_areas(y, [x, -x]))
    assert (d.value, d.p_value, d.note) == (1, None, CERTAIN)
    assert 0.7 < (d.low or 0) < 1
    assert d.high == 1
    t = areas_test(paired_areas(y, [x, -x]))
    assert (t.p_value, t.note) == (None, CERTAIN)


def test_score_limits_solve_their_equation() -> None:
    for value, p, n in ((0.95, 30.0, 70.0), (0.6, 200.0, 50.0), (0.0, 12.0, 9.0), (1.0, 5.0, 500.0)):
        low, high = score_limits(value, 0.05 / p, 0.04 / n, p, n, 0.9)
        assert 0 <= low <= value <= high <= 1
        wide = score_limits(value, 0.05 / p, 0.04 / n, p, n, 0.99)
        assert wide[0] <= low <= high <= wide[1]
    turned = score_limits(0.2, 0.001, 0.002, 40, 60, 0.95)
    back = score_limits(0.8, 0.001, 0.002, 40, 60, 0.95)
    assert turned == pytest.approx((1 - back[1], 1 - back[0]), abs=1e-9)
    # With very many rows it is DeLong's own interval.
    low, high = score_limits(0.8, 1e-8, 1e-8, 1e6, 1e6, 0.95)
    assert (high - low) / 2 == pytest.approx(1.96 * math.sqrt(2e-8), rel=1e-2)


def test_coverage_near_one_with_thirty_positives() -> None:
    rng = np.random.default_rng(11)
    inside = {"MOVER": 0, "DeLong": 0}
    first, second = (math.sqrt(2) * norm.ppf(a) for a in (0.99, 0.95))
    for _ in range(800):
        y = np.arange(430) < 30
        common = rng.normal(size=430)
        scores = [d * y + 0.7 * common + 0.71 * rng.normal(size=430) for d in (first, second)]
        found = paired_areas(y, scores)
        for method in inside:
            d = area_difference(found, method=method)
            inside[method] += (d.low or 0) <= 0.04 <= (d.high or 0)
    assert 0.925 <= inside["MOVER"] / 800 <= 0.975
    assert inside["DeLong"] < inside["MOVER"]


# ---- the test of all, and different rows


def test_all_equal_is_the_square_for_two_and_ignores_a_model_said_twice() -> None:
    rng = np.random.default_rng(12)
    y, scores = drawn(rng, 150, 3)
    two = areas_test(paired_areas(y, scores[:2]))
    z = area_difference(paired_areas(y, scores[:2])).statistic or 0
    assert two.statistic == pytest.approx(z * z, rel=1e-9)
    assert two.freedom == 1
    three, more = areas_test(paired_areas(y, scores)), areas_test(paired_areas(y, [*scores, scores[1]]))
    assert (three.freedom, more.freedom) == (2, 2)
    assert more.statistic == pytest.approx(three.statistic, rel=1e-6)
    assert three.p_value == pytest.approx(chi2.sf(three.statistic, 2))
    # Any set of contrasts that spans the differences gives the same.
    a = paired_areas(y, scores)
    c = np.array([[1.0, -0.5, -0.5], [0.0, 1.0, -1.0]])
    by_hand = (c @ a.values) @ np.linalg.inv(c @ a.covariance @ c.T) @ (c @ a.values)
    assert three.statistic == pytest.approx(by_hand)


def test_errors_of_the_first_kind() -> None:
    rng = np.random.default_rng(13)
    p = np.array([areas_test(paired_areas(*drawn(rng, 150, 3))).p_value for _ in range(600)])
    assert 0.03 <= float((p < 0.05).mean()) <= 0.075


# ---- partial areas


@pytest.mark.parametrize("digits", [None, 0])
def test_partial_areas_are_those_of_the_catalogue(digits: int | None) -> None:
    rng = np.random.default_rng(15)
    for _ in range(25):
        y, scores = drawn(rng, int(rng.integers(8, 60)), 2, digits)
        for limit in (0.03, 0.1, 0.25, 0.5, 0.77, 1.0):
            found = paired_partial_areas(y, scores, limit)
            wanted = [float(partial_auc(Scores.of(x, y.tolist(), True), fpr=limit).value) for x in scores]
            assert found.values == pytest.approx(wanted, abs=1e-12)
            # Seen from the negatives it is the same area.
            for x, value in zip(scores, wanted, strict=True):
                placed = partial_placements(y, x, None, limit)
                assert placed[int(y.sum()) :].mean() == pytest.approx(value, abs=1e-12)


def test_the_whole_curve_is_the_area() -> None:
    y, scores = drawn(np.random.default_rng(16), 90, 2, 1)
    whole, partial = paired_areas(y, scores), paired_partial_areas(y, scores, 1.0)
    assert partial.values == pytest.approx(whole.values)
    assert partial.covariance == pytest.approx(whole.covariance)


def test_partial_covariance_is_the_spread_of_many_samples() -> None:
    rng = np.random.default_rng(17)
    found: list[Areas] = [paired_partial_areas(*drawn(rng, 200), 0.2) for _ in range(600)]
    seen = np.cov(np.array([a.values for a in found]).T)
    told = np.mean([a.covariance for a in found], axis=0)
    assert told == pytest.approx(seen, rel=0.15)


def test_partial_difference_names_its_limit() -> None:
    y, scores = drawn(np.random.default_rng(18), 200)
    d = area_difference(paired_partial_areas(y, scores, 0.2))
    assert (d.measure, d.options) == ("partial_auc", {"fpr": 0.2})
    assert -0.2 <= (d.low or 0) < (d.high or 0) <= 0.2
    with pytest.raises(UsageError, match=r"between 0 and 1, and 1\.2 came"):
        paired_partial_areas(y, scores, 1.2)


# ---- bad input


def test_bad_input_gets_a_sentence() -> None:
    y, x = [0, 1, 1, 0], [0.1, 0.4, 0.3, 0.2]
    with pytest.raises(BadLevels, match="true or false"):
        paired_areas(["a", "b", "a", "b"], [x])
    with pytest.raises(BadLevels, match="one level only"):
        paired_areas([1, 1, 1, 1], [x])
    with pytest.raises(LengthsDiffer, match="differ in length: 4 and 3 rows"):
        paired_areas(y, [x, [1.0, 2.0, 3.0]])
    with pytest.raises(MissingValues, match="Of 4 scores, 1 is missing"):
        paired_areas(y, [x, [1.0, 2.0, 3.0, float("nan")]])
    with pytest.raises(BadWeight, match="zero or negative"):
        paired_areas(y, [x], [1.0, 0.0, 1.0, 1.0])
    with pytest.raises(UsageError, match="no scores"):
        paired_areas(y, [])
    with pytest.raises(UsageError, match="frequency"):
        paired_areas(y, [x], [1.0] * 4, "other")
    with pytest.raises(UsageError, match="two areas or more, and 1 came"):
        areas_test(paired_areas(y, [x]))
    with pytest.raises(UsageError, match='"MOVER", "DeLong"'):
        area_difference(paired_areas(y, [x, x]), method="Hanley")
