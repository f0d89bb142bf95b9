"""Hold-outs: a part of the rows tests, once, again and again, or in pairs of halves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.arguments.allowed import Span, taken
from steelyard.arguments.annotated import as_annotated
from steelyard.designs.columns import groups_of
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
from steelyard.designs.split import Places, Split
from steelyard.designs.strata import check_levels, strata_of, stratify_asked
from steelyard.errors import BadLevels, UsageError
from steelyard.results import Codes
from steelyard.wording import either
from steelyard.words import shortest

VALIDATION = 1
"""Validation parts have a generator of their own, so that asking for one leaves the test parts as they were."""


@as_annotated("test", "validation")
@dataclass(frozen=True, slots=True, eq=False)
class Holdout(Design):
    """One part of the rows tests, perhaps another validates, and the rest trains.

    >>> split = next(Holdout(0.25, validation=0.25).splits(8))
    >>> len(split.train), len(split.validation), len(split.test)
    (4, 2, 2)
    """

    test: float = 1 / 3
    validation: float = 0.0
    stratify: Any = False
    group: Any = None
    seed: int = 0

    def __post_init__(self) -> None:
        _check(self.test, self.validation, self.stratify, self.group, self.seed)

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """The one division."""
        again = RepeatedHoldout(self.test, 1, self.validation, self.stratify, self.group, self.seed)
        yield from again.splits(rows, y, data)

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        return _text(self)


@as_annotated("test", "validation")
@dataclass(frozen=True, slots=True, eq=False)
class RepeatedHoldout(Design):
    """A part of the rows tests, drawn at random again and again; test parts overlap from one repeat to the next.

    >>> [len(split.test) for split in RepeatedHoldout(0.2, repeats=3).splits(10)]
    [2, 2, 2]
    """

    test: float = 1 / 3
    repeats: int = 10
    validation: float = 0.0
    stratify: Any = False
    group: Any = None
    seed: int = 0

    def __post_init__(self) -> None:
        at_least(self.repeats, 1, "number of repeats")
        _check(self.test, self.validation, self.stratify, self.group, self.seed)

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """One division a repeat; whole groups where groups are given."""
        rows = enough_rows(rows)
        parts = 3 if self.validation else 2
        groups = groups_of(self.group, rows, data, parts)
        strata = strata_of(self.stratify, y, rows, data, parts)
        # Shares of groups where groups are drawn, since a group is drawn as a whole.
        whole = rows if groups is None else int(groups.max()) + 1
        test, held = _sizes(self.test, self.validation, rows, whole)
        for_test = np.random.RandomState(self.seed)
        for_validation = np.random.RandomState([self.seed, VALIDATION])
        every = np.arange(rows, dtype=np.int64)
        for repeat in range(self.repeats):
            rest, tested = cut(every, test, strata, groups, for_test)
            kept = None
            if held:
                rest, kept = cut(rest, held, strata, groups, for_validation)
            yield Split(rest, tested, kept, repeat)

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        return joined(_text(self), many(self.repeats, "repeat"))


@as_annotated()
@dataclass(frozen=True, slots=True, eq=False)
class PairedHoldout(Design):
    """Hold-outs of all rows, and of both halves of the rows, halved at random again for each pair.

    The whole (repeat 0, inner −1) tells the error; in pair i (repeat i) the means of the first half (inner 0) and the
    second (inner 1) share no row, so that their distance tells a variance that errs on the safe side. All hold-outs
    take the same share; of an odd number of rows one is left out of each pair.

    >>> design = PairedHoldout(0.25, repeats=2, pairs=1)
    >>> [(s.repeat, s.inner, s.fold, len(s.train), len(s.test)) for s in design.splits(16)][1:4]
    [(0, -1, 1, 12, 4), (1, 0, 0, 6, 2), (1, 0, 1, 6, 2)]

    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52 (2003).
    """

    test: float = 0.1
    repeats: int = 15
    pairs: int = 10
    stratify: Any = False
    seed: int = 0

    def __post_init__(self) -> None:
        at_least(self.repeats, 1, "number of repeats")
        at_least(self.pairs, 1, "number of pairs")
        _check(self.test, 0.0, self.stratify, None, self.seed)

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """First the hold-outs of the whole, then pair by pair those of the first and of the second half."""
        rows = enough_rows(rows, 4)
        strata = strata_of(self.stratify, y, rows, data, 4)
        rng = np.random.RandomState(self.seed)
        every = np.arange(rows, dtype=np.int64)
        half = rows // 2
        sizes = [part_size(self.test, n, "test") for n in (rows, half)]
        for fold in range(self.repeats):
            rest, tested = cut(every, sizes[0], strata, None, rng)
            yield Split(rest, tested, None, 0, fold, label=f"whole, hold-out {fold + 1}")
        for pair in range(1, self.pairs + 1):
            for inner, part in enumerate(cut(every, half, strata, None, rng, rest=half)):
                for fold in range(self.repeats):
                    rest, tested = cut(part, sizes[1], strata, None, rng)
                    label = f"pair {pair}, {('first', 'second')[inner]} half, hold-out {fold + 1}"
                    yield Split(rest, tested, None, pair, fold, inner, label)

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        return joined(_text(self), many(self.repeats, "repeat"), many(self.pairs, "pair") + " of halves")


# Cutting --------------------------------------------------------------------------------------------------------------


def part_size(value: float, rows: int, what: str, of: str = "rows") -> int:
    """A number of rows, from a share of them or from the number itself.

    >>> part_size(1 / 3, 10, "test"), part_size(4, 10, "test")
    (3, 4)
    """
    value = taken(f"The {what} part", value, Span(0), "Give a share such as 1/3, or a number of rows.")
    count = round(value * rows) if value < 1 else int(value)
    if not 0 < count < rows:
        message = (
            f"The {what} part must hold some of the {rows:,} {of} but not all, and {shortest(value)} makes {count:,}."
        )
        raise UsageError(message, "Give a share such as 1/3, or a number of rows.")
    return count


def _sizes(test: float, validation: float, rows: int, whole: int) -> tuple[int, int]:
    """How many rows, or groups, test and validate."""
    of = "rows" if whole == rows else "groups"
    shares = [v / rows if v >= 1 and whole != rows else v for v in (test, validation)]
    # Where groups are few, a small share still means one of them.
    least = max(1, round(shares[0] * whole)) if of == "groups" else shares[0]
    first = part_size(least, whole, "test", of)
    if not validation:
        return first, 0
    held = max(1, round(shares[1] * whole)) if of == "groups" else shares[1]
    second = part_size(held, whole, "validation", of)
    if first + second >= whole:
        message = f"The test part takes {first:,} and the validation part {second:,} of {whole:,} {of}: none is left to train."
        raise UsageError(message, "Take smaller shares.")
    return first, second


def cut(
    places: Places,
    size: int,
    strata: Codes | None,
    groups: Codes | None,
    rng: np.random.RandomState,
    rest: int | None = None,
) -> tuple[Places, Places]:
    """Some rows cut in two at random: what is left (or so many of it), and a part of so many rows or whole groups."""
    sk = splitters()
    options = {"n_splits": 1, "test_size": size, "train_size": rest, "random_state": rng}
    if groups is not None:
        found = sk.GroupShuffleSplit(**options).split(places, groups=groups[places])
    elif strata is not None:
        inside = strata[places]
        _check_strata(inside, size, len(places) - size)
        found = sk.StratifiedShuffleSplit(**options).split(places, inside)
    else:
        found = sk.ShuffleSplit(**options).split(places)
    left, chosen = next(found)
    return np.sort(places[left]), np.sort(places[chosen])


def _check_strata(inside: Codes, size: int, rest: int) -> None:
    levels = np.unique(inside)
    if min(size, rest) < len(levels):
        message = f"There are {len(levels)} strata, and one part has room for {many(min(size, rest), 'row')} only."
        raise BadLevels(message, "Make that part larger, join levels, or leave stratify out.")
    names = [f"stratum {i + 1}" for i in levels.tolist()]
    check_levels(names, np.searchsorted(levels, inside), 2)


def _check(test: object, validation: object, stratify: object, group: object, seed: object) -> None:
    check_seed(seed)
    for what, value, least in (("test", test, 1), ("validation", validation, 0)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least
        share = isinstance(value, float | np.floating) and (0 < value < 1 or value == least == 0)
        if not whole and not share:
            message = f"The {what} part is a share between 0 and 1 or a number of rows, and {value!r} came."
            raise UsageError(message, "Give a share such as 1/3, or a whole number of rows.")
    if group is not None and stratify_asked(stratify):
        message = "A hold-out is either stratified or made of whole groups, and both were asked for."
        raise UsageError(message, f"Folds do both: {either('KFold(3, stratify=True, group=...)', '--design kfold:3')}.")


def _text(design: Holdout | RepeatedHoldout | PairedHoldout) -> str:
    held = getattr(design, "validation", 0)
    return joined(
        f"hold-out of {_part(design.test)}",
        f"validation on {_part(held)}" if held else "",
        stratified_text(design.stratify),
        grouped_text(getattr(design, "group", None)),
    )


def _part(value: float) -> str:
    return f"{shortest(round(100 * value, 1))}%" if value < 1 else many(int(value), "row")
