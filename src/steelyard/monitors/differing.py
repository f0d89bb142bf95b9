"""The windows of the reference, cut as those of the stream are, and what they show of how windows differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.comparisons.enough import cases_of
from steelyard.errors import SteelyardError
from steelyard.evaluation import Evaluation
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.labels import ENOUGH
from steelyard.monitors.running import PREFIX
from steelyard.monitors.stream import Stream
from steelyard.monitors.summed import evaluation_of
from steelyard.monitors.variation import CLEAR, LEAST, SAME, Spread, Variation, of_segments, usual_at
from steelyard.monitors.volume import place_of
from steelyard.monitors.watched_measures import measure_name
from steelyard.monitors.windows import Window, WindowSpan, by_count, by_time
from steelyard.results import Codes
from steelyard.summaries.bin_counts import BinCounts
from steelyard.summaries.losses import Losses
from steelyard.summaries.window import WindowSummary
from steelyard.verdicts.enough import too_few

MOST = 400
"""The last windows of a reference that are looked at; more would cost more than they tell."""
MOODY, MORE = 1.7, 54
"""How many times as much losses of days vary as rows do where days have moods, and how many days more would have told that: what
keeps false alarms to the budget and sees losses hardly later (docs/studies/monitoring-wobble.md)."""
Cut = Sequence[tuple[Window, Stream]]
Counted = Sequence[tuple[Window, WindowSummary]]


def cut_like(rows: Stream, span: WindowSpan | None, zone: tzinfo) -> Cut:
    """A table of reference rows in windows like those that are judged; nothing where its times do not allow that."""
    if rows.times is None or span is None:
        return ()
    try:
        made, place = by_count(rows.times, span, zone) if isinstance(span, int) else by_time(rows.times, span, zone)
    except SteelyardError:
        return ()
    return parts_of(rows, made, place, range(max(0, len(made) - MOST), len(made)))


def parts_of(stream: Stream, made: Sequence[Window], place: Codes, which: Sequence[int]) -> Cut:
    """Some windows with their rows."""
    order = np.argsort(place, kind="stable")
    edges = np.searchsorted(place[order], np.arange(len(made) + 1))
    return [(made[i], stream.take(order[edges[i] : edges[i + 1]])) for i in which]


def variation_of(cut: Counted, baseline: Baseline, measures: Sequence[Any], confidence: float) -> Variation:
    """How the windows of a reference differ: measures where labels are in, and columns by their place in the week."""
    full = [(w, part) for w, part in cut if part.rows]
    places = [place_of(w) for w, _ in full]
    if len(full) < LEAST:
        return Variation()
    weeks = len(set(places)) > 1 and min(places.count(p) for p in set(places)) >= SAME
    known = baseline.evaluation is not None
    usual = _usual_losses(full, baseline) if known else {}
    return Variation(
        usual | (_spreads(full, baseline, measures, confidence) if known else {}),
        _excess(full, baseline, usual, moods=known and _have_moods(full, places if weeks else [""] * len(full))),
        _counts(full, places) if weeks and len(set(places)) <= 7 else {},
    )


def _spreads(full: Counted, baseline: Baseline, measures: Sequence[Any], confidence: float) -> dict[str, Spread]:
    found: dict[str, list[tuple[float, float, str]]] = {}
    for window, part in full:
        e = _evaluated(part, baseline, confidence)
        for told, value, error in _values(e, measures):
            found.setdefault(told, []).append((value, error, place_of(window)))
    apart = _by_segment(full, baseline, measures, confidence)
    return apart | {told: Spread.of(*zip(*held, strict=True)) for told, held in found.items() if len(held) >= LEAST}


def _by_segment(full: Counted, baseline: Baseline, measures: Sequence[Any], confidence: float) -> dict[str, Spread]:
    """One spread for all segments: of the windows of each about its own mean."""
    found: dict[str, list[tuple[float, float, str]]] = {}
    for _, part in full:
        for key, held in part.segments.items():
            for told, value, error in _values(_evaluated(held, baseline, confidence), measures):
                found.setdefault(told, []).append((value, error, repr(key)))
    within = {told: Spread.within(*zip(*held, strict=True)) for told, held in found.items()}
    return {of_segments(told): spread for told, spread in within.items() if spread.free >= LEAST}


def _values(found: Evaluation | None, measures: Sequence[Any]) -> Iterator[tuple[str, float, float]]:
    """Measures by what they are called here, each with its standard error."""
    for measure in measures if found is not None else ():
        assert found is not None
        name, level, told = measure_name(measure)
        x = found.measure(name, level)
        if x.value is not None and x.low is not None and x.high is not None and x.high > x.low:
            yield told, x.value, (x.high - x.low) / (2 * NormalDist().inv_cdf(0.5 + x.confidence / 2))


def _evaluated(part: WindowSummary, baseline: Baseline, confidence: float) -> Evaluation | None:
    if part.labelled < ENOUGH * part.rows:
        return None
    e = evaluation_of(part, baseline, confidence)
    return None if e is None or too_few(cases_of(e)) else e


def _losses(full: Counted, baseline: Baseline) -> Iterator[tuple[str, Losses, list[tuple[str, Losses]]]]:
    """Every mean loss over the reference, and over each of its windows with the window's place in the week."""
    held = [(place_of(w), part.losses) for w, part in full if part.labelled >= ENOUGH * part.rows]
    for name, base in baseline.losses.items():
        sums = [(place, x[name]) for place, x in held if name in x and x[name].n]
        if len(sums) >= LEAST and base.deviation > 0:
            yield name, base, sums


