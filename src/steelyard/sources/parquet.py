"""Parquet files by their parts: what compiled loops of our own count while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

BATCH = 1 << 17
Pair = tuple[Any, Any]
Part = Callable[[], Iterator[Pair]]


def parquet_length(paths: Sequence[str], most: int) -> int:
    """How many rows the footers of files tell; beyond `most` no more files are looked at."""
    import pyarrow.parquet as pq

    rows = 0
    for path in paths:
        rows += pq.read_metadata(path).num_rows
        if rows > most:
            break
    return rows


def parquet_parts(paths: Sequence[str], score: str, target: str) -> list[Part] | None:
    """One function for every row group of the files; None if one of them lacks a column."""
    import pyarrow.parquet as pq

    footers = [pq.read_metadata(path) for path in paths]
    if not all({score, target} <= set(footer.schema.to_arrow_schema().names) for footer in footers):
        return None
    return [
        partial(_read, path, footer, group, score, target)
        for path, footer in zip(paths, footers, strict=True)
        for group in range(footer.num_row_groups)
    ]


def _read(path: str, footer: Any, group: int, score: str, target: str) -> Iterator[Pair]:
    import pyarrow.parquet as pq

    # Mapped, since the pages lie in memory already or come in order: reading them into a buffer first took a tenth longer.
    with pq.ParquetFile(path, metadata=footer, memory_map=True, pre_buffer=False) as file:
        for batch in file.iter_batches(BATCH, row_groups=[group], columns=[score, target], use_threads=False):
            yield arrow_pair(batch.column(score), batch.column(target))


def arrow_pair(score: Any, target: Any) -> Pair:
    """Scores and targets of a batch; a missing one becomes a score that cannot be used."""
    odd = (np.full(1, np.nan), np.zeros(1, dtype=np.int8))
    if score.null_count or target.null_count:
        return odd
    x, y = (np.asarray(values.to_numpy(zero_copy_only=False)) for values in (score, target))
    if y.dtype.itemsize > 1 and ((y < 0) | (y > 1)).any():
        return odd
    return np.ascontiguousarray(x, dtype=np.float64), y.astype(np.int8, copy=False)
