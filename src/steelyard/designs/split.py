"""One division of the rows: train, perhaps validate, and test, with no row in two of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from steelyard.errors import UsageError

Places = npt.NDArray[np.int64]
APPARENT = "apparent"
"""The label of the one division that has no test part: it is judged by the rows that it learnt from."""
SPARSE = 50
"""Row numbers so many times as large as there are rows are compared without a mark for each."""


@dataclass(frozen=True, eq=False, slots=True, init=False)
class Split:
    """Row numbers to train, validate and test on; a bootstrap trains on some rows several times.

    >>> split = Split([0, 1, 1], [2], repeat=1, fold=2)
    >>> split.name, split.test.tolist(), split.validation.tolist()
    ('repeat 2, fold 3', [2], [])
    """

    train: Places
    test: Places
    validation: Places
    repeat: int
    fold: int
    inner: int
    """A division inside a division, from 0; −1 where there is none."""
    label: str

    def __init__(
        self,
        train: npt.ArrayLike,
        test: npt.ArrayLike,
        validation: npt.ArrayLike | None = None,
        repeat: int = 0,
        fold: int = 0,
        inner: int = -1,
        label: str = "",
    ) -> None:
        values = {
            "train": _places(train, "training"),
            "test": _places(test, "test"),
            "validation": _places([] if validation is None else validation, "validation"),
            "repeat": int(repeat),
            "fold": int(fold),
            "inner": int(inner),
            "label": label,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        if not len(self.train):
            message = f"In {self.name} no row trains."
            raise UsageError(message, "A model needs rows to learn from: leave more of them to the training part.")
        if not len(self.test) and self.label != APPARENT:
            message = f"In {self.name} no row tests."
            raise UsageError(message, "Give the test part some rows, or take fewer parts.")
        for name, part in (("validation", self.validation), ("test", self.test)):
            if len(np.unique(part)) < len(part):
                message = f"In {self.name} a row stands twice in the {name} part."
                raise UsageError(message, "Only the training part may hold a row several times, as in a bootstrap.")
        parts = {"training": self.train, "validation": self.validation, "test": self.test}
        for first, second in combinations(parts, 2):
            both = _shared(parts[first], parts[second])
            if len(both):
                rows = "1 row is" if len(both) == 1 else f"{len(both):,} rows are"
                message = f"{rows} in both the {first} and the {second} part of {self.name}, such as row {both[0]}."
                raise UsageError(message, "A row that was learnt from tells nothing: keep the parts apart.")

    @property
    def name(self) -> str:
        """Which repeat and fold it is, counted from one, or its label where it has one."""
        if self.label:
            return self.label
        inner = f", inner {self.inner + 1}" if self.inner >= 0 else ""
        return f"repeat {self.repeat + 1}, fold {self.fold + 1}{inner}"

    @property
    def fingerprint(self) -> str:
        """Short hexadecimal text that differs where a part differs, in its rows or in their order."""
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.train, self.validation, self.test):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part.astype("<i8").tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Split):
            return NotImplemented
        places = ((s.repeat, s.fold, s.inner, s.label, s.fingerprint) for s in (self, other))
        return next(places) == next(places)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        sizes = f"{len(self.train):,} train, {len(self.validation):,} validate, {len(self.test):,} test"
        return f"<Split {self.name}: {sizes}>"


def _shared(first: Places, second: Places) -> Places:
    """Rows of the second part that are in the first as well."""
    if not len(first) or not len(second):
        return second[:0]
    top = int(max(first.max(), second.max())) + 1
    if top > SPARSE * (len(first) + len(second)):
        return second[np.isin(second, first)]
    # A mark for each row is many times faster than sorting, which leaving one out would do for every row.
    marked = np.zeros(top, dtype=np.bool_)
    marked[first] = True
    return second[marked[second]]


def _places(values: npt.ArrayLike, part: str) -> Places:
    found = np.asarray(values)
    if not found.size:
        found = found.reshape(-1).astype(np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        message = f"The {part} part is a list of row numbers, and something else came ({found.dtype}, {found.ndim}-D)."
        raise UsageError(message, "Of a mask, np.flatnonzero(mask) gives the row numbers.")
    if found.size and int(found.min()) < 0:
        message = f"The {part} part holds the row number {found.min()}, and rows are counted from 0."
        raise UsageError(message, "Count rows from the first, without negative numbers.")
    # A view, so that the caller's own array can still be written to.
    kept = found.astype(np.int64, copy=False).view()
    kept.flags.writeable = False
    return kept
