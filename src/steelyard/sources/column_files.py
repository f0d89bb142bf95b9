"""Columns in Parquet files of our own: written whole or not at all, and read back as arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.answers import Answer


class ColumnFiles:
    """Reads and writes files of columns by a connection of DuckDB that is opened when it is first needed."""

    def __init__(self) -> None:
        self._connection: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """A copy opens a connection of its own."""
        return {"_connection": None}

    def _duckdb(self) -> Any:
        import duckdb

        if self._connection is None:
            self._connection = duckdb.connect(config={"threads": 1})
        return self._connection

    def read(self, path: Path) -> Answer:
        """The columns of a file."""
        name = str(path).replace("'", "''")
        columns = self._duckdb().execute(f"select * from read_parquet('{name}')").fetchnumpy()
        # DuckDB takes NaN for a missing number, and marks it as such.
        return {k: np.asarray(np.ma.filled(v, np.nan) if v.dtype.kind == "f" else v) for k, v in columns.items()}

    def write(self, path: Path, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Write columns to a file, objects as text; an OSError says why that cannot be."""
        import duckdb

        part = path.with_name(f".{path.name}.{os.getpid()}")
        table = {k: v if v.dtype.kind != "O" else v.astype(str) for k, v in columns.items()}
        name = str(part).replace("'", "''")
        connection = self._duckdb()
        try:
            connection.register("predicted", table)
            connection.execute(f"copy predicted to '{name}' (format parquet)")
            os.replace(part, path)
        except duckdb.Error as problem:
            raise OSError(str(problem).split("\n")[0].rstrip(".")) from problem
        finally:
            connection.unregister("predicted")
            part.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the connection; another is opened when it is needed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
