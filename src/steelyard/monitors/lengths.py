"""Windows that are too short to judge a measure by: how long they would have to be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from steelyard.comparisons.enough import cases_of, counted
from steelyard.evaluation import Evaluation
from steelyard.monitors.signals import PERFORMANCE, Signal
from steelyard.monitors.windows import WindowSpan
from steelyard.summaries.window import WindowSummary
from steelyard.verdicts.alarm import INSUFFICIENT
from steelyard.verdicts.enough import FEW, too_few
from steelyard.words import count

LENGTHS = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=365.25 / 12),
}
SPARE = 4 / 3
"""So many times the cases needed are to be expected, since half of the windows would otherwise have too few by chance."""


def length_that_would_do(span: WindowSpan, rows: float, needed: float) -> str:
    """The shortest usual length of windows with so many rows, where windows of this length have `rows`.

    >>> length_that_would_do("week", 140, 560), length_that_would_do("day", 20, 2000), length_that_would_do(500, 500, 1900)
    ('a month', '100 days', '1,900 rows')
    """
    times = needed / rows
    if not isinstance(span, str | timedelta):
        return f"{count(math.ceil(needed / 100) * 100)} rows"
    now = LENGTHS[span] if isinstance(span, str) else span
    for name, length in LENGTHS.items():
        if length > now and length >= 0.99 * times * now:
            return f"{'an' if name == 'hour' else 'a'} {name}"
    weeks = math.ceil(times * now / timedelta(days=7))
    return f"{weeks:,} weeks" if span in {"week", "month"} else f"{math.ceil(times * now / timedelta(days=1)):,} days"


def advise(
    found: Sequence[Sequence[Signal]], parts: Sequence[WindowSummary], reference: Evaluation | None, span: WindowSpan
) -> tuple[list[list[Signal]], str]:
    """The same signals, those of windows with too few cases telling which length would do, and a sentence where most are so."""
    signals = [list(here) for here in found]
    judged = [(i, p) for i, p in enumerate(parts) if p.labelled]
    why = "" if reference is None else too_few(cases_of(reference))
    if reference is None or not judged or why:
        return signals, f"The reference has only {why}: take a longer one." if why else ""
    sides = counted(reference)
    share, what = (1.0, "rows")
    if sides is not None:
        share, what = min(
            (n / sum(sides), f"real {word}") for n, word in zip(sides, ("positives", "negatives"), strict=True)
        )
    sizes = sorted(p.rows for _, p in judged)
    usual = sizes[len(sizes) // 2]
    would = length_that_would_do(span, usual, SPARE * FEW / share)
    short = [i for i, _ in judged if any(_is_short(s) for s in signals[i])]
    for i in short:
        signals[i] = [
            replace(s, reason=f"{s.reason}; windows of {would} would do") if _is_short(s) else s for s in signals[i]
        ]
    if 2 * len(short) < len(judged):
        return signals, ""
    each = (
        f"{count(usual)} rows a window hold about {count(round(usual * share))} {what}"
        if sides is not None
        else f"a window has about {count(usual)} rows"
    )
    told = f"{len(short):,} of {len(judged):,} windows have too few cases to judge performance by"
    return signals, f"{told}: {each}, and {FEW} are needed; windows of {would} would do."


def _is_short(signal: Signal) -> bool:
    return (
        signal.kind == PERFORMANCE
        and signal.state == INSUFFICIENT
        and ("are needed" in signal.reason or "at least one positive" in signal.reason)
    )
