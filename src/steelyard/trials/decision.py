"""What may be said of a trial: the verdict, the gravest obstacle first and then the effect, and what holds at any look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.trials.always_valid import FEWEST, GRANTED, Looks, looks_at_counts, looks_at_sums
from steelyard.trials.balance import Balance
from steelyard.trials.design import Evidence
from steelyard.trials.means import ALIKE
from steelyard.trials.methods import CUPED, EXACT, SLOW, WELCH, Method
from steelyard.trials.sample_ratio import RatioCheck
from steelyard.verdicts.trial import chosen, effect, not_by_chance, unlike, wrong_sizes
from steelyard.verdicts.verdict import Verdict


def decide(
    methods: Sequence[Method],
    ratio: RatioCheck | None,
    balances: Sequence[Balance],
    selection: str | None,
    direction: str,
    analysis: str,
) -> Verdict:
    """The verdict with its reasons: selection, sample ratio, balance, then the effect."""
    obstacle = chosen(selection)
    if obstacle is not None:
        return obstacle
    if ratio is not None and ratio.blocked:
        return wrong_sizes(str(ratio))
    apart = [(b.name, b.estimate) for b in balances if b.beyond_chance]
    if apart:
        return unlike(apart)
    primary = next(m for m in methods if m.primary)
    found = {m.name: m for m in methods if m.valid or m.unshown} if analysis == "period" else {}
    verdict = effect(
        primary,
        direction,
        by_unit=analysis != "period",
        flat=primary.why == ALIKE,
        plain=found.get(WELCH) if primary.name == SLOW else None,
        events=found.get(EXACT),
    )
    if ratio is not None and not_by_chance(ratio.if_equal):
        reasons = (*verdict.reason.splitlines(), f"The sizes of the arms were {ratio}.")
        verdict = replace(verdict, reason="\n".join(reasons))
    return verdict


FEWER = f"fewer than {FEWEST} units in an arm"


def looks_of(evidence: Evidence, methods: tuple[Method, ...], confidence: float) -> tuple[Looks | None, str]:
    """The looks at units or at counts of events; where there are none, the reason."""
    p, u = evidence.periods, evidence.units
    if u is not None and evidence.design.analysis == "unit":
        if u.repeated:
            return (
                None,
                "not valid here: the same units come back, and a sequence over units needs new ones at every look",
            )
        adjusted = any(m.primary and m.name == CUPED for m in methods)
        sums, steps = u.entries(adjusted=adjusted)
        names = ["all units"] if p is None else [p.names[t] for t in steps]
        found = looks_at_sums(sums, names, confidence, adjusted=adjusted)
        if found is not None:
            return found, ""
        return None, FEWER if sums[0].sum(axis=1).min() < FEWEST else "nothing varies within the arms"
    assert p is not None
    poisson = next((m for m in methods if m.name == EXACT), None)
    if poisson is None or not p.matched:
        return None, "not valid here: " + ("the outcome is not a count" if poisson is None else "a period lacks an arm")
    if not poisson.valid and not poisson.unshown:
        return None, f"not valid here: {poisson.why}"
    if p.exposed is not None and float(np.ptp(p.exposed[1] / p.exposed.sum(axis=0))) > 0.02:
        return None, "not valid here: the arms' parts of the exposure change from period to period"
    exposed = (None, None) if p.exposed is None else (p.exposed[1], p.exposed[0])
    found = looks_at_counts(list(p.counts[1]), list(p.counts[0]), exposed, p.names, confidence)
    if poisson.unshown:
        found = replace(found, note=GRANTED.format("periods and events"))
    return found, ""
