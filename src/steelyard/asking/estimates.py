"""The finished number: value, interval, rows and certified bound, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.intervals.method import Question, interval, intervals
from steelyard.intervals.proportions import squares_of
from steelyard.intervals.resting import caution, cautions
from steelyard.measures.measure import Measure
from steelyard.measures.ways import reason_of
from steelyard.results import Array, Estimate, Mean, Reading, Share
from steelyard.summaries.class_scores import ClassScores

if TYPE_CHECKING:
    from steelyard.asking.answering import Answering


def told_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as plain values, to stand beside a number."""
    return {k: v.to_dict() if hasattr(v, "to_dict") else v for k, v in options.items()}


def estimate(question: Question, *, level: object, segment: str | None, options: Mapping[str, Any]) -> Estimate:
    """The finished number: value, interval, method, rows, certified bound, or the reason why there is none."""
    reading = question.reading
    value = question.value
    facts: dict[str, Any] = {
        "confidence": question.confidence,
        "level": level,
        "segment": segment,
        "options": told_options(options),
    }
    n, n_eff = (float(x) for x in counted(question, reading))
    bound = certified_bound(question, value, options) if math.isfinite(value) else 0.0
    if not math.isfinite(value) or not math.isfinite(bound):
        reason = question.summary.unsure or reason_of(reading)
        return Estimate(question.measure.name, None, reason=reason, n=n, n_eff=n_eff, **facts)
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


def estimates(
    question: Question, places: Sequence[tuple[Answering, Any]], options: Mapping[str, Any]
) -> Iterator[Estimate | None]:
    """The finished numbers of tables on leading axes, each with its part and level; None where one is to be asked for alone."""
    found, values = intervals(question), question.values
    if found is None:
        yield from (None for _ in places)
        return
    n, n_eff = (np.broadcast_to(x, values.shape).ravel() for x in counted(question, question.reading))
    told = cautions(question, [level for _, level in places])
    columns = (x.ravel().tolist() for x in (values, found.low, found.high, found.method, n, n_eff))
    for (part, level), words, (value, low, high, name, rows, count) in zip(
        places, told, zip(*columns, strict=True), strict=True
    ):
        if not (math.isfinite(value) and math.isfinite(low)):
            yield None
            continue
        remark = question.measure.remark
        note = "" if remark is None else remark(part.summaries[type(question.summary)], value)
        yield Estimate(
            question.measure.name,
            value,
            low,
            high,
            question.confidence,
            name,
            rows,
            count,
            level,
            part.segment,
            note=note,
            caution=words,
            options=dict(options),
        )


def remarked(estimate: Estimate, measure: Measure, facts: Mapping[str, Any]) -> Estimate:
    """The number with what is known of the rows and touches it: scores of classes that do not add up to one."""
    off = facts.get("unsummed", 0)
    if not off or measure.question != "calibration" or ClassScores not in measure.reads or estimate.level is not None:
        return estimate
    rows = "1 row has" if off == 1 else f"{off:,} rows have"
    said = f"{rows} scores that do not add up to one, and they were taken as they are"
    return estimate.renamed(note="; ".join(filter(None, (estimate.note, said))))


def _remark(question: Question, value: float) -> str:
    """What the measure has to say of such a value, where the summary is the one it reads."""
    m = question.measure
    return m.remark(question.summary, value) if m.remark is not None and type(question.summary) in m.reads else ""


def counted(question: Question, reading: Reading) -> tuple[Array, Array]:
    """How many rows a number rests on, and how many of them count under sampling weights."""
    summary = question.summary
    n = total = np.asarray(summary.total)
    if isinstance(reading, Share):
        n = np.asarray(reading.whole)
    elif isinstance(reading, Mean):
        n = np.asarray(reading.count)
    if summary.weighting != "sampling":
        return n, n
    if isinstance(reading, Share):
        return n, np.asarray(summary.rows_of(reading, squares_of(question)))
    return n, n * summary.effective / max(float(total), 1e-300)


def certified_bound(question: Question, value: float, options: Mapping[str, Any]) -> float:
    """How far the value can be from the one that no grid had touched."""
    if question.parts:
        return max(certified_bound(p, p.value, options) for _, p in question.parts)
    own = question.measure.bound
    found: float = question.summary.bound(question.read, value, None if own is None else partial(own, **options))
    return found
