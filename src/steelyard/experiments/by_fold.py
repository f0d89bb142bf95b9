"""The folds of one model: each with its evidence, told as a table with its matrix and its accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from steelyard.evaluation import Evaluation
from steelyard.measures.measure import leading
from steelyard.summaries.segments import level_names
from steelyard.tables.tabulation import Cell, Tabulation
from steelyard.views.story import kind_of
from steelyard.views.told import Told

MOST_LEVELS = 4
"""Matrices of more levels are not told fold by fold."""


class ModelFolds(list[Evaluation | None], Told):
    """The evidence of each fold in the order of the design; None where it failed or is not done.

    Printed, it is a table: fold by fold the confusion matrix and the leading measures, and the same of all folds together.
    """

    as_text: ClassVar[str] = "tabulations.tabulated_text"

    def __init__(self, found: Iterable[Evaluation | None], names: Sequence[str], overall: Evaluation | None) -> None:
        super().__init__(found)
        self.names = list(names)
        self.overall = overall

    __str__ = Told.__str__

    def table(self) -> Tabulation:
        """A row a fold, and one for all of them: rows, the cells of the matrix (actual → predicted), leading measures."""
        rows = [*zip(self.names, self, strict=True), ("overall", self.overall)]
        known = next((e for e in reversed([e for _, e in rows]) if e is not None), None)
        if known is None:
            return Tabulation("folds", "Fold by fold", {"fold": self.names}, "No fold is done.")
        cells: dict[str, Sequence[Cell]] = {
            "fold": [name for name, _ in rows],
            "rows": [None if e is None else e.rows for _, e in rows],
        }
        c = known.confusion
        if c is not None and len(c.levels) <= MOST_LEVELS:
            order = sorted(range(len(c.levels)), key=lambda i: c.positive is not None and c.levels[i] != c.positive)
            called = level_names(c.levels)
            for i in order:
                for j in order:
                    cells[f"{called[i]} → {called[j]}"] = [_cell(e, c.levels[i], c.levels[j]) for _, e in rows]
        wanted = [n for n in leading("experiment", kind_of(known)) if n in known.measures][:2]
        wanted = list(dict.fromkeys([*(["accuracy"] if c is not None else []), *wanted]))
        for name in wanted:
            cells[name] = [None if e is None else e.measure(name) for _, e in rows]
        note = "" if c is None else "Cells: actual → predicted. Overall: the sum of the folds."
        return Tabulation("folds", "Fold by fold", cells, note, known.confidence)

    def frame(self) -> Any:
        """The table as a frame."""
        return self.table().frame()


def _cell(e: Evaluation | None, actual: object, predicted: object) -> float | None:
    c = None if e is None else e.confusion
    if c is None:
        return None
    known = {v: i for i, v in enumerate(c.levels)}
    return float(c.counts[known[actual], known[predicted]]) if actual in known and predicted in known else 0.0
