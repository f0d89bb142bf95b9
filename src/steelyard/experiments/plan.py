"""The plan of an experiment: models × data sets × designs as a list of folds, each with a key of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.designs.design import many
from steelyard.designs.schedules import Growing
from steelyard.designs.strata import stratify_asked
from steelyard.errors import BadLevels, UsageError, listing
from steelyard.experiments.data_set import DataSet
from steelyard.experiments.models import model_fingerprint, model_text
from steelyard.experiments.training import Trained, train_and_test

if TYPE_CHECKING:
    from steelyard.designs.design import Design
    from steelyard.designs.split import Split

HELD = 2_000_000
"""Divisions with fewer row numbers than this are drawn once and held; others are drawn again when they are needed."""
LOOKED_AT = 20
"""In so many divisions duplicated rows are looked for."""
APPARENT = "apparent"
"""The label of the division that trains on all rows and is counted on the same."""


@dataclass(frozen=True, eq=False)
class Task:
    """One fold to be done."""

    key: str
    model: Any
    data: DataSet
    split: Split
    seed: int
    scores: str
    learnt: bool
    facts: Mapping[str, Any]

    def __call__(self) -> tuple[str, Trained]:
        """Do it, wherever the task was sent to."""
        done = train_and_test(self.model, self.data, self.split, self.seed, scores=self.scores, learnt=self.learnt)
        return self.key, done


@dataclass(frozen=True, eq=False)
class Fold:
    """Where a fold stands in its design, and how many rows it trains and tests on."""

    key: str
    repeat: int
    fold: int
    inner: int
    label: str
    train: int
    test: int

    @property
    def outer(self) -> bool:
        """Whether it is one of the folds whose sum is the evidence."""
        return self.inner < 0 and self.label != APPARENT


@dataclass(frozen=True, eq=False)
class TestedModel:
    """One model under one design on one data set."""

    model: str
    data: str
    design: str
    folds: tuple[Fold, ...]
    distinct: int
    """How many rows are tested at least once."""

    @property
    def place(self) -> dict[str, str]:
        """Which model, data set and design it is."""
        return {"model": self.model, "data": self.data, "design": self.design}

    @property
    def times(self) -> float:
        """How often a tested row is tested on average."""
        return sum(f.test for f in self.folds if f.outer) / max(self.distinct, 1)


class Division:
    """The divisions of one data set under one design: drawn once, or again when there are very many row numbers."""

    def __init__(self, design: Design, data: DataSet, *, marked: bool) -> None:
        self.design: Design = design
        self.data: DataSet = data
        self.marks: list[str] = []
        self.places: list[tuple[int, int, int, str, int, int]] = []
        held: list[Split] = []
        tested = np.zeros(data.rows, dtype=np.bool_)
        numbers = 0
        for i, split in enumerate(self._drawn()):
            if not isinstance(design, Growing):
                # A learning curve may begin so small that one level stands alone: that is what it shows.
                check_levels(split, data, design)
            if split.inner < 0:
                tested[split.test] = True
            numbers += len(split.train) + len(split.test)
            if numbers <= HELD:
                held.append(split)
            else:
                held.clear()
            self.marks.append(split.fingerprint if marked else str(i))
            self.places.append((split.repeat, split.fold, split.inner, split.label, len(split.train), len(split.test)))
        if not self.places:
            message = f"The design ({design}) gives no division of {data.rows:,} rows."
            raise UsageError(message, "Choose another design.")
        self.held: list[Split] | None = held if numbers <= HELD else None
        self.distinct: int = int(tested.sum())

    @property
    def picture(self) -> str:
        """Which rows train and which test."""
        return self.design.picture(self.data.rows, self.data.target, self.data.given)

    def _drawn(self) -> Iterator[Split]:
        return self.design.splits(self.data.rows, self.data.target, self.data.given)

    def __iter__(self) -> Iterator[Split]:
        return iter(self.held) if self.held is not None else self._drawn()

    def __len__(self) -> int:
        return len(self.places)


def check_levels(split: Split, data: DataSet, design: Design) -> None:
    """Refuse a training part in which one level stands alone: nothing can be learnt from it."""
    if data.kind != "levels":
        return
    learnt = data.target[split.train]
    if len(learnt) and bool((learnt == learnt[0]).all()):
        message = f"In {split.name} all {len(learnt):,} training rows have the target {listing([learnt[0]])}."
        raise BadLevels(message, _way_out(data, design))


def _way_out(data: DataSet, design: Design) -> str:
    """What helps where a training part has one level: strata only if they would not be refused in their turn."""
    levels, counts = np.unique(data.target, return_counts=True)
    parts = max(2, int(getattr(design, "k", 2)))
    can = hasattr(design, "stratify") and not stratify_asked(design.stratify) and getattr(design, "group", None) is None
    if can and int(counts.min()) >= parts:
        return "Stratify the design, so that every part has its share of each level."
    rare = int(counts.argmin())
    has = f"Level {listing([levels[rare].item()])} has {many(int(counts[rare]), 'row')} in all"
    return f"{has}: find more rows of it, or draw test parts that leave some of them to learn from."


@dataclass(frozen=True, eq=False)
class FoldPlan:
    """Every fold of an experiment, and what it is made of."""

    models: Mapping[tuple[str, str], Any]
    """By model and data set: a standard model is made for the columns at hand."""
    data: Mapping[str, DataSet]
    designs: Mapping[str, Design]
    seed: int
    scores: str
    learnt: bool
    confidence: float
    cells: tuple[TestedModel, ...]
    divisions: Mapping[tuple[str, str], Division]
    duplicates: Mapping[tuple[str, str], float]
    remarks: tuple[str, ...] = ()
    """What is to be said of choices that nobody made."""

    @property
    def total(self) -> int:
        """How many folds there are."""
        return sum(len(cell.folds) for cell in self.cells)

    def tasks(self, done: Callable[[str], bool]) -> Iterator[Task]:
        """The folds that are not done yet, model by model within a division, so that early results compare all models."""
        # Equal models under two names share a fold: it is done once.
        given: set[str] = set()
        # Telling a model in words takes longer than training a small one, so it is done once.
        texts = {pair: model_text(model) for pair, model in self.models.items()}
        for (data, design), division in self.divisions.items():
            cells = [c for c in self.cells if (c.data, c.design) == (data, design)]
            # The data as the design has it: without the columns that it uses, and counted by its groups.
            light = replace(division.data, given=None)
            for i, split in enumerate(division):
                for cell in cells:
                    fold = cell.folds[i]
                    if fold.key in given or done(fold.key):
                        continue
                    given.add(fold.key)
                    model = self.models[cell.model, data]
                    facts = {
                        **{"model": cell.model, "parameters": texts[cell.model, data], "data": data},
                        **{"design": str(self.designs[design]), "fold": split.name, "seed": self.seed},
                    }
                    seed = seed_of(self.seed, split)
                    yield Task(fold.key, model, light, split, seed, self.scores, self.learnt, facts)

    def pictures(self) -> list[list[str]]:
        """Which rows train and which test, for each data set and design."""
        return [[*pair, division.picture] for pair, division in self.divisions.items()]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, without the rows."""
        return {
            "steelyard experiment": 1,
            "models": {f"{m} on {d}" if len(self.data) > 1 else m: model_text(x) for (m, d), x in self.models.items()},
            "data": {
                name: {
                    "rows": d.rows,
                    "kind": d.kind,
                    "levels": [_plain(v) for v in d.levels],
                    "positive": _plain(d.positive),
                    "dropped": d.facts.get("dropped", 0),
                }
                for name, d in self.data.items()
            },
            "designs": {name: {"kind": type(d).__name__, "text": str(d)} for name, d in self.designs.items()},
            "seed": self.seed,
            "confidence": self.confidence,
            "duplicates": [[*pair, share] for pair, share in self.duplicates.items()],
            **({"remarks": list(self.remarks)} if self.remarks else {}),
            "cells": [
                c.place | {"distinct": c.distinct, "folds": [list(vars(f).values()) for f in c.folds]}
                for c in self.cells
            ],
        }


