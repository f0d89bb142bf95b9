"""The bootstrap: rows drawn with replacement train, and those never drawn test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.arguments.annotated import as_annotated
from steelyard.designs.columns import groups_of
from steelyard.designs.design import Design, at_least, check_seed, enough_rows, grouped_text, joined
from steelyard.designs.split import APPARENT, Split


@as_annotated()
@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap(Design):
    """As many rows as there are, drawn with replacement, train; those never drawn, (1 − 1/n)ⁿ ≈ 37% of them, test.

    After the replicates comes the apparent division: all rows train, and the model is judged by those same rows. With
    groups, whole groups are drawn. A replicate that leaves out no row is drawn again.

    >>> splits = list(Bootstrap(2).splits(6))
    >>> [len(split.train) for split in splits], splits[-1].name
    ([6, 6, 6], 'apparent')

    Efron and Tibshirani, Improvements on cross-validation: the .632+ bootstrap method, JASA 92 (1997).
    """

    replicates: int = 50
    group: Any = None
    seed: int = 0
    apparent: bool = True

    def __post_init__(self) -> None:
        at_least(self.replicates, 1, "number of replicates")
        check_seed(self.seed)

    def splits(self, rows: int, y: object = None, data: object = None) -> Iterator[Split]:
        """One division a replicate, then the apparent one."""
        rows = enough_rows(rows)
        groups = groups_of(self.group, rows, data)
        units = rows if groups is None else int(groups.max()) + 1
        for replicate in range(self.replicates):
            # Each replicate has a generator of its own: asking for more leaves the first ones as they were.
            rng = np.random.default_rng([self.seed, replicate])
            times = np.zeros(units, dtype=np.int64)
            while not times.any() or times.all():
                times = np.bincount(rng.integers(0, units, units), minlength=units)
            each = times if groups is None else times[groups]
            yield Split(np.repeat(np.arange(rows), each), np.flatnonzero(each == 0), None, replicate)
        if self.apparent:
            yield Split(np.arange(rows), [], None, self.replicates, label=APPARENT)

    @property
    def text(self) -> str:
        """How it is said in a sentence."""
        plural = "" if self.replicates == 1 else "s"
        return joined(f"{self.replicates:,} bootstrap replicate{plural}", grouped_text(self.group))
