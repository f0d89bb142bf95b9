"""The page that says which table can do what is held against what they do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.engines import served

import steelyard as sy
from steelyard.engines import devices
from steelyard.engines.engine import ABILITIES, engines
from steelyard.sources.abilities import PLACES

N = 240


def _rows() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    p = rng.random(N)
    return pd.DataFrame(
        {
            "id": np.arange(N),
            "y": (rng.random(N) < p).astype(int),
            "p": p,
            "q": np.clip(p + rng.normal(0, 0.1, N), 0, 1),
            "w": rng.random(N) + 0.5,
            "s": rng.choice(["north", "south"], N),
            "name": [f"customer {i // 4}" for i in range(N)],
            "day": rng.random(N) * 9,
            "left": [int(i // 4 % 3 == 0) for i in range(N)],
        }
    )


def _sqlite(frame: pd.DataFrame, folder: Path) -> str:
    path = folder / "rows.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        frame.to_sql("rows", connection, index=False)
    connection.close()
    return str(path)


def _other(frame: pd.DataFrame, folder: Path) -> Any:
    import ibis

    return ibis.polars.connect({"rows": pl.from_pandas(frame)}).table("rows")


def _parquet(frame: pd.DataFrame, folder: Path) -> str:
    frame.to_parquet(folder / "rows.parquet")
    return str(folder / "rows.parquet")


HOLD: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "memory": lambda frame, _: frame,
    "files": _parquet,
    "duckdb": lambda frame, _: duckdb.from_df(frame),
    "sqlite": _sqlite,
    "postgresql": lambda frame, folder: served.serve("postgresql", pa.Table.from_pandas(frame), folder),
    "spark": lambda frame, folder: served.serve("spark", pa.Table.from_pandas(frame), folder),
    "polars lazy": lambda frame, _: pl.from_pandas(frame).lazy(),
    "other frames": _other,
}
HOLD |= {
    name: lambda frame, _, e=e: e.made({k: frame[k].tolist() for k in frame}) for name, e in engines().items() if e.made
}
SCORES = {"target": "y", "score": "p"}
TRY: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda data: sy.evaluate(data, **SCORES, weight="w", segment="s")["auc"].value,
    "units": lambda data: sy.evaluate(data, **SCORES, unit="name")["auc"].low,
    "timeliness": lambda data: (
        sy.timeliness(data, unit="name", time="day", score="p", outcome="left", horizon=10)["q"].value
    ),
    "stability": lambda data: sy.stability(data, data, column="p").index,
    "labels": lambda data: sy.evaluate(data, labels=data, on="id", target="labels.y", score="data.p")["auc"].value,
    "rows": lambda data: sy.compare(data, target="y", score={"a": "p", "b": "q"}).difference("auc", "a", "b").value,
}


def test_every_ability_is_tried() -> None:
    assert list(TRY) == list(ABILITIES)
    assert set(HOLD) | {"device"} == set(PLACES)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option is deprecated")  # Ibis asks pandas for it
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, marks=pytest.mark.xdist_group(served.PLACES[place][1])) if place in served.PLACES else place
        for place in HOLD
    ],
)
def test_a_table_can_do_what_the_page_says(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    served.start(place, request)
    frame = _rows()
    data = HOLD[place](frame, tmp_path)
    for ability, run in TRY.items():
        if ability in PLACES[place].can:
            assert run(data) == pytest.approx(run(frame), rel=1e-9, abs=1e-12), ability
        else:
            with pytest.raises(sy.errors.SteelyardError) as refused:
                run(data)
            assert refused.value.hint, ability


def test_tensors_are_evaluated_with_units_of_any_kind() -> None:
    torch = pytest.importorskip("torch")
    frame = _rows()
    tensors = {
        name: torch.tensor(frame[name].tolist(), dtype=torch.float64 if name != "y" else torch.int64)
        for name in ("y", "p", "w")
    }
    words = {"segment": frame["s"].tolist(), "unit": frame["name"].tolist()}
    wanted = sy.evaluate(target=frame["y"], score=frame["p"], weight=frame["w"], **words)
    with patch.object(devices, "DEVICES", {"cpu"}):
        found = sy.evaluate(target=tensors["y"], score=tensors["p"], weight=tensors["w"], **words)
    assert found == wanted
