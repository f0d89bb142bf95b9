"""Out of time: learn from the past, test on the future."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.arguments.allowed import Span, taken
from steelyard.arguments.annotated import as_annotated
from steelyard.designs.columns import Values, role
from steelyard.designs.design import Design, at_least, enough_rows, joined, many
from steelyard.designs.holdout import part_size
from steelyard.designs.moments import moment_like, moment_text, moments, span_like
from steelyard.designs.split import Split
from steelyard.errors import UsageError
from steelyard.results import Codes
from steelyard.words import shortest


@as_annotated()
@dataclass(frozen=True, slots=True, eq=False)
class OutOfTime(Design):
    """Learn from what came before a moment and test on what came after, at one cut or at several origins.

    The rows from the cut on (without a cut, the latest `test` of the rows) are divided into `origins` parts of about as
    many rows, one after the other, and each is tested by what came before it. Of the past, what lies within `gap` of the
    test part is left out, and with a `window` only so long a time trains. Rows of one moment are never divided.

    t trains for the origin o:  o − gap − window < t ≤ o − gap  (o − window ≤ t < o without a gap), a window long either way

    >>> [(s.train.tolist(), s.test.tolist()) for s in OutOfTime([1, 2, 3, 4, 5, 6], origins=2, gap=2).splits(6)]
    [([0, 1, 2], [4]), ([0, 1, 2, 3], [5])]
    """

    time: Any
    cut: Any = None
    origins: int = 1
    gap: Any = None
    test: float = 1 / 3
    window: Any = None

    def __post_init__(self) -> None:
        at_least(self.origins, 1, "number of origins")
        taken("The test part", self.test, Span(0, above=True), "Give a share such as 1/3, or a number of rows.")

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """One division for each origin, from the earliest on."""
        rows = enough_rows(rows)
        when = moments(role(self.time, "time", rows, data))
        gap, window = span_like(self.gap, when, "gap"), span_like(self.window, when, "window")
        every, counts = np.unique(when, return_counts=True)
        first = self._first(every, counts, rows, when)
        starts = [*_origins(every[first:], counts[first:], self.origins), None]
        if self.cut is not None:
            # Time is counted from the cut itself, also where no row lies on it.
            starts[0] = moment_like(self.cut, when, "cut")
        for fold, (start, end) in enumerate(pairwise(starts)):
            test = (when >= start) if end is None else (when >= start) & (when < end)
            train = (when < start) & (when + gap <= start)
            if self.window is not None:
                reach = when + gap + window
                train &= reach > start if gap else reach >= start
            if not train.any():
                message = f"Before {moment_text(start)} no row is left to train."
                far = f"The earliest row is of {moment_text(every[0])}: take a later cut, a shorter gap or a longer window."
                raise UsageError(message, far)
            yield Split(np.flatnonzero(train), np.flatnonzero(test), None, 0, fold)

    def _first(self, every: Values, counts: Codes, rows: int, when: Values) -> int:
        """Which of the moments is the first to be tested."""
        if len(every) < 2:
            message = f"All rows are of one moment, {moment_text(every[0])}, which cannot be divided."
            raise UsageError(message, "Give the time of each row.")
        if self.cut is not None:
            found = int(np.searchsorted(every, moment_like(self.cut, when, "cut")))
            if not 0 < found < len(every):
                side = "before" if found == 0 else "from then on"
                message = f"The cut is {moment_text(moment_like(self.cut, when, 'cut'))}, and there is no row {side}."
                raise UsageError(message, f"Choose one between {moment_text(every[0])} and {moment_text(every[-1])}.")
            return found
        later = rows - np.cumsum(counts)[:-1]
        # The whole moments whose rows come nearest to the share that was asked for.
        return 1 + int(np.argmin(np.abs(later - part_size(self.test, rows, "test"))))

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        share = f"latest {shortest(round(100 * self.test, 1))}%" if self.test < 1 else f"latest {int(self.test):,} rows"
        return joined(
            f'out of time by "{self.time}"' if isinstance(self.time, str) else "out of time",
            f"from {_words_for(self.cut)}" if self.cut is not None else share,
            f"{self.origins} origins" if self.origins > 1 else "",
            f"a gap of {_words_for(self.gap)}" if self.gap is not None else "",
            f"a window of {_words_for(self.window)}" if self.window is not None else "",
        )


def _origins(later: Values, counts: Codes, origins: int) -> list[Any]:
    """The first moments of so many parts with about as many rows each."""
    if len(later) < origins:
        message = f"The later part holds {many(len(later), 'moment')}, too few for {origins:,} origins."
        raise UsageError(message, "Take fewer origins, or a larger test part.")
    before = np.cumsum(counts) - counts
    places = [0]
    for part in range(1, origins):
        nearest = int(np.argmin(np.abs(before - counts.sum() * part / origins)))
        # Each part keeps at least one moment.
        places.append(min(max(nearest, places[-1] + 1), len(later) - (origins - part)))
    return [later[place] for place in places]


def _words_for(given: object) -> str:
    """A cut, gap or window as it was given, in words."""
    if isinstance(given, timedelta):
        return str(given).removesuffix(", 0:00:00")
    if isinstance(given, np.datetime64):
        return moment_text(given)
    return str(given).removesuffix(" 00:00:00")
