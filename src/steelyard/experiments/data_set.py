"""The data that models learn from: features, target, weights, and what must not be a feature."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, SupportsFloat

import numpy as np
import numpy.typing as npt

from steelyard.designs.columns import missing as missing_in
from steelyard.engines.plain import plain_level
from steelyard.errors import (
    BadLevels,
    BadWeight,
    EmptyTable,
    LengthsDiffer,
    MissingValues,
    NotNumeric,
    UsageError,
    listing,
)
from steelyard.results import Level
from steelyard.sources.in_memory import (
    as_table,
    column_names,
    column_of,
    drop_columns,
    flat_array,
    hashable,
    number_of_rows,
    plain,
    take_rows,
)
from steelyard.wording import option
from steelyard.words import shortest

PLAIN = (str, bool, int, float, complex, tuple)
"""Values that stay as they are; what cannot be a level of them is refused."""
FEW_NUMBERS = 50
"""Whole numbers with at most this many distinct values are levels, with more of them a quantity."""


@dataclass(frozen=True, eq=False)
class DataSet:
    """Features and target side by side; `given` is the table as it came, from which designs take their columns."""

    name: str
    features: Any
    target: npt.NDArray[Any]
    weight: npt.NDArray[np.float64] | None
    kind: str
    levels: tuple[Any, ...]
    positive: Any
    given: Any = None
    unit: npt.NDArray[Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.target)

    def take(self, rows: npt.NDArray[np.int64]) -> Any:
        """The features of some rows, in the form in which they came."""
        return take_rows(self.features, rows)

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of every value: other data, another fingerprint."""
        import joblib

        parts: list[Any] = [hashable(self.features), plain(self.target), self.weight, self.kind, self.levels]
        parts += [self.positive, None if self.unit is None else plain(self.unit)]
        return hashlib.blake2b(str(joblib.hash(parts)).encode(), digest_size=8).hexdigest()

    def without(self, names: Sequence[str]) -> DataSet:
        """The same data with some columns taken out of the features."""
        there = [n for n in names if n in column_names(self.features)]
        return replace(self, features=drop_columns(self.features, there)) if there else self


def beside(X: object, **given: object) -> tuple[dict[str, Any], list[str]]:
    """What comes beside the features by role, one value for each row, and which columns of X it was."""
    taken = [name for name in given.values() if isinstance(name, str)]
    columns = {
        role: None if v is None else column_of(X, v) if isinstance(v, str) else flat_array(v)
        for role, v in given.items()
    }
    if columns["target"] is None:
        message = "No target was given."
        raise UsageError(message, "Pass y: the values, or the name of a column of X.")
    rows = number_of_rows(X)
    for role, values in columns.items():
        if values is not None and len(values) != rows:
            message = f"X has {rows:,} rows, and the {role} has {len(values):,} values."
            raise LengthsDiffer(message, "Give one value for each row.")
    return columns, taken


def data_set(
    name: str,
    X: object,
    y: object,
    *,
    weight: object = None,
    unit: object = None,
    positive: Level = None,
    kind: str | None = None,
    missing: str = "refuse",
) -> DataSet:
    """Check and bring into one form what came as features and target; `y`, `weight` and `unit` may name columns of X."""
    given = X = as_table(X)
    if y is not None and number_of_rows(X) == 0:
        message = "There are no rows."
        raise EmptyTable(message, "At least a few rows are needed to train and to test.")
    columns, taken = beside(X, target=y, weight=weight, unit=unit)
    if taken:
        X = drop_columns(X, taken)
    check_features(X, taken)
    if columns["weight"] is not None:
        columns["weight"] = _checked_weights(_as_numbers(columns["weight"]), missing)
        # Rows of weight zero count as nothing, so nothing is learnt from them and nothing asked of them.
        if not (counting := columns["weight"] != 0).all():
            X, given = (take_rows(table, np.flatnonzero(counting)) for table in (X, given))
            columns = {k: None if v is None else v[counting] for k, v in columns.items()}
    keep, dropped = _complete(columns, missing)
    if dropped:
        X, given = take_rows(X, keep), take_rows(given, keep)
        # Once the gaps are gone, truth values and whole numbers are what they were.
        columns = {k: None if v is None else flat_array(v[keep]) for k, v in columns.items()}
    target = written_plainly(columns["target"])
    positive = _plain(positive)
    kind = kind or kind_of(target)
    levels: tuple[Any, ...] = ()
    if kind == "levels":
        target, levels = as_levels(target)
        positive = positive_of(levels, positive)
    else:
        if positive is not None:
            named = shortest(positive) if isinstance(positive, float) else listing([positive])
            message = f"The target is a quantity, which has no positive level, and {named} was named."
            raise UsageError(message, f"Leave it out; if the numbers are levels, say {option('kind', 'labels')}.")
        target = _as_numbers(target)
    w = columns["weight"]
    facts = {"dropped": dropped} if dropped else {}
    return DataSet(name, X, target, w, kind, levels, positive, given, columns["unit"], facts)


def check_features(X: object, taken: Sequence[str] = ()) -> None:
    """Refuse a table that has no column left to learn from."""
    shape: tuple[int, ...] = tuple(X.shape) if hasattr(X, "shape") else ()
    if len(shape) != 2 or shape[1]:
        return
    used = f" beside {listing(taken)}" if taken else ""
    message = f"The table has no column{used}: there is nothing to learn from."
    raise EmptyTable(message, "Give at least one column that tells something about the target.")


