"""Campaigns: closed forms, brute force over rows, and whether intervals and optimism keep their promise."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import steelyard as sy
from steelyard.errors import NotAvailable, UsageError
from steelyard.evaluation import Evaluation
from steelyard.summaries.scores import Scores
from steelyard.views.campaign import campaign_document
from steelyard.views.layout import WIDTH, width_of
from steelyard.worth.campaign import Campaign, campaign

from ..simulating import about_as_often, draws


def judged(score: Any, target: Any) -> Evaluation:
    return Evaluation({"scores": Scores.of(np.asarray(score).tolist(), np.asarray(target).tolist(), positive=1)}, 0.5)


def drawn(seed: int, n: int = 300, share: float = 0.2, shift: float = 1.0, decimals: int = 1) -> tuple[Any, Any]:
    """Rows of two normal classes, with ties."""
    rng = np.random.default_rng(seed)
    target = (rng.random(n) < share).astype(int)
    target[:2] = 0, 1
    return np.round(rng.normal(size=n) + shift * target, decimals), target


def by_hand(score: Any, target: Any, benefit: float, cost: float, fixed: float = 0.0) -> dict[float, float]:
    """Profit of contacting all rows with at least a score, for every score, row by row."""
    out = {}
    for threshold in np.unique(score):
        picked = score >= threshold
        out[float(threshold)] = benefit * float(target[picked].sum()) - cost * float(picked.sum()) - fixed
    return out


# Closed forms ---------------------------------------------------------------------------------------------------------


def test_the_policies_that_need_no_model() -> None:
    score, target = drawn(1)
    c = campaign(judged(score, target), benefit=9.0, cost=2.0, prospects=5000, targets=0.15, depth=0.3, fixed=70.0)
    assert float(c.everybody) == pytest.approx(5000 * (9 * 0.15 - 2) - 70)
    assert float(c.at_random) == pytest.approx(5000 * 0.3 * (9 * 0.15 - 2) - 70)
    assert float(c.perfect) == pytest.approx(5000 * 0.15 * (9 - 2) - 70)
    assert float(c.nobody) == 0.0
    assert c.lift_needed == pytest.approx(2 / (9 * 0.15))
    assert c.everybody.low is None and "was given" in c.everybody.note


def test_both_forms_of_the_profit_and_the_lift_that_breaks_even() -> None:
    score, target = drawn(2)
    c = campaign(judged(score, target), benefit=9.0, cost=2.0, prospects=5000, depth=0.3)
    n, t = 5000, target.mean()
    assert c.targets == pytest.approx(t)
    assert float(c.profit) == pytest.approx(n * (9 * t * c.capture - 2 * 0.3))
    assert float(c.profit) == pytest.approx(n * 0.3 * (9 * t * c.lift - 2))
    for fixed in (0.0, 400.0):
        columns = campaign(judged(score, target), benefit=9.0, cost=2.0, fixed=fixed).curve.columns
        rows = zip(columns["depth"], columns["lift"], columns["break_even_lift"], columns["profit"], strict=True)
        for depth, lift, needed, profit in rows:
            if depth and abs(profit) > 1e-9:
                assert (lift > needed) == (profit > 0)


def test_quality_is_the_area_of_the_gains() -> None:
    score, target = drawn(3)
    c = campaign(judged(score, target), benefit=9.0, cost=2.0)
    steps = [float((score >= t).mean()) for t in np.unique(score)[::-1]]
    found = [float(target[score >= t].sum() / target.sum()) for t in np.unique(score)[::-1]]
    area = np.trapezoid([0.0, *found], [0.0, *steps])
    assert c.l_quality is not None
    assert float(c.l_quality) == pytest.approx((2 * area - 1) / (1 - target.mean()))


@pytest.mark.parametrize(("benefit", "share"), [(40.0, 0.02), (10.0, 0.1), (2.0, 0.3), (30.0, 0.05), (300.0, 0.02)])
def test_the_square_root_rule(benefit: float, share: float) -> None:
    n, cost = 100_000, 1.0
    c = campaign(benefit=benefit, cost=cost, prospects=n, targets=share)
    worth = benefit * share
    assert c.depth == pytest.approx(min(1.0, (worth / (2 * cost)) ** 2))
    expected = n * worth**2 / (4 * cost) if worth < 2 * cost else n * (worth - cost)
    assert float(c.profit) == pytest.approx(expected)
    depths = np.linspace(1e-6, 1, 200_001)
    assert float(c.profit) == pytest.approx(float((n * (worth * np.sqrt(depths) - cost * depths)).max()), rel=1e-6)
    assert c.profitable_depth == pytest.approx(min(1.0, (worth / cost) ** 2), rel=1e-6)
    # The rule it comes from: at depth T the lift is the root of 1 / T.
    there = campaign(benefit=benefit, cost=cost, prospects=n, targets=share, depth=share)
    assert there.lift == pytest.approx(math.sqrt(1 / share))
    assert c.profit.low is None and c.profit.note


def test_the_rule_never_reaches_more_targets_than_contacts() -> None:
    for benefit in (0.5, 1.2, 1.9):
        c = campaign(benefit=benefit, cost=1.0, prospects=10_000, targets=0.1)
        assert c.reached <= c.contacts + 1e-9
        assert float(c.profit) <= max(float(c.perfect), 0.0) + 1e-9
        depths = np.linspace(1e-6, 1, 100_001)
        best = (10_000 * (benefit * 0.1 * np.minimum(np.sqrt(depths), depths / 0.1) - depths)).max()
        assert max(float(c.profit), 0.0) == pytest.approx(max(float(best), 0.0), abs=0.02)
    assert campaign(benefit=0.5, cost=1.0, prospects=10_000, targets=0.1).verdict == "nobody"


def test_the_rule_beside_a_model_is_the_rule_alone() -> None:
    score, target = drawn(4)
    beside = campaign(judged(score, target), benefit=9.0, cost=2.0, prospects=700, targets=0.1).rule
    alone = campaign(benefit=9.0, cost=2.0, prospects=700, targets=0.1)
    assert (beside.depth, beside.reached) == (alone.depth, alone.reached)
    assert float(beside.profit) == float(alone.profit)


# Brute force ----------------------------------------------------------------------------------------------------------


def test_the_best_depth_against_all_thresholds() -> None:
    rng = np.random.default_rng(5)
    for seed in range(60):
        score, target = drawn(seed, n=int(rng.integers(20, 200)), share=float(rng.uniform(0.05, 0.6)))
        benefit, cost, fixed = float(rng.uniform(1, 30)), float(rng.uniform(0.1, 3)), float(rng.choice([0, 7]))
        c = campaign(judged(score, target), benefit=benefit, cost=cost, fixed=fixed)
        all_of_them = by_hand(score, target, benefit, cost, fixed)
        assert float(c.profit) == pytest.approx(max(all_of_them.values()), abs=1e-8)
        assert all_of_them[c.threshold or 0.0] == pytest.approx(float(c.profit), abs=1e-8)
        assert c.contacts == pytest.approx((score >= c.threshold).sum())
        assert c.reached == pytest.approx(target[score >= c.threshold].sum())
        policies = {"nobody": 0.0, "everybody": benefit * target.sum() - cost * len(target) - fixed}
        if c.verdict == "model":
            assert float(c.profit) > max(policies.values()) - 1e-9
        else:
            assert policies[c.verdict] == pytest.approx(max([float(c.profit), *policies.values()]), abs=1e-8)


def test_more_targets_are_as_many_copies_of_rows() -> None:
    score, target = drawn(7, n=150)
    for copies_of_others, copies_of_targets in ((4, 1), (1, 3)):
        repeats = np.where(target == 1, copies_of_targets, copies_of_others)
        more = judged(np.repeat(score, repeats), np.repeat(target, repeats))
        share = float(np.repeat(target, repeats).mean())
        for asked in ({}, {"depth": 0.13}, {"contacts": 55}):
            told = campaign(judged(score, target), benefit=12.0, cost=2.0, prospects=1000, targets=share, **asked)
            counted = campaign(more, benefit=12.0, cost=2.0, prospects=1000, targets=share, **asked)
            for name in ("depth", "capture", "threshold", "reached", "profitable_depth"):
                assert getattr(told, name) == pytest.approx(getattr(counted, name)), name
            assert float(told.profit) == pytest.approx(float(counted.profit))


def test_inside_a_tie_a_random_part_is_contacted() -> None:
    score, target = np.array([3, 2, 2, 2, 2, 1, 1, 1]), np.array([1, 1, 0, 0, 1, 0, 1, 0])
    c = campaign(judged(score, target), benefit=10.0, cost=1.0, depth=3 / 8)
    rng = np.random.default_rng(8)
    reached = []
    for _ in range(4000):
        order = np.lexsort((rng.random(8), -score))
        reached.append(target[order][:3].sum())
    assert c.reached == pytest.approx(2.0)
    assert c.reached == pytest.approx(np.mean(reached), abs=0.05)
    assert (c.threshold, c.at_threshold) == (2.0, pytest.approx(0.5))
    assert "a random 50%" in str(c)


def test_a_budget() -> None:
    rng = np.random.default_rng(9)
    for seed in range(40):
        score, target = drawn(seed, n=80, decimals=0)
        budget, cost = int(rng.integers(1, 90)), float(rng.uniform(0.2, 3))
        c = campaign(judged(score, target), benefit=10.0, cost=cost, contacts=budget)
        order = np.argsort(-score, kind="stable")
        # The expected profit of the first k rows when ties are in random order, for every k that is a step or the budget.
        expected = np.array([target[score == s].mean() for s in score[order]])
        profit = np.cumsum(10.0 * expected - cost)
        ends = [
            k for k in range(1, 81) if k <= budget and (k in {budget, 80} or score[order][k - 1] != score[order][k])
        ]
        assert float(c.profit) == pytest.approx(max(profit[k - 1] for k in ends), abs=1e-8)
        assert c.contacts <= budget + 1e-9
        assert float(c.perfect) == pytest.approx(min(budget, target.sum()) * (10 - cost))
    free = campaign(judged(score, target), benefit=10.0, cost=1.0)
    assert campaign(judged(score, target), benefit=10.0, cost=1.0, contacts=10_000) == free


def test_the_order_of_rows_does_not_matter() -> None:
    score, target = drawn(10)
    order = np.random.default_rng(0).permutation(len(score))
    first, second = (campaign(judged(score[o], target[o]), benefit=9.0, cost=2.0) for o in (slice(None), order))
    assert first == second


def test_the_curve_holds_every_depth_that_can_be_best() -> None:
    score, target = drawn(11, n=3000, decimals=6)
    e = judged(score, target)
    for benefit in np.geomspace(2, 200, 12):
        c = campaign(e, benefit=float(benefit), cost=2.0)
        columns = c.curve.columns
        assert len(c.curve) <= 200
        assert max(v for v, d in zip(columns["profit"], columns["depth"], strict=True) if d) == pytest.approx(
            float(c.profit)
        )
        assert all(a <= b <= d for a, b, d in zip(columns["low"], columns["profit"], columns["high"], strict=True))
        assert (columns["depth"][0], columns["depth"][-1]) == (0.0, 1.0)


def test_break_even_is_where_the_profit_crosses() -> None:
    score, target = drawn(12, decimals=6)
    e = judged(score, target)
    c = campaign(e, benefit=7.0, cost=2.0)
    assert c.profitable_depth is not None and c.depth < c.profitable_depth < 1
    assert float(campaign(e, benefit=7.0, cost=2.0, depth=c.profitable_depth).profit) == pytest.approx(0.0, abs=1e-7)
    for more in (0.01, 0.05, 0.1):
        assert float(campaign(e, benefit=7.0, cost=2.0, depth=min(1.0, c.profitable_depth + more)).profit) < 0


# Verdicts -------------------------------------------------------------------------------------------------------------


def test_everybody_and_nobody() -> None:
    score, target = drawn(13, share=0.3)
    e = judged(score, target)
    free = campaign(e, benefit=5.0, cost=0)
    assert (free.verdict, free.depth, free.optimism) == ("everybody", 1.0, 0.0)
    assert "free" in str(free)
    nobody = campaign(e, benefit=1.0, cost=1.5)
    assert nobody.verdict == "nobody" and float(nobody.profit) <= 0 and nobody.profitable_depth is None
    assert "not even a perfect list" in str(nobody)
    mixed = judged([1, 2, 3, 4, 5, 6] * 20, [1, 0, 1, 1, 0, 1] * 20)
    assert campaign(mixed, benefit=5.0, cost=1.0).verdict == "everybody"
    assert campaign(mixed, benefit=5.0, cost=1.0, depth=0.5).verdict == "everybody"


def test_everybody_is_best_where_the_tail_pays() -> None:
    for seed in range(20):
        score, target = drawn(seed, share=0.4, shift=0.5, decimals=0)
        for benefit in (2.2, 4.0, 12.0):
            c = campaign(judged(score, target), benefit=benefit, cost=2.0)
            if abs(c.tail_lift - c.lift_needed) > 1e-9:
                assert (c.depth == 1) == (c.tail_lift > c.lift_needed)


# How far off it could be ----------------------------------------------------------------------------------------------

POINTS = np.linspace(8, -8, 20_001)
SHARE, SHIFT = 0.1, 1.0


def true_profit(depth: float, benefit: float, cost: float) -> float:
    """Of one prospect, where the classes are normal and a deviation apart."""
    tpr, fpr = 1 - ndtr(POINTS - SHIFT), 1 - ndtr(POINTS)
    return benefit * SHARE * float(np.interp(depth, SHARE * tpr + (1 - SHARE) * fpr, tpr)) - cost * depth


@pytest.mark.parametrize("known", [False, True])
def test_the_interval_at_a_depth_holds_the_truth_as_often_as_it_says(known: bool) -> None:
    truth, held, times = 1000 * true_profit(0.2, 20.0, 1.0), [], draws(200, 80)
    for seed in range(times):
        score, target = drawn(seed, n=2000, share=SHARE, shift=SHIFT, decimals=12)
        share = {"targets": SHARE} if known else {}
        c = campaign(judged(score, target), benefit=20.0, cost=1.0, prospects=1000, depth=0.2, **share)
        assert c.optimism == 0 and c.corrected.value == c.profit.value
        assert c.profit.low is not None and c.profit.high is not None
        held.append(c.profit.low <= truth <= c.profit.high)
    assert about_as_often(sum(held), times, 0.92, 0.98)


def test_the_optimism_is_what_the_best_depth_promises_too_much() -> None:
    promised, estimated, held = [], [], []
    for seed in range(200):
        score, target = drawn(seed, n=2000, share=SHARE, shift=SHIFT, decimals=12)
        c = campaign(judged(score, target), benefit=10.0, cost=1.0, prospects=1000)
        truth = 1000 * true_profit(c.depth, 10.0, 1.0)
        assert c.optimism is not None and c.corrected.low is not None and c.corrected.high is not None
        assert float(c.corrected) == pytest.approx(float(c.profit) - c.optimism)
        promised.append(float(c.profit) - truth)
        estimated.append(c.optimism)
        held.append(c.corrected.low <= truth <= c.corrected.high)
    error = np.std(promised) / math.sqrt(len(promised))
    assert np.mean(promised) > 4 * error
    assert abs(np.mean(estimated) - np.mean(promised)) < 3 * error
    assert np.mean(held) >= 0.93


def test_wide_units_widen_the_interval() -> None:
    score, target = drawn(14, n=200, share=0.3, decimals=6)
    rows = {"target": np.repeat(target, 10), "score": np.repeat(score, 10)}
    by_row = campaign(sy.evaluate(**rows), benefit=9.0, cost=2.0, depth=0.3).profit
    by_unit = campaign(sy.evaluate(**rows, unit=np.repeat(np.arange(200), 10)), benefit=9.0, cost=2.0, depth=0.3).profit
    assert "units" in by_unit.method
    # Ten copies of every row say no more than one.
    assert (by_unit.high - by_unit.low) / (by_row.high - by_row.low) == pytest.approx(math.sqrt(10), rel=0.25)
    few = campaign(sy.evaluate(**rows, unit=np.repeat(np.arange(5), 400)), benefit=9.0, cost=2.0)
    assert few.profit.low is None and few.optimism is None and "fewer than 10 units" in few.profit.note
    assert "fewer than 10 units" in str(few)


def test_what_the_share_of_targets_implies() -> None:
    score, target = drawn(15)
    e = judged(score, target)
    c, share = campaign(e, benefit=9.0, cost=2.0, prospects=1000, depth=0.4), e["prevalence"]
    assert (c.everybody.low, c.everybody.high) == pytest.approx(
        tuple(1000 * (9 * t - 2) for t in (share.low, share.high))
    )
    assert (c.perfect.low, c.perfect.high) == pytest.approx(tuple(1000 * t * 7 for t in (share.low, share.high)))
    assert "Wilson" in c.at_random.method


# Bad input, words -----------------------------------------------------------------------------------------------------

GOOD = {"benefit": 9.0, "cost": 2.0, "prospects": 1000, "targets": 0.1}


NOT_MEANT = [
    ("benefit", 0),
    ("benefit", float("nan")),
    ("cost", -1),
    ("fixed", -0.5),
    ("prospects", 0.5),
    ("contacts", 0),
]
NOT_MEANT += [("targets", 0.0), ("targets", 1.0), ("depth", 0), ("depth", 1.2), ("depth", "all"), ("cost", True)]
BEYOND = [("benefit", 5e-324), ("benefit", 1e308), ("cost", 1e200), ("depth", 1e-12)]


@pytest.mark.parametrize(("name", "value"), [*NOT_MEANT, *BEYOND])
def test_a_number_that_cannot_be_meant_gets_a_sentence(name: str, value: Any) -> None:
    told = "is .*, which is too (large|near zero)" if (name, value) in BEYOND else "must be a number"
    for e in (None, judged(*drawn(16))):
        with pytest.raises(UsageError, match=f"The {name} of a campaign {told}") as raised:
            campaign(e, **(GOOD | {name: value}))
        assert raised.value.hint


def test_what_does_not_go_together_gets_a_sentence() -> None:
    with pytest.raises(UsageError, match="one size"):
        campaign(**GOOD, depth=0.1, contacts=10)
    with pytest.raises(UsageError, match="needs prospects and targets"):
        campaign(benefit=9.0, cost=2.0)
    with pytest.raises(UsageError, match="needs targets"):
        campaign(benefit=9.0, cost=2.0, prospects=100)
    with pytest.raises(NotAvailable, match="needs scores"):
        campaign(sy.evaluate(target=[1, 0, 1], prediction=[1, 0, 0]), benefit=9.0, cost=2.0)
    for only in (0, 1):
        one = Evaluation({"scores": Scores.of([0.1, 0.2], [only, only], positive=1)}, 0.5)
        with pytest.raises(NotAvailable, match="needs targets and others"):
            campaign(one, benefit=9.0, cost=2.0)


CASES: list[dict[str, Any]] = [
    {"benefit": 9.0, "cost": 2.0, "prospects": 100_000},
    {"benefit": 9.0, "cost": 2.0, "prospects": 4e11, "fixed": 1e6},
    {"benefit": 9.0, "cost": 2.0, "contacts": 17, "targets": 0.03},
    {"benefit": 9.0, "cost": 2.0, "depth": 0.123},
    {"benefit": 9.0, "cost": 0.0},
    {"benefit": 900.0, "cost": 1.0},
    {"benefit": 2.1, "cost": 2.0},
    {"benefit": 1e-4, "cost": 2e-5},
]


@pytest.mark.parametrize("asked", CASES)
def test_text_and_document(asked: dict[str, Any]) -> None:
    for e in (judged(*drawn(17, share=0.15)), None):
        c = campaign(e, **({} if e else {"prospects": 1000, "targets": 0.05}) | asked)
        assert max(width_of(line) for line in str(c).splitlines()) <= WIDTH
        assert "nan" not in str(c).lower()
        for found in (c.to_dict(), campaign_document(c)):
            json.dumps(found, allow_nan=False)
        assert Campaign.from_dict(json.loads(json.dumps(c.to_dict()))) == c
        assert next(iter(c.frame()["policy"])) == ("model" if e else "rule")
        assert campaign_document(c)["sentences"]


def test_the_headline() -> None:
    score = np.arange(1000) / 1000
    target = (np.arange(1000) % 10 < np.where(np.arange(1000) >= 880, 8, 1)).astype(int)
    c = campaign(judged(score, target), benefit=10.0, cost=3.0, prospects=100_000)
    text = " ".join(str(c).split())
    assert text.startswith(
        "Contact the 12,000 prospects with a score of at least 0.88 (12%): they hold 52% of the targets,"
    )
    assert c.optimism == pytest.approx(0.0, abs=0.2 * float(c.profit))
    assert all(
        word in text for word in ("exactly the targets", "Before any model", "L-quality", "Break-even", "Lift there")
    )


def test_one_contact_that_was_no_target_may_have_been_one() -> None:
    """A bootstrap draws what was seen; the limits of so few contacts are those of a share."""
    target = np.array([0, 1] + [0] * 48)
    c = campaign(judged(-np.arange(50.0), target), benefit=60.0, cost=10.0, contacts=1.0)
    assert float(c.profit) == pytest.approx(-10.0)
    assert c.profit.low == pytest.approx(-10.0)
    assert c.profit.high == pytest.approx(0.975 * 60 - 10)
