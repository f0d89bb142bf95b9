"""Gain and lift by tenths of the rows, from the highest scores down: in each part, and in all parts so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from steelyard.arguments.allowed import Span
from steelyard.asking.estimates import estimate
from steelyard.asking.questions import level_of
from steelyard.drawing import table_behind
from steelyard.errors import NotAvailable, listing
from steelyard.intervals.method import Question
from steelyard.measures.flagged import capture_at
from steelyard.measures.measure import find
from steelyard.measures.ranking import captured_between
from steelyard.results import Estimate
from steelyard.summaries.scores import Scores
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.wording import option

PARTS = Span(1, 1000, whole=True)


@tabulated("scores", lambda e: e.scores is not None or e.class_scores is not None)
def deciles(evaluation: Any, parts: Annotated[int, PARTS] = 10, level: Any = None) -> Tabulation:
    """Parts of as many rows each, by score from the highest down; rows of one score that a part divides count in proportion.

    gain = positives of the part / all positives; lift = gain / the part's share of the rows; cumulative: of all parts so far.
    """
    level = level_of(level)
    if evaluation.scores is not None and level not in (None, evaluation.positive):
        message = f"The scores are those of {listing([evaluation.positive])}, and {listing([level])} came."
        raise NotAvailable(message, f"Leave {option('level')} out.")
    s, note = table_behind(evaluation, "gain", level)
    rows, positives = float(s.total), float(s.all_positives)
    ends = [float(i) / parts for i in range(parts + 1)]
    found = [0.0, *(float(capture_at(s, end)) for end in ends[1:])]
    each = [_between(s, low, high, evaluation.confidence) for low, high in pairwise(ends)]
    so_far = [_between(s, 0.0, end, evaluation.confidence) for end in ends[1:]]
    cells: dict[str, Sequence[Cell]] = {
        "part": list(range(1, parts + 1)),
        "rows": [rows / parts] * parts,
        "positives": np.diff(found).tolist(),
        "gain": each,
        "cumulative_gain": so_far,
        "lift": [_times(x, parts, "lift") for x in each],
        "cumulative_lift": [_times(x, parts / i, "lift") for i, x in enumerate(so_far, 1)],
    }
    whole = f"{positives:,.6g} of {rows:,.6g} rows are positive; part 1 has the highest scores."
    forms = dict.fromkeys(("rows", "positives"), "count")
    title = "Gain and lift by decile" if parts == 10 else f"Gain and lift by {parts} parts"
    drawn = partial(evaluation.chart, "deciles", parts=parts, **({} if level is None else {"level": level}))
    return Tabulation("deciles", title, cells, f"{whole} {note}".strip(), evaluation.confidence, forms, drawn)


def _between(scores: Scores, low: float, high: float, confidence: float) -> Estimate:
    """The share of all positives that lie between two depths."""
    if low == 0 and high < 1:
        m = find("capture")
        question = Question(m, scores, partial(m.function, depth=high), confidence, options={"depth": high})
        return estimate(question, level=None, segment=None, options={"depth": high})
    # Any share of positives; that of all of them is certain.
    share, read = replace(find("capture"), interval=""), partial(captured_between, low=low, high=high)
    found = estimate(Question(share, scores, read, confidence), level=None, segment=None, options={})
    return found.renamed(low=found.value, high=found.value, method="") if low == 0 and found.defined else found


def _times(estimate: Estimate, factor: float, name: str) -> Estimate:
    ends = {end: None if (v := getattr(estimate, end)) is None else v * factor for end in ("value", "low", "high")}
    return estimate.renamed(measure=name, bound=estimate.bound * factor, **ends)
