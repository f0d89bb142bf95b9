"""The finished number: value, interval, rows and certified bound, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.intervals.method import Question, interval
from steelyard.intervals.proportions import effective_whole, squares_of
from steelyard.intervals.resting import caution
from steelyard.measures.measure import Measure
from steelyard.measures.ways import reason_of
from steelyard.results import Estimate, Mean, Reading, Share
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.summary import effective_rows


def estimate(question: Question, *, level: Any, segment: str | None, options: Mapping[str, Any]) -> Estimate:
    """The finished number: value, interval, method, rows, certified bound, or the reason why there is none."""
    reading = question.reading
    value = question.value
    facts: dict[str, Any] = {
        "confidence": question.confidence,
        "level": level,
        "segment": segment,
        "options": {k: v.to_dict() if hasattr(v, "to_dict") else v for k, v in options.items()},
    }
    n, n_eff = counted(question, reading)
    bound = certified_bound(question, value, options) if math.isfinite(value) else 0.0
    if not math.isfinite(value) or not math.isfinite(bound):
        if isinstance(question.summary, Confusion) and any(question.summary.uncertain):
            reason = "the threshold cuts a cell of the grid: count with this threshold, or exact=True"
            return Estimate(question.measure.name, None, reason=reason, n=n, n_eff=n_eff, **facts)
        return Estimate(question.measure.name, None, reason=reason_of(reading), n=n, n_eff=n_eff, **facts)
    found = interval(question)
    return Estimate(
        question.measure.name,
        value,
        found.low,
        found.high,
        method=found.method,
        n=n,
        n_eff=n_eff,
        bound=bound,
        note="; ".join(filter(None, (question.note, found.note, _remark(question, value)))),
        caution=found.caution or caution(question, level),
        **facts,
    )


def remarked(x: Estimate, m: Measure, facts: Mapping[str, Any]) -> Estimate:
    """The number with what is known of the rows and touches it: scores of classes that do not add up to one."""
    off = facts.get("unsummed", 0)
    if not off or m.question != "calibration" or ClassScores not in m.reads or x.level is not None:
        return x
    rows = "1 row has" if off == 1 else f"{off:,} rows have"
    said = f"{rows} scores that do not add up to one, and they were taken as they are"
    return x.renamed(note="; ".join(filter(None, (x.note, said))))


def _remark(question: Question, value: float) -> str:
    """What the measure has to say of such a value, where the summary is the one it reads."""
    m = question.measure
    return m.remark(question.summary, value) if m.remark is not None and type(question.summary) in m.reads else ""


def counted(question: Question, reading: Reading) -> tuple[float, float]:
    """How many rows a number rests on, and how many of them count under sampling weights."""
    summary = question.summary
    total = float(summary.counts.sum()) if hasattr(summary, "counts") else float(summary.total)
    n = total
    if isinstance(reading, Share):
        n = float(reading.whole)
    elif isinstance(reading, Mean):
        n = float(reading.count)
    table = summary.tables[0] if isinstance(summary, ClassScores) else summary
    if isinstance(summary, Residuals):
        return n, n * summary.effective / max(total, 1e-300)
    squares = getattr(table, "squares", None)
    if squares is None:
        return n, n
    if isinstance(reading, Share) and isinstance(summary, Confusion) and not question.averaged:
        weighed = squares_of(question)
        return n, effective_whole(reading, weighed, summary.rows)
    return n, n * float(effective_rows(np.asarray(total), squares.sum())) / max(total, 1e-300)


def certified_bound(question: Question, value: float, options: Mapping[str, Any]) -> float:
    """How far the value can be from the one that no grid had touched."""
    m, summary = question.measure, question.summary
    if isinstance(summary, Residuals):
        return m.bound(summary, **options) if m.bound is not None else 0.0
    if isinstance(summary, ClassScores):
        parts = [certified_bound(p, p.value, options) for _, p in question.parts]
        return max(parts) if parts else _classes_bound(question)
    if isinstance(summary, Confusion):
        if m.bound is not None:
            return m.bound(summary, **options)
        others = [float(question.read(c).value) for c in summary.corners()]
        return max((abs(v - value) if math.isfinite(v) else math.inf for v in others), default=0.0)
    if summary.cells.sharp:
        return 0.0
    if m.bound is not None:
        return m.bound(summary, **options)
    ends = [float(question.read(s).value) for s in summary.extremes()]
    return max((abs(v - value) for v in ends if math.isfinite(v)), default=0.0)


def _classes_bound(question: Question) -> float:
    """The largest effect of the grid on any one class's table, for measures of all classes together."""
    m = question.measure
    return 0.0 if m.bound is None else m.bound(question.summary)
