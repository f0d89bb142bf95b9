"""The compiled loop over the scores of a GPU; imported only where Triton is installed."""

from __future__ import annotations

import triton
import triton.language as tl

from steelyard.rows import grid

_STEPS = tl.constexpr(grid.FINE)
_ARM = tl.constexpr(2 * grid.arm(grid.FINE))
_TOP = tl.constexpr(((grid.LARGEST - grid.SMALLEST) << grid.FINE) + 1)
_FIRST_STEP = tl.constexpr(((1023 + grid.SMALLEST) << grid.FINE) - 1)
_TO_ONE = tl.constexpr((-grid.SMALLEST) << grid.FINE)
BLOCK = 1024
"""So many rows are read by one group of threads."""


@triton.jit  # type: ignore[untyped-decorator]
def count_rows(  # type: ignore[no-untyped-def]
    score,
    target,
    rows,
    first,
    second,
    cut,
    counts,
    least,
    greatest,
    odd,
    base,
    wide: tl.constexpr,
    block: tl.constexpr,
):  # pragma: no cover - compiled
    """Add each row to the cell of its score: rows by level, least and greatest score as whole numbers in their order.

    Rows that are no case for this loop, whose score is not finite or whose level is another, are left out and counted in `odd`.
    """
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    inside = at < rows
    given = tl.load(score + at, mask=inside, other=0.0)
    level = tl.load(target + at, mask=inside, other=0)
    x = given.to(tl.float64) + 0.0
    upper = (x >= 0.5) & (x < 1.0)
    distance = tl.where(upper, 1.0 - x, tl.abs(x))
    bits = distance.to(tl.int64, bitcast=True) - tl.where(upper | (x < 0.0), 1, 0)
    step = (bits >> (52 - _STEPS)) - _FIRST_STEP
    step = tl.minimum(tl.maximum(step, 0), _TOP)
    above = tl.where(x < 0.5, 1 + step, _ARM + step - _TO_ONE)
    cell = tl.where(x < 0.0, -1 - step, tl.where(x == 0.0, 0, tl.where(upper, _ARM - step, above)))
    place = cell - base + tl.where(x >= tl.load(cut), 1, 0)
    finite = tl.abs(x) < float("inf")
    known = (level == first) | (level == second)
    # NaN has no place, so it must not be looked for.
    good = inside & finite & known
    place = tl.where(good, place, 0)
    odd_rows = tl.sum(tl.where(inside & ~good, 1, 0))
    if odd_rows > 0:
        tl.atomic_add(odd, odd_rows, sem="relaxed")
    tl.atomic_add(counts + place * 2 + tl.where(level == second, 1, 0), 1, mask=good, sem="relaxed")
    if wide:
        pattern = x.to(tl.int64, bitcast=True)
        order = pattern ^ ((pattern >> 63) & 0x7FFFFFFFFFFFFFFF)
    else:
        pattern = (given.to(tl.float32) + 0.0).to(tl.int32, bitcast=True)
        order = pattern ^ ((pattern >> 31) & 0x7FFFFFFF)
    # What is read may be old; then one more number is offered, which changes nothing.
    low = tl.load(least + place, mask=good, other=0)
    tl.atomic_min(least + place, order, mask=good & (order < low), sem="relaxed")
    high = tl.load(greatest + place, mask=good, other=0)
    tl.atomic_max(greatest + place, order, mask=good & (order > high), sem="relaxed")
