"""Whatever the query, and whatever the user may do: nothing changes in PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

import steelyard as sy
from steelyard.errors import SteelyardError

from .hostile import DUMP, PREPARED, QUERIES
from .postgres import Postgres

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'steelyard[test]'.")
pytestmark = pytest.mark.xdist_group("postgres")
TRACE = "/tmp/steelyard-was-here"


@pytest.fixture(scope="module")
def place(postgres: Postgres) -> Iterator[str]:
    """A database of its own, asked by the owner of the whole server: nobody may do more."""
    postgres.run("create database hostile")
    uri = postgres.uri.replace("/postgres?", "/hostile?")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(PREPARED)
    yield uri
    postgres.run("drop database hostile with (force)")


def dump(uri: str) -> dict[str, Any]:
    with psycopg.connect(uri) as connection:
        return dict(connection.execute(DUMP).fetchall())


def ended(uri: str, query: str) -> str:
    """How a query ended: with rows, or with one of our sentences."""
    try:
        t = sy.table(f"{uri}", query=query)
        sy.evaluate(t, target="y", score="p")
        sy.evaluate(t, target="y", score="p")
    except SteelyardError as problem:
        return str(problem)
    return "rows"


def test_there_are_more_than_a_hundred() -> None:
    assert len(set(QUERIES)) >= 150


def test_nothing_changes(place: str) -> None:
    before, read = dump(place), []
    for query in QUERIES:
        if ended(place, query) == "rows":
            read.append(query)
        assert dump(place) == before, query
    assert not os.path.exists(TRACE)
    assert read == [], "each of these was answered"


def test_nor_where_the_query_is_over_a_table(place: str) -> None:
    before = dump(place)
    for query in QUERIES[::7]:
        with pytest.raises(SteelyardError):
            sy.evaluate(
                sy.table(f"{place}&table=rows", query=query.replace("from rows", "from data")), target="y", score="p"
            )
        assert dump(place) == before, query


@pytest.mark.parametrize(
    "query",
    [
        "select y, p from rows",
        "select y, p + random() * 0 as p from rows where now() > '2000-01-01'",
        "select y, round(p::numeric, 3) as p from rows where lower('wipe()') <> 'lo_create(0)'",
        "with t as (select y, p, row_number() over (order by p) as n from rows) select y, p from t where n > 0",
        'select "y", p /* wipe() */ from rows -- wipe()',
    ],
)
def test_what_only_reads_is_answered(place: str, query: str) -> None:
    assert ended(place, query) == "rows"


def test_a_user_s_own_connection_is_left_as_it_was(place: str) -> None:
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed: pip install 'steelyard[test]'.")
    parts = psycopg.conninfo.conninfo_to_dict(place)
    backend = ibis.postgres.connect(database=parts.pop("dbname"), **parts)
    t = backend.table("rows")
    before = backend.con.info.transaction_status
    assert sy.evaluate(t, target="y", score="p").rows == 40
    assert backend.con.info.transaction_status == before
    assert backend.con.execute("show transaction_read_only").fetchone() == ("off",)
    backend.disconnect()
