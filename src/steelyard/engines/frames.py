"""Counting tables where they live, as expressions: DuckDB and whatever else Narwhals speaks to lazily."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard import grid
from steelyard.engines.columns import bucket_of_integers, plain_level
from steelyard.errors import NotNumeric
from steelyard.rows import (
    BAD_WEIGHT,
    GOOD,
    INFINITE_SCORE,
    NO_PREDICTION,
    NO_SCORE,
    NO_TARGET,
    NO_UNIT,
    NO_WEIGHT,
    Table,
    Tally,
)

BUCKET_COLUMN = "steelyard bucket of the unit"


class FrameRows:
    """Rows of a lazy frame, with the column that plays each role."""

    engine = "frames"

    def __init__(self, frame: Any, columns: Mapping[str, str], bucket_column: str = "") -> None:
        import narwhals.stable.v2 as nw

        self.nw: Any = nw
        self.frame = frame
        self.columns = dict(columns)
        self.bucket_column = bucket_column
        self.schema = frame.collect_schema()

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        return role in self.columns

    def kind(self, role: str) -> str:
        """What the column holds."""
        dtype = self.schema[self.columns[role]]
        if dtype == self.nw.Boolean:
            return "bool"
        if dtype.is_integer():
            return "int"
        return "float" if dtype.is_numeric() else "text"

    # The row language ------------------------------------------------------------------------------------------------
    def value(self, role: str) -> Any:
        """The numbers of a column."""
        if self.kind(role) == "text":
            message = f'The column "{self.columns[role]}" holds text where numbers are needed.'
            raise NotNumeric(message, "Name another column for this role, or convert the values to numbers first.")
        if self.kind(role) == "bool":
            return self.flag(self.nw.col(self.columns[role]))
        return self.nw.col(self.columns[role]).cast(self.nw.Float64)

    def level(self, role: str) -> Any:
        """The levels of a column, as a key."""
        column = self.nw.col(self.columns[role])
        dtype = self.schema[self.columns[role]]
        if dtype == self.nw.Decimal:
            return column.cast(self.nw.Float64)
        if self.kind(role) == "text" and dtype != self.nw.String:
            return column.cast(self.nw.String)
        return column

    def bucket(self, role: str) -> Any:
        """The bucket of each unit."""
        if self.bucket_column:
            return self.nw.col(self.bucket_column)
        return bucket_of_integers(self.nw.col(self.columns[role]).cast(self.nw.Int64))

    def shrink(self, x: Any, bits: int) -> Any:
        """Drop the last bits of a whole number."""
        return x if bits == 0 else (x - x % (1 << bits)) // (1 << bits)

    def cell(self, x: Any, m: int) -> Any:
        """The grid cell of each number; cell 0 for what is not a finite number."""
        return self.chain([(~self._finite(x), 0)], grid.expression(self, x, m)).cast(self.nw.Int64)

    def number(self, value: float) -> Any:
        """A constant."""
        return self.nw.lit(value)

    @staticmethod
    def whole(x: Any) -> Any:
        """The largest whole number not above x."""
        return x.floor()

    @staticmethod
    def absolute(x: Any) -> Any:
        """Distance from zero."""
        return x.abs()

    def chain(self, cases: Sequence[tuple[Any, Any]], otherwise: Any) -> Any:
        """The value of the first case that holds."""
        nw = self.nw
        out = otherwise if not isinstance(otherwise, int | float) else nw.lit(otherwise)
        for condition, value in reversed(cases):
            out = nw.when(condition).then(value if not isinstance(value, int | float) else nw.lit(value)).otherwise(out)
        return out

    def flag(self, condition: Any) -> Any:
        """One where it holds, else zero."""
        return self.nw.when(condition).then(self.nw.lit(1.0)).otherwise(self.nw.lit(0.0))

    def is_level(self, role: str, level: Any) -> Any:
        """Whether a column holds this level."""
        return self.level(role) == level

    def _finite(self, x: Any) -> Any:
        return ~(x.is_null() | x.is_nan()) & (x.abs() < np.inf)

    def state(self, *, scores: Sequence[str] = (), numbers: Sequence[str] = (), labels: Sequence[str] = ()) -> Any:
        """Whether a row is usable, and if not why."""
        checks: list[tuple[Any, int]] = []
        for role in labels:
            column = self.level(role)
            gone = column.is_null()
            if self.kind(role) == "float":
                gone = gone | self.value(role).is_nan()
            checks.append((gone, NO_PREDICTION if role == "prediction" else NO_TARGET))
        for role in (*scores, *numbers):
            x = self.value(role)
            code = {"target": NO_TARGET, "prediction": NO_PREDICTION}.get(role, NO_SCORE)
            checks.append((x.is_null() | x.is_nan(), code))
            checks.append((x.abs() == np.inf, INFINITE_SCORE))
        if self.has("weight"):
            w = self.value("weight")
            checks.append((~self._finite(w), NO_WEIGHT))
            checks.append((w <= 0.0, BAD_WEIGHT))
        if self.has("unit"):
            checks.append((self.nw.col(self.columns["unit"]).is_null(), NO_UNIT))
        return self.chain(checks, GOOD)

    # The one operation -----------------------------------------------------------------------------------------------
    def tally(self, request: Tally) -> Table:
        """Group, add up, note extremes – one query."""
        nw = self.nw
        keys = {f"k_{k}": self._expression(t(self)) for k, t in request.by.items()}
        terms = {
            f"{prefix}_{k}": self._expression(t(self))
            for prefix, entries in (("s", request.sums), ("l", request.lows), ("h", request.highs))
            for k, t in entries.items()
        }
        selected = self.frame.select(**keys, **terms)
        aggregated = selected.group_by(*keys).agg(
            nw.len().alias("rows"),
            *(nw.col(f"s_{k}").sum() for k in request.sums),
            *(nw.col(f"l_{k}").min() for k in request.lows),
            *(nw.col(f"h_{k}").max() for k in request.highs),
        )
        raw = collect(aggregated)
        out: Table = {k: _key_values(raw[f"k_{k}"]) for k in request.by}
        out["rows"] = np.asarray(raw["rows"]).astype(np.int64)
        for prefix, entries in (("s", request.sums), ("l", request.lows), ("h", request.highs)):
            for k in entries:
                out[k] = np.ma.filled(np.ma.asarray(raw[f"{prefix}_{k}"]).astype(np.float64), np.nan)
        return out

    def _expression(self, term: Any) -> Any:
        return self.nw.lit(term) if isinstance(term, int | float | bool) else term


def _key_values(values: Any) -> npt.NDArray[Any]:
    """A key column as whole numbers, floats, or plain levels with None for missing."""
    masked = np.ma.asarray(values)
    if masked.dtype.kind in "iuf" and not np.ma.getmaskarray(masked).any():
        array = np.asarray(masked)
        return array if array.dtype.kind == "f" else array.astype(np.int64)
    if masked.dtype.kind == "b" and not np.ma.getmaskarray(masked).any():
        return np.asarray(masked)
    out = np.empty(len(masked), dtype=object)
    out[:] = [None if v is np.ma.masked else plain_level(v) for v in masked.tolist()]
    return out


def collect(frame: Any) -> dict[str, Any]:
    """The columns of a small lazy result as arrays; DuckDB hands over NumPy itself and so needs no Arrow."""
    import narwhals.stable.v2 as nw

    native = nw.to_native(frame)
    if hasattr(native, "fetchnumpy"):
        return dict(native.fetchnumpy())
    result = frame.collect()
    return {name: result[name].to_numpy() for name in result.columns}
