"""The PostgreSQL of the tests is a real server, and its reader can only read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from .postgres import Postgres

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'steelyard[test]'.")
pytestmark = pytest.mark.xdist_group("postgres")

NOON = dt.datetime(2024, 3, 1, 12, 0, 0, 500_000)
ROWS: dict[str, list[Any]] = {
    "whole": [1, 2**63 - 1, None],
    "unsigned": [0, 2**64 - 1, None],
    "number": [0.1, -0.0, None],
    "money": [Decimal("1.5000"), Decimal("-0.0700"), None],
    "word": ["Zoë", 'a "b"\t\\', None],
    "yes": [True, False, None],
    "day": [NOON.date(), dt.date(1969, 12, 31), None],
    "moment": [NOON, dt.datetime(1969, 12, 31, 23, 59, 59, 1), None],
    "zoned": [NOON.replace(tzinfo=dt.UTC), dt.datetime(1969, 12, 31, tzinfo=dt.UTC), None],
}


@pytest.fixture(scope="module")
def table(postgres: Postgres) -> str:
    import pyarrow as pa

    kinds = {
        "whole": pa.int64(),
        "unsigned": pa.uint64(),
        "number": pa.float64(),
        "money": pa.decimal128(18, 4),
        "word": pa.string(),
        "yes": pa.bool_(),
        "day": pa.date32(),
        "moment": pa.timestamp("us"),
        "zoned": pa.timestamp("us", tz="UTC"),
    }
    postgres.load("some rows", pa.table({name: pa.array(ROWS[name], kind) for name, kind in kinds.items()}))
    return '"some rows"'


@pytest.fixture
def reader(postgres: Postgres) -> Iterator[Any]:
    with psycopg.connect(postgres.reader_uri, autocommit=True) as connection:
        yield connection


def test_what_is_loaded_can_be_read(reader: Any, table: str) -> None:
    cursor = reader.execute(f"select * from {table}")
    found = list(zip(*cursor.fetchall(), strict=True))
    assert [d.name for d in cursor.description] == list(ROWS)
    assert [list(column) for column in found] == list(ROWS.values())


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        ("insert into {} (whole) values (1)", "read-only transaction"),
        ("delete from {}", "read-only transaction"),
        ("create table another (x int)", "read-only transaction"),
        ("create view another as select 1 as x", "read-only transaction"),
        ("create temporary table another (x int)", "read-only transaction"),
    ],
)
def test_the_reader_only_reads(reader: Any, table: str, what: str, problem: str) -> None:
    with pytest.raises(psycopg.Error, match=problem):
        reader.execute(what.format(table))


@pytest.mark.parametrize(
    "what",
    [
        "insert into {} (whole) values (1)",
        "delete from {}",
        "create table another (x int)",
        "create temporary table another (x int)",
    ],
)
def test_nor_may_it_where_it_asks_to_write(reader: Any, table: str, what: str) -> None:
    """The setting is the reader's to change; the permissions are not."""
    reader.execute("set default_transaction_read_only = off")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute(what.format(table))


def test_the_network_asks_for_a_password(postgres: Postgres) -> None:
    with psycopg.connect(postgres.tcp_uri) as connection:
        assert connection.execute("select current_user, inet_server_addr() is not null").fetchone() == ("reader", True)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed for user"):
        psycopg.connect(postgres.network_uri("not this one"))
