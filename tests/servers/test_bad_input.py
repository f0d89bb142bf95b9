"""What goes wrong with PostgreSQL is told in a sentence, and no password is ever part of it."""

from __future__ import annotations

import json
import socket
import traceback
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import SteelyardError

from .postgres import PASSWORD, Postgres

ROLES = {"target": "y", "score": "p"}
WRONG = "".join(["hunter", "2 is: wrong/@?"])
"""A password that occurs nowhere else, not even in the lines that a traceback shows."""


def told(call: Any) -> SteelyardError:
    """The error of a call, in whose traceback no secret is shown."""
    with pytest.raises(SteelyardError) as found:
        call()
    shown = "".join(traceback.format_exception(found.value))
    for secret in (PASSWORD, quote(PASSWORD), WRONG, quote(WRONG, safe="")):
        assert secret not in shown
    return found.value


@pytest.fixture(scope="module")
def server(postgres: Postgres) -> Postgres:
    postgres.load("preds", pa.table({"y": [1, 0, 1], "p": [0.9, 0.1, 0.8], "word": ["a", "b", "c"]}))
    postgres.run("create table locked (y int, p float8); revoke all on locked from reader")
    postgres.run("create sequence numbers; create type two as (a int, b float8)")
    postgres.run("create function forget() returns int language sql as 'delete from preds; select 1'")
    odd = "array[p] as list, '{\"a\": 1}'::json as doc, 'x'::bytea as raw, row(1, 2.5)::two as pair, '1 day'::interval as span"
    postgres.run(f"create table odd as select y, word, {odd} from preds")
    return postgres


def _network(server: Postgres, rest: str = "", **change: str) -> str:
    parts = {"user": "reader", "password": PASSWORD, "port": str(server.port), "base": "postgres", **change}
    who = f"{parts['user']}:{quote(parts['password'], safe='')}"
    return f"postgresql://{who}@127.0.0.1:{parts['port']}/{parts['base']}{rest}"


ADDRESS = "Check the address: postgresql://user:password@host:port/database?table=name"
LOOK = "Look at the table or the query, and at what the user may read."
CONNECTIONS: dict[str, tuple[dict[str, str], str, str]] = {
    "a wrong password": (
        {"password": WRONG},
        "No connection to postgresql://127.0.0.1:PORT/postgres: it did not accept the user or the password.",
        "Check both; PGPASSWORD and ~/.pgpass are read too.",
    ),
    "a wrong user": (
        {"user": "nobody"},
        "No connection to postgresql://127.0.0.1:PORT/postgres: it did not accept the user or the password.",
        "Check both; PGPASSWORD and ~/.pgpass are read too.",
    ),
    "no such database": (
        {"base": "shop"},
        "No connection to postgresql://127.0.0.1:PORT/shop: it has no database of that name.",
        ADDRESS,
    ),
    "a port on which nobody listens": (
        {"port": "1", "password": WRONG},
        "No connection to postgresql://127.0.0.1:1/postgres: nobody answers there.",
        ADDRESS,
    ),
    "a port that is none": (
        {"port": "five", "password": WRONG},
        "No connection to postgresql://127.0.0.1:five/postgres: it cannot be reached.",
        ADDRESS,
    ),
}


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("name", CONNECTIONS)
def test_connections(name: str, server: Postgres) -> None:
    change, message, hint = CONNECTIONS[name]
    found = told(lambda: sy.evaluate(_network(server, "?table=preds", **change), **ROLES))
    assert (found.message, found.hint) == (message.replace("PORT", str(server.port)), hint)


@pytest.mark.xdist_group("postgres")
def test_a_server_that_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        address = f"postgresql://me:{quote(WRONG, safe='')}@127.0.0.1:{port}/shop?connect_timeout=2&table=preds"
        found = told(lambda: sy.evaluate(address, **ROLES))
    assert (
        found.message
        == f"No connection to postgresql://127.0.0.1:{port}/shop?connect_timeout=2: it did not answer in time."
    )
    assert found.hint == f"{ADDRESS}; &connect_timeout=60 waits for a minute."


TABLES: dict[str, tuple[str, str, str]] = {
    "no such table": (
        "?table=pred",
        'There is no table "pred" in postgresql://127.0.0.1:PORT/postgres; there are ',
        'Did you mean "preds"?',
    ),
    "a table in other letters": (
        "?table=PREDS",
        'There is no table "PREDS" in postgresql://127.0.0.1:PORT/postgres; there are ',
        'Did you mean "preds"?',
    ),
    "a parameter that there is not": (
        "?tabel=preds",
        'The address has a parameter "tabel" that PostgreSQL does not know.',
        'Did you mean "table"?',
    ),
    "a table of somebody else": (
        "?table=locked",
        "PostgreSQL cannot read the table: permission denied for table locked.",
        LOOK,
    ),
    "which table": (
        "",
        "Which table of postgresql://127.0.0.1:PORT/postgres? It has ",
        "Add ?table=NAME to the address, or write a query: query=...",
    ),
    "a table and a query": (
        "?table=preds&query=select%201",
        "The address names a table, and a query came as well.",
        "Name a table or write a query, not both.",
    ),
}


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str, server: Postgres) -> None:
    rest, message, hint = TABLES[name]
    found = told(lambda: sy.evaluate(_network(server, rest), **ROLES))
    assert found.message.startswith(message.replace("PORT", str(server.port)))
    assert found.hint == hint


