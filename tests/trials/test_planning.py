"""Plans before the start: against the power worked out another way, and against each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from steelyard.errors import UsageError
from steelyard.trials.planning import planned_effect, trial_size
from steelyard.trials.powers import means_power, periods_power, shares_power
from steelyard.trials.proportions import scores, two_proportions
from steelyard.trials.trial import trial


def test_size_and_effect_are_each_others_answer() -> None:
    for deviation in (0.5, 3.0):
        for effect in (0.3, 1.0, 2.5):
            plan = trial_size(effect, deviation=deviation)
            assert planned_effect(plan.n, deviation=deviation).effect <= effect
            # Below four in each arm chance is never ruled out, and all of one arm may lie apart from the other.
            if plan.n > 4:
                assert planned_effect(plan.n - 1, deviation=deviation).effect > effect


def test_the_power_is_that_of_the_noncentral_t() -> None:
    for n, effect in ((12, 3.53), (40, 1.0), (5, 2.0)):
        shift, edge = effect / (2.952 * math.sqrt(2 / n)), stats.t.ppf(0.975, 2 * n - 2)
        want = stats.nct.sf(edge, 2 * n - 2, shift)
        assert means_power(effect, (2.952, 2.952), (n, n)) == pytest.approx(want, abs=1e-6)
    plan = trial_size(1.0, deviation=3.0)
    assert means_power(1.0, (3.0, 3.0), (plan.n, plan.n)) == pytest.approx(0.8, abs=0.01)


def test_the_promise_is_kept_in_a_simulation() -> None:
    rng = np.random.default_rng(4)
    plan = trial_size(2.0, deviation=2.5)
    x, y = rng.normal(0, 2.5, (2000, plan.n)), rng.normal(2, 2.5, (2000, plan.n))
    assert float((stats.ttest_ind(x, y, axis=1).pvalue < 0.05).mean()) == pytest.approx(0.8, abs=0.035)


def test_what_is_known_before_saves_units() -> None:
    plain, helped = trial_size(0.1, deviation=1.0), trial_size(0.1, deviation=1.0, explained=0.5)
    assert helped.n == pytest.approx(plain.n / 2, rel=0.01)
    assert trial_size(0.02, share=0.1).n < trial_size(0.02, share=0.1, direction="higher").n
    assert "in each arm are needed" in str(plain) and "no smaller one" in str(planned_effect(12, rate=20.5))
    assert planned_effect(12, rate=20.5).to_dict()["relative"] == pytest.approx(5.42 / 20.5, abs=0.001)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: trial_size(0.0, deviation=1.0), "other than 0"),
        (lambda: trial_size(1.0), "One of deviation, rate and share"),
        (lambda: trial_size(1.0, deviation=1.0, rate=2.0), "2 came"),
        (lambda: trial_size(0.3, share=0.2), "cannot change"),
        (lambda: trial_size(1.0, deviation=1.0, power=1.0), "power"),
        (lambda: trial_size(1e-9, deviation=1.0), "more than"),
        (lambda: trial_size(0.01, rate=20.0), "more than 1,000 periods"),
        (lambda: trial_size(3.0, rate=2.0), "cannot change"),
        (lambda: trial_size(0.02, share=0.2, analysis="period"), "share is that of units"),
        (lambda: trial_size(1.0, rate=20.0, explained=0.5), "plan by period"),
        (lambda: trial_size(1.0, deviation=1.0, analysis="week"), "unit"),
        (lambda: trial_size(1.0, deviation=1.0, direction="down"), "direction"),
        (lambda: planned_effect(1, deviation=1.0), "at least two"),
        (lambda: planned_effect(9, deviation=-1.0), "spread"),
        (lambda: planned_effect(9, deviation=1.0, explained=1.0), "explained"),
    ],
)
def test_bad_plans_get_a_sentence(call, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        call()


def test_arms_of_different_sizes() -> None:
    plan = trial_size(0.02, share=0.14, treated=0.9)
    assert plan.treated == 9 * plan.n and "in the control and" in str(plan)
    few = trial_size(0.02, share=0.14, treated=0.1)
    assert few.treated is not None and few.n == pytest.approx(9 * few.treated, abs=1)
    for p in (plan, few):
        rng = np.random.default_rng(p.n)
        assert p.treated is not None
        a, b = rng.binomial(p.treated, 0.12, 4000) / p.treated, rng.binomial(p.n, 0.14, 4000) / p.n
        z = scores(a * p.treated, p.treated, b * p.n, p.n)
        assert float((z < -1.96).mean()) == pytest.approx(0.8, abs=0.02)
    assert trial_size(1.0, deviation=3.0, treated=0.5).n == trial_size(1.0, deviation=3.0).n
    with pytest.raises(UsageError, match="part of all units"):
        trial_size(1.0, deviation=1.0, treated=1.0)


@pytest.mark.parametrize(
    ("p", "n", "q", "m"), [(0.01, 30, 0.1, 120), (0.3, 40, 0.1, 60), (0.02, 15, 0.2, 90), (0.9, 12, 0.5, 30)]
)
def test_power_of_shares_by_adding_up_every_pair_of_counts(p: float, n: int, q: float, m: int) -> None:
    want = 0.0
    for x in range(n + 1):
        for y in range(m + 1):
            chance = float(stats.binom.pmf(x, n, p) * stats.binom.pmf(y, m, q))
            if chance > 1e-9:
                d = two_proportions(x, n, y, m)
                want += chance * (d.low > 0 if p > q else d.high < 0)
    assert shares_power(p, n, q, m) == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("treated", [0.05, 0.1, 0.2, 0.5, 0.9, 0.95])
@pytest.mark.parametrize(
    ("effect", "share", "direction"), [(0.04, 0.05, "lower"), (0.04, 0.05, "higher"), (0.1, 0.3, "lower")]
)
def test_plans_of_shares_keep_their_promise(treated: float, effect: float, share: float, direction: str) -> None:
    """By drawing arms of the planned sizes, and the test that decides in a trial of them."""
    plan = trial_size(effect, share=share, treated=treated, direction=direction)
    acted = plan.treated or plan.n
    rng = np.random.default_rng(plan.n)
    to = share - effect if direction == "lower" else share + effect
    x, y = rng.binomial(acted, to, 20_000), rng.binomial(plan.n, share, 20_000)
    z = scores(x, acted, y, plan.n) * (1 if direction == "higher" else -1)
    seen = float((z > 1.959964).mean())
    assert plan.reached is not None and seen == pytest.approx(plan.reached, abs=0.012) and 0.78 < seen < 0.83


@pytest.mark.parametrize(("sizes", "learnt"), [((11, 99), 0), ((99, 11), 0), ((6, 114), 0), ((20, 20), 0)])
def test_power_of_means_in_a_simulation(sizes: tuple[int, int], learnt: int) -> None:
    rng = np.random.default_rng(sizes[0])
    effect = 3.0 * math.sqrt(1 / sizes[0] + 1 / sizes[1])
    x, y = rng.normal(0, 1, (6000, sizes[0])), rng.normal(effect, 1, (6000, sizes[1]))
    found = stats.ttest_ind(x, y, axis=1, equal_var=False)
    seen = float(((found.pvalue < 0.05) & (found.statistic < 0)).mean())
    assert means_power(effect, (1.0, 1.0), sizes, learnt=learnt) == pytest.approx(seen, abs=0.015)


@pytest.mark.parametrize(
    ("effect", "rate", "more"), [(5, 20, {}), (5, 20, {"independent": True}), (8, 30, {"treated": 0.8})]
)
def test_plans_of_weeks_keep_their_promise_in_the_default_trial(
    effect: float, rate: float, more: dict[str, Any]
) -> None:
    plan = trial_size(effect, rate=rate, **more)
    part = more.get("treated", 0.5)
    times = part / (1 - part)
    rng, seen = np.random.default_rng(9), 0
    roles: dict[str, Any] = {
        "group": "arm",
        "control": "left",
        "outcome": "events",
        "period": "week",
        "exposed": "shown",
    }
    for _ in range(150):
        events = [*rng.poisson(rate, plan.n).tolist(), *rng.poisson((rate - effect) * times, plan.n).tolist()]
        table = {"week": [*range(plan.n)] * 2, "arm": ["left"] * plan.n + ["called"] * plan.n, "events": events}
        table["shown"] = [1000.0] * plan.n + [1000.0 * times] * plan.n
        seen += trial(counts=table, **roles, independent=more.get("independent", False)).verdict == "helps"
    assert plan.reached is not None and seen / 150 == pytest.approx(plan.reached, abs=0.1)


def test_a_plan_of_weeks_is_told_in_weeks() -> None:
    plan = trial_size(5, rate=20)
    assert plan.periods and plan.alike and plan.if_independent == trial_size(5, rate=20, independent=True).n < plan.n
    assert (
        f"{plan.n} periods with both arms" in str(plan) and "slow waves" in str(plan) and "--independent" in str(plan)
    )
    assert "80% of the units treated" in str(trial_size(5, rate=20, treated=0.8))
    by_unit = trial_size(0.5, rate=2.0, analysis="unit")
    assert not by_unit.periods and by_unit.n == pytest.approx(trial_size(0.5, deviation=math.sqrt(1.75)).n, abs=1)
    assert trial_size(2.0, deviation=4.0, analysis="period").periods
    # Without counts there is no Poisson ratio that has to agree.
    alone, both = (periods_power(5.0, (20.0, 15.0), 14, independent=True, events=e) for e in (None, 35.0))
    assert 0 < alone - both < 0.03
