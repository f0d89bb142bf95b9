"""Windows: a partition of time in every zone, local calendars, times of every kind, and what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest

from steelyard.errors import NotNumeric, UsageError
from steelyard.monitors.windows import (
    DAY,
    HOUR,
    ZoneOffsets,
    boundaries,
    by_count,
    by_time,
    instant_of,
    moment,
    read_times,
    span_of,
    zone_of,
)

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",  # changed at one minute past midnight
    "America/Sao_Paulo",  # changed at midnight
    "Pacific/Apia",  # left out a whole day
    "Australia/Lord_Howe",  # changes by half an hour
    "Asia/Kathmandu",
    "Africa/Casablanca",  # changes four times a year
)
START, END = instant_of(datetime(2000, 1, 1, tzinfo=UTC)), instant_of(datetime(2040, 12, 31, tzinfo=UTC))
CLOCKS = {name: ZoneOffsets.of(ZoneInfo(name), START, END) for name in ZONES}


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("window", ["day", "week", "month", timedelta(days=10)])
def test_windows_are_a_partition_over_all_changes_of_the_clocks(name: str, window: object) -> None:
    edges = boundaries(window, ZoneInfo(name), START, END)
    lengths = np.diff(edges)
    assert (lengths > 0).all()
    assert edges[0] <= START < edges[1] and edges[-2] <= END < edges[-1]
    # Every instant beside a change lies in exactly one window, and dates never go back from window to window.
    changes = CLOCKS[name].changes
    inside = changes[(changes > START) & (changes < END)]
    probes = np.concatenate([inside - 1, inside, inside + 1, edges[1:-1], edges[1:-1] - 1])
    held = (edges[:-1] <= probes[:, None]) & (probes[:, None] < edges[1:]) if len(edges) < 3000 else None
    if held is not None:
        assert (held.sum(axis=1) == 1).all()
    if window == "day":
        starts = [moment(int(x)).astimezone(ZoneInfo(name)) for x in edges]
        dates = [s.date() for s in starts]
        assert len(set(dates)) == len(dates) and dates == sorted(dates)
        days = {round(float(x), 1) for x in np.unique(lengths) / HOUR}
        assert days <= {23.0, 23.5, 24.0, 24.5, 25.0}
        if name == "Europe/Berlin":
            assert (lengths == 23 * HOUR).sum() == (lengths == 25 * HOUR).sum() == 41
        if name == "Pacific/Apia":
            assert date(2011, 12, 30) not in dates and date(2011, 12, 29) in dates
    if window == "week":
        assert all((moment(int(x)).astimezone(ZoneInfo(name)) + timedelta(hours=12)).weekday() == 0 for x in edges[1:])
    if window == "month":
        # West of Greenwich the first instant still lies in December.
        west = moment(START).astimezone(ZoneInfo(name)).year == 1999
        assert len(edges) == 41 * 12 + 1 + west


@pytest.mark.parametrize("name", ZONES)
def test_hours_are_a_partition_at_every_change(name: str) -> None:
    changes = CLOCKS[name].changes
    for change in changes[(changes > START) & (changes < END)].tolist():
        edges = boundaries("hour", ZoneInfo(name), change - 5 * HOUR, change + 5 * HOUR)
        assert (np.diff(edges) > 0).all() and (np.diff(edges) <= 1.5 * HOUR).all()
        assert edges[0] <= change - 5 * HOUR and edges[-1] > change + 5 * HOUR
        local = [moment(int(x)).astimezone(ZoneInfo(name)) for x in edges]
        assert all(t.minute == 0 or int(x) == change for t, x in zip(local, edges))


@pytest.mark.parametrize("name", ZONES)
def test_local_times_become_the_instants_that_python_says(name: str) -> None:
    zone, rng = ZoneInfo(name), np.random.default_rng(7)
    changes = CLOCKS[name].changes
    spots = rng.integers(START, END, 300)
    if len(changes):
        spots = np.concatenate([spots, rng.choice(changes, 300) + rng.integers(-3 * HOUR, 3 * HOUR, 300)])
    spots = spots // 1_000_000 * 1_000_000
    naive = [moment(int(x)).astimezone(zone).replace(tzinfo=None, fold=0) for x in spots]
    read, gaps = read_times(np.array(naive, dtype="datetime64[us]"), zone)
    assert not gaps.any()
    assert read.tolist() == [instant_of(t.replace(tzinfo=zone).astimezone(UTC)) for t in naive]


def test_times_of_every_kind_are_the_same_instants() -> None:
    zone = zone_of("America/New_York")
    texts = ["2024-03-10 01:30", "2024-03-10 12:00", "2024-11-03 00:15"]
    wanted = read_times(texts, zone)[0].tolist()
    stamps = pd.Series(pd.to_datetime(texts))
    aware = stamps.dt.tz_localize("America/New_York")
    for form in (
        np.array(texts),
        stamps,
        aware,
        aware.dt.tz_convert("Asia/Tokyo"),
        aware.astype(object),
        pl.Series(texts).str.to_datetime(),
        pl.Series(texts).str.to_datetime().dt.replace_time_zone("America/New_York"),
        [t.isoformat() for t in aware],
        [t.to_pydatetime() for t in stamps],
    ):
        assert read_times(form, zone)[0].tolist() == wanted, form
    assert read_times([date(2024, 3, 10), None, ""], zone)[1].tolist() == [False, True, True]


def test_rows_find_their_windows_and_empty_ones_are_kept() -> None:
    zone = zone_of("Europe/Berlin")
    times = ["2024-03-30 23:59:59", "2024-03-31 00:00", "2024-03-31 23:59", "2024-04-03 00:00"]
    made, place = by_time(read_times(times, zone)[0], "day", zone)
    assert [w.name for w in made] == ["2024-03-30", "2024-03-31", "2024-04-01", "2024-04-02", "2024-04-03"]
    assert place.tolist() == [0, 1, 1, 4]
    assert (made[1].end.astimezone(UTC) - made[1].start.astimezone(UTC)) == timedelta(hours=23)
    weeks, _ = by_time(read_times(["2024-12-29", "2024-12-30"], zone)[0], "week", zone)
    assert [w.name for w in weeks] == ["2024-W52", "2025-W01"]
    months, _ = by_time(read_times(["2024-01-31", "2024-03-01"], zone)[0], "month", zone)
    assert [w.name for w in months] == ["2024-01", "2024-02", "2024-03"]


def test_a_length_does_not_depend_on_the_first_row() -> None:
    zone = zone_of("UTC")
    for window in (timedelta(hours=7), timedelta(days=3)):
        times = read_times(["2024-05-01 03:00", "2024-05-09 20:00", "2024-05-20"], zone)[0]
        whole = boundaries(window, zone, int(times.min()), int(times.max()))
        later = boundaries(window, zone, int(times[1]), int(times.max()))
        assert set(later.tolist()) <= set(whole.tolist())
    assert boundaries(timedelta(days=7), zone, 0, 30 * DAY).tolist() == boundaries("week", zone, 0, 30 * DAY).tolist()


def test_windows_of_rows_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(3)
    times = rng.integers(0, 40, 200)
    made, place = by_count(times, 30, UTC)
    order = rng.permutation(200)
    again, other = by_count(times[order], 30, UTC)
    assert made == again and (place[order] == other).all()
    assert (np.bincount(place)[:-1] >= 30).all()
    for i, w in enumerate(made):
        held = times[place == i]
        assert instant_of(w.start) == held.min() and held.max() < instant_of(w.end)


def test_spans() -> None:
    assert span_of("6 hours") == timedelta(hours=6) and span_of("500 rows") == 500 and span_of("500") == 500
    assert span_of(np.timedelta64(2, "D")) == timedelta(days=2)
    for wrong in (0, -5, timedelta(0), "fortnight", "0 days", True, 1.5, None):
        with pytest.raises(UsageError, match=r"window"):
            span_of(wrong)


def test_what_cannot_be_read_is_told_in_a_sentence() -> None:
    zone = zone_of("UTC")
    with pytest.raises(NotNumeric, match="cannot be read as a date"):
        read_times(["2024-01-01", "yesterday"], zone)
    with pytest.raises(NotNumeric, match="holds numbers"):
        read_times(np.array([1, 2, 3]), zone)
    with pytest.raises(NotNumeric, match="some have none"):
        read_times(["2024-01-01", "2024-01-01T00:00+01:00"], zone)
    with pytest.raises(UsageError, match='no time zone "Mars/Base"'):
        zone_of("Mars/Base")
    with pytest.raises(UsageError, match="100,000 windows"):
        boundaries("hour", zone, 0, 50 * 365 * DAY)
