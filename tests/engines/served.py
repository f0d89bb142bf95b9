"""The same table on servers: PostgreSQL, a Spark cluster, Spark Connect, and Ibis on top of PostgreSQL."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

SERVERS: dict[str, Any] = {}
"""Those that have been started, by the name of their fixture."""
_loaded: dict[int, tuple[str, Any]] = {}


def _plain(table: pa.Table) -> pa.Table:
    """Without kinds that a server does not have: dictionaries, and whole numbers without a sign."""
    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(i, field.name, table[field.name].cast(pa.string()))
        elif pa.types.is_uint64(field.type):
            values = [None if v is None else str(v) for v in table[field.name].to_pylist()]
            table = table.set_column(i, field.name, pa.array(values).cast(pa.decimal128(20, 0)))
    return table


def load(table: pa.Table) -> str:
    """The name of a table of PostgreSQL with these rows."""
    from hashlib import md5

    name = f"rows {md5(str(table.to_pydict()).encode() + str(table.schema).encode(), usedforsecurity=False).hexdigest()[:12]}"
    if name not in SERVERS.setdefault("loaded", set()):
        SERVERS["postgres"].load(name, _plain(table))
        SERVERS["loaded"].add(name)
    return name


def _postgres(table: pa.Table) -> Any:
    from urllib.parse import quote

    return f"{SERVERS['postgres'].reader_uri}&table={quote(load(table))}"


def _ibis(table: pa.Table) -> Any:
    import ibis

    if "ibis" not in SERVERS:
        SERVERS["ibis"] = ibis.connect(SERVERS["postgres"].reader_uri)
        atexit.register(SERVERS["ibis"].disconnect)
    return SERVERS["ibis"].table(load(table))


def _spark(fixture: str) -> Callable[[pa.Table], Any]:
    def made(table: pa.Table) -> Any:
        session = SERVERS[fixture]
        # Without it a time that has no zone would become one of the session's zone.
        session.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
        return session.createDataFrame(_plain(table)).repartition(3)

    return made


PLACES: Mapping[str, tuple[str, str, Callable[[pa.Table], Any]]] = {
    "postgresql": ("postgres", "postgres", _postgres),
    "ibis": ("postgres", "postgres", _ibis),
    "spark": ("spark", "spark", _spark("spark")),
    "spark connect": ("spark_connect", "spark", _spark("spark_connect")),
}
"""The fixture of each, the group of tests that run one after the other, and how a table comes to be there."""

EVERYWHERE = tuple(pytest.param(name, marks=pytest.mark.xdist_group(group)) for name, (_, group, _) in PLACES.items())
FORMS = EVERYWHERE[:-1]
"""All but Spark Connect, which differs from Spark in how it is reached and not in how it counts."""


def few(form: str, cases: Mapping[str, Any]) -> dict[str, Any]:
    """All cases, or every fourth of them on a cluster, where each takes a second."""
    return dict(list(cases.items())[:: 4 if form.startswith("spark") else 1])


def start(form: str, request: pytest.FixtureRequest) -> None:
    """Start the server that a form needs, if none of its tests has done so."""
    if form in PLACES:
        fixture = PLACES[form][0]
        SERVERS[fixture] = request.getfixturevalue(fixture)


def serve(form: str, table: pa.Table, _: Path) -> Any:
    """The table in the form that a server gives it."""
    return PLACES[form][2](table)
