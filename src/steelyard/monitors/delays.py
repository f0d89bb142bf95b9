"""How long labels take, by outcome: which part of the labels of each outcome can be taken to be in at some age."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from steelyard.evaluation import Evaluation
from steelyard.monitors.completion import predicted
from steelyard.monitors.labels import Labels, OutcomeLabels, labels_of
from steelyard.monitors.stream import Stream
from steelyard.monitors.windows import Window, instant_of, moment
from steelyard.results import Array, Codes, Flags

Ages = Codes
LEAST = 30
"""Labels of one kind from which on their delays are told apart from those of their outcome."""
AT_RISK = 10
"""Labels that must have been in sight for a delay to count: a law that rests on two rows swings from 0 to 1."""
POINTS = 400
"""Delays kept of each outcome."""
LEVELS = 20
"""Outcomes that are told apart; with more levels they all count as one."""


@dataclass(frozen=True, slots=True)
class Course:
    """Which share of the labels is in after each delay, in microseconds."""

    rows: int
    delays: tuple[int, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, delays: Ages, ages: Ages) -> Course:
        """The law of delays that were seen only if they were shorter than the age of their row.

        F(t) = Π (1 − nⱼ / Rⱼ) over delays tⱼ > t, with nⱼ labels that took tⱼ and Rⱼ that took at most tⱼ and are older than that

        Plain shares would take the young rows, of which only the quick labels are in, for proof that labels are quick.

        >>> c = Course.of(np.array([1] * 30 + [9] * 10 + [1] * 30), np.array([20] * 40 + [5] * 30))
        >>> c.share(np.array([0, 1, 9])).tolist()
        [0.0, 0.75, 1.0]

        Lagakos, Barraj and De Gruttola, Nonparametric analysis of truncated survival data (1988).
        """
        d = np.maximum(delays, 0)
        times, many = np.unique(d, return_counts=True)
        at_risk = many.cumsum() - np.searchsorted(np.sort(np.maximum(ages, d)), times, side="left")
        last = np.flatnonzero(at_risk >= min(AT_RISK, len(d) / 2))
        if not len(last):
            return cls(0, (), ())
        times, kept = times[: last[-1] + 1], 1 - many / at_risk
        shares = np.append(np.cumprod(kept[last[-1] : 0 : -1])[::-1], 1.0)
        picked = np.unique(np.searchsorted(shares, np.linspace(0, 1, POINTS)).clip(0, len(shares) - 1))
        return cls(len(d), tuple(times[picked].tolist()), tuple(shares[picked].tolist()))

    def share(self, ages: Ages) -> Array:
        """The share of labels that are in at each age."""
        return np.append(0.0, self.shares)[np.searchsorted(np.array(self.delays), ages, side="right")]

    def within(self, share: float) -> timedelta:
        """The time in which this share of the labels comes in."""
        at = min(int(np.searchsorted(self.shares, share - 1e-12)), len(self.delays) - 1)
        return timedelta(microseconds=int(self.delays[at]))


@dataclass(frozen=True, slots=True)
class Delays:
    """The courses of labels by outcome, and by whether the model was right."""

    courses: Mapping[str, Course] = field(default_factory=dict)
    cut: float | None = None
    """Where outcomes that are numbers are divided into small and large ones."""

    @classmethod
    def of(cls, stream: Stream, e: Evaluation | None, now: int) -> Delays | None:
        """From rows whose labels have times, as it was known at `now`; None where they have none."""
        late = stream.delays()
        if late is None or e is None or not len(late):
            return None
        assert stream.times is not None
        ages = (now - stream.times)[stream.labelled]
        cut = None
        if e.residuals is not None:
            cut = float(np.median(stream.columns[stream.roles.target or ""][stream.labelled].astype(np.float64)))
        found = {name: Course.of(late[rows], ages[rows]) for name, rows in kinds(stream, e, cut) if rows.sum() >= LEAST}
        return cls({name: c for name, c in found.items() if c.rows}, cut)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        held = {k: [c.rows, list(c.delays), list(c.shares)] for k, c in self.courses.items()}
        return {"courses": held, "cut": self.cut}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Delays:
        """Read back what `to_dict` wrote."""
        return cls({k: Course(n, tuple(d), tuple(s)) for k, (n, d, s) in data["courses"].items()}, data["cut"])


def kinds(stream: Stream, e: Evaluation, cut: float | None = None) -> Iterator[tuple[str, Flags]]:
    """The outcomes of the rows with a label: each as a whole, then divided by whether the model was right."""
    roles, there = stream.roles, stream.labelled
    truth = stream.columns[roles.target or ""][there]
    if e.residuals is not None:
        large = truth.astype(np.float64) > (np.median(truth.astype(np.float64)) if cut is None else cut)
        yield from (("large outcomes", large), ("small outcomes", ~large))
        return
    said = None
    if e.positive is not None:
        said = predicted(stream, {"positive": e.positive, "threshold": 0.5 if e.threshold is None else e.threshold})
    if said is not None:
        real, said = np.asarray(truth == e.positive, dtype=np.bool_), said[there]
        words = ("real positives", "found", "missed"), ("real negatives", "flagged", "left alone")
        for whole, (name, yes, no) in zip((real, ~real), words, strict=True):
            yield name, whole
            yield f"{name} that were {yes}", whole & said
            yield f"{name} that were {no}", whole & ~said
        return
    levels = list(e.levels or ())
    right = None
    if roles.prediction is not None:
        right = np.asarray(truth == stream.columns[roles.prediction][there], dtype=np.bool_)
    for level in levels if len(levels) <= LEVELS else ():
        whole = np.asarray(truth == level, dtype=np.bool_)
        yield f'"{level}"', whole
        if right is not None:
            yield f'"{level}" told rightly', whole & right
            yield f'"{level}" told wrongly', whole & ~right


def outcomes_of(part: Stream, e: Evaluation, now: int, learned: Sequence[Delays]) -> list[OutcomeLabels]:
    """Of each outcome in a window: how many labels are in, and which share of them should be."""
    assert part.times is not None
    ages = now - part.times
    cut = next((x.cut for x in learned if x.cut is not None), None)
    everything = [c for x in learned for c in x.courses.values()]
    out, whole = [], ""
    for name, rows in kinds(part, e, cut):
        courses = [x.courses[name] for x in learned if name in x.courses]
        if whole and name.startswith(whole) and not courses:
            continue  # too few to be told apart: what holds for their outcome holds for them
        whole = whole if whole and name.startswith(whole) else name
        there = int(rows.sum())
        # Of an outcome too rare to have shown its delays the slowest that is known is taken.
        shares = [float(c.share(ages).mean()) for c in courses or everything]
        slow = int(np.argmin(shares)) if shares else 0
        takes = (courses or everything)[slow].within(1 - OutcomeLabels.spared(there, shares[slow])) if shares else None
        out.append(OutcomeLabels(name, there, shares[slow] if shares else None, takes))
    return out


@dataclass(frozen=True, slots=True)
class Waiting:
    """What is known of labels that may still come: how long they take by outcome, and how many of each window never do.

    Delays are those of the reference and of the stream so far, the slower of the two. Without times of labels any that is missing
    might be of any outcome, but for as many as older windows lack too.
    """

    parts: Sequence[Stream]
    made: Sequence[Window]
    evaluation: Evaluation | None
    learned: Sequence[Delays]
    never: Sequence[float]
    until: int
    wait: timedelta | None

    @classmethod
    def of(
        cls,
        parts: Sequence[Stream],
        made: Sequence[Window],
        baseline: tuple[Evaluation | None, Delays | None],
        stream: Stream,
        until: int,
        wait: timedelta | None,
        before: tuple[int, int] = (0, 0),
    ) -> Waiting:
        """Of the windows of a stream; `before` tells how many rows of the reference lack a label, and how many it has."""
        e, theirs = baseline
        learned = [x for x in (theirs, Delays.of(stream, e, until)) if x is not None and x.courses]
        ages = [moment(until) - w.start for w in made]
        never = never_come([p.rows - int(p.labelled.sum()) for p in parts], [p.rows for p in parts], ages, before)
        return cls(parts, made, e, learned, never, until, wait)

    def labels(self) -> list[Labels]:
        """The labels of every window, judged by outcome where the reference tells outcomes apart."""
        ends = moment(self.until)
        return [
            labels_of(
                part.labelled,
                part.delays(),
                w.end,
                ends,
                self.wait,
                outcomes=self._outcomes(part, self.until),
                never=lost,
            )
            for part, w, lost in zip(self.parts, self.made, self.never, strict=True)
        ]

    def ripe(self, i: int, at: datetime) -> bool:
        """Whether the labels of a window were in at a moment before; how long labels take is taken as it is known at the end."""
        part, now = self.parts[i], instant_of(at)
        assert part.label_times is not None
        then = replace(part, labelled=part.labelled & (part.label_times <= now))
        outcomes = self._outcomes(then, now)
        return labels_of(
            then.labelled, None, self.made[i].end, at, self.wait, outcomes=outcomes, never=self.never[i]
        ).mature

    def _outcomes(self, part: Stream, until: int) -> Sequence[OutcomeLabels]:
        if self.evaluation is None or part.labelled.all():
            return ()
        return outcomes_of(part, self.evaluation, until, self.learned)


def never_come(
    missing: Sequence[int], rows: Sequence[int], ages: Sequence[timedelta], before: tuple[int, int] = (0, 0)
) -> list[float]:
    """How many labels of each window never come: as many as windows at least twice as old still lack, and chance more.

    >>> day = timedelta(days=1)
    >>> [round(x, 1) for x in never_come([10, 12, 40], [1000, 1000, 1000], [40 * day, 15 * day, day])]
    [0.0, 16.3, 17.6]
    """
    out = []
    for n, age in zip(rows, ages, strict=True):
        older = [k for k, other in enumerate(ages) if other >= 2 * age]
        lost, of = sum((missing[k] for k in older), before[0]), sum((rows[k] for k in older), before[1])
        p = lost / of if of else 0.0
        out.append(n * p + 2 * math.sqrt(n * p * (1 - p)))
    return out
