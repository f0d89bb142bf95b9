"""Parquet files by their parts: what compiled loops of our own count while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

BATCH = 1 << 17
Pair = tuple[Any, Any]


def parquet_parts(paths: Sequence[str], score: str, target: str) -> Iterator[Callable[[], Iterator[Pair]]] | None:
    """One function for every row group of the files; None if one of them lacks a column."""
    import pyarrow.parquet as pq

    groups = []
    for path in paths:
        found = pq.ParquetFile(path)
        if not {score, target} <= set(found.schema_arrow.names):
            return None
        groups.append(found.num_row_groups)
    return (partial(_read, path, i, score, target) for path, n in zip(paths, groups, strict=True) for i in range(n))


def _read(path: str, group: int, score: str, target: str) -> Iterator[Pair]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
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
