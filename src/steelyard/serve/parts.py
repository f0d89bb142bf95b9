"""Rows that wait, in parts: those of one window that came together, as columns, with a digest by which a change is noticed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.serve import statements as sql
from steelyard.serve.received import ID, TIME
from steelyard.serve.soundness import Damaged, digest_of
from steelyard.serve.store import Session

SMALL = 1_000
"""Rows up to which what comes at the same time shares a part."""


FEW = 50
"""Rows of which each is looked at sooner than those are found that are meant."""


def packed(table: pa.Table) -> tuple[bytes, str]:
    """A table as bytes, and their digest."""
    sink = pa.BufferOutputStream()
    # For few rows, waking other threads takes longer than the work.
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=table.num_rows > SMALL)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table.combine_chunks())
    body = sink.getvalue().to_pybytes()
    return body, digest_of(body)


def unpacked(body: bytes, digest: str, part: int) -> pa.Table:
    """The table; one that was changed is refused."""
    if digest_of(body) != digest:
        raise Damaged("part", part)
    table: pa.Table = pa.ipc.open_stream(pa.py_buffer(bytes(body))).read_all()
    return table


def new_part() -> int:
    """A number that no other part has, of this process or another; later ones are greater."""
    return (time.time_ns() // 1000 << 10) | int.from_bytes(os.urandom(2)) >> 6


def listed(ids: Iterable[str]) -> str:
    """Identifiers as a statement takes them."""
    return json.dumps(list(ids), ensure_ascii=False)


def window_rows(session: Session, stream: int, start: int) -> pa.Table | None:
    """All rows of a window, in an order that does not depend on how they came; None where there are none."""
    found = [unpacked(body, digest, part) for part, digest, body in session.each(sql.PARTS_OF_WINDOW, stream, start)]
    found = [t for t in found if t.num_rows]
    if not found:
        return None
    whole = pa.concat_tables(found, promote_options="default")
    found.clear()
    order, columns = pc.sort_indices(whole, sort_keys=[(TIME, "ascending"), (ID, "ascending")]), {}
    for name in whole.column_names:
        # One after the other, so that the rows are never there twice.
        columns[name] = whole[name].take(order)
        whole = whole.drop_columns([name])
    return pa.table(columns)


def rows_of(table: pa.Table, ids: Collection[str]) -> dict[str, tuple[object, ...]]:
    """The rows of some identifiers, each by its own, to be held against others."""
    if table.num_rows > FEW:
        table = table.filter(pc.is_in(table[ID], pa.array(sorted(ids), pa.string())))
    columns = [table[name].to_pylist() for name in sorted(table.column_names) if name != ID]
    return dict(zip(table[ID].to_pylist(), zip(*columns, strict=True), strict=True))


def without(session: Session, part: int, ids: set[str]) -> int:
    """Take some rows out of a part; how many that were."""
    found = session.one(sql.PART, part)
    if found is None:
        return 0
    table = unpacked(found[3], found[2], part)
    keep = pc.invert(pc.is_in(table[ID], pa.array(sorted(ids), pa.string())))
    left = table.filter(keep)
    if left.num_rows:
        body, digest = packed(left)
        session.do(sql.SET_PART, left.num_rows, digest, body, part)
    else:
        session.do(sql.DROP_PART, part)
    return int(table.num_rows - left.num_rows)


@dataclass
class Pending:
    """Rows of one window that came in the same transaction in small numbers, written together at its end."""

    stream: int
    start: int
    part: int = field(default_factory=new_part)
    tables: list[pa.Table] = field(default_factory=list)

    def write(self, session: Session) -> None:
        """Write them as one part."""
        write_part(session, self.stream, self.start, self.part, pa.concat_tables(self.tables))


def write_part(session: Session, stream: int, start: int, part: int, table: pa.Table) -> None:
    """Write a part."""
    body, digest = packed(table)
    session.do(sql.ADD_PART, part, stream, start, table.num_rows, digest, body)


def order_of(ids: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The places of identifiers in their order: all write in the same one, and so never wait for each other in a circle."""
    return np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
