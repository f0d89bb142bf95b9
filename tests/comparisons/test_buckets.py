"""Paired differences from two summaries counted with units: left out by hand, against the rows, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

import steelyard as sy
from steelyard.comparisons.buckets import ALIKE, bucket_difference, spread
from steelyard.comparisons.independent import difference
from steelyard.comparisons.influence import carried_by, kish
from steelyard.comparisons.resampling import paired_difference
from steelyard.errors import NotAvailable, UsageError

from ..simulating import draws, no_less_often

PAYOFF = sy.Profit(tp="value", fn=-2, fp=-4)


def drawn(rng: np.random.Generator, n: int, first: float = 1.4, second: float = 1.4) -> tuple[Any, list[Any]]:
    y = (rng.random(n) < 0.3).astype(int)
    common = rng.normal(size=n)
    scores = [1 / (1 + np.exp(-(d * y + 0.8 * common + 0.6 * rng.normal(size=n) - 0.8))) for d in (first, second)]
    return y, scores


@pytest.fixture(scope="module")
def rows() -> tuple[Any, list[Any], Any]:
    y, scores = drawn(np.random.default_rng(1), 900, 1.6, 1.2)
    return y, scores, np.random.default_rng(2).gamma(2, 2, 900)


@pytest.fixture(scope="module")
def pair(rows: Any) -> tuple[Any, Any]:
    y, scores, v = rows
    e, f = (sy.evaluate(target=y, score=s, unit=np.arange(900) // 3, value=v, profit=PAYOFF) for s in scores)
    return e, f


def test_every_measure_has_the_difference_of_the_two(pair: tuple[Any, Any]) -> None:
    e, f = pair
    for name in e.measures:
        d = bucket_difference(e, f, name)
        more = {"per": "case"} if name == "profit" else {}
        assert d.value == pytest.approx(e.measure(name, **more).value - f.measure(name, **more).value), name
        assert d.low <= d.value <= d.high, name
        assert "buckets of units" in d.method


def _own_distances(name: str, value: float, left: Any) -> tuple[float, float]:
    """How far the interval of one number reaches down and up, by the jackknife and its own scale, written out anew."""
    n, t = len(left), stats.t.ppf(0.975, len(left) - 1)
    error = math.sqrt((n - 1) / n * float(((left - left.mean()) ** 2).sum()))
    if name == "accuracy":
        rows = value * (1 - value) / error**2
        centre = (value + t * t / (2 * rows)) / (1 + t * t / rows)
        half = t / (1 + t * t / rows) * math.sqrt(value * (1 - value) / rows + t * t / (4 * rows * rows))
        return value - centre + half, centre + half - value
    to, back, slope = (
        (lambda x: math.log(x / (1 - x)), lambda y: 1 / (1 + math.exp(-y)), 1 / (value * (1 - value)))
        if name == "f1"
        else (math.atanh, math.tanh, 1 / (1 - value**2))
    )
    half = t * error * slope
    return value - back(to(value) - half), back(to(value) + half) - value


def test_leaving_out_by_hand(rows: Any) -> None:
    """Few units, each in a bucket of its own: the jackknife is that of evaluating again without each unit."""
    y, scores, _ = rows
    unit = np.arange(900) % 40
    e, f = (sy.evaluate(target=y, score=s, unit=unit) for s in scores)
    for name in ("f1", "kappa", "accuracy"):
        values = [
            [float(sy.evaluate(target=y[unit != u], score=s[unit != u])[name]) for u in range(40)] for s in scores
        ]
        error, r = spread(*(np.array(v) for v in values))
        d = bucket_difference(e, f, name)
        (down, _), (_, up) = (
            _own_distances(name, x[name].value, np.array(v)) for x, v in zip((e, f), values, strict=True)
        )
        low = math.sqrt(down**2 - 2 * r * down * up + up**2)
        away = np.subtract(*values) - np.mean(np.subtract(*values))
        rests = min(kish(np.bincount(unit).astype(float)), carried_by(away**2), 40)
        wider = stats.t.ppf(0.975, rests - 1) / stats.t.ppf(0.975, 39)
        assert d.value - d.low == pytest.approx(wider * low, rel=1e-9), name
        assert (d.high - d.low) / 2 == pytest.approx(2.02 * error, rel=0.1), name


def test_turned_round_and_against_itself(pair: tuple[Any, Any]) -> None:
    e, f = pair
    for name in ("auc", "recall", "profit", "ks"):
        d, back = bucket_difference(e, f, name), bucket_difference(f, e, name)
        assert (back.low, back.high) == pytest.approx((-d.high, -d.low), abs=1e-9)
        assert back.p_value == pytest.approx(d.p_value, rel=1e-4)
        same = bucket_difference(e, e, name)
        assert (same.value, same.low, same.high, same.p_value, same.note) == (0, 0, 0, 1, ALIKE)


def test_pairing_is_what_makes_it_short(pair: tuple[Any, Any], rows: Any) -> None:
    e, f = pair
    y, scores, v = rows
    unit = np.arange(900) // 3
    for name in ("auc", "accuracy", "brier", "average_precision", "profit", "f1"):
        d, apart = bucket_difference(e, f, name), difference(e, f, name)
        more = {"payoff": PAYOFF, "value": v} if name == "profit" else {}
        near = paired_difference(y, scores[0], scores[1], name, kind="scores", unit=unit, **more)
        assert d.high - d.low < 0.9 * (apart.high - apart.low), name
        assert d.high - d.low == pytest.approx(near.high - near.low, rel=0.15), name


def test_from_saved_files_and_sums_of_parts(rows: Any, tmp_path: Any) -> None:
    y, scores, _ = rows
    unit = np.arange(900)
    whole, loaded = [], []
    for i, s in enumerate(scores):
        e = sy.evaluate(target=y, score=s, unit=unit)
        parts = [sy.evaluate(target=y[k], score=s[k], unit=unit[k]) for k in (slice(0, 500), slice(500, 900))]
        (parts[0] + parts[1]).save(tmp_path / f"{i}.json")
        whole.append(e)
        loaded.append(sy.load(tmp_path / f"{i}.json"))
    one, two = bucket_difference(*whole, "auc"), bucket_difference(*loaded, "auc")
    assert (one.low, one.high) == pytest.approx((two.low, two.high), rel=1e-6)
    # One counted at once and the other in parts: their buckets are joined until they are the same.
    mixed = bucket_difference(whole[0], loaded[1], "auc")
    assert (one.low, one.high) == pytest.approx((mixed.low, mixed.high), rel=0.05)


def test_numbers_and_classes() -> None:
    rng = np.random.default_rng(3)
    t, unit = rng.normal(10, 3, 400), np.arange(400) // 2
    common = rng.normal(size=400)
    made = [t + s * (common + rng.normal(size=400)) for s in (1.0, 1.3)]
    e, f = (sy.evaluate(target=t, prediction=p, unit=unit) for p in made)
    for name in e.measures:
        d = bucket_difference(e, f, name)
        if d.low is None:
            # Deviances and logarithms want numbers above a bound; the others have a reason of their own.
            assert name in {"median_ae", "max_error"} if d.note else "not above" in d.reason, name
            continue
        near = paired_difference(t, made[0], made[1], name, kind="numbers", unit=unit)
        assert d.high - d.low == pytest.approx(near.high - near.low, rel=0.2), name
    k = rng.integers(0, 3, 400)
    models = []
    for bonus in (0.6, 0.4):
        p = rng.dirichlet([1, 1, 1], 400)
        p[np.arange(400), k] += bonus
        p /= p.sum(axis=1, keepdims=True)
        models.append(sy.evaluate(target=k, score={v: p[:, v] for v in range(3)}, unit=unit))
    for name, level in (
        ("hand_till_auc", None),
        ("brier", None),
        ("auc", "macro"),
        ("auc", 1),
        ("recall", "macro"),
        ("f1", 2),
    ):
        d = bucket_difference(*models, name, level)
        assert d.low < d.value < d.high, (name, level)
        assert d.value == pytest.approx(models[0][name, level].value - models[1][name, level].value)


DRAWN = draws(70, 30)


@pytest.fixture(scope="module")
def samples() -> list[Any]:
    rng = np.random.default_rng(4)
    many = [drawn(rng, 400) for _ in range(DRAWN)]
    return [(y, scores, *(sy.evaluate(target=y, score=s, unit=np.arange(400)) for s in scores)) for y, scores in many]


@pytest.mark.xdist_group("buckets")
@pytest.mark.parametrize(("name", "true"), [("auc", 0.0), ("recall", 0.0)])
def test_coverage_and_width_beside_the_rows(samples: list[Any], name: str, true: float) -> None:
    inside, widths = 0, []
    for y, scores, e, f in samples:
        d = bucket_difference(e, f, name)
        near = paired_difference(y, scores[0], scores[1], name, kind="scores")
        inside += d.low <= true <= d.high
        widths.append((d.high - d.low) / (near.high - near.low))
    assert no_less_often(inside, DRAWN, 0.95)
    assert 0.9 <= float(np.mean(widths)) <= 1.1


def test_p_is_the_confidence_that_just_reaches_zero(pair: tuple[Any, Any]) -> None:
    e, f = pair
    for name in ("accuracy", "specificity", "brier", "kappa"):
        d = bucket_difference(e, f, name)
        just = bucket_difference(e, f, name, confidence=1 - d.p_value)
        near = just.low if d.value > 0 else just.high
        assert near == pytest.approx(0, abs=1e-5 * abs(d.value)), name
        assert abs(d.statistic) == pytest.approx(-norm.ppf(d.p_value / 2), rel=1e-6)


def test_what_cannot_be_compared_is_refused(rows: Any, pair: tuple[Any, Any]) -> None:
    y, (a, b), _ = rows
    plain = sy.evaluate(target=y, score=a)
    with pytest.raises(NotAvailable, match="The first evaluation was counted without units"):
        bucket_difference(plain, sy.evaluate(target=y, score=b, unit=np.arange(900)), "auc")
    other = sy.evaluate(target=y[:800], score=b[:800], unit=np.arange(800))
    for name in ("auc", "accuracy"):
        with pytest.raises(NotAvailable, match="hold different rows"):
            bucket_difference(sy.evaluate(target=y, score=a, unit=np.arange(900)), other, name)
    turned = y.copy()
    turned[[np.argmax(y), np.argmin(y)]] = turned[[np.argmin(y), np.argmax(y)]]
    with pytest.raises(NotAvailable, match="hold different rows"):
        bucket_difference(*(sy.evaluate(target=t, score=a, unit=np.arange(900)) for t in (y, turned)), "auc")
    t = np.random.default_rng(5).normal(size=100)
    with pytest.raises(NotAvailable, match="hold different rows"):
        bucket_difference(
            *(sy.evaluate(target=x, prediction=t + 0.1, unit=np.arange(100)) for x in (t, t + 0.5)), "rmse"
        )
    with pytest.raises(UsageError, match="above 0 and below 1, and 95"):
        bucket_difference(*pair, "auc", confidence=95)
    with pytest.raises(UsageError, match="different kinds"):
        bucket_difference(plain, sy.evaluate(target=t, prediction=t + 0.1), "auc")
    cheap = sy.evaluate(target=y, score=b, unit=np.arange(900) // 3, profit=sy.Profit(tp=1))
    with pytest.raises(UsageError, match="worth something else"):
        bucket_difference(pair[0], cheap, "profit")


def test_few_units_have_no_interval(rows: Any) -> None:
    y, scores, _ = rows
    d = bucket_difference(*(sy.evaluate(target=y, score=s, unit=np.arange(900) % 6) for s in scores), "f1")
    assert (d.low, d.method, d.note) == (None, "none", "fewer than 10 units")
    assert d.value is not None
