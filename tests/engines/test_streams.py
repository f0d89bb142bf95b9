"""Compiled counting of batches against counting with NumPy, and how it stops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import steelyard as sy
from steelyard.engines import streams
from steelyard.engines.arrays import MANY
from steelyard.engines.streamed import COUNTED
from steelyard.engines.streams import BLOCK, stream_cells
from steelyard.errors import SteelyardError
from steelyard.rows import grid

N = 7 * BLOCK + 13


@pytest.mark.parametrize("shape", ["probabilities", "ties", "wide", "edges"])
@pytest.mark.parametrize("cut", [np.inf, 0.3, 0.999])
def test_every_cell_has_its_rows_positives_and_extremes(shape: str, cut: float, rng: np.random.Generator) -> None:
    x = {
        "probabilities": rng.random(N),
        "ties": rng.integers(0, 9, N) / 8,
        "wide": rng.normal(size=N) * 10.0 ** rng.integers(-12, 12, N),
        "edges": rng.choice([0.0, -0.0, 0.5, 1.0, 2.0**-40, 1 - 2.0**-40, np.nextafter(0.5, 0), 1e300, -1e300], N),
    }[shape]
    y = (rng.random(N) < 0.3).astype(np.int8)
    parts = np.split(np.arange(N), np.sort(rng.integers(0, N, 9)))
    found = stream_cells(((x[part], y[part]) for part in parts), cut, [0, 1])
    place = 2 * grid.encode(x, grid.FINE) + (x >= cut)
    used = np.unique(place)
    order = np.argsort([x[place == k].min() for k in used] if shape == "edges" else used)
    assert found is not None and len(found.low) == len(used)
    groups = [place == k for k in used[order]]
    assert np.array_equal(found.counts, [[(g & (y == 0)).sum(), (g & (y == 1)).sum()] for g in groups])
    assert np.array_equal(found.low, [x[g].min() for g in groups])
    assert np.array_equal(found.high, [x[g].max() for g in groups])


def test_counts_that_would_not_fit_are_laid_down(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = rng.integers(0, 9, N) / 8, (rng.random(N) < 0.3).astype(np.int8)
    parts = [(np.ascontiguousarray(x[i::5]), y[i::5]) for i in range(5)]
    whole = stream_cells(parts, 0.3, [0, 1])
    monkeypatch.setattr(streams, "MOST_ROWS", BLOCK)
    monkeypatch.setenv("STEELYARD_THREADS", "1")
    found = stream_cells(parts * 3, 0.3, [0, 1])
    assert whole is not None and found is not None
    assert np.array_equal(found.counts, 3 * whole.counts)
    assert np.array_equal(found.low, whole.low) and np.array_equal(found.high, whole.high)


@pytest.mark.parametrize(("score", "level"), [(np.nan, 0), (np.inf, 1), (0.5, 2), (0.5, -1)])
def test_a_row_that_cannot_be_used_ends_it(score: float, level: int) -> None:
    x, y = np.linspace(0, 1, N), np.zeros(N, dtype=np.int8)
    x[-1], y[-1] = score, level
    assert stream_cells([(x, y)], np.inf, [0, 1]) is None


def test_nothing_more_is_read_after_a_part_that_cannot_be() -> None:
    read = []

    def part(i: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        read.append(i)
        if i == 3:
            raise OSError("the rest of the file is gone")
        yield np.linspace(0, 1, N), np.zeros(N, dtype=np.int8)

    with pytest.raises(OSError, match="is gone"):
        stream_cells((lambda i=i: part(i) for i in range(1000)), np.inf, [0, 1])
    assert len(read) < 900


def test_no_rows_give_no_cells() -> None:
    found = stream_cells([], np.inf, [0, 1])
    assert found is not None and len(found.low) == 0


@pytest.mark.parametrize("levels", ["numbers", "truth values"])
def test_exact_scores_of_a_file_are_those_of_arrays(levels: str, tmp_path: Path, rng: np.random.Generator) -> None:
    n = MANY + 77
    y = rng.random(n) < 0.4
    x = np.where(rng.random(n) < 0.5, rng.normal(size=n), rng.integers(-3, 4, n)) + y
    target = y if levels == "truth values" else y.astype(np.int64)
    table = pa.table({"y": target, "x": x})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100_000)
    csv.write_csv(table, tmp_path / "rows.csv")
    here = sy.evaluate(target=target, score=x)
    for name in ("rows.parquet", "rows.csv"):
        there = sy.evaluate(str(tmp_path / name), target="y", score="x")
        assert not there["auc"].bound and there["auc"] == here["auc"] and there["ks"] == here["ks"], name


def test_a_missing_score_among_them_is_counted_as_ever(tmp_path: Path) -> None:
    n = MANY + 5
    score = [None, float("inf"), *np.linspace(0, 1, n - 2).tolist()]
    pq.write_table(pa.table({"y": np.arange(n) % 2, "x": score}), tmp_path / "rows.parquet")
    with pytest.raises(SteelyardError, match="missing"):
        sy.evaluate(str(tmp_path / "rows.parquet"), target="y", score="x")
    e = sy.evaluate(str(tmp_path / "rows.parquet"), target="y", score="x", missing="drop")
    assert e["auc"].n == n - 2


@pytest.mark.parametrize("exact", [False, True])
def test_another_number_in_a_large_text_file_is_a_level_and_not_an_error(tmp_path: Path, *, exact: bool) -> None:
    n = MANY + 5 if exact else COUNTED + 5
    y = np.arange(n) % 2
    y[-1] = 300
    csv.write_csv(pa.table({"y": y, "x": np.linspace(0, 1, n)}), tmp_path / "rows.csv")
    with pytest.raises(SteelyardError, match="300"):
        sy.evaluate(str(tmp_path / "rows.csv"), target="y", score="x")


@pytest.mark.parametrize("n", [MANY + 1, COUNTED + 1])
def test_a_file_that_is_broken_inside_is_told_in_words(n: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"y": np.arange(n) % 2, "x": np.arange(n) / n}), path, row_group_size=100_000)
    held = bytearray(path.read_bytes())
    middle = len(held) // 2
    held[middle : middle + 50_000] = b"\xff" * 50_000
    path.write_bytes(held)
    with pytest.raises(SteelyardError, match=re.escape(f'"{path}" cannot be read')):
        sy.evaluate(str(path), target="y", score="x")


@pytest.mark.parametrize("n", [MANY + 1, COUNTED + 1])
def test_what_pyarrow_cannot_read_duckdb_counts(n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "rows.parquet")
    pq.write_table(pa.table({"y": np.arange(n) % 2, "x": np.arange(n) * 7 % 1000 / 1000}), path)
    wanted = sy.evaluate(path, target="y", score="x")["auc"]

    def refuse(*_: object, **__: object) -> None:
        raise pa.ArrowNotImplementedError("an encoding of next year")

    for name in ("ParquetFile", "read_metadata"):
        monkeypatch.setattr(pq, name, refuse)
        assert sy.evaluate(path, target="y", score="x")["auc"] == wanted
