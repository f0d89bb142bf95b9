"""Late labels: coverage, delays, and when a window may be judged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from steelyard.errors import UsageError
from steelyard.monitors.labels import horizon_of, labels_of, span_text
from steelyard.summaries.label_times import LabelTimes

END = datetime(2024, 3, 1, tzinfo=UTC)
NONE = (None, None)
WAIT = timedelta(days=30)


@pytest.mark.parametrize("rows", [1, 20, 99, 100, 1000])
def test_mature_from_95_of_100_on(rows: int) -> None:
    for there in range(0, rows + 1, max(1, rows // 100)):
        found = labels_of((rows, there), NONE, END, END, None)
        assert found.mature == (20 * there >= 19 * rows)
        assert found.coverage == there / rows and found.labelled == there
        assert bool(found.reason) == (not found.mature)


def test_mature_once_the_horizon_has_passed() -> None:
    half = (100, 50)
    assert not labels_of(half, NONE, END, END + WAIT - timedelta(seconds=1), WAIT).mature
    late = labels_of(half, NONE, END, END + WAIT, WAIT)
    assert (
        late.mature
        and late.reason == "50% of 100 rows have a label; the others are not waited for, since 30 days have passed"
    )
    assert labels_of(half, NONE, END, END + WAIT).reason == "50% of 100 rows have a label, and 95% are waited for"


def test_delays_are_those_of_the_labels_that_came() -> None:
    rng = np.random.default_rng(1)
    delays = rng.integers(0, 10**9, 501)
    times = LabelTimes.of((), np.zeros(501, dtype=np.int64), np.zeros(501, dtype=np.int64), delays)
    found = labels_of((501, 501), (times.late_within(0.5), times.late_within(0.95)), END, END)
    assert times.late_within(0.95) == pytest.approx(np.quantile(delays, 0.95))
    assert found.median_delay == timedelta(microseconds=int(np.sort(delays)[250]))
    assert found.late_delay is not None
    assert abs(found.late_delay / timedelta(microseconds=1) - np.sort(delays)[475]) <= 1
    assert found.to_dict()["median_delay"] == found.median_delay.total_seconds()


def test_an_empty_window_waits_for_nothing() -> None:
    found = labels_of((0, 0), NONE, END, END, WAIT)
    assert (found.rows, found.coverage, found.mature, found.median_delay) == (0, None, True, None)


def test_horizons_in_words() -> None:
    assert horizon_of(None) is None
    assert horizon_of("36 hours") == horizon_of(1.5) == timedelta(hours=36) == horizon_of(timedelta(days=1.5))
    assert span_text(timedelta(minutes=1)) == "1 minute"
    for wrong in (0, -1, "soon", timedelta(0)):
        with pytest.raises(UsageError, match="horizon"):
            horizon_of(wrong)