def cells_of(plan: Mapping[str, Any]) -> tuple[TestedModel, ...]:
    """The cells of a plan that was kept as plain values."""
    return tuple(
        TestedModel(c["model"], c["data"], c["design"], tuple(Fold(*f) for f in c["folds"]), c["distinct"])
        for c in plan["cells"]
    )


def make_plan(
    models: Mapping[tuple[str, str], Any],
    data: Mapping[str, DataSet],
    designs: Mapping[str, Design],
    *,
    seed: int,
    scores: str,
    learnt: bool,
    confidence: float,
    marked: bool,
    remarks: tuple[str, ...] = (),
) -> FoldPlan:
    """Draw every division and give every fold its key; with a store keys are hashes of all that the fold depends on."""
    divisions: dict[tuple[str, str], Division] = {}
    duplicates: dict[tuple[str, str], float] = {}
    for name, table in data.items():
        for design_name, design in designs.items():
            used = table
            group = getattr(design, "group", None)
            if group is not None and used.unit is None:
                used = replace(used, unit=group_values(group, table))
            divisions[name, design_name] = Division(design, used, marked=marked)
        for design_name, share in duplicated(table, {d: divisions[name, d] for d in designs}).items():
            duplicates[name, design_name] = share
    cells = []
    prints = {pair: model_fingerprint(pair[0], m) for pair, m in models.items()} if marked else {}
    for (model, name), _ in models.items():
        for design_name in designs:
            division = divisions[name, design_name]
            folds = []
            for mark, place in zip(division.marks, division.places, strict=True):
                parts: tuple[Any, ...] = (model, name, design_name, mark)
                if marked:
                    parts = (division.data.fingerprint, prints[model, name], mark, seed, *place[:3], scores, learnt)
                key = hashlib.blake2b("|".join(map(str, parts)).encode(), digest_size=16).hexdigest()
                folds.append(Fold(key, *place))
            cells.append(TestedModel(model, name, design_name, tuple(folds), division.distinct))
    return FoldPlan(
        models, data, designs, seed, scores, learnt, confidence, tuple(cells), divisions, duplicates, remarks
    )


def seed_of(seed: int, split: Split) -> int:
    """The seed of one fold: the same for all models, another for every fold."""
    words = np.random.SeedSequence([seed, split.repeat, split.fold, split.inner + 1]).generate_state(1)
    return int(words[0] % (2**31 - 1))


def group_values(group: object, table: DataSet) -> Any:
    """The groups of the rows, from a column of the data or as they were given."""
    from steelyard.sources.in_memory import column_of, flat_array

    return column_of(table.given, group) if isinstance(group, str) else flat_array(group)


def duplicated(table: DataSet, divisions: Mapping[str, Division]) -> dict[str, float]:
    """The share of test rows whose features equal those of a training row, where there are any."""
    from steelyard.designs.duplicates import row_keys, shared_keys

    keys = row_keys(table.features)
    if len(np.unique(keys)) == len(keys):
        return {}
    out = {}
    for name, division in divisions.items():
        shared = tested = 0
        for split in (s for s, _ in zip(division, range(LOOKED_AT), strict=False)):
            shared += shared_keys(keys, split)
            tested += len(split.test)
        if shared:
            out[name] = shared / tested
    return out


def _plain(value: object) -> Any:
    return value.item() if hasattr(value, "item") else value
