"""Which summary answers a measure, for which level or average, and the finished estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.arguments.allowed import NotAllowed, shown
from steelyard.arguments.annotated import label
from steelyard.errors import NotAvailable, listing
from steelyard.intervals.method import Question
from steelyard.intervals.within_folds import one_level, ranks, within
from steelyard.measures.measure import AVERAGES, Measure, catalogue, find
from steelyard.measures.ways import OfLevel, OfWhole, OverClasses, OverLevels
from steelyard.results import Estimate, Interval
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.scores import Scores
from steelyard.summaries.segments import key_of, level_names
from steelyard.summaries.summary import told_by_level
from steelyard.summaries.within_folds import WithinFolds

if TYPE_CHECKING:
    from steelyard.asking.answering import Answering


class ByType(Mapping[type, Any]):
    """The summaries of an evaluation by type; labels that a threshold makes are made when they are asked for."""

    def __init__(self, evaluation: Answering) -> None:
        self.evaluation = evaluation
        self.found: dict[type, Any] = {type(s): s for s in evaluation.evidence.values()}
        self.makes_labels: bool = (
            Confusion not in self.found and Scores in self.found and evaluation.threshold is not None
        )

    def __getitem__(self, kind: type) -> Any:
        return self.evaluation.confusion if kind is Confusion and self.makes_labels else self.found[kind]

    def __iter__(self) -> Iterator[type]:
        yield from self.found
        if self.makes_labels:
            yield Confusion

    def __len__(self) -> int:
        return len(self.found) + self.makes_labels


def ask(
    measure: Measure,
    have: Mapping[type, Any],
    level: object,
    options: Mapping[str, Any],
    confidence: float,
    positive: object,
    known: Mapping[Any, Interval] | None = None,
) -> Question:
    """The question that a measure's name, level and options amount to, given the evidence; `known` are intervals of levels."""

    def of_whole(summary: Any) -> Question:
        return Question(measure, summary, OfWhole(measure, options), confidence, options=options)

    if isinstance(level, str) and level in AVERAGES and level not in _levels(have):
        return _average(measure, have, level, options, confidence, known or {})
    if (
        WithinFolds in have
        and ranks(measure)
        and (found := within(measure, have, level, options, confidence)) is not None
    ):
        return found
    if level is None:
        for kind in (r for r in measure.reads if r in have):
            return of_whole(have[kind])
        if Outcomes in measure.reads and Confusion in have and positive is not None:
            return _one_level(measure, have[Confusion], positive, options, confidence)
    else:
        if Outcomes in measure.reads and Confusion in have and level in have[Confusion].levels:
            return _one_level(measure, have[Confusion], level, options, confidence)
        if Scores in measure.reads and ClassScores in have and level in have[ClassScores].levels:
            return of_whole(have[ClassScores].table(level))
        if Scores in measure.reads and Scores in have and level == have[Scores].positive:
            return of_whole(have[Scores])
    raise _cannot(measure, have, level)


def level_of(level: object) -> Any:
    """A level as it was asked for: one value, which can be looked up."""
    try:
        return None if level is None else label(level)
    except NotAllowed:
        message = f"A level is text, a number or a truth value, and {shown(level)} came."
        hint = 'Ask for e["recall", "spam"] or e["recall", "macro"], one level at a time.'
        raise NotAvailable(message, hint) from None


def value_of(evidence: Answering, name: str, level: object = None) -> float:
    """The value of a measure without its interval, NaN where it is undefined."""
    m = find(name)
    return ask(m, evidence.summaries, level, m.with_defaults({}), evidence.confidence, evidence.positive).value


def every_question(evidence: Answering) -> Iterator[tuple[str, Any]]:
    """Every measure with its level that the evidence of an evaluation can answer; of several levels each, and the averages."""
    have, positive, levels = set(evidence.summaries), evidence.positive, evidence.levels
    several = positive is None or len(levels) > 2
    # A level of such a name is meant by it.
    averages = [a for a in AVERAGES if a not in levels]
    for name, m in catalogue().items():
        if not evidence.tells(m):
            continue
        outcomes = Outcomes in m.reads
        if have.intersection(m.reads) or (outcomes and Confusion in have and positive is not None):
            yield name, None
        if several and told_by_level(m.reads, have):
            yield from ((name, level) for level in levels)
            yield from ((name, a) for a in averages if a != "micro" or outcomes)


def numbers_of(evidence: Answering, wanted: set[str] | None = None) -> Iterator[tuple[Estimate, str | None]]:
    """Every number of one evaluation with its level as people write it; of these measures, or of all."""
    called = dict(zip(map(key_of, evidence.levels), level_names(evidence.levels), strict=True))
    for name, level in every_question(evidence):
        if wanted is None or name in wanted:
            yield evidence.measure(name, level), None if level is None else called.get(key_of(level), str(level))


def _levels(have: Mapping[type, Any]) -> tuple[Any, ...]:
    """The levels of the target; none for a continuous one."""
    return next((have[k].levels for k in (ClassScores, Confusion) if k in have), ())


def _cannot(measure: Measure, have: Mapping[type, Any], level: object) -> NotAvailable:
    levels = _levels(have)
    if told_by_level(measure.reads, have):
        said = "belongs to one level" if level is None else f"has no level {listing([level])}"
        message = (
            f'"{measure.name}" {said}; there are {listing(levels)}, and the averages "macro", "micro", "weighted".'
        )
        return NotAvailable(message, f'For example e["{measure.name}", {levels[0]!r}] or e["{measure.name}", "macro"].')
    if level is not None and set(measure.reads) & set(have):
        message = f'"{measure.name}" is a number of the whole and has no levels.'
        return NotAvailable(message, f'Ask for e["{measure.name}"].')
    reads: tuple[Any, ...] = measure.reads
    message = f'"{measure.name}" needs {" or ".join(r.needs for r in reads)}.'
    return NotAvailable(message, "Pass the roles that give it to evaluate.")


def _average(
    measure: Measure,
    have: Mapping[type, Any],
    how: str,
    options: Mapping[str, Any],
    confidence: float,
    known: Mapping[Any, Interval],
) -> Question:
    """Averaging over levels is a modifier: macro counts levels alike, weighted by their rows, micro pools the counts."""
    if Outcomes in measure.reads and Confusion in have:
        read_labels = OverLevels(measure, options, how)
        return Question(measure, have[Confusion], read_labels, confidence, averaged=True, averaged_by=how)
    if Scores in measure.reads and ClassScores in have and how != "micro":
        classes: ClassScores = have[ClassScores]
        rows = np.array([float(t.all_positives) for t in classes.tables])
        weights = np.ones(len(rows)) if how == "macro" else rows
        folds = have.get(WithinFolds) if ranks(measure) else None

        def one(scores: Scores) -> Question:
            if folds is not None and not folds.alone:
                return one_level(measure, folds, scores, options, confidence)
            read = OfWhole(measure, options)
            return Question(measure, scores, read, confidence, options=options, known=known.get(scores.positive))

        parts = tuple((float(w / weights.sum()), one(t)) for w, t in zip(weights, classes.tables, strict=True))

        read = OverClasses([part for _, part in parts], weights, classes.levels)
        return Question(measure, classes, read, confidence, averaged=True, parts=parts, averaged_by=how)
    raise _cannot(measure, have, how)


def _one_level(
    measure: Measure, confusion: Confusion, level: object, options: Mapping[str, Any], confidence: float
) -> Question:
    """One level against the rest: the table is folded to two levels first, so that many levels cost no more."""
    return Question(
        measure, confusion.against_rest(level), OfLevel(measure, options, level), confidence, options=options
    )
