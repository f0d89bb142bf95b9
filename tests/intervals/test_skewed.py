"""Intervals that follow skew: checked by brute force, and at the edges where Student's, Kish's and Wilson's fail."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.intervals.proportions import share_limits
from steelyard.intervals.rows_seen import points_of, reader
from steelyard.intervals.skewed import Points, freedom, resting, skewed
from steelyard.measures.measure import find
from steelyard.results import Share
from steelyard.summaries.effective import effective_whole
from steelyard.summaries.residuals import Residuals

MEASURES = ("mse", "mae", "mape", "bias", "r2", "explained_variance", "rae", "rrse", "correlation", "concordance")


def _rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    prediction = rng.normal(size=n) + 5
    return prediction + rng.normal(size=n), prediction


def test_the_skew_of_a_mean_is_that_of_the_textbook() -> None:
    x = np.random.default_rng(0).exponential(size=400)
    found = skewed(Points(x[:, None], np.ones(400)), lambda means: means[:, 0])
    skew = float(((x - x.mean()) ** 3).mean() / x.std() ** 3) * 1.15 * np.sqrt(400 * 399) / 398 / np.sqrt(400)
    assert found.error == pytest.approx(x.std(ddof=1) / np.sqrt(400))
    # Hall (1992): the studentised mean has mean −γ / 2 √n and third cumulant −2 γ / √n.
    assert found.shift == pytest.approx(-skew / 2, rel=1e-4)
    assert found.skew == pytest.approx(-2 * skew, rel=1e-4)


@pytest.mark.parametrize("name", MEASURES)
def test_the_error_is_that_of_leaving_out_each_row(name: str) -> None:
    target, prediction = _rows(40)
    whole = Residuals.of(target, prediction)
    found = skewed(points_of(whole), reader(whole, find(name)))
    keep = ~np.eye(40, dtype=bool)
    left = np.array([float(find(name)(Residuals.of(target[k], prediction[k])).value) for k in keep])
    brute = np.sqrt(39 / 40 * ((left - left.mean()) ** 2).sum())
    assert found.error == pytest.approx(brute, rel=0.02 if name == "rae" else 1e-6)


def test_a_relative_error_knows_what_its_two_parts_have_in_common() -> None:
    # Always saying the mean: errors and distances are the same numbers, and their quotient hardly varies.
    target = np.random.default_rng(1).normal(size=2000)
    found = sy.evaluate(target=target, prediction=np.zeros(2000))["rae"]
    assert found.high - found.low < 0.01


def test_a_median_has_an_interval_by_unit() -> None:
    rng = np.random.default_rng(2)
    unit = np.repeat(np.arange(60), 20)
    target = rng.normal(size=1200) * np.exp(rng.normal(size=60))[unit]
    roles = {"target": target, "prediction": np.zeros(1200)}
    rows, units = sy.evaluate(**roles)["median_ae"], sy.evaluate(**roles, unit=unit)["median_ae"]
    assert units.value == rows.value
    assert units.low < rows.low < rows.high < units.high
    first, second = (
        sy.evaluate(target=target[h], prediction=np.zeros(600), unit=unit[h]) for h in (slice(0, 600), slice(600, None))
    )
    both = (first + second)["median_ae"]
    assert (both.low, both.high) == pytest.approx((units.low, units.high))


@pytest.mark.parametrize("name", ["rmse", "r2"])
def test_few_rows_that_carry_it_all_are_named(name: str) -> None:
    rng = np.random.default_rng(3)
    prediction = np.exp(rng.normal(size=200))
    heavy = sy.evaluate(target=prediction * np.exp(rng.normal(size=200)), prediction=prediction)
    assert heavy[name].caution.startswith("rests on ")
    assert heavy[name].caution.endswith(" of 200 rows")
    target, even = _rows(200)
    assert sy.evaluate(target=target, prediction=even)[name].caution == ""


def test_heavy_weights_are_named_and_widen_a_share() -> None:
    rng = np.random.default_rng(4)
    weight = np.exp(1.5 * rng.normal(size=100))
    target = rng.integers(0, 2, 100)
    right = rng.random(100) < 0.9
    found = sy.evaluate(target=target, prediction=np.where(right, target, 1 - target), weight=weight, kind="labels")[
        "accuracy"
    ]
    assert found.caution.startswith("rests on ")
    assert found.n_eff <= 1.2 * weight.sum() ** 2 / (weight**2).sum()


def test_light_rows_alone_on_one_side_do_not_count_for_hundreds() -> None:
    # Ten heavy rows are right and ten light ones wrong: the spread seen says 100 rows, and there are about ten.
    assert effective_whole(Share(100.0, 101.0), Share(1000.0, 1000.1)) < 12


def test_units_of_very_unequal_size_widen_and_are_named() -> None:
    rng = np.random.default_rng(5)
    unit = np.repeat(np.arange(20), [400, *[5] * 19])
    shared = rng.normal(size=20)[unit]
    e = sy.evaluate(target=shared + rng.normal(size=len(unit)), prediction=np.zeros(len(unit)), unit=unit)
    assert e["rmse"].caution == "rests on 2 of 20 units"
    assert e["mae"].caution == e["median_ae"].caution == "rests on 2 of 20 units"


def test_a_share_of_one_row_promises_no_more_than_one_row_can() -> None:
    assert share_limits(0.0, 1.0, 1.959964)[1] == pytest.approx(0.975)
    low, high = share_limits(399.0, 400.0, 1.959964)
    assert high > 1 - 0.06 / 400 and low < 0.99


def test_rows_that_are_alike_rest_on_all_of_them() -> None:
    assert resting(np.ones(50), np.ones(50)) == ""


@pytest.mark.parametrize("factor", [1e-120, 1e120])
def test_the_unit_of_an_influence_changes_no_degree_of_freedom(factor: float) -> None:
    x = np.random.default_rng(5).exponential(size=60)
    x -= x.mean()
    kurtosis = (x**4).mean() / (x**2).mean() ** 2
    assert freedom(x, np.ones(60)) == pytest.approx(min(59, 2 * 60 / (kurtosis - 1)))
    assert freedom(factor * x, np.ones(60)) == pytest.approx(freedom(x, np.ones(60)))
