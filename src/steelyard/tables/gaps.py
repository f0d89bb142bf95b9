"""Gaps between groups: the largest difference between two segments in each chief measure, allowing for every pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from steelyard.asking.questions import value_of
from steelyard.comparisons.independent import difference
from steelyard.measures.measure import find, leading
from steelyard.results import Estimate
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.verdicts.comparison import CLEAR, verdict_word
from steelyard.views.story import kind_of

MOST = 200
"""Segments between which gaps are looked for; of more there is a pair that differs by chance."""


@tabulated("segments", lambda e: 2 <= len(e.segments) <= MOST)
def gaps(evaluation: Any) -> Tabulation:
    """The segments with the highest and the lowest number, their difference, and whether it is shown for so many pairs at once."""
    parts = dict(evaluation.segments.items())
    pairs = len(list(combinations(parts, 2)))
    cells: dict[str, list[Cell]] = {name: [] for name in ("measure", "highest", "lowest", "gap", "verdict")}
    for name in [
        n
        for n in leading("segment", kind_of(evaluation))
        if n in evaluation.measures and find(n).better in ("higher", "lower")
    ]:
        known = {label: value_of(part, name) for label, part in parts.items()}
        known = {label: v for label, v in known.items() if v == v}
        if len(known) < 2:
            continue
        top, bottom = max(known, key=lambda k: known[k]), min(known, key=lambda k: known[k])
        if top == bottom:
            continue
        d = difference(
            parts[top], parts[bottom], name, confidence=1 - (1 - evaluation.confidence) / pairs, names=(top, bottom)
        )
        word = "" if d.low is None or d.high is None else verdict_word((d.low, d.high), "higher")
        gap = Estimate(
            name, d.value, d.low, d.high, evaluation.confidence, method=d.method, reason=d.reason, n=sum(d.n)
        )
        for key, value in zip(
            cells, (name, top, bottom, gap, "a gap" if word in CLEAR else "no clear gap"), strict=True
        ):
            cells[key].append(value)
    found: dict[str, Sequence[Cell]] = dict(cells)
    note = f"Intervals and words are for all {pairs:,} pairs of segments at once (Bonferroni)." if pairs > 1 else ""
    return Tabulation("gaps", "The largest gaps between segments", found, note, evaluation.confidence)
