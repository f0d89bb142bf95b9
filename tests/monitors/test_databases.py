"""Stability where the tables live: PostgreSQL and Spark count what arrays count."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from steelyard.monitors.stability import stability

from ..servers.postgres import Postgres

N = 800


def _columns(seed: int, shift: float) -> dict[str, Any]:
    """Numbers with gaps and special values, levels with and without gaps, truth values, days, weights and units."""
    r = np.random.default_rng(seed)
    income = r.lognormal(shift, 1, N).round(6)
    gaps = [None if v < 0.05 else float("nan") if v < 0.07 else x for v, x in zip(r.random(N), income.tolist())]
    return {
        "income": pa.array(gaps, pa.float64()),
        "age": pa.array(r.integers(18, 90, N).astype(np.int32)),
        "debt": pa.array(np.where(r.random(N) < 0.2, -999.0, r.normal(shift, 2, N))),
        "price": pa.array([round(x, 2) for x in r.gamma(2, 50, N).tolist()]).cast(pa.decimal128(18, 4), safe=False),
        "region": pa.array([["north", "south ", "Ünder", None][i] for i in r.integers(0, 4, N)]),
        "code": pa.array([f"c{i}" for i in r.integers(0, 6 + int(4 * shift), N)]),
        "member": pa.array([[True, False, None][i] for i in r.integers(0, 3, N)]),
        "day": pa.array([dt.date(2024, 1, 1) + dt.timedelta(days=int(i)) for i in r.integers(0, 30, N)]),
        "w": pa.array(r.integers(1, 9, N) / 4),
        "who": pa.array(r.integers(0, 300, N)),
    }


BEFORE, AFTER = pa.table(_columns(1, 0.0)), pa.table(_columns(2, 0.5))
COLUMNS = ["income", "age", "debt", "price", "region", "code", "member"]


def _same(found: Any, wanted: Any) -> None:
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert (a.column, a.decision, a.notes) == (b.column, b.decision, b.notes)
        assert [(c.name, c.reference, c.current) for c in a.cells] == [
            (c.name, c.reference, c.current) for c in b.cells
        ]
        assert a.index == pytest.approx(b.index, rel=1e-12, abs=1e-12)
        assert a.p_value == pytest.approx(b.p_value, rel=1e-9, abs=1e-12)
        assert a.bins.edges == b.bins.edges
    assert str(found) == str(wanted)


def _asked(before: Any, after: Any) -> None:
    given = {"columns": COLUMNS, "special": [-999.0]}
    _same(stability(before, after, **given), stability(BEFORE, AFTER, **given))
    by = {"columns": ["income", "region", "member"], "weight": "w", "unit": "who"}
    _same(stability(before, after, **by), stability(BEFORE, AFTER, **by))
    everything = stability(before, after)
    assert "day" not in {s.column for s in everything}
    # One side there, the other here.
    _same(stability(before, AFTER, **given), stability(BEFORE, AFTER, **given))


@pytest.mark.xdist_group("postgres")
def test_postgresql(postgres: Postgres) -> None:
    for name, table in {"before": BEFORE, "after": AFTER}.items():
        postgres.load(name, table)
    _asked(*(f"{postgres.reader_uri}&table={name}" for name in ("before", "after")))


@pytest.mark.xdist_group("spark")
def test_spark_connect(spark_connect: Any) -> None:
    _asked(*(spark_connect.createDataFrame(table) for table in (BEFORE, AFTER)))


@pytest.mark.xdist_group("spark")
def test_spark(spark: Any) -> None:
    """The cluster, once: the queries are those of Connect."""
    frames = [spark.createDataFrame(table).repartition(5) for table in (BEFORE, AFTER)]
    given = {"columns": COLUMNS, "special": [-999.0]}
    _same(stability(*frames, **given), stability(BEFORE, AFTER, **given))
