"""Grouping on a device: rows with equal keys become one row of sums, and so do the answers of parts.

`xp` is the library that holds the tensors, Torch or CuPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from steelyard.engines.devices import Tensor
from steelyard.rows.language import Tally

DENSE = 1 << 22
"""Keys whose numbers span less than this are counted in place; wider ones are sorted first."""
LANES = 64
"""Where groups are fewer than this squared, each is added up in so many lanes: one long sum would lose digits."""

Group = dict[str, Any]


def grouped(
    xp: ModuleType,
    request: Tally,
    keys: Mapping[str, Any],
    n: int,
    column: Callable[[str], Any],
    rows: Tensor | None = None,
) -> Group:
    """The groups of n rows: their keys, how many rows each has (or the sum of `rows`), and the sums and extremes asked for."""
    place, size = _places(xp, list(keys.values()), n)
    used = xp.bincount(place, minlength=size) > 0
    place = (xp.cumsum(used, 0) - 1)[place]
    size = int(used.sum())
    # Any row of a group will do to read its keys from.
    example = xp.full((size,), 0, dtype=xp.int64)
    example[place] = xp.arange(n)
    out = {name: key[example] for name, key in keys.items()}
    counts = xp.bincount(place, minlength=size) if rows is None else _added(xp, place, rows, size)
    out["rows"] = xp.asarray(counts, dtype=xp.int64)
    for name in request.sums:
        out[name] = _added(xp, place, column(name), size)
    for names, least in ((request.lows, True), (request.highs, False)):
        for name in names:
            out[name] = _extreme(xp, place, column(name), size, least=least)
    return out


def joined(xp: ModuleType, request: Tally, parts: list[Group]) -> Group:
    """Add up the answers of parts: the same grouping, of groups."""

    def column(name: str) -> Any:
        return xp.concatenate([part[name] for part in parts])

    keys = {name: column(name) for name in request.by}
    rows = xp.asarray(column("rows"), dtype=xp.float64)
    return grouped(xp, request, keys, len(rows), column, rows)


def _places(xp: ModuleType, keys: list[Any], n: int) -> tuple[Any, int]:
    """One place for each combination of keys; re-numbered when the combinations would not fit in memory."""
    place, total = xp.full((n,), 0, dtype=xp.int64), 1
    for key in keys:
        low, high = int(key.min()), int(key.max())
        if high - low < DENSE:
            code, size = key - low, high - low + 1
        else:
            found, code = xp.unique(key, return_inverse=True)
            size = len(found)
        place, total = place * size + code, total * size
        if total > max(DENSE, 4 * n):
            found, place = xp.unique(place, return_inverse=True)
            total = len(found)
    return place, total


def _added(xp: ModuleType, place: Tensor, x: Tensor, size: int) -> Any:
    """The sum of x in each place."""
    if size < LANES * LANES:
        lanes = _summed(xp, place * LANES + xp.arange(len(place)) % LANES, x, size * LANES)
        return lanes.reshape(size, LANES).sum(1)
    return _summed(xp, place, x, size)


def _summed(xp: ModuleType, place: Tensor, x: Tensor, size: int) -> Any:
    if xp.__name__ == "torch" and xp.are_deterministic_algorithms_enabled():
        # Counting with weights is refused in this mode, adding by place is not.
        return xp.zeros(size, dtype=xp.float64).index_add_(0, place, x)
    return xp.bincount(place, weights=x, minlength=size)


def _extreme(xp: ModuleType, place: Tensor, x: Tensor, size: int, *, least: bool) -> Any:
    """The least or the greatest x in each place."""
    if xp.__name__ == "torch":
        out = xp.full((size,), np.inf if least else -np.inf, dtype=xp.float64)
        return out.scatter_reduce_(0, place, x, "amin" if least else "amax")
    # CuPy's own least and greatest by place keep 32 bits only, so the rows are sorted; where NaN is does not matter.
    x = xp.where(xp.isnan(x), 0.0, x)
    order = xp.lexsort(xp.stack([x, xp.asarray(place, dtype=xp.float64)]))
    counts = xp.bincount(place, minlength=size)
    ends = xp.cumsum(counts, 0)
    return x[order[ends - counts if least else ends - 1]]
