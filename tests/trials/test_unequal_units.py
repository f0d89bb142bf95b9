"""Units of very unequal size and skewed outcomes: against matrices written out, all arrangements, and simulation."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from steelyard.trials.arms import TrialUnits
from steelyard.trials.means import welch
from steelyard.trials.methods import PERMUTED, effect_by_unit, unit_methods
from steelyard.trials.permuted import draws, lopsidedness, permuted_t
from steelyard.trials.sums import arms_of_units
from steelyard.trials.trial import trial
from steelyard.trials.unequal_units import spread_by_units
from steelyard.trials.unit_sums import summed

from .single_units import by_units


def test_variance_and_freedom_by_the_matrices() -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        n = np.ceil(3 * (1 + rng.pareto(1.3, 12)))
        y = rng.normal(size=12) * n
        h = n / n.sum()
        left = np.eye(12) - np.outer(np.ones(12), h)
        # What a unit's mean is off by, if units' means spread alike.
        own = np.diag(left @ left.T)
        q = left.T @ np.diag(h**2 / own) @ left
        arm = arms_of_units((y, y), (n, n))[0]
        variance, freedom = spread_by_units(arm)
        assert arm.mean == pytest.approx(y.sum() / n.sum()) and variance == pytest.approx((y / n) @ q @ (y / n))
        assert freedom == pytest.approx(np.trace(q) ** 2 / np.trace(q @ q))
        assert np.trace(q) == pytest.approx((h**2).sum())


def sizes(kind: str, units: int, rng: np.random.Generator) -> Any:
    many = {"Pareto": lambda: 3 * (1 + rng.pareto(1.3, units)), "lognormal": lambda: 5 * rng.lognormal(0, 1, units)}
    return np.ceil(many[kind]())


@pytest.mark.parametrize("kind", ["Pareto", "lognormal"])
@pytest.mark.parametrize("units", [(5, 5), (30, 30), (10, 90)])
def test_no_effect_is_seldom_seen_by_units_of_unequal_size(kind: str, units: tuple[int, int]) -> None:
    rng, seen = np.random.default_rng(sum(units)), 0
    for _ in range(300):
        rows = (sizes(kind, units[0], rng), sizes(kind, units[1], rng))
        totals = [n * rng.normal(0, 0.7, len(n)) + np.sqrt(n) * rng.normal(0, 0.7, len(n)) for n in rows]
        seen += effect_by_unit((totals[0], totals[1]), rows, 0.95, once=False).p_value < 0.05
    assert seen / 300 < 0.075


def test_one_large_unit_is_told() -> None:
    rows = {"who": np.r_[np.zeros(400), np.arange(1, 61)], "arm": np.r_[np.zeros(400), np.tile([1, 0], 30)]}
    rows["y"] = np.random.default_rng(0).normal(size=460) + (rows["who"] == 0)
    t = trial(rows, group="arm", control=0, outcome="y", unit="who")
    assert t.primary.name == "cluster-robust by unit" and t.effect.caution == "rests on 2 units"
    assert t.effect.options["freedom"] < 2


def test_all_arrangements_are_counted_where_there_are_few() -> None:
    rng = np.random.default_rng(2)
    y, n = rng.exponential(size=9), rng.integers(1, 5, 9).astype(float)
    found = draws((y[:3], y[3:]), (n[:3], n[3:]))
    want = []
    for chosen in itertools.combinations(range(9), 3):
        a = np.isin(np.arange(9), chosen)
        means = [y[m].sum() / n[m].sum() for m in (a, ~a)]
        parts = [
            m.sum() / (m.sum() - 1) * ((y[m] - v * n[m]) ** 2).sum() / n[m].sum() ** 2 for m, v in zip((a, ~a), means)
        ]
        want.append((means[0] - means[1]) / math.sqrt(sum(parts)))
    assert found == pytest.approx(np.sort(want))
    turned = draws((y[3:], y[:3]), (n[3:], n[:3]))
    assert turned == pytest.approx(np.sort(-np.array(want)))


def test_the_order_of_units_changes_nothing_and_normal_outcomes_little() -> None:
    rng = np.random.default_rng(4)
    y, one = (rng.normal(size=40), rng.normal(0.5, 1, 200)), (np.ones(40), np.ones(200))
    d, mixed = permuted_t(y, one), permuted_t((y[0][::-1], rng.permutation(y[1])), one)
    assert (d.low, d.high, d.p_value) == pytest.approx((mixed.low, mixed.high, mixed.p_value), rel=1e-12)
    w = welch(*y)
    assert (d.low, d.high) == pytest.approx((w.low, w.high), abs=0.04) and d.value == pytest.approx(w.value)
    assert (d.low > 0 or d.high < 0) == (d.p_value < 0.05)


@pytest.mark.parametrize("arms", [(50, 450), (450, 50), (10, 190)])
def test_a_long_tail_in_unlike_arms_is_drawn_again(arms: tuple[int, int]) -> None:
    """Welch's t sees an effect that is not there in every sixth such trial."""
    rng, seen, plain = np.random.default_rng(6), 0, 0
    for _ in range(100):
        y = rng.lognormal(0, 2, sum(arms))
        u = TrialUnits(np.arange(sum(arms)) < arms[0], y, np.ones(sum(arms)))
        found = {m.name: m for m in unit_methods(summed(u), 0.95, binary=False)}
        assert not found["Welch t by unit"].valid and "skewed" in found["Welch t by unit"].why
        seen, plain = seen + (found[PERMUTED].side != 0), plain + (found["Welch t by unit"].side != 0)
    assert seen / 100 < 0.1 < plain / 100


def test_a_tail_in_equal_arms_is_left_to_student() -> None:
    y = np.random.default_rng(7).lognormal(0, 2, 200)
    assert lopsidedness(arms_of_units((y[:100], y[100:]), (np.ones(100), np.ones(100)))) == 0
    t = trial(group=["a", "b"] * 100, control="a", outcome=y)
    want = by_units((y[1::2], y[::2]), (np.ones(100),) * 2).low
    assert t.primary.name == "Welch t by unit" and t.effect.low == pytest.approx(want, rel=1e-12)


def test_too_few_to_draw_again_are_left_to_student_with_a_word() -> None:
    y = [0.0, 100.0, *range(9)]
    t = trial(group=["a"] * 2 + ["b"] * 9, control="a", outcome=y)
    assert t.primary.name == "Welch t by unit" and t.effect.caution
