"""Arms of different sizes: counts without a size are not compared, plans are held to, and nothing decides that may not."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from steelyard.errors import BadLevels, NotNumeric, UsageError
from steelyard.trials.sample_ratio import planned_shares, sample_ratio
from steelyard.trials.trial import trial
from steelyard.verdicts.trial import BLOCKED, HELPS, NOT_COMPARABLE, UNCLEAR
from steelyard.views.layout import width_of
from steelyard.views.trial import method_notes, methods_table

ROLES: dict[str, Any] = {"group": "arm", "control": "hold", "outcome": "churned", "period": "week"}
PLAN = {"hold": 0.2, "call": 0.8}
N = 12


def weeks(part: float = 1.0, seed: int = 1) -> dict[str, list[Any]]:
    """250 customers left alone and 1,000 called every week, who churn `part` as often as the 5% of the others."""
    rng = np.random.default_rng(seed)
    churned = [*rng.binomial(250, 0.05, N).tolist(), *rng.binomial(1000, 0.05 * part, N).tolist()]
    named = {"week": [*range(1, N + 1)] * 2, "arm": ["hold"] * N + ["call"] * N}
    return named | {"churned": churned, "shown": [250] * N + [1000] * N}


def people(n: int = 10_000, seed: int = 2) -> dict[str, Any]:
    """One customer in ten is left alone."""
    rng = np.random.default_rng(seed)
    arm = np.where(rng.random(n) < 0.1, "hold", "call")
    left = rng.random(n) < np.where(arm == "call", 0.11, 0.16)
    words = np.where(left, "gone", "stayed")
    return {"arm": arm, "left": left.astype(int), "words": words, "who": np.arange(n), "p": rng.random(n)}


UNITS: dict[str, Any] = {"group": "arm", "control": "hold", "outcome": "left", "unit": "who"}


def test_counts_of_arms_of_unknown_size_are_not_compared() -> None:
    with pytest.raises(UsageError, match="not known how many units each arm had") as caught:
        trial(counts=weeks(), **ROLES)
    assert "exposed=" in caught.value.hint and 'planned="equal"' in caught.value.hint


def test_the_plan_scales_counts_where_the_exposed_are_not_known() -> None:
    by_plan = trial(counts=weeks(), **ROLES, planned=PLAN)
    known = trial(counts=weeks(), **ROLES, planned=PLAN, exposed="shown")
    assert str(by_plan.verdict) == str(known.verdict) == UNCLEAR
    for a in by_plan.methods:
        b = known.method(a.name)
        if a.name in ("two proportions", "Fisher (odds ratio)"):
            assert not a.valid and b.effect.value is not None
        elif a.ratio:
            assert (a.effect.low, a.effect.high) == pytest.approx((b.effect.low, b.effect.high))
        else:
            # Per 1,000 exposed there, in arms of 625 here.
            assert a.effect.value * 1000 / 625 == pytest.approx(b.effect.value)
            assert a.effect.p_value == pytest.approx(b.effect.p_value)
    relative = [[plan.relative for plan in t.plans] for t in (by_plan, known)]
    assert relative[0] == pytest.approx(relative[1])
    assert "by the planned shares" in str(by_plan) and "per period in arms of equal size" in " ".join(
        by_plan.sentences()
    )
    equal = trial(counts=weeks(), **ROLES, planned="equal")
    assert equal.effect.value == pytest.approx(np.mean(weeks()["churned"][N:]) - np.mean(weeks()["churned"][:N]))


def test_exposures_that_differ_are_told_as_a_rate() -> None:
    table = weeks(0.5)
    t = trial(counts=table, **ROLES, exposed="shown", planned=PLAN, value=10, cost=0.01)
    said = " ".join(t.sentences())
    rates = [sum(table["churned"][i : i + N]) / sum(table["shown"][i : i + N]) * 1000 for i in (N, 0)]
    assert t.effect.values == pytest.approx(rates) and "per 1,000 exposed and period against" in said
    assert "told for 1,000 exposed units" in " ".join(method_notes(t))
    # 12,000 were called in all, and each saved what the difference of the rates says.
    assert t.money.total.value == pytest.approx(((rates[1] - rates[0]) / 1000 * 10 - 0.01) * 12_000)
    assert t.chart("periods").frame()["hold"][0] == pytest.approx(table["churned"][0] / 250 * 1000)
    same = trial(counts=table | {"shown": [500] * 2 * N}, **ROLES, exposed="shown")
    assert "per period against" in " ".join(same.sentences())
    with pytest.raises(UsageError, match="not known how many were treated"):
        trial(counts=table, **ROLES, planned=PLAN, value=10, cost=1)


def test_poisson_power_is_that_of_a_simulation() -> None:
    """The deviation of rates told per 1,000 exposed, by the real exposures."""
    t = trial(counts=weeks(seed=5), **ROLES, exposed="shown", planned=PLAN)
    level = t.effect.values[1]
    rng = np.random.default_rng(0)
    drawn = [rng.poisson(level * e / 1000, 40_000) / e * 1000 for e in (250, 1000)]
    assert t.plans[1].deviation == pytest.approx(np.sqrt((drawn[0].var() + drawn[1].var()) / 2), rel=0.03)


def test_a_missing_week_is_named_and_not_blamed_on_the_ratio() -> None:
    table = {k: v[1:] for k, v in weeks().items()}
    t = trial(counts=table, **ROLES, exposed="shown", planned=PLAN)
    assert t.verdict != BLOCKED and t.design.lacking == (("1", "hold"),)
    assert 'period 1 has no row of "hold"' in " ".join(t.sentences()) and t.ratio.total.sizes == (2750, 11_000)
    assert t.primary.valid and t.careful is not None and t.looks is None
    json.dumps(t.to_dict(), allow_nan=False)


def test_a_plan_that_nobody_stated_is_not_assumed() -> None:
    free = trial(people(), **UNITS)
    assert free.verdict == HELPS and not free.ratio.checked and not free.ratio.blocked
    assert "no plan was given" in str(free.ratio) and "--planned hold=...,call=..." in " ".join(free.sentences())
    assert free.ratio.to_dict()["total"]["p_value"] is None
    assert trial(people(), **UNITS, planned={"hold": 1, "call": 9}).verdict == HELPS
    wrong = trial(people(), **UNITS, planned="equal")
    assert wrong.verdict == BLOCKED and "p < 0.0001" in str(wrong.ratio) and "p = 0" not in str(wrong)
    near = sample_ratio({"hold": 4700, "call": 5300})
    assert not near.checked and not near.blocked and "if equal arms were planned" in str(near)
    assert near.to_dict()["if_equal"] == pytest.approx(
        sample_ratio({"hold": 4700, "call": 5300}, "equal").total.p_value
    )
    assert "if equal" not in str(sample_ratio({"hold": 4960, "call": 5040}))
    kept = {
        k: np.asarray(v)[(np.asarray(people()["arm"]) == "call") | (np.arange(10_000) % 2 == 0)]
        for k, v in people().items()
    }
    half = np.where(np.arange(len(kept["arm"])) % 100 < 44, "hold", "call")
    t = trial(kept | {"arm": half}, **UNITS)
    assert t.verdict not in (BLOCKED, NOT_COMPARABLE) and "if equal arms were planned" in " ".join(t.reasons)
    assert 'planned="equal" (--planned equal)' in " ".join(t.sentences())
    assert not trial(kept | {"arm": half}, **UNITS, planned={"hold": 44, "call": 56}).reasons
    assert trial(kept | {"arm": half}, **UNITS, planned="equal").verdict == BLOCKED


def test_a_small_p_value_of_the_ratio_gets_a_remark() -> None:
    text = str(sample_ratio({"a": 5133, "b": 4867}, "equal"))
    assert "p = 0.0078" in text and "not shown to differ from the plan (level 0.0005)" in text and "seldom" in text
    assert "seldom" not in str(sample_ratio({"a": 5050, "b": 4950}, "equal"))
    assert planned_shares({"a": 1, "b": 1, "other": 2}, ["a", "b"]) == (0.5, 0.5)
    with pytest.raises(UsageError, match="must be numbers"):
        planned_shares({"a": "x", "b": 1}, ["a", "b"])


@pytest.mark.parametrize("more", [{"selection": "those at risk"}, {"planned": "equal"}])
def test_nothing_decides_where_the_arms_may_not_be_compared(more: dict[str, Any]) -> None:
    t = trial(people(), **UNITS, **more, score="p", value=100)
    assert t.verdict in (BLOCKED, NOT_COMPARABLE) and t.decides is None and t.to_dict()["decides"] is None
    rows = methods_table(t).rows
    assert not any("decides" in row for row in rows) and not any(row[4] for row in rows)
    text = " ".join(t.sentences())
    assert t.looks is None and t.uplift is None and t.money is None
    assert "clear" not in text and "Acting helps" not in text and "Effect:" not in text and "Power:" not in text
    told = next(said for said in t.sentences() if said.startswith("What happened"))
    assert "p <" not in told and "p =" not in told
    assert max(width_of(line) for line in str(t).splitlines()) <= 80
    assert trial(people(), **UNITS).decides.name == "two proportions"


def test_shares_are_told_in_points_and_pictures_say_relative() -> None:
    t = trial(people(), **UNITS, score="p")
    effect = next(s for s in t.sentences() if s.startswith("Effect"))
    assert f"{100 * t.effect.value:.1f} percentage points".replace("-", "−") in effect
    assert "Relative" in t.chart().title and "Relative" in t.chart().svg()
    assert "in the upper half of the scores and" in " ".join(t.sentences())


def test_power_is_one_sentence() -> None:
    t = trial(counts=weeks(), **ROLES, exposed="shown", planned=PLAN)
    told = [s for s in t.sentences() if "ower:" in s]
    assert len(told) == 1 and t.careful is not None and "If periods were independent" in told[0]


def test_an_outcome_in_words() -> None:
    data = people()
    want = trial(data, **UNITS)
    found = trial(data, **{**UNITS, "outcome": "words"}, positive="gone")
    assert found.sentences() == want.sentences()
    arrays = {"group": data["arm"], "outcome": data["words"], "unit": data["who"]}
    assert trial(**arrays, control="hold", positive="gone").sentences() == want.sentences()
    with pytest.raises(NotNumeric) as caught:
        trial(data, **{**UNITS, "outcome": "words"})
    assert "positive=" in caught.value.hint
    with pytest.raises(BadLevels, match='"left" is not among the outcomes'):
        trial(data, **{**UNITS, "outcome": "words"}, positive="left")
    with pytest.raises(UsageError, match="has no positive level"):
        trial(counts=weeks(), **ROLES, exposed="shown", positive=1)
