"""What was worked out of a table, kept for whoever asks next: many measures read the same sums."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def remembered(most: int) -> Callable[[Function], Function]:
    """Keep what a function found of the last few things it was asked of; things are known by being the same object.

    >>> @remembered(2)
    ... def doubled(numbers, times=2):
    ...     print("worked out")
    ...     return [times * x for x in numbers]
    >>> one = [1, 2]
    >>> doubled(one) is doubled(one)
    worked out
    True
    """

    def mark(function: Function) -> Function:
        kept: deque[tuple[Any, Any, Any]] = deque(maxlen=most)

        @wraps(function)
        def found(thing: Any, *asked: Any, **options: Any) -> Any:
            # A copy, since another thread may add to it.
            for known, what, result in tuple(kept):
                if known is thing and what == (asked, options):
                    return result
            result = function(thing, *asked, **options)
            kept.append((thing, (asked, options), result))
            return result

        return found  # type: ignore[return-value]

    return mark
