"""Sorted rows: their sums and their late table are those of the definitions, whatever the scores are."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.engines import sorting
from steelyard.intervals import placements
from steelyard.measures import ranking
from steelyard.summaries.remembering import Remembered

DRAW = np.random.default_rng(4)
N = 3000
TRUTH = DRAW.integers(0, 2, N)
PLAIN = 1 / (1 + np.exp(-DRAW.normal(size=N) - TRUTH))
SCORES: dict[str, Any] = {
    "probabilities": PLAIN,
    "two digits": np.round(PLAIN, 2),
    "one value": np.full(N, 0.5),
    "a few ties": np.where(DRAW.random(N) < 0.01, 0.25, PLAIN),
    "with zeros of both signs": np.where(DRAW.random(N) < 0.3, np.where(TRUTH, -0.0, 0.0), PLAIN),
    "log-odds": np.log(PLAIN / (1 - PLAIN)),
    "below zero": -PLAIN,
    "large": PLAIN * 1e200,
    "tiny": PLAIN * 5e-310,
    "32 bits": PLAIN.astype(np.float32),
    "log-odds of 32 bits": np.log(PLAIN / (1 - PLAIN)).astype(np.float32),
    "whole numbers of 32 bits": np.round(PLAIN * 300 - 100).astype(np.float32),
    "far apart in 32 bits": np.where(DRAW.random(N) < 0.5, PLAIN * 1e-38, -PLAIN * 1e38).astype(np.float32),
}


def _plain(x: Any) -> tuple[Any, Any]:
    values, place = np.unique(np.asarray(x, dtype=np.float64) + 0.0, return_inverse=True)
    counts = np.zeros((len(values), 2))
    np.add.at(counts, (place, TRUTH), 1.0)
    return values, counts


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("kind", SCORES)
def test_sums_and_the_table_are_those_of_the_definitions(
    kind: str, threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steelyard.engines.cores.cores", lambda: 3)
    monkeypatch.setenv("STEELYARD_THREADS", threads)
    values, counts = _plain(SCORES[kind])
    rows = sorting.sorted_rows(SCORES[kind], TRUTH + 4, 4, [4, 5])
    assert rows is not None
    n, p = counts.T
    below, above = np.cumsum(n) - n / 2, p.sum() - np.cumsum(p) + p / 2
    assert rows.rows_by_level.tolist() == counts.sum(axis=0).tolist()
    assert rows.size == len(values)
    found = rows.sums.won, rows.sums.from_ones, rows.sums.from_above
    assert found == pytest.approx([(p * below).sum(), (p * below**2).sum(), (n * above**2).sum()], rel=1e-12)
    starts = np.unique(np.linspace(0, len(values), 40, endpoint=False).astype(np.int64))
    joined = [np.add.reduceat(side, starts).tolist() for side in (n, p)]
    assert [side.tolist() for side in rows.joined(starts)] == joined
    assert rows.low.tolist() == values.tolist()
    assert rows.counts.tolist() == counts.tolist()


def test_no_room_or_no_number_is_counted_another_way() -> None:
    wide = np.where(TRUTH == 1, PLAIN * 1e300, PLAIN * 1e-300)
    assert sorting.sorted_rows(wide, TRUTH, 0, [0, 1]) is None
    for odd in (np.nan, np.inf, -np.inf):
        for kind in (np.float64, np.float32):
            assert sorting.sorted_rows(np.append(PLAIN, odd).astype(kind), np.append(TRUTH, 0), 0, [0, 1]) is None


@pytest.mark.parametrize("positive", [0, 1])
def test_an_area_needs_no_table_and_is_the_one_of_the_table(positive: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.engines.arrays.MANY", 100)
    monkeypatch.setattr(placements, "GROUPS", 64)
    given = {"target": TRUTH, "score": SCORES["a few ties"], "positive": positive, "exact": True}
    late, made = sy.evaluate(**given), sy.evaluate(**given)
    assert late.scores is not None and made.scores is not None
    assert made.scores.cells.rows_in_order is not None and len(made.scores.cells.low) == len(_plain(given["score"])[0])
    assert made.scores.cells.rows_in_order is None
    for name in ("auc", "gini"):
        found, wanted = late[name], made[name]
        assert [found.value, found.low, found.high] == pytest.approx([wanted.value, wanted.low, wanted.high], rel=1e-13)
        assert (found.n, found.bound, found.method) == (wanted.n, wanted.bound, wanted.method)
    assert (late.scores.cells.rows_in_order is None) == (positive == 0), "a table was made only if it had to be"
    assert late.scores == made.scores
    assert float(ranking.pairs_won(late.scores)) == float(ranking.pairs_won(made.scores))


def test_what_was_found_of_a_table_goes_with_it() -> None:
    e = sy.evaluate(target=TRUTH, score=PLAIN)
    e.frame()
    kept = weakref.ref(e.scores)
    del e
    gc.collect()
    assert kept() is None
    remembered = Remembered[int](3)
    remembered.keep(1, (1, 2))
    assert len(remembered._kept) == 1, "what knows no loose hold is kept"
