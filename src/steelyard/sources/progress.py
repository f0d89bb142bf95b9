"""How far a question to a database has come: told while it is asked, to whoever watches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Share = Callable[[], float | None]
"""The share of a question that is done, None where nobody knows."""
EVERY = 0.5
"""Seconds between two looks."""
_watcher: ContextVar[Callable[[float | None], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(tell: Callable[[float | None], None]) -> Iterator[None]:
    """While this lasts, `tell` is called every half second that a database works: with the share that is done, or None."""
    token = _watcher.set(tell)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def asking(look: Callable[[], Share]) -> Iterator[None]:
    """Around a question: where somebody watches, `look` prepares, and what it gives is asked from a thread beside."""
    tell = _watcher.get()
    if tell is None:
        yield
        return
    share, done = look(), threading.Event()

    def watch() -> None:
        while not done.wait(EVERY):
            tell(_seen(share))

    beside = threading.Thread(target=watch, daemon=True, name="progress")
    beside.start()
    try:
        yield
    finally:
        done.set()
        beside.join()


def _seen(share: Share) -> float | None:
    try:
        return share()
    except Exception:
        # How far it is can always be left unsaid.
        return None


def nobody_knows() -> Share:
    """What a database looks at that does not say how far it is."""
    return lambda: None
