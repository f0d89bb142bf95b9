"""Rows whose times lie far from all others, as those of a clock that was wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.errors import InputError
from steelyard.monitors.windows import Window
from steelyard.wording import option
from steelyard.words import count

WINDOWS, TIMES = 1000, 10
"""So many windows in a row without rows, and so many times as many as all others, are no break."""


def refuse_stray(windows: Sequence[Window], sizes: Sequence[int]) -> None:
    """Refuse times that lie so far apart that hardly any window between them has rows."""
    used = np.flatnonzero(np.asarray(sizes) > 0)
    if len(used) < 2:
        return
    gaps = np.diff(used) - 1
    place = int(gaps.argmax())
    gap, rest = int(gaps[place]), int(used[-1] - used[0]) + 1 - int(gaps[place])
    if gap < WINDOWS or gap < TIMES * rest:
        return
    before, after = windows[int(used[place])].name, windows[int(used[place + 1])].name
    message = f"There are no rows in {count(gap)} windows between {before} and {after}, and only {count(rest)} windows besides."
    raise InputError(
        message, f"Look at the times: a clock may have been wrong; {option('now')} leaves out rows that came later."
    )
