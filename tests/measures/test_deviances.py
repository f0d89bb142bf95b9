"""Deviances of counts and amounts: by hand, as scikit-learn has them, and undefined where a distribution forbids it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import mean_gamma_deviance, mean_poisson_deviance, mean_tweedie_deviance

import steelyard as sy
from steelyard.comparisons.buckets import bucket_difference
from steelyard.errors import UsageError

THEIRS = {
    ("poisson_deviance", ()): mean_poisson_deviance,
    ("gamma_deviance", ()): mean_gamma_deviance,
    **{
        ("tweedie_deviance", (("power", p),)): lambda t, m, sample_weight=None, p=p: mean_tweedie_deviance(
            t, m, sample_weight=sample_weight, power=p
        )
        for p in (1.0, 1.5, 2.0)
    },
}


def rows(seed: int, n: int = 300, *, zeros: bool = False) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    mean = rng.gamma(2, 2, n) + 0.05
    target = rng.poisson(mean).astype(float) if zeros else mean * rng.gamma(3, 1 / 3, n)
    return target, mean, rng.uniform(0.5, 3, n)


def test_by_hand() -> None:
    e = sy.evaluate(target=[1.0, 4.0], prediction=[2.0, 4.0])
    assert float(e["poisson_deviance"]) == pytest.approx((1 * math.log(1 / 2) - 1 + 2) * 2 / 2)
    assert float(e["gamma_deviance"]) == pytest.approx((1 / 2 - 1 - math.log(1 / 2)) * 2 / 2)
    assert float(e["tweedie_deviance"]) == pytest.approx(4 * (1 - math.sqrt(2)) ** 2 / math.sqrt(2) / 2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "options"), THEIRS)
def test_as_scikit_learn_has_them(name: str, options: tuple[tuple[str, float], ...], weighted: bool) -> None:
    for seed in range(3):
        zeros = name == "poisson_deviance" or dict(options).get("power", 2.0) < 2
        t, m, w = rows(seed, zeros=zeros)
        given: dict[str, Any] = {"weight": w, "weights": "sampling"} if weighted else {}
        wanted = THEIRS[name, options](t, m, sample_weight=w if weighted else None)
        found = sy.evaluate(target=t, prediction=m, **given).measure(name, **dict(options))
        assert float(found) == pytest.approx(wanted, rel=1e-12)
        assert found.low < found.value < found.high


@pytest.mark.parametrize(
    ("target", "prediction", "name", "reason"),
    [
        ([1.0, 2.0], [0.0, 1.0], "poisson_deviance", "a prediction is not above zero"),
        ([1.0, 2.0], [-1.0, 1.0], "tweedie_deviance", "a prediction is not above zero"),
        ([-1.0, 2.0], [0.5, 1.0], "poisson_deviance", "a target is negative"),
        ([0.0, 2.0], [0.5, 1.0], "gamma_deviance", "a target is zero, and its logarithm is infinite"),
    ],
)
def test_undefined_where_the_distribution_forbids_it(target: Any, prediction: Any, name: str, reason: str) -> None:
    e = sy.evaluate(target=[*target, 3.0], prediction=[*prediction, 3.5])
    assert e[name].value is None and e[name].reason == reason
    # What is forbidden in a part is forbidden in the sum.
    fine = sy.evaluate(target=[1.0, 2.0, 5.0], prediction=[1.5, 1.0, 2.0])
    assert fine[name].value is not None and (fine + e)[name].reason == (e + fine)[name].reason == reason


def test_zeros_have_a_poisson_deviance() -> None:
    e = sy.evaluate(target=[0.0, 2.0], prediction=[0.5, 1.0])
    assert float(e["poisson_deviance"]) == pytest.approx(mean_poisson_deviance([0.0, 2.0], [0.5, 1.0]))


def test_a_segment_that_is_forbidden_leaves_the_others_theirs() -> None:
    t, m, _ = rows(5)
    t[:50] *= -1
    e = sy.evaluate(target=t, prediction=m, segment=["low"] * 50 + ["high"] * 250)
    assert e.segments["low"]["gamma_deviance"].reason == e["gamma_deviance"].reason == "a target is negative"
    assert float(e.segments["high"]["gamma_deviance"]) == pytest.approx(mean_gamma_deviance(t[50:], m[50:]))


def test_another_power_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match=r"must be 1, 1\.5 or 2, and 1\.7 came"):
        sy.evaluate(target=[1.0, 2.0], prediction=[1.0, 1.5]).measure("tweedie_deviance", power=1.7)


def test_models_are_compared_by_it() -> None:
    t, m, _ = rows(6)
    other, unit = m * np.random.default_rng(1).uniform(0.5, 2, len(m)), np.arange(len(m)) // 3
    same = sy.compare(target=t, prediction={"one": m, "two": other}).difference("gamma_deviance", "one", "two")
    assert same.value == pytest.approx(mean_gamma_deviance(t, m) - mean_gamma_deviance(t, other))
    assert same.low < same.value < same.high
    e, f = (sy.evaluate(target=t, prediction=p, unit=unit) for p in (m, other))
    by_unit = bucket_difference(e, f, "gamma_deviance")
    assert by_unit.value == pytest.approx(same.value) and by_unit.high - by_unit.low < 3 * (same.high - same.low)
    assert "jackknife over 100 buckets" in e["gamma_deviance"].method


def test_a_sum_is_what_counting_together_gives() -> None:
    t, m, w = rows(7, 40)
    m[3] = -1.0
    given = {"weight": w, "weights": "sampling", "unit": np.arange(40) % 10}
    whole = sy.evaluate(target=t, prediction=m, **given)
    parts = [
        sy.evaluate(target=t[p], prediction=m[p], **{k: v if isinstance(v, str) else v[p] for k, v in given.items()})
        for p in (slice(0, 20), slice(20, 40))
    ]
    assert (parts[0] + parts[1]).evidence["deviances"] == whole.evidence["deviances"]
