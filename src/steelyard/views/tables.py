"""The small tables of an evaluation, before they are laid out: the confusion matrix, levels, segments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.asking.questions import value_of
from steelyard.measures.measure import find, leading
from steelyard.results import Estimate
from steelyard.rows.roles import segment_title
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.segments import level_names
from steelyard.views.story import MOST_LEVELS, kind_of
from steelyard.words import count, marked, quoted, told_marks, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

MOST_ROWS = 20
MOST_LOOKED = 500
"""Levels of which the worst is looked for."""


@dataclass(frozen=True, slots=True)
class SmallTable:
    """A small table; `spare` columns at its end may be left out where there is no room."""

    title: str
    head: tuple[str, ...]
    align: str
    rows: list[tuple[str, ...]]
    note: str = ""
    spare: int = 0


def bare(table: SmallTable) -> SmallTable:
    """The same without its title and its note, where these stand above."""
    return replace(table, title="", note="")


def matrix(evaluation: Evaluation) -> SmallTable | None:
    """The confusion matrix, or the commonest mistakes where it would be too large to read."""
    c: Confusion | None = evaluation.confusion
    if c is None:
        return None
    if len(c.levels) > MOST_LEVELS:
        return _mistakes(c)
    names = [visible(name) for name in level_names(c.levels)]
    head = ("actual \\ predicted", *names, "total")
    rows = [(names[i], *(count(float(n)) for n in c.counts[i]), count(float(c.actual[i]))) for i in range(len(names))]
    rows.append(("total", *(count(float(n)) for n in c.predicted), count(float(c.total))))
    unit = "rows" if c.weighting == "none" else "sums of weights"
    return SmallTable(f"Confusion matrix ({unit})", head, "l" + "r" * (len(names) + 1), rows)


def _mistakes(confusion: Confusion) -> SmallTable:
    wrong = confusion.counts * (1 - np.eye(len(confusion.levels)))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_LEVELS]
    rows: list[tuple[str, ...]] = []
    names = [visible(name) for name in level_names(confusion.levels)]
    for i, j in zip(*np.unravel_index(order, wrong.shape), strict=True):
        if wrong[i, j] > 0:
            share = f"{count(float(wrong[i, j]))} of {count(float(confusion.actual[i]))}"
            rows.append((names[i], names[j], share))
    note = "" if rows else "No row was given a wrong level."
    return SmallTable("Commonest mistakes", ("actual", "predicted as", "rows"), "llr", rows, note)


def _cell(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else marked(estimate)


def _marks(rows: Sequence[tuple[str, Sequence[Estimate]]]) -> str:
    """What the marks in a table stand for, by the name of its rows."""
    said = told_marks([(f"{x.measure} of {name}", x.caution) for name, found in rows for x in found if x.defined])
    return "; ".join(said)


def _notes(*parts: str) -> str:
    return " ".join(f"{p.rstrip('.')}." for p in parts if p)


def levels(evaluation: Evaluation) -> SmallTable | None:
    """One row a level, where there are more than two or none is the positive one."""
    c: Confusion | None = evaluation.confusion
    if c is None or (evaluation.positive is not None and len(evaluation.levels) <= 2):
        return None
    names = [n for n in leading("level") if find(n).of_labels or evaluation.class_scores is not None]
    sizes = [float(n) for n in c.actual]
    many = MOST_ROWS < len(c.levels) <= MOST_LOOKED
    values = [value_of(evaluation, names[0], v) for v in c.levels] if many else []
    chosen, note = _shown(c.levels, sizes, names[0], values, MOST_ROWS, ("commonest", "levels"))
    called = level_names(c.levels)
    found = [(visible(called[i]), [evaluation.measure(n, c.levels[i]) for n in names]) for i in chosen]
    rows = [(name, count(sizes[i]), *map(_cell, xs)) for i, (name, xs) in zip(chosen, found, strict=True)]
    note = _notes(note, _marks(found))
    return SmallTable("By level", ("level", "rows", *names), "lr" + "l" * len(names), rows, note, len(names) - 1)


def _shown(
    names: Sequence[Any],
    sizes: Sequence[float],
    measure: str,
    values: Sequence[float],
    most: int,
    words: tuple[str, str],
) -> tuple[list[int], str]:
    """Which rows of a long table are shown: the largest and the worst, in the order they had; and what is left out, in words."""
    if len(names) <= most:
        return list(range(len(names))), ""
    largest = sorted(range(len(names)), key=lambda i: -sizes[i])
    worst = worst_of(measure, values)
    chosen = largest[:most]
    left = f"{len(names) - most:,} more are in --json and .frame()"
    if worst is None or worst in chosen:
        what = "" if worst is None else f", the worst by {measure} among them"
        return sorted(chosen), f"The {most} {words[0]} of {len(names):,} {words[1]}{what}; {left}."
    chosen = [*largest[: most - 1], worst]
    name = f"the worst by {measure}, {quoted(names[worst])}"
    return sorted(chosen), f"The {most - 1} {words[0]} of {len(names):,} {words[1]}, and {name}; {left}."


def worst_of(measure: str, values: Sequence[float]) -> int | None:
    """The place of the worst of several values of one measure; None where none is known."""
    known = [(x, i) for i, x in enumerate(values) if not math.isnan(x)]
    if not known:
        return None
    return max(known)[1] if find(measure).better == "lower" else min(known)[1]


def segments(evaluation: Evaluation, most: int = MOST_ROWS) -> SmallTable | None:
    """One row a segment with the measures that matter most."""
    if not evaluation.segments:
        return None
    keys, parts = list(evaluation.segments), list(evaluation.segments.values())
    names = [n for n in leading("segment", kind_of(evaluation)) if n in evaluation.measures]
    # No intervals are asked for, since of very many most are never shown.
    values = [value_of(p, names[0]) for p in parts] if names and len(parts) > most else []
    sizes, first = [float(p.rows) for p in parts], names[0] if names else ""
    chosen, note = _shown(keys, sizes, first, values, most, ("largest", "segments"))
    found = [(visible(keys[i]), [parts[i][n] for n in names]) for i in chosen]
    rows = [(name, f"{parts[i].rows:,}", *map(_cell, xs)) for i, (name, xs) in zip(chosen, found, strict=True)]
    rows.append(("all", f"{evaluation.rows:,}", *(_cell(evaluation[n]) for n in names)))
    note = _notes(note, _marks(found))
    column = segment_title(evaluation.facts)
    head = (visible(column), "rows", *names)
    return SmallTable("By segment", head, "lr" + "l" * len(names), rows, note, len(names) - 1)
