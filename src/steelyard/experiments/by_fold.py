"""The folds of one model: each with its evidence, told as a table with its matrix and its accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, ClassVar

from steelyard.arguments.allowed import shown
from steelyard.arguments.annotated import as_annotated
from steelyard.errors import UsageError
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

    def __init__(self, found: Iterable[Evaluation | None], names: Iterable[str], overall: Evaluation | None) -> None:
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


@as_annotated()
def folds(found: Sequence[Evaluation] | Mapping[str, Evaluation]) -> ModelFolds:
    """Evaluations of folds that were made elsewhere as a table: matrix and accuracy of each, and of all of them together.

    >>> from steelyard import evaluate
    >>> both = [evaluate(confusion=m, layout="positive first") for m in ([[43, 9], [10, 38]], [[46, 9], [3, 42]])]
    >>> print(folds(both))
    Fold by fold
      fold     rows  1 → 1  1 → 0  0 → 1  0 → 0  accuracy
      1         100     43      9     10     38  0.810 [0.722, 0.875]
      2         100     46      9      3     42  0.880 [0.802, 0.930]
      overall   200     89     18     13     80  0.845 [0.788, 0.889]
      Cells: actual → predicted. Overall: the sum of the folds.
    """
    several = (
        found if isinstance(found, list | tuple) else list(found.values()) if isinstance(found, Mapping) else [found]
    )
    odd = [e for e in several if not isinstance(e, Evaluation)]
    if odd or not several or several == [found]:
        message = f"Folds are a list of evaluations, and {shown([*odd, found][0]) if several else 'an empty one'} came."
        raise UsageError(message, "For example folds([e1, e2, e3]), each from sy.evaluate(...).")
    names = map(str, found if isinstance(found, Mapping) else range(1, len(several) + 1))
    # Folds with the same matrix are folds of other rows all the same.
    return ModelFolds(several, names, reduce(partial(Evaluation.plus, twice=True), several))


def _cell(e: Evaluation | None, actual: object, predicted: object) -> float | None:
    c = None if e is None else e.confusion
    if c is None:
        return None
    known = {v: i for i, v in enumerate(c.levels)}
    return float(c.counts[known[actual], known[predicted]]) if actual in known and predicted in known else 0.0
