"""Any splitter of scikit-learn, or one that works like it, as a design."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.designs.columns import groups_of
from steelyard.designs.design import Design, enough_rows, grouped_text, joined
from steelyard.designs.split import Split
from steelyard.errors import UsageError

DRAWN = "BaseShuffleSplit"
"""On what the splitters of scikit-learn stand whose every division is a draw of its own, and so a repeat."""


@dataclass(frozen=True, slots=True, eq=False)
class Splitter(Design):
    """The divisions of a scikit-learn splitter, or of anything with `split` and `get_n_splits`.

    >>> from sklearn.model_selection import TimeSeriesSplit
    >>> [split.test.tolist() for split in Splitter(TimeSeriesSplit(2)).splits(6)]
    [[2, 3], [4, 5]]
    """

    splitter: Any
    group: Any = None

    def __post_init__(self) -> None:
        if not (hasattr(self.splitter, "split") and hasattr(self.splitter, "get_n_splits")):
            message = f"A splitter has split and get_n_splits, and a {type(self.splitter).__name__} came."
            raise UsageError(message, "Give one of sklearn.model_selection, such as TimeSeriesSplit(5).")
        if isinstance(self.splitter, type):
            message = f"A splitter came as its class, {self.splitter.__name__}, and not made."
            raise UsageError(message, f"Write {self.splitter.__name__}(...), with brackets.")
        unfixed = getattr(self.splitter, "random_state", 0) is None and getattr(self.splitter, "shuffle", True)
        if unfixed:
            message = (
                f"{type(self.splitter).__name__} draws at random and has no seed, so it would never draw the same rows."
            )
            raise UsageError(message, "Give it one: random_state=0.")

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """Its divisions, in its order."""
        rows = enough_rows(rows)
        groups = groups_of(self.group, rows, data, 1)
        target = None if y is None else np.asarray(y)
        table = np.zeros((rows, 1)) if data is None or isinstance(data, dict) else data
        # A generator inside it would go on where it stopped; a copy starts again.
        splitter = copy.deepcopy(self.splitter)
        drawn = DRAWN in {kind.__name__ for kind in type(splitter).__mro__}
        try:
            folds = max(1, splitter.get_n_splits(table, target, groups) // getattr(splitter, "n_repeats", 1))
            for i, (train, test) in enumerate(splitter.split(table, target, groups)):
                place = (i, 0) if drawn else divmod(i, folds)
                yield _inside(Split(np.asarray(train), np.asarray(test), None, *place), rows)
        except (ValueError, TypeError) as problem:
            message = f"{type(self.splitter).__name__} cannot divide these {rows:,} rows: {str(problem).rstrip('.')}."
            raise UsageError(message, "Change the splitter, or pass what it asks for (y, group).") from problem

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        kind = type(self.splitter)
        known = kind.__module__.startswith("sklearn.")
        said = f"{kind.__name__} of scikit-learn" if known else f"the splitter {kind.__name__}"
        return joined(said, grouped_text(self.group))


def _inside(split: Split, rows: int) -> Split:
    last = max(int(part.max()) for part in (split.train, split.test))
    if last >= rows:
        message = f"The splitter names row {last:,}, and there are {rows:,} rows, counted from 0."
        raise UsageError(message, "Make it for these rows.")
    return split
