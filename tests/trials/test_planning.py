"""Plans before the start: against the power worked out another way, and against each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from steelyard.errors import UsageError
from steelyard.trials.planning import planned_effect, power_of, trial_size


def test_size_and_effect_are_each_others_answer() -> None:
    for deviation in (0.5, 3.0):
        for effect in (0.3, 1.0, 2.5):
            plan = trial_size(effect, deviation=deviation)
            assert planned_effect(plan.n, deviation=deviation).effect <= effect
            if plan.n > 2:
                assert planned_effect(plan.n - 1, deviation=deviation).effect > effect


def test_the_power_is_that_of_the_noncentral_t() -> None:
    for n, effect in ((12, 3.53), (40, 1.0), (5, 2.0)):
        shift, edge = effect / (2.952 * math.sqrt(2 / n)), stats.t.ppf(0.975, 2 * n - 2)
        want = stats.nct.sf(edge, 2 * n - 2, shift) + stats.nct.cdf(-edge, 2 * n - 2, shift)
        assert power_of(n, effect, 2.952) == pytest.approx(want, abs=1e-6)
    plan = trial_size(1.0, deviation=3.0)
    assert power_of(plan.n, 1.0, 3.0) == pytest.approx(0.8, abs=0.01)


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
        error = np.sqrt(a * (1 - a) / p.treated + b * (1 - b) / p.n)
        assert float((np.abs(a - b) > 1.96 * error).mean()) == pytest.approx(0.8, abs=0.03)
    assert trial_size(1.0, deviation=3.0, treated=0.5).n == trial_size(1.0, deviation=3.0).n
    with pytest.raises(UsageError, match="part of all units"):
        trial_size(1.0, deviation=1.0, treated=1.0)
