"""Pairs of prediction and error are the same table in every engine, distinct or in cells."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.engines import batches

from .alike import alike
from .forms import Col, evaluate

N = 400
FORMS = ("arrays", "pandas nullable", "polars", "polars lazy", "arrow", "duckdb", "csv", "parquet", "glob")


def _table() -> dict[str, Col]:
    rng = np.random.default_rng(8)
    amount = np.where(rng.random(N) < 0.1, 10 ** rng.uniform(-9, 12, N) * rng.choice([-1, 1], N), rng.normal(50, 20, N))
    forecast = amount + rng.choice([0.0, -0.0, 0.25, 1.0, -4.0, 1e6, *rng.normal(0, 5, 40)], N)
    # Ends of steps, above and below zero.
    amount[:12] = 0.0
    forecast[:12] = [0.0, -0.0, 1.0, -1.0, 8.0, -8.0, 16.0, -16.0, 2.0**40, -(2.0**40), 2.0**-40, -(2.0**-40)]
    return {
        "amount": Col("float", amount.tolist()),
        "forecast": Col("float", forecast.tolist()),
        "weight": Col("float", (rng.integers(1, 9, N) / 4).tolist()),
        "customer": Col("int", rng.integers(0, 60, N).tolist()),
        "region": Col("text", rng.choice(["north", "south", "Ünder"], N, p=[0.7, 0.28, 0.02]).tolist()),
    }


TABLE = _table()


@cache
def _wanted(most: int, roles: tuple[tuple[str, str], ...]) -> sy.Evaluation:
    """Of the plainest form, at a number of cells that the test has set."""
    return evaluate("lists", TABLE, Path(), dict(roles))


@pytest.mark.parametrize("most", [40, 100])
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_cells_of_pairs(form: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.counting.numbers.FEW_PAIRS", 30)
    monkeypatch.setattr("steelyard.counting.numbers.MOST", most)
    monkeypatch.setattr("steelyard.summaries.pairs.MOST", most)
    monkeypatch.setattr(batches, "BATCH", 150)
    for by in (
        {},
        {"weight": "weight"},
        {"segment": "region", "unit": "customer"},
        {"segment": "region", "weight": "weight"},
    ):
        roles = {"target": "amount", "prediction": "forecast", **by}
        found, wanted = evaluate(form, TABLE, tmp_path, roles), _wanted(most, tuple(roles.items()))
        assert wanted.residuals is not None
        assert wanted.residuals.pairs is not None
        assert not wanted.residuals.pairs.exact
        assert most / 4 < len(wanted.residuals.pairs) <= most
        alike(found, wanted)


def test_missing_values_leave_no_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.counting.numbers.FEW_PAIRS", 30)
    monkeypatch.setattr("steelyard.counting.numbers.MOST", 40)
    monkeypatch.setattr("steelyard.summaries.pairs.MOST", 40)
    gaps: dict[str, Any] = {
        **TABLE,
        "forecast": Col("float", [None if i % 7 == 0 else v for i, v in enumerate(TABLE["forecast"].values)]),
    }
    roles = {"target": "amount", "prediction": "forecast"}
    kept = {k: Col(c.kind, [v for i, v in enumerate(c.values) if i % 7]) for k, c in TABLE.items()}
    wanted = evaluate("lists", kept, tmp_path, roles)
    for form in ("arrays", "polars lazy", "duckdb"):
        found = evaluate(form, gaps, tmp_path, roles, missing="drop")
        assert found.evidence == wanted.evidence


def test_many_rows_of_a_file(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(9)
    t = np.exp(rng.normal(3, 1, 120_000))
    rows = {"t": t, "p": t * np.exp(rng.normal(0, 0.3, 120_000))}
    pq.write_table(pa.table(rows), tmp_path / "rows.parquet")
    found = sy.evaluate(tmp_path / "rows.parquet", target="t", prediction="p").residuals
    wanted = sy.evaluate(target=rows["t"], prediction=rows["p"]).residuals
    assert found is not None
    assert wanted is not None
    assert found.pairs == wanted.pairs
