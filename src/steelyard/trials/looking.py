"""Which result may be read at any look of a trial, and why none may where it is so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.trials.always_valid import GRANTED, Looks, looks_at_counts, looks_at_means
from steelyard.trials.design import Evidence
from steelyard.trials.methods import CUPED, EXACT, Method


def looks_of(e: Evidence, methods: tuple[Method, ...], confidence: float) -> tuple[Looks | None, str]:
    """The looks at units or at counts of events; where there are none, the reason."""
    p, u = e.periods, e.units
    if u is not None and e.design.analysis == "unit":
        if u.repeated:
            return (
                None,
                "not valid here: the same units come back, and a sequence over units needs new ones at every look",
            )
        entered = np.zeros(len(u.total), dtype=np.int64) if u.entered is None else u.entered
        names = ("all units",) if p is None else p.names
        adjusted = any(m.primary and m.name == CUPED for m in methods)
        found = looks_at_means(u.total, u.treated, entered, names, confidence, before=u.before if adjusted else None)
        return found, "" if found is not None else "fewer than 20 units in an arm"
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
