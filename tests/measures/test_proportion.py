"""Errors in proportion: by hand, as scikit-learn has them, undefined where there is no logarithm, and with honest intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import mean_squared_log_error

import steelyard as sy

NAMES = ("msle", "rmsle", "smape", "wape")


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    t = rng.gamma(2, 10, n)
    return t, t * rng.lognormal(0, 0.3, n)


def test_by_hand():
    e = sy.evaluate(target=[1.0, 0.0, -4.0], prediction=[3.0, 0.0, -3.0])
    assert e["smape"] == pytest.approx((2 * 2 / 4 + 0 + 2 * 1 / 7) / 3)
    assert e["wape"] == pytest.approx((2 + 0 + 1) / 5)
    assert "not above −1" in e["msle"].reason and "not above −1" in e["rmsle"].reason
    f = sy.evaluate(target=[1.0, 0.0], prediction=[3.0, 1.0])
    assert f["msle"] == pytest.approx((math.log(4 / 2) ** 2 + math.log(2) ** 2) / 2)
    assert f["rmsle"] == pytest.approx(math.log(2))


@pytest.mark.parametrize("weighting", ["frequency", "sampling"])
def test_as_scikit_learn_has_them(weighting):
    t, p = drawn(200)
    w = np.random.default_rng(1).integers(1, 4, 200)
    e = sy.evaluate(target=t, prediction=p, weight=w, weights=weighting)
    assert e["mean_squared_log_error"] == pytest.approx(mean_squared_log_error(t, p, sample_weight=w), rel=1e-12)
    assert e["rmsle"] ** 2 == pytest.approx(float(e["msle"]), rel=1e-12)
    assert e["wape"] == pytest.approx((w * abs(t - p)).sum() / (w * t).sum(), rel=1e-12)


def test_undefined_is_said():
    e = sy.evaluate(target=[0.0, 0.0, 0.0], prediction=[1.0, 2.0, 0.0])
    assert e["wape"].reason == "all targets are zero" and e["smape"] == pytest.approx(4 / 3)


def test_no_errors_at_all_and_one_row():
    t = [1.0, 2.0, 3.0]
    e = sy.evaluate(target=t, prediction=t)
    assert [float(e[name]) for name in NAMES] == [0.0] * 4
    one = sy.evaluate(target=[2.0], prediction=[3.0])["wape"]
    assert one == 0.5 and one.low is None and "one row" in one.note


def test_frequencies_are_copies():
    t, p = drawn(50)
    w = np.arange(50) % 3 + 1
    weighted = sy.evaluate(target=t, prediction=p, weight=w, weights="frequency")
    copied = sy.evaluate(target=np.repeat(t, w), prediction=np.repeat(p, w))
    for name in NAMES:
        x, y = weighted[name], copied[name]
        assert (x.value, x.low, x.high) == pytest.approx((y.value, y.low, y.high))


@pytest.mark.parametrize("name", NAMES)
def test_intervals_cover(name):
    t, p = drawn(400_000)
    truth = float(sy.evaluate(target=t, prediction=p)[name])
    found = [
        sy.evaluate(target=t[s], prediction=p[s])[name] for s in (slice(i, i + 200) for i in range(0, 40_000, 200))
    ]
    assert sum(x.low <= truth <= x.high for x in found) >= 180


def test_models_are_compared_by_them():
    t, p = drawn(300)
    worse = p * np.random.default_rng(2).lognormal(0, 0.5, 300)
    c = sy.compare(target=t, prediction={"one": p, "two": worse}, measures=list(NAMES))
    for name in NAMES:
        assert c.difference(name, "one", "two").high < 0
