"""Moments and scores counted by window in compiled loops are those of the rows, put together one by one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from steelyard.rows import grid

pytest.importorskip("numba")
from steelyard.engines import window_groups
from steelyard.engines.window_groups import TimeUnits, WindowScores, WindowTimes, outcomes, placed

DAY, HOUR = 86_400_000_000, 3_600_000_000
# Days of our time, whose microseconds leave few bits of a number free.
N, FIRST, WINDOWS = 9000, 20_000, 5
EDGES = np.arange(20_060) * DAY
TIME = np.sort(np.random.default_rng(3).integers(FIRST * DAY, (FIRST + WINDOWS) * DAY, N))
WINDOW = placed(TIME, EDGES, FIRST, FIRST + WINDOWS - 1)
LEVEL = np.arange(N) * 7919 % 5 - 2


def test_moments_lie_in_their_windows(rng: np.random.Generator) -> None:
    assert (WINDOW == TIME // DAY).all()
    shuffled = rng.permutation(np.r_[TIME, -5, EDGES[-1] + 5, FIRST * DAY - 1, (FIRST + WINDOWS) * DAY])
    found = placed(shuffled, EDGES, FIRST, FIRST + WINDOWS - 1)
    inside = (shuffled >= FIRST * DAY) & (shuffled < (FIRST + WINDOWS) * DAY)
    assert (found == np.where(inside, shuffled // DAY, -1)).all()


@pytest.mark.parametrize("step", [1, HOUR, 7 * DAY])
def test_moments_and_labels_are_counted(step: int, rng: np.random.Generator) -> None:
    group = rng.integers(-1, 4, N)
    late = TIME + rng.integers(-DAY, 30 * DAY, N)
    # Two hours ahead from the middle of the second day on.
    changes, offsets = np.array([int((FIRST + 1.5) * DAY)]), np.array([0, 2 * HOUR])
    counting = WindowTimes(TimeUnits(step, changes, offsets, DAY), FIRST, WINDOWS)
    for part in np.array_split(np.arange(N), 7):
        counting.count(WINDOW[part], TIME[part], late[part], group[part])
    found: Any = counting.table(-9.0)
    names = ("window", "group", "time", "known")
    held = dict(zip(zip(*(found[k].tolist() for k in names), strict=True), found["rows"].tolist(), strict=True))
    known = np.where(group < 0, -9, late // step * step)
    want = Counter(zip(WINDOW.tolist(), group.tolist(), (TIME // step * step).tolist(), known.tolist(), strict=True))
    assert held == want
    for w in range(FIRST, FIRST + WINDOWS):
        mine, row = w == WINDOW, np.flatnonzero(found["window"] == w)[0]
        ends = TIME[mine].min(), TIME[mine].max(), np.where(group < 0, TIME, late)[mine].max()
        assert tuple(int(found[k][row]) for k in ("first", "last", "late")) == ends


def test_a_window_of_midnights_is_told_from_others() -> None:
    day = np.arange(FIRST, FIRST + WINDOWS)
    time = day * DAY + np.where(day == FIRST + 2, HOUR, 0)
    for offset, want in ((0, [0, 0, 1, 0, 0]), (-HOUR, [1, 1, 0, 1, 1])):
        counting = WindowTimes(TimeUnits(DAY, np.zeros(0, dtype=np.int64), np.array([offset]), DAY), FIRST, WINDOWS)
        counting.count(day, time, time, np.full(WINDOWS, -1))
        assert counting.ends[:, 3].tolist() == want


@pytest.mark.parametrize("mesh", [None, 4, 8, grid.FINE])
def test_scores_are_counted_by_level_and_segment(mesh: int | None, rng: np.random.Generator) -> None:
    score = np.round(rng.normal(0.4, 0.6, N), 4 if mesh is not None else 1)
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 1.0, 1e100, -1e-300, 2.0**40, np.nextafter(0.5, 0)]
    score[rng.integers(0, N, 400)] = rng.choice(odd, 400)
    segment = rng.integers(-1, 2, N)
    counting = WindowScores(mesh, 0.3)
    for part in np.array_split(np.arange(N), 4):
        counting.count(WINDOW[part], LEVEL[part], segment[part], score[part])
    found: Any = counting.table((10, 11, 12))
    state = np.where(np.isnan(score), 11, np.where(np.isinf(score), 12, 10))
    fine = state == 10
    if mesh is None:
        keys = (WINDOW, segment, LEVEL, fine, state, score + 0.0)
        names = ["window", "segment", "level", "fine", "state", "score"]
    else:
        cell = np.where(fine, grid.encode(np.where(fine, score, 0.0), mesh), 0)
        keys = (WINDOW, segment, LEVEL, fine, state, cell, (score >= 0.3).astype(int), (score > 1).astype(int))
        names = ["window", "segment", "level", "fine", "state", "cell", "cut0", "over"]
    want: dict[Any, list[float]] = {}
    for *key, x in zip(*keys, score + 0.0, strict=True):
        want.setdefault(tuple(map(str, key)), []).append(x)
    rows = list(zip(*(found[k] for k in names), strict=True))
    assert {tuple(map(str, k)): n for k, n in zip(rows, found["rows"].tolist(), strict=True)} == {
        k: len(x) for k, x in want.items()
    }
    if mesh is not None:
        for i in np.flatnonzero(found["fine"]):
            mine = np.array(want[tuple(map(str, rows[i]))])
            assert (found["low"][i], found["high"][i]) == (mine.min(), mine.max())
            assert found["x"][i] == pytest.approx(mine.sum(), rel=1e-12)
            assert found["xx"][i] == pytest.approx((mine**2).sum(), rel=1e-12)


def test_too_many_keys_are_not_told(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    monkeypatch.setattr(window_groups, "MOST_KEYS", 1 << 10)
    counting = WindowScores(None, 0.5)
    counting.count(WINDOW, LEVEL, np.full(N, -1), rng.random(N))
    assert counting.table((0, 1, 2)) is None


def test_outcomes_are_those_of_level_and_score() -> None:
    level, score = np.array([1, 1, 0, 0, -1, -2, 1]), np.array([0.5, 0.4, 0.9, 0.1, 0.9, 0.9, np.nan])
    assert outcomes(level, score, -2, 1, 0.5).tolist() == [0, 1, 2, 3, 2, -1, 1]
