"""The ways to read a measure: of a whole summary, of one level against the rest, averaged over levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.measures.facts import FLAGGED, LEFT, NEGATIVES, POSITIVES
from steelyard.measures.measure import Measure
from steelyard.results import Array, Average, Ratio, Reading, Share
from steelyard.summaries.confusion import Confusion, Outcomes


@dataclass(frozen=True, slots=True)
class OfWhole:
    """A measure of all that was counted."""

    measure: Measure
    options: Mapping[str, Any]

    def __call__(self, summary: Any) -> Reading:
        """What the measure says of the summary."""
        return self.measure.function(summary, **self.options)


@dataclass(frozen=True, slots=True)
class OfLevel:
    """A measure of four outcomes, for one level against the rest."""

    measure: Measure
    options: Mapping[str, Any]
    level: Any

    def __call__(self, confusion: Confusion) -> Reading:
        """What the measure says of this level."""
        return self.measure.function(confusion.outcomes(self.level), **self.options)


@dataclass(frozen=True, slots=True)
class OverLevels:
    """A measure of four outcomes averaged: macro counts levels alike, weighted by their rows, micro pools the counts."""

    measure: Measure
    options: Mapping[str, Any]
    how: str

    def __call__(self, confusion: Confusion) -> Reading:
        """The average over all levels."""
        every = confusion.by_level()
        if self.how == "micro":
            pooled = {f: np.asarray(getattr(every, f)).sum(axis=-1) for f in ("tp", "fn", "fp", "tn")}
            reading = self.measure.function(Outcomes(**pooled), **self.options)
            if isinstance(reading, Share) and self._counts_once(len(confusion.levels)):
                return reading
            if isinstance(reading, Ratio) and self.measure.interval == "harmonic":
                # Every error is a miss of one level and a false alarm of another: F1 is the share of rows that are right.
                return Share(np.asarray(reading.top) / 2, np.asarray(reading.bottom) / 2, reading.empty)
            return Ratio(reading.value, 1.0, reading.empty)
        reading = self.measure.function(every, **self.options)
        weights = np.ones_like(confusion.actual) if self.how == "macro" else confusion.actual
        if isinstance(reading, Share) and self.measure.cases is POSITIVES:
            return _of_apart(reading, self.how, confusion.levels)
        return _combined(reading.value, reading.empty, weights, confusion.levels)

    def _counts_once(self, levels: int) -> bool:
        """Whether each row is counted for one level alone when counts are pooled, so that it is a share of rows like any other."""
        others = (NEGATIVES, LEFT) if levels == 2 else ()
        return self.measure.cases in (POSITIVES, FLAGGED, *others)


@dataclass(frozen=True, slots=True)
class OverClasses:
    """A measure of a score table averaged over the tables of all classes, each with its own question."""

    questions: Sequence[Any]
    weights: Any
    levels: tuple[Any, ...]

    def __call__(self, _: object) -> Reading:
        """The average over all classes."""
        values = np.array([q.value for q in self.questions])
        reason = next((reason_of(q.reading) for q in self.questions if not math.isfinite(q.value)), "")
        return _combined(values, reason, self.weights, self.levels)


def reason_of(reading: Reading) -> str:
    """Why a reading has no value."""
    if isinstance(reading, Average):
        for share in reading.shares:
            if math.isnan(float(share.value)):
                return share.empty
    return reading.empty


def _of_apart(every: Share, how: str, levels: tuple[Any, ...]) -> Reading:
    """Shares of the real rows of each level averaged: a row is real of one level only, so they do not overlap."""
    part, whole = (np.asarray(x) for x in (every.part, every.whole))
    if how == "weighted":
        return Share(part.sum(axis=-1), whole.sum(axis=-1), every.empty)
    found = (Share(part[..., i], whole[..., i], f"{every.empty} (level {v!r})") for i, v in enumerate(levels))
    shares = tuple(found)
    lost = [s.empty for s in shares if not np.all(s.whole)]
    return Average(shares, (1.0 / len(shares),) * len(shares), empty=lost[0] if lost else every.empty)


def _combined(values: Array, empty: str, weights: Array, levels: tuple[Any, ...]) -> Reading:
    # A level without rows has no say in a mean weighted by rows.
    silent = np.broadcast_to(np.asarray(weights) == 0, values.shape)
    total = (np.where(silent, 0.0, values) * weights).sum(axis=-1)
    lost = np.isnan(values) & ~silent
    reason = "undefined for one of the levels"
    if lost.ndim == 1 and lost.any():
        i = int(np.argmax(lost))
        reason = f"{empty} (level {levels[i]!r})"
    return Ratio(total, np.asarray(weights).sum(axis=-1), reason)
