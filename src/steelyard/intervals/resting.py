"""What a number rests on, where that is little: few positives, few rows of a level, few units, a few heavy rows.

An interval is right over many samples; with so few cases one sample tells little of how much they vary, and its reader should
know. The words go with the number into every view.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from steelyard.intervals.method import Question
from steelyard.intervals.proportions import effective_whole, squares_of
from steelyard.measures.facts import NEGATIVES, POSITIVES
from steelyard.measures.measure import Measure
from steelyard.results import Array, Mean, Share
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows
from steelyard.words import count, quoted

FEW = 10
"""Fewer cases than this are said beside the number."""


def caution(question: Question, level: Any = None) -> str:
    """What a number rests on in a few words; nothing where it rests on enough.

    A macro average stands or falls with its rarest level; other averages and whole tables of many levels with all their rows.

    >>> from steelyard.measures.ranking import auc
    >>> from steelyard.measures.measure import find
    >>> one = Scores.of([0.1, 0.4, 0.9], [0, 0, 1], positive=1)
    >>> caution(Question(find("auc"), one, auc, 0.95))
    'rests on 1 positive'
    """
    average = str(level) if question.averaged else ""
    sides = ("positive", "negative") if level is None or average else (f"row of {quoted(level)}", "row of the others")
    cases = [*_units(question.summary), *_rows(question, average, sides)]
    few = [(n, words) for n, words in cases if 0 < round(n, 6) < FEW]
    if not few:
        return ""
    n, words = min(few, key=lambda case: case[0])
    told = count(round(n, 1) if n >= 1 else math.ceil(n * 10) / 10)
    return f"rests on {told} {words if told == '1' else _plural(words)}"


def _plural(words: str) -> str:
    first, space, rest = words.partition(" ")
    return f"{first}s{space}{rest}"


def _units(summary: Any) -> Iterator[tuple[float, str]]:
    """How many units there are, and how many of them would spread as much if all were of one size."""
    units = getattr(summary, "units", None)
    if isinstance(summary, Scores | ClassScores | Confusion | Residuals) and units is not None:
        yield float(len(units.ids)), "unit"


def _rows(question: Question, average: str, sides: tuple[str, str]) -> Iterator[tuple[float, str]]:
    """The rows that have a say: those of the share, or of the class of which there are fewer."""
    summary, reading = question.summary, question.reading
    if isinstance(summary, Residuals):
        yield summary.effective, "row"
    elif isinstance(reading, Share) and isinstance(summary, Confusion) and not question.averaged:
        yield effective_whole(reading, squares_of(question), summary.rows), _kind_of(question.measure, summary, sides)
    elif isinstance(summary, Scores):
        for level, n in zip(summary.levels, _effective(summary.counts, summary.squares, 0), strict=True):
            yield n, sides[level != summary.positive]
    elif isinstance(summary, ClassScores):
        table = summary.tables[0]
        every = average == "macro" or not isinstance(reading, Share | Mean)
        yield from _by_level(table.levels, _effective(table.counts, table.squares, 0), every=every)
    elif isinstance(summary, Confusion):
        every = average == "macro" or (not average and len(summary.levels) == 2)
        rows = _effective(summary.counts, summary.squares, 1)
        if every and summary.positive is not None and len(rows) == 2:
            for level, n in zip(summary.levels, rows, strict=True):
                yield n, sides[level != summary.positive]
        else:
            yield from _by_level(summary.levels, rows, every=every)


def _kind_of(m: Measure, c: Confusion, sides: tuple[str, str]) -> str:
    """What the rows of a share are: all real positives, all real negatives, or some others."""
    if c.positive is None or len(c.levels) != 2:
        return "row"
    return sides[0] if m.cases is POSITIVES else sides[1] if m.cases is NEGATIVES else "row"


def _by_level(levels: tuple[Any, ...], rows: list[float], *, every: bool) -> Iterator[tuple[float, str]]:
    if not every:
        yield sum(rows), "row"
        return
    for level, n in zip(levels, rows, strict=True):
        yield n, "row" if level is None else f"row of {quoted(level)}"


def _effective(counts: Array, squares: Array | None, axis: int) -> list[float]:
    """How many rows of each level count, under sampling weights as many as equal ones would."""
    total = counts.sum(axis=axis)
    if squares is not None:
        total = np.asarray(effective_rows(total, squares.sum(axis=axis)))
    return [float(n) for n in total]
