"""The front door to tables: table() opens whatever holds rows, joins predictions with labels, and computes nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count

from steelyard.arguments.allowed import shown
from steelyard.arguments.annotated import as_annotated
from steelyard.arguments.written import Decimal
from steelyard.engines.answers import plain_numbers
from steelyard.engines.sql import SOURCE
from steelyard.errors import BadLevels, NotAvailable, UnreadableSource, UsageError, listing
from steelyard.sources.databases import checked, is_address, is_path, open_address, refuse_scheme
from steelyard.sources.fetching import refuse_many
from steelyard.sources.recognise import check_columns, open_table
from steelyard.sources.relations import Relation, of_columns
from steelyard.sources.tables import NUMBERS, Table
from steelyard.sources.written import AS_IT_IS, Dates, Written, as_written
from steelyard.wording import Code, either, option

KINDS = {
    "bool": "truth values",
    **dict.fromkeys(NUMBERS, "numbers"),
    "text": "text",
    "date": "days",
    "moment": "points in time without a zone",
    "zoned": "points in time with a zone",
    "other": "something else",
}
"""What people call what a column holds."""
EXACT = 2**53
"""Up to here every whole number is a float."""


@as_annotated()
def table(
    data: object,
    *,
    query: str | None = None,
    labels: object = None,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    spark: object = None,
    decimal: Decimal | None = None,
    dates: Dates | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Open a table where it lives; it can be passed wherever data is taken, and is not read before it is asked.

    `data` is a path, a glob, a folder, an address (postgresql://…?table=…, duckdb:…, sqlite:…), or any frame. `query` is a
    SELECT over the tables of a database, or over `data` where there is but one table. With `labels` each row gets the
    columns of the one row there that has the same key; `on` names the key, or maps its name here to its name there.
    `spark` is a session, or the address of a cluster (spark://host:7077, sc://host:15002, local[2]), that then reads the
    files.

    How files are written is never guessed: `decimal` is "comma" or "point" (thousands and per cent are then read too), `dates`
    "day-first" or "month-first", `encoding` that of text, `sheet` one of a workbook. It holds for labels, too.

    >>> t = table({"id": [1, 2], "p": [0.9, 0.2]}, labels={"id": [2, 1], "y": [0, 1]}, on="id")
    >>> {name: values.tolist() for name, values in t.fetch(["p", "y"]).items()}
    {'p': [0.9, 0.2], 'y': [1, 0]}
    """
    if data is None:
        message = f"{option('labels')}, {option('on')} and {option('query')} are about a table, and no data came."
        raise UsageError(message, "Pass a path, an address or a frame first.")
    written = Written(decimal, dates, encoding, sheet)
    found = _opened(data, query, spark, written=written)
    if labels is None and on is None:
        return _asked(found, data, query)
    if labels is None or on is None:
        message = f"{option('labels')} and {option('on')} go together: a table of labels, and the key by which its rows are found."
        raise UsageError(message, f"For example {option('labels', 'labels.parquet')}, {option('on', 'id')}.")
    # Opened first: once a query is asked, the database reaches for no other file.
    there = _opened(labels, None, spark, found, written)
    return _joined(_asked(found, data, query), there, on)


def _opened(
    data: object, query: str | None, spark: object, beside: Table | None = None, written: Written = AS_IT_IS
) -> Table:
    if written.said and (spark is not None or is_address(data)):
        message = f"{' and '.join(option(name) for name in written.said)} tells how a file is written, and is for files read here."
        raise UsageError(message, "Leave it out: a database has numbers and days of its own.")
    if spark is not None and is_address(data):
        message = "A Spark cluster reads files, and an address of another database came."
        raise UsageError(message, f"Leave {option('spark')} out; or name files that the cluster can see.")
    if spark is not None and not is_path(data):
        message = f"A Spark cluster reads files, and {shown(data)} came as data."
        raise UsageError(
            message, f"Leave {option('spark')} out; a frame of Spark is counted on its own cluster as it is."
        )
    refuse_scheme(data, cluster=spark is not None)
    if query is not None and is_address(data):
        return open_address(str(data), query)
    if spark is not None and is_path(data):
        from steelyard.sources.spark_files import read_files

        found: Table | None = read_files(spark, data)
    else:
        found = open_table(data, beside, private=True, written=written)
    if found is None:
        if beside is not None and not isinstance(beside, Relation):
            message = (
                f"The predictions live in {beside.database} and the labels do not, so they cannot be joined there."
            )
            raise NotAvailable(message, f"Write the labels to a table of {beside.database} first, and name that.")
        found = of_columns(data) if beside is None else beside.holding(data)
    if written.said and not is_path(data) and isinstance(found, Relation):
        found = as_written(found, written)
    return found


def _asked(found: Table, data: object, query: str | None) -> Table:
    """What a query gives of a table; of an address it was asked when that was opened."""
    if query is None or is_address(data):
        return found
    try:
        asked = found.queried(checked(query))
    except UnreadableSource as problem:
        raise UnreadableSource(problem.message, "Look at the query: the table is called data in it.") from problem
    asked.title = f"a query of {found.title or f'a table of {found.database}'}"
    return asked


