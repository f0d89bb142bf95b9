"""Parquet files by their parts: what compiled loops of our own count while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

BATCH = 1 << 17
"""Rows of a batch that is counted by ourselves."""
Pair = tuple[Any, Any]
Part = Callable[[], Iterator[Pair]]
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
    """One function for every row group of the files; None if one of them lacks a column or cannot be read."""
    parts: list[Part] = []
    for path in paths:
        footer = _footer(path)
        if footer is None or not {score, target} <= {footer.schema.column(i).path for i in range(footer.num_columns)}:
            return None
        parts += [partial(_read, path, footer, group, score, target) for group in range(footer.num_row_groups)]
    return parts


def _footer(path: str) -> Any:
    import pyarrow.parquet as pq
    from pyarrow.lib import ArrowException

    try:
        return pq.read_metadata(path)
    except (ArrowException, OSError):
        return None


def _read(path: str, footer: object, group: int, score: str, target: str) -> Iterator[Pair]:
    import pyarrow.parquet as pq
    from pyarrow.lib import ArrowException

    try:
        # Mapped, since the pages lie in memory already or come in order: reading them into a buffer took a tenth longer.
        with pq.ParquetFile(path, metadata=footer, memory_map=True, pre_buffer=False) as file:
            for batch in file.iter_batches(BATCH, row_groups=[group], columns=[score, target], use_threads=False):
                yield arrow_pair(batch.column(score), batch.column(target))
    except (ArrowException, OSError):
        # What PyArrow cannot read DuckDB may: it is asked next, and says what is wrong if anything is.
        yield ODD


def arrow_pair(score: Any, target: Any) -> Pair:
    """Scores and targets of a batch; a missing one becomes a score that cannot be used."""
    if score.null_count or target.null_count:
        return ODD
    x, y = (np.asarray(values.to_numpy(zero_copy_only=False)) for values in (score, target))
    if y.dtype.itemsize > 1 and ((y < 0) | (y > 1)).any():
        return ODD
    return np.ascontiguousarray(x, dtype=np.float64), y.astype(np.int8, copy=False)
