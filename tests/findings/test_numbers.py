"""Numbers at the edges: each of these was wrong, or silent, in version 0.1.0 (docs/studies/edges.md has the figures)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm
from sklearn.neighbors import KNeighborsClassifier

import steelyard as sy
from steelyard.intervals.power_law import gain
from steelyard.monitors.estimated import Calibration

try:
    from steelyard.gates.requirement import outcome_of
except ImportError:  # so it was called in version 0.1.0, against which these tests are run too
    from steelyard.gates.requirement import check as outcome_of


def scored(seed: int, area: float, positives: int, negatives: int) -> Any:
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    return sy.evaluate(target=y, score=rng.normal(math.sqrt(2) * ndtri(area) * y))


def words(result: object) -> str:
    return " ".join(str(result).split())


# A1, A18: few positives, one number with one interval ----------------------------------------------------------------


def test_one_positive_leaves_its_area_open_and_gets_no_model_through() -> None:
    e = sy.evaluate(target=[1] + [0] * 200, score=np.r_[0.88, np.linspace(0, 1, 200)])
    assert e["auc"].high - e["auc"].low > 0.6
    assert not outcome_of(e, ["auc >= 0.8"]).passed


@pytest.mark.parametrize(("area", "positives"), [(0.8, 2), (0.95, 5), (0.95, 15)])
def test_areas_of_few_positives_are_held(area: float, positives: int) -> None:
    held = [x.low <= area <= x.high for x in (scored(i, area, positives, 400)["auc"] for i in range(150))]
    assert np.mean(held) >= 0.91


def test_the_ks_has_one_interval_wherever_it_is_told() -> None:
    e = scored(1, 0.8, 10, 20)
    chosen = e.best_threshold("ks").at
    assert (chosen.low, chosen.high) == (e["ks"].low, e["ks"].high)


def test_a_mixture_is_what_its_parts_make_of_it() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    x = sy.experiment({"m": KNeighborsClassifier(5)}, X, y, design=sy.Bootstrap(8, seed=1))
    mixed, out = (x.estimate("m", measure="error_rate", method=m) for m in (".632", "out of bag"))
    apparent = float((KNeighborsClassifier(5).fit(X, y).predict(X) != y).mean())
    assert mixed.value == pytest.approx(0.368 * apparent + 0.632 * out.value, rel=1e-9)


# A10, G5, G8, G9: choices are paid for -------------------------------------------------------------------------------


def test_what_the_best_threshold_of_a_worthless_score_brings_is_held() -> None:
    rng, held = np.random.default_rng(6), []
    for _ in range(25):
        y, score = (rng.random(500) < 0.16).astype(int), rng.random(500)
        t = sy.evaluate(target=y, score=score).best_threshold(sy.Profit(tp=50, fp=-10, relative=True))
        real = 500 * (0.16 * 50 - 0.84 * 10) * (1 - (1.0 if t.value is None else t.value))
        held.append(t.corrected.low - 1e-9 <= real <= t.corrected.high + 1e-9)
    assert np.mean(held) >= 0.92


def test_the_band_of_a_cost_curve_holds_the_least_true_cost() -> None:
    cuts, skews = np.linspace(-8, 10, 4001), (0.65, 0.7, 0.75, 0.8)
    truth = [float(min((k * norm.cdf(cuts - 1.19) + (1 - k) * norm.sf(cuts)).min(), 1 - k)) for k in skews]
    rng, held = np.random.default_rng(4), []
    for _ in range(40):
        y = (rng.random(150) < 0.1).astype(int)
        c = sy.evaluate(target=y, score=rng.normal(1.19 * y).round(1)).curve("cost_curve").columns
        low, high = (np.interp(skews, c["skew"], c[k]) for k in ("low", "high"))
        held.append((low - 1e-9 <= truth) & (truth <= high + 1e-9))
    assert np.mean(held) >= 0.9


def test_a_curve_that_reaches_its_end_is_not_told_to_go_on() -> None:
    sizes = np.array([19.0, 38, 75, 150, 300, 600])

    def ends(n: Any) -> Any:
        return 0.45 + 0.24 / (1 + (n / 150) ** 1.5)

    true, held = float(ends(2400.0) - ends(600.0)), []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        noise = rng.normal(0, 0.02, (10, 1)) + rng.normal(0, 0.06, (10, 6)) * (sizes / 19) ** -0.5
        e = gain(ends(sizes) + noise, sizes, 4, ratio=1 / 3, better="lower", limits=(0, np.inf), replicates=200)
        held.append(e.low <= true <= e.high)
    assert np.mean(held) >= 0.8


@pytest.mark.parametrize(("name", "axis", "x"), [("roc", "fpr", 0.2), ("pr", "recall", 0.7)])
def test_bands_of_curves_hold_where_they_are_read(name: str, axis: str, x: float) -> None:
    """G7: read upwards at a place of the axis below; 475 of 500 rows positive for one, 5 values of the score for the other."""
    share, values = (0.95, 0) if name == "roc" else (0.3, 5)
    apart = math.sqrt(2) * float(ndtri(0.8))
    cuts = np.linspace(-1, 1 + apart, values - 1)[::-1] if values else np.linspace(-8, 9, 4001)[::-1]
    f, t = np.r_[0, norm.sf(cuts), 1], np.r_[0, norm.sf(cuts - apart), 1]
    at = share * x / (share * x + (1 - share) * float(np.interp(x, t, f)))
    truth = float(np.interp(x, f, t)) if name == "roc" else at
    rng, held = np.random.default_rng(7), []
    for _ in range(60):
        y = (rng.random(500) < share).astype(int)
        s = rng.normal(apart * y)
        s = np.digitize(s, cuts[::-1]) if values else s
        c = sy.evaluate(target=y, score=s).curve(name).columns
        low, high = (float(np.interp(x, c[axis], c[k])) for k in ("low", "high"))
        held.append(low - 1e-12 <= truth <= high + 1e-12)
    assert np.mean(held) >= 0.88


# A11, B4, B7, B8, G11: tails, weights, units, averages ---------------------------------------------------------------


def test_a_relative_error_of_always_saying_the_mean_hardly_varies() -> None:
    x = sy.evaluate(target=np.random.default_rng(1).normal(size=2000), prediction=np.zeros(2000))["rae"]
    assert x.high - x.low < 0.01


def test_few_rows_that_carry_a_number_are_named_beside_it() -> None:
    rng = np.random.default_rng(3)
    prediction = np.exp(rng.normal(size=200))
    e = sy.evaluate(target=prediction * np.exp(rng.normal(size=200)), prediction=prediction)
    assert "rests on" in str(e["rmse"]) and "rests on" in str(e["r2"])
    weight = np.exp(2 * rng.normal(size=100))
    y = rng.integers(0, 2, 100)
    right = np.where(rng.random(100) < 0.9, y, 1 - y)
    assert "rests on" in str(sy.evaluate(target=y, prediction=right, weight=weight)["accuracy"])


def test_a_median_of_errors_has_an_interval_by_unit() -> None:
    rng = np.random.default_rng(2)
    x = sy.evaluate(target=rng.normal(size=600), prediction=np.zeros(600), unit=np.arange(600) // 20)["median_ae"]
    assert x.low is not None and x.low < x.value < x.high


def test_an_average_over_classes_is_not_far_wider_than_needed() -> None:
    def drawn(rng: np.random.Generator) -> tuple[Any, Any]:
        y = rng.integers(0, 5, 400)
        raw = rng.normal(size=(400, 5))
        raw[np.arange(400), y] += 1.5
        p = np.exp(raw)
        return y, p / p.sum(axis=1, keepdims=True)

    rng = np.random.default_rng(1)
    values = []
    for _ in range(200):
        y, p = drawn(rng)
        q = np.where(y[:, None] == np.arange(5), p, 1 - p)
        values.append(-np.log(q).mean())
    y, p = drawn(rng)
    x = sy.evaluate(target=y, score={k: p[:, k] for k in range(5)})["log_loss", "macro"]
    assert (x.high - x.low) / (2 * 1.96 * np.std(values)) < 1.4


def test_a_calibration_error_of_noise_says_what_an_honest_model_would_read() -> None:
    """G11: of 50 rows with true chances."""
    rng = np.random.default_rng(5)
    p = rng.random(50)
    assert "would read" in str(sy.evaluate(target=(rng.random(50) < p).astype(int), score=p)["ece"])


def test_models_that_know_their_rows_by_heart_are_told_out_of_bag() -> None:
    """G11: one neighbour, whose apparent error is nothing."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    x = sy.experiment({"m": KNeighborsClassifier(1)}, X, y, design=sy.Bootstrap(8, seed=1))
    usual, out = x.estimate("m", measure="error_rate"), x.estimate("m", measure="error_rate", method="out of bag")
    assert usual.value == out.value


