"""Where a table can be: lists of files, connections of others, names with dots, and what is not spoken here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError
from steelyard.sources.clusters import MASTER
from steelyard.sources.spark import cause
from steelyard.sources.spark_files import read_files

ROWS = pd.DataFrame({"id": range(10), "p": [i / 10 for i in range(10)]})
LABELS = pd.DataFrame({"id": range(10), "y": [0, 0, 1, 0, 0, 1, 1, 0, 1, 1]})
ROLES: dict[str, Any] = {"on": "id", "target": "y", "score": "p"}


def _told(call: Any) -> SteelyardError:
    with pytest.raises(SteelyardError) as found:
        call()
    return found.value


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
@pytest.mark.parametrize("labels", ["frame", "csv", "database", "other connection"])
@pytest.mark.parametrize("rows", ["default", "own", "ibis"])
def test_labels_beside_a_connection_of_the_user(rows: str, labels: str, tmp_path: Path) -> None:
    LABELS.to_csv(tmp_path / "labels.csv", index=False)
    with duckdb.connect(str(tmp_path / "labels.duckdb")) as file:
        file.execute("create table labels as select * from LABELS")
    made = "create or replace temp table preds_of_places as select range as id, range / 10.0 as p from range(10)"
    data: Any
    if rows == "ibis":
        ibis = pytest.importorskip("ibis")
        backend = ibis.duckdb.connect()
        backend.con.execute(made)
        data = backend.table("preds_of_places")
    else:
        connection = duckdb.default_connection() if rows == "default" else duckdb.connect()
        connection.execute(made)
        data = connection.table("preds_of_places")
    other = duckdb.connect()
    given: Any = {
        "frame": LABELS,
        "csv": str(tmp_path / "labels.csv"),
        "database": f"{tmp_path}/labels.duckdb?table=labels",
        "other connection": other.read_csv(str(tmp_path / "labels.csv")),
    }[labels]
    found = sy.evaluate(data, labels=given, **ROLES)
    assert found["auc"].value == sy.evaluate(ROWS, labels=LABELS, **ROLES)["auc"].value


def test_a_list_of_files(tmp_path: Path) -> None:
    both = LABELS.assign(p=ROWS["p"])
    paths = [str(tmp_path / "a.parquet"), tmp_path / "b.parquet"]
    for path in paths:
        both.to_parquet(path)
    found_all = sy.evaluate(paths, target="y", score="p")
    assert found_all.rows == 20
    assert found_all.facts["source"] == f"{paths[0]}, {paths[1]}"
    found = _told(lambda: sy.table([paths[0], paths[0]]))
    assert "came more than once" in found.message


def test_a_table_says_what_it_is(tmp_path: Path) -> None:
    ROWS.to_parquet(tmp_path / "rows.parquet")
    found = sy.table(str(tmp_path / "rows.parquet"))
    assert repr(found) == f'<Table "{tmp_path}/rows.parquet", asked in DuckDB: "id", "p">'


@pytest.mark.parametrize("scheme", ["mysql", "snowflake", "s3", "https"])
def test_addresses_that_are_not_spoken_here(scheme: str) -> None:
    found = _told(lambda: sy.table(f"{scheme}://me:hunter2@host/shop?table=x"))
    assert scheme in found.message
    assert "hunter2" not in str(found)


def test_names_with_dots(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as file:
        file.execute('create table "a.b" as select 1 as y; create schema s; create table s."Odd.Name" as select 2 as z')
    for name in ("a.b", '"a.b"'):
        assert list(sy.table(f"{path}?table={name}").names) == ["y"]
    for name in ('?table=s."Odd.Name"', "?schema=s&table=Odd.Name", "?table=Odd.Name"):
        assert list(sy.table(f"{path}{name}").names) == ["z"]
    assert "There is no table" in _told(lambda: sy.table(f"{path}?table=c")).message


def test_tensors_without_values() -> None:
    torch = pytest.importorskip("torch")
    for tensor in (torch.tensor([0.1, 0.9]).to_sparse(), torch.zeros(2, device="meta")):
        assert "tensor" in _told(lambda tensor=tensor: sy.evaluate(target=[0, 1], score=tensor)).message


def test_points_in_time_are_no_score() -> None:
    moments = pd.to_datetime(["2024-03-10 17:00:00", "2024-03-11 17:00:00"])
    found = _told(lambda: sy.evaluate(pd.DataFrame({"y": [0, 1], "p": moments}), target="y", score="p"))
    assert found.message.startswith('The column "p" holds points in time, such as "2024-03-10 17:00:00"')


def test_what_a_cluster_cannot_read_is_said_before_it_is_asked() -> None:
    assert _told(lambda: read_files("local[2]", "rows.feather")).message.startswith("Spark cannot read Feather")
    for address, good in {
        "local[2]": True,
        "local": True,
        "local[*]": True,
        "local[x]": False,
        "sparkle": False,
    }.items():
        assert bool(MASTER.fullmatch(address)) == good


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (
            "An error occurred while calling o30.parquet.\n: org.apache.spark.SparkException: x\n\tat a.b\n"
            "Caused by: java.lang.RuntimeException: file:/d/b.parquet is not a Parquet file. Expected magic number",
            '"/d/b.parquet" is not a whole Parquet file',
        ),
        (
            "An error occurred while calling o3.x.\n: java.lang.RuntimeException: java.lang.ClassNotFoundException: "
            "Class org.apache.hadoop.fs.s3a.S3AFileSystem not found\n\tat a.b",
            "its Java has no library for s3a://",
        ),
        (
            "x\nCaused by: [MALFORMED_CSV_RECORD] Malformed CSV record: 0,0.2,3 SQLSTATE: KD000",
            'the line "0,0.2,3" has',
        ),
        (
            "An error occurred while calling o1.y.\n: java.io.IOException: the disk is full\n\tat a.b",
            "the disk is full",
        ),
    ],
)
def test_the_cause_behind_what_spark_says(said: str, meant: str) -> None:
    assert cause(RuntimeError(said))[0].startswith(meant)
