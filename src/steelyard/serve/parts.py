"""Rows that wait, in parts: those of one window that came together, as columns, with a digest by which a change is noticed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.serve import statements as sql
from steelyard.serve.received import ID, TIME
from steelyard.serve.soundness import Damaged, digest_of
from steelyard.serve.store import Session

SMALL = 1_000
"""Rows up to which what comes at the same time shares a part."""
AT_ONCE = 1 << 20
"""Values of a window that are counted at once, its rows times their columns: counting takes some 60 bytes for each."""
HELD = 32 << 20
"""Bytes of rows of a window that are held, to be counted slice by slice; what goes beyond is read again."""
Places = np.ndarray[tuple[int], np.dtype[np.uint16]]
"""In which slice each row of a part is."""
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


def slices_of(session: Session, stream: int, start: int, columns: int) -> int:
    """In how many slices the rows of a window are read: as many as keep each of them small, whatever came how."""
    found = session.one(sql.ROWS_OF_WINDOW, stream, start)
    rows = 0 if found is None else int(found[0])
    return max(1, -(-rows * (columns + 2) // AT_ONCE))


def window_rows(session: Session, stream: int, start: int, slices: int = 1) -> Iterator[pa.Table | None]:
    """All rows of a window, a slice after the other, by their identifiers, so that nothing depends on how they came.

    A slice that has no rows is None.
    """
    places: dict[int, Places | None] = {int(row[0]): None for row in session.all(sql.PARTS_OF_WINDOW, stream, start)}
    first = 0
    while first < slices:
        held = _held(session, places, range(first, slices), slices)
        first += len(held)
        for number in sorted(held):
            found = held.pop(number)
            yield _in_order(found) if found else None


def _held(
    session: Session, places: dict[int, Places | None], wanted: Sequence[int], slices: int
) -> dict[int, list[pa.Table]]:
    """The rows of as many slices as may be held, from one reading of all parts; the first of them at least."""
    held: dict[int, list[pa.Table]] = {number: [] for number in wanted}
    sizes = dict.fromkeys(held, 0)
    for part, known in places.items():
        table = opened(session, part)
        if slices > 1 and known is None:
            known = np.array([crc32(x.encode()) % slices for x in table[ID].to_pylist()], dtype=np.uint16)
            places[part] = known
        for number, tables in held.items():
            mine = table if known is None else table.take(np.flatnonzero(known == number))
            tables += [mine] if mine.num_rows else []
            sizes[number] += mine.nbytes
        while len(held) > 1 and sum(sizes.values()) > HELD:
            sizes.pop(held.popitem()[0])  # read again for it
    return held


def _in_order(found: list[pa.Table]) -> pa.Table:
    whole = pa.concat_tables(found, promote_options="default")
    found.clear()
    order, columns = pc.sort_indices(whole, sort_keys=[(TIME, "ascending"), (ID, "ascending")]), {}
    for name in whole.column_names:
        # One after the other, so that the rows are never there twice.
        columns[name] = whole[name].take(order)
        whole = whole.drop_columns([name])
    return pa.table(columns)


def opened(session: Session, part: int) -> pa.Table:
    """The rows of a part."""
    found = session.one(sql.PART, part)
    assert found is not None
    return unpacked(found[3], found[2], part)


def rows_of(table: pa.Table, ids: Collection[str]) -> dict[str, tuple[object, ...]]:
    """The rows of some identifiers, each by its own, to be held against others."""
    if table.num_rows > FEW:
        table = table.filter(pc.is_in(table[ID], pa.array(sorted(ids), pa.string())))
    return dict(zip(table[ID].to_pylist(), values_of(table), strict=True))


def values_of(table: pa.Table) -> Iterator[tuple[object, ...]]:
    """What each row says, beside its identifier."""
    return zip(*(table[name].to_pylist() for name in sorted(table.column_names) if name != ID), strict=True)


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
