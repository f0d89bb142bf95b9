"""Verdicts, plans and trials at the edges: each of these was wrong in version 0.1.0 (docs/studies/edges.md has the figures)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag
from sklearn.naive_bayes import GaussianNB

import steelyard as sy
from steelyard.comparisons.areas import area_difference, paired_areas
from steelyard.comparisons.bayes import bayesian_sign, bayesian_signed_rank
from steelyard.comparisons.crossing import row_crossings
from steelyard.comparisons.independent import difference
from steelyard.comparisons.ranks import friedman
from steelyard.trials.proportions import two_proportions
from steelyard.trials.sample_ratio import sample_ratio
from steelyard.trials.uplift import score_bands


def scores_of(seed: int, models: int, n: int = 400) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    z = rng.normal(size=n) + 1.2 * y
    score = {f"m{i}": 1 / (1 + np.exp(-(z + rng.normal(size=n) * (0.3 + 0.35 * i) - 0.6))) for i in range(models)}
    return {"target": y, "score": score}


# A2, A13–A17, F2, F6, G4: comparisons --------------------------------------------------------------------------------


def test_curves_that_cross_are_said_to() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(3000) < 0.4).astype(int)
    a = np.where(y == 1, rng.normal(1.2, 2.2, 3000), rng.normal(0, 1, 3000))
    b = np.where(y == 1, rng.normal(1.2, 0.6, 3000), rng.normal(0, 1, 3000))
    assert len(row_crossings(y, a, b).ranges) == 2


def test_areas_on_different_rows_are_compared_as_on_the_same() -> None:
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1], [150, 40])
    first, second = rng.normal(3.2 * y), rng.normal(2.9 * y)
    d = difference(*(sy.evaluate(target=y, score=s) for s in (first, second)), "auc")
    one, other = paired_areas(y, [first]), paired_areas(y, [second])
    apart = {
        name: block_diag(getattr(one, name), getattr(other, name)) for name in ("from_positives", "from_negatives")
    }
    rows = area_difference(replace(one, values=np.concatenate([one.values, other.values]), **apart))
    assert (d.low, d.high) == pytest.approx((rows.low, rows.high), abs=1e-9)


@pytest.mark.parametrize("test", [bayesian_sign, bayesian_signed_rank])
def test_the_edge_of_the_rope_does_not_hang_on_the_last_bit(test: Any) -> None:
    first = np.array([0.873, 0.910, 0.845, 0.902, 0.760, 0.881, 0.930, 0.654])
    d = first - (first - np.array([0.005, 0.005, 0.005, -0.005, 0.012, 0.005, 0.009, 0.020])).round(3)
    exact, rounded = test(d, 0.005), test(d.round(6), 0.005)
    assert (exact.left, exact.rope, exact.right) == (rounded.left, rounded.rope, rounded.right)


def test_the_last_bit_ranks_nobody() -> None:
    noisy = np.array([[(0.1 + 0.2) / 3, 0.1, 0.3], [0.7, 0.1 * 7, 0.2], [0.5, 0.5, 0.9], [0.3, 0.1 + 0.2, 0.6]])
    assert friedman(noisy).p_value == friedman(noisy.round(9)).p_value


def test_a_word_agrees_with_the_interval_beside_it_and_with_the_pair_asked_for() -> None:
    c = sy.compare(**scores_of(11, 5), measures=["auc", "accuracy", "brier"])
    for r in c.table():
        d = r.difference
        assert (d.low > 0 or d.high < 0) == (r.verdict in {"better", "worse"})
        assert c.difference(d.measure, d.first, d.second).verdict == r.verdict


def test_models_worse_by_the_margin_are_hardly_ever_called_equivalent() -> None:
    found, y = 0, np.arange(150) % 2
    for seed in range(15):
        rng = np.random.default_rng(seed)
        right = rng.random((150, 12)) < np.r_[0.9, np.full(11, 0.8)]
        labels = {f"m{i}": np.where(right[:, i], y, 1 - y) for i in range(12)}
        c = sy.compare(target=y, prediction=labels, measures="accuracy", margin=0.1, control="m0", positive=1)
        found += any(r.verdict.startswith("equivalent") for r in c.table())
    assert found == 0


def test_too_few_counts_what_the_measure_rests_on() -> None:
    rng = np.random.default_rng(4)
    y = np.r_[np.ones(20, dtype=int), np.zeros(1980, dtype=int)]
    labels = {k: np.where(rng.random(2000) < wrong, 1 - y, y) for k, wrong in (("good", 0.02), ("poor", 0.35))}
    c = sy.compare(target=y, prediction=labels, measures=["accuracy", "f1"])
    assert c.difference("accuracy", "good", "poor").verdict == "better"
    assert c.difference("f1", "good", "poor").verdict == "too few cases to say"


def test_a_model_that_never_warns_is_not_called_better() -> None:
    left = (np.random.default_rng(1).random(200) < 0.15).astype(int)
    rows = {"unit": np.arange(200), "time": np.zeros(200), "outcome": left, "horizon": 10}
    models = {"never": np.zeros(200), "honest": 0.15 + 0.1 * left}
    c = sy.compare({k: sy.timeliness(score=v, **rows) for k, v in models.items()})
    assert c.difference("q", "never", "honest").verdict != "better"


@pytest.mark.parametrize("measure", ["auc", "f1", "kappa", "mcc", "rmse", "r2"])
def test_one_unit_has_no_spread_between_units(measure: str) -> None:
    given = scores_of(3, 2, 200)
    if measure in {"rmse", "r2"}:
        t = np.linspace(0, 1, 200)
        given = {"target": t, "prediction": {"m0": t + 0.1, "m1": 0.7 * t}}
    d = sy.compare(**given, unit=np.zeros(200, dtype=int), measures=measure).difference(measure, "m0", "m1")
    assert (d.low, d.high, d.p_value) == (None, None, None)


class Stumbles(GaussianNB):
    """Fails where the first training row has this first feature."""

    first = 0.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if X[0, 0] == Stumbles.first:
            message = "stumbled"
            raise RuntimeError(message)
        return super().fit(X, y, sample_weight)


def test_a_failed_fold_is_shared_with_nobody() -> None:
    rng = np.random.default_rng(12)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] + 1.5 * rng.normal(size=90) > 0.6).astype(int)
    Stumbles.first = X[15, 0]  # the first training row where the first fold is held out
    x = sy.experiment({"sure": GaussianNB(), "stumbles": Stumbles()}, X, y, design=sy.StoredFolds(np.arange(90) // 15))
    d = x.compare("stumbles", "sure").difference("accuracy", "stumbles", "sure")
    assert d.n == (5.0, 5.0) and d.value == pytest.approx(d.values[0] - d.values[1], abs=1e-12)


def test_three_data_sets_are_counted() -> None:
    assert friedman([[1, 2, 3], [1, 2, 3], [1, 3, 2]], better="lower").p_value == pytest.approx(7 / 36)


def test_five_data_sets_hardly_say_who_is_higher() -> None:
    rng = np.random.default_rng(5)
    said = [bayesian_signed_rank(rng.normal(size=5), draws=1000).verdict in {"lower", "higher"} for _ in range(200)]
    assert np.mean(said) <= 0.14


# G5: regions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [7, 16, 19, 22])
def test_a_region_is_not_clear_because_its_winner_happened_to_win_there(seed: int) -> None:
    """In each of these draws of two equal models version 0.1.0 called a region clear."""
    rng = np.random.default_rng(seed)
    pair = {}
    for name in ("a", "b"):
        y = (rng.random(300) < 0.3).astype(int)
        pair[name] = sy.evaluate(target=y, score=rng.normal(1.19 * y))
    assert not any(part.clear for part in sy.regions(pair, prevalence=0.3).parts)


# A8, A9, B12, G2, G3: trials and plans -------------------------------------------------------------------------------


def test_no_events_in_a_small_control_prove_nothing() -> None:
    band = score_bands((np.arange(600) >= 594).astype(float), np.arange(600) >= 67, np.zeros(600), 1)[0].effect
    assert band.low < 0 < band.high


def test_units_of_unequal_size_seldom_see_an_effect_that_is_none() -> None:
    seen = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        size = np.minimum(np.ceil(3 * (1 + rng.pareto(1.3, 20))), 300).astype(int)
        unit = np.repeat(np.arange(20), size)
        y = rng.normal(0, 0.7, 20)[unit] + rng.normal(0, 0.7, len(unit))
        arm = np.where(unit < 10, "left", "called")
        t = sy.trial(group=arm, control="left", outcome=y, unit=unit, planned={"left": 10, "called": 10})
        seen += t.effect.low > 0 or t.effect.high < 0
    assert seen <= 7


def test_a_plan_that_nobody_stated_blocks_nothing() -> None:
    assert not sample_ratio({"hold": 4400, "call": 5600}).blocked


def test_a_plan_of_unequal_arms_has_the_power_of_the_test_that_decides() -> None:
    plan = sy.trial_size(0.04, share=0.05, treated=0.2)
    acted, rng = plan.treated or plan.n, np.random.default_rng(3)
    seen = [
        two_proportions(float(x), float(acted), float(y), float(plan.n)).high < 0
        for x, y in zip(rng.binomial(acted, 0.01, 400), rng.binomial(plan.n, 0.05, 400), strict=True)
    ]
    assert 0.74 < np.mean(seen) < 0.87


def test_a_plan_of_weeks_has_the_power_of_the_default_trial() -> None:
    n, seen = sy.trial_size(5, rate=20).n, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        events = [*rng.poisson(20, n).tolist(), *rng.poisson(15, n).tolist()]
        table = {"week": [*range(n)] * 2, "arm": ["left"] * n + ["called"] * n, "events": events}
        given = {"group": "arm", "control": "left", "outcome": "events", "period": "week", "exposed": 1000}
        seen += sy.trial(counts=table, **given).verdict == "helps"
    assert seen >= 42
