"""Out of time: the past trains, the future tests, with a gap between and no moment divided."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.designs.out_of_time import OutOfTime
from steelyard.designs.split import Split
from steelyard.errors import MissingValues, NotNumeric, UsageError

DAYS = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]")


def parts(design: OutOfTime, rows: int, data: Any = None) -> list[tuple[list[int], list[int]]]:
    return [(s.train.tolist(), s.test.tolist()) for s in design.splits(rows, None, data)]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(-20, 20), min_size=4, max_size=60),
    st.integers(1, 4),
    st.sampled_from([0, 1, 2.5, 6]),
    st.sampled_from([None, 3, 10]),
    st.floats(0.1, 0.8),
    st.sampled_from([1, 0.1, 86_400.0]),
)
def test_the_past_trains_and_the_future_tests(
    times: list[int], origins: int, gap: float, window: float | None, share: float, unit: float
) -> None:
    when = np.array(times) * unit
    design = OutOfTime(
        when, origins=origins, gap=gap * unit, test=share, window=None if window is None else window * unit
    )
    try:
        found = list(design.splits(len(when)))
    except UsageError:
        assume(False)
    assert len(found) == origins
    seen: set[int] = set()
    for split in found:
        train, test = when[split.train], when[split.test]
        assert train.max() < test.min()
        assert train.max() + gap * unit <= test.min()
        if window is not None:
            assert test.min() - train.min() <= (gap + window) * unit * (1 + 1e-9)
        # Of one moment all rows test, or none.
        assert set(np.flatnonzero(np.isin(when, test)).tolist()) == set(split.test.tolist())
        assert not seen & set(split.test.tolist())
        seen |= set(split.test.tolist())
        if window is None:
            near = (when < test.min()) & (when + gap * unit <= test.min())
            assert split.train.tolist() == np.flatnonzero(near).tolist()
    assert seen == set(np.flatnonzero(when >= when[found[0].test].min()).tolist())


def test_the_latest_third_tests_as_nearly_as_whole_moments_allow() -> None:
    assert parts(OutOfTime([3, 1, 2]), 3) == [([1, 2], [0])]
    # A third of six is two; one moment of three rows is nearer than four rows or none.
    assert parts(OutOfTime([1, 1, 1, 2, 2, 2]), 6) == [([0, 1, 2], [3, 4, 5])]
    assert [len(s.test) for s in OutOfTime(np.arange(90), origins=5).splits(90)] == [6] * 5
    assert [len(s.test) for s in OutOfTime(np.arange(90), test=10).splits(90)] == [10]


def test_a_cut_begins_the_test_part() -> None:
    assert parts(OutOfTime([1, 2, 3, 4], cut=3), 4) == [([0, 1], [2, 3])]
    assert parts(OutOfTime([1, 2, 3, 4], cut="2.5"), 4) == [([0, 1], [2, 3])]
    # The gap is counted from the cut, also where no row lies on it.
    assert parts(OutOfTime([1, 2, 5, 6], cut=4, gap=2.5), 4) == [([0], [2, 3])]
    assert parts(OutOfTime([1, 2, 3, 4, 5], cut=3, origins=3), 5) == [
        ([0, 1], [2]),
        ([0, 1, 2], [3]),
        ([0, 1, 2, 3], [4]),
    ]


@pytest.mark.parametrize(
    "gap", [7, 7.0, "7 days", "1 week", "168 hours", timedelta(days=7), np.timedelta64(7, "D"), "7"]
)
@pytest.mark.parametrize(
    "cut", ["2024-02-10", date(2024, 2, 10), np.datetime64("2024-02-10"), pd.Timestamp("2024-02-10")]
)
def test_a_gap_of_a_week_before_the_tenth_of_february(gap: Any, cut: Any) -> None:
    split = next(OutOfTime(DAYS, cut=cut, gap=gap, window="2 weeks").splits(len(DAYS)))
    assert DAYS[split.test].min() == np.datetime64("2024-02-10")
    assert DAYS[split.train].max() == np.datetime64("2024-02-03")
    assert len(split.train) == 14


def test_a_window_is_as_long_with_a_gap_as_without() -> None:
    for gap in (None, 0, 1, 5):
        split = next(OutOfTime(DAYS, cut="2024-02-10", gap=gap, window=10).splits(len(DAYS)))
        assert len(split.train) == 10


def test_times_come_in_many_forms() -> None:
    told = [str(d) for d in DAYS]
    aware = [datetime.fromisoformat(t).replace(tzinfo=UTC) for t in told]
    forms: list[Any] = [
        *(told, DAYS, DAYS.astype("datetime64[ns]"), DAYS.tolist(), [datetime.fromisoformat(t) for t in told]),
        *(
            pd.Series(told),
            pd.Series(pd.to_datetime(told)),
            pd.Series(pd.to_datetime(told)).dt.tz_localize("UTC"),
            aware,
        ),
        *(pl.Series(told), pl.Series(DAYS), pa.array(told), pa.chunked_array([DAYS]), [f"{t}T00:00:00Z" for t in told]),
        [t.replace("-", "") for t in told],
    ]
    expected = parts(OutOfTime(np.arange(60), origins=3, gap=2), 60)
    for form in forms:
        assert parts(OutOfTime(form, origins=3, gap=2), 60) == expected
    for table in (pd.DataFrame({"day": told}), pl.DataFrame({"day": told}), pa.table({"day": told}), {"day": told}):
        assert parts(OutOfTime("day", origins=3, gap=2), 60, table) == expected
    assert OutOfTime("day").names == ("day",)


def test_times_at_the_end_of_their_type_do_not_wrap_round() -> None:
    for kind in ("uint8", "uint64", "int8", "uint16"):
        for first in (0, np.iinfo(kind).max - 5 if kind != "uint64" else 10**6):
            times = np.arange(6).astype(kind) + np.array(first, dtype=kind)
            assert parts(OutOfTime(times, gap=3), 6) == [([0, 1], [4, 5])]


def test_months_may_be_written_alone() -> None:
    assert parts(OutOfTime(["2024-01", "2024-02", "2024-03"]), 3) == [([0, 1], [2])]


def refused(design: OutOfTime, rows: int, kind: type[Exception] = UsageError) -> str:
    with pytest.raises(kind) as problem:
        list(design.splits(rows))
    return problem.value.message  # type: ignore[attr-defined,no-any-return]


def test_what_cannot_be_meant_is_refused() -> None:
    four = [1, 2, 3, 4]
    assert refused(OutOfTime(four, cut=9), 4) == "The cut is 9, and there is no row from then on."
    assert refused(OutOfTime(four, cut=1), 4) == "The cut is 1, and there is no row before."
    assert refused(OutOfTime(four, gap=3.5), 4) == "Before 4 no row is left to train."
    assert refused(OutOfTime(four, gap=-1), 4) == "The gap cannot be negative, and -1 came."
    assert refused(OutOfTime([7, 7]), 2) == "All rows are of one moment, 7, which cannot be divided."
    assert refused(OutOfTime(four, origins=3), 4) == "The later part holds 1 moment, too few for 3 origins."
    assert refused(OutOfTime(four, gap="2 days"), 4).endswith('"2 days" came.')
    assert refused(OutOfTime(DAYS, gap="2 moons"), 60).endswith('"2 moons" came.')
    assert refused(OutOfTime(DAYS, gap=np.timedelta64(1, "M")), 60).startswith(
        "Months and years are not all equally long"
    )
    assert refused(OutOfTime(DAYS, cut=3), 60) == "The times are dates, and the cut is 3."
    assert refused(OutOfTime(["soon", "late"]), 2, NotNumeric).endswith('"soon" is neither.')
    assert refused(OutOfTime(["2024-01-01", 3]), 2, NotNumeric).startswith("The times are of different kinds")
    assert refused(OutOfTime([1.0, float("inf")]), 2, NotNumeric) == "Some times are infinite."
    assert refused(OutOfTime([1.0, float("nan")]), 2, MissingValues) == "The time is missing in 1 of 2 rows."
    assert refused(OutOfTime("day"), 2).startswith('The time is the column "day", and no table came')


def test_its_words() -> None:
    said = str(OutOfTime("day", cut="2024-01-01", gap="7 days", window=30))
    assert said == 'out of time by "day", from 2024-01-01, a gap of 7 days, a window of 30'
    assert (
        str(OutOfTime(DAYS, origins=4, gap=timedelta(days=2)))
        == "out of time, latest 33.3%, 4 origins, a gap of 2 days"
    )
    assert isinstance(next(OutOfTime(DAYS).splits(60)), Split)
