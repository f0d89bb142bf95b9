"""What a trial of this size can see, by the spread that it has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.trials.design import Evidence
from steelyard.trials.halving import turning_point
from steelyard.trials.means import CERTAIN
from steelyard.trials.planning import TWO_SHARES, TrialPlan, planned_effect
from steelyard.trials.powers import shares_power
from steelyard.trials.slow_waves import FEWEST as FEWEST_PERIODS
from steelyard.trials.sums import Arms, arms_of_units
from steelyard.verdicts.trial import by_chance

STEPS = 20
ALPHA = 0.05


def plans_of(evidence: Evidence, explained: float = 0.0) -> tuple[TrialPlan, ...]:
    """The smallest effect seen, by the spread within the arms less what the time before explains, and by Poisson's."""
    if evidence.design.analysis == "period":
        assert evidence.periods is not None
        treated, control, _ = evidence.periods.outcomes()
        arms = arms_of_units((treated, control), (np.ones_like(treated), np.ones_like(control)))
    else:
        assert evidence.units is not None
        arms = evidence.units.arms()
    # Two equal arms of this size tell as much as these two.
    size = round(2 / sum(1 / arm.units for arm in arms))
    squares, freedom = sum(float(arm.powers()[1].sum()) for arm in arms), sum(arm.units - 1 for arm in arms)
    level = arms[1].mean
    if size < 2 or freedom < 1 or squares <= freedom * (CERTAIN * level) ** 2:
        return ()
    if evidence.design.analysis == "unit" and by_chance(size, size) > ALPHA:
        return ()
    spread = float(np.sqrt(squares / freedom))
    plan = planned_effect(size, alpha=ALPHA, deviation=spread, level=level, explained=min(explained, 1 - 1e-9))
    plans = [
        _shares(evidence, arms, plan)
        if evidence.design.kind == "0/1" and not evidence.design.repeated and not explained
        else plan
    ]
    if evidence.design.analysis == "period" and evidence.design.kind != "number" and level > 0:
        assert evidence.periods is not None
        plans.append(planned_effect(size, deviation=_poisson(evidence, level), level=level))
    return tuple(plans)


def _shares(evidence: Evidence, arms: Arms, plan: TrialPlan) -> TrialPlan:
    """The smallest change of a share that two proportions see in the good direction; Student's where none is large enough."""
    level, sizes = arms[1].mean, (round(arms[0].units), round(arms[1].units))
    if evidence.design.analysis == "period" or not 0 < level < 1:
        return plan
    sign = -1.0 if evidence.design.direction == "lower" else 1.0
    most = level if sign < 0 else 1 - level

    def seen(step: float) -> bool:
        return shares_power(level + sign * step, sizes[0], level, sizes[1], plan.alpha) >= plan.power

    if not seen(most):
        return plan
    return replace(plan, effect=turning_point(seen, 0.0, most, STEPS)[1], test=TWO_SHARES)


def _poisson(evidence: Evidence, rate: float) -> float:
    """Poisson's deviation of an outcome that is told for other numbers of exposed units than there are."""
    p = evidence.periods
    assert p is not None
    if p.exposed is None or p.even:
        return float(np.sqrt(rate))
    return float(np.sqrt(rate * p.level * float(np.nanmean(1 / p.exposed))))


def careful_plan(evidence: Evidence) -> TrialPlan | None:
    """What slow waves see with so many periods, judged by the spread of the differences between the arms."""
    assert evidence.periods is not None
    treated, control = evidence.periods.pairs()
    if len(treated) < FEWEST_PERIODS:
        return None
    spread = float((treated - control).std(ddof=1)) / float(np.sqrt(2))
    if spread <= 0:
        return None
    return planned_effect(len(treated), deviation=spread, level=float(control.mean()), alike=True)
