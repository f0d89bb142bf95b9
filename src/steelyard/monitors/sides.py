"""Which of two samples an error is about: the reference, or the current one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from steelyard.errors import EmptyTable, UnknownColumn, UsageError
from steelyard.sources.recognise import open_table
from steelyard.sources.tables import Table

REFERENCE, CURRENT = "reference", "current sample"


@contextmanager
def of_side(side: str) -> Iterator[None]:
    """Let an error about a table without rows, or without a column, say which of the two tables it means.

    >>> with of_side(REFERENCE):
    ...     raise EmptyTable("The table has no rows.", "Look at it.")
    Traceback (most recent call last):
    steelyard.errors.EmptyTable: The reference has no rows.
    Hint: Look at it.
    """
    try:
        yield
    except (EmptyTable, UnknownColumn) as problem:
        told = problem.message.marked.replace("The table has", f"The {side} has")
        # A role of its own tells nobody anything where every column plays the same part.
        head, mark, tail = told.partition(" for the column")
        if mark:
            told = f"{head} in the {side}{tail.lstrip('0123456789').replace('; the table has', '; it has')}"
        raise type(problem)(told, problem.hint) from None


@contextmanager
def of_files(reference: object, current: object) -> Iterator[None]:
    """Where files cannot be compared, say first that one has no rows: its columns then have no kind of their own."""
    try:
        yield
    except UsageError:
        for data, side in ((reference, REFERENCE), (current, CURRENT)):
            table = open_table(data) if isinstance(data, str | os.PathLike | Table) else None
            if table is not None and not table.length(1):
                message = f"The {side} has no rows."
                raise EmptyTable(message, "Stability compares two samples, each with at least one row.") from None
        raise
