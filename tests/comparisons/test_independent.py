"""Differences of two evaluations on different rows: closed forms, symmetry, p-values, coverage by simulation."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.comparisons.areas import Areas, area_difference, paired_areas, paired_partial_areas
from steelyard.comparisons.independent import LEAST_P, difference, mover, p_value
from steelyard.errors import NotAvailable, SteelyardError, UsageError
from steelyard.results import Array, Difference, Interval
from steelyard.verdicts.comparison import TOO_FEW

from ..simulating import about_as_often, draws

NORMAL = NormalDist()
PAYOFF = sy.Profit(tp=5, fn=-2, fp=-4)


def counted(found: int, missed: int, false: int = 40, right: int = 60) -> Any:
    truth = [1] * (found + missed) + [0] * (false + right)
    guess = [1] * found + [0] * missed + [1] * false + [0] * right
    return sy.evaluate(target=truth, prediction=guess)


def scored(rng: np.random.Generator, n: int, apart: float, share: float = 0.3, **more: Any) -> Any:
    """Log-odds that are right: positives and negatives of two normal populations."""
    y = (rng.random(n) < share).astype(int)
    x = rng.normal(apart * y, 1.0)
    odds = math.log(share / (1 - share)) + apart * x - apart**2 / 2
    return sy.evaluate(target=y, score=1 / (1 + np.exp(-odds)), threshold=0.3, **more)


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return scored(rng, 900, 1.2, profit=PAYOFF), scored(rng, 600, 0.8, profit=PAYOFF)


# ---- closed forms


def test_newcombe_as_printed() -> None:
    """Newcombe, Interval estimation for the difference between independent proportions (1998), example (a), method 10."""
    d = difference(counted(56, 14), counted(48, 32), "recall")
    assert (round(d.value or 0, 4), round(d.low or 0, 4), round(d.high or 0, 4)) == (0.2, 0.0524, 0.3339)
    assert d.method == "Newcombe (Wilson)"
    assert (d.values, d.n) == ((0.8, 0.6), (70, 80))


def test_the_interval_is_put_together_from_those_of_the_two_numbers(pair: tuple[Any, Any]) -> None:
    e, f = pair
    for name in ("brier", "kappa", "f1", "youden", "average_precision", "log_loss"):
        a, b, d = e[name], f[name], difference(e, f, name)
        assert d.value == a.value - b.value
        assert d.low == pytest.approx(d.value - math.sqrt((a.value - a.low) ** 2 + (b.high - b.value) ** 2), abs=1e-12)
        assert d.high == pytest.approx(d.value + math.sqrt((a.high - a.value) ** 2 + (b.value - b.low) ** 2), abs=1e-12)
        assert a.method in d.method


def unpaired(first: Areas, second: Areas) -> Areas:
    """Areas on different rows side by side: what two sets of rows have in common is nothing."""

    def blocks(a: Array, b: Array) -> Array:
        side = np.zeros((len(a), len(b)))
        return np.block([[a, side], [side.T, b]])

    return replace(
        first,
        values=np.concatenate([first.values, second.values]),
        from_positives=blocks(first.from_positives, second.from_positives),
        from_negatives=blocks(first.from_negatives, second.from_negatives),
    )


def test_areas_on_different_rows_are_compared_as_those_on_the_same_rows_are() -> None:
    """One method for both: score limits and MOVER, with a correlation of zero."""
    rng = np.random.default_rng(8)
    target = np.repeat([0, 1], [150, 40])
    first, second = rng.normal(2.2 * target), rng.normal(1.1 * target)
    e, f = (sy.evaluate(target=target, score=s) for s in (first, second))
    rows = area_difference(unpaired(paired_areas(target, [first]), paired_areas(target, [second])))
    d = difference(e, f, "auc")
    assert (d.low, d.high) == pytest.approx((rows.low, rows.high), abs=1e-9)
    g = difference(e, f, "gini")
    assert (g.low, g.high) == pytest.approx((2 * rows.low, 2 * rows.high), abs=1e-9)
    part = difference(e, f, "partial_auc", fpr=0.2)
    both = (paired_partial_areas(target, [x], 0.2) for x in (first, second))
    rows = area_difference(unpaired(*both))
    assert (part.low, part.high) == pytest.approx((rows.low, rows.high), abs=1e-9)


def test_confidence_is_that_of_both_intervals_whatever_the_evaluations_say(pair: tuple[Any, Any]) -> None:
    e, f = pair
    wide, narrow = (difference(e, f, "auc", confidence=c) for c in (0.99, 0.8))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    assert wide.p_value == pytest.approx(narrow.p_value, abs=1e-6)
    with pytest.raises(UsageError, match="above 0 and below 1, and 95"):
        difference(e, f, "auc", confidence=95)


def test_turned_round_it_is_the_same_difference(pair: tuple[Any, Any]) -> None:
    e, f = pair
    turned = {"better": "worse", "worse": "better"}
    for name in e.measures:
        d, back = difference(e, f, name), difference(f, e, name)
        assert back.value == -d.value, name
        assert (-back.high, -back.low) == pytest.approx((d.low, d.high), abs=1e-12), name
        assert back.p_value == pytest.approx(d.p_value, abs=1e-9), name
        assert back.statistic == pytest.approx(-d.statistic, abs=1e-5), name
        assert back.verdict == turned.get(d.verdict, d.verdict), name


def test_nothing_differs_from_itself(pair: tuple[Any, Any]) -> None:
    for name in pair[0].measures:
        d = difference(pair[0], pair[0], name)
        assert (d.value, d.p_value, d.statistic) == (0, 1, 0), name
        assert d.low <= 0 <= d.high


# ---- p-values


def test_the_p_value_turns_the_interval_round(pair: tuple[Any, Any]) -> None:
    e, f = pair
    for name in ("accuracy", "recall", "auc", "brier", "profit", "npv", "kappa", "log_loss"):
        d = difference(e, f, name)
        assert 0 < d.p_value < 1
        assert (d.p_value < 0.05) == (not d.low <= 0 <= d.high)
        just = difference(e, f, name, confidence=1 - d.p_value)
        near = just.low if d.value > 0 else just.high
        if d.note:
            assert near * d.value > 0, "told as an upper bound"
            continue
        assert near == pytest.approx(0, abs=1e-5 * abs(d.value)), name
        assert abs(d.statistic) == pytest.approx(NORMAL.inv_cdf(1 - d.p_value / 2))


def test_with_many_rows_it_is_the_textbook_test_of_two_shares() -> None:
    d = difference(counted(7900, 2100), counted(7750, 2250), "recall")
    pooled = (0.79 + 0.775) / 2
    z = 0.015 / math.sqrt(pooled * (1 - pooled) * 2 / 10_000)
    assert d.statistic == pytest.approx(z, rel=2e-3)
    assert d.p_value == pytest.approx(2 * NORMAL.cdf(-z), rel=2e-2)


def test_p_values_are_told_no_further_than_they_are_known(pair: tuple[Any, Any]) -> None:
    far = difference(counted(990, 10), counted(10, 990), "recall")
    assert far.p_value == LEAST_P
    assert far.note == "p is at most 1e-12"
    rng = np.random.default_rng(1)
    drawn = difference(scored(rng, 900, 3.0), scored(rng, 900, 0.2), "average_precision")
    assert drawn.p_value == 0.002
    assert drawn.note == "p is at most 0.002"


def test_an_interval_that_loses_its_end_far_out_still_has_a_p_value() -> None:
    def limits(confidence: float) -> tuple[float, float] | None:
        z = NORMAL.inv_cdf(0.5 + confidence / 2)
        return None if z > 3 else (2.5 - 0.5 * z, 9.0)

    p, note = p_value(2.5, limits, 0.95)
    assert p == pytest.approx(2 * NORMAL.cdf(-3), rel=1e-4)
    assert note == ""
    assert p_value(2.5, lambda _: (-1.0, 9.0), 0.95) == (1.0, "")


# ---- coverage and type I error


@pytest.mark.parametrize(("n", "m", "share"), [(200, 200, 0.5), (300, 2000, 0.3), (2000, 2000, 0.1)])
def test_intervals_cover_the_true_difference(n: int, m: int, share: float) -> None:
    rng = np.random.default_rng([31, n, m])
    strengths, cut, repeats = (1.4, 1.0), 0.3, draws(700, 150)
    truth = []
    for apart in strengths:
        at = (math.log(cut / (1 - cut)) - math.log(share / (1 - share)) + apart**2 / 2) / apart
        tpr, fpr = 1 - NORMAL.cdf(at - apart), 1 - NORMAL.cdf(at)
        x = np.linspace(-10, 12, 20001)
        p = 1 / (1 + np.exp(-(math.log(share / (1 - share)) + apart * x - apart**2 / 2)))
        density = share * np.exp(-((x - apart) ** 2) / 2) + (1 - share) * np.exp(-(x**2) / 2)
        # The probabilities are right, so the mean squared distance is that of their spread.
        brier = float((p * (1 - p) * density).sum() * (x[1] - x[0]) / math.sqrt(2 * math.pi))
        money = share * (5 * tpr - 2 * (1 - tpr)) - (1 - share) * 4 * fpr
        truth.append({"recall": tpr, "auc": NORMAL.cdf(apart / math.sqrt(2)), "brier": brier, "profit": money})
    inside = dict.fromkeys(truth[0], 0)
    for i in range(repeats):
        e, f = (scored(rng, k, apart, share, profit=PAYOFF) for k, apart in zip((n, m), strengths))
        for name in inside:
            extra = {"per": "case"} if name == "profit" else {}
            a, b = e.measure(name, **extra), f.measure(name, **extra)
            ends = mover(a.value, b.value, *(Interval(x.low, x.high, x.method) for x in (a, b)))
            assert ends is not None
            d = difference(e, f, name) if i == 0 or name == "auc" else None
            if d is not None and name == "auc":
                ends = d.low, d.high
            elif d is not None:
                assert ends == pytest.approx((d.low, d.high), abs=1e-12)
            inside[name] += ends[0] <= truth[0][name] - truth[1][name] <= ends[1]
    assert all(about_as_often(k, repeats, 0.93, 0.975) for k in inside.values()), (inside, repeats)


def test_equal_models_are_told_apart_as_rarely_as_they_should_be() -> None:
    rng = np.random.default_rng(77)
    p = []
    for _ in range(draws(400, 120)):
        e, f = (scored(rng, n, 1.0, 0.4) for n in (250, 400))
        d = difference(e, f, "auc")
        assert (d.verdict in {"better", "worse"}) == (d.p_value < 0.05)
        p.append(d.p_value)
    levels = {0.05: (0.025, 0.08), 0.2: (0.15, 0.25), 0.5: (0.43, 0.57)}
    for level, (least, most) in levels.items():
        below = int(np.sum(np.array(p) < level))
        assert about_as_often(below, len(p), least, most), (level, below)


# ---- verdicts and what is undefined


def test_better_follows_the_sense_of_the_measure() -> None:
    e, f = counted(90, 10), counted(50, 50)
    assert difference(e, f, "recall").verdict == "better"
    assert difference(e, f, "fnr").value < 0
    assert difference(e, f, "fnr").verdict == "better"
    assert difference(f, e, "fnr").verdict == "worse"
    assert difference(e, counted(89, 11), "recall").verdict == "no clear difference"
    assert difference(e, f, "predicted_positive_rate").verdict == ""
    few = difference(e, counted(20, 9), "recall")
    assert (few.verdict, few.note) == (TOO_FEW, "29 real positives, and 30 are needed")


def test_what_is_undefined_says_why() -> None:
    d = difference(counted(0, 50, 0, 50), counted(40, 10), "precision", names=("new", "old"))
    assert (d.value, d.low, d.p_value, d.verdict) == (None, None, None, TOO_FEW)
    assert d.reason == "new: nothing was predicted positive"
    assert str(d) == f"n/a ({d.reason})"
    assert math.isnan(float(d))
    json.dumps(d.to_dict(), allow_nan=False)


def test_a_measure_without_an_interval_gives_none_to_the_difference() -> None:
    rng = np.random.default_rng(2)
    e, f = (sy.evaluate(target=t, prediction=t + rng.normal(0, 1, 60)) for t in (rng.normal(5, 2, 60) for _ in "ab"))
    d = difference(e, f, "max_error")
    assert d.value is not None
    assert (d.low, d.high, d.p_value, d.statistic, d.verdict, d.method) == (None, None, None, None, TOO_FEW, "none")
    assert "largest error seen" in d.note
    assert difference(e, f, "bias").verdict == ""
    # The sum of squares is told with a half.
    assert difference(e, f, "sse").value == pytest.approx(30 * difference(e, f, "mse").value)


def test_levels_averages_options_and_classes(pair: tuple[Any, Any]) -> None:
    rng = np.random.default_rng(3)
    e, f = (
        sy.evaluate(
            target=np.array(list("abc"))[t], prediction=np.array(list("abc"))[np.where(rng.random(300) < q, t, 0)]
        )
        for q, t in ((0.8, rng.integers(0, 3, 300)), (0.6, rng.integers(0, 3, 300)))
    )
    d = difference(e, f, "recall", level="b")
    assert d.value == e["recall", "b"].value - f["recall", "b"].value
    assert d.level == "b"
    assert difference(e, f, "recall", level="macro").verdict == "better"
    with pytest.raises(NotAvailable, match=r"first evaluation cannot answer this.*one level"):
        difference(e, f, "recall")
    deep = difference(*pair, "capture", depth=0.3)
    assert deep.options == {"depth": 0.3}
    assert deep.value == pair[0].measure("capture", depth=0.3).value - pair[1].measure("capture", depth=0.3).value


def test_weights_and_units_carry_over() -> None:
    rng = np.random.default_rng(4)
    e, f = (scored(rng, 800, 1.0, unit=np.arange(800) // 4, weight=rng.gamma(2, 1, 800)) for _ in "ab")
    plain = difference(scored(rng, 800, 1.0), scored(rng, 800, 1.0), "auc")
    d = difference(e, f, "auc")
    assert "jackknife" in d.method
    assert d.high - d.low > plain.high - plain.low


# ---- money


def test_profit_is_compared_per_case(pair: tuple[Any, Any]) -> None:
    e, f = pair
    d = difference(e, f, "profit")
    assert d.value == pytest.approx(e["profit"].value / 900 - f["profit"].value / 600)
    total = difference(e, f, "profit", per="total")
    assert total.value == pytest.approx(e["profit"].value - f["profit"].value)
    cost = difference(e, f, "cost")
    assert (cost.value, cost.low, cost.high) == pytest.approx((-d.value, -d.high, -d.low))
    assert cost.verdict == d.verdict
    rng = np.random.default_rng(6)
    untold = scored(rng, 300, 1.0)
    assert difference(e, untold, "profit").value == difference(e, untold, "profit", payoff=PAYOFF).value
    with pytest.raises(UsageError, match="worth something else"):
        difference(e, scored(rng, 300, 1.0, profit=sy.Profit(tp=1)), "profit")
    with pytest.raises(NotAvailable, match="what outcomes are worth"):
        difference(untold, untold, "profit")


# ---- refusals and JSON


def test_what_is_not_alike_is_not_compared(pair: tuple[Any, Any]) -> None:
    numbers = sy.evaluate(target=[1.5, 2.5, 3.5], prediction=[1.0, 2.0, 3.0])
    abc = sy.evaluate(target=list("abcabc"), prediction=list("abcabb"))
    turned = sy.evaluate(target=[0, 1, 1, 0], score=[0.2, 0.4, 0.8, 0.1], positive=0)
    labels = counted(30, 30)
    refused: list[tuple[Any, Any, str, str]] = [
        (pair[0], numbers, "accuracy", "the first evaluation is about levels, the second evaluation about numbers"),
        (pair[0], abc, "accuracy", 'The levels differ: 0, 1 in the first evaluation, "a", "b", "c" in'),
        (pair[0], turned, "auc", "The positive level differs: 1 in the first evaluation, 0 in the second"),
        (pair[0], labels, "auc", 'The second evaluation cannot answer this: "auc" needs one score for two levels'),
        (numbers, sy.evaluate(target=[1.5, 2.5], prediction=[1.0, 2.0]), "sse", "the rows differ: 3 and 2"),
        (pair[0], pair[1], "acuracy", 'no measure called "acuracy"'),
    ]
    for e, f, name, message in refused:
        with pytest.raises(SteelyardError, match=message) as found:
            difference(e, f, name)
        assert found.value.hint


def test_a_difference_is_saved_and_read_back(pair: tuple[Any, Any]) -> None:
    for name in pair[0].measures:
        d = difference(*pair, name, names=("tree", "knn"))
        data = json.loads(json.dumps(d.to_dict(), allow_nan=False))
        assert data["text"] == str(d)
        assert Difference.from_dict(data) == d
    d = difference(*pair, "auc")
    assert float(d) == d.value
    assert d.defined
    assert d.renamed(first="tree").first == "tree"
