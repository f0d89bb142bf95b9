"""Parquet files by their parts: what compiled loops of our own count while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.sources.pages import OtherPages, PagedColumn

BATCH = 1 << 16
"""Rows of a batch that is counted by ourselves."""
TOGETHER = 1 << 19
"""Rows of the row groups that one thread reads in a row: to open a file anew for each takes a fifth of the time."""
Pair = tuple[Any, Any]
Part = Callable[[], Iterator[Pair]]
LOOKED_AT = {np.dtype(kind) for kind in (np.int8, np.int32, np.int64)}
"""Targets of which the compiled loops see for themselves whether they are 0 and 1."""
ODD = (np.full(1, np.nan), np.zeros(1, dtype=np.int8))
"""A score that cannot be used: it stands for a batch in which not all of them can."""


def parquet_length(paths: Sequence[str], most: int) -> int | None:
    """How many rows the footers of files tell; beyond `most` no more files are looked at. None if one cannot be read."""
    rows = 0
    for path in paths:
        footer = _footer(path)
        if footer is None:
            return None
        rows += footer.num_rows
        if rows > most:
            break
    return rows


def parquet_parts(paths: Sequence[str], score: str, target: str) -> list[Part] | None:
    """One function for every few row groups of the files; None if one of them lacks a column or cannot be read."""
    parts: list[Part] = []
    for path in paths:
        footer = _footer(path)
        if footer is None or not {score, target} <= {footer.schema.column(i).path for i in range(footer.num_columns)}:
            return None
        parts += [partial(_read, path, footer, groups, score, target) for groups in _together(footer)]
    return parts


def _together(footer: Any) -> Iterator[list[int]]:
    """Row groups, as many at a time as together hold so many rows."""
    groups: list[int] = []
    rows = 0
    for group in range(footer.num_row_groups):
        size = footer.row_group(group).num_rows
        if groups and rows + size > TOGETHER:
            yield groups
            groups, rows = [], 0
        groups.append(group)
        rows += size
    if groups:
        yield groups


def _footer(path: str) -> Any:
    import pyarrow.parquet as pq
    from pyarrow.lib import ArrowException

    try:
        return pq.read_metadata(path)
    except (ArrowException, OSError):
        return None


def _read(path: str, footer: Any, groups: list[int], score: str, target: str) -> Iterator[Pair]:
    import pyarrow as pa
    from pyarrow.lib import ArrowException

    try:
        # Mapped, since the pages lie in memory already or come in order: reading them into a buffer took a tenth longer.
        with pa.memory_map(path) as source:
            for group in groups:
                try:
                    x, y = (PagedColumn(source, footer, group, name) for name in (score, target))
                except OtherPages:
                    yield from _by_pyarrow(source, footer, group, score, target)
                else:
                    yield from _paired(x, y)
    except (ArrowException, OSError, OtherPages):
        # What PyArrow cannot read DuckDB may: it is asked next, and says what is wrong if anything is.
        yield ODD


def _by_pyarrow(source: object, footer: object, group: int, score: str, target: str) -> Iterator[Pair]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(source, metadata=footer, pre_buffer=False)
    for batch in file.iter_batches(BATCH, row_groups=[group], columns=[score, target], use_threads=False):
        yield arrow_pair(batch.column(score), batch.column(target))


def _paired(score: PagedColumn, target: PagedColumn) -> Iterator[Pair]:
    """Scores and targets of the same rows: pages of the one column end where those of the other do not."""
    # Words are few: what is known of them is known of all rows.
    narrow = target.kind == np.int8 or not (target.plain or _beyond_one(target.words))
    targets = target.read(np.int8 if narrow else np.int64)
    y = np.zeros(0, dtype=np.int8)
    for x in score.read(np.float32 if score.kind == np.float32 else np.float64):
        start = 0
        while start < len(x):
            if not len(y):
                y = next(targets)
            size = min(len(x) - start, len(y))
            yield x[start : start + size], y[:size]
            start, y = start + size, y[size:]


def arrow_pair(score: Any, target: Any) -> Pair:
    """Scores and targets of a batch; a missing one becomes a score that cannot be used."""
    if score.null_count or target.null_count:
        return ODD
    x, y = (np.asarray(values.to_numpy(zero_copy_only=False)) for values in (score, target))
    if x.dtype != np.float32:
        x = x.astype(np.float64, copy=False)
    if y.dtype not in LOOKED_AT:
        if _beyond_one(y):
            return ODD
        y = y.astype(np.int8)
    return np.ascontiguousarray(x), y


def arrow_numbers(batch: Any) -> list[Any]:
    """The columns of a batch as arrays of numbers, NaN where one is missing."""
    return [column.to_numpy(zero_copy_only=False) for column in batch.columns]


def _beyond_one(y: npt.NDArray[Any]) -> bool:
    """Whether some target is neither 0 nor 1, or may lie between."""
    if y.dtype.kind in "iu" and len(y):
        # Without their sign numbers below zero are large.
        return bool(y.view(f"u{y.dtype.itemsize}").max() > 1)
    return bool(((y < 0) | (y > 1)).any())
