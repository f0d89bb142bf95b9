"""How long labels take, by outcome: which part of the labels of each outcome can be taken to be in at some age."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from steelyard.evaluation import Evaluation
from steelyard.monitors.labels import Labels, OutcomeLabels, labels_of
from steelyard.monitors.stream import Stream, StreamRoles
from steelyard.monitors.windows import Window, instant_of, moment
from steelyard.results import Array, Codes, Flags
from steelyard.summaries.label_times import Groups, LabelTimes
from steelyard.summaries.window import WindowSummary

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
    def of(cls, delays: Ages, ages: Ages, many: Codes | None = None) -> Course:
        """The law of delays that were seen only if they were shorter than the age of their row; `many` rows of each.

        F(t) = Π (1 − nⱼ / Rⱼ) over delays tⱼ > t, with nⱼ labels that took tⱼ and Rⱼ that took at most tⱼ and are older than that

        Plain shares would take the young rows, of which only the quick labels are in, for proof that labels are quick.

        >>> c = Course.of(np.array([1] * 30 + [9] * 10 + [1] * 30), np.array([20] * 40 + [5] * 30))
        >>> c.share(np.array([0, 1, 9])).tolist()
        [0.0, 0.75, 1.0]

        Lagakos, Barraj and De Gruttola, Nonparametric analysis of truncated survival data (1988).
        """
        d = np.maximum(delays, 0)
        held = np.ones(len(d), dtype=np.int64) if many is None else many
        rows = int(held.sum())
        times, place = np.unique(d, return_inverse=True)
        each = np.bincount(place, weights=held, minlength=len(times)).astype(np.int64)
        older = np.maximum(ages, d)
        order = np.argsort(older, kind="stable")
        before = np.r_[0, held[order].cumsum()][np.searchsorted(older[order], times, side="left")]
        at_risk = each.cumsum() - before
        last = np.flatnonzero(at_risk >= min(AT_RISK, rows / 2))
        if not len(last):
            return cls(0, (), ())
        times, kept = times[: last[-1] + 1], 1 - each / at_risk
        shares = np.append(np.cumprod(kept[last[-1] : 0 : -1])[::-1], 1.0)
        picked = np.unique(np.searchsorted(shares, np.linspace(0, 1, POINTS)).clip(0, len(shares) - 1))
        return cls(rows, tuple(times[picked].tolist()), tuple(shares[picked].tolist()))

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
    def of(cls, windows: Sequence[LabelTimes], now: Sequence[int], cut: float | None = None) -> Delays | None:
        """From windows whose labels have times, each as it was known at a moment; None where none has."""
        there = [(t, n, t.there) for t, n in zip(windows, now, strict=True) if t.timed and t.groups and t.labelled]
        if not there:
            return None
        late = np.concatenate([(t.known - t.time)[held] for t, _, held in there])
        ages = np.concatenate([(n - t.time)[held] for t, n, held in there])
        many = np.concatenate([t.many[held] for t, _, held in there])
        flags: dict[str, list[Flags]] = {}
        for t, _, held in there:
            for name, rows in t.kinds():
                flags.setdefault(name, []).append(rows[held])
        found = {}
        for name, held_by in flags.items():
            rows = np.concatenate(held_by)
            if many[rows].sum() >= LEAST:
                found[name] = Course.of(late[rows], ages[rows], many[rows])
        return cls({name: c for name, c in found.items() if c.rows}, cut)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        held = {k: [c.rows, list(c.delays), list(c.shares)] for k, c in self.courses.items()}
        return {"courses": held, "cut": self.cut}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Delays:
        """Read back what `to_dict` wrote."""
        return cls({k: Course(n, tuple(d), tuple(s)) for k, (n, d, s) in data["courses"].items()}, data["cut"])


def cut_of(known: Delays | None, evaluation: Evaluation | None) -> float | None:
    """Where outcomes that are numbers are divided: as it was, or at the median of the evaluation."""
    if known is not None and known.cut is not None:
        return known.cut
    if evaluation is None or evaluation.residuals is None:
        return None
    targets = evaluation.residuals.targets
    rows = targets.counts[:, 0].cumsum()
    low, high = (int(np.searchsorted(rows, rows[-1] / 2, side=side)) for side in ("left", "right"))
    middle = targets.middle
    return float((middle[low] + middle[min(high, len(middle) - 1)]) / 2)


def groups_of(evaluation: Evaluation | None, roles: StreamRoles) -> Groups:
    """The outcomes that are told apart: each as a whole, and divided by whether the model was right."""
    if evaluation is None:
        return ()
    if evaluation.residuals is not None:
        return (("large outcomes", ""), ("small outcomes", ""))
    if evaluation.positive is not None:
        words = {"real positives": ("found", "missed"), "real negatives": ("flagged", "left alone")}
        return tuple((whole, f"{whole} that were {part}") for whole, both in words.items() for part in both)
    levels = list(evaluation.levels or ())
    if not 0 < len(levels) <= LEVELS:
        return ()
    ways = ("told rightly", "told wrongly") if roles.prediction is not None else ("",)
    return tuple((f'"{level}"', f'"{level}" {way}' if way else "") for level in levels for way in ways)


def label_times(rows: Stream, evaluation: Evaluation | None, cut: float | None) -> LabelTimes:
    """When rows came, and when the label of each outcome."""
    assert rows.times is not None
    group = np.full(rows.rows, -1, dtype=np.int64)
    groups = groups_of(evaluation, rows.roles)
    group[rows.labelled] = _group(rows, evaluation, cut) if groups and evaluation is not None else len(groups)
    return LabelTimes.of(groups, group, rows.times, rows.label_times)


def _equal(values: Any, others: Any) -> Flags:
    """Which values are that level, or the ones beside them; a cell that holds several values is none."""
    try:
        return np.asarray(values == others, dtype=np.bool_)
    except ValueError:
        beside = others if isinstance(others, np.ndarray) else [others] * len(values)
        pairs = zip(values, beside, strict=True)
        return np.array([np.ndim(v) == np.ndim(w) == 0 and bool(v == w) for v, w in pairs], dtype=np.bool_)


def _group(rows: Stream, evaluation: Evaluation, cut: float | None) -> Codes:
    """The outcome of each row with a label, by its place among the groups; one that is none comes after them."""
    roles, there = rows.roles, rows.labelled
    truth = rows.columns[roles.target or ""][there]
    if evaluation.residuals is not None:
        try:
            return np.where(truth.astype(np.float64) > (0.0 if cut is None else cut), 0, 1)
        except (TypeError, ValueError):
            return np.full(len(truth), 2, dtype=np.int64)  # no numbers, which is told elsewhere
    prediction = None if roles.prediction is None else rows.columns[roles.prediction][there]
    if evaluation.positive is not None:
        real = _equal(truth, evaluation.positive)
        if prediction is not None:
            said = _equal(prediction, evaluation.positive)
        else:
            threshold = 0.5 if evaluation.threshold is None else evaluation.threshold
            said = rows.columns[str(roles.score)][there].astype(np.float64) >= threshold
        return np.where(real, np.where(said, 0, 1), np.where(said, 2, 3))
    levels = list(evaluation.levels or ())
    ways = 1 if prediction is None else 2
    out = np.full(len(truth), len(levels) * ways, dtype=np.int64)
    for i, level in enumerate(levels):
        out[_equal(truth, level)] = i * ways
    if prediction is not None:
        wrong = ~_equal(truth, prediction) & (out < len(levels) * ways)
        out[wrong] += 1
    return out


def outcomes_of(times: LabelTimes, now: int, learned: Sequence[Delays]) -> list[OutcomeLabels]:
    """Of each outcome in a window: how many labels are in, and which share of them should be."""
    ages = now - times.time
    everything = [c for x in learned for c in x.courses.values()]
    out, whole = [], ""
    for name, rows in times.kinds():
        courses = [x.courses[name] for x in learned if name in x.courses]
        if whole and name.startswith(whole) and not courses:
            continue  # too few to be told apart: what holds for their outcome holds for them
        whole = whole if whole and name.startswith(whole) else name
        there = int(times.many[rows].sum())
        # Of an outcome too rare to have shown its delays the slowest that is known is taken.
        shares = [times.mean(c.share(ages)) for c in courses or everything]
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

    parts: Sequence[WindowSummary]
    made: Sequence[Window]
    told: bool
    """Whether the reference tells outcomes apart."""
    learned: Sequence[Delays]
    never: Sequence[float]
    until: Sequence[int]
    """Up to when each window was counted."""
    wait: timedelta | None

    @classmethod
    def of(
        cls,
        parts: Sequence[WindowSummary],
        made: Sequence[Window],
        until: Sequence[int],
        baseline: tuple[Evaluation | None, Delays | None],
        wait: timedelta | None,
        first: int = 0,
        before: tuple[int, int] = (0, 0),
    ) -> Waiting:
        """Of the windows from the `first` on, the delays being those of all; `before` tells how many rows of the reference lack a
        label, and how many it has.
        """
        e, theirs = baseline
        held = [(p.times, n) for p, n in zip(parts, until, strict=True) if p.times is not None]
        mine = Delays.of([t for t, _ in held], [n for _, n in held]) if e is not None else None
        learned = [x for x in (theirs, mine) if x is not None and x.courses]
        parts, made, until = parts[first:], made[first:], until[first:]
        ages = [moment(n) - w.start for w, n in zip(made, until, strict=True)]
        never = never_come([p.rows - p.labelled for p in parts], [p.rows for p in parts], ages, before)
        return cls(parts, made, e is not None, learned, never, until, wait)

    def labels(self) -> list[Labels]:
        """The labels of every window, judged by outcome where the reference tells outcomes apart."""
        out = []
        for part, w, lost, n in zip(self.parts, self.made, self.never, self.until, strict=True):
            times = part.times
            delays = (None, None) if times is None else (times.late_within(0.5), times.late_within(0.95))
            outcomes = self._outcomes(part.times, n)
            out.append(
                labels_of(
                    (part.rows, part.labelled), delays, w.end, moment(n), self.wait, outcomes=outcomes, never=lost
                )
            )
        return out

    def ripe(self, i: int, at: datetime) -> bool:
        """Whether the labels of a window were in at a moment before; how long labels take is taken as it is known at the end."""
        times, now = self.parts[i].times, instant_of(at)
        if times is None:
            return True
        then = times.known_by(now)
        return labels_of(
            (then.rows, then.labelled),
            (None, None),
            self.made[i].end,
            at,
            self.wait,
            outcomes=self._outcomes(then, now),
            never=self.never[i],
        ).mature

    def _outcomes(self, times: LabelTimes | None, until: int) -> Sequence[OutcomeLabels]:
        if not self.told or times is None or times.labelled == times.rows:
            return ()
        return outcomes_of(times, until, self.learned)


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
