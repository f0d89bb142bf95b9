"""Schedules: how many rows to learn from, for a learning curve, and the design that grows its training part by them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.arguments.allowed import Span, taken
from steelyard.arguments.annotated import as_annotated
from steelyard.designs.design import Design, at_least, check_seed, enough_rows
from steelyard.designs.split import APPARENT, Places, Split
from steelyard.designs.strata import spread, strata_of
from steelyard.errors import UsageError
from steelyard.results import Codes
from steelyard.words import shortest

NEAR_ALL = 0.9


@dataclass(frozen=True, slots=True)
class Schedule:
    """Growing numbers of rows: start, then so many more each time, or so many times as many."""

    start: int
    by: float
    stop: int | None = None
    kind: str = "arithmetic"
    """"arithmetic" or "geometric"."""

    def sizes(self, most: int) -> tuple[int, ...]:
        """The sizes up to `most`, or up to `stop` where that is less, each larger than the one before.

        Where the last size is below nine tenths of that limit, the limit itself is added, so that a curve is seen to its
        end: geometric(100, 2) of 1,000 rows ends with 800, 1000.

        >>> geometric(100, 2).sizes(1000), arithmetic(100, 100).sizes(350)
        ((100, 200, 400, 800, 1000), (100, 200, 300, 350))
        """
        limit = most if self.stop is None else min(most, self.stop)
        if self.start > limit:
            message = f"The first size is {self.start:,} rows, and there are {most:,} rows to learn from."
            raise UsageError(message, "Start with fewer.")
        found, i = [self.start], 0
        while True:
            i += 1
            if self.kind == "geometric":
                # A small ratio rounds to the same number of rows many times over: on to where the next one is near.
                i = max(i, math.floor(math.log((found[-1] + 0.5) / self.start) / math.log(self.by)))
            grown = self.start + i * self.by if self.kind == "arithmetic" else self.start * self.by**i
            if grown >= limit + 0.5:
                break
            size = min(round(grown), limit)
            if size > found[-1]:
                found.append(size)
        if found[-1] < NEAR_ALL * limit:
            found.append(limit)
        return tuple(found)

    def __str__(self) -> str:
        grows = (
            f"{shortest(self.by)} more each time" if self.kind == "arithmetic" else f"{shortest(self.by)} times as many"
        )
        return f"from {self.start:,} rows, {grows}" + ("" if self.stop is None else f", up to {self.stop:,}")


@as_annotated()
def arithmetic(start: int, step: int, stop: int | None = None) -> Schedule:
    """Sizes that grow by so many rows each time: nᵢ = n₀ + i · step.

    >>> arithmetic(50, 50).sizes(200)
    (50, 100, 150, 200)
    """
    at_least(step, 1, "step")
    return _schedule(start, step, stop, "arithmetic")


@as_annotated()
def geometric(start: int, ratio: float, stop: int | None = None) -> Schedule:
    """Sizes that grow so many times over: nᵢ = n₀ · ratioⁱ, rounded.

    >>> geometric(10, 3).sizes(270)
    (10, 30, 90, 270)
    """
    ratio = taken("The ratio, by which the sizes grow,", ratio, Span(1, above=True), "2 doubles the rows each time.")
    return _schedule(start, float(ratio), stop, "geometric")


def _schedule(start: int, by: float, stop: int | None, kind: str) -> Schedule:
    first = at_least(start, 1, "first size")
    last = None if stop is None else at_least(stop, 1, "last size")
    if last is not None and last < first:
        message = f"The schedule starts with {first:,} rows and stops before, at {last:,}."
        raise UsageError(message, "Give a larger stop.")
    return Schedule(first, by, last, kind)


def sizes_of(given: object, most: int) -> tuple[int, ...]:
    """Sizes from a schedule, a list of numbers of rows, or shares above 0 and up to 1 (1.0 is all rows, 1 is one).

    >>> sizes_of([0.1, 0.5, 1.0], 80), sizes_of([20, 40], 80)
    ((8, 40, 80), (20, 40))
    """
    if isinstance(given, Schedule):
        return given.sizes(most)
    if isinstance(given, str) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) != 1:
        message = f"Sizes are a schedule or a list of numbers, and an object of the type {type(given).__name__} came."
        raise UsageError(message, "For example geometric(100, 2), or [100, 200, 400].")
    found = sorted({_size(value, most) for value in given})
    if not found:
        message = "The list of sizes is empty."
        raise UsageError(message, "Give at least one number of rows.")
    if found[-1] > most:
        message = f"The largest size is {found[-1]:,} rows, and there are {most:,} rows to learn from."
        raise UsageError(message, "Take smaller sizes, or a smaller test part.")
    return tuple(found)


def _size(value: object, most: int) -> int:
    if isinstance(value, float | np.floating) and 0 < value <= 1:
        return max(1, round(float(value) * most))
    number = value if isinstance(value, int | float | np.integer | np.floating) else math.nan
    if isinstance(value, bool) or not math.isfinite(number) or number != int(number) or number < 1:
        message = f"A size is a number of rows, or a share above 0 and up to 1, and {value!r} came."
        raise UsageError(message, "For example 200, or 0.5.")
    return int(number)


@dataclass(frozen=True, slots=True, eq=False)
class Growing(Design):
    """The divisions of another design, each learnt from with more and more of its training rows.

    The training rows of a division are put in one random order, and a size m takes the first m of them, so that a larger
    part always holds the smaller ones; where the design is stratified, so is the order. `inner` is the number of the
    size. Sizes are those that the smallest training part of the design allows.

    >>> from steelyard.designs.folds import KFold
    >>> [(s.name, len(s.train)) for s in Growing(KFold(2), [2, 4]).splits(8)][:2]
    [('repeat 1, fold 1, 2 rows', 2), ('repeat 1, fold 1, 4 rows', 4)]
    """

    design: Design
    sizes: Any
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        given: Any = self.design
        if not isinstance(given, Design) or isinstance(given, Growing):
            message = (
                f"What grows is a design such as KFold(10), and an object of the type {type(given).__name__} came."
            )
            raise UsageError(message, "design_of makes a design of a text, a splitter or a column of folds.")

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """For each division of the design one for each size, from the smallest on."""
        rows = enough_rows(rows)
        # The sizes must be the same in all divisions, or they could not be compared; so they are looked through first.
        most = min(len(split.train) for split in self.design.splits(rows, y, data))
        sizes = sizes_of(self.sizes, most)
        strata = strata_of(getattr(self.design, "stratify", False), y, rows, data)
        for split in self.design.splits(rows, y, data):
            if split.inner >= 0:
                message = f"The design ({self.design}) has divisions inside divisions, which cannot grow as well."
                raise UsageError(message, "Take hold-outs, folds, a bootstrap or a design out of time.")
            if split.label == APPARENT:
                continue
            rng = np.random.default_rng([self.seed, split.repeat, split.fold])
            order = _order(split.train, strata, rng)
            for inner, size in enumerate(sizes):
                label = f"{split.name}, {size:,} {'row' if size == 1 else 'rows'}"
                yield Split(order[:size], split.test, split.validation, split.repeat, split.fold, inner, label)

    @property
    def group(self) -> Any:
        """The groups of the design."""
        return getattr(self.design, "group", None)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that the design looks up by name."""
        return self.design.names

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        if isinstance(self.sizes, Schedule):
            return f"{self.design}, learning {self.sizes}"
        return f"{self.design}, learning from {', '.join(_size_text(v) for v in self.sizes)} rows"


def _order(train: Places, strata: Codes | None, rng: np.random.Generator) -> Places:
    if strata is None:
        return rng.permutation(train)
    _, codes = np.unique(strata[train], return_inverse=True)
    return train[spread(codes.astype(np.int64), rng)]


def _size_text(size: float) -> str:
    share = not isinstance(size, int | np.integer) and size <= 1
    return f"{shortest(round(100 * float(size), 1))}%" if share else f"{int(size):,}"
