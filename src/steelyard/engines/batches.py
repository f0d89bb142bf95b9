"""Counting a stream of batches with the array engine, one batch in memory at a time: summaries add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.engines.answers import in_our_words, plain_complaint
from steelyard.engines.arrays import ArrayRows
from steelyard.engines.engine import Place, engine
from steelyard.engines.series import series_column
from steelyard.engines.streamed import COUNTED
from steelyard.rows import grid
from steelyard.rows.language import ScoreCells, ScoreTally, Table, Tally, merge_tables

if TYPE_CHECKING:
    import polars as pl

BATCH = 1 << 18


class BatchRows:
    """Rows that arrive in batches; `batches` starts the stream anew for every request."""

    engine = "batches"

    def __init__(self, batches: Callable[[], Iterator[ArrayRows]], kinds: dict[str, str]) -> None:
        self.batches = batches
        self.kinds = kinds
        self._length: int | None = None

    @property
    def length(self) -> int:
        """How many rows there are, or a number above COUNTED."""
        if self._length is None:
            self._length = 0
            for rows in self.batches():
                self._length += rows.length
                if self._length > COUNTED:
                    break
        return self._length

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        return role in self.kinds

    def kind(self, role: str) -> str:
        """What the column holds."""
        return self.kinds[role]

    def rounds(self, role: str) -> bool:
        """Whether some number of a column has more digits than a float."""
        return self.kinds[role] != "bool" and any(rows.rounds(role) for rows in self.batches())

    def only(self, role: str, level: object, *, other: bool = False) -> BatchRows:
        """The rows in which a column holds this level, or the others."""
        batches = self.batches
        return BatchRows(lambda: (rows.only(role, level, other=other) for rows in batches()), self.kinds)

    def score_cells(self, request: ScoreTally) -> ScoreCells | None:
        """The score table of very many rows with a 0/1 target, by compiled loops; None where the one operation has to do."""
        others = any(self.has(role) for role in ("segment", "weight", "unit"))
        usual = self.kinds["target"] in {"int", "bool"} and self.kinds[request.role] in {"int", "float", "bool"}
        if request.exact or others or request.products or len(request.cuts) > 1 or not usual or self.length <= COUNTED:
            return None
        try:
            from steelyard.engines.streams import stream_cells
        except ImportError:
            return None
        cut = request.cuts[0] if request.cuts and grid.cuts(request.cuts[0]) else np.inf
        names = [False, True] if self.kinds["target"] == "bool" else [0, 1]
        return stream_cells((_pair(rows, request.role) for rows in self.batches()), cut, names)

    def tally(self, request: Tally) -> Table:
        """Answer for every batch and add the answers up."""
        parts: list[Table] = []
        for rows in self.batches():
            parts.append(rows.tally(request))
            if len(parts) >= 16:
                parts = [_merged(parts, request)]
        if not parts:
            return merge_tables([ArrayRows({}).tally(Tally())], request) if not request.by else _empty(request)
        return _merged(parts, request)


def _pair(rows: ArrayRows, role: str) -> tuple[Any, Any]:
    """Scores and targets of a batch; a missing one becomes a score that cannot be used."""
    x, target = np.ascontiguousarray(rows.value(role)), rows.columns["target"]
    odd = target.absent() is not None or ((target.values < 0) | (target.values > 1)).any()
    return (np.full(1, np.nan), np.zeros(1, dtype=np.int8)) if odd else (x, target.values.astype(np.int8))


def _merged(parts: list[Table], request: Tally) -> Table:
    # Rows that will be left out may hold NaN.
    with np.errstate(invalid="ignore"):
        return merge_tables(parts, request)


def _empty(request: Tally) -> Table:
    names = [*request.by, "rows", *request.sums, *request.lows, *request.highs]
    return {name: np.zeros(0) for name in names}


@engine(
    "polars lazy",
    takes=lambda data: type(data).__module__.split(".")[0] == "polars" and hasattr(data, "collect_batches"),
    names=lambda data: data.collect_schema().names(),
    place=Place("lazy frames of Polars", "NumPy, one batch at a time", "pass through in batches"),
)
def lazy_batches(data: pl.LazyFrame, roles: Mapping[str, Any]) -> BatchRows:
    """A lazy frame, read anew for every request."""
    import narwhals.stable.v2 as nw

    wanted = list(dict.fromkeys(roles.values()))

    def arrays(frame: pl.DataFrame) -> ArrayRows:
        table = nw.from_native(frame)
        return ArrayRows({role: series_column(role, table.get_column(name), name) for role, name in roles.items()})

    def batches() -> Iterator[ArrayRows]:
        with in_our_words(plain_complaint):
            yield from map(arrays, data.select(wanted).collect_batches(chunk_size=BATCH, maintain_order=False))

    empty = arrays(data.select(wanted).head(0).collect())
    return BatchRows(batches, {role: empty.kind(role) for role in roles})
