"""Weights of any kind: a row of weight zero is no row, and what cannot be multiplied is refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy


def _table(rng: Any, n: int = 80) -> pd.DataFrame:
    y = (rng.random(n) < 0.4).astype(int)
    table = pd.DataFrame({"y": y, "p": rng.random(n).round(3), "w": rng.integers(0, 3, n).astype(float), "g": y % 2})
    # What a row of weight zero holds does not matter, be it missing or a level of its own.
    table.loc[table.index[table.w == 0][::2], "p"] = np.nan
    return table


@pytest.mark.parametrize("weights", ["sampling", "frequency"])
def test_a_row_of_weight_zero_is_no_row_in_any_engine(rng: Any, tmp_path: Path, weights: str) -> None:
    table = _table(rng)
    kept = table[table.w > 0]
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    roles: dict[str, Any] = {"target": "y", "score": "p", "weight": "w", "weights": weights}
    right = sy.evaluate(kept, **roles)
    ways = [table, pl.from_pandas(table), pl.from_pandas(table).lazy(), pa.Table.from_pandas(table)]
    for way in (*ways, str(tmp_path / "t.csv"), str(tmp_path / "t.parquet")):
        e = sy.evaluate(way, **roles)
        assert e == right and e.rows == len(kept) and not e.facts["dropped"]
    arrays = sy.evaluate(
        target=table.y.to_numpy(), score=table.p.to_numpy(), weight=table.w.to_numpy(), weights=weights
    )
    assert arrays == right


def test_a_level_of_weight_zero_is_none_and_neither_is_a_segment() -> None:
    e = sy.evaluate(
        target=["a", "b", "c"], prediction=["a", "a", "a"], weight=[1, 1, 0], segment=["x", "x", "y"], positive="a"
    )
    assert e.levels == ("a", "b") and list(e.segments) == ["x"]
    numbers = sy.evaluate(target=[1.5, 2.5, 1e300], prediction=[1.0, 3.0, -1e300], weight=[1, 1, 0])
    assert numbers["mae"].value == 0.5


@pytest.mark.parametrize("size", [1e155, 1e300, 1e-170])
@pytest.mark.parametrize("weights", ["sampling", "frequency"])
def test_weights_too_large_or_small_are_refused(size: float, weights: str) -> None:
    with pytest.raises(sy.errors.BadWeight) as found:
        sy.evaluate(target=[0, 1, 1, 0], score=[0.1, 0.2, 0.3, 0.4], weight=[size] * 4, weights=weights)
    assert found.value.hint


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e-82, 1e-60, 1e-20, 1.0, 1e20, 1e60, 1e82, 1e200, 1e300])
def test_numbers_of_any_size_are_right_or_refused(rng: Any, scale: float) -> None:
    t, p = rng.normal(size=40), rng.normal(size=40)
    plain = sy.evaluate(target=t, prediction=p)
    try:
        e = sy.evaluate(target=t * scale, prediction=p * scale)
    except sy.errors.NotNumeric:
        assert not 1e-60 <= scale <= 1e60
        return
    for name in ("rmse", "mae", "r2", "correlation"):
        x, y = e[name], plain[name]
        unit = scale if name in {"rmse", "mae"} else 1.0
        for part in ("value", "low", "high"):
            assert getattr(x, part) == pytest.approx(getattr(y, part) * unit, rel=1e-6), name
        assert x.low < x.high
