"""Tables of labels: laying out, adding, refusing."""

from __future__ import annotations

import pytest

from steelyard.errors import CannotAdd
from steelyard.summaries.confusion import Confusion


def test_two_sets_of_levels_are_joined_and_sorted() -> None:
    a = Confusion.of([[1, 2], [3, 4]], levels=("b", "a"))
    b = Confusion.of([[5, 0], [0, 6]], levels=("c", "b"))
    total = a + b
    assert total.levels == ("a", "b", "c")
    assert total.counts.tolist() == [[4, 3, 0], [2, 1 + 6, 0], [0, 0, 5]]
    assert total.rows == 21


def test_an_order_that_both_share_is_kept() -> None:
    a = Confusion.of([[1, 2], [3, 4]], levels=("low", "high"))
    assert (a + a).levels == ("low", "high")


def test_nothing_is_added_to_a_different_positive() -> None:
    a = Confusion.of([[1, 2], [3, 4]], levels=(0, 1), positive=1)
    b = Confusion.of([[1, 2], [3, 4]], levels=(0, 1), positive=0)
    with pytest.raises(CannotAdd, match="positive is 1 in one, 0 in the other"):
        a + b


def test_a_level_called_rest_is_a_level() -> None:
    c = Confusion.of([[5, 1, 0], [2, 3, 1], [0, 0, 8]], levels=("a", "rest", "c"), positive="rest")
    o = c.against_rest("rest").outcomes("rest")
    assert (o.tp, o.fn, o.fp, o.tn) == (3, 3, 1, 13)
    every = c.by_level()
    assert [list(x) for x in (every.tp, every.fn, every.fp, every.tn)] == [
        [5, 3, 8],
        [1, 3, 0],
        [2, 1, 1],
        [12, 13, 11],
    ]
