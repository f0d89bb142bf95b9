"""When rows and labels came: any split into parts gives the same counts, in a bounded size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import CannotAdd
from steelyard.summaries.label_times import DAY, MOST, NEVER, LabelTimes

GROUPS = (("yes", "yes, found"), ("yes", "yes, missed"), ("no", ""))
ROW = st.tuples(st.integers(-1, 3), st.integers(0, 40 * DAY), st.integers(0, 20 * DAY))


def table(rows: list[tuple[int, int, int]], timed: bool = True) -> LabelTimes:
    group, time, late = (
        (np.array(x, dtype=np.int64) for x in zip(*rows, strict=True)) if rows else [np.zeros(0, int)] * 3
    )
    return LabelTimes.of(GROUPS, group, time, time + late if timed else None)


@given(
    st.lists(ROW, min_size=1, max_size=60), st.lists(st.integers(0, 3), min_size=60, max_size=60), st.integers(2, 40)
)
def test_parts_add_to_the_whole_in_any_order(rows: list[tuple[int, int, int]], part: list[int], most: int) -> None:
    whole = table(rows).bounded(most)
    parts = [table([r for r, p in zip(rows, part, strict=False) if p == k]).bounded(most) for k in (2, 0, 3, 1)]
    total = parts[0]
    for more in parts[1:]:
        total = (total + more).bounded(most)
    assert total == whole and whole.rows == len(rows)
    assert whole.labelled == sum(g >= 0 for g, _, _ in rows)
    assert len(whole.many) <= max(most, 5)
    assert LabelTimes.from_dict(whole.to_dict()) == whole


def test_delays_are_those_of_the_rows() -> None:
    rng = np.random.default_rng(3)
    rows = [(int(g), int(t), int(d)) for g, t, d in rng.integers(0, [3, DAY, 9 * DAY], (5001, 3))]
    exact = table(rows)
    late = np.array([d for _, _, d in rows])
    for share in (0.0, 0.5, 0.95, 1.0):
        assert exact.late_within(share) == pytest.approx(np.quantile(late, share))
        assert exact.bounded().late_within(share) == pytest.approx(np.quantile(late, share), abs=exact.bounded().step)
    assert len(exact.bounded().many) <= MOST < len(exact.many)
    assert table(rows, timed=False).late_within(0.5) is None


def test_what_was_known_then() -> None:
    t = table([(0, 0, 5), (1, 0, 7), (2, 1, 9), (-1, 2, 0)])
    then = t.known_by(6)
    assert (then.rows, then.labelled, t.labelled) == (4, 1, 3)
    assert then.known.tolist().count(NEVER) == 3
    assert {name: int(t.many[rows].sum()) for name, rows in t.kinds()} == {
        "yes": 2,
        "yes, found": 1,
        "yes, missed": 1,
        "no": 1,
    }


def test_other_outcomes_do_not_add() -> None:
    other = LabelTimes.of((("a", ""),), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), None)
    with pytest.raises(CannotAdd, match="other outcomes"):
        table([(0, 0, 0)]) + other
