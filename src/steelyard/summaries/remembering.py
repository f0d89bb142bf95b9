"""What was worked out of a table, kept for whoever asks next: many measures read the same sums."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

Found = TypeVar("Found")
MANY = 256
"""Numbers, or tables of a few cells, that take hardly any room: those of every class of many, for their averages too."""


def held(thing: object, gone: Callable[[object], object] | None = None) -> Callable[[], object]:
    """What gives the thing as long as somebody else has it, and is called when it is gone; what cannot be held loosely is kept."""
    try:
        return weakref.ref(thing, gone)
    except TypeError:
        return lambda: thing


class Remembered(Generic[Found]):
    """What was found of the last few things asked about; things are known by being the same object, and forgotten with it.

    A function asks what is known before it works something out, and puts down what it found.

    >>> doubled = Remembered[list[int]](2)
    >>> one = [1, 2]
    >>> doubled.known(one, 2) is None
    True
    >>> doubled.keep([2, 4], one, 2), doubled.known(one, 2), doubled.known([1, 2], 2), doubled.known(one, 3)
    ([2, 4], [2, 4], None, None)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: dict[tuple[int, tuple[object, ...]], tuple[Callable[[], object], Found]] = {}

    def known(self, thing: object, *asked: object) -> Found | None:
        """What was found of this very thing, asked in the same way; None if that was not kept."""
        found = self._kept.get((id(thing), asked))
        return None if found is None else found[1]

    def keep(self, found: Found, thing: object, *asked: object) -> Found:
        """Put down what was found, and give it back; the oldest is forgotten."""
        key = id(thing), asked
        # While it is kept, its identity is that of no other.
        self._kept[key] = (held(thing, lambda _: self._kept.pop(key, None)), found)
        while len(self._kept) > self.most:
            # Another thread may have forgotten it first, or be adding to it.
            with suppress(KeyError, RuntimeError, StopIteration):
                del self._kept[next(iter(self._kept))]
        return found
