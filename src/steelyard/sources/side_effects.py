"""Functions that do more than answer: what a query may not call, whatever the rights of the user who asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from steelyard.errors import UsageError, listing

if TYPE_CHECKING:
    from psycopg import Connection

PIECE = re.compile(
    r"""\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])\$((?:[^\W\d]\w*)?)\$.*?\$\1\$|--[^\n\r]*|/\*.*?\*/""",
    re.DOTALL,
)
"""Texts, quoted names and comments, in which no word means what it says elsewhere."""
NAME = r'"(?:[^"]|"")+"|[^\W\d][\w$]*'
CALLED = re.compile(rf"({NAME})\s*\(|\.\s*({NAME})")
"""A name before a bracket, or behind a dot: PostgreSQL lets row.function stand for function(row)."""
HARMLESS = ("random", "random_normal", "clock_timestamp", "timeofday", "gen_random_uuid", "uuidv4", "uuidv7")
"""Functions that PostgreSQL calls volatile only because they give another answer each time."""
VOLATILE = """
select distinct proname::text from pg_catalog.pg_proc
where provolatile = 'v' and proname = any(%(names)s) and not proname = any(%(harmless)s)
union all
select distinct oprname::text from pg_catalog.pg_operator o join pg_catalog.pg_proc p on p.oid = o.oprcode
where p.provolatile = 'v' and position(oprname::text in %(text)s) > 0
order by 1
"""


def without_texts(query: str) -> str:
    """A query without its texts, in which names that are quoted stay."""
    return PIECE.sub(lambda m: m[0] if m[0].startswith('"') else "''", query)


def names_called(query: str) -> list[str]:
    r"""The names in a query that may be those of functions, as PostgreSQL writes them.

    >>> names_called('select Now(), "Lo_create" (0), (t).f, \'pg_sleep(1)\' from t')
    ['Lo_create', 'f', 'now']
    """
    found = (a or b for a, b in CALLED.findall(without_texts(query)))
    return sorted({n[1:-1].replace('""', '"') if n.startswith('"') else n.lower() for n in found})


def refuse_side_effects(connection: Connection[Any], query: str) -> None:
    """Refuse a query with functions that PostgreSQL itself holds to be able to change something."""
    bare = without_texts(query)
    if re.search(r'\bu&\s*"', query, re.IGNORECASE):
        message = 'The query writes a name as U&"…", behind which any name can stand.'
        raise UsageError(message, "Write the name itself.")
    asked = {"names": names_called(query), "harmless": list(HARMLESS), "text": bare}
    found = [name for (name,) in connection.execute(VOLATILE, asked).fetchall()]
    if found:
        message = f"The query calls {listing(found)}, which PostgreSQL holds to be able to change something (VOLATILE)."
        hint = "Leave it out; a function that only reads can be declared so: alter function name stable."
        raise UsageError(message, hint)
