"""Many rows for real: the grid beyond the exact limit, the compiled loops, and tables that come in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.engines import batches, frames

from .alike import alike


def _rows(n: int) -> dict[str, Any]:
    r = np.random.default_rng(11)
    score = np.where(r.random(n) < 0.1, np.round(r.random(n), 2), r.random(n) ** r.choice([1.0, 7.0], n))
    score[:6] = [0.0, -0.0, 1.0, 0.5, np.nextafter(0.5, 0), np.nextafter(1, 0)]
    return {"truth": (r.random(n) < score).astype(np.int8), "score": score}


def test_a_million_and_a_half_rows(tmp_path: Path) -> None:
    rows = _rows(1_500_000)
    pq.write_table(pa.table(rows), tmp_path / "rows.parquet")
    found = sy.evaluate(tmp_path / "rows.parquet", target="truth", score="score", threshold=0.3)
    alike(found, sy.evaluate(target=rows["truth"], score=rows["score"], threshold=0.3))
    assert found.scores is not None
    assert found.scores.cells.gridded
    assert found.rows == 1_500_000
    # The threshold lies inside a cell of the grid, and yet no row is counted on the wrong side of it.
    assert found["predicted_positive_rate"].value == np.count_nonzero(rows["score"] >= 0.3) / 1_500_000
    assert found["predicted_positive_rate"].bound == 0


@pytest.mark.parametrize("segmented", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("limit", [1000, 1 << 20])
def test_the_compiled_loops_count_as_the_plain_ones_do(
    limit: int, weighted: bool, segmented: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = _rows(300_000)
    rows["score"][10:20] = np.linspace(-3, 3e5, 10)
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", limit)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", limit)
    given = {"weight": 0.5 + (rows["score"] * 8 % 1)} if weighted else {}
    if segmented:
        # Of one segment no row is positive, and one is a single row.
        given["segment"] = np.where(
            rows["truth"] == 0, np.array(["ü", "no", ""], dtype="<U3")[np.arange(300_000) % 3], ""
        )
        given["segment"][7] = "one"
    for target in (rows["truth"], rows["truth"].astype(float), rows["truth"] == 1):
        fast = sy.evaluate(target=target, score=rows["score"], **given)
        with monkeypatch.context() as plain:
            plain.setattr("steelyard.engines.arrays.MANY", 1 << 30)
            slow = sy.evaluate(target=target, score=rows["score"], **given)
        alike(fast, slow)
        assert list(fast.segments) == list(slow.segments) == (["", "no", "one", "ü"] if segmented else [])


def test_a_lazy_table_in_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _rows(4000) | {"unit": np.arange(4000) % 97, "region": np.array(["north", "south"])[np.arange(4000) // 2500]}
    roles = {"target": "truth", "score": "score", "unit": "unit", "segment": "region"}
    monkeypatch.setattr(batches, "BATCH", 100)
    lazy = pl.DataFrame(rows).lazy()
    alike(sy.evaluate(lazy, **roles), sy.evaluate(rows, **roles))


def test_rows_are_counted_only_as_far_as_it_matters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (frames, batches):
        monkeypatch.setattr(module, "COUNTED", 1000)
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 500)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 500)
    rows = _rows(3000)
    pq.write_table(pa.table(rows), tmp_path / "rows.parquet")
    wanted = sy.evaluate(target=rows["truth"], score=rows["score"])
    assert wanted.scores is not None and wanted.scores.cells.gridded
    alike(sy.evaluate(tmp_path / "rows.parquet", target="truth", score="score"), wanted)
    alike(sy.evaluate(pl.DataFrame(rows).lazy(), target="truth", score="score"), wanted)
