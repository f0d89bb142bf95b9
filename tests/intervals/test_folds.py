"""Intervals over folds against their formulas, second implementations and small simulations."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from steelyard.errors import LengthsDiffer, NotAvailable, UsageError
from steelyard.intervals.folds import (
    SAME,
    bootstrap_632,
    bootstrap_632_plus,
    conservative_z,
    corrected_t,
    naive_t,
    nested,
    nested_folds,
    overfitting,
)

VALUES = st.lists(st.floats(0.01, 0.99), min_size=2, max_size=30).filter(lambda v: np.std(v) > 1e-6)
RATIO = st.floats(0.01, 3)


# Student's t ----------------------------------------------------------------------------------------------------------


@given(VALUES, st.floats(0.5, 0.99))
def test_naive_is_students_t(values: list[float], confidence: float) -> None:
    i = naive_t(values, confidence)
    expected = stats.t.interval(confidence, len(values) - 1, np.mean(values), stats.sem(values))
    assert (i.low, i.high) == pytest.approx(expected)
    assert "too short" in i.method


@given(VALUES, RATIO)
def test_the_corrected_variance_is_that_of_nadeau_and_bengio(values: list[float], ratio: float) -> None:
    a, b = naive_t(values), corrected_t(values, ratio)
    j = len(values)
    assert (b.high - b.low) / (a.high - a.low) == pytest.approx(math.sqrt((1 / j + ratio) / (1 / j)))
    assert (b.low + b.high) / 2 == pytest.approx(np.mean(values))


@given(VALUES, RATIO)
def test_in_the_unit_range_the_ends_solve_wilsons_equation(values: list[float], ratio: float) -> None:
    i = corrected_t(values, ratio, limits=(0, 1))
    m, j = float(np.mean(values)), len(values)
    error = np.std(values, ddof=1) * math.sqrt(1 / j + ratio)
    t = stats.t.ppf(0.975, j - 1)
    for p in (i.low, i.high):
        # An end is where the mean lies t standard errors away, were the end the truth.
        assert abs(m - p) == pytest.approx(t * error * math.sqrt(p * (1 - p) / (m * (1 - m))), abs=1e-9)
    assert 0 <= i.low <= m <= i.high <= 1


@given(VALUES, RATIO)
def test_ranges_mirror_and_stretch(values: list[float], ratio: float) -> None:
    v = np.array(values)
    i = corrected_t(v, ratio, limits=(0, 1))
    mirrored = corrected_t(1 - v, ratio, limits=(0, 1))
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((i.low, i.high))
    stretched = corrected_t(2 * v - 1, ratio, limits=(-1, 1))
    assert ((stretched.low + 1) / 2, (stretched.high + 1) / 2) == pytest.approx((i.low, i.high))
    up, down = corrected_t(v, ratio, limits=(0, math.inf)), corrected_t(1 - v, ratio, limits=(-math.inf, 1))
    assert up.low * up.high == pytest.approx(v.mean() ** 2)
    # One end is two ends of which one is far away.
    far = corrected_t(v, ratio, limits=(0, 1e8))
    assert (far.low, far.high) == pytest.approx((up.low, up.high), rel=1e-4)
    assert (1 - down.high, 1 - down.low) == pytest.approx((up.low, up.high))


@given(VALUES, RATIO)
def test_far_from_the_ends_the_range_does_not_matter(values: list[float], ratio: float) -> None:
    plain = corrected_t(values, ratio)
    wide = corrected_t(values, ratio, limits=(-1e7, 1e7))
    assert (wide.low, wide.high) == pytest.approx((plain.low, plain.high), abs=1e-4)


@given(VALUES)
def test_every_interval_stays_inside_the_range(values: list[float]) -> None:
    pairs = np.random.default_rng(1).random((5, 2))
    for i in (
        naive_t(values, 0.999, (0, 1)),
        corrected_t(values, 1.0, 0.999, (0, 1)),
        conservative_z(values, pairs, 0.999, (0, 1)),
    ):
        assert 0 <= i.low <= np.mean(values) + 1e-12
        assert np.mean(values) - 1e-12 <= i.high <= 1


def test_few_folds_equal_folds_and_missing_folds_say_so() -> None:
    for f in (naive_t, lambda v: corrected_t(v, 0.5)):
        one = f([0.8])
        assert (one.low, one.high, one.method) == (None, None, "none")
        assert one.note.startswith("one fold only: ")
        assert f([]).note == "no folds"
        assert f([0.8, math.nan, 0.7]).note == "1 of 3 folds have no value"
        same = f([0.8] * 10)
        assert (same.low, same.high, same.note) == (pytest.approx(0.8), pytest.approx(0.8), SAME)
    perfect = corrected_t([1.0] * 10, 0.5, limits=(0, 1))
    assert (perfect.low, perfect.high, perfect.note) == (1.0, 1.0, SAME)


def test_what_cannot_be_meant_is_refused() -> None:
    for ratio in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(UsageError, match="ratio"):
            corrected_t([0.1, 0.2], ratio)
    for confidence in (0.0, 1.0, 95.0):
        with pytest.raises(UsageError, match="confidence"):
            naive_t([0.1, 0.2], confidence)
        with pytest.raises(UsageError, match="confidence"):
            conservative_z([0.1], [[0.1, 0.2]] * 2, confidence)
    with pytest.raises(LengthsDiffer, match="two columns"):
        conservative_z([0.1], [[0.1, 0.2, 0.3]] * 2)


def test_coverage_of_hold_outs_that_share_rows() -> None:
    """The mean of the training rows predicts the test rows: squared error at 60 of 90 rows is 1 + 1/60."""
    rng = np.random.default_rng(3)
    held: dict[str, list[bool]] = {"naive": [], "corrected": []}
    for _ in range(400):
        y = rng.standard_normal(90)
        values = []
        for _ in range(10):
            order = rng.permutation(90)
            values.append(float(((y[order[:30]] - y[order[30:]].mean()) ** 2).mean()))
        for name, i in (("naive", naive_t(values)), ("corrected", corrected_t(values, 0.5, limits=(0, math.inf)))):
            held[name].append(i.low <= 1 + 1 / 60 <= i.high)
    assert np.mean(held["naive"]) < 0.75
    assert 0.91 < np.mean(held["corrected"]) < 0.985


# Halves ---------------------------------------------------------------------------------------------------------------


def test_conservative_z_is_the_spread_between_halves() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        values, pairs = rng.normal(5, 1, 15), rng.normal(5, 1, (rng.integers(2, 12), 2))
        i = conservative_z(values, pairs)
        total = 0.0
        for a, b in pairs:
            total += (a - b) ** 2
        half = 1.959963985 * math.sqrt(total / (2 * len(pairs)))
        assert (i.low, i.high) == pytest.approx((values.mean() - half, values.mean() + half))
        assert i.method == f"conservative z over {len(pairs)} pairs of halves"


def test_conservative_z_without_pairs() -> None:
    for pairs in ([], [[0.1, 0.2]]):
        assert conservative_z([0.1, 0.2], pairs).note.startswith("fewer than two pairs")
    assert conservative_z([0.1, 0.2], [[0.1, math.nan], [0.1, 0.2]]).note == "1 of 4 halves have no value"
    assert conservative_z([0.1, 0.2], [[0.1, 0.1], [0.2, 0.2]]).note == SAME


# Nested folds ---------------------------------------------------------------------------------------------------------


def _rows(rng: np.random.Generator, n: int, k: int, shift: float) -> tuple[list[Any], dict[Any, Any]]:
    """Losses by row: outer[j] on fold j, inner[j, i] on fold i without i and j; the pair shares one model."""
    sizes = [len(range(j, n, k)) for j in range(k)]
    outer = [rng.exponential(1, s) for s in sizes]
    inner = {(j, i): rng.exponential(1 + shift, sizes[i]) for j in range(k) for i in range(k) if i != j}
    return outer, inner


def _by_the_paper(draws: list[Any], k: int, n: int) -> tuple[float, float]:
    """Row by row, as the paper's algorithm says it."""
    a, b, everything, outer_rows = [], [], [], []
    for outer, inner in draws:
        for j in range(k):
            within = np.concatenate([inner[j, i] for i in range(k) if i != j])
            a.append((within.mean() - outer[j].mean()) ** 2)
            b.append(outer[j].var(ddof=1) / len(outer[j]))
            everything.append(within)
        outer_rows.append(np.concatenate(outer))
    level, plain = np.concatenate(everything).mean(), np.concatenate(outer_rows).mean()
    single = np.mean([r.var(ddof=1) / n for r in outer_rows])
    mse = max(0.0, float(np.mean(a) - np.mean(b)))
    inflation = math.sqrt((k - 1) / k * mse / single)
    error = math.sqrt(single) * max(1.0, min(inflation, math.sqrt(k)))
    return level - (1 + (k - 2) / k) * (level - plain), error


