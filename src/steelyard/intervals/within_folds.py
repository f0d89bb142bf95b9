"""Questions about the order of rows of which each fold was predicted by another fit: they are asked within folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.errors import NotAvailable
from steelyard.intervals.by_unit import FEWEST
from steelyard.intervals.method import Question
from steelyard.intervals.placements import delong
from steelyard.measures.measure import Measure
from steelyard.measures.ranking import auc
from steelyard.results import Ratio, Reading
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.moments import Moments
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores
from steelyard.summaries.within_folds import ONE_ROW, WithinFolds


def ranks(measure: Measure) -> bool:
    """Whether a measure sets the predictions of rows against each other, so that they must come from one fit."""
    return measure.question == "ranking" or measure.ranks


def within(
    measure: Measure, have: Mapping[type, Any], level: object, options: Mapping[str, Any], confidence: float
) -> Question | None:
    """The question within folds, for a measure that ranks; None where the evidence has nothing of the kind."""
    w: WithinFolds = have[WithinFolds]
    if w.alone:
        return None
    if measure.reads == (ClassScores,) and w.areas is not None and level is None:
        return Question(measure, have[ClassScores], _said(*_hand_till(w)), confidence, options=options)
    if measure.reads == (Residuals,) and w.numbers is not None and level is None:
        r: Residuals = have[Residuals]
        if not float(w.numbers.get(2, 0)) > 0:
            return Question(measure, r, _said(math.nan, ONE_ROW), confidence, options=options)
        moments = Moments(w.numbers.sums / w.times, w.numbers.centre)
        return Question(
            measure, r.replicate(moments, r.parts), lambda x: measure(x, **options), confidence, options=options
        )
    if Scores not in measure.reads:
        return None
    if Scores in have and (level is None or level == have[Scores].positive):
        return one_level(measure, w, have[Scores], options, confidence)
    if ClassScores in have and level is not None and level in have[ClassScores].levels:
        return one_level(measure, w, have[ClassScores].table(level), options, confidence)
    return None


def _hand_till(within: WithinFolds) -> tuple[float, str]:
    assert within.areas is not None
    off = ~np.eye(len(within.areas), dtype=bool)
    pairs, won = within.areas[off].T
    if not pairs.all():
        single = all(o.why == ONE_ROW for o in within.orders)
        return (
            math.nan,
            ONE_ROW if single else "no fold holds two of the classes, and rows of different fits cannot be ranked",
        )
    return float((won / pairs).mean()), ""


def _said(value: float, why: str) -> Callable[[Any], Reading]:
    return lambda _: Ratio(value, 1.0, why)


def one_level(
    measure: Measure, within: WithinFolds, whole: Scores, options: Mapping[str, Any], confidence: float
) -> Question:
    """A measure of one level against the rest, read from the mean curve of the folds."""
    order = within.order(whole.positive)
    if order.why:
        return Question(measure, whole, _said(math.nan, order.why), confidence, options=options)
    effect, few = _design_effect(whole)
    # Too few units are a reason for no interval, whatever the measure.
    asked = replace(measure, interval=f"none: fewer than {FEWEST} units") if few else measure
    table = order.table(within.times, effect)
    return Question(asked, table, lambda s: measure(s, **options), confidence, options=options, note=order.note)


def _design_effect(whole: Scores) -> tuple[float, bool]:
    """How many times the variance of an area grows by rows that belong to one unit, and whether units are too few to say."""
    if whole.units is None:
        return 1.0, False
    _, copies, buckets = whole.left_out()
    values = np.asarray(auc(copies).value, dtype=np.float64)
    values = values[np.isfinite(values)]
    if buckets < FEWEST or len(values) < buckets:
        return 1.0, True
    error = (buckets - 1) / buckets * float(((values - values.mean()) ** 2).sum())
    rows = delong(replace(whole, units=None, unit_codes=None)).error ** 2
    return max(error / rows, 1.0) if rows > 0 else 1.0, False


def table_within(e: Any, level: object = None) -> tuple[Scores, str] | None:
    """The mean curve of the folds of an evaluation as a score table, and what to say of it; None where it has no folds."""
    w = e.evidence.get(WithinFolds.kind)
    whole = e.scores if level is None or e.class_scores is None else e.class_scores.table(level)
    if w is None or whole is None or w.alone:
        return None
    order = w.order(whole.positive)
    if order.why:
        message = f"{order.why[0].upper()}{order.why[1:]}."
        raise NotAvailable(message, "Curves over thresholds are there: ks, scores, calibration.")
    effect, _ = _design_effect(whole)
    return order.table(w.times, effect), f"the mean of the folds' curves, {order.note}"
