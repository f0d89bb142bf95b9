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
from steelyard.payoffs.kinds import OUTCOMES
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
        self.names: list[str] = list(names)
        self.overall = overall

    def __str__(self) -> str:  # a list has one of its own
        return Told.__str__(self)

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
        c, note = known.confusion, "Overall: the sum of the folds."
        if c is not None and len(c.levels) <= MOST_LEVELS:
            called, two = level_names(c.levels), len(c.levels) == 2 and c.positive is not None
            order = c.positive_first
            for a, i in enumerate(order):
                for b, j in enumerate(order):
                    name = OUTCOMES[a][b] if two else f"{called[i]} → {called[j]}"
                    cells[name] = [_cell(e, c.levels[i], c.levels[j]) for _, e in rows]
            note = f"{f'Positive: {called[order[0]]}.' if two else 'Cells: actual → predicted.'} {note}"
        wanted = [n for n in leading("experiment", kind_of(known)) if n in known.measures][:2]
        wanted = list(dict.fromkeys([*(["accuracy"] if c is not None else []), *wanted]))
        for name in wanted:
            cells[name] = [None if e is None else e.measure(name) for _, e in rows]
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
      fold     rows  tp  fn  fp  tn  accuracy              average class accuracy
      1         100  43   9  10  38  0.810 [0.722, 0.875]  0.809 [0.718, 0.870]
      2         100  46   9   3  42  0.880 [0.802, 0.930]  0.885 [0.803, 0.928]
      overall   200  89  18  13  80  0.845 [0.788, 0.889]  0.846 [0.787, 0.887]
      Positive: 1. Overall: the sum of the folds.
    """
    named: object = found
    if isinstance(found, list | tuple):
        named = {str(i): e for i, e in enumerate(found, 1)}
    if not isinstance(named, Mapping) or not named:
        message = f"Folds are a list of evaluations, and {shown(found)} came."
        raise UsageError(message, "For example folds([e1, e2, e3]), each from sy.evaluate(...).")
    for name, e in named.items():
        if not isinstance(e, Evaluation):
            message = f"A fold is an evaluation, and fold {name} is {shown(e)}."
            raise UsageError(message, "Evaluate each fold first: sy.evaluate(...).")
    # Folds with the same matrix are folds of other rows all the same.
    return ModelFolds(named.values(), map(str, named), reduce(partial(Evaluation.plus, twice=True), named.values()))


def _cell(evaluation: Evaluation | None, actual: object, predicted: object) -> float | None:
    c = None if evaluation is None else evaluation.confusion
    if c is None:
        return None
    known = {v: i for i, v in enumerate(c.levels)}
    return float(c.counts[known[actual], known[predicted]]) if actual in known and predicted in known else 0.0