def _usual_losses(full: Counted, baseline: Baseline) -> dict[str, Spread]:
    """Of losses that clearly differ by weekday what is usual on each."""
    out: dict[str, Spread] = {}
    for name, base, sums in _losses(full, baseline):
        rows = np.array([x.n for _, x in sums])
        found = Spread.of([x.mean for _, x in sums], base.deviation / np.sqrt(rows), [place for place, _ in sums])
        out |= {PREFIX + name: found} if found.places else {}
    return out


def _excess(full: Counted, baseline: Baseline, usual: Mapping[str, Spread], *, moods: bool) -> dict[str, float]:
    """How many times the variance of each mean loss over windows, about what is usual on their day, is that of independent rows.

    Where days have moods those of one week are alike, so that a month of them tells little: it is at least what they tell together
    with as many more days of a stream that is usual among such.
    """
    out = {}
    for name, base, sums in _losses(full, baseline) if baseline.evaluation is not None else ():
        spread = usual.get(PREFIX + name)
        free = len(sums) - 1 if spread is None else spread.free
        q = sum(x.n * (x.mean - usual_at(spread, place, base.mean)) ** 2 for place, x in sums) / base.deviation**2
        out[name] = max(1.0, q / free)
        if moods:
            out[name] = max(out[name], (free * out[name] + MORE * MOODY) / (free + MORE))
    return out


def _have_moods(full: Counted, places: Sequence[str]) -> bool:
    """Whether what the model says of the rows differs clearly among windows shorter than a week, beyond weekdays.

    χ² = Σ (n − e)² / e over bins and windows, e = rows of the window · share of the bin at the window's place in the week
    """
    from scipy.special import chdtrc

    if not all(place_of(w) for w, _ in full):
        return False
    found = []
    for name, one in full[0][1].columns.items():
        held = [part.columns[name] for _, part in full]
        if name not in full[0][1].present or one.buckets is not None:
            continue
        # Weighted rows tell only as much as so many plain ones.
        counts = np.stack([x.counts * (x.total / x.squares if x.squares else 0.0) for x in held])
        statistic, free = 0.0, 0
        for place in set(places):
            mine = counts[[p == place for p in places]]
            mine = mine[mine.sum(axis=1) > 0][:, mine.sum(axis=0) > 0]
            if len(mine) < 2:
                continue
            expected = np.outer(mine.sum(axis=1), mine.sum(axis=0) / mine.sum())
            statistic += float(((mine - expected) ** 2 / expected).sum())
            free += (mine.shape[0] - 1) * (mine.shape[1] - 1)
        found.append(float(chdtrc(free, statistic)) if free else 1.0)
    return bool(found) and min(found) * len(found) < CLEAR


def _counts(full: Counted, places: Sequence[str]) -> dict[str, dict[str, BinCounts]]:
    out: dict[str, dict[str, BinCounts]] = {}
    for (_, part), place in zip(full, places, strict=True):
        held = out.setdefault(place, {})
        for name, found in part.columns.items():
            held[name] = held[name] + found if name in held else found
    return out
