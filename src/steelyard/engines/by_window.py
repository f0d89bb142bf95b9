"""Columns counted into bins window by window: all columns and all windows of a table in one SELECT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.answers import plain_numbers
from steelyard.engines.binned import BinnedColumns, Intervals, plain_levels
from steelyard.engines.sql import SOURCE
from steelyard.results import Array, Codes

TRUTHS = {"true": True, "false": False}
"""Truth values as databases write them."""


@dataclass(frozen=True, slots=True)
class ByWindow:
    """Rows of each window in each bin, or of each level: how many, how many that weigh anything, sums of weights and squares."""

    window: Codes
    cell: npt.NDArray[Any]
    rows: Array
    live: Array
    total: Array
    squares: Array


class WindowedColumns(BinnedColumns):
    """Columns of a table that is asked in SQL, whose rows have a window by its place."""

    def by_window(self, bins: Mapping[str, Intervals], levels: Sequence[str]) -> dict[str, ByWindow]:
        """How many rows of each window lie in each bin, or have each level, of all columns in one scan."""
        if not bins and not levels:
            return {}
        cells = [self.number_in(role, b).cell for role, b in bins.items()]
        kept = [*cells, *(f"cast({self.level_of(role)} as {self.table.text})" for role in levels)]
        parts = {"w": f"cast({self.table.quoted('window')} as integer)"} | {f"c{i}": x for i, x in enumerate(kept)}
        sums = "count(*) as n"
        if self.rows.has("weight"):
            parts["weight"] = self.number_of("weight")
            sums += ", sum(case when weight <> 0 then 1 else 0 end) as live, sum(weight) as total, sum(weight * weight) as square"
        told: dict[str, list[str]] = {"which": [], "cell": [], "level": []}
        for i in range(len(kept)):
            told["which"].append(f"when grouping(c{i}) = 0 then {i}")
            told["cell" if i < len(cells) else "level"].append(f"when grouping(c{i}) = 0 then c{i}")
        keys = [f"case {' '.join(cases)} end as {name}" for name, cases in told.items() if cases]
        sets = ", ".join(f"(w, c{i})" for i in range(len(kept)))
        sql = f"select w, {', '.join(keys)}, {sums} from {SOURCE} group by grouping sets ({sets})"
        found = {k: np.ma.asarray(v) for k, v in self.table.project(parts).ask(sql).items()}
        which, out = plain_numbers(found["which"]), {}
        for i, role in enumerate((*bins, *levels)):
            mine = {k: v[which == i] for k, v in found.items()}
            cell: Any = (
                plain_numbers(mine["cell"]).astype(np.int64) if role in bins else self._levels(role, mine["level"])
            )
            n = plain_numbers(mine["n"])
            weighed = [plain_numbers(mine[k]) for k in ("live", "total", "square")] if "live" in mine else [n, n, n]
            out[role] = ByWindow(plain_numbers(mine["w"]).astype(np.int64), cell, n, *weighed)
        return out

    def _levels(self, role: str, found: Any) -> npt.NDArray[Any]:
        """Levels as arrays have them; truth values were written as text, to stand in one column with others."""
        written = plain_levels(found)
        if self.rows.kind(role) == "bool":
            written = [TRUTHS.get(str(v).lower()) for v in written]
        return np.array(written, dtype=object)

    def new_by_window(self, bins: Mapping[str, Intervals]) -> dict[int, dict[str, tuple[float, float]]]:
        """The least and the greatest number of each window that is new."""
        parts = {"w": self.table.quoted("window")} | {
            f"c{i}": self.number_in(role, b).new for i, (role, b) in enumerate(bins.items())
        }
        ends = ", ".join(f"min(c{i}) as a{i}, max(c{i}) as b{i}" for i in range(len(bins)))
        some = self.table.filter(f"{self.number_of('weight')} <> 0") if self.rows.has("weight") else self.table
        found = some.project(parts).ask(f"select w, {ends} from {SOURCE} group by w")
        told = [[plain_numbers(found[f"{end}{i}"]).tolist() for end in "ab"] for i in range(len(bins))]
        places = plain_numbers(found["w"]).astype(np.int64).tolist()
        return {w: {role: (a[k], b[k]) for role, (a, b) in zip(bins, told, strict=True)} for k, w in enumerate(places)}
