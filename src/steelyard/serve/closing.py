"""Windows whose rows are let go: what was counted of them stays."""

from __future__ import annotations

from functools import partial

from steelyard.serve import statements as sql
from steelyard.serve.aside import give_up
from steelyard.serve.parts import listed, opened
from steelyard.serve.received import ID
from steelyard.serve.store import Session, Store
from steelyard.serve.writer import Writer, passed


def close_window(session: Session, stream: int, start: int, now: int) -> None:
    """Let the rows of a window go, with their identifiers; what comes late to it is refused from now on."""
    if not session.do(sql.CLOSE_WINDOW, now, stream, start):
        return
    for (part,) in session.all(sql.PARTS_OF_WINDOW, stream, start):
        session.do(sql.MOVE_KEYS, stream, listed(opened(session, part)[ID].to_pylist()))
    passed("keys gone")
    session.do(sql.DROP_PARTS, stream, start)
    for (part,) in session.all(sql.ASIDE_OF, stream, start):
        # It was counted before its rows were damaged, and needs them no more.
        give_up(session, int(part))


def let_oldest_go(store: Store, writer: Writer, most: int, now: int) -> int:
    """Close the oldest windows that were counted until rows take no more than so many bytes; how many were closed."""
    with store.reading() as session:
        waiting = session.one(sql.WAITING)
        over = (int(waiting[2]) if waiting is not None else 0) - most
        oldest = session.all(sql.OLDEST_WINDOWS) if over > 0 else []
    gone = 0
    for stream, start, size in oldest:
        if over <= 0:
            break
        writer.do(partial(close_window, stream=int(stream), start=int(start), now=now))
        over, gone = over - int(size), gone + 1
    return gone
