"""Where a condition turns, found by halving: exact to the last bit, whatever the function looks like."""

from __future__ import annotations

from collections.abc import Callable


def turning_point(turned: Callable[[float], bool], low: float, high: float, steps: int = 100) -> tuple[float, float]:
    """The ends of the smallest interval in which a condition that is false at `low` becomes true towards `high`.

    >>> round(turning_point(lambda x: x * x > 2, 0.0, 2.0)[1], 9)
    1.414213562
    """
    for _ in range(steps):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        low, high = (low, middle) if turned(middle) else (middle, high)
    return low, high
