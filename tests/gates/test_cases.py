"""The gate and how many cases it has: what it promises at its boundary, and what it says where they are too few."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, ndtri

import steelyard as sy
from steelyard.gates.requirement import outcome_of


def scored(rng: np.random.Generator, area: float, positives: int, negatives: int) -> Any:
    y = np.repeat([1, 0], [positives, negatives])
    return sy.evaluate(target=y, score=rng.normal(math.sqrt(2) * ndtri(area) * y))


def labelled(tp: int, fn: int, fp: int, tn: int, **more: Any) -> Any:
    k = [tp, fn, fp, tn]
    target, guess = np.repeat([1, 1, 0, 0], k), np.repeat([1, 0, 1, 0], k)
    return sy.evaluate(target=target, prediction=guess, levels=[0, 1], positive=1, **more)


def test_one_positive_shows_nothing_and_is_told_to() -> None:
    e = sy.evaluate(target=[1] + [0] * 200, score=np.r_[0.88, np.linspace(0, 1, 200)])
    (result,) = outcome_of(e, ["auc >= 0.8"]).results
    assert result.state == "not shown"
    assert result.reason == "1 positive is too few to show it: it takes at least 17"
    assert 0.025 ** (1 / 16) < 0.8 < 0.025 ** (1 / 17)


@pytest.mark.parametrize(("area", "positives"), [(0.95, 5), (0.95, 15), (0.99, 30), (0.9, 60)])
def test_an_area_at_the_bound_passes_in_at_most_what_is_promised(area: float, positives: int) -> None:
    rng = np.random.default_rng([13, positives])
    passed = sum(outcome_of(scored(rng, area, positives, 100), f"auc >= {area}").passed for _ in range(60))
    assert passed <= 60 * 0.025 + 2


def test_positives_of_two_kinds_do_not_get_an_area_through() -> None:
    """Five in a hundred positives score like negatives: with 40 of them often none was seen."""
    rng = np.random.default_rng(14)
    passed = 0
    for _ in range(150):
        y = np.repeat([1, 0], [40, 150])
        s = rng.normal(size=190) + 9.0 * y * (rng.random(190) > 0.1)
        passed += outcome_of(sy.evaluate(target=y, score=s), "auc >= 0.95").passed
    assert passed <= 150 * 0.025 + 3


def test_shares_decide_on_clopper_and_pearsons_limits() -> None:
    """58 of 60 found: Wilson's lower limit is 0.886, the exact one 0.885; what lies between is not shown."""
    e = labelled(58, 2, 3, 57)
    (result,) = outcome_of(e, "recall >= 0.885").results
    assert e["recall"].low > 0.885 > result.number.low
    assert (result.state, result.number.method) == ("not shown", "Clopper and Pearson")
    assert result.to_dict()["estimate"]["low"] == result.number.low, "what is told is what decided"
    for name in ("accuracy", "precision", "specificity", "fpr", "npv", "f1", "youden", "average_class_accuracy"):
        (result,) = outcome_of(e, f"{name} <= 1").results
        assert result.number.low <= e[name].low + 1e-9, name
        assert result.number.high >= e[name].high - 1e-9, name
        assert "Clopper" in result.number.method


def test_it_says_how_many_cases_it_takes() -> None:
    few = outcome_of(labelled(5, 0, 3, 57), ["recall >= 0.9", "recall >= 0.2"]).results
    assert few[0].reason == "5 positives are too few to show it: it takes at least 36"
    assert few[1].met
    some = outcome_of(labelled(45, 5, 3, 57), "recall >= 0.85").results[0]
    assert some.reason.startswith("50 positives do not show it: about ")
    about = int(some.reason.split("about ")[1].split()[0].replace(",", ""))
    # With so many of the same kind it is shown, with a tenth fewer it is not.
    assert outcome_of(labelled(round(0.9 * about), about - round(0.9 * about), 3, 57), "recall >= 0.85").passed
    fewer = round(0.85 * about)
    assert not outcome_of(labelled(round(0.9 * fewer), fewer - round(0.9 * fewer), 3, 57), "recall >= 0.85").passed
    assert outcome_of(labelled(40, 10, 3, 57), "recall >= 0.85").results[0].reason == "", "more of these would not help"


def test_a_brier_score_at_the_bound_passes_in_at_most_what_is_promised() -> None:
    rng = np.random.default_rng(15)
    passed = 0
    for _ in range(150):
        # Of 300 rows 1% are positive and nobody can say which.
        y = (rng.random(300) < 0.01).astype(int)
        e = sy.evaluate(target=y, score=expit(-4.6 + 0.01 * rng.normal(size=300)), levels=[0, 1], positive=1)
        passed += outcome_of(e, "brier <= 0.0099").passed
    assert passed <= 150 * 0.025 + 3


def test_a_rare_loss_that_has_not_come_yet_is_allowed_for() -> None:
    """One miss in 200 rows costs 1,000: in 61% of samples of 100 there is none, and the profit looks fine."""
    rng = np.random.default_rng(16)
    worth = sy.Profit(tp=10, fn=-1000, fp=-2, tn=1)
    chances = (0.04, 0.005, 0.1, 0.855)
    truth = float(np.dot(chances, (10, -1000, -2, 1)))
    passed = 0
    for _ in range(150):
        e = labelled(*rng.multinomial(100, chances), profit=worth)
        passed += outcome_of(e, f"profit(per=case) >= {truth!r}").passed
    assert passed <= 150 * 0.025 + 3
    fine = labelled(400, 0, 1000, 8600, profit=worth)
    assert outcome_of(fine, "profit(per=case) >= 0").passed, "with rows enough it is shown"


