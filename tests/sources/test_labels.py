"""Predictions and labels in two tables: each prediction gets the label of its key, where both are, and no row is lost."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import BadLevels, MissingValues, NotAvailable, UnknownColumn, UnreadableSource, UsageError

from ..servers.postgres import Postgres

N = 200
_r = np.random.default_rng(8)
ID = _r.permutation(N) * 7 + 2**60
TRUTH = _r.integers(0, 2, N)
SCORE = _r.random(N)
MIXED = _r.permutation(N)
DATA: dict[str, Any] = {"id": ID, "p": SCORE}
LABELS: dict[str, Any] = {"id": ID[MIXED], "y": TRUTH[MIXED]}
ROLES = {"target": "y", "score": "p"}
WANTED = sy.evaluate(target=TRUTH, score=SCORE)


def _parquet(columns: dict[str, Any], path: Path) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def _csv(columns: dict[str, Any], path: Path) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def _database(columns: dict[str, Any], path: Path) -> str:
    with duckdb.connect(str(path)) as connection:
        connection.register("given", pa.table(columns))
        connection.execute("create table preds as select * from given")
    return str(path)


HOLDERS: dict[str, Callable[[dict[str, Any], Path], Any]] = {
    "dictionary": lambda columns, _: columns,
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "polars, lazy": lambda columns, _: pl.LazyFrame(columns),
    "arrow": lambda columns, _: pa.table(columns),
    "csv": lambda columns, folder: _csv(columns, folder / f"{len(list(folder.iterdir()))}.csv"),
    "parquet": lambda columns, folder: _parquet(columns, folder / f"{len(list(folder.iterdir()))}.parquet"),
}


@pytest.mark.parametrize("data", HOLDERS)
def test_wherever_the_two_are(data: str, tmp_path: Path) -> None:
    for labels in HOLDERS:
        found = sy.evaluate(HOLDERS[data](DATA, tmp_path), labels=HOLDERS[labels](LABELS, tmp_path), on="id", **ROLES)
        assert found == WANTED, labels


@pytest.mark.parametrize("labels", ["dictionary", "pandas", "polars, lazy", "arrow"])
def test_labels_in_memory_beside_a_database(labels: str, tmp_path: Path) -> None:
    connection = duckdb.connect()
    there = HOLDERS[labels](LABELS, tmp_path)
    assert sy.evaluate(connection.from_arrow(pa.table(DATA)), labels=there, on="id", **ROLES) == WANTED
    file = _database(DATA, tmp_path / "preds.duckdb")
    assert sy.evaluate(file, labels=there, on="id", **ROLES) == WANTED


def test_two_relations_of_one_connection(tmp_path: Path) -> None:
    connection = duckdb.connect()
    both = [connection.from_arrow(pa.table(columns)) for columns in (DATA, LABELS)]
    assert sy.evaluate(both[0], labels=both[1], on="id", **ROLES) == WANTED
    elsewhere = duckdb.connect().from_arrow(pa.table(LABELS))
    assert sy.evaluate(both[0], labels=elsewhere, on="id", **ROLES) == WANTED


# Keys -----------------------------------------------------------------------------------------------------------------

DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(N)]
SAME: dict[str, tuple[Any, Any]] = {
    "whole numbers": (pa.array(range(N), pa.int64()), pa.array(range(N), pa.int32())),
    "without a sign": (pa.array(range(N), pa.int64()), pa.array(range(N), pa.uint64())),
    "whole and floating": (pa.array(range(N), pa.int64()), pa.array(map(float, range(N)), pa.float64())),
    "decimals": (pa.array(range(N), pa.int64()), pa.array(range(N), pa.int64()).cast(pa.decimal128(19, 0))),
    "text": ([f"ä{i} " for i in range(N)], [f"ä{i} " for i in range(N)]),
    "categories": ([f"{i}" for i in range(N)], pa.array([f"{i}" for i in range(N)]).dictionary_encode()),
    "days": (DAYS, DAYS),
    "days and moments": (DAYS, [dt.datetime.combine(day, dt.time()) for day in DAYS]),
    "moments with zones": (
        pa.array([dt.datetime(2024, 3, 31, tzinfo=dt.UTC) + dt.timedelta(minutes=i) for i in range(N)]),
        pa.array(
            [dt.datetime(2024, 3, 31, tzinfo=dt.UTC) + dt.timedelta(minutes=i) for i in range(N)],
            pa.timestamp("us", tz="Europe/Zurich"),
        ),
    ),
}


@pytest.mark.parametrize("kind", SAME)
def test_keys_that_are_written_in_two_ways(kind: str, tmp_path: Path) -> None:
    mine, theirs = SAME[kind]
    data = pa.table({"key": mine, "p": SCORE})
    labels = pa.table({"key": theirs, "y": TRUTH}).take(MIXED)
    assert sy.evaluate(data, labels=labels, on="key", **ROLES) == WANTED
    assert sy.evaluate(labels, labels=data, on="key", **ROLES) == WANTED


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        ([1, 2], ["1", "2"], "holds numbers in the data and text among the labels"),
        (["01", "2"], [1, 2], "holds text in the data and numbers among the labels"),
        ([True, False], [1, 0], "holds truth values in the data and numbers among the labels"),
        (DAYS[:2], ["2024-01-01", "2024-01-02"], "holds days in the data and text among the labels"),
        (
            [dt.datetime(2024, 1, i, tzinfo=dt.UTC) for i in (1, 2)],
            [dt.datetime(2024, 1, i) for i in (1, 2)],
            "holds points in time with a zone in the data and points in time without a zone among the labels",
        ),
    ],
)
def test_keys_that_cannot_be_compared(mine: list[Any], theirs: list[Any], words: str) -> None:
    """Databases would disagree on what is equal, or complain in words of their own."""
    with pytest.raises(UsageError, match=f'The key "id" {words}.'):
        sy.evaluate(
            pa.table({"id": mine, "p": [0.1, 0.2]}), labels=pa.table({"id": theirs, "y": [0, 1]}), on="id", **ROLES
        )


def test_several_keys_and_other_names(tmp_path: Path) -> None:
    shop, day = np.arange(N) // 20, np.array([f"day {i % 20}" for i in range(N)])
    data = {"shop": shop, "day": day, "p": SCORE}
    labels = {"store": shop[MIXED], "when": day[MIXED], "y": TRUTH[MIXED]}
    on = {"shop": "store", "day": "when"}
    for holder in HOLDERS.values():
        assert sy.evaluate(holder(data, tmp_path), labels=holder(labels, tmp_path), on=on, **ROLES) == WANTED
    with pytest.raises(BadLevels, match='10 keys have more than one row among the labels, by "store"'):
        sy.evaluate(data, labels=labels, on={"shop": "store"}, **ROLES)
    # A column of the labels that is called as the key of the data is not the key.
    assert sy.evaluate(data, labels=labels | {"shop": shop * 0}, on=on, **ROLES) == WANTED


def test_labels_with_the_same_key_are_refused() -> None:
    twice = {name: np.append(values, values[:1]) for name, values in LABELS.items()}
    with pytest.raises(BadLevels, match='1 key has more than one row among the labels, by "id"'):
        sy.evaluate(DATA, labels=twice, on="id", **ROLES)
    # Two whole numbers that one floating-point number stands for.
    near = {"id": [2**53, 2**53 + 1, 5], "y": [0, 1, 1]}
    with pytest.raises(BadLevels, match="1 key has more than one row"):
        sy.evaluate({"id": [float(2**53), 5.0], "p": [0.5, 0.25]}, labels=near, on="id", **ROLES)
    # The predictions may come more than once: two models, or two days, of one customer.
    again = {name: np.concatenate([values, values]) for name, values in DATA.items()}
    wanted = sy.evaluate(target=np.concatenate([TRUTH, TRUTH]), score=np.concatenate([SCORE, SCORE]))
    assert sy.evaluate(again, labels=LABELS, on="id", **ROLES) == wanted


def test_predictions_without_a_label_are_counted(tmp_path: Path) -> None:
    some = {name: values[:150] for name, values in LABELS.items()}
    for holder in HOLDERS.values():
        data, labels = holder(DATA, tmp_path), holder(some, tmp_path)
        with pytest.raises(MissingValues, match="Of 200 rows, some cannot be used: 50 with a missing target"):
            sy.evaluate(data, labels=labels, on="id", **ROLES)
        found = sy.evaluate(data, labels=labels, on="id", missing="drop", **ROLES)
        assert found.facts["dropped"] == {"a missing target": 50}
        kept = np.isin(ID, some["id"])
        assert (found.rows, found["auc"].value) == (
            150,
            sy.evaluate(target=TRUTH[kept], score=SCORE[kept])["auc"].value,
        )


def test_rows_without_a_key_find_no_label() -> None:
    data = pa.table({"id": [1, None, 3, 4, None], "p": [0.9, 0.2, 0.8, 0.1, 0.5]})
    labels = pa.table({"id": [None, None, 3, 4, 1], "y": [0, 1, 1, 0, 1]})
    found = sy.evaluate(data, labels=labels, on="id", missing="drop", **ROLES)
    assert (found.rows, found.facts["dropped"]) == (3, {"a missing target": 2})


def test_names_that_both_have(tmp_path: Path) -> None:
    for holder in HOLDERS.values():
        data = holder(DATA | {"y": TRUTH * 0, "day": np.arange(N)}, tmp_path)
        labels = holder(LABELS | {"day": np.arange(N)}, tmp_path)
        with pytest.raises(
            UnknownColumn, match=r'There is no column "y".*"data.y", "data.day", "labels.y", "labels.day"'
        ):
            sy.evaluate(data, labels=labels, on="id", **ROLES)
        assert sy.evaluate(data, labels=labels, on="id", target="labels.y", score="p") == WANTED


def test_names_that_differ_in_case_alone(tmp_path: Path) -> None:
    """DuckDB and Spark take them for one; the wrong column would be read without a word."""
    for holder in HOLDERS.values():
        data, labels = holder(DATA | {"Y": np.arange(N)}, tmp_path), holder(LABELS, tmp_path)
        assert sy.evaluate(data, labels=labels, on="id", **ROLES) == WANTED


def test_wrong_calls() -> None:
    with pytest.raises(UsageError, match="labels= and on= go together"):
        sy.evaluate(DATA, labels=LABELS, **ROLES)
    with pytest.raises(UsageError, match="labels= and on= go together"):
        sy.evaluate(DATA, on="id", **ROLES)
    with pytest.raises(UsageError, match="The key by which labels are found has no columns"):
        sy.evaluate(DATA, labels=LABELS, on=[], **ROLES)
    with pytest.raises(
        UnknownColumn, match='There is no column "key" for the key of the labels; the table has "id", "y"'
    ):
        sy.evaluate(DATA | {"key": ID}, labels=LABELS, on="key", **ROLES)
    with pytest.raises(UnreadableSource, match=r'There is no file "no\.parquet"'):
        sy.evaluate(DATA, labels="no.parquet", on="id", **ROLES)
    with pytest.raises(UsageError, match="and no data came"):
        sy.evaluate(labels=LABELS, on="id", target=TRUTH, score=SCORE)


# On a server ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(postgres: Postgres) -> Postgres:
    data = {**DATA, "name": [f"Zoë {i}" for i in range(N)], "Y": np.arange(N)}
    postgres.load("scored", pa.table(data))
    postgres.load("outcomes", pa.table({**LABELS, "name": [f"Zoë {i}" for i in MIXED]}))
    postgres.run('create table plain as select name collate "C" as name, y from outcomes')
    return postgres


@pytest.mark.xdist_group("postgres")
def test_both_in_postgresql(served: Postgres) -> None:
    def place(table: str) -> str:
        return f"{served.reader_uri}&table={quote(table)}"

    assert sy.evaluate(place("scored"), labels=place("outcomes"), on="id", **ROLES) == WANTED
    # One column follows the collation of the database, the other does not.
    assert sy.evaluate(place("scored"), labels=place("plain"), on="name", **ROLES) == WANTED
    with pytest.raises(UsageError, match='The key "name" holds text in the data and numbers among the labels'):
        sy.evaluate(place("scored"), labels=place("outcomes"), on={"name": "id"}, **ROLES)
    with pytest.raises(NotAvailable, match="live in PostgreSQL and the labels do not") as found:
        sy.evaluate(place("scored"), labels=LABELS, on="id", **ROLES)
    assert found.value.hint == "Write the labels to a table of PostgreSQL first, and name that."
    with pytest.raises(NotAvailable, match="The predictions live in DuckDB and the labels in PostgreSQL"):
        sy.evaluate(DATA, labels=place("outcomes"), on="id", **ROLES)


def test_labels_that_are_joined_one_after_the_other_keep_their_columns(rng: np.random.Generator) -> None:
    """Every column is that of its own table, whatever was joined before."""
    n, parts = 60, 4
    found: Any = {"id": list(range(n)), "steelyard_label_1": rng.random(n).tolist(), "Steelyard_Label_2": ["x"] * n}
    whole = dict(found)
    for i in range(parts):
        order = rng.permutation(n).tolist()
        more = {f"{name}{i}": rng.integers(0, 100, n).tolist() for name in "ab"}
        found = sy.table(found, labels={"id": order} | {k: [v[j] for j in order] for k, v in more.items()}, on="id")
        whole |= more
    told = found.fetch(list(whole))
    place = np.argsort(told["id"])
    assert {name: values[place].tolist() for name, values in told.items()} == whole


@pytest.mark.parametrize("turned", [False, True])
def test_whole_numbers_and_floats_that_would_be_rounded_are_no_key(turned: bool) -> None:
    whole, floats = [2**53 + 1 + 4 * i for i in range(20)], [float(2**53 + 4 * i) for i in range(20)]
    here, there = (floats, whole) if turned else (whole, floats)
    data, labels = {"id": here, "p": [0.5] * 20}, {"id": there, "y": [0, 1] * 10}
    with pytest.raises(sy.errors.UsageError, match="whole numbers of 16 digits and more"):
        sy.table(data, labels=labels, on="id")
    few = {"id": [float(v) for v in range(20)], "y": [0, 1] * 10}
    assert sy.evaluate(sy.table({**data, "id": list(range(20))}, labels=few, on="id"), target="y", score="p").rows == 20


def test_bytes_are_a_key(rng: np.random.Generator) -> None:
    data = {"id": [b"a%d" % i for i in range(20)], "p": rng.random(20).tolist()}
    labels = {"id": [f"a{i}" for i in range(20)], "y": [0, 1] * 10}
    assert sy.evaluate(sy.table(data, labels=labels, on="id"), target="y", score="p").rows == 20