@pytest.mark.xdist_group("postgres")
def test_columns(server: Postgres) -> None:
    found = told(lambda: sy.evaluate(_network(server, "?table=preds"), target="y", score="prob"))
    assert found.message == 'There is no column "prob" for the score; the table has "y", "p", "word".'
    texts = {"list": "{0.9}", "doc": '{"a": 1}', "raw": "\\x78", "pair": "(1,2.5)", "span": "1 day", "word": "a"}
    for column, text in texts.items():
        found = told(lambda column=column: sy.evaluate(_network(server, "?table=odd"), target="y", score=column))
        assert found.message == f'The column "{column}" holds text, such as "{text}", where the score must be a number.'
        assert found.hint == "Name another column for this role, or turn the values into numbers first."


ONE = "The query holds a semicolon, and only one SELECT is asked at a time."
NEVER = "and only a SELECT is asked: steelyard never changes a database."
VOLATILE = "which PostgreSQL holds to be able to change something (VOLATILE)."
QUERIES: dict[str, str] = {
    "insert into preds values (1, 2, 'x')": f'The query begins with "insert", {NEVER}',
    "delete from preds": f'The query begins with "delete", {NEVER}',
    "/* select */ drop table preds": f'The query begins with "drop", {NEVER}',
    "set role postgres": f'The query begins with "set", {NEVER}',
    "copy preds to stdout": f'The query begins with "copy", {NEVER}',
    "select 1; drop table preds": ONE,
    "select y, p, '--' from preds) as q; drop table preds; --": ONE,
    "select y, p, E'\\'') as q; drop table preds; --'": ONE,
    "with x as (delete from preds returning *) select * from x": f'The query holds "delete from", {NEVER}',
    "with x as ( UPDATE preds SET y = 1 returning *) select * from x": f'The query holds "UPDATE preds SET", {NEVER}',
    "select y, p from preds) as z, (select 1 from preds": "The brackets of the query do not match.",
    " -- nothing": "The query is empty.",
    "select y, p frm preds": 'PostgreSQL cannot read the table: syntax error at or near "preds".',
    "select y, q from preds": 'PostgreSQL cannot read the table: column "q" does not exist.',
    "select y, p / 0 as p from preds": "PostgreSQL cannot read the table: division by zero.",
    "select y, p into other from preds": "PostgreSQL cannot read the table: SELECT ... INTO is not allowed here.",
    "select forget(), y, p from preds": f'The query calls "forget", {VOLATILE}',
    "select nextval('numbers'), y, p from preds": f'The query calls "nextval", {VOLATILE}',
}


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("query", QUERIES)
def test_queries(query: str, server: Postgres) -> None:
    """Asked as the owner, who may do all of it."""
    found = told(lambda: sy.evaluate(server.uri, query=query, **ROLES))
    assert found.message == QUERIES[query]
    assert found.hint[-1] in ".s"
    assert sy.evaluate(f"{server.uri}&table=preds", **ROLES).rows == 3


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize(
    "query",
    [
        "select y, p from preds;",
        "select y, p from preds; -- done",
        "-- what is asked\nselect y, p from preds -- done",
        "(select y, p from preds)",
        "with x as (select * from preds) select y, p from x where word <> ';' and word <> '--'",
        "select y, p, $$;$$ as mark, 100 % 7 as rest from preds",
        'select y, p, word as "delete from; (" from preds',
        "table preds",
    ],
)
def test_queries_that_are_none_of_these(query: str, server: Postgres) -> None:
    assert sy.evaluate(server.reader_uri, query=query, **ROLES).rows == 3


@pytest.mark.xdist_group("postgres")
def test_no_password_is_printed_or_saved(server: Postgres, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = _network(server, "?table=preds"), _network(server, "?table=preds", password=WRONG)
    for address, code in ((wrong, 3), (right + "x", 3), (right, 0)):
        saved = tmp_path / "saved.json"
        save = ["--save", str(saved)] if address == right else []
        assert run(["evaluate", address, "--target", "y", "--score", "p", *save]) == code
        printed = capsys.readouterr()
        texts = [printed.out, printed.err, saved.read_text(encoding="utf-8") if save else ""]
        for secret in (PASSWORD, quote(PASSWORD), WRONG, quote(WRONG, safe=""), "reader"):
            assert not any(secret in text for text in texts)
    found = sy.evaluate(right, **ROLES)
    table = sy.table(right)
    for text in (repr(found), str(found), json.dumps(found.to_dict()), repr(table), str(vars(table)), table.title):
        assert PASSWORD not in text
        assert quote(PASSWORD) not in text
