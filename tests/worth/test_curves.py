"""Profit along thresholds and depths: every point is the number at that threshold, and the bands hold."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.engines.columns import bucket_of
from steelyard.errors import NotAvailable, UsageError
from steelyard.results import Curve


def sample(rng: np.random.Generator) -> tuple[dict[str, Any], Any]:
    n = int(rng.integers(3, 40))
    y = rng.integers(0, 2, n)
    y[:2] = (0, 1)
    t: dict[str, Any] = {"target": y, "score": np.round(rng.normal(0, 1, n), int(rng.integers(1, 3)))}
    t["value"] = {"fee": rng.normal(5, 20, n), "price": rng.lognormal(1, 1, n)}
    kind = rng.choice(["none", "frequency", "sampling"])
    if kind != "none":
        t["weight"] = rng.integers(1, 4, n).astype(float) if kind == "frequency" else rng.gamma(2, 1, n) + 0.1
        t["weights"] = kind
    a, b, c, d = np.round(rng.normal(0, 20, 4), 1).tolist()
    made = [
        sy.Profit(tp=a, fn=b, fp=c, tn=d),
        sy.Cost(tp=f"{a} + 0.5 * fee", fp=c, tn="price"),
        sy.Profit(tp="fee - price", fp=f"{c} - 0.1 * fee", fn=b),
    ][int(rng.integers(0, 3))]
    return t, made


def points(curve: Curve, kind: str) -> list[tuple[Any, ...]]:
    names = ("threshold", "depth", "contacts", kind, "per_case", "low", "high")
    return list(zip(*(curve.columns[x] for x in names), strict=True))


def check(e: sy.Evaluation, kind: str, made: Any, *, all_of_it: bool = False) -> None:
    """Every point against the evaluation at its threshold; `measure` is the short way to the same number."""
    assert e.scores is not None
    above = float(np.nextafter(e.scores.cells.high[-1], np.inf))
    curve = e.curve(kind, profit=made)
    total = float(e.scores.counts.sum())
    for threshold, depth, contacts, value, each, low, high in points(curve, kind):
        at = e.at(above if threshold is None else threshold)
        if all_of_it:
            found: Any = at.profit(made) if kind == "profit" else at.cost(made)
        else:
            found = at.measure(kind, payoff=made)
        flagged = at.confusion.outcomes(1)
        near = {"rel": 1e-9, "abs": 1e-9 * max(abs(found.high), abs(found.low), 1.0)}
        assert (value, low, high) == pytest.approx((found.value, found.low, found.high), **near)
        assert each == pytest.approx(found.value / total, **near)
        assert (contacts, depth) == pytest.approx((flagged.tp + flagged.fp, (flagged.tp + flagged.fp) / total))


def test_every_point_is_the_number_at_its_threshold() -> None:
    rng = np.random.default_rng(71)
    for turn in range(14):
        t, made = sample(rng)
        e = sy.evaluate(**t, threshold=0.0, levels=[0, 1], confidence=float(rng.choice([0.8, 0.95])))
        check(e, "profit", made, all_of_it=turn < 4)
        check(e, "cost", made, all_of_it=turn < 4)
        curve = e.curve("profit", profit=made)
        assert len(curve) == 1 + len(set(t["score"].tolist())) and curve.note == ""
        assert curve.columns["threshold"][0] is None and curve.columns["contacts"][0] == 0
        json.dumps(curve.to_dict(), allow_nan=False)


def test_a_table_on_the_grid_and_a_thinned_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(72)
    score = rng.random(6000) ** 3
    y = (rng.random(6000) < score).astype(int)
    fee = rng.lognormal(1, 1, 6000)
    made = sy.Profit(tp="fee", fp=-1)
    exact = sy.evaluate(target=y, score=score, value={"fee": fee})
    curve = exact.curve("profit", profit=made)
    assert "of 6,001 points" in curve.note and len(curve) <= 2001
    profits = np.cumsum(np.where(y == 1, fee, -1.0)[np.argsort(-score)])
    assert max(curve.columns["profit"]) == pytest.approx(profits.max())
    thresholds = [v for v in curve.columns["threshold"] if v is not None]
    assert set(thresholds) <= set(score.tolist())
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 500)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 500)
    gridded = sy.evaluate(target=y[:501], score=score[:501], value={"fee": fee[:501]})
    assert gridded.scores is not None and gridded.scores.cells.gridded
    check(gridded, "profit", made)


def test_units_spread_as_their_totals_do() -> None:
    """Scores in sixteenths are cells of their own even in the coarse tables that are kept for units."""
    rng = np.random.default_rng(73)
    n, made = 500, sy.Profit(tp="fee", fp=-3, tn=0.5)
    who = rng.integers(0, 40, n)
    score = rng.integers(1, 16, n) / 16
    y = (rng.random(n) < score).astype(int)
    fee = rng.lognormal(1, 0.5, n)
    for weight in (np.ones(n), rng.gamma(2, 1, n)):
        extra = {} if (weight == 1).all() else {"weight": weight}
        e = sy.evaluate(target=y, score=score, value={"fee": fee}, unit=who, **extra)
        curve = e.curve("profit", profit=made)
        assert "buckets of units" in curve.method
        bucket = np.array([bucket_of(int(u)) for u in who])
        groups = [bucket == b for b in np.unique(bucket)]
        for threshold, _, _, value, _, low, high in points(curve, "profit"):
            flagged = score >= (2.0 if threshold is None else threshold)
            own = weight * np.where(flagged, np.where(y == 1, fee, -3.0), np.where(y == 1, 0.0, 0.5))
            assert value == pytest.approx(own.sum())
            mean = own.sum() / weight.sum()
            off = np.array([own[g].sum() - mean * weight[g].sum() for g in groups])
            half = 1.959964 * np.sqrt((off**2).sum() * len(off) / (len(off) - 1))
            assert (value - low, high - value) == pytest.approx((half, half), rel=1e-6)


def test_few_units_have_no_band() -> None:
    rng = np.random.default_rng(74)
    for units in (1, 5):
        e = sy.evaluate(target=rng.integers(0, 2, 50), score=rng.random(50), unit=np.arange(50) % units, levels=[0, 1])
        made = sy.Profit(tp=3, fp=-1)
        assert e.profit(made).low is None
        curve = e.curve("profit", profit=made)
        assert set(curve.columns["low"]) == set(curve.columns["high"]) == {None}
        assert "fewer than 10 units" in curve.method


def test_at_a_depth_the_band_covers_what_the_population_brings() -> None:
    """Profit of the best-scored tenth, quarter and half of a large population, from samples of 400."""
    made = sy.Profit(tp="fee - 4", fn=-1, fp=-4)

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        score = rng.random(n)
        y = (rng.random(n) < 0.6 * score).astype(int)
        return score, y, rng.gamma(3, 4, n) * (1 + score)

    depths, n, repeats = (0.1, 0.25, 0.5), 400, 300
    score, y, fee = drawn(np.random.default_rng(75), 2_000_000)
    truth = []
    for depth in depths:
        flagged = score >= 1 - depth
        truth.append(np.where(flagged, np.where(y == 1, fee - 4, -4.0), np.where(y == 1, -1.0, 0.0)).mean() * n)
    rng = np.random.default_rng(76)
    inside, narrower = np.zeros(3), 0
    for _ in range(repeats):
        score, y, fee = drawn(rng, n)
        e = sy.evaluate(target=y, score=score, value={"fee": fee})
        curve = e.curve("profit", profit=made, over="depth")
        assert curve.method.endswith("depth fixed")
        fixed = e.curve("profit", profit=made)
        for i, depth in enumerate(depths):
            at = round(depth * n)
            assert curve.columns["depth"][at] == pytest.approx(depth)
            low, high = curve.columns["low"][at], curve.columns["high"][at]
            inside[i] += low <= truth[i] <= high
            assert curve.columns["profit"][at] == fixed.columns["profit"][at]
            narrower += high - low < fixed.columns["high"][at] - fixed.columns["low"][at]
    share = inside / repeats
    assert ((share >= 0.91) & (share <= 0.98)).all(), share
    # The number flagged is fixed too, so the band is mostly narrower than at a fixed threshold.
    assert narrower > 0.9 * 3 * repeats


def test_what_has_no_curve_is_refused() -> None:
    labels = sy.evaluate(target=[0, 1, 1], prediction=[0, 1, 0])
    with pytest.raises(NotAvailable, match='The curve "profit" needs one score for two levels'):
        labels.curve("profit", profit=sy.Profit(tp=1))
    scores = sy.evaluate(target=[0, 1, 1], score=[0.1, 0.2, 0.3])
    with pytest.raises(NotAvailable, match='"cost" needs to know what outcomes are worth'):
        scores.curve("cost")
    with pytest.raises(UsageError, match='over="share" is not a choice'):
        scores.curve("profit", profit=sy.Profit(tp=1), over="share")
