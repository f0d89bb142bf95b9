"""A query of DuckDB reads the tables that were named: no other file, no address, no extension, and it changes nothing."""

from __future__ import annotations

import hashlib
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError

READING = ("read_text", "read_blob", "read_csv", "read_csv_auto", "read_parquet", "read_json", "read_json_objects")
READING += ("read_ndjson", "parquet_scan", "parquet_metadata", "parquet_schema", "sniff_csv", "glob")
PLACES = ("{secret}", "{folder}/*.txt", "http://127.0.0.1:{port}/x.csv", "s3://bucket/x.parquet")
FROM = [f"select * from {function}('{place}')" for function in READING for place in PLACES]
OTHERS = [
    "select * from '{secret}'",
    "from '{secret}'",
    "select * from data, '{secret}'",
    "select * from 'http://127.0.0.1:{port}/x.csv'",
    "select * from 'https://127.0.0.1:{port}/x.parquet'",
    "select * from data where exists (select * from read_text('{secret}'))",
    "select * from data union all by name select * from read_text('{secret}')",
    "with t as (select * from read_text('{secret}')) select * from t",
    "select (select content from read_text('{secret}')) as y, 0.5 as p from data",
    "select * from query('select * from read_text(''{secret}'')')",
    "select * from query_table('{secret}')",
    "select * from sqlite_scan('{folder}/x.db', 't')",
    "select * from postgres_scan('host=127.0.0.1 port={port}', 'public', 't')",
    "select * from postgres_query('x', 'delete from t')",
    "select * from mysql_scan('host=127.0.0.1', 'a', 'b')",
    "select * from st_read('{secret}')",
    "select * from read_xlsx('{folder}/x.xlsx')",
    "select * from iceberg_scan('s3://x')",
    "select * from delta_scan('s3://x')",
    "select * from enable_logging('QueryLog', storage='file', storage_path='{folder}/log')",
    "select * from enable_profiling()",
    "select * from checkpoint()",
    "select * from force_checkpoint()",
    "select * from duckdb_secrets()",
    "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
    "select getenv('HOME') as y, 0.5 as p",
    "copy data to '{folder}/out.csv'",
    "copy (select 1) to '{folder}/out.csv'",
    "copy data from '{secret}'",
    "export database '{folder}/out'",
    "import database '{folder}/out'",
    "attach '{folder}/new.duckdb' as n",
    "attach 'http://127.0.0.1:{port}/x.duckdb' as n",
    "install httpfs",
    "load httpfs",
    "force install httpfs",
    "set enable_external_access = true",
    "set allowed_paths = ['{secret}']",
    "pragma enable_external_access",
    "reset enable_external_access",
    "create table t as select 1",
    "create secret (type s3)",
    "insert into data values (1, 2)",
    "delete from data",
    "update data set p = 0",
    "drop table data",
    "create macro f() as 1",
    "call pragma_version()",
    "use memory",
    "detach memory",
    "vacuum",
    "select * from data; install httpfs",
    "select * from data; copy data to '{folder}/out.csv'",
    "with t as (delete from data returning *) select * from t",
]
QUERIES = FROM + OTHERS
ROWS = [(i % 2, (7 * i % 11) / 11) for i in range(40)]


@pytest.fixture
def listener() -> Any:
    """A port on this machine that knows whether somebody came."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def _sources(folder: Path) -> dict[str, Any]:
    csv, parquet, jsonl = folder / "a.csv", folder / "a.parquet", folder / "a.jsonl"
    csv.write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in ROWS))
    with duckdb.connect() as c:
        c.execute(f"copy (select * from read_csv('{csv}')) to '{parquet}'")
        c.execute(f"copy (select * from read_csv('{csv}')) to '{jsonl}' (format json)")
    with duckdb.connect(str(folder / "a.duckdb")) as c:
        c.execute(f"create table data as select * from read_csv('{csv}')")
        c.execute(f"create view spy as select * from read_text('{folder}/secret.txt')")
        c.execute("create macro twice() as table select * from data union all select * from data")
    with closing(sqlite3.connect(folder / "a.sqlite")) as s, s:
        s.execute("create table data (y int, p real)")
        s.executemany("insert into data values (?, ?)", ROWS)
    s.close()
    return {
        "csv": csv,
        "parquet": parquet,
        "jsonl": jsonl,
        "database": f"duckdb:{folder}/a.duckdb",
        "sqlite": f"sqlite:{folder}/a.sqlite",
        "columns": {"y": [y for y, _ in ROWS], "p": [p for _, p in ROWS]},
        "a relation of the user's": duckdb.connect().read_csv(str(csv)),
    }


def _rows(source: Any, query: str) -> Any:
    t = sy.table(source, query=query)
    return t.fetch(list(t.names))


@pytest.mark.parametrize(
    "kind", ["csv", "parquet", "jsonl", "database", "sqlite", "columns", "a relation of the user's"]
)
def test_nothing_else_is_read_reached_or_written(kind: str, tmp_path: Path, listener: Any) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cr3t\n")
    source = _sources(tmp_path)[kind]
    there = {p: hashlib.md5(p.read_bytes()).digest() for p in tmp_path.rglob("*") if p.is_file()}
    words = {"secret": secret, "folder": tmp_path, "port": listener.getsockname()[1]}
    # Whoever owns the connection matters, not the kind of file; the whole list is asked of one of each.
    for text in QUERIES if kind in {"csv", "a relation of the user's"} else QUERIES[::6]:
        query = text.format(**words)
        with pytest.raises(SteelyardError) as caught:
            _rows(source, query)
        assert "s3cr3t" not in str(caught.value), query
    with pytest.raises(BlockingIOError):
        listener.accept()
    assert {p: hashlib.md5(p.read_bytes()).digest() for p in tmp_path.rglob("*") if p.is_file()} == there


def test_there_are_more_than_a_hundred() -> None:
    assert len(set(QUERIES)) > 100


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "database", "columns", "a relation of the user's"])
def test_what_only_reads_is_answered(kind: str, tmp_path: Path) -> None:
    source = _sources(tmp_path)[kind]
    for query in (
        "select * from data",
        "select y, p from data, range(1) where lower('read_text(1)') <> ''",
        "with t as (select y, p, row_number() over () as n from data) select y, p from t where n > 0",
    ):
        assert sy.evaluate(sy.table(source, query=query), target="y", score="p").rows == 40, query


def test_a_view_in_a_database_file_reads_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("s3cr3t\n")
    database = _sources(tmp_path)["database"]
    for ask in ({"data": f"{database}?table=spy"}, {"data": database, "query": "select * from spy"}):
        with pytest.raises(SteelyardError):
            sy.table(**ask).fetch(["content"])
    assert sy.table(database, query="select * from twice()").length(100) == 80


def test_labels_of_other_files_can_be_joined_with_a_query(tmp_path: Path) -> None:
    places = _sources(tmp_path)
    labels = tmp_path / "labels.csv"
    labels.write_text("id,truth\n" + "".join(f"{i},{i % 2}\n" for i in range(40)))
    for kind in ("csv", "parquet", "database"):
        query = "select row_number() over () - 1 as id, p from data"
        t = sy.table(places[kind], query=query, labels=labels, on="id")
        assert sy.evaluate(t, target="truth", score="p").rows == 40, kind


def test_names_with_odd_signs_are_files_like_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a [1].csv", "it's.csv", "ä*?.csv"):
        Path(name).write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in ROWS))
        assert sy.table(name, query="select * from data").length(100) == 40
