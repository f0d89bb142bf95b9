"""Sources as people have them: files, folders, databases and frames of every kind give the same answer."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import steelyard as sy
from steelyard.errors import UnreadableSource, UsageError

N = 60
_r = np.random.default_rng(4)
ROWS: dict[str, Any] = {
    "y": _r.integers(0, 2, N),
    "p": _r.random(N).round(3),
    "w": _r.random(N).round(2) + 0.1,
    "who": _r.integers(0, 20, N),
    "region": _r.choice(["north", "Ünder", "süd "], N).tolist(),
}
ROLES = {"target": "y", "score": "p", "weight": "w", "unit": "who", "segment": "region"}
ARROW = pa.table(ROWS)
LINES = [json.dumps(row) for row in ARROW.to_pylist()]
WANTED = sy.evaluate(ROWS, **ROLES)


def _text(mark: str) -> bytes:
    rows = zip(*(ARROW[name].to_pylist() for name in ROWS), strict=True)
    return "\n".join([mark.join(ROWS), *(mark.join(map(str, row)) for row in rows), ""]).encode()


def _stored(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def _feather(path: Path, compression: str) -> Path:
    feather.write_feather(ARROW, str(path), compression=compression)
    return path


def _sqlite(path: Path, *more: str) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table preds (y integer, p real, w real, who integer, region text)")
        rows = list(zip(*(ARROW[name].to_pylist() for name in ROWS), strict=True))
        connection.executemany("insert into preds values (?, ?, ?, ?, ?)", rows)
        for sql in more:
            connection.execute(sql)
    connection.close()
    return path


def _duckdb(path: Path, *more: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        connection.register("given", ARROW)
        connection.execute("create table preds as select * from given")
        for sql in more:
            connection.execute(sql)
    return path


def _parquet(path: Path, table: pa.Table = ARROW) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


FILES: dict[str, Callable[[Path], Any]] = {
    "csv": lambda d: _stored(d / "rows.csv", _text(",")),
    "csv.gz": lambda d: _stored(d / "rows.csv.gz", gzip.compress(_text(","))),
    "csv.zst": lambda d: _stored(d / "rows.csv.zst", pa.compress(_text(","), codec="zstd", asbytes=True)),
    "tsv": lambda d: _stored(d / "rows.tsv", _text("\t")),
    "tsv.gz": lambda d: _stored(d / "rows.tsv.gz", gzip.compress(_text("\t"))),
    "jsonl": lambda d: _stored(d / "rows.jsonl", "\n".join(LINES).encode()),
    "ndjson": lambda d: _stored(d / "rows.ndjson", "\n".join(LINES).encode()),
    "jsonl.gz": lambda d: _stored(d / "rows.jsonl.gz", gzip.compress("\n".join(LINES).encode())),
    "jsonl.zst": lambda d: _stored(
        d / "rows.jsonl.zst", pa.compress("\n".join(LINES).encode(), codec="zstd", asbytes=True)
    ),
    "parquet": lambda d: _parquet(d / "rows.parquet"),
    "pq": lambda d: _parquet(d / "rows.pq"),
    "arrow": lambda d: _feather(d / "rows.arrow", "uncompressed"),
    "feather": lambda d: _feather(d / "rows.feather", "lz4"),
    "ipc": lambda d: _feather(d / "rows.ipc", "zstd"),
    "sqlite": lambda d: _sqlite(d / "rows.sqlite"),
    "sqlite, odd name": lambda d: _sqlite(d / "100% of a#b.db"),
    "sqlite, table": lambda d: f"sqlite:{_sqlite(d / 'rows.sqlite3', 'create table others (x)')}?table=preds",
    "sqlite, slashes": lambda d: f"sqlite:///{_sqlite(d / 'rows.db')}?table=preds",
    "sqlite, view": lambda d: f"sqlite:{_sqlite(d / 'rows.db', 'create view v as select * from preds')}?table=v",
    "sqlite, query": lambda d: f"sqlite:{_sqlite(d / 'rows.db')}?query={quote('select * from preds')}",
    "duckdb": lambda d: _duckdb(d / "rows.duckdb"),
    "duckdb, table": lambda d: f"duckdb:{_duckdb(d / 'rows.db', 'create table others (x int)')}?table=preds",
    "duckdb, schema": lambda d: (
        f"duckdb:{_duckdb(d / 'rows.ddb', 'create schema s', 'create table s.t as select * from preds')}?table=s.t"
    ),
    "duckdb, query": lambda d: f"duckdb:{_duckdb(d / 'rows.ddb')}?query={quote('from preds')}",
}


@pytest.mark.parametrize("kind", FILES)
def test_files_and_databases(kind: str, tmp_path: Path) -> None:
    assert sy.evaluate(FILES[kind](tmp_path), **ROLES) == WANTED


def _ibis(backend: str, folder: Path) -> Any:
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed: pip install 'steelyard[test]'.")
    if backend == "memory":
        return ibis.memtable(ARROW)
    if backend == "sqlite":
        return ibis.sqlite.connect(str(_sqlite(folder / "rows.sqlite"))).table("preds")
    if backend == "polars":
        return ibis.polars.connect({"preds": pl.DataFrame(ROWS)}).table("preds")
    with warnings.catch_warnings():
        # Ibis calls DuckDB by a name that a newer DuckDB does not like; that says nothing about our own code.
        warnings.simplefilter("ignore", DeprecationWarning)
        return ibis.duckdb.connect(str(_duckdb(folder / "rows.duckdb"))).table("preds")


def _dask() -> Any:
    dask = pytest.importorskip("dask.dataframe", reason="Frames of Dask are not installed.")
    return dask.from_pandas(ARROW.to_pandas(), npartitions=3)


FRAMES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: ARROW.to_pandas(),
    "pandas, categories": lambda _: ARROW.to_pandas().astype({"region": "category"}),
    "polars": lambda _: pl.DataFrame(ROWS),
    "polars, lazy": lambda _: pl.LazyFrame(ROWS),
    "polars, scanned": lambda d: pl.scan_parquet(_parquet(d / "rows.parquet")),
    "arrow": lambda _: ARROW,
    "arrow dataset": lambda d: ds.dataset(_parquet(d / "rows.parquet")),
    "arrow dataset in memory": lambda _: ds.dataset(ARROW),
    "duckdb relation": lambda d: duckdb.read_parquet(str(_parquet(d / "rows.parquet"))),
    "dictionary": lambda _: ROWS,
    "dask": lambda _: _dask(),
    "ibis on duckdb": lambda d: _ibis("duckdb", d),
    "ibis in memory": lambda d: _ibis("memory", d),
    "ibis on sqlite": lambda d: _ibis("sqlite", d),
    "ibis on polars": lambda d: _ibis("polars", d),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind: str, tmp_path: Path) -> None:
    frame = FRAMES[kind](tmp_path)
    assert sy.evaluate(frame, **ROLES) == WANTED
    if kind == "ibis on sqlite":
        frame.get_backend().disconnect()  # it is the caller's; Python 3.13 warns of one that is left open


@pytest.mark.parametrize("kind", ["csv", "parquet", "sqlite", "duckdb", "feather"])
def test_a_query_of_a_file(kind: str, tmp_path: Path) -> None:
    source, table = FILES[kind](tmp_path), "preds" if kind in {"sqlite", "duckdb"} else "data"
    query = f"select 1 - y as y, 1 - p as p from {table} where who < 10;"
    keep = ROWS["who"] < 10
    wanted = sy.evaluate(target=1 - ROWS["y"][keep], score=1 - ROWS["p"][keep])
    assert sy.evaluate(source, target="y", score="p", query=query) == wanted


@pytest.mark.parametrize("kind", ["pandas", "polars, lazy", "arrow", "duckdb relation", "dictionary", "ibis in memory"])
def test_a_query_of_a_frame(kind: str, tmp_path: Path) -> None:
    query = "select * from data where region = 'north'"
    keep = np.array(ROWS["region"]) == "north"
    wanted = sy.evaluate(target=ROWS["y"][keep], score=ROWS["p"][keep])
    assert sy.evaluate(FRAMES[kind](tmp_path), target="y", score="p", query=query) == wanted


# Folders --------------------------------------------------------------------------------------------------------------


def test_a_folder_as_a_job_leaves_it(tmp_path: Path) -> None:
    """Marks that it is done, sums of its files and what it has not finished are no rows."""
    folder = tmp_path / "preds"
    for i in range(3):
        _parquet(folder / f"part-{i}.parquet", ARROW.slice(20 * i, 20))
    for name in ("_SUCCESS", ".part-0.parquet.crc", "_metadata.parquet", ".hidden.parquet", "notes.md"):
        (folder / name).write_text("no rows")
    assert sy.evaluate(folder, **ROLES) == WANTED
    assert sy.evaluate(f"{folder}/", **ROLES) == WANTED


def test_what_a_job_has_not_finished_is_no_part_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "preds"
    _parquet(folder / "part-0.parquet")
    _parquet(folder / "_temporary" / "0" / "part-1.parquet")
    _parquet(folder / ".ipynb_checkpoints" / "part-0.parquet")
    assert sy.evaluate(folder, **ROLES) == WANTED


def test_folders_in_a_folder_are_columns(tmp_path: Path) -> None:
    for region in set(ROWS["region"]):
        part = ARROW.filter(pa.compute.equal(ARROW["region"], region)).drop_columns(["region"])
        _parquet(tmp_path / "preds" / f"region={quote(region)}" / "0.parquet", part)
    assert sy.evaluate(tmp_path / "preds", **ROLES) == WANTED
    assert sy.evaluate(str(tmp_path / "preds" / "**" / "*.parquet"), **ROLES) == WANTED


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "jsonl", "arrow"])
def test_folders_of_other_files(suffix: str, tmp_path: Path) -> None:
    shutil.move(FILES[suffix](tmp_path), tmp_path / f"a.{suffix}")
    folder = tmp_path / "two"
    folder.mkdir()
    for name in ("a", "b"):
        shutil.copy(tmp_path / f"a.{suffix}", folder / f"{name}.{suffix}")
    twice = {name: np.concatenate([values, values]) for name, values in ROWS.items()}
    wanted = sy.evaluate(twice, **ROLES)
    assert sy.evaluate(folder, **ROLES) == wanted
    assert sy.evaluate(str(folder / "[ab].*"), **ROLES) == wanted


def test_files_of_different_kinds_are_refused(tmp_path: Path) -> None:
    _parquet(tmp_path / "a.parquet")
    _stored(tmp_path / "b.csv", _text(","))
    for place in (tmp_path, f"{tmp_path}/*"):
        with pytest.raises(UnreadableSource, match=r'are of different kinds: "\.csv", "\.parquet"\.'):
            sy.evaluate(place, **ROLES)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableSource, match="is a directory without files of rows"):
        sy.evaluate(tmp_path / "empty", **ROLES)


# What cannot be read is told ------------------------------------------------------------------------------------------


def _two_tables(folder: Path) -> Path:
    return _sqlite(folder / "two.sqlite", "create table others (x)")


REFUSED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a database of two tables": (_two_tables, r'Which table of .*two.sqlite\? It has "others", "preds"\.'),
    "no such table": (
        lambda d: f"sqlite:{_two_tables(d)}?table=pred",
        'There is no table "pred" in .*two.sqlite; there are "others", "preds".',
    ),
    "text that is called a database": (
        lambda d: _stored(d / "notes.sqlite", b"y,p\n1,0.5\n" * 100),
        "notes.sqlite. cannot be read as a SQLite database: file is not a database.",
    ),
    "text that is called DuckDB": (
        lambda d: _stored(d / "notes.duckdb", b"y,p\n1,0.5\n" * 1000),
        "notes.duckdb. cannot be read as a DuckDB database: ",
    ),
    "a query that cannot be read": (
        lambda d: f"sqlite:{_sqlite(d / 'a.db')}?query={quote('select y, p from preds wher y')}",
        "cannot be read as a SQLite database: near .y.: syntax error.",
    ),
    "a stream of Arrow": (lambda d: _stored(d / "rows.arrow", b"ARROW2" * 40), "it is not a whole file of Arrow."),
    "a reader that can be read once": (lambda _: ARROW.to_reader(), "A RecordBatchReader is not a table"),
    "a database that is not there": (lambda d: d / "no.duckdb", 'There is no database file ".*no.duckdb".'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_sentence(name: str, tmp_path: Path) -> None:
    make, words = REFUSED[name]
    source = make(tmp_path)
    with pytest.raises((UnreadableSource, UsageError), match=words) as found:
        sy.evaluate(source, **ROLES)
    assert found.value.hint[-1] in ".?)" or "table=" in found.value.hint


def test_what_ibis_cannot_find_is_told(tmp_path: Path) -> None:
    table = _ibis("duckdb", tmp_path)
    table.get_backend().con.execute("drop table preds")
    with pytest.raises(UnreadableSource, match="The table cannot be read: Table with name preds does not exist"):
        sy.evaluate(table, **ROLES)


def test_a_frame_of_dask_is_not_joined() -> None:
    with pytest.raises(UnreadableSource, match="A DataFrame of Dask cannot be joined or queried"):
        sy.evaluate(_dask(), target="y", score="p", query="select * from data")
    with pytest.raises(UnreadableSource, match="A list cannot be joined or queried"):
        sy.evaluate([1, 2], target="y", score="p", query="select * from data")
    with pytest.raises(UnreadableSource, match="The columns cannot be put side by side"):
        sy.evaluate({"y": [1, 0], "p": [0.5]}, target="y", score="p", query="select * from data")


def test_objects_keep_their_types() -> None:
    frame = pd.DataFrame({"y": [True, False, None, True], "p": [0.5, 0.25, 0.5, 0.125]}, dtype=object)
    found = sy.evaluate(frame, target="y", score="p", query="select * from data", missing="drop")
    assert found.scores is not None and found.scores.levels == (False, True)
    assert found.facts["dropped"] == {"a missing target": 1}
