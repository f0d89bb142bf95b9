"""What a trial of this size can see, by the spread that it has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.results import Array
from steelyard.trials.cuped import by_one_row
from steelyard.trials.design import Evidence
from steelyard.trials.halving import turning_point
from steelyard.trials.planning import TWO_SHARES, TrialPlan, planned_effect
from steelyard.trials.powers import shares_power
from steelyard.trials.slow_waves import FEWEST as FEWEST_PERIODS

STEPS = 20


def plans_of(e: Evidence, explained: float = 0.0) -> tuple[TrialPlan, ...]:
    """The smallest effect seen, by the spread within the arms less what the time before explains, and by Poisson's."""
    if e.design.analysis == "period":
        assert e.periods is not None
        treated, control, _ = e.periods.outcomes()
        arms = (treated, control)
    else:
        u = e.units
        assert u is not None
        (a, b), (n, m) = u.arms(u.total), u.arms(u.rows)
        arms = (by_one_row(a, n), by_one_row(b, m))
    # Two equal arms of this size tell as much as these two.
    size = round(2 / sum(1 / len(a) for a in arms))
    squares, freedom = sum(float(((a - a.mean()) ** 2).sum()) for a in arms), sum(len(a) - 1 for a in arms)
    if size < 2 or freedom < 1 or squares <= 0:
        return ()
    spread, level = float(np.sqrt(squares / freedom)), float(arms[1].mean())
    plan = planned_effect(size, deviation=spread, level=level, explained=min(explained, 1 - 1e-9))
    plans = [_shares(e, arms, plan) if e.design.kind == "0/1" and not e.design.repeated and not explained else plan]
    if e.design.analysis == "period" and e.design.kind != "number" and level > 0:
        assert e.periods is not None
        plans.append(planned_effect(size, deviation=_poisson(e, level), level=level))
    return tuple(plans)


def _shares(e: Evidence, arms: tuple[Array, Array], plan: TrialPlan) -> TrialPlan:
    """The smallest change of a share that two proportions see in the good direction; Student's where none is large enough."""
    level, sizes = float(arms[1].mean()), (len(arms[0]), len(arms[1]))
    if e.design.analysis == "period" or not 0 < level < 1:
        return plan
    sign = -1.0 if e.design.direction == "lower" else 1.0
    most = level if sign < 0 else 1 - level

    def seen(step: float) -> bool:
        return shares_power(level + sign * step, sizes[0], level, sizes[1], plan.alpha) >= plan.power

    if not seen(most):
        return plan
    return replace(plan, effect=turning_point(seen, 0.0, most, STEPS)[1], test=TWO_SHARES)


def _poisson(e: Evidence, rate: float) -> float:
    """Poisson's deviation of an outcome that is told for other numbers of exposed units than there are."""
    p = e.periods
    assert p is not None
    if p.exposed is None or p.even:
        return float(np.sqrt(rate))
    return float(np.sqrt(rate * p.level * float(np.nanmean(1 / p.exposed))))


def careful_plan(e: Evidence) -> TrialPlan | None:
    """What slow waves see with so many periods, judged by the spread of the differences between the arms."""
    assert e.periods is not None
    treated, control = e.periods.pairs()
    if len(treated) < FEWEST_PERIODS:
        return None
    spread = float((treated - control).std(ddof=1)) / float(np.sqrt(2))
    if spread <= 0:
        return None
    return planned_effect(len(treated), deviation=spread, level=float(control.mean()), alike=True)
