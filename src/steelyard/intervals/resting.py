"""What a number rests on, where that is little: few positives, few rows of a level, few units, a few heavy rows.

An interval is right over many samples; with so few cases one sample tells little of how much they vary, and its reader should
know. The words go with the number into every view.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from steelyard.intervals.method import Question
from steelyard.intervals.proportions import squares_of
from steelyard.intervals.skewed import ALIKE, RESTS
from steelyard.measures.facts import NEGATIVES, POSITIVES
from steelyard.results import Number, Share
from steelyard.words import count, quoted

FEW = 10
"""Fewer cases than this are said beside the number."""


def caution(question: Question, level: object = None) -> str:
    """What a number rests on in a few words; nothing where it rests on enough.

    A macro average stands or falls with its rarest level; other averages and whole tables of many levels with all their rows.

    >>> from steelyard.measures.ranking import auc
    >>> from steelyard.measures.measure import find
    >>> from steelyard.summaries.scores import Scores
    >>> one = Scores.of([0.1, 0.4, 0.9], [0, 0, 1], positive=1)
    >>> caution(Question(find("auc"), one, auc, 0.95))
    'rests on 1 positive'
    """
    return cautions(question, [level])[0]


def cautions(question: Question, levels: Sequence[Any]) -> list[str]:
    """The same for tables on leading axes, one after the other, each with its level."""
    average = str(levels[0]) if question.averaged else "macro" if question.measure.each_level else ""
    sides = ("positive", "negative") if levels[0] is None or average else ("row of {level}", "row of the others")
    # What the rows of a share are: all real positives, all real negatives, or some others.
    of = question.measure.cases
    mine = sides[0] if of is POSITIVES else sides[1] if of is NEGATIVES else "row"
    summary = question.summary
    cases: list[tuple[Number, str]] = [] if summary.units is None else [(float(len(summary.units.ids)), "unit")]
    squares = squares_of(question) if isinstance(question.reading, Share) else None
    cases += summary.rests_on(question.reading, squares, average, (*sides, mine))
    if question.values.size == 1:
        few = ((np.asarray(n).item(), words) for n, words in cases)
        return [_fewest([(n, words) for n, words in few if 0 < round(n, 6) < FEW], levels[0])]
    found = [np.broadcast_to(n, question.values.shape).ravel() for n, _ in cases]
    if not any(((n > 0) & (n < FEW)).any() for n in found):
        return [""] * len(levels)
    rows = (n.tolist() for n in found)
    return [
        _fewest([(n, words) for n, (_, words) in zip(few, cases, strict=True) if 0 < round(n, 6) < FEW], level)
        for few, level in zip(zip(*rows, strict=True), levels, strict=True)
    ]


def _fewest(few: Sequence[tuple[float, str]], level: object) -> str:
    """The side that has fewest rows, in words."""
    if not few:
        return ""
    n, words = min(few, key=lambda x: x[0])
    return _said(n, words.replace("{level}", quoted(level)))


@lru_cache(maxsize=4096)
def _said(n: float, words: str) -> str:
    told = count(round(n, 1) if n >= 1 else math.ceil(n * 10) / 10)
    return f"{RESTS}{told} {words if told == '1' else _plural(words)}"


def rests_on_few(caution: str, needed: float) -> bool:
    """Whether a caution says that a number rests on fewer cases than that, or on rows that are all alike.

    >>> rests_on_few("rests on 4 of 31 rows", 30), rests_on_few("rests on 1,200 of 20,000 units", 30), rests_on_few("", 30)
    (True, False, False)
    """
    count = caution.removeprefix(RESTS).partition(" ")[0].replace(",", "")
    return caution == ALIKE or (caution.startswith(RESTS) and float(count) < needed)


def _plural(words: str) -> str:
    first, space, rest = words.partition(" ")
    return f"{first}s{space}{rest}"
