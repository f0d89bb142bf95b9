"""Trials of very few units: what they cannot rule out they do not say, and what they plan they can show."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import steelyard as sy
from steelyard.trials.proportions import COUNTED, quantile_of, two_proportions


def arms(control: list[float], treated: list[float]) -> sy.Trial:
    group = ["control"] * len(control) + ["treated"] * len(treated)
    return sy.trial(group=group, control="control", outcome=[*control, *treated])


@pytest.mark.parametrize(("n", "m"), [(2, 2), (4, 4), (5, 5), (8, 8), (12, 12), (3, 40), (20, 20), (1, 30)])
def test_two_shares_in_small_arms_differ_by_chance_no_oftener_than_promised(n: int, m: int) -> None:
    """With arms of 2 the error was 12.5 % where 5 was promised, with arms of 8 it was 7.7 %."""
    clear = np.zeros((n + 1, m + 1))
    for x in range(n + 1):
        for y in range(m + 1):
            d = two_proportions(x, n, y, m)
            clear[x, y] = d.low > 0 or d.high < 0
            assert clear[x, y] == (d.p_value is not None and d.p_value < 0.05)
    for share in np.linspace(0.01, 0.99, 197):
        chance = stats.binom.pmf(range(n + 1), n, share) @ clear @ stats.binom.pmf(range(m + 1), m, share)
        assert chance <= 0.05 + 2e-3


def test_large_arms_keep_the_normal_quantile() -> None:
    assert quantile_of(COUNTED, 1, 0.95) == pytest.approx(stats.norm.ppf(0.975))


def test_two_units_in_an_arm_rule_nothing_out() -> None:
    """Two of each lie apart in one of three random draws, whatever Student's t says of their spread."""
    t = arms([10.0, 11.0], [0.0, 0.5])
    assert t.verdict.word == "inconclusive, leaning to reduction"
    assert "4 units alone do not rule out chance" in t.verdict.reason and "p = 0.33" in t.verdict.reason
    assert "Power: " not in str(t)
    assert arms([1, 1], [0, 0]).verdict.word == "no clear effect"


def test_a_plan_asks_for_as_many_units_as_can_rule_chance_out() -> None:
    plan = sy.trial_size(10, deviation=1)
    assert plan.n == 4
    rng = np.random.default_rng(1)
    helped = [arms(list(rng.normal(10, 1, 4)), list(rng.normal(0, 1, 4))).verdict.word == "helps" for _ in range(20)]
    assert all(helped)


def test_an_effect_is_not_told_as_a_part_of_nothing() -> None:
    """It was told as −1.631e+18 % of the control's."""
    text = str(arms([0.0] * 50, [0.0] * 49 + [1.0]))
    assert "of the control" not in text.split("Power:")[1].split("Looking")[0]


def test_what_does_not_vary_is_not_called_too_few() -> None:
    t = arms([1.0] * 50, [0.0] * 50)
    assert t.looks is None and t.looks_why == "nothing varies within the arms"
    assert arms([1.0] * 5, [0.0] * 5).looks_why == "fewer than 20 units in an arm"
