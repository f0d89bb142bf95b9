"""The numbers of many evaluations at once: tables of one layout lie on one another, and each measure reads them in one go."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.asking.estimates import estimates
from steelyard.asking.questions import ask, every_question
from steelyard.intervals.method import Question
from steelyard.measures.measure import Measure, find
from steelyard.measures.ways import OfLevel
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.summary import Summary

if TYPE_CHECKING:
    from steelyard.asking.answering import Answering

MOST = 256
"""Parts that are read at once: more would not stay in the processor's cache."""
NUMBERS = 1 << 13
"""Cells of the tables that are read at once, of which there are a thousand copies."""


def answer(parts: Sequence[Answering], wanted: set[str] | None = None) -> None:
    """Work out what can be read of many parts together, so that each of them knows it when it is asked.

    What cannot (tables of scores, whose copies fill an array each; weights, units and money; a number that is undefined) is
    worked out for each by itself, when it is asked for.
    """
    for group, have in _alike(parts):
        matrix, each = have.get(Confusion), None
        levels = list(group[0].levels)
        # All levels are read with the first one.
        read = set(levels[1:])
        for name, level in every_question(group[0]):
            if level in read:
                continue
            m = find(name)
            if (wanted is not None and name not in wanted) or not _fits(m, group[0].summaries, have):
                continue
            chosen = m.with_defaults({})
            if level is None or level not in levels:
                question = ask(m, have, level, chosen, group[0].confidence, group[0].positive)
                _keep(group, [level], m, chosen, question)
            elif level == levels[0] and matrix is not None:
                each = each or matrix.each_against_rest()
                question = Question(m, each, OfLevel(m, chosen, True), group[0].confidence, options=chosen)
                _keep(group, levels, m, chosen, question)
    for part in parts:
        if part.class_scores is not None:
            # Level by level, so that what is worked out of a table serves all its measures.
            asked = [(part.levels.index(v), name, v) for name, v in every_question(part) if v in part.levels]
            for _, name, level in sorted(asked, key=lambda x: x[0]):
                if wanted is None or name in wanted:
                    part.measure(name, level)


def _keep(
    group: Sequence[Answering], levels: Sequence[Any], measure: Measure, chosen: Mapping[str, Any], question: Question
) -> None:
    places = [(part, level) for part in group for level in levels]
    for (part, level), found in zip(places, estimates(question, places, chosen), strict=True):
        if found is not None:
            part.remember(measure, level, chosen, found)


def _fits(measure: Measure, kept: Mapping[type, Summary], have: Mapping[type, Summary]) -> bool:
    """Whether everything that a measure reads of a part is in the tables that lie on one another."""
    reads = {Confusion if kind is Outcomes else kind for kind in measure.reads} & set(kept)
    return bool(reads) and reads <= set(have) and measure.bound is None and "payoff" not in measure.options


def _alike(parts: Sequence[Answering]) -> Iterator[tuple[list[Answering], dict[type, Summary]]]:
    """Parts whose tables have the same layout, some at a time, with these tables on a leading axis."""
    groups: dict[Hashable, list[dict[type, Summary]]] = {}
    owners: dict[Hashable, list[Answering]] = {}
    for part in parts:
        tables = {kind: table for kind, table in part.summaries.items() if table.layout is not None}
        key = (tuple(t.layout for t in tables.values()), part.confidence, part.positive, part.levels)
        groups.setdefault(key, []).append(tables)
        owners.setdefault(key, []).append(part)
    for laid, group in groups.items():
        size = max(1, min(MOST, NUMBERS // max(len(owners[laid][0].levels), 1) ** 2))
        for start in range(0, len(group) if group[0] else 0, size):
            some = group[start : start + size]
            have = {kind: table.stacked([tables[kind] for tables in some]) for kind, table in some[0].items()}
            yield owners[laid][start : start + size], have