@pytest.mark.parametrize(("n", "k", "repeats"), [(50, 5, 1), (53, 5, 4), (31, 3, 2), (47, 10, 3)])
def test_nested_folds_follow_the_paper(n: int, k: int, repeats: int) -> None:
    rng = np.random.default_rng(n)
    ratios = []
    for shift in (0.0, 0.3, 3.0):
        draws = [_rows(rng, n, k, shift) for _ in range(repeats)]
        outer = [[x.mean() for x in o] for o, _ in draws]
        errors = [[x.var(ddof=1) / len(x) for x in o] for o, _ in draws]
        sizes = [[len(x) for x in o] for o, _ in draws]
        inner = [[[i[j, m].mean() if j != m else math.nan for m in range(k)] for j in range(k)] for _, i in draws]
        found = nested(outer, inner, errors, sizes)
        assert (found.value, found.error) == pytest.approx(_by_the_paper(draws, k, n))
        z = nested_folds(outer, inner, errors, sizes=sizes)
        assert (z.low, z.high) == pytest.approx(
            (found.value - 1.959963985 * found.error, found.value + 1.959963985 * found.error)
        )
        assert z.method == "nested cross validation"
        single = np.mean([np.concatenate(o).var(ddof=1) / n for o, _ in draws])
        ratios.append(found.error / math.sqrt(single))
    # The last shift is far beyond what rows explain, so the upper bound holds it.
    assert min(ratios) >= 1 - 1e-12
    assert ratios[-1] == pytest.approx(math.sqrt(k))