# A12: folds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", [sy.LeaveOneOut(), sy.KFold(10, seed=3), sy.Bootstrap(6, seed=3)])
def test_a_model_that_says_the_same_for_all_ranks_by_chance_or_not_at_all(design: Any) -> None:
    y = np.random.default_rng(9).integers(0, 2, 40)
    X = np.random.default_rng(10).normal(size=(40, 2))
    value = sy.experiment(["baseline"], X, y, design=design)["baseline"]["auc"].value
    assert value is None or value == pytest.approx(0.5)


# B1, G6: labels that are missing -------------------------------------------------------------------------------------


def test_labels_that_are_missing_by_score_are_said_to_be() -> None:
    rng = np.random.default_rng(0)
    p = 1 / (1 + np.exp(1.5 - 1.5 * rng.normal(size=4000)))
    y = np.where(p < 0.3, np.nan, rng.random(4000) < p)
    assert "recall is told too high" in words(sy.evaluate(target=y, score=p, missing="drop"))


def test_no_more_rare_positives_are_expected_than_came() -> None:
    rng = np.random.default_rng(11)
    p = 1 / (1 + np.exp(4.5 - 1.3 * rng.normal(size=3000)))
    y = (rng.random(3000) < p).astype(int)
    chance = Calibration.of(sy.evaluate(target=y, score=p).scores).chance(p)
    assert float(np.mean(chance)) == pytest.approx(y.mean(), rel=0.005)


# B2, B3, B5, B6: words that belong to a number -----------------------------------------------------------------------


def test_class_scores_that_do_not_add_up_to_one_are_said() -> None:
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet([1, 1, 1], 200), rng.integers(0, 3, 200)
    assert "do not add up to one" in words(sy.evaluate(target=y, score=0.8 * p, levels=[0, 1, 2])["log_loss"].note)


def test_percent_at_the_default_threshold_is_said() -> None:
    assert "threshold=50" in str(sy.evaluate(target=[0, 1] * 50, score=np.linspace(1, 99, 100)))


def test_accuracy_stands_beside_the_commonest_level() -> None:
    e = sy.evaluate(target=[0] * 9990 + [1] * 10, prediction=[0] * 10_000)
    assert "always saying 0 would get 99.90% right" in words(e.text())


def test_an_area_below_one_half_says_that_the_score_may_point_the_other_way() -> None:
    assert "turn the score round" in sy.evaluate(target=[0, 1] * 50, score=-np.linspace(0, 1, 100))["auc"].note
