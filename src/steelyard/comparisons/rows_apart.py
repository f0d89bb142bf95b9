"""On how many of the same rows two models differ: no measure can tell them apart by more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from steelyard.measures.measure import Measure
from steelyard.summaries.confusion import Confusion, Outcomes


def rows_apart(measure: Measure, pair: tuple[Any, Any], shape: str, options: Mapping[str, Any]) -> tuple[int, int]:
    """On how many rows, or units, two differ, in their labels where the measure reads no more; and how many there are.

    >>> from steelyard.measures.measure import find
    >>> pair = [0.2, 0.7, 0.9], [0.3, 0.4, 0.9]
    >>> rows_apart(find("brier"), pair, "scores", {}), rows_apart(find("f1"), pair, "scores", {})
    ((2, 3), (1, 3))
    """
    differ: Any = False
    threshold, unit, weight = options.get("threshold", 0.5), options.get("unit"), options.get("weight")
    for x, y in _columns(*pair):
        labels = shape == "scores" and (Confusion in measure.reads or Outcomes in measure.reads)
        differ = differ | ((x >= threshold) != (y >= threshold) if labels else x != y)
    differ = np.asarray(differ, dtype=bool)
    if unit is not None:
        return len(np.unique(np.asarray(unit)[differ])), len(np.unique(np.asarray(unit)))
    copies = weight is not None and options.get("weights") == "frequency"
    return int(np.asarray(weight)[differ].sum() if copies else differ.sum()), len(differ)


def few_rows(rows: int, kind: str, where: str) -> tuple[str, str]:
    """Why a verdict is withheld, and what the difference rests on.

    >>> few_rows(1, "row", "on which the two differ")
    ('1 row on which the two differ', 'rests on 1 row that tells them apart')
    """
    told = f"{rows} {kind}{'' if rows == 1 else 's'}"
    return f"{told} {where}", f"rests on {told} that {'tells' if rows == 1 else 'tell'} them apart"


def _columns(first: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    """What two models said, column by column."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        yield from ((np.asarray(first[level]), np.asarray(second[level])) for level in first)
    else:
        yield np.asarray(first), np.asarray(second)
