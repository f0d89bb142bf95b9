"""The rows of a window as a summary: counted once, against a baseline, so that no signal asks for a row again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

import numpy as np

from steelyard.designs.columns import is_missing
from steelyard.engines.plain import plain_level
from steelyard.errors import BadLevels, EmptyTable, NotAvailable, NotNumeric
from steelyard.evaluation import Evaluation
from steelyard.monitors.baseline import Baseline, losses_of
from steelyard.monitors.delays import cut_of, label_times
from steelyard.monitors.gauges import gauges
from steelyard.monitors.segmented import by_segment, places_of, watched_keys
from steelyard.monitors.stream import Stream, Values
from steelyard.monitors.windows import DAY, ZoneOffsets
from steelyard.results import Codes, Flags
from steelyard.summaries.cells import Cells
from steelyard.summaries.window import Some, WindowSummary

STRANGE = (BadLevels, EmptyTable, NotAvailable, NotNumeric)
"""What is wrong with the labels of one window, and no reason to refuse the others."""


@dataclass(frozen=True)
class Counting:
    """How the rows of a window are counted: against which baseline, evaluated how, in which zone, and how finely."""

    baseline: Baseline
    options: Mapping[str, Any]
    zone: tzinfo
    exact: bool = False

    def windows(self, stream: Stream, place: Codes, which: Sequence[int]) -> Iterator[WindowSummary]:
        """The summaries of some windows, whose rows have these places."""
        order = np.argsort(place, kind="stable")
        edges = np.searchsorted(place[order], [(i, i + 1) for i in which])
        for a, b in edges.tolist():
            yield self.summary(stream.take(order[a:b]))

    def summary(self, rows: Stream) -> WindowSummary:
        """Some rows of one window, counted."""
        if not rows.rows:
            return WindowSummary()
        e, base = self.baseline.evaluation, self.baseline
        odd, keys = _odd(rows, e), watched_keys(e)
        places = places_of(rows, keys) if keys else None
        evidence, parts, why = ({}, {}, "") if odd.count else self._evidence(rows, places)
        there = int(rows.labelled.sum())
        kept = {kind: found.evidence for kind, g in gauges().items() if (found := g.kept(rows)) is not None}
        times = None
        if rows.roles.target is not None and rows.times is not None:
            times = label_times(rows, e, cut_of(base.delays, e))
        first, last, latest, dated = self._when(rows)
        return WindowSummary(
            rows.rows,
            there,
            evidence,
            why,
            rows.counted({**base.outputs, **base.features}),
            losses_of(rows, e) if evidence and e is not None else {},
            kept,
            times,
            _seen(rows),
            _said(rows, e),
            odd,
            {name: int(rows.present(name).sum()) for name in rows.roles.outputs},
            _beyond(rows, e),
            first,
            last,
            latest,
            dated,
            {} if places is None else by_segment(keys, *_many(places, rows.labelled, len(keys)), parts),
            self.exact,
        ).bounded()

    def _evidence(self, rows: Stream, places: Codes | None) -> tuple[Mapping[str, Any], Mapping[int, Any], str]:
        """What `evaluate` counts of the rows with a label, of all and of each segment by its place; or why it cannot."""
        if not rows.labelled.any() or self.baseline.evaluation is None:
            return {}, {}, ""
        try:
            segment = {} if places is None else {"segment": places[rows.labelled]}
            found = rows.evaluate(**self.options, exact=self.exact, **segment)
        except STRANGE as problem:
            # One strange window must not hide the others.
            return {}, {}, problem.message.rstrip(".")
        return found.evidence, {place: e.evidence for (_, place), e in found.segments.by_key.items()}, ""

    def _when(self, rows: Stream) -> tuple[int | None, int | None, int | None, bool]:
        if rows.times is None:
            return None, None, None, True
        first, last = int(rows.times.min()), int(rows.times.max())
        dated = not bool((ZoneOffsets.of(self.zone, first, last).local(rows.times) % DAY).any())
        return first, last, rows.latest, dated


def evaluation_of(part: WindowSummary, baseline: Baseline, confidence: float) -> Evaluation | None:
    """The evaluation of the rows of a window that have a label, as that of the baseline is; None where there is none."""
    e = baseline.evaluation
    if e is None or not part.evidence:
        return None
    return Evaluation(part.evidence, e.threshold, confidence, e.facts)


# What is looked at beside ---------------------------------------------------------------------------------------------


def _odd(rows: Stream, evaluation: Evaluation | None) -> Some:
    """Targets that are no levels of the reference, or no numbers where it has numbers."""
    name = rows.roles.target
    if name is None or evaluation is None or not rows.labelled.any():
        return Some()
    held = _counted(rows.columns[name][rows.labelled])
    if evaluation.residuals is not None:
        return Some.of({v: n for v, n in held.items() if not _is_number(v)})
    known = set(evaluation.levels or ())
    return Some.of({v: n for v, n in held.items() if v not in known})


def _many(places: Codes, labelled: Flags, size: int) -> tuple[Codes, Codes]:
    """How many rows each segment has, and how many of them have a label."""
    there = places >= 0
    return np.bincount(places[there], minlength=size), np.bincount(places[there & labelled], minlength=size)


def _counted(values: Values) -> Mapping[Any, int]:
    """How often each value occurs."""
    if values.dtype.kind in "biuf":
        found, many = np.unique(values, return_counts=True)
        return dict(zip(_plain(found), many.tolist(), strict=True))
    try:
        return Counter(_plain(values))
    except TypeError:  # what cannot be a key is told as its text
        return Counter(map(plain_level, _plain(values)))


def _plain(values: Values) -> list[Any]:
    """Values as Python has them; whole numbers that were held as decimals are whole."""
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in values.tolist()]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _seen(rows: Stream) -> Cells | None:
    """The scores of all rows, where there is one score."""
    if not isinstance(rows.roles.score, str):
        return None
    found = rows.columns[rows.roles.score].astype(np.float64)
    found = found[np.isfinite(found)]
    values, counts = np.unique(found + 0.0, return_counts=True)
    return Cells.of(values, counts[:, None].astype(np.float64), len(found))


def _said(rows: Stream, evaluation: Evaluation | None) -> dict[Any, float]:
    """The weight of rows without a label by what was predicted: a level, or whether the score reaches the threshold."""
    left = ~rows.labelled
    roles = rows.roles
    if evaluation is None or roles.target is None or not left.any() or evaluation.residuals is not None:
        return {}
    weight = np.ones(rows.rows) if roles.weight is None else rows.columns[roles.weight].astype(np.float64)
    if roles.prediction is not None:
        said = _plain(rows.columns[roles.prediction][left])
    elif isinstance(roles.score, str) and evaluation.threshold is not None:
        score = rows.columns[roles.score].astype(np.float64)
        # Without a score nothing was said.
        left &= np.isfinite(score)
        said = (score[left] >= evaluation.threshold).tolist()
    else:
        return {}
    out: dict[Any, float] = {}
    if roles.weight is None:
        return {k: float(n) for k, n in Counter(said).items() if not is_missing(k)}
    for level, w in zip(said, weight[left].tolist(), strict=True):
        out[level] = out.get(level, 0.0) + w
    return {k: x for k, x in out.items() if not is_missing(k)}


def _beyond(rows: Stream, evaluation: Evaluation | None) -> dict[str, Some]:
    """Scores that are no chances any more where those of the reference were."""
    score = rows.roles.score
    names = list(score.values()) if isinstance(score, Mapping) else [] if score is None else [score]
    if not (
        isinstance(score, Mapping)
        or (evaluation is not None and evaluation.scores is not None and evaluation.scores.probabilities)
    ):
        return {}
    out = {}
    for name in dict.fromkeys(names):
        values = rows.columns[name]
        if values.dtype.kind in "fiu":
            off = np.isfinite(values) & ((values < 0) | (values > 1))
            out[name] = Some.of(Counter(values[off].astype(np.float64).tolist()))
    return out
