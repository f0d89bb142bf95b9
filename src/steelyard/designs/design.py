"""What every design has: its divisions one after the other, its words, its picture, and the columns that it needs."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from steelyard.arguments.allowed import shown
from steelyard.arguments.annotated import as_annotated
from steelyard.designs.split import Split
from steelyard.designs.strata import stratify_asked
from steelyard.errors import EmptyTable, MissingPart, UsageError

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart

ROLES = ("group", "time", "stratify", "folds")


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A way to draw rows; `splits` gives one division after the other, the same ones for the same seed."""

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """The divisions of so many rows, drawn one by one as they are asked for."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it looks up by name, in case they should not be learnt from."""
        found = (getattr(self, role, None) for role in ROLES)
        return tuple(dict.fromkeys(name for name in found if isinstance(name, str)))

    def picture(self, rows: int = 24, y: object = None, data: object = None, width: int = 60) -> str:
        """Which rows train (·), validate (v) and test (T), a line for each division."""
        from steelyard.designs.picture import picture

        return picture(self, rows, y, data, width)

    @as_annotated()
    def chart(self, rows: int | None = None, y: object = None, data: object = None) -> Chart:
        """The same as a chart: rows across, divisions below one another."""
        from steelyard.designs.picture import chart

        return chart(self, rows, y, data)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Design) or type(self) is not type(other):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __hash__(self) -> int:
        return hash((type(self), self.text))


def _same(a: object, b: object) -> bool:
    """Whether two settings are equal; of columns, whether all their values are."""
    if a is b:
        return True
    if any(hasattr(v, "__len__") and not isinstance(v, str) for v in (a, b)):
        return type(a) is type(b) and bool(np.array_equal(np.asarray(a), np.asarray(b)))
    return bool(a == b)


def splitters() -> Any:
    """The splitters of scikit-learn."""
    try:
        from sklearn import model_selection
    except ImportError:
        message = "Rows are drawn by scikit-learn, which is not installed."
        raise MissingPart(message, "Install it: pip install 'steelyard[experiments]'") from None
    return model_selection


def enough_rows(rows: int, least: int = 2) -> int:
    """The number of rows, refused where there are too few to be divided."""
    count = operator.index(rows)
    if count < least:
        message = f"This design needs at least {least} rows, and {'none' if count < 1 else count} came."
        raise EmptyTable(message, "Give a table with more rows.")
    return count


MOST = 2**32
"""No design has more parts, repeats or rows than this."""


def at_least(value: object, least: int, what: str) -> int:
    """A whole number that is not too small, or a sentence."""
    try:
        if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsIndex):
            raise TypeError
        count = operator.index(value)
        wrong = f"must be at least {least}" if count < least else f"must be at most {MOST:,}" if count > MOST else ""
    except TypeError:
        count, wrong = least, "is a whole number"
    if wrong:
        message = f"The {what} {wrong}, and {shown(value)} came."
        raise UsageError(message, f"Give a whole number from {least} on.")
    return count


def check_seed(seed: object) -> int:
    """A seed that every generator takes."""
    found = at_least(seed, 0, "seed")
    if found >= 2**32:
        message = f"The seed must be below 2³², and {shown(found)} came."
        raise UsageError(message, "Take a smaller one.")
    return found


def many(number: int, one: str) -> str:
    """A number of things in words.

    >>> many(1, "repeat"), many(3, "repeat")
    ('1 repeat', '3 repeats')
    """
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def joined(*parts: str) -> str:
    """The parts of a sentence that are there, with commas."""
    return ", ".join(part for part in parts if part)


def stratified_text(stratify: object) -> str:
    """How strata are said."""
    if isinstance(stratify, str):
        return f'stratified by "{stratify}"'
    return "stratified" if stratify_asked(stratify) else ""


def grouped_text(group: object) -> str:
    """How groups are said."""
    return "" if group is None else f'whole groups of "{group}"' if isinstance(group, str) else "whole groups"


def design_of(given: object) -> Design:
    """A design as it is; or made of a text, a scikit-learn splitter or a column of folds.

    >>> print(design_of("kfold:10x3"))
    10 folds, 3 repeats
    >>> print(design_of([1, 1, 2, 2, 3, 3]))
    stored folds
    """
    from steelyard.designs.folds import StoredFolds
    from steelyard.designs.splitter import Splitter
    from steelyard.designs.written import design_from_text

    if isinstance(given, Design):
        return given
    if isinstance(given, str):
        return design_from_text(given)
    if hasattr(given, "split") and hasattr(given, "get_n_splits"):
        return Splitter(given)
    if isinstance(given, list | tuple) and given and all(isinstance(p, tuple) and len(p) == 2 for p in given):
        # Pairs of training and test rows, as scikit-learn takes them for cv.
        return Splitter(splitters().check_cv(list(given)))
    if isinstance(given, list | tuple) or hasattr(given, "__array__") or hasattr(given, "to_pylist"):
        return StoredFolds(given)
    if isinstance(given, type) and issubclass(given, Design):
        message = f"A design came as its class, {given.__name__}, and not made."
        raise UsageError(message, f"Write {given.__name__}(...), with brackets.")
    kind = type(given).__name__
    message = "A design is a text, a Design, a scikit-learn splitter or a column of folds, "
    message += f"and an object of the type {kind} came."
    raise UsageError(message, 'For example "kfold:10" or KFold(10, stratify=True).')
