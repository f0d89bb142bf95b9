"""The windows of the reference, cut as those of the stream are, and what they show of how windows differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.comparisons.enough import cases_of
from steelyard.errors import SteelyardError
from steelyard.evaluation import Evaluation
from steelyard.monitors.baseline import Baseline, losses_of
from steelyard.monitors.bins import BinCounts
from steelyard.monitors.labels import ENOUGH
from steelyard.monitors.stream import Stream
from steelyard.monitors.variation import LEAST, SAME, Spread, Variation
from steelyard.monitors.volume import place_of
from steelyard.monitors.watched_measures import measure_name
from steelyard.monitors.windows import Window, WindowSpan, by_count, by_time
from steelyard.results import Codes
from steelyard.verdicts.enough import too_few

MOST = 400
"""The last windows of a reference that are looked at; more would cost more than they tell."""
Cut = Sequence[tuple[Window, Stream]]


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


def variation_of(cut: Cut, baseline: Baseline, measures: Sequence[Any], options: Mapping[str, Any]) -> Variation:
    """How the windows of a reference differ: measures where labels are in, and columns by their place in the week."""
    full = [(w, part) for w, part in cut if part.rows]
    places = [place_of(w) for w, _ in full]
    if len(full) < LEAST:
        return Variation()
    weeks = len(set(places)) > 1 and min(places.count(p) for p in set(places)) >= SAME
    return Variation(
        _spreads(full, measures, options) if baseline.evaluation is not None else {},
        _excess(full, baseline) if baseline.evaluation is not None else {},
        _counts(full, places, baseline) if weeks and len(set(places)) <= 7 else {},
    )


def _spreads(full: Cut, measures: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Spread]:
    found: dict[str, list[tuple[float, float, str]]] = {}
    for window, part in full:
        e = _evaluated(part, options)
        for measure in measures if e is not None else ():
            assert e is not None
            name, level, told = measure_name(measure)
            x = e.measure(name, level)
            if x.value is None or x.low is None or x.high is None or x.high <= x.low:
                continue
            error = (x.high - x.low) / (2 * NormalDist().inv_cdf(0.5 + x.confidence / 2))
            found.setdefault(told, []).append((x.value, error, place_of(window)))
    return {told: Spread.of(*zip(*held, strict=True)) for told, held in found.items() if len(held) >= LEAST}


def _evaluated(part: Stream, options: Mapping[str, Any]) -> Evaluation | None:
    if part.labelled.mean() < ENOUGH:
        return None
    try:
        e = part.evaluate(**options)
    except SteelyardError:
        return None
    return None if too_few(cases_of(e)) else e


def _excess(full: Cut, baseline: Baseline) -> dict[str, float]:
    e = baseline.evaluation
    assert e is not None
    held = [losses_of(part, e) for _, part in full if part.labelled.mean() >= ENOUGH]
    out = {}
    for name, base in baseline.losses.items():
        sums = [x[name] for x in held if name in x and x[name].n]
        if len(sums) >= LEAST and base.deviation > 0:
            q = sum(x.n * (x.mean - base.mean) ** 2 for x in sums) / base.deviation**2
            out[name] = max(1.0, q / (len(sums) - 1))
    return out


def _counts(full: Cut, places: Sequence[str], baseline: Baseline) -> dict[str, dict[str, BinCounts]]:
    bins = {**baseline.outputs, **baseline.features}
    out: dict[str, dict[str, BinCounts]] = {}
    for (_, part), place in zip(full, places, strict=True):
        for name, found in part.counted(bins).items():
            held = out.setdefault(place, {})
            held[name] = held[name] + found if name in held else found
    return out
