"""The score grid: the same cell from bits, from comparisons and from a database; in order; never cut by a dyadic threshold."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.engines.arrays import ArrayRows
from steelyard.engines.columns import make_column
from steelyard.engines.frames import FrameRows
from steelyard.rows import grid
from steelyard.rows.language import Tally
from steelyard.sources.relations import Relation

FINENESS = [grid.COARSE, grid.FINE]


def awkward() -> np.ndarray:
    """Numbers at which a grid goes wrong: every edge, its neighbours on both sides, the ends of the scale."""
    powers = 2.0 ** np.arange(-45, 46)
    edges = np.r_[0.0, powers, powers * 1.5, powers * (1 + 2.0**-12), powers * (1 + 2.0**-4), 1 - powers[powers <= 0.5]]
    edges = np.r_[
        edges, -edges, 1e300, -1e300, 5e-324, -5e-324, 2.0**-1060, 1.7976931348623157e308, 0.1, 0.3, 1 / 3, -0.0
    ]
    with np.errstate(over="ignore"):
        near = np.r_[edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)]
    r = np.random.default_rng(3)
    some = np.r_[
        r.random(2000),
        r.random(500) ** 9,
        1 - r.random(500) ** 9,
        r.normal(size=500) * 10.0 ** r.integers(-12, 13, 500),
    ]
    return np.unique(np.r_[near, some][np.isfinite(np.r_[near, some])])


AWKWARD = awkward()


class Counted(ArrayRows):
    """NumPy speaking the row language of comparisons only."""

    def cell(self, x: Any, m: int) -> Any:
        with np.errstate(over="ignore"):  # branches that are not taken
            return grid.expression(self, x, m).astype(np.int64)


@pytest.mark.parametrize("m", FINENESS)
def test_bits_and_comparisons_agree(m: int) -> None:
    rows = Counted({"score": make_column("score", AWKWARD)})
    np.testing.assert_array_equal(rows.cell(rows.value("score"), m), grid.encode(AWKWARD, m))


@pytest.mark.parametrize("m", FINENESS)
def test_a_database_agrees(m: int) -> None:
    numbers = np.r_[AWKWARD, 0.0, -0.0, 0.0, math.nan, math.inf, -math.inf]
    relation = duckdb.from_arrow(pa.table({"x": pa.array([*numbers.tolist(), None])}))
    request = Tally(
        {"cell": lambda r: r.cell(r.value("score"), m)},
        lows={"low": lambda r: r.chain([(r.state(scores=("score",)) > 0, 0.0)], r.value("score"))},
        highs={"high": lambda r: r.chain([(r.state(scores=("score",)) > 0, 0.0)], r.value("score"))},
    )
    found = Relation(relation).rows({"score": "x"}).tally(request)
    order = np.argsort(found["cell"])
    cells, start, rows = np.unique(grid.encode(AWKWARD, m), return_index=True, return_counts=True)
    rows[cells == 0] += 7  # zeros, and what has no cell
    np.testing.assert_array_equal(found["cell"][order], cells)
    np.testing.assert_array_equal(found["rows"][order], rows)
    np.testing.assert_array_equal(found["low"][order], AWKWARD[start])
    np.testing.assert_array_equal(found["high"][order], AWKWARD[np.r_[start[1:], len(AWKWARD)] - 1])


def test_the_expression_runs_in_a_database_too() -> None:
    import narwhals.stable.v2 as nw

    some = AWKWARD[::7]
    frame = nw.from_native(duckdb.from_arrow(pa.table({"x": some})))
    found = FrameRows(frame, {"score": "x"}).tally(Tally({"cell": lambda r: r.cell(r.value("score"), grid.COARSE)}))
    np.testing.assert_array_equal(np.sort(found["cell"]), np.unique(grid.encode(some, grid.COARSE)))


@pytest.mark.parametrize("m", FINENESS)
def test_cells_are_in_the_order_of_the_numbers(m: int) -> None:
    assert (np.diff(grid.encode(AWKWARD, m)) >= 0).all()
    assert grid.encode(np.array([-0.0, 0.0]), m).tolist() == [0, 0]
    assert grid.encode(np.array([-5e-324, 5e-324]), m).tolist() == [-1, 1]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2), st.sampled_from(FINENESS))
def test_larger_numbers_never_have_a_smaller_cell(numbers: list[float], m: int) -> None:
    assert (np.diff(grid.encode(np.sort(np.array(numbers)), m)) >= 0).all()


@pytest.mark.parametrize("m", FINENESS)
def test_dyadic_thresholds_never_cut_a_cell(m: int) -> None:
    steps = 1.0 + np.arange(1 << m) / (1 << m)
    for octave in (-40, -39, -20, -3, -2, -1, 0, 1, 10, 39):
        edges = steps * 2.0**octave
        thresholds = np.r_[edges if octave != -1 else 0.5, -edges, 1 - edges[edges <= 0.5]]
        below = grid.encode(np.nextafter(thresholds, -np.inf), m)
        assert (below < grid.encode(thresholds, m)).all(), octave


@given(st.integers(-(2**20), 2**20), st.sampled_from(FINENESS))
def test_sixteenths_never_cut_a_cell(k: int, m: int) -> None:
    """Sixteenths up to a half, and their mirror images up to one; whole numbers while they have no more bits than a step."""
    for threshold in (k / 2**21 if abs(k) < 2**m else 0.5, (k % 17) / 16, float(k % 2 ** (m + 1))):
        low, high = grid.encode(np.array([np.nextafter(threshold, -np.inf), threshold]), m)
        assert low < high


@pytest.mark.parametrize("m", FINENESS)
def test_a_cell_is_narrow(m: int) -> None:
    """No wider than a step of its octave: 2**-m of the distance to the nearer end."""
    x = AWKWARD[(np.abs(AWKWARD) > 2.0**-39) & (np.abs(AWKWARD) < 2.0**39) & (np.abs(1 - AWKWARD) > 2.0**-39)]
    cells, start = np.unique(grid.encode(x, m), return_index=True)
    low, high = x[start], x[np.r_[start[1:], len(x)] - 1]
    end = np.where((low >= 0.5) & (low < 1), 1 - low, np.maximum(np.abs(low), np.abs(high)))
    assert len(cells) > 500
    assert (high - low <= end * 2.0**-m).all()


def test_numbers_beyond_the_grid_share_its_last_cells() -> None:
    top = grid.encode(np.array([2.0**40, 2.0**41, 1e300]))
    bottom = grid.encode(np.array([-(2.0**40) * 1.01, -(2.0**41), -1e300]))
    assert len(set(top.tolist())) == len(set(bottom.tolist())) == 1
