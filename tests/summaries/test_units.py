"""Tables by unit: at most 512 buckets, whatever is added."""

from __future__ import annotations

import numpy as np

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
