"""Which summary answers a measure, for which level or average, and the finished estimate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from steelyard.arguments.allowed import NotAllowed, shown
from steelyard.arguments.annotated import label
from steelyard.errors import NotAvailable, listing
from steelyard.intervals.method import Question, interval
from steelyard.intervals.proportions import squares_of
from steelyard.intervals.resting import caution
from steelyard.intervals.within_folds import one_level, ranks, within
from steelyard.measures.measure import AVERAGES, Measure, catalogue, find
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Average, Estimate, Mean, Ratio, Reading, Share
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.scores import Scores
from steelyard.summaries.segments import key_of, level_names
from steelyard.summaries.summary import told_by_level
from steelyard.summaries.within_folds import WithinFolds


class ByType(Mapping[type, Any]):
    """The summaries of an evaluation by type; labels that a threshold makes are made when they are asked for."""

    def __init__(self, evaluation: Any) -> None:
        self.evaluation = evaluation
        self.found: dict[type, Any] = {type(s): s for s in evaluation.evidence.values()}
        self.makes_labels = Confusion not in self.found and Scores in self.found and evaluation.threshold is not None

    def __getitem__(self, kind: type) -> Any:
        return self.evaluation.confusion if kind is Confusion and self.makes_labels else self.found[kind]

    def __iter__(self) -> Iterator[type]:
        yield from self.found
        if self.makes_labels:
            yield Confusion

    def __len__(self) -> int:
        return len(self.found) + self.makes_labels


def ask(
    m: Measure, have: Mapping[type, Any], level: Any, options: Mapping[str, Any], confidence: float, positive: Any
) -> Question:
    """The question that a measure's name, level and options amount to, given the evidence."""

    def plain(summary: Any) -> Reading:
        return m(summary, **options)

    def question(summary: Any, read: Callable[[Any], Reading]) -> Question:
        return Question(m, summary, read, confidence, options=options)

    if isinstance(level, str) and level in AVERAGES and level not in _levels(have):
        return _average(m, have, level, options, confidence)
    if WithinFolds in have and ranks(m) and (found := within(m, have, level, options, confidence)) is not None:
        return found
    if level is None:
        for kind in (r for r in m.reads if r in have):
            return question(have[kind], plain)
        if Outcomes in m.reads and Confusion in have and positive is not None:
            return _one_level(m, have[Confusion], positive, options, confidence)
    else:
        if Outcomes in m.reads and Confusion in have and level in have[Confusion].levels:
            return _one_level(m, have[Confusion], level, options, confidence)
        if Scores in m.reads and ClassScores in have and level in have[ClassScores].levels:
            return question(have[ClassScores].table(level), plain)
        if Scores in m.reads and Scores in have and level == have[Scores].positive:
            return question(have[Scores], plain)
    raise _cannot(m, have, level)


def level_of(level: Any) -> Any:
    """A level as it was asked for: one value, which can be looked up."""
    try:
        return None if level is None else label(level)
    except NotAllowed:
        message = f"A level is text, a number or a truth value, and {shown(level)} came."
        hint = 'Ask for e["recall", "spam"] or e["recall", "macro"], one level at a time.'
        raise NotAvailable(message, hint) from None


def value_of(e: Any, name: str) -> float:
    """The value of a measure without its interval, NaN where it is undefined."""
    m = find(name)
    return ask(m, e.summaries, None, m.with_defaults({}), e.confidence, e.positive).value


def every_question(e: Any) -> Iterator[tuple[str, Any]]:
    """Every measure with its level that the evidence of an evaluation can answer; of several levels each, and the averages."""
    have = set(e.summaries)
    for name, m in catalogue().items():
        if not e.tells(m):
            continue
        whole = have & (set(m.reads) - {Outcomes})
        if whole or (Outcomes in m.reads and Confusion in have and e.positive is not None):
            yield name, None
        if told_by_level(m.reads, have) and (e.positive is None or len(e.levels) > 2):
            yield from ((name, level) for level in e.levels)
            # A level of such a name is meant by it.
            averages = (a for a in AVERAGES if a not in e.levels)
            yield from ((name, a) for a in averages if a != "micro" or Outcomes in m.reads)


