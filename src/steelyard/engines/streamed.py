"""A score table by loops of our own over what a database reads, where it hands that over without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steelyard.engines.arrays import MANY
from steelyard.rows import grid
from steelyard.rows.language import ScoreCells, ScoreTally

if TYPE_CHECKING:
    from steelyard.engines.frames import FrameRows

COUNTED = 1 << 21
"""Rows are counted up to here; a table of more is large, and how large does not matter."""


def streamed_cells(frame: FrameRows, request: ScoreTally, kind: str) -> ScoreCells | None:
    """The table of a 0/1 target that is held as `kind`; None where another way has to do."""
    rows = frame.length or 0
    # Few rows are counted before the compiled loops are loaded, and many are not held in memory for their scores.
    fits = MANY < rows <= COUNTED if request.exact else rows > COUNTED
    if frame.raw is None or not fits or frame.kind(request.role) == "text":
        return None
    table, columns = frame.raw
    batches = table.batches(columns[request.role], columns["target"])
    if batches is None:
        return None
    try:
        from steelyard.engines.streams import distinct_cells, stream_cells
    except ImportError:
        return None
    names = [False, True] if kind == "bool" else [0, 1]
    if request.exact:
        return distinct_cells(batches, names)
    cut = request.cuts[0] if request.cuts and grid.cuts(request.cuts[0]) else np.inf
    return stream_cells(batches, cut, names)