def _checked_weights(values: npt.NDArray[np.float64], missing: str) -> npt.NDArray[np.float64]:
    """Weights of zero or above; others are refused before anything is trained, rows without any unless they are left out."""
    good = np.isfinite(values) & (values >= 0)
    bad = int((~good & ~(np.isnan(values) & (missing == "drop"))).sum())
    if bad:
        message = (
            f"Of {len(values):,} rows, {bad:,} {'has' if bad == 1 else 'have'} a weight that is missing or negative."
        )
        raise BadWeight(message, "Weights must be zero or above; rows that should not count have a weight of zero.")
    return values


def written_plainly(target: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Decimals, fractions, dates and bytes as the numbers and texts that `evaluate` takes them for; other targets as they are."""
    if target.dtype.kind != "O":
        return target
    plain = np.empty(len(target), dtype=object)
    plain[:] = [_plain(value) for value in target]
    return flat_array(plain)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, PLAIN) else plain_level(value)


def kind_of(target: npt.NDArray[Any]) -> str:
    """Whether a target is levels or a quantity; missing values say nothing."""
    if target.dtype.kind == "f":
        target = target[np.isfinite(target)]
        return "levels" if bool(np.all(target % 1 == 0)) and len(np.unique(target)) <= 2 else "continuous"
    if target.dtype.kind in "iu":
        return "levels" if len(np.unique(target)) <= FEW_NUMBERS else "continuous"
    return "levels"


def as_levels(target: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], tuple[Any, ...]]:
    """The target as labels, and its levels in order."""
    if target.dtype.kind == "f":
        found = np.unique(target)
        if len(found) > FEW_NUMBERS or np.any(found % 1 != 0):
            shown = listing([float(v) for v in found[:3]])
            message = f"Labels are needed, and the target holds {len(found):,} distinct numbers, such as {shown}."
            hint = f"If it is a quantity, say {option('kind', 'continuous')} and take models for quantities; "
            raise BadLevels(message, hint + "otherwise make levels of it, whole numbers or text.")
        target = target.astype(np.int64)
    levels = levels_in(target)
    if len(levels) < 2:
        message = f"All rows have the same target: {listing(levels)}."
        raise BadLevels(message, "There is nothing to tell apart.")
    if len(levels) > len(target) / 2 and len(levels) > 20:
        message = f"The target has {len(levels):,} levels in {len(target):,} rows."
        hint = f"If it is a quantity, say {option('kind', 'continuous')}; if it is a name, it cannot be learnt."
        raise BadLevels(message, hint)
    return target, levels


def levels_in(target: npt.NDArray[Any]) -> tuple[Any, ...]:
    """The levels of a target in order."""
    try:
        return tuple(np.unique(target).tolist())
    except (TypeError, ValueError, ArithmeticError):
        kinds = listing(sorted({type(v).__name__ for v in target.tolist()}))
        message = f"The target mixes values that cannot be put in order: {kinds}."
        raise BadLevels(message, "Make all of them text, or all of them numbers.") from None


def positive_of(levels: tuple[Any, ...], positive: Level) -> Any:
    """The positive level of two; 0/1 and false/true speak for themselves, others never."""
    if len(levels) != 2 and positive is None:
        return None
    if positive is not None:
        if positive not in levels:
            message = f"The positive level {listing([positive])} is not among {listing(levels)}."
            raise BadLevels(message, "Name one of these levels.")
        return levels[levels.index(positive)] if len(levels) == 2 else None
    if set(levels) == {0, 1}:
        return levels[1]
    message = f"Which level is the positive one? The target has {listing(levels)}."
    raise BadLevels(message, f"Say so: {' or '.join(option('positive', level) for level in levels)}.")


def _complete(columns: Mapping[str, Any], missing: str) -> tuple[npt.NDArray[np.int64], int]:
    """The rows whose target, weight and unit are there; others are refused or left out, never learnt from in silence."""
    there = np.ones(len(columns["target"]), dtype=np.bool_)
    for role, values in columns.items():
        if values is None:
            continue
        gone = ~np.isfinite(values) if values.dtype.kind == "f" else missing_in(values)
        if gone.any() and missing != "drop":
            message = f"{int(gone.sum()):,} of {len(gone):,} rows have a missing {role}."
            raise MissingValues(message, f"Complete them, or leave such rows out: {option('missing', 'drop')}.")
        there &= ~gone
    if not there.any():
        message = "No row has everything it needs."
        raise EmptyTable(message, "Check the columns that were named.")
    return np.flatnonzero(there), int((~there).sum())


def _as_numbers(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    try:
        return np.array([_number(v) for v in values.tolist()])
    except (TypeError, ValueError):
        shown = listing(dict.fromkeys(map(str, values[:50].tolist())), 3)
        message = f"Numbers are needed, and text came: {shown}."
        raise NotNumeric(message, "Use models that classify, or name a column of numbers.") from None


def _number(value: object) -> float:
    """A decimal or the like as a number; text stays text, even where it reads like one."""
    if isinstance(value, str) or not isinstance(value, SupportsFloat):
        raise TypeError
    return float(value)
