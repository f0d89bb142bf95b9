"""The threshold that costs imply, and what is lost by trusting scores as probabilities, against simulation."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.worth.calibration import Implied

PROFIT = sy.Profit(tp=30, fp=-10)
REPEATS, ROWS = 200, 1000


def chances(rng: np.random.Generator, n: int) -> np.ndarray:
    """Probabilities in hundredths."""
    return np.round(rng.beta(1, 3, n), 2)


def lost(power: float) -> float:
    """What a row loses in truth by acting where p to this power exceeds the break-even, 10 / 40."""
    p = chances(np.random.default_rng(0), 2_000_000)
    worth = 30 * p - 10 * (1 - p)
    return float(np.where(p > 0.25, worth, 0.0).mean() - np.where(p**power >= 0.25, worth, 0.0).mean())


def prices(power: float, repeats: int, seed: int) -> np.ndarray:
    """Value, low and high of the price in many samples."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(repeats):
        p = chances(rng, ROWS)
        y = (rng.random(ROWS) < p).astype(int)
        found = sy.evaluate(target=y, score=p**power).best_threshold(PROFIT).implied
        assert found is not None and found.price is not None
        out.append((found.price.value, found.price.low, found.price.high))
    return np.array(out, dtype=float)


def test_nothing_is_lost_where_probabilities_are_right() -> None:
    value, low, high = prices(1.0, REPEATS, 61).T
    # A price is never below zero: an interval that misses zero can only lie above it.
    assert (high >= 0).all()
    assert np.mean(low <= 0) >= 0.95
    assert abs(value.mean()) < 0.1 * lost(3.0) * ROWS
    assert (high - low).mean() < 0.5 * lost(3.0) * ROWS


def test_what_distorted_probabilities_lose_is_found() -> None:
    wanted = lost(3.0) * ROWS
    value, low, high = prices(3.0, REPEATS // 2, 63).T
    assert np.mean(low > 0) >= 0.95
    assert 0.90 <= np.mean((low <= wanted) & (wanted <= high)) <= 0.99
    assert value.mean() == pytest.approx(wanted, abs=4 * value.std() / len(value) ** 0.5)


def sample(seed: int, n: int = 600, power: float = 2.0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    p = chances(rng, n)
    return {"target": (rng.random(n) < p).astype(int), "score": np.round(p**power, 4)}


def test_the_price_is_the_difference_of_two_profits() -> None:
    weight = np.random.default_rng(1).gamma(2, 1, 600)
    units = np.arange(600) % 50
    # Scores that are too low, or too high: the best threshold lies on either side of the implied one.
    for extra, power in product(({}, {"weight": weight}, {"unit": units}), (2.0, 0.5)):
        e = sy.evaluate(**sample(62, power=power), **extra)
        found = e.best_threshold(PROFIT)
        assert found.implied is not None and found.implied.threshold == 0.25 and found.value is not None
        assert (found.value < 0.25) == (power > 1)
        best, there = e.at(found.value).profit(PROFIT), e.at(0.25).profit(PROFIT)
        assert found.implied.at is not None and found.implied.price is not None and found.optimism is not None
        assert found.implied.at.value == there.value
        assert found.implied.price.value == pytest.approx(best.value - there.value - found.optimism)
        assert found.implied.price.method.endswith("less optimism")
        assert found.implied.price.low < found.implied.price.value < found.implied.price.high
        cost = e.best_threshold(PROFIT.as_cost())
        assert cost.implied is not None and cost.implied.at is not None and cost.implied.price is not None
        assert cost.implied.at.value == pytest.approx(-there.value)
        assert cost.implied.price.value == pytest.approx(found.implied.price.value)
        json.dumps(found.implied.to_dict(), allow_nan=False)


def test_equal_weights_change_nothing() -> None:
    t = sample(63)
    plain = sy.evaluate(**t).best_threshold(PROFIT).implied
    equal = sy.evaluate(**t, weight=np.ones(600)).best_threshold(PROFIT).implied
    assert plain is not None and equal is not None and plain.price is not None and equal.price is not None
    shift = equal.price.value - plain.price.value
    assert (equal.price.low, equal.price.high) == pytest.approx((plain.price.low + shift, plain.price.high + shift))


def test_a_validation_part_pays_no_optimism() -> None:
    t = sample(64)
    part = np.arange(600) % 2 == 0
    e = sy.evaluate({**t, "v": part}, target="target", score="score", validation="v")
    found = e.best_threshold(PROFIT)
    assert found.implied is not None and found.implied.price is not None and found.value is not None
    gap = e.at(found.value).profit(PROFIT).value - e.at(0.25).profit(PROFIT).value
    assert found.implied.price.value == pytest.approx(gap)
    assert "optimism" not in found.implied.price.method


def test_where_costs_imply_no_threshold() -> None:
    t = sample(65)
    e = sy.evaluate(**t, value=np.arange(600.0))
    never = e.best_threshold(sy.Profit(tp=-1, fp=-10)).implied
    assert never == Implied(None, "acting never brings anything: never act", None, None)
    below = e.best_threshold(sy.Profit(tp=-5, fp=5)).implied
    assert below is not None and below.threshold is None and "is below 0.5" in below.rule and below.price is None
    assert e.best_threshold(sy.Profit(tp="value", fp=-10)).implied is None
    assert e.best_threshold("f1").implied is None
    assert e.best_threshold(PROFIT, constraint="contacts <= 100").implied is None
    logits = sy.evaluate(target=t["target"], score=t["score"] * 9 - 3)
    assert logits.best_threshold(PROFIT).implied is None
    assert "costs alone say" not in str(logits.best_threshold(PROFIT))


def test_told_in_words() -> None:
    said = " ".join(str(sy.evaluate(**sample(66, 2000)).best_threshold(PROFIT)).split())
    assert "costs alone say: act where the probability is above 0.25." in said
    assert "the scores are not calibrated" in said
    rng = np.random.default_rng(67)
    p = chances(rng, 2000)
    right = sy.evaluate(target=(rng.random(2000) < p).astype(int), score=p).best_threshold(PROFIT)
    assert "no clear loss against the threshold found here" in " ".join(str(right).split())
