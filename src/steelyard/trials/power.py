"""What a trial of this size can see, by the spread that it has."""

from __future__ import annotations

import numpy as np

from steelyard.trials.cuped import by_one_row
from steelyard.trials.design import Evidence
from steelyard.trials.planning import TrialPlan, planned_effect
from steelyard.trials.slow_waves import FEWEST as FEWEST_PERIODS


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
    plans = [planned_effect(size, deviation=spread, level=level, explained=min(explained, 1 - 1e-9))]
    if e.design.analysis == "period" and e.design.kind != "number" and level > 0:
        assert e.periods is not None
        plans.append(planned_effect(size, deviation=_poisson(e, level), level=level))
    return tuple(plans)


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
