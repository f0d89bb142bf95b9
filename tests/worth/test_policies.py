"""What decisions are worth, and what every policy without a model is, against sums row by row."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import NotAvailable
from steelyard.worth.policies import Worth, point_of

NAMES = ("fee", "price")


class Case:
    """A random table of labels or of one score, a payoff, and what every row is worth under any prediction."""

    def __init__(self, seed: list[int], *, scores: bool) -> None:
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(8, 60)), 2 if scores else int(rng.integers(2, 5))
        self.levels: tuple[Any, ...] = (0, 1) if k == 2 else tuple("abcd"[:k])
        self.truth = np.r_[np.arange(k), rng.integers(0, k, n - k)]
        self.weight, self.call = np.ones(n), {}
        kind = rng.choice(["none", "frequency", "sampling"])
        if kind != "none":
            self.weight = rng.integers(1, 5, n).astype(float) if kind == "frequency" else rng.gamma(2, 1, n) + 0.1
            self.call = {"weight": self.weight, "weights": kind}
        names = NAMES[: int(rng.integers(0, 3))]
        own = {x: np.round(rng.normal(5, 20, n), 2) for x in names}
        if own:
            self.call["value"] = own
        self.parts = rng.normal(0, 30, (1 + len(names), k, k))
        # worth[row, predicted]
        self.worth = self.parts[0][self.truth]
        for q, x in enumerate(names):
            self.worth = self.worth + self.parts[1 + q][self.truth] * own[x][:, None]
        cells = [
            [
                " + ".join(
                    [
                        repr(float(self.parts[0, i, j])),
                        *(f"{self.parts[1 + q, i, j]} * {x}" for q, x in enumerate(names)),
                    ]
                )
                for j in range(k)
            ]
            for i in range(k)
        ]
        self.cost = bool(rng.random() < 0.5)
        self.made = (sy.Cost if self.cost else sy.Profit)(cells, levels=self.levels)
        if self.cost:
            self.worth = -self.worth
        if scores:
            score = np.round(rng.random(n), 1)
            self.call["score"] = score
            self.predicted = (score >= 0.5).astype(int)
        else:
            self.predicted = rng.integers(0, k, n)
            self.call["prediction"] = [self.levels[i] for i in self.predicted]
        self.evaluation = sy.evaluate(target=[self.levels[i] for i in self.truth], profit=self.made, **self.call)

    def total(self, predicted: Any) -> float:
        """Profit of predictions, row by row."""
        return float((self.weight * self.worth[np.arange(len(self.truth)), predicted]).sum())

    def policies(self) -> dict[str, float]:
        share = np.array([self.weight[self.predicted == j].sum() for j in range(len(self.levels))]) / self.weight.sum()
        n = len(self.truth)
        constant = {f"all as {v}": i for i, v in enumerate(self.levels)}
        if len(self.levels) == 2:
            constant = {"flag everybody": 1, "flag nobody": 0}
        return {
            **{name: self.total(np.full(n, i)) for name, i in constant.items()},
            "at random": float((self.weight[:, None] * self.worth * share).sum()),
            "perfect": self.total(self.truth),
        }


@pytest.mark.parametrize("scores", [True, False])
def test_every_policy_is_the_sum_of_its_rows(scores: bool) -> None:
    for seed in range(40):
        case = Case([41, seed], scores=scores)
        e, here = case.evaluation, case.total(case.predicted)
        worth, wanted = e.profit(), case.policies()
        size = float(np.abs(case.weight[:, None] * case.worth).sum())
        near = {"rel": 1e-12, "abs": 1e-12 * size}
        assert worth.value == pytest.approx(here, **near)
        assert worth.per_case is not None
        assert worth.per_case.value == pytest.approx(here / case.weight.sum(), **near)
        assert worth.n == pytest.approx(case.weight.sum())
        assert [p.name for p in worth.policies] == list(wanted)
        for p in worth.policies:
            assert p.estimate.value == pytest.approx(wanted[p.name], **near)
            assert p.advantage.value == pytest.approx(here - wanted[p.name], **near)
            assert p.advantage.low <= p.advantage.value <= p.advantage.high
        # The measure of that name is the same number with the same interval.
        asked = e.measure("profit", payoff=case.made)
        assert (asked.value, asked.low, asked.high) == pytest.approx((worth.value, worth.low, worth.high))
        each = e.measure("profit", payoff=case.made, per="case")
        assert (each.value, each.low) == pytest.approx((worth.per_case.value, worth.per_case.low))


def test_cost_is_profit_turned_over() -> None:
    for seed, scores in product(range(12), (True, False)):
        e = Case([42, seed], scores=scores).evaluation
        profit, cost = e.profit(), e.cost()
        pairs = [(profit, cost), (profit.per_case, cost.per_case)]
        pairs += [(p.estimate, q.estimate) for p, q in zip(profit.policies, cost.policies, strict=True)]
        for a, b in pairs:
            assert (b.value, b.low, b.high) == pytest.approx((-a.value, -a.high, -a.low), rel=1e-12, abs=1e-9)
        for p, q in zip(profit.policies, cost.policies, strict=True):
            # Better is better, however it is told.
            assert p.name == q.name
            assert (q.advantage.value, q.advantage.low, q.advantage.high) == pytest.approx(
                (p.advantage.value, p.advantage.low, p.advantage.high), rel=1e-9, abs=1e-9
            )
        assert (cost.break_even, cost.rule) == (profit.break_even, profit.rule)
        assert e.worth is not None and e.worth.measure == e.payoff.kind


def test_relative_amounts_differ_by_what_doing_nothing_is_worth() -> None:
    for seed, scores in product(range(12), (True, False)):
        case = Case([43, seed], scores=scores)
        e, nothing = case.evaluation, case.levels[0]
        made = (sy.Cost if case.cost else sy.Profit)(case.made, nothing=nothing)
        absolute, relative = e.profit(made), e.profit(made.relative_to_nothing())
        none = case.total(np.zeros(len(case.truth), dtype=int))
        size = float(np.abs(case.weight[:, None] * case.worth).sum())
        assert absolute.value - relative.value == pytest.approx(none, abs=1e-12 * size)
        assert (absolute.reference, relative.reference) == ("absolute", "relative to doing nothing")
        for p, q in zip(absolute.policies, relative.policies, strict=True):
            assert p.estimate.value - q.estimate.value == pytest.approx(none, abs=1e-12 * size)
            assert (q.advantage.value, q.advantage.low, q.advantage.high) == pytest.approx(
                (p.advantage.value, p.advantage.low, p.advantage.high), rel=1e-9, abs=1e-9 * size
            )
        name = "flag nobody" if len(case.levels) == 2 else f"all as {nothing}"
        assert relative.policy(name).estimate.value == pytest.approx(0.0, abs=1e-12 * size)
        assert relative.break_even == (None if absolute.break_even is None else pytest.approx(absolute.break_even))


def test_the_band_of_ranges_is_that_of_a_grid_over_the_box() -> None:
    rng = np.random.default_rng(44)
    for _ in range(20):
        y, score, fee = rng.integers(0, 2, 30), np.round(rng.random(30), 1), rng.normal(3, 10, 30)
        ends = np.sort(rng.normal(0, 20, (4, 2)), axis=1)
        slope = rng.normal(0, 2, 2)
        e = sy.evaluate(target=y, score=score, value={"fee": fee}, levels=[0, 1])
        kind = sy.Profit if rng.random() < 0.5 else sy.Cost
        made = kind(
            tp=tuple(ends[0].tolist()),
            fn=float(ends[1, 0]),
            fp=(f"{slope[0]} * fee", f"{slope[1]} * fee + 1"),
            tn=tuple(ends[3].tolist()),
        )
        flagged = score >= 0.5
        tp, fn, fp, tn = ((a & b).astype(float) for b, a in product((y == 1, y == 0), (flagged, ~flagged)))
        totals = []
        for a, b, c in product(np.linspace(0, 1, 7), repeat=3):
            alarm = (1 - b) * slope[0] * fee + b * (slope[1] * fee + 1)
            totals.append(
                (tp * (ends[0] @ [1 - a, a]) + fn * ends[1, 0] + fp * alarm + tn * (ends[3] @ [1 - c, c])).sum()
            )
        found = e.profit(made) if kind is sy.Profit else e.cost(made)
        assert found.band == pytest.approx((min(totals), max(totals)))
        assert found.value == pytest.approx(totals[len(totals) // 2])
        middle = e.profit(made.middle()) if kind is sy.Profit else e.cost(made.middle())
        assert found.value == pytest.approx(middle.value) and middle.band is None
        turned = e.cost(made) if kind is sy.Profit else e.profit(made)
        assert turned.band == pytest.approx((-found.band[1], -found.band[0]))
        assert "Over the ranges given it lies between" in str(found)


def test_the_break_even_probability_makes_both_choices_equal() -> None:
    rng = np.random.default_rng(45)
    seen = set()
    for _ in range(100):
        tp, fn, fp, tn = np.round(rng.normal(0, 20, 4), 1).tolist()
        e = sy.evaluate(target=[0, 1, 1], score=[0.2, 0.4, 0.6])
        found = e.profit(sy.Profit(tp=tp, fn=fn, fp=fp, tn=tn))
        grid = np.linspace(0, 1, 1001)
        acting = grid * (tp - fn) - (1 - grid) * (tn - fp)
        if found.break_even is None:
            always = found.rule.endswith("act always")
            seen.add(always)
            assert (acting >= -1e-9).all() if always else (acting <= 1e-9).all()
            assert always or found.rule == "acting never brings anything: never act"
            continue
        p = found.break_even
        assert p * tp + (1 - p) * fp == pytest.approx(p * fn + (1 - p) * tn)
        above = "is above" in found.rule
        seen.add("above" if above else "below")
        assert (acting[grid > p + 1e-9] > 0).all() == above
        assert ("is below" in found.rule) != above and f"{p:.3g}" in found.rule
    assert seen == {True, False, "above", "below"}


def test_break_even_at_average_amounts_of_each_level() -> None:
    rng = np.random.default_rng(46)
    y, fee, w = rng.integers(0, 2, 200), rng.lognormal(2, 1, 200), rng.gamma(2, 1, 200)
    e = sy.evaluate(target=y, score=rng.random(200), value={"fee": fee}, weight=w)
    found = e.profit(sy.Profit(tp="0.5 * fee - 1", fp="-0.25 * fee", tn=2))
    hit, alarm = (np.average(fee[y == v], weights=w[y == v]) for v in (1, 0))
    gain, loss = 0.5 * hit - 1, 2 + 0.25 * alarm
    assert found.break_even == pytest.approx(loss / (gain + loss))
    assert "at average amounts; each row has its own" in found.rule


def test_the_edges_of_the_rule() -> None:
    assert point_of(0.0, 5.0) == (None, "acting never brings anything: never act")
    assert point_of(-1.0, 5.0) == (None, "acting never brings anything: never act")
    assert point_of(5.0, 0.0) == (None, "acting never costs anything: act always")
    assert point_of(5.0, -1.0) == (None, "acting never costs anything: act always")
    assert point_of(-3.0, -1.0)[0] == 0.25


def test_the_text_says_which_and_against_what() -> None:
    y, score = [1, 1, 1, 0, 0, 0, 0, 0], [0.9, 0.8, 0.2, 0.7, 0.3, 0.2, 0.1, 0.1]
    e = sy.evaluate(target=y, score=score)
    profit = str(e.profit(sy.Profit(tp=10, fp=-4)))
    assert profit.startswith("The profit of 8 rows is 16") and "absolute" not in profit
    cost = str(e.cost(sy.Profit(tp=10, fp=-4)))
    assert cost.startswith("The cost of 8 rows is −16") and "absolute" not in cost
    relative = str(e.profit(sy.Profit(tp=10, fp=-4, relative=True)))
    assert ", relative to doing nothing." in " ".join(relative.split())
    for text in (profit, cost, relative):
        for name in ("flag everybody", "flag nobody", "at random", "perfect", "the model", "Break-even: act where"):
            assert name in text
        assert max(map(len, text.splitlines())) <= 80
    told = sy.evaluate(target=y, score=score, profit=sy.Cost(fn=10, fp=4))
    assert "cost" in told.measures and "profit" not in told.measures
    assert isinstance(told.worth, Worth) and told.worth.measure == "cost"
    assert e.worth is None
    with pytest.raises(NotAvailable, match='"profit" needs to know what outcomes are worth'):
        e.profit()


def test_plain_json_never_holds_what_json_cannot_say() -> None:
    for seed, scores in product(range(6), (True, False)):
        case = Case([47, seed], scores=scores)
        found = json.loads(json.dumps(case.evaluation.profit().to_dict(), allow_nan=False))
        assert found["reference"] == "absolute" and found["payoff"] == case.made.to_dict()
        assert {p["name"] for p in found["policies"]} == set(case.policies())
    one = sy.evaluate(target=[1], score=[0.7], levels=[0, 1]).profit(sy.Profit(tp=3, fp=-1))
    assert one.value == 3 and one.policy("flag nobody").estimate.value == 0
    json.dumps(one.to_dict(), allow_nan=False)
    assert "The profit of 1 row" in str(one)


def test_segments_and_units_have_their_own() -> None:
    rng = np.random.default_rng(48)
    n = 400
    rows = {
        "y": rng.integers(0, 2, n),
        "p": rng.random(n),
        "fee": rng.lognormal(1, 1, n),
        "who": rng.integers(0, 60, n),
    }
    rows["where"] = rng.choice(["north", "south"], n)
    made = sy.Profit(tp="fee", fp=-2)
    e = sy.evaluate(rows, target="y", score="p", segment="where", unit="who", profit=made)
    flagged = rows["p"] >= 0.5
    own = np.where(flagged, np.where(rows["y"] == 1, rows["fee"], -2.0), 0.0)
    for name, part in e.segments.items():
        found = part.profit()
        here = rows["where"] == name
        assert found.value == pytest.approx(own[here].sum()) and found.segment == name
        assert "jackknife" in found.method
    # The jackknife over units, done by leaving one out at a time.
    totals, counts = (np.bincount(rows["who"], weights=x) for x in (own, np.ones(n)))
    left = (totals.sum() - totals) / (counts.sum() - counts)
    units = len(totals)
    error = np.sqrt((units - 1) / units * ((left - left.mean()) ** 2).sum()) * n
    found = e.profit()
    assert (found.high - found.low) / 2 == pytest.approx(error * 2.0010, rel=1e-3)
    few = sy.evaluate({**rows, "who": rows["who"] % 5}, target="y", score="p", unit="who", value="fee").profit(made)
    assert few.low is None and "fewer than 10 units" in few.note
    assert "fewer than 10 units" in " ".join(str(few).split())
