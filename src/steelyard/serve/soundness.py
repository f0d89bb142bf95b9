"""Whether a store holds what was written to it: seals of rows, digests of bodies, and the end of the log of SQLite."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.serve import statements as sql

if TYPE_CHECKING:
    from steelyard.serve.store import Session

HEAD, FRAME = 32, 24
"""Bytes at the head of a log, and before each page in it."""
LOG_CUT = -1
"""Stands for the log among the parts that are set aside."""


class Damaged(Exception):
    """What the store holds is not what was written to it."""

    def __init__(self, what: str, key: int) -> None:
        super().__init__(f"The {what} {key} was changed outside of the service, or its disk is failing")
        self.what = what
        self.key = key


def seal(*given: object) -> int:
    """A checksum of values, whatever they are: the same in every version of Python."""
    parts = [v if isinstance(v, bytes) else b"\0" if v is None else str(v).encode() for v in given]
    return zlib.crc32(b"\x1f".join(parts))


def digest_of(body: bytes) -> str:
    """A digest by which a change is noticed."""
    return hashlib.blake2b(body, digest_size=16).hexdigest()


# The log --------------------------------------------------------------------------------------------------------------


def log_tail(log: Path) -> tuple[bytes, list[bool]] | None:
    """The salt of a log, and of each of its pages whether a transaction ends there; None where there is no log."""
    try:
        held = log.read_bytes()
    except OSError:
        return None
    if len(held) <= HEAD:
        return None
    size = struct.unpack(">I", held[8:12])[0]
    size = size if 512 <= size <= 65536 and size & (size - 1) == 0 else 4096
    frames = [held[at : at + FRAME] for at in range(HEAD, len(held) - FRAME - size + 1, FRAME + size)]
    salt = held[16:24] if _head_is_whole(held[:HEAD]) else b""
    mine = [f for f in frames if not salt or f[8:16] == salt]
    return salt, [f[4:8] != b"\0\0\0\0" for f in mine]


def _head_is_whole(head: bytes) -> bool:
    magic = struct.unpack(">I", head[:4])[0]
    words = np.frombuffer(head[:24], ">u4" if magic & 1 else "<u4").astype(np.uint64).tolist()
    a = b = 0
    for x, y in zip(words[::2], words[1::2], strict=True):
        a = (a + x + b) & 0xFFFFFFFF
        b = (b + y + a) & 0xFFFFFFFF
    return magic >> 1 == 0x377F0682 >> 1 and (a, b) == struct.unpack(">II", head[24:32])


def lost_from_log(found: tuple[bytes, list[bool]] | None, pages: int) -> str:
    """What to say where a log holds transactions that SQLite could not read back; nothing where there are none."""
    if found is None:
        return ""
    salt, ends = found
    lost = sum(ends[max(pages, 0) :]) if salt else sum(ends)
    if not lost:
        return ""
    return (
        f"The log of the store was damaged: {lost:,} transactions in it could not be read, and what they wrote is gone"
    )


# Rows and bodies ------------------------------------------------------------------------------------------------------


def broken_tables(session: Session) -> Iterator[str]:
    """Which tables have rows that are not as they were written."""
    for table, statement in sql.BROKEN.items():
        found = session.one(statement)
        if found is not None and found[0]:
            yield f"{found[0]:,} rows of {table} are not as they were written"


def broken_parts(session: Session) -> tuple[list[tuple[int, int, int]], list[tuple[int, int, bytes]]]:
    """Parts of which the bytes are not those that were written; and those of which only the identifiers are not known rightly."""
    named: dict[int, tuple[int, int]] = {
        int(part): (int(many), int(total or 0)) for part, many, total in session.all(sql.NAMED_IN_PARTS)
    }
    lost, unnamed = [], []
    for part, stream, start, held, digest, body in session.each(sql.BODIES):
        if digest_of(body) != digest:
            lost.append((part, stream, start))
        elif named.get(part) != (held, _total(body)):
            unnamed.append((part, stream, body))
    return lost, unnamed


def _total(body: bytes) -> int:
    import pyarrow as pa

    from steelyard.serve.received import ID

    table: Any = pa.ipc.open_stream(pa.py_buffer(bytes(body))).read_all()
    return sum(map(seal, table[ID].to_pylist()))


def broken_windows(session: Session) -> list[tuple[int, int, bool]]:
    """Windows whose summary is not as it was written, and whether their rows are gone."""
    found = session.each(sql.BODIES_OF_WINDOWS)
    return [
        (stream, start, closed is not None)
        for stream, start, digest, body, closed in found
        if digest_of(body) != digest
    ]
