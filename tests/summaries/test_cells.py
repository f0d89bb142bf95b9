"""Cells: exact while rows are few, on the grid beyond, and never further off than they say."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np

from steelyard.summaries.cells import Cells

ONE = np.array([[1.0]])
CLOSE = (0.3, 0.3 + 2.0**-20)
"""Two scores in one cell of the grid, whose cells near 0.3 are 2⁻¹⁴ wide."""


def _cells(*values: float, **more: bool) -> Cells:
    return Cells.of(np.array(values), np.repeat(ONE, len(values), axis=0), rows=len(values), **more)


def test_few_rows_keep_every_value() -> None:
    both = _cells(CLOSE[0]) + _cells(CLOSE[1])
    assert both.low.tolist() == list(CLOSE)
    assert not both.gridded and not both.blurred.any()


def test_many_rows_share_cells_that_know_their_ends() -> None:
    with patch("steelyard.summaries.cells.EXACT_ROWS", 2):
        both = _cells(*CLOSE) + _cells(0.9)
    assert both.low.tolist() == [CLOSE[0], 0.9]
    assert both.high.tolist() == [CLOSE[1], 0.9]
    assert both.counts[:, 0].tolist() == [2.0, 1.0]
    assert both.blurred.tolist() == [True, False]


def test_exactness_is_kept_where_both_parts_ask_for_it() -> None:
    with patch("steelyard.summaries.cells.EXACT_ROWS", 2):
        asked = _cells(*CLOSE, exact=True) + _cells(0.9, exact=True)
        half = _cells(*CLOSE, exact=True) + _cells(0.9)
    assert len(asked.low) == 3
    assert len(half.low) == 2


def test_a_declared_threshold_is_never_inside_a_cell() -> None:
    with patch("steelyard.summaries.cells.EXACT_ROWS", 1):
        a = Cells.of(np.array([CLOSE[0]]), ONE, rows=1, cuts=(CLOSE[1],))
        b = Cells.of(np.array([CLOSE[1]]), ONE, rows=1, cuts=(CLOSE[1],))
        assert not (a + b).blurred.any()


def test_minus_zero_is_zero() -> None:
    both = _cells(-0.0) + _cells(0.0)
    assert both.low.tolist() == [0.0]
    assert both.counts.tolist() == [[2.0]]
