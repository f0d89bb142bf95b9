"""An experiment: what was run, the evidence of every model, and how far it has come."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steelyard.arguments.annotated import Label, as_annotated
from steelyard.errors import NotAvailable, listing, nearest
from steelyard.evaluation import Evaluation
from steelyard.experiments.estimates import Asked, estimate_of
from steelyard.experiments.gathering import Gathered, gather, ranked_within
from steelyard.experiments.plan import Fold, TestedModel, cells_of
from steelyard.files.writing import write_saved
from steelyard.measures.measure import find
from steelyard.results import Estimate, make_frame
from steelyard.views.told import Told
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.comparison import Comparison
    from steelyard.experiments.by_fold import ModelFolds
    from steelyard.experiments.keeping import Keeper
    from steelyard.experiments.side_by_side import SideBySide
    from steelyard.experiments.training import Trained
    from steelyard.experiments.tuning import Tuning
    from steelyard.verdicts.verdict import Verdict


class Experiment(Told):
    """Models × data sets × designs, fold by fold; numbers are worked out when they are asked for.

    `x["knn"]` is the evidence of a model, the sum of its folds; `x.estimate("knn", "auc")` the mean over folds with an
    interval for models to come. With several data sets or designs name them as well: `x["knn", "iris"]`.
    """

    as_text: ClassVar[str] = "experiment.experiment_text"

    def __init__(
        self,
        plan: Mapping[str, Any],
        keeper: Keeper,
        name: str = "",
        pictures: Callable[[], list[list[str]]] | None = None,
        *,
        already: int = 0,
    ) -> None:
        self.plan = plan
        self.already = already
        """How many folds were there before the run began."""
        self._pictures = pictures
        self.keeper = keeper
        self.name = name
        self.cells: tuple[TestedModel, ...] = cells_of(plan)
        self.confidence: float = plan["confidence"]
        self._gathered: dict[tuple[Any, ...], Gathered] = {}
        self._sums: dict[tuple[Any, ...], Evaluation] = {}

    # What there is ---------------------------------------------------------------------------------------------------
    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return list(dict.fromkeys(c.model for c in self.cells))

    @property
    def data_sets(self) -> list[str]:
        """The names of the data sets."""
        return list(self.plan["data"])

    @property
    def designs(self) -> list[str]:
        """The names of the designs."""
        return list(self.plan["designs"])

    @property
    def total(self) -> int:
        """How many folds there are."""
        return sum(len(c.folds) for c in self.cells)

    @property
    def done(self) -> int:
        """How many folds have been done without an error."""
        return sum(self.keeper.has(f.key) for c in self.cells for f in c.folds)

    @as_annotated()
    def cell(self, *names: str) -> TestedModel:
        """One model under one design on one data set; what there is only one of need not be named."""
        axes = {"model": self.models, "data": self.data_sets, "design": self.designs}
        chosen: dict[str, str] = {}
        for name in names:
            axis = next((a for a, known in axes.items() if name in known and a not in chosen), None)
            if axis is None:
                known = [n for a in axes.values() for n in a]
                message = f"There is no model, data set or design called {listing([name])}."
                raise NotAvailable(message, nearest(str(name), known) or f"There are {listing(known)}.")
            chosen[axis] = name
        for axis, known in axes.items():
            if axis not in chosen and len(known) > 1:
                message = f"There are {len(known)} {AXES[axis]}: {listing(known)}."
                raise NotAvailable(message, f"Name one of them as well, for example {known[0]!r}.")
        wanted = {a: chosen.get(a, known[0]) for a, known in axes.items()}
        return next(c for c in self.cells if (c.model, c.data, c.design) == tuple(wanted.values()))

    def gathered(self, cell: TestedModel) -> Gathered:
        """The sum and the values of a cell's folds, read once."""
        place = (cell.model, cell.data, cell.design, self.confidence)
        if place not in self._gathered:
            found = gather(cell, self.keeper)
            if found.pooled is not None:
                # Folds were counted at the usual confidence, whatever the experiment was asked for.
                found = replace(found, pooled=replace(found.pooled, confidence=self.confidence))
            self._gathered[place] = found
        return self._gathered[place]

    # Evidence --------------------------------------------------------------------------------------------------------
    def __getitem__(self, names: str | tuple[str, ...]) -> Evaluation:
        cell = self.cell(*(names if isinstance(names, tuple) else (names,)))
        pooled = self.gathered(cell).pooled
        if pooled is None:
            message = f"No fold of {cell.model} on {cell.data} is done."
            failed = [f for f in self.failures if (f["model"], f["data"]) == (cell.model, cell.data)]
            why = f"The first error: {failed[0]['error']}" if failed else "Run the experiment, or let it go on."
            raise NotAvailable(message, why)
        place = (cell.model, cell.data, cell.design, self.confidence)
        if place not in self._sums:
            facts = {**pooled.facts, "source": cell.data, "design": self.plan["designs"][cell.design]["text"]}
            self._sums[place] = replace(pooled, facts=facts)
        return self._sums[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    _ipython_key_completions_ = __iter__

    def __contains__(self, name: object) -> bool:
        return name in self.models

    @as_annotated()
    def folds(self, *names: str) -> ModelFolds:
        """The evidence of each fold in the order of the design, None where it failed or is not done; printed, a table."""
        from steelyard.experiments.by_fold import ModelFolds

        cell = self.cell(*names)
        outer = [f for f in cell.folds if f.outer]
        kept = [self.keeper.get(f.key) for f in outer]
        # Added by hand they must not rank the rows of one fit against those of another either.
        found = [None if k is None or k.test is None else k.test for k in kept]
        if len(found) > 1:
            found = [None if e is None else ranked_within(e) for e in found]
        several = len({f.repeat for f in outer}) > 1
        called = [f.label or (f"{f.repeat + 1}.{f.fold + 1}" if several else str(f.fold + 1)) for f in outer]
        return ModelFolds(found, called, self.gathered(cell).pooled)

    @as_annotated()
    def values(self, *names: str, measure: str, level: Label = None) -> list[float | None]:
        """A measure in each fold; None where it is undefined there."""
        found = self.gathered(self.cell(*names))
        if found.pooled is not None and (find(measure).name, None) not in found.values:
            # What the evidence cannot tell at all is said, and no column of gaps.
            found.pooled.measure(measure, level)
        return [v if np.isfinite(v) else None for v in found.of(measure, level)[found.outer].tolist()]

    @as_annotated()
    def estimate(self, *names: str, measure: str, level: Label = None, method: str | None = None) -> Estimate:
        """A measure for models to come: the mean over folds with an interval that allows for training rows they share.

        `method` is one of "corrected t", "naive t", "rows", "nested", "conservative", "out of bag", ".632", ".632+"; left
        out, it is the one that suits the design.
        """
        cell = self.cell(*names)
        kind = self.plan["designs"][cell.design]["kind"]
        return estimate_of(Asked(self.gathered(cell), kind, find(measure), level, self.confidence), method)

    @as_annotated()
    def compare(self, *names: str, **options: Any) -> Comparison:
        """Models compared fold by fold: `x.compare("tree", "knn")`; all of them where none is named.

        With several data sets or designs name one as well; over several data sets mean ranks are told beside.
        """
        from steelyard.experiments.comparing import compare_models

        models = [n for n in names if n in self.models]
        rest = [n for n in names if n not in self.models]
        cell = self.cell(self.models[0], *rest)
        return compare_models(self, models, (cell.data, cell.design), **options)

    @cached_property
    def places(self) -> list[SideBySide]:
        """Each data set under each design, with its models side by side."""
        from steelyard.experiments.side_by_side import SideBySide

        return [SideBySide(self, *place) for place in dict.fromkeys((c.data, c.design) for c in self.cells)]

    @property
    def verdict(self) -> Verdict:
        """Which model to take, or whether the only one is of use; over several data sets how they rank."""
        from steelyard.experiments.side_by_side import overall

        return overall(self, self.places)

    @as_annotated()
    def tuning(self, *names: str) -> Tuning:
        """For a model that is a search: the score it saw when it chose, the honest one, and the optimism between."""
        from steelyard.experiments.tuning import measure_of, tuning, with_test_rows

        cell = self.cell(*names)
        kept = {i: self.keeper.get(f.key) for i, f in enumerate(cell.folds) if f.outer}
        found = {i: k.search for i, k in kept.items() if k is not None and k.search}
        if not found:
            message = f"{cell.model} is no search: it chooses nothing."
            raise NotAvailable(message, "Wrap it in scikit-learn's GridSearchCV, for example.")
        known = measure_of(str(next(iter(found.values()))["scorer"]))
        values = None if known is None else self.gathered(cell).of(known[0], known[1])
        honest = [None if values is None or not np.isfinite(values[i]) else float(values[i]) for i in found]
        ratio = float(np.mean([cell.folds[i].test / cell.folds[i].train for i in found]))
        told = tuning(list(found.values()), honest, ratio=ratio, confidence=self.confidence)
        if len(found) == 1 and known is not None:
            told = with_test_rows(told, self.estimate(*names, measure=known[0], level=known[1], method="rows"))
        return told

    @as_annotated()
    def is_search(self, *names: str) -> bool:
        """Whether a model chose parameters by itself."""
        return bool(getattr(self.keeper.get(self.cell(*names).folds[0].key), "search", None))

    @as_annotated()
    def predictions(self, *names: str) -> Any:
        """What was predicted for every test row, fold by fold, as a frame."""
        columns: dict[str, list[Any]] = {}
        for fold in self.cell(*names).folds:
            if not fold.outer or not self.keeper.has(fold.key):
                continue
            part = self.keeper.predictions(fold.key)
            size = len(next(iter(part.values()), ()))
            for key, values in {"repeat": [fold.repeat] * size, "fold": [fold.fold] * size, **part}.items():
                columns.setdefault(key, []).extend(np.asarray(values).tolist())
        return make_frame(columns)

    @as_annotated()
    def picture(self, *names: str) -> str:
        """Which rows train and which test, a line for each division."""
        drawn = self.plan.get("pictures") or (self._pictures() if self._pictures is not None else [])
        found = [text for data, design, text in drawn if set(names) <= {data, design}]
        return "\n\n".join(found)

    # What happened ---------------------------------------------------------------------------------------------------
    @property
    def failures(self) -> list[dict[str, str]]:
        """Folds that ended in an error, with their traceback."""
        out = []
        for cell, fold, kept in self._done():
            if kept.failed:
                place = f"repeat {fold.repeat + 1}, fold {fold.fold + 1}"
                told = {"fold": fold.label or place, "error": kept.error, "traceback": kept.traceback}
                out.append(cell.place | told)
        return out

    def _done(self) -> Iterator[tuple[TestedModel, Fold, Trained]]:
        """Every fold that was done, well or not, with what remains of it."""
        for cell in self.cells:
            for fold in cell.folds:
                if (kept := self.keeper.get(fold.key)) is not None:
                    yield cell, fold, kept

    def notes(self) -> list[str]:
        """What a reader should know: warnings, fallbacks, duplicated rows, rows left out, failures."""
        from steelyard.views.experiment import experiment_notes

        return experiment_notes(self)

    def remarks(self) -> list[str]:
        """What the numbers themselves give reason to say: folds without a value, intervals that are too short."""
        from steelyard.experiments.remarks import remarks

        return remarks(self)

    def timings(self) -> Any:
        """Seconds of training and predicting, one row a fold, as a frame."""
        rows = [
            cell.place
            | {"repeat": fold.repeat, "fold": fold.fold}
            | {part: kept.seconds.get(part, 0.0) for part in ("fit", "predict")}
            for cell, fold, kept in self._done()
            if not kept.failed
        ]
        names = ("model", "data", "design", "repeat", "fold", "fit", "predict")
        return make_frame({k: [r[k] for r in rows] for k in names})

    # Telling ---------------------------------------------------------------------------------------------------------
    def rows_as_dicts(self) -> list[dict[str, Any]]:
        """One tidy row for every cell and measure: the estimate for models to come beside the sum of the folds."""
        out = []
        for cell in self.cells:
            pooled = self.gathered(cell).pooled
            if pooled is None:
                continue
            names = (cell.model, cell.data, cell.design)
            for key in self.gathered(cell).values:
                x, p = self.estimate(*names, measure=key[0]), self[names].measure(key[0])
                out.append(
                    {
                        **{"data": cell.data, "design": cell.design, "model": cell.model, "measure": key[0]},
                        **{"estimate": x.value, "low": x.low, "high": x.high, "method": x.method, "note": x.note},
                        **{"reason": x.reason, "pooled_reason": p.reason},
                        **{"pooled": p.value, "pooled_low": p.low, "pooled_high": p.high, "pooled_method": p.method},
                        **{"confidence": self.confidence, "rows": p.n, "folds": sum(f.outer for f in cell.folds)},
                    }
                )
        return out

    def frame(self) -> Any:
        """One tidy row for every model and measure, as a frame."""
        rows = self.rows_as_dicts()
        return make_frame({k: [r[k] for r in rows] for k in (rows[0] if rows else ())})

    def to_dict(self) -> dict[str, Any]:
        """The plan and the evidence of every fold as plain JSON values; timings stay outside, since they never repeat."""
        out = []
        for cell in self.cells:
            kept = [self.keeper.get(f.key) for f in cell.folds]
            told = [None if k is None else k.to_dict() for k in kept]
            out.append(cell.place | {"folds": [None if t is None else {k: t[k] for k in REPEATED} for t in told]})
        return {"steelyard experiment": 1, "plan": dict(self.plan), "cells": out}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Experiment:
        """Read back what `to_dict` wrote."""
        from steelyard.experiments.keeping import Memory
        from steelyard.experiments.training import Trained

        keeper = Memory()
        for cell, kept in zip(cells_of(data["plan"]), data["cells"], strict=True):
            for fold, found in zip(cell.folds, kept["folds"], strict=True):
                if found is not None:
                    keeper.put(fold.key, Trained.from_dict(found), {})
        return cls(data["plan"], keeper)

    @as_annotated()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan and the evidence of every fold to a JSON file, whole or not at all."""
        write_saved(path, self.to_dict())

    @as_annotated()
    def chart(self, name: str | None = None, *place: str) -> Chart:
        """The models side by side in a measure, each fold a dot; or a chart of all at once ("roc", "gain", …)."""
        from steelyard.views.experiment import experiment_chart

        return experiment_chart(self, name, *place)

    @as_annotated()
    def report(self, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
        """Write a report: one offline page (.html), Markdown (.md), or every number and sentence (.json)."""
        from steelyard.reports.experiment import write_experiment_report

        write_experiment_report(self, path, title=title, command=command)

    def __repr__(self) -> str:
        return f"<Experiment of {listing(self.models)}: {self.done:,} of {self.total:,} folds done>"


AXES = {"model": "models", "data": "data sets", "design": "designs"}
REPEATED = ("test", "train", "search", "notes", "error")
"""What remains of a fold and is the same whenever it is done again."""


def open_experiment(path: str | os.PathLike[str], name: str | None = None) -> Experiment:
    """An experiment out of a store, as far as it has come; the latest one unless another is named."""
    from steelyard.experiments.keeping import Folder, named_in

    store = Folder(path, writing=False)
    plans = store.plans()
    if not plans:
        message = f'The store "{path}" holds no experiment yet.'
        raise NotAvailable(message, f"Run one with {option('store', ...)}.")
    if name is None:
        name = next(reversed(plans))
    found = named_in(name, plans, os.fspath(path))
    return Experiment(plans[found], store, found)