def test_nested_folds_of_equal_size_need_no_sizes_and_no_repeats() -> None:
    rng = np.random.default_rng(6)
    outer, errors, inner = rng.random((1, 4)), rng.random((1, 4)) / 100, rng.random((1, 4, 4))
    a, b = nested(outer, inner, errors), nested(outer[0], inner[0], errors[0])
    assert a == b
    many = nested(outer, inner, errors, np.full((1, 4), 10_000_000))
    assert a.value == pytest.approx(many.value)


def test_nested_folds_refuse_what_does_not_fit() -> None:
    ones = np.ones((1, 4))
    with pytest.raises(LengthsDiffer, match="shapes"):
        nested(ones, np.ones((1, 4, 3)), ones)
    with pytest.raises(NotAvailable, match="at least 3 folds"):
        nested(np.ones((1, 2)), np.ones((1, 2, 2)), np.ones((1, 2)))
    assert (
        nested_folds([[0.1, math.nan, 0.2]], np.ones((1, 3, 3)), np.ones((1, 3))).note
        == "1 of 3 outer folds have no value"
    )
    assert nested_folds(np.ones((1, 3)), np.full((1, 3, 3), np.nan), np.ones((1, 3))).low is None
    same = nested_folds(np.ones((1, 3)), np.ones((1, 3, 3)), np.zeros((1, 3)))
    assert (same.low, same.high, same.note) == (1.0, 1.0, SAME)


# The bootstrap --------------------------------------------------------------------------------------------------------


def _plus(err: float, oob: float, gamma: float) -> float:
    """The other form of the estimate: the plain one, and what overfitting adds to it."""
    oob = min(oob, gamma)
    r = (oob - err) / (gamma - err) if oob > err and gamma > err else 0.0
    plain = 0.368 * err + 0.632 * oob
    return plain + (oob - err) * 0.368 * 0.632 * r / (1 - 0.368 * r)


@settings(max_examples=300)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_632_plus_against_the_other_form(err: float, oob: float, gamma: float) -> None:
    found = bootstrap_632_plus(err, oob, gamma, "lower")
    assert found.value == pytest.approx(_plus(err, oob, gamma), abs=1e-12)
    assert 0.632 <= found.weight <= 1.0 + 1e-12
    assert 0 <= found.rate <= 1
    assert bootstrap_632(err, oob).value == pytest.approx(0.368 * err + 0.632 * oob)
    assert bootstrap_632(err, oob, gamma).rate == found.rate
    higher = bootstrap_632_plus(1 - err, 1 - oob, 1 - gamma, "higher")
    assert (
        (1 - higher.value, higher.weight, higher.rate)
        == pytest.approx((found.value, found.weight, found.rate), abs=1e-6)
        or abs(err - gamma) < 1e-9
        or abs(err - oob) < 1e-9
    )


def test_632_of_pure_noise_by_formula() -> None:
    assert bootstrap_632_plus(0.0, 0.5, 0.5) == (0.5, 1.0, 1.0)
    assert bootstrap_632(0.0, 0.5) == (0.316, 0.632, 0.0)
    assert bootstrap_632_plus(1.0, 0.5, 0.5, "higher") == (0.5, 1.0, 1.0)
    assert overfitting(0.2, 0.1, 0.5, "lower") == 0.0
    assert overfitting(0.2, 0.3, 0.1, "lower") == 0.0
    with pytest.raises(UsageError, match="higher"):
        overfitting(0.1, 0.2, 0.5, "")


def test_632_of_pure_noise_by_simulation() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(7)
    plain, plus = [], []
    for _ in range(12):
        x, y = rng.standard_normal((60, 3)), rng.integers(0, 2, 60)
        learner = KNeighborsClassifier(1).fit(x, y)
        fitted = learner.predict(x)
        wrong, count = 0, 0
        for _ in range(25):
            drawn = rng.integers(0, 60, 60)
            out = np.setdiff1d(np.arange(60), drawn)
            wrong += int((KNeighborsClassifier(1).fit(x[drawn], y[drawn]).predict(x[out]) != y[out]).sum())
            count += len(out)
        apparent = float((fitted != y).mean())
        assert apparent == 0
        gamma = float((y[:, None] != fitted[None]).mean())
        plain.append(bootstrap_632(apparent, wrong / count).value)
        plus.append(bootstrap_632_plus(apparent, wrong / count, gamma).value)
    assert np.mean(plain) == pytest.approx(0.316, abs=0.02)
    assert np.mean(plus) == pytest.approx(0.5, abs=0.06)
    assert max(plain) < 0.45


@pytest.mark.parametrize("limits", [(0.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)])
def test_folds_that_all_say_the_same_have_an_interval_of_no_width(limits: tuple[float, float]) -> None:
    for value in (0.0, 0.5, 1.0):
        x = naive_t([value] * 4, limits=limits)
        assert (x.low, x.high) == (value, value) or x.low is None
