"""Labels that are not in yet: what the measure of a window would be if all of them were right, and if all were wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.measures.measure import AVERAGES, Measure, find
from steelyard.monitors.signals import Signal
from steelyard.monitors.stream import Stream
from steelyard.monitors.watched_measures import measure_name
from steelyard.results import Array, Flags
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.words import significant


def corners(name: str, known: Outcomes, flagged: float, left: float) -> tuple[float, float] | None:
    """The least and the greatest value once every row has its label; None where no completion defines it.

    `flagged` rows that were predicted positive and `left` that were not have no label yet. All four ways to make these groups
    wholly positive or wholly negative are looked at.

    >>> corners("recall", Outcomes(tp=8, fn=4, fp=2, tn=86), 10, 4)
    (0.5, 0.8181818181818182)
    """
    m, found = find(name), []
    for a in (0.0, flagged):
        for b in (0.0, left):
            o = Outcomes(known.tp + a, known.fn + b, known.fp + flagged - a, known.tn + left - b)
            table = Confusion.of([[o.tp, o.fn], [o.fp, o.tn]], levels=(1, 0), positive=1)
            # Measures of all levels read the table, those of one level its four counts.
            found.append(float(m(o if Outcomes in m.reads else table, **m.options).value))
    there = [x for x in found if np.isfinite(x)]
    return (min(there), max(there)) if there else None


def at_corners(m: Measure) -> bool:
    """Whether a measure only rises, or only falls, as one more missing label turns out right; its ends are then at a corner.

    >>> at_corners(find("recall")), at_corners(find("f1")), at_corners(find("kappa"))
    (True, True, False)
    """
    known = m.counted is not None if m.at_corners is None else m.at_corners
    return known and m.of_labels and m.better in {"higher", "lower"}


def completed(signal: Signal, measure: object, part: Stream, options: Mapping[str, Any]) -> Signal:
    """The same signal, with the worst and the best that the missing labels can make of it, or words why that is not told."""
    name, level, _ = measure_name(measure)
    found, why = _ends(name, level, part, options)
    if found is None:
        return replace(signal, reason=f"{signal.reason}; {why}")
    worst, best = found if find(name).better == "higher" else found[::-1]
    words = f"with all labels in it will be {significant(worst)} at worst and {significant(best)} at best"
    return replace(signal, reason=f"{signal.reason}; {words}", completed=(worst, best))


def _ends(name: str, level: object, part: Stream, options: Mapping[str, Any]) -> tuple[tuple[float, float] | None, str]:
    roles = part.roles
    assert roles.target is not None
    weight = np.ones(part.rows) if roles.weight is None else part.columns[roles.weight].astype(np.float64)
    m = find(name)
    if not at_corners(m):
        return None, f"how far missing labels can move {name} is not told, since it is no count of right and wrong"
    if level in AVERAGES:
        return None, "how far missing labels can move an average over levels is not told"
    truth, there = part.columns[roles.target], part.labelled
    if m.hits is not None and roles.prediction is not None:
        # A row is right or wrong, whatever its level.
        right = np.zeros(part.rows, dtype=np.bool_)
        right[there] = truth[there] == part.columns[roles.prediction][there]
        return _right_or_wrong(m, *(_sum(weight, rows) for rows in (right, there & ~right, ~there))), ""
    said = predicted(part, options, level)
    if said is None or (Outcomes not in m.reads and len(options.get("levels") or ()) > 2):
        return None, "how far missing labels can move it is not told for more than two levels"
    real = np.zeros(part.rows, dtype=np.bool_)
    real[there] = truth[there] == (options["positive"] if level is None else level)
    o = Outcomes(
        *(_sum(weight, there & a & b) for a, b in ((real, said), (real, ~said), (~real, said), (~real, ~said)))
    )
    found = corners(name, o, _sum(weight, ~there & said), _sum(weight, ~there & ~said))
    return found, "" if found is not None else "no way to fill in the missing labels defines it"


def _right_or_wrong(m: Measure, right: float, wrong: float, missing: float) -> tuple[float, float]:
    total = right + wrong + missing
    inside, outside = (right, wrong) if m.hits else (wrong, right)
    return inside / total, (total - outside) / total


def _sum(weight: Array, rows: Flags) -> float:
    return float(weight[rows].sum())


def predicted(part: Stream, options: Mapping[str, Any], level: object = None) -> Flags | None:
    """Which rows were predicted to be of the level, or positive; None where that is not one label or one score a row."""
    roles, positive = part.roles, options["positive"]
    if roles.prediction is not None:
        wanted = positive if level is None else level
        return None if wanted is None else np.asarray(part.columns[roles.prediction] == wanted, dtype=np.bool_)
    if not isinstance(roles.score, str):
        return None
    flagged: Flags = part.columns[roles.score].astype(np.float64) >= options["threshold"]
    return flagged if level is None or level == positive else ~flagged