def tidy_rows(e: Any, measures: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """One row a number, as plain dictionaries; of these measures, or of all."""
    wanted = None if measures is None else {find(name).name for name in measures}
    called = dict(zip(map(key_of, e.levels), level_names(e.levels), strict=True))
    for name, level in every_question(e):
        if wanted is None or name in wanted:
            row = e.measure(name, level).to_dict()
            told = None if level is None else called.get(key_of(level), str(level))
            yield row | {"estimate": row.pop("value"), "level": told}


def _levels(have: Mapping[type, Any]) -> tuple[Any, ...]:
    """The levels of the target; none for a continuous one."""
    return next((have[k].levels for k in (ClassScores, Confusion) if k in have), ())


def _cannot(m: Measure, have: Mapping[type, Any], level: Any) -> NotAvailable:
    levels = _levels(have)
    if told_by_level(m.reads, have):
        said = "belongs to one level" if level is None else f"has no level {listing([level])}"
        message = f'"{m.name}" {said}; there are {listing(levels)}, and the averages "macro", "micro", "weighted".'
        return NotAvailable(message, f'For example e["{m.name}", {levels[0]!r}] or e["{m.name}", "macro"].')
    if level is not None and set(m.reads) & set(have):
        message = f'"{m.name}" is a number of the whole and has no levels.'
        return NotAvailable(message, f'Ask for e["{m.name}"].')
    reads: tuple[Any, ...] = m.reads
    message = f'"{m.name}" needs {" or ".join(r.needs for r in reads)}.'
    return NotAvailable(message, "Pass the roles that give it to evaluate.")


def _average(m: Measure, have: Mapping[type, Any], how: str, options: Mapping[str, Any], confidence: float) -> Question:
    """Averaging over levels is a modifier: macro counts levels alike, weighted by their rows, micro pools the counts."""
    if Outcomes in m.reads and Confusion in have:

        def read(c: Confusion) -> Reading:
            if how == "micro":
                every = c.by_level()
                pooled = {f: np.asarray(getattr(every, f)).sum(axis=-1) for f in ("tp", "fn", "fp", "tn")}
                reading = m(Outcomes(**pooled), **options)
                return Ratio(reading.value, 1.0, reading.empty)
            reading = m(c.by_level(), **options)
            weights = np.ones_like(c.actual) if how == "macro" else c.actual
            return _combined(reading.value, reading.empty, weights, c.levels)

        return Question(m, have[Confusion], read, confidence, averaged=True)
    if Scores in m.reads and ClassScores in have and how != "micro":
        classes: ClassScores = have[ClassScores]
        rows = np.array([float(t.positives.sum()) for t in classes.tables])
        weights = np.ones(len(rows)) if how == "macro" else rows
        folds = have.get(WithinFolds) if ranks(m) else None

        def one(t: Scores) -> Question:
            if folds is not None and not folds.alone:
                return one_level(m, folds, t, options, confidence)
            return Question(m, t, lambda s: m(s, **options), confidence, options=options)

        parts = tuple((float(w / weights.sum()), one(t)) for w, t in zip(weights, classes.tables, strict=True))

        def read_classes(_: Any) -> Reading:
            values = np.array([p.value for _, p in parts])
            reason = next((reason_of(p.reading) for _, p in parts if not math.isfinite(p.value)), "")
            return _combined(values, reason, weights, classes.levels)

        return Question(m, classes, read_classes, confidence, averaged=True, parts=parts, averaged_by=how)
    raise _cannot(m, have, how)


def _one_level(m: Measure, c: Confusion, level: Any, options: Mapping[str, Any], confidence: float) -> Question:
    """One level against the rest: the table is folded to two levels first, so that many levels cost no more."""
    return Question(m, c.against_rest(level), lambda t: m(t.outcomes(level), **options), confidence, options=options)


def _combined(values: Any, empty: str, weights: Any, levels: tuple[Any, ...]) -> Reading:
    # A level without rows has no say in a mean weighted by rows.
    silent = np.broadcast_to(np.asarray(weights) == 0, values.shape)
    total = (np.where(silent, 0.0, values) * weights).sum(axis=-1)
    lost = np.isnan(values) & ~silent
    reason = "undefined for one of the levels"
    if lost.ndim == 1 and lost.any():
        i = int(np.argmax(lost))
        reason = f"{empty} (level {levels[i]!r})"
    return Ratio(total, np.asarray(weights).sum(axis=-1), reason)


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


def reason_of(reading: Reading) -> str:
    """Why a reading has no value."""
    if isinstance(reading, Average):
        for share in reading.shares:
            if math.isnan(float(share.value)):
                return share.empty
    return reading.empty


def counted(question: Question, reading: Reading) -> tuple[float, float]:
    """How many rows a number rests on, and how many of them count under sampling weights."""
    summary = question.summary
    n = total = float(summary.total)
    if isinstance(reading, Share):
        n = float(reading.whole)
    elif isinstance(reading, Mean):
        n = float(reading.count)
    if summary.weighting != "sampling":
        return n, n
    if isinstance(reading, Share) and not question.averaged:
        return n, summary.rows_of(reading, squares_of(question))
    return n, n * summary.effective / max(total, 1e-300)


def certified_bound(question: Question, value: float, options: Mapping[str, Any]) -> float:
    """How far the value can be from the one that no grid had touched."""
    if question.parts:
        return max(certified_bound(p, p.value, options) for _, p in question.parts)
    own = question.measure.bound
    found: float = question.summary.bound(question.read, value, None if own is None else partial(own, **options))
    return found


# What money needs -----------------------------------------------------------------------------------------------------


def payoff_of(e: Any, given: Any, name: str) -> Payoff:
    """What outcomes are worth: as given, or as the evaluation was told."""
    found = e.payoff if given is None else given
    if found is None:
        message = f'"{name}" needs to know what outcomes are worth.'
        hint = "Pass profit=Profit(tp=..., fp=..., ...) or Cost(...), here or to evaluate (--profit FILE)."
        raise NotAvailable(message, hint)
    if not isinstance(found, Payoff):
        message = f"What outcomes are worth must be a Profit or a Cost, and a {type(found).__name__} came."
        raise NotAvailable(message, "For example Profit(tp=140, fn=-140, fp=-700, tn=0).")
    return in_order_of(e.levels, e.facts, found)


def in_order_of(levels: tuple[Any, ...], facts: Mapping[str, Any], payoff: Payoff) -> Payoff:
    """A payoff with the rows of a bare matrix in the order of the levels, where somebody has said that order."""
    return payoff.over(levels) if facts.get("levels") == "said" else payoff


def labels_of(e: Any) -> Confusion:
    """The confusion matrix of an evaluation that has one."""
    c: Confusion | None = e.confusion
    if c is None:
        message = "Profit and cost need labels, or scores and a threshold; the target here is continuous."
        raise NotAvailable(message, "Pass prediction=... with labels, or score=... for levels.")
    return c
