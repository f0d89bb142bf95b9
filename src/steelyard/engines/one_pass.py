"""The score table of very many tensors' rows: on the grid in one compiled pass, exact by a sort, both where the rows are."""

from __future__ import annotations

import importlib.util
import math
import subprocess
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.devices import DeviceColumn, Tensor, fetch
from steelyard.results import Array, Codes
from steelyard.rows import grid
from steelyard.rows.language import PairSums, ScoreCells, SortedCells

STRETCH = 1 << 30
"""So many rows are counted before their counts are added to longer numbers."""
CELLS = 1 << 25
"""So many distinct scores are summed up at a time."""
BASE = int(grid.encode(np.array([-np.finfo(float).max]))[0])
PLACES = int(grid.encode(np.array([np.finfo(float).max]))[0]) - BASE + 2
"""Cells of the whole grid, and one for the cell that a threshold cuts."""


@cache
def compiles(torch: Any) -> bool:
    """Whether the loop can be compiled here: Triton needs a compiler of C beside itself, which it does not bring."""
    if importlib.util.find_spec("triton") is None:
        return False
    from triton.errors import TritonError

    try:
        _gridded(torch, torch.zeros(1), torch.zeros(1, dtype=torch.uint8), [0, 1], np.inf)
    except (TritonError, RuntimeError, OSError, subprocess.CalledProcessError):
        return False
    return True


def two_levels(target: DeviceColumn) -> tuple[Any, list[Any]] | None:
    """The target as numbers and its two levels; None where it may have more."""
    values = target.values
    if target.kind == "bool":
        return values.view(target.xp.uint8), [False, True]
    if str(values.dtype).rpartition(".")[2] in {"uint16", "uint32", "uint64"}:
        # Torch finds no least of these.
        return None
    low, high = (v.item() for v in target.xp.aminmax(values))
    if not (math.isfinite(low) and low == int(low) and high == int(high)) or not high - low <= 1:
        return None
    # Where one level alone occurs it is the lower of the two, unless that leaves the usual names.
    first = 0 if (low, high) == (1, 1) else int(low)
    return values, [first, first + 1]


def score_cells(score: DeviceColumn, target: DeviceColumn, cut: float, *, exact: bool) -> ScoreCells | None:
    """The finished table; None where some row cannot be used, there are more levels, or nothing is gained."""
    if score.library != "torch" or score.kind != "float":
        return None
    with score.device:
        if not (exact or compiles(score.xp)):
            return None
        found = two_levels(target)
        if found is None:
            return None
        values, names = found
        x = score.values.contiguous()
        if exact:
            return _distinct(score.xp, x, values == int(names[1]), names)
        return _gridded(score.xp, x, values.contiguous(), names, cut)


def _gridded(torch: Any, x: Tensor, target: Tensor, names: list[Any], cut: float) -> ScoreCells | None:
    from steelyard.engines.one_pass_kernel import BLOCK, count_rows

    wide = x.dtype == torch.float64
    whole = torch.int64 if wide else torch.int32
    ends = torch.iinfo(whole)
    least, greatest = torch.full((PLACES,), ends.max, dtype=whole), torch.full((PLACES,), ends.min, dtype=whole)
    odd = torch.zeros(1, dtype=torch.int32)
    first, second = (int(name) for name in names)
    # As a number it would come to the device with 32 bits.
    threshold = torch.full((1,), cut, dtype=torch.float64)
    total: Any = None
    for start in range(0, len(x), STRETCH):
        score, level = x[start : start + STRETCH], target[start : start + STRETCH]
        counts = torch.zeros((PLACES, 2), dtype=torch.int32)
        blocks = -(-len(score) // BLOCK)
        found = (score, level, len(score), first, second, threshold, counts, least, greatest, odd, BASE)
        count_rows[(blocks,)](*found, wide=wide, block=BLOCK)
        total = counts if total is None else total.long() + counts
    used = torch.nonzero(total.any(1)).ravel()
    if int(odd):
        return None
    low, high = (_numbers(fetch(torch, keys[used])) for keys in (least, greatest))
    return ScoreCells(low, high, fetch(torch, total[used]).astype(np.float64), names)


def _numbers(order: npt.NDArray[Any]) -> Array:
    """The floats that these whole numbers stand for, which have the same order."""
    bits = np.where(order < 0, order ^ np.iinfo(order.dtype).max, order).astype(order.dtype)
    return bits.view(f"f{order.itemsize}").astype(np.float64) + 0.0


def _distinct(torch: Any, x: Tensor, second: Tensor, names: list[Any]) -> ScoreCells | None:
    """Distinct scores with their counts: those of each level are sorted, and the two lists laid over each other."""
    x = x if x.dtype.itemsize >= 4 else x.float()
    if not all(math.isfinite(v) for v in torch.aminmax(x)):
        return None
    apart = [_runs(torch, x, second, level) for level in (False, True)]
    score = torch.unique(torch.cat([values for values, _ in apart]))
    counts = torch.zeros((2, len(score)), dtype=torch.int64 if len(x) > STRETCH else torch.int32)
    for mine, (values, rows) in zip(counts, apart, strict=True):
        mine[torch.searchsorted(score, values)] = rows.to(counts.dtype)
    return DeviceCells(torch, score, counts, names)


def _runs(torch: Any, x: Tensor, second: Tensor, level: bool) -> Any:
    """Distinct scores of one level, and how many rows have each."""
    # What chose the rows goes before they are sorted, which is when most memory is in use.
    rows = x[second if level else torch.logical_not(second)] + 0.0
    return torch.unique(rows, return_counts=True)


class DeviceCells(SortedCells):
    """Distinct scores and their counts on a device: sums over pairs come at once, the columns when they are looked at."""

    def __init__(self, torch: Any, score: Tensor, by_level: Tensor, levels: list[Any]) -> None:
        super().__init__(levels)
        self.torch: Any = torch
        self.score: Tensor = score
        self.by_level: Tensor = by_level
        parts = [
            _pair_sums(torch, by_level[0, s : s + CELLS].double(), by_level[1, s : s + CELLS].double())
            for s in range(0, len(score), CELLS)
        ]
        found = fetch(torch, torch.stack(parts)).tolist()
        self.sums: PairSums = sum((PairSums(*part) for part in found[1:]), start=PairSums(*found[0]))

    @property
    def size(self) -> int:
        """How many distinct scores there are."""
        return len(self.score)

    def joined(self, starts: Codes) -> tuple[Array, Array]:
        """Rows of the first and of the second level from one distinct score to the next of these."""
        ends = self.torch.from_numpy(np.append(starts[1:], self.size) - 1).to(self.score.device)
        first, second = (
            np.diff(fetch(self.torch, self.torch.cumsum(rows, 0, dtype=self.torch.int64)[ends]), prepend=0) * 1.0
            for rows in (self.by_level[0], self.by_level[1])
        )
        return first, second

    @cached_property
    def table(self) -> tuple[Array, Array]:
        """Each distinct score, and the rows of both levels that have it."""
        score, counts = (fetch(self.torch, values).astype(np.float64) for values in (self.score, self.by_level))
        return score, counts.T


def _pair_sums(torch: Any, zeros: Any, ones: Any) -> Any:
    """What `PairSums` holds of neighbouring cells."""
    below, under = (torch.cumsum(rows, 0) - rows / 2 for rows in (zeros, ones))
    won = ones * below
    return torch.stack([ones.sum(), zeros.sum(), won.sum(), (won * below).sum(), (zeros * under * under).sum()])
