"""Tables by unit: at most 512 buckets, whatever is added."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.summaries.units import MOST, Units


def _units(ids: range) -> Units:
    return Units(np.array(ids, dtype=np.int64), np.ones((len(ids), 1)))


def test_the_same_bucket_is_added_up() -> None:
    total = _units(range(0, 3)) + _units(range(2, 4))
    assert total.ids.tolist() == [0, 1, 2, 3]
    assert total.table.ravel().tolist() == [1, 1, 2, 1]


def test_neighbours_are_joined_when_there_are_too_many() -> None:
    total = _units(range(0, 400)) + _units(range(400, 800))
    assert len(total.ids) == MOST - 112
    assert total.bits == 15
    assert set(total.table.ravel().tolist()) == {2.0}


def test_coarse_and_fine_buckets_add_to_coarse_ones() -> None:
    coarse, fine = _units(range(0, 8)).fewer(14), _units(range(4, 8))
    assert coarse + fine == fine + coarse
    assert (coarse + fine).table.ravel().tolist() == [4, 4 + 4]


@pytest.mark.parametrize("role", ["score", "prediction", "classes"])
def test_segments_of_a_sum_have_the_buckets_of_the_whole(role: str) -> None:
    """A day of few units keeps them apart more finely than all days together do, also in a segment of its own."""
    rng = np.random.default_rng(5)
    n = 1500
    unit = np.where(np.arange(n) < 300, rng.integers(0, 150, n), rng.integers(0, 1200, n))
    segment = np.where(np.arange(n) < 200, "early", "late")
    y = rng.integers(0, 2, n)
    p = np.round(np.clip(0.3 + 0.3 * y + rng.normal(0, 0.2, n), 0.01, 0.99), 2)

    def told(rows: slice) -> sy.Evaluation:
        score = {0: 1 - p[rows], 1: p[rows]} if role == "classes" else p[rows]
        name = "prediction" if role == "prediction" else "score"
        return sy.evaluate(target=y[rows], unit=unit[rows], segment=segment[rows], **{name: score})

    whole, total = told(slice(None)), told(slice(300)) + told(slice(300, None))
    assert total == whole
    for a, b in zip(whole.rows_as_dicts(), total.rows_as_dicts(), strict=True):
        assert (a["measure"], a["segment"], a["method"]) == (b["measure"], b["segment"], b["method"])
        if a["low"] is not None:
            assert [b["low"], b["high"]] == pytest.approx([a["low"], a["high"]], rel=1e-6)
