"""With values from before the start the adjusted effect decides, and sees no more than it should where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steelyard.errors import UsageError
from steelyard.trials.always_valid import looks_at_means
from steelyard.trials.arms import TrialUnits
from steelyard.trials.methods import CUPED, first_by_unit, unit_methods
from steelyard.trials.trial import trial
from steelyard.trials.unit_sums import summed

from .single_units import by_units, cuped

ROLES: dict[str, Any] = {"group": "arm", "control": "hold", "outcome": "y", "unit": "who", "before": "x"}


def sales(n: int = 400, effect: float = 1.5, seed: int = 3) -> dict[str, Any]:
    """Sales that the year before explains for the most part."""
    rng = np.random.default_rng(seed)
    arm, x = np.where(rng.permutation(n) < n // 2, "hold", "call"), rng.normal(20, 8, n)
    y = x + rng.normal(0, 4, n) + effect * (arm == "call")
    return {"arm": arm, "x": x, "y": y, "who": np.arange(n), "week": rng.integers(1, 9, n)}


def test_the_adjusted_effect_decides_unless_it_is_told_not_to() -> None:
    data = sales()
    t = trial(data, **ROLES, period="week", direction="higher")
    plain = trial(data, **ROLES, period="week", direction="higher", adjust=False)
    assert (t.primary.name, plain.primary.name) == (CUPED, "Welch t by unit")
    assert (t.verdict, plain.verdict) == ("helps", "no clear effect")
    assert t.method("Welch t by unit").valid and "adjusted for the values from before" in str(t).replace("\n  ", " ")
    assert t.plans[0].effect < 0.6 * plain.plans[0].effect
    wide = [d.looks.estimates[-1].high - d.looks.estimates[-1].low for d in (t, plain)]
    assert wide[0] < 0.6 * wide[1] and t.looks.estimates[-1].value == pytest.approx(t.effect.value)
    assert t.looks.estimates[-1].low < t.effect.low and "adjusted means" in t.looks.name
    assert trial(data, **ROLES, direction="higher", selection="by hand").primary.name != CUPED
    assert trial(data | {"x": np.ones(400)}, **ROLES).primary.name == "Welch t by unit"
    with pytest.raises(UsageError, match="True or False"):
        trial(data, **ROLES, adjust="no")  # type: ignore[arg-type]


def test_rows_of_units_count_as_they_do_without_adjusting() -> None:
    """Adjusted by something that explains nothing, the effect of units with unlike rows is the plain one."""
    rng = np.random.default_rng(5)
    rows = (rng.integers(1, 9, 400).astype(float), rng.integers(1, 9, 500).astype(float))
    totals = (rng.poisson(rows[0] * 2).astype(float), rng.poisson(rows[1] * 3).astype(float))
    nothing = (rng.normal(size=400), rng.normal(size=500))
    one, other = cuped(totals, nothing, rows=rows), by_units(totals, rows)
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=0.01)
    # A unit with most of the rows is felt with and without adjusting.
    rows[0][0] = 3000.0
    rested = [d.caution for d in (cuped(totals, nothing, rows=rows), by_units(totals, rows))]
    assert rested == ["rests on 2 units"] * 2


@pytest.mark.parametrize("sizes", [(5, 5), (10, 90), (150, 150)])
def test_what_is_not_there_is_seen_no_more_often_than_promised(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(sizes[1])
    n, seen = sum(sizes), 0
    for _ in range(1500):
        x = rng.normal(size=n)
        y = 0.8 * x + 0.6 * rng.normal(size=n)
        a, b = slice(0, sizes[0]), slice(sizes[0], n)
        seen += cuped((y[a], y[b]), (x[a], x[b])).p_value < 0.05
    assert 0.03 < seen / 1500 < 0.066


def test_a_rare_yes_or_no_of_a_small_arm_is_left_to_two_proportions() -> None:
    """Student's t sees an effect that is not there in every fifth such trial; drawn again, the arms do not."""
    rng = np.random.default_rng(8)
    treated = np.arange(100) >= 10
    seen = naive = used = 0
    for _ in range(600):
        habit = rng.beta(0.5, 4.5, 100)
        u = TrialUnits(
            treated, rng.binomial(1, habit).astype(float), np.ones(100), rng.binomial(8, habit).astype(float)
        )
        found = unit_methods(summed(u), 0.95, binary=True)
        first = first_by_unit(found, once=True, adjust=True)
        by_name = {m.name: m for m in found}
        used += first == CUPED
        seen += by_name[first].side != 0
        naive += by_name[CUPED].side != 0
    assert used == 0 and naive / 600 < 0.066 and seen / 600 < 0.066
    assert "fewer than 10 units" in by_name[CUPED].why


def test_adjusted_looks_hold_at_every_look() -> None:
    rng = np.random.default_rng(4)
    day, arm = np.repeat(np.arange(40), 20), np.tile([True, False], 400)
    clear = 0
    for _ in range(300):
        x = rng.normal(size=800)
        found = looks_at_means(0.8 * x + 0.6 * rng.normal(size=800), arm, day, before=x)
        clear += found is not None and found.clear
    assert clear / 300 < 0.06
    # At the last look it is the regression on arm and earlier value.
    y = x + rng.normal(size=800)
    beta, *_ = np.linalg.lstsq(np.column_stack([np.ones(800), arm, x]), y, rcond=None)
    assert looks_at_means(y, arm, day, before=x).estimates[-1].value == pytest.approx(beta[1])
