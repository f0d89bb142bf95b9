"""Columns that were written are read back, and a file is there whole or not at all."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from steelyard.sources.column_files import ColumnFiles


def test_columns_come_back(tmp_path: Path) -> None:
    files, path = ColumnFiles(), tmp_path / "it's.parquet"
    columns = {
        "row": np.arange(3),
        "score": np.array([0.1, np.nan, 0.3]),
        "label": np.array(["a", "b", 3], dtype=object),
    }
    files.write(path, columns)
    # A copy has no connection yet, and one that was closed opens another.
    for reader in (files, pickle.loads(pickle.dumps(files))):
        found = reader.read(path)
        assert found["row"].tolist() == [0, 1, 2]
        assert np.array_equal(found["score"], columns["score"], equal_nan=True)
        assert found["label"].tolist() == ["a", "b", "3"]
        reader.close()
        assert list(reader.read(path)) == list(columns)
        reader.close()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_what_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"."):
        ColumnFiles().write(tmp_path / "nowhere" / "x.parquet", {"row": np.arange(3)})
    assert not list(tmp_path.iterdir())