def _joined(mine: Table, other: Table, on: str | Sequence[str] | Mapping[str, str]) -> Table:
    keys = dict(on) if isinstance(on, Mapping) else {name: name for name in ([on] if isinstance(on, str) else on)}
    if not keys:
        message = "The key by which labels are found has no columns."
        raise UsageError(message, f"Name at least one: {option('on', 'id')}.")
    check_columns({f"key{i}": name for i, name in enumerate(keys)}, list(mine.names))
    check_columns({f"key of the labels{i}": name for i, name in enumerate(keys.values())}, list(other.names))
    if not mine.reaches(other):
        if not isinstance(mine, Relation) or not isinstance(other, Relation):
            raise _apart(mine, other)
        # Both are on this machine, in connections that know nothing of each other.
        refuse_many(other)
        other = mine.brought(other)
    rounded = _refuse_kinds(mine, other, keys)
    _refuse_twice(other, list(keys.values()), rounded)
    for here, there in keys.items():
        if there in rounded:
            _refuse_rounded(here, (mine, here), (other, there))
    inside = {mine.names[a]: other.names[b] for a, b in keys.items()}
    more = {name: column for name, column in other.names.items() if name not in keys.values()}
    both = [name for name in more if name in mine.names]
    # A name that both have is never guessed.
    renamed = {(f"labels.{name}" if name in both else name): column for name, column in more.items()}
    # Databases take "Y" and "y" for one name, so those of the labels are not used inside, nor any that the data have there.
    taken = {column.casefold() for column in mine.names.values()}
    free = (place for i in count() if (place := f"steelyard_label_{i}") not in taken)
    places = {name: next(free) for name in renamed}
    found = mine.join(other, inside, {places[name]: column for name, column in renamed.items()})
    told = {(f"data.{name}" if name in both else name): column for name, column in mine.names.items()}
    found.names = told | places
    found.keys = tuple(f"data.{name}" if name in both else name for name in keys)
    by = ", ".join(a if a == b else f"{a}={b}" for a, b in keys.items())
    here, there = (t.title or f"a table of {t.database}" for t in (mine, other))
    found.title = f"{here} with labels of {there} by {by}"
    return found


def _apart(mine: Table, other: Table) -> NotAvailable:
    """The complaint about two tables that no database sees both."""
    if mine.database == other.database:
        message = f"The predictions and the labels live in different places of {mine.database}, so they cannot be joined there."
        hint = (
            f"Open both with one session: {option('spark', Code('session'))} for each."
            if mine.database == "Spark"
            else ""
        )
        return NotAvailable(message, hint or "Name tables of one database, asked by the same user.")
    message = (
        f"The predictions live in {mine.database} and the labels in {other.database}, so they cannot be joined there."
    )
    ways = {
        "PostgreSQL": f"Write the labels to a table there, and name it: {option('labels', 'postgresql://host/database?table=labels')}",
        "Spark": (
            "Write the labels to files that the cluster sees, and "
            f"{either('pass labels=spark.read.parquet(path)', 'name them: --labels FILE')}."
        ),
        "DuckDB": f"Write the labels to a file, such as labels.parquet, and name that; or the predictions to {other.database}.",
    }
    return NotAvailable(message, ways[mine.database])


def _refuse_kinds(mine: Table, other: Table, keys: Mapping[str, str]) -> set[str]:
    """Refuse keys that databases compare in different ways; the others that are rounded when they are compared."""
    rounded = set()
    for here, there in keys.items():
        a, b = mine.kinds[mine.names[here]], other.kinds[other.names[there]]
        days = {a, b} <= {"date", "moment"}
        if a != b and not days and not {a, b} <= set(NUMBERS):
            message = f'The key "{here}" holds {KINDS[a]} in the data and {KINDS[b]} among the labels.'
            raise UsageError(message, "Turn one of them into what the other is, so that equal keys are written alike.")
        if a != b and "float" in {a, b}:
            rounded.add(there)
    return rounded


def _refuse_rounded(key: str, *sides: tuple[Table, str]) -> None:
    """Refuse whole numbers that are rounded where they are held against floats: two keys would be one."""
    for table, name in sides:
        if table.kinds[table.names[name]] != "float":
            x = table.quoted(table.names[name])
            found = table.ask(f"select count(*) as large from {SOURCE} where {x} > {EXACT} or {x} < -{EXACT}")
            if int(plain_numbers(found["large"])[0]):
                message = (
                    f'The key "{key}" holds whole numbers of 16 digits and more in one table, and floats in the other.'
                )
                raise UsageError(message, "Floats keep 15 digits: give both tables whole numbers, or text.")


def _refuse_twice(other: Table, keys: Sequence[str], rounded: Collection[str]) -> None:
    """Refuse labels of which several have the same key: rows would be counted more than once."""
    own = {key: other.quoted(other.names[key]) for key in keys}
    columns = ", ".join(other.number(x) if key in rounded else x for key, x in own.items())
    there = " and ".join(f"{other.quoted(other.names[key])} is not null" for key in keys)
    groups = f"(select count(*) as n from {SOURCE} where {there} group by {columns} having count(*) > 1)"
    found = other.ask(f"select count(*) as keys_twice from {groups} as g")
    n = int(plain_numbers(found["keys_twice"])[0])
    if n:
        message = (
            f"{n:,} {'key has' if n == 1 else 'keys have'} more than one row among the labels, by {listing(keys)}."
        )
        hint = "Each prediction needs one label: keep the right row of each, or name more columns of the key."
        raise BadLevels(message, hint)
