"""Labels that are not in yet: what the measure of a window would be if all of them were right, and if all were wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.evaluation import Evaluation
from steelyard.measures.measure import AVERAGES, Measure, find
from steelyard.monitors.signals import Signal
from steelyard.monitors.watched_measures import measure_name
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.window import WindowSummary
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


def at_corners(measure: Measure) -> bool:
    """Whether a measure only rises, or only falls, as one more missing label turns out right; its ends are then at a corner.

    >>> at_corners(find("recall")), at_corners(find("f1")), at_corners(find("kappa"))
    (True, True, False)
    """
    known = measure.counted is not None if measure.at_corners is None else measure.at_corners
    return known and measure.of_labels and measure.better in {"higher", "lower"}


def completed(
    signal: Signal, measure: object, part: WindowSummary, evaluation: Evaluation | None, reference: Evaluation
) -> Signal:
    """The same signal, with the worst and the best that the missing labels can make of it, or words why that is not told."""
    name, level, _ = measure_name(measure)
    found, why = _ends(name, level, part, evaluation, reference)
    if found is None:
        return replace(signal, reason=f"{signal.reason}; {why}")
    worst, best = found if find(name).better == "higher" else found[::-1]
    words = f"with all labels in it will be {significant(worst)} at worst and {significant(best)} at best"
    return replace(signal, reason=f"{signal.reason}; {words}", completed=(worst, best))


def _ends(
    name: str, level: object, part: WindowSummary, evaluation: Evaluation | None, reference: Evaluation
) -> tuple[tuple[float, float] | None, str]:
    m = find(name)
    if not at_corners(m):
        return None, f"how far missing labels can move {name} is not told, since it is no count of right and wrong"
    if level in AVERAGES:
        return None, "how far missing labels can move an average over levels is not told"
    predicted = "confusion" in reference.evidence
    c = None if evaluation is None else evaluation.confusion
    if m.hits is not None and predicted:
        # A row is right or wrong, whatever its level.
        total, right = (0.0, 0.0) if c is None else (float(c.counts.sum()), float(np.trace(c.counts)))
        return _right_or_wrong(m, right, total - right, sum(part.said.values())), ""
    wanted = reference.positive if level is None else level
    one_score = predicted or reference.scores is not None
    if not one_score or wanted is None or (Outcomes not in m.reads and len(reference.levels or ()) > 2):
        return None, "how far missing labels can move it is not told for more than two levels"
    o = Outcomes(0.0, 0.0, 0.0, 0.0) if c is None else c.outcomes(wanted)
    flagged = part.said.get(wanted if predicted else wanted == reference.positive, 0.0)
    found = corners(name, o, flagged, sum(part.said.values()) - flagged)
    return found, "" if found is not None else "no way to fill in the missing labels defines it"


def _right_or_wrong(measure: Measure, right: float, wrong: float, missing: float) -> tuple[float, float]:
    total = right + wrong + missing
    inside, outside = (right, wrong) if measure.hits else (wrong, right)
    return inside / total, (total - outside) / total