def test_units_count_and_not_their_rows() -> None:
    rng = np.random.default_rng(17)
    unit = np.repeat(np.arange(30), 20)
    right = np.repeat(rng.random(30) < 0.9, 20)
    y = np.tile([0, 1], 300)
    more = {"levels": [0, 1], "positive": 1}
    rows = sy.evaluate(target=y, prediction=np.where(right, y, 1 - y), **more)
    units = sy.evaluate(target=y, prediction=np.where(right, y, 1 - y), unit=unit, **more)
    low = [outcome_of(e, "accuracy >= 0.5").results[0].number.low for e in (rows, units)]
    assert low[1] < low[0] - 0.05


def test_money_by_row_and_by_unit_is_held_by_what_units_earn() -> None:
    """Each unit earns what its rows earn; the gate's ends hold those of the interval by unit."""
    i = np.arange(96)
    columns = {"y": (i * 37 % 101 < 35).astype(int), "p": (i * 53 % 97) / 97, "worth": (i * 13 % 29) / 2, "who": i // 4}
    for per_row in ("2 * worth - 5", 7):
        e = sy.evaluate(columns, target="y", score="p", unit="who", profit=sy.Profit(tp=per_row, fp=-3))
        x = outcome_of(e, ["profit >= -1000"]).results[0].number
        assert "24 buckets of units" in x.method
        assert x.low is not None and x.high is not None and x.low < e["profit"].value < x.high
        width, known = x.high - x.low, e["profit"].high - e["profit"].low
        assert 0.9 * known < width < 2 * known


@pytest.mark.parametrize("depth", [0.1, 0.25])
def test_a_lift_decides_as_the_captured_share_does(depth: float) -> None:
    rng = np.random.default_rng(15)
    y = np.repeat([1, 0], [12, 300])
    e = sy.evaluate(target=y, score=rng.normal(1.5 * y))
    (share,) = outcome_of(e, f"capture(depth={depth}) >= 0.2").results
    (lift,) = outcome_of(e, f"lift(depth={depth}) >= {0.2 / depth}").results
    assert (lift.state, lift.number.method) == (share.state, share.number.method)
    assert (lift.number.low * depth, lift.number.high * depth) == pytest.approx((share.number.low, share.number.high))


# Errors, of which nobody knows how large the next can be ----------------------------------------------------------------


def amounts(rng: np.random.Generator, n: int) -> Any:
    """Exponential amounts about their prediction: the mean error of a row is 2 / e of what was predicted."""
    said = rng.uniform(1, 3, n)
    return sy.evaluate(target=said * rng.exponential(1.0, n), prediction=said, kind="continuous")


@pytest.mark.parametrize(("measure", "bound"), [("mae", 4 / math.e), ("rmse", math.sqrt(13 / 3))])
def test_an_error_at_its_bound_passes_in_at_most_what_is_promised(measure: str, bound: float) -> None:
    rng = np.random.default_rng(18)
    passed = sum(outcome_of(amounts(rng, 30), f"{measure} <= {bound}").passed for _ in range(150))
    assert passed <= 150 * 0.025 + 3
    assert outcome_of(amounts(rng, 3000), f"{measure} <= {1.4 * bound}").passed, "with rows enough it is shown"


def test_limits_of_errors_hold_those_of_the_interval_and_say_what_they_cannot_know() -> None:
    e = amounts(np.random.default_rng(19), 60)
    found = outcome_of(e, ["mae <= 2.5", "r2 >= -5", "poisson_deviance <= 9", "smape <= 2"])
    for r in found.results:
        usual = e[r.subject]
        assert r.number.low <= usual.low and r.number.high >= usual.high, r.subject
    assert "about" in found.results[0].reason and "like them would" in found.results[0].reason
    (note,) = found.notes
    assert note.startswith(
        "Decided with a row added that is further off than any seen (mae, r2, poisson_deviance, smape)"
    )


def test_what_rests_on_few_cases_is_not_shown_where_no_worst_row_is_known() -> None:
    """Kappa has the usual interval alone: of four positives it shows nothing, of forty it does."""
    few, some = (outcome_of(labelled(k, 0, 2, 200), "kappa >= 0.1") for k in (4, 40))
    assert (few.results[0].state, few.results[0].reason) == ("not shown", "it rests on 4 positives")
    assert some.passed
    assert "Decided by the usual interval (kappa)" in some.notes[0]
    assert outcome_of(labelled(4, 0, 2, 200), "kappa >= 0.1", on="point").passed


def test_rows_that_are_all_alike_show_nothing_of_those_to_come() -> None:
    exact = sy.evaluate(target=[1.0, 2.0, 5.0, 4.0] * 10, prediction=[1.0, 2.0, 5.0, 4.0] * 10, kind="continuous")
    assert (exact["mae"].value, exact["mae"].caution) == (0, "all rows alike")
    (result,) = outcome_of(exact, "mae <= 0.5").results
    assert (result.state, result.reason) == ("not shown", "all rows alike")


def test_a_difference_from_the_champion_rests_on_enough_too() -> None:
    few = outcome_of(labelled(4, 0, 0, 200), against=labelled(40, 0, 5, 200), compare=["kappa"], margin=0.9)
    assert (few.results[0].state, few.results[0].reason) == ("not shown", "it rests on 4 real positives")
