"""Rows whose bytes were damaged: set aside, told of, and waited for until they are sent again or given up."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from steelyard.monitors.windows import moment
from steelyard.serve import statements as sql
from steelyard.serve.parts import listed
from steelyard.serve.received import ID
from steelyard.serve.soundness import LOG_CUT, Damaged, broken_parts, broken_windows, digest_of
from steelyard.serve.store import Session


def mend(session: Session, now: int) -> int:
    """Mend what can be mended from what is whole, and set the rest aside; how much was found."""
    lost, unnamed = broken_parts(session)
    for part, stream, start in lost:
        put_aside(session, part, stream, start, now)
    for part, _, _ in unnamed:
        session.do(sql.FORGET_KEYS, part)
    for part, stream, body in unnamed:
        ids = pa.ipc.open_stream(pa.py_buffer(bytes(body))).read_all()[ID].to_pylist()
        session.do(sql.PUT_KEYS, stream, part, listed(sorted(ids)))
    gone = session.all(sql.LOST_KEYS)
    for part, stream in gone:
        session.do(sql.SET_ASIDE, part, stream, 0, now, "Its rows are not there any more", None)
    counts = [(stream, start) for stream, start, closed in broken_windows(session) if not closed]
    for stream, start in counts:
        session.do(sql.TOUCH_WINDOW, stream, start, start, "")
    return len(lost) + len(unnamed) + len(gone) + len(counts)


def put_aside(session: Session, part: int, stream: int, start: int, now: int) -> None:
    """Set one part aside: its identifiers stay, so that its rows are known when they come again."""
    found = session.one(sql.PART, part)
    if found is not None:
        session.do(sql.SET_ASIDE, part, stream, start, now, "Its bytes are not those that were written", found[3])
        session.do(sql.DROP_PART, part)


def put_aside_part(session: Session, part: int, now: int) -> None:
    """The same for a part of which nothing else is known."""
    found = session.one(sql.PART, part)
    if found is not None and digest_of(found[3]) != found[2]:
        put_aside(session, part, int(found[0]), int(found[1]), now)


def put_log_aside(session: Session, why: str, now: int) -> None:
    """Note that the end of the log could not be read."""
    session.do(sql.SET_ASIDE, LOG_CUT, 0, 0, now, why, None)


def asides_told(session: Session) -> list[dict[str, Any]]:
    """What is set aside, and for how many rows it waits."""
    names = ("part", "model", "version", "window")
    return [
        {**dict(zip(names, row[:4], strict=True)), "at": moment(row[4]).isoformat(), "why": row[5], "rows": row[6]}
        for row in session.all(sql.ASIDE)
    ]


def sentence_of(told: dict[str, Any]) -> str:
    """What is set aside, in words."""
    if told["part"] == LOG_CUT:
        return f"{told['why']}. Send again what was sent before {told['at'][:16]}: rows that are there are known."
    place = f" of the window {told['window']}" if told["window"] else ""
    return f"{told['rows']:,} rows{place} were damaged on the disk and are set aside. Send them again: the others are known."


def give_up(session: Session, part: int) -> tuple[int, int] | None:
    """Wait no longer for the rows of a part; the stream and the window that they were of, where it was set aside."""
    found = session.one(sql.ASIDE_PART, part)
    session.do(sql.FORGET_ASIDE, part)
    session.do(sql.FORGET_KEYS, part)
    return None if found is None else (int(found[0]), int(found[1]))


def refuse_incomplete(session: Session, stream: int, start: int) -> None:
    """Refuse to count a window of which rows are set aside."""
    found = session.one(sql.ASIDE_OF, stream, start)
    if found is not None:
        raise Damaged("part", int(found[0]))


def taken_again(session: Session, stream: int, known: dict[str, int]) -> dict[str, int]:
    """The rows that are known and whole; of those that are set aside, others may take the place."""
    aside = {int(row[0]) for row in session.all(sql.ASIDE_IN, stream)}
    lost = sorted(name for name, part in known.items() if part in aside)
    if not lost:
        return known
    session.do(sql.MOVE_KEYS, stream, listed(lost))
    session.do(sql.TAKEN_AGAIN)
    return {name: part for name, part in known.items() if part not in aside}
