"""Rows that have a prediction and no target, counted beside those that have both, so that the two can be compared.

Labels are seldom missing at random: often only the rows that a model flagged were looked at. What was predicted is known of all
rows, so it tells whether the rows that were evaluated speak for those that could not be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import CannotAdd
from steelyard.results import Array
from steelyard.summaries.cells import Cells
from steelyard.summaries.summary import pack, same, sort_levels, unpack

WITHOUT, WITH = 0, 1
"""Columns: rows without a target, rows with one."""


@dataclass(frozen=True, eq=False, slots=True)
class Unlabelled:
    """What was predicted for rows without a target and for rows with one: by score (or number), or by predicted level.

    >>> a = Unlabelled.of_levels(("no", "yes"), [[90, 10], [5, 60]])
    >>> (a + a).missing, a.rows
    (190, 165)
    """

    kind: ClassVar[str] = "unlabelled"

    cells: Cells | None = None
    levels: tuple[Any, ...] = ()
    counts: Array | None = None

    @classmethod
    def of_levels(cls, levels: tuple[Any, ...], counts: Any) -> Unlabelled:
        """By predicted level: one row each of rows without and with a target."""
        return cls(None, tuple(levels), np.asarray(counts, dtype=np.float64))

    @property
    def table(self) -> Array:
        """Rows without and with a target, by cell or level."""
        if self.cells is not None:
            return self.cells.counts
        assert self.counts is not None
        return self.counts

    @property
    def rows(self) -> int:
        """All rows that have a prediction."""
        return round(float(self.table.sum()))

    @property
    def missing(self) -> int:
        """How many of them have no target."""
        return round(float(self.table[:, WITHOUT].sum()))

    def __add__(self, other: Unlabelled) -> Unlabelled:
        if (self.cells is None) != (other.cells is None):
            message = "These summaries cannot be added: one counts scores, the other predicted levels."
            raise CannotAdd(message, "Evaluate both parts in the same way.")
        if self.cells is not None and other.cells is not None:
            return Unlabelled(self.cells + other.cells)
        levels = sort_levels(self.levels + other.levels)
        out = np.zeros((len(levels), 2))
        for part in (self, other):
            out[[levels.index(v) for v in part.levels]] += part.table
        return Unlabelled(None, levels, out)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Unlabelled)
            and self.cells == other.cells
            and self.levels == other.levels
            and same(self.counts, other.counts)
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        cells = None if self.cells is None else self.cells.to_dict()
        return {"kind": self.kind, "cells": cells, "levels": list(self.levels), "counts": pack(self.counts)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Unlabelled:
        """Read back what `to_dict` wrote."""
        cells = None if data["cells"] is None else Cells.from_dict(data["cells"])
        return cls(cells, tuple(data["levels"]), unpack(data["counts"]))


def read_unlabelled(table: Mapping[str, Any], missing: Any) -> Unlabelled | None:
    """From the answer to any request that tells rows apart by what was predicted; None where it does not.

    `missing` marks the entries of rows without a target; entries without a prediction either count for nothing.
    """
    rows = table["rows"].astype(np.float64)
    column = np.where(missing, WITHOUT, WITH)
    key = next((k for k in ("score", "cell", "label", "best") if k in table), None)
    if key is None or "bucket" in table or not missing.any():
        return None
    if key in {"score", "cell"}:
        low, high = (table[k if key == "cell" else key].astype(np.float64) for k in ("low", "high"))
        keys = table["cell"].astype(np.int64) if key == "cell" else low
        fine = np.isfinite(low) & np.isfinite(high)
        if not fine.any():
            return None
        found, place = np.unique(keys[fine], return_inverse=True)
        counts = np.zeros((len(found), 2))
        np.add.at(counts, (place, column[fine]), rows[fine])
        ends = np.full(len(found), np.inf), np.full(len(found), -np.inf)
        np.minimum.at(ends[0], place, low[fine])
        np.maximum.at(ends[1], place, high[fine])
        first, last = (ends[0], ends[0]) if key == "score" else ends
        order = np.argsort(first, kind="stable")
        whole = round(float(counts.sum()))
        if key == "score":
            return Unlabelled(Cells.of(first, counts, whole))
        return Unlabelled(Cells(first[order], last[order], counts[order], whole, gridded=True))
    values = table[key].tolist()
    levels = sort_levels(v for v in values if v is not None)
    out = np.zeros((len(levels), 2))
    for v, side, n in zip(values, column.tolist(), rows.tolist(), strict=True):
        if v is not None:
            out[levels.index(v), side] += n
    return Unlabelled(None, levels, out)
