"""From folds to evidence: their sum, and the value of every measure in every fold, in one pass over what was kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.asking.questions import ask
from steelyard.errors import NotAvailable
from steelyard.evaluation import Evaluation
from steelyard.experiments.plan import APPARENT, Fold, TestedModel
from steelyard.measures.measure import find
from steelyard.results import Array, Level, Mean, Reading, Share, divide
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.within_folds import WithinFolds

if TYPE_CHECKING:
    from steelyard.experiments.keeping import Keeper

Key = tuple[str, Any]
Values = dict[Key, Array]


def sum_of(parts: Iterable[Evaluation]) -> Evaluation | None:
    """All parts added, neighbours first, so that no table is copied more often than it must be.

    The order is fixed by that of the parts: the same parts give the same sum to the last bit. Folds may well be alike, as
    those of a baseline are.
    """
    waiting: list[tuple[int, Evaluation]] = []
    for part in parts:
        size, total = 1, part
        while waiting and waiting[-1][0] == size:
            size, total = 2 * size, waiting.pop()[1].plus(total, twice=True)
        waiting.append((size, total))
    total_of_all: Evaluation | None = None
    for _, total in reversed(waiting):
        total_of_all = total if total_of_all is None else total.plus(total_of_all, twice=True)
    return total_of_all


def share_of(evaluation: Evaluation, times: float) -> Evaluation:
    """The evidence as if every row had been tested once, where they were tested several times."""
    if times <= 1:
        return evaluation
    evidence = {name: summary.copies(1 / times) for name, summary in evaluation.evidence.items()}
    return replace(evaluation, evidence=evidence)


def ranked_within(evaluation: Evaluation) -> Evaluation:
    """The evidence of one fold, which keeps the order of its rows to itself when folds are added."""
    found = WithinFolds.of(evaluation.evidence)
    return (
        evaluation if found is None else replace(evaluation, evidence={**evaluation.evidence, WithinFolds.kind: found})
    )


def value_in(evaluation: Evaluation, measure: str, level: Level = None) -> Any:
    """What a measure says of one part, without an interval; its reading knows its spread."""
    m = find(measure)
    return ask(m, evaluation.summaries, level, m.with_defaults({}), evaluation.confidence, evaluation.positive)


@dataclass(frozen=True, eq=False)
class Gathered:
    """The sum of a cell's folds and, for every measure, one value for each fold in the order of the plan."""

    folds: tuple[Fold, ...]
    pooled: Evaluation | None
    apparent: Evaluation | None
    values: Values
    squares: Values
    """Squared standard errors of the folds' values, where a measure is a mean of a number per row."""
    again: Callable[[bool], Iterator[tuple[int, Evaluation]]]
    learnt: Values

    def of(self, measure: str, level: Level = None, *, learnt: bool = False) -> Array:
        """The values of one measure, NaN where a fold has none; a level that was not asked before takes another pass."""
        name = find(measure).name
        known = self.learnt if learnt else self.values
        if (name, level) not in known:
            found = np.full(len(self.folds), math.nan)
            for i, e in self.again(learnt):
                found[i] = _value(e, name, level)
            known[name, level] = found
        return known[name, level]

    @property
    def outer(self) -> Any:
        """Which of the folds make up the evidence."""
        return np.array([f.outer for f in self.folds], dtype=np.bool_)


def gather(cell: TestedModel, keeper: Keeper, *, learnt: bool = False, several: bool | None = None) -> Gathered:
    """Read the folds of a cell once, one after the other; `several` says whether they come from several fits."""
    count = len(cell.folds)
    values: Values = {}
    squares: Values = {}
    trained: Values = {}
    apparent: list[Evaluation] = []
    tables: dict[int, Confusion] = {}
    told: dict[str, None] = {}

    several = sum(f.outer for f in cell.folds) > 1 if several is None else several

    def parts() -> Iterator[Evaluation]:
        for i, fold in enumerate(cell.folds):
            kept = keeper.get(fold.key)
            if kept is None or kept.failed:
                continue
            if fold.label == APPARENT and kept.train is not None:
                apparent.append(kept.train)
                continue
            if learnt and kept.train is not None:
                _fill(kept.train, i, kept.train.measures, count, trained, None)
            if kept.test is None:
                continue
            labels = kept.test.confusion
            if labels is not None:
                tables[i] = labels
                told.update(dict.fromkeys(kept.test.measures))
            if fold.test > 1:
                # Of a single row most measures say nothing; they are read when somebody asks.
                _fill(kept.test, i, beside_labels(kept.test), count, values, squares)
            if fold.outer:
                yield ranked_within(kept.test) if several else kept.test

    pooled = sum_of(parts())
    _fill_labels(tables, told, count, values, squares)
    if pooled is not None:
        pooled = share_of(pooled, pooled.rows / max(cell.distinct, 1))
    return Gathered(
        cell.folds,
        pooled,
        apparent[0] if apparent else None,
        values,
        squares,
        partial(_again, cell.folds, keeper),
        trained,
    )


def _again(folds: tuple[Fold, ...], keeper: Keeper, on_training_rows: bool) -> Iterator[tuple[int, Evaluation]]:
    """The parts of the folds once more."""
    for i, fold in enumerate(folds):
        kept = keeper.get(fold.key)
        part = None if kept is None else kept.train if on_training_rows else kept.test
        if part is not None:
            yield i, part


def _fill(
    evaluation: Evaluation, i: int, names: Iterable[str], count: int, values: Values, squares: Values | None
) -> None:
    for name in names:
        try:
            q = value_in(evaluation, name)
        except NotAvailable:
            # A measure of one level: told when that level is asked for.
            continue
        for table in (values,) if squares is None else (values, squares):
            if (name, None) not in table:
                table[name, None] = np.full(count, math.nan)
        values[name, None][i] = q.value
        if squares is not None:
            squares[name, None][i] = squared_error(q.reading)


def _fill_labels(
    tables: dict[int, Confusion], names: Iterable[str], count: int, values: Values, squares: Values
) -> None:
    """Every measure of labels, in all folds at once: a summary may hold many tables of counts."""
    if not tables:
        return
    places = np.array(list(tables))
    first = next(iter(tables.values()))
    stacked = first.replicate(np.stack([c.over(first.levels).counts for c in tables.values()]))
    for name in names:
        m = find(name)
        if (name, None) in values or "payoff" in m.options:
            continue
        if Confusion in m.reads:
            reading = m(stacked, **m.with_defaults({}))
        elif Outcomes in m.reads and first.positive is not None:
            reading = m(stacked.outcomes(first.positive), **m.with_defaults({}))
        else:
            continue
        for table, found in ((values, reading.value), (squares, squared_error(reading))):
            table[name, None] = np.full(count, math.nan)
            table[name, None][places] = found


def _value(evaluation: Evaluation, name: str, level: Level) -> float:
    try:
        return float(value_in(evaluation, name, level).value)
    except NotAvailable:
        return math.nan


def beside_labels(evaluation: Evaluation) -> list[str]:
    """The measures that need more than labels."""
    found = [name for name in evaluation.measures if not {Confusion, Outcomes} & set(find(name).reads)]
    return found if evaluation.confusion is not None else evaluation.measures


def squared_error(reading: Reading) -> Any:
    """The squared standard error of a share or a mean of rows; NaN for anything else."""
    if isinstance(reading, Share):
        p = reading.value
        return divide(p * (1 - p), np.maximum(np.asarray(reading.whole) - 1, 0.0))
    if isinstance(reading, Mean):
        return divide(reading.deviation**2, np.maximum(np.asarray(reading.count) - 1, 0.0))
    return math.nan
