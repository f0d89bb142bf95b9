"""Compiled counting of batches against counting with NumPy, and how it stops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from steelyard import grid
from steelyard.engines.streams import BLOCK, stream_cells

N = 7 * BLOCK + 13


@pytest.mark.parametrize("shape", ["probabilities", "ties", "wide", "edges"])
@pytest.mark.parametrize("cut", [np.inf, 0.3, 0.999])
def test_every_cell_has_its_rows_positives_and_extremes(shape: str, cut: float, rng: np.random.Generator) -> None:
    x = {
        "probabilities": rng.random(N),
        "ties": rng.integers(0, 9, N) / 8,
        "wide": rng.normal(size=N) * 10.0 ** rng.integers(-12, 12, N),
        "edges": rng.choice([0.0, -0.0, 0.5, 1.0, 2.0**-40, 1 - 2.0**-40, np.nextafter(0.5, 0), 1e300, -1e300], N),
    }[shape]
    y = (rng.random(N) < 0.3).astype(np.int8)
    parts = np.split(np.arange(N), np.sort(rng.integers(0, N, 9)))
    found = stream_cells(((x[part], y[part]) for part in parts), cut, [0, 1])
    place = 2 * grid.encode(x, grid.FINE) + (x >= cut)
    used = np.unique(place)
    order = np.argsort([x[place == k].min() for k in used] if shape == "edges" else used)
    assert found is not None and len(found.low) == len(used)
    groups = [place == k for k in used[order]]
    assert np.array_equal(found.counts, [[(g & (y == 0)).sum(), (g & (y == 1)).sum()] for g in groups])
    assert np.array_equal(found.low, [x[g].min() for g in groups])
    assert np.array_equal(found.high, [x[g].max() for g in groups])


@pytest.mark.parametrize(("score", "level"), [(np.nan, 0), (np.inf, 1), (0.5, 2), (0.5, -1)])
def test_a_row_that_cannot_be_used_ends_it(score: float, level: int) -> None:
    x, y = np.linspace(0, 1, N), np.zeros(N, dtype=np.int8)
    x[-1], y[-1] = score, level
    assert stream_cells([(x, y)], np.inf, [0, 1]) is None


def test_nothing_more_is_read_after_a_part_that_cannot_be() -> None:
    read = []

    def part(i: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        read.append(i)
        if i == 3:
            raise OSError("the rest of the file is gone")
        yield np.linspace(0, 1, N), np.zeros(N, dtype=np.int8)

    with pytest.raises(OSError, match="is gone"):
        stream_cells((lambda i=i: part(i) for i in range(1000)), np.inf, [0, 1])
    assert len(read) < 900


def test_no_rows_give_no_cells() -> None:
    found = stream_cells([], np.inf, [0, 1])
    assert found is not None and len(found.low) == 0
