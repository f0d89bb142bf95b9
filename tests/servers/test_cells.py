"""The cell of a score in plain SQL, on servers that cannot see the bits of a number, is that of the grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.rows.test_grid import AWKWARD, FINENESS

from steelyard.engines.sql import SOURCE, Expression, SqlFrame, Vocabulary
from steelyard.rows import grid
from steelyard.sources.postgres import PostgresTable, connect
from steelyard.sources.spark import SparkTable
from steelyard.sources.tables import Table


def _agrees(table: Table) -> None:
    for m in FINENESS:
        frame = SqlFrame(table)

        def keep(part: str) -> str:
            nonlocal frame
            name = f"part {len(frame.table.columns)}"
            frame = frame.with_columns(**{name: Expression(part, Vocabulary(frame.table))})
            return str(frame.table.quoted(name))

        cell = table.cell("x", m, -7, keep)
        found = frame.table.ask(f"select x, {cell} as cell from {SOURCE}")
        x, cell = (np.ma.filled(np.ma.asarray(found[name]).astype(float), np.nan) for name in ("x", "cell"))
        usual = np.isfinite(x)
        assert usual.sum() == len(AWKWARD)
        np.testing.assert_array_equal(cell[usual], grid.encode(x[usual], m))
        assert (cell[~usual] == -7).all() and (~usual).sum() == 4


ROWS = pa.table({"x": pa.array([*AWKWARD.tolist(), float("nan"), float("inf"), -float("inf"), None])})


@pytest.mark.xdist_group("postgres")
def test_postgresql(postgres: Any) -> None:
    postgres.load("cells", ROWS)
    _agrees(PostgresTable(connect(postgres.reader_uri), "select * from cells"))


@pytest.mark.xdist_group("spark")
def test_spark(spark: Any) -> None:
    _agrees(SparkTable(spark.createDataFrame(ROWS)))
