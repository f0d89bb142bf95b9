"""Stores of earlier forms, brought to the present one: a copy is kept, and all is done in one transaction."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.errors import InputError
from steelyard.serve import statements as sql

if TYPE_CHECKING:
    from steelyard.serve.store import Session


def form_of(session: Session) -> int | None:
    """The form of the tables that are there; None where there are none."""
    found = session.one(sql.FACT, "level")
    return None if found is None else int(found[0])


def check_form(form: int | None) -> None:
    """Refuse a store of a later version."""
    if form is not None and form > sql.LEVEL:
        message = f"The store has form {form}, and this version of steelyard knows forms up to {sql.LEVEL}."
        raise InputError(message, "Serve it with the version that wrote it, or a later one.")


def copied_to(path: Path, place: Path) -> None:
    """Copy a store that may be in use, as of one moment."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(place)) as target:
        source.backup(target)
        target.execute(sql.ONE_FILE)


def seal_rows(session: Session) -> None:
    """From form 1 to 2: tables of SQLite are written anew with seals, which the database computes."""
    for table in sql.SEALED:
        if not session.all(sql.COLUMNS_OF, table):
            continue
        session.do(sql.TO_OLD[table])
    for text in sql.TABLES:
        if " index " not in text:
            session.do(text)
    for table in sql.SEALED:
        columns = [row[0] for row in session.all(sql.COLUMNS_OF, f"old_{table}")]
        if columns:
            session.do(sql.FROM_OLD[table].format(columns=", ".join(columns)))
            session.do(sql.DROP_OLD[table])
