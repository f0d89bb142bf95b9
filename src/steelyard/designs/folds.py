"""Folds: every row is tested once by a model that learnt from the other folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.arguments.annotated import as_annotated
from steelyard.designs.columns import coded, groups_of, role
from steelyard.designs.design import (
    Design,
    at_least,
    check_seed,
    enough_rows,
    grouped_text,
    joined,
    many,
    splitters,
    stratified_text,
)
from steelyard.designs.split import Split
from steelyard.designs.strata import strata_of
from steelyard.errors import BadLevels, UsageError, listing


@as_annotated("k")
@dataclass(frozen=True, slots=True, eq=False)
class KFold(Design):
    """k folds, each tested once by a model that learnt from the others; repeated with other folds if asked.

    >>> [len(split.test) for split in KFold(5).splits(12)]
    [3, 3, 2, 2, 2]
    >>> print(KFold(10, stratify=True, repeats=3))
    10 folds, stratified, 3 repeats
    """

    k: int = 10
    stratify: Any = False
    repeats: int = 1
    group: Any = None
    seed: int = 0
    shuffle: bool = True

    def __post_init__(self) -> None:
        at_least(self.k, 2, "number of folds")
        at_least(self.repeats, 1, "number of repeats")
        check_seed(self.seed)
        if self.repeats > 1 and not self.shuffle:
            message = (
                f"Folds in the order of the rows are the same each time, and {self.repeats} repeats were asked for."
            )
            raise UsageError(message, "Leave out repeats, or shuffle=False.")

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """The k divisions of each repeat; a group is never divided."""
        sk = splitters()
        rows = enough_rows(rows)
        _check_folds(self.k, rows)
        groups = groups_of(self.group, rows, data, self.k)
        strata = strata_of(self.stratify, y, rows, data, self.k)
        # One generator for all repeats, as scikit-learn's repeated folds have it.
        rng = np.random.RandomState(self.seed) if self.shuffle else None
        options = {"n_splits": self.k, "shuffle": self.shuffle, "random_state": rng}
        if groups is not None:
            kind = sk.GroupKFold if strata is None else sk.StratifiedGroupKFold
        else:
            kind = sk.KFold if strata is None else sk.StratifiedKFold
        for repeat in range(self.repeats):
            for fold, (train, test) in enumerate(kind(**options).split(np.zeros(rows), strata, groups)):
                if not len(test):
                    message = f"Strata and whole groups leave fold {fold + 1} of {self.k} without rows."
                    raise BadLevels(message, "Take fewer folds, or leave out stratify or group.")
                yield Split(train, test, None, repeat, fold)

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        return joined(
            f"{self.k} folds",
            stratified_text(self.stratify),
            grouped_text(self.group),
            "" if self.shuffle else "in the order of the rows",
            many(self.repeats, "repeat") if self.repeats > 1 else "",
        )


@as_annotated()
@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut(Design):
    """Every row, or every group, is tested once by a model that learnt from all others.

    >>> [split.test.tolist() for split in LeaveOneOut().splits(3)]
    [[0], [1], [2]]
    """

    group: Any = None

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """As many divisions as there are rows, or groups."""
        sk = splitters()
        rows = enough_rows(rows)
        groups = groups_of(self.group, rows, data)
        splitter = sk.LeaveOneOut() if groups is None else sk.LeaveOneGroupOut()
        for fold, (train, test) in enumerate(splitter.split(np.zeros(rows), groups=groups)):
            yield Split(train, test, None, 0, fold)

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        if isinstance(self.group, str):
            return f'leave one group of "{self.group}" out'
        return "leave one out" if self.group is None else "leave one group out"


@as_annotated()
@dataclass(frozen=True, slots=True, eq=False)
class StoredFolds(Design):
    """Folds that a table already has: a number or name for each row, and each of them tests once, in their order.

    >>> [split.test.tolist() for split in StoredFolds(["b", "a", "b"]).splits(3)]
    [[1], [0, 2]]
    """

    folds: Any

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """One division for each fold."""
        sk = splitters()
        rows = enough_rows(rows)
        levels, codes = coded(role(self.folds, "fold", rows, data))
        if len(levels) < 2:
            message = f"All rows are in one fold: {listing(levels)}."
            raise UsageError(message, "At least two folds are needed.")
        for fold, (train, test) in enumerate(sk.PredefinedSplit(codes).split()):
            yield Split(train, test, None, 0, fold)

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        return f'the folds of "{self.folds}"' if isinstance(self.folds, str) else "stored folds"


@as_annotated()
@dataclass(frozen=True, slots=True, eq=False)
class NestedFolds(Design):
    """Folds inside folds: without fold j, each other fold i is tested by what was learnt from the rest.

    The outer division j (inner −1) trains on all but fold j and tests on it; the inner division (j, i) trains on all but
    the folds j and i and tests on i, so that its errors know nothing of fold j.

    >>> [(s.fold, s.inner, s.test.tolist()) for s in NestedFolds(3).splits(3)][:3]
    [(0, -1, [2]), (0, 1, [1]), (0, 2, [0])]

    Bates, Hastie and Tibshirani, Cross-validation: what does it estimate and how well does it do it?, JASA 119 (2024).
    """

    k: int = 5
    repeats: int = 1
    stratify: Any = False
    seed: int = 0

    def __post_init__(self) -> None:
        at_least(self.k, 3, "number of nested folds")
        at_least(self.repeats, 1, "number of repeats")
        check_seed(self.seed)

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """For each repeat and fold the outer division, then its k − 1 inner ones."""
        rows = enough_rows(rows)
        _check_folds(self.k, rows)
        outer = KFold(self.k, self.stratify, self.repeats, seed=self.seed).splits(rows, y, data)
        for repeat in range(self.repeats):
            folds = [next(outer) for _ in range(self.k)]
            home = np.empty(rows, dtype=np.int64)
            for split in folds:
                home[split.test] = split.fold
            for j, split in enumerate(folds):
                yield split
                for i in range(self.k):
                    if i != j:
                        train = np.flatnonzero((home != j) & (home != i))
                        yield Split(train, folds[i].test, None, repeat, j, i)

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        again = many(self.repeats, "repeat") if self.repeats > 1 else ""
        return joined(f"{self.k} nested folds", stratified_text(self.stratify), again)


def _check_folds(k: int, rows: int) -> None:
    if k > rows:
        message = f"{rows:,} rows can be cut into at most {rows:,} folds, and {k:,} were asked for."
        raise UsageError(message, "Take fewer folds.")
