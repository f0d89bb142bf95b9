"""Two columns of segments crossed: one measure for each pair of their values, and for each value of either alone."""

from __future__ import annotations

from functools import reduce
from typing import Any

from steelyard.measures.measure import find, leading
from steelyard.results import Estimate
from steelyard.rows.roles import segment_title
from steelyard.summaries.segments import Key, names_of
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.words import some_names

MOST = 30
"""Values of a column that can still be read side by side."""


def sides(evaluation: Any) -> tuple[list[Key], list[Key]]:
    """The values of both columns in the order in which pairs are told."""
    pairs = [value for _, value in evaluation.segments.by_key]
    return list(dict.fromkeys(a for a, _ in pairs)), sorted({b for _, b in pairs}, key=[b for _, b in pairs].index)


@tabulated("two segment columns", lambda e: bool(e.segments) and e.segments.crossed and max(map(len, sides(e))) <= MOST)
def crossed(evaluation: Any, measure: str | None = None) -> Tabulation:
    """A measure by both columns, its interval in every cell; sums of the pairs are the values of one column alone."""
    name = find(measure).name if measure is not None else next(n for n in leading("slice") if n in evaluation.measures)
    first, second = sides(evaluation)
    parts = {value: part for (_, value), part in evaluation.segments.by_key.items()}
    titles = [*names_of(second).values(), "all"]
    cells: dict[str, list[Cell]] = {segment_title(evaluation.facts): [*names_of(first).values(), "all"]}
    for title, b in zip(titles, [*second, None], strict=True):
        found: list[Cell] = [_of([p for (x, y), p in parts.items() if x == a and b in (None, y)], name) for a in first]
        whole = evaluation[name] if b is None else _of([p for (_, y), p in parts.items() if y == b], name)
        cells[title if title not in cells else f"{title} "] = [*found, whole]
    odd = worse(evaluation, name)
    note = f"None is clearly worse than all rows, {len(parts)} looks considered."
    if odd:
        note = f"Clearly worse than all rows, {len(parts)} looks considered: {some_names(odd)}."
    return Tabulation(
        "crossed", f"{find(name).title} by {segment_title(evaluation.facts)}", cells, note, evaluation.confidence
    )


def _of(parts: list[Any], name: str) -> Cell:
    """The measure of some pairs together; nothing where no row has any of them."""
    if not parts:
        return Estimate(name, None, reason="no rows")
    found: Estimate = reduce(lambda a, b: a.plus(b, twice=True), parts)[name]
    return found


def worse(evaluation: Any, name: str) -> list[str]:
    """Pairs that are clearly worse than all rows in a measure, as many as there are considered."""
    away = 1 if find(name).better == "lower" else -1
    whole = evaluation[name].value
    if whole is None:
        return []
    return [
        k
        for k, part in evaluation.segments.items()
        if part[name].defined and part.side_of(name, whole, looks=len(evaluation.segments)) == away
    ]
