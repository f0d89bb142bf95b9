"""What was worked out of a table, kept for whoever asks next: many measures read the same sums."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Remembered(Generic[Found]):
    """What was found of the last few things asked about; things are known by being the same object.

    A function asks what is known before it works something out, and puts down what it found.

    >>> doubled = Remembered[list[int]](2)
    >>> one = [1, 2]
    >>> doubled.known(one, 2) is None
    True
    >>> doubled.keep([2, 4], one, 2), doubled.known(one, 2), doubled.known([1, 2], 2), doubled.known(one, 3)
    ([2, 4], [2, 4], None, None)
    """

    def __init__(self, most: int) -> None:
        self._kept: deque[tuple[object, tuple[object, ...], Found]] = deque(maxlen=most)

    def known(self, thing: object, *asked: object) -> Found | None:
        """What was found of this very thing, asked in the same way; None if that was not kept."""
        # A copy, since another thread may add to it.
        for one, way, found in tuple(self._kept):
            if one is thing and way == asked:
                return found
        return None

    def keep(self, found: Found, thing: object, *asked: object) -> Found:
        """Put down what was found, and give it back; the oldest is forgotten."""
        self._kept.append((thing, asked, found))
        return found
