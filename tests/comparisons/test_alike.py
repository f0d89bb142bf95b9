"""Of many rows those that are alike are brought to a comparison once, and it says what all rows say."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.comparisons.pairing import SameRows
from steelyard.errors import MissingValues
from steelyard.sources import bringing, fetching

FRONT_DOOR = importlib.import_module("steelyard.compare")
"""The module, which has the name of its function."""


@pytest.mark.parametrize("shape", ["scores", "labels", "numbers", "classes"])
def test_rows_that_are_alike_come_once(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many rows only those that differ are fetched; what is said is what all rows say."""
    rng = np.random.default_rng(6)
    n = 3000
    truth = rng.choice(["a", "b", "c"], n)
    frame = pd.DataFrame({"y": (truth == "a").astype(int), "k": truth, "dose": rng.integers(0, 9, n) / 2})
    for name, hit in (("one", 0.8), ("two", 0.7)):
        said = np.where(rng.random(n) < hit, truth, rng.choice(["a", "b", "c"], n))
        frame[f"{name} said"] = said
        frame[f"{name} score"] = np.round(0.2 + 0.5 * (said == "a") + rng.random(n) * 0.3, 2)
        frame[f"{name} dose"] = frame["dose"] + rng.integers(-2, 3, n) * (2 - hit)
        for level in "abc":
            frame[f"{name} {level}"] = np.where(said == level, 0.6, 0.2)
    frame.to_parquet(tmp_path / "rows.parquet")
    calls: dict[str, dict[str, Any]] = {
        "scores": {"target": "y", "score": {m: f"{m} score" for m in ("one", "two")}, "profit": sy.Profit(tp=5, fp=-2)},
        "labels": {"target": "k", "prediction": {m: f"{m} said" for m in ("one", "two")}},
        "numbers": {"target": "dose", "prediction": {m: f"{m} dose" for m in ("one", "two")}},
        "classes": {"target": "k", "score": {m: {k: f"{m} {k}" for k in "abc"} for m in ("one", "two")}},
    }
    want = sy.compare(frame, **calls[shape])
    monkeypatch.setattr(bringing, "MANY", 1000)
    brought: list[int] = []
    pairs = SameRows.__init__
    monkeypatch.setattr(SameRows, "__init__", lambda s, e, t, *rest: (brought.append(len(t)), pairs(s, e, t, *rest))[1])
    found = sy.compare(tmp_path / "rows.parquet", **calls[shape])
    assert brought[0] < n
    for a, b in zip(found.rows_as_dicts(), want.rows_as_dicts(), strict=True):
        drawn = "bootstrap" in (b["method"] or "")
        assert a["verdict"] == b["verdict"] and a["difference"] == pytest.approx(b["difference"], abs=1e-9)
        assert (a["low"], a["high"]) == pytest.approx((b["low"], b["high"]), abs=0.004 if drawn else 1e-9), a["method"]
    assert found.evaluations["one"].rows == n
    for name in ("one score", "one dose", "one said", "one a"):
        frame.loc[::100, name] = None
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(MissingValues, match="30 of 3,000 rows"):
        sy.compare(tmp_path / "rows.parquet", **calls[shape])
    assert sy.compare(tmp_path / "rows.parquet", **calls[shape], missing="drop").pairing.dropped == 30


def test_rows_too_many_to_come_are_counted_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more rows differ than one machine should hold, each is a unit of its own: nearly the interval of rows at hand."""
    rng = np.random.default_rng(7)
    n = 12_000
    x = rng.normal(size=n)
    frame = pd.DataFrame(
        {"id": np.arange(n), "y": (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int), "w": rng.integers(1, 4, n)}
    )
    for name, noise in (("good", 1.0), ("poor", 1.5)):
        frame[name] = 1 / (1 + np.exp(-x - noise * rng.normal(size=n)))
    monkeypatch.setattr("steelyard.sources.tables.Table.fetch", lambda *_: pytest.fail("a row was fetched"))
    frame.to_parquet(tmp_path / "rows.parquet")
    for module in (bringing, FRONT_DOOR, fetching):
        monkeypatch.setattr(module, "MOST", 1000)
    monkeypatch.setattr(bringing, "MANY", 100)
    monkeypatch.setattr(fetching, "MOST_ALIKE", 100)
    call: dict[str, Any] = {
        "target": "y",
        "score": {"poor": "poor", "good": "good"},
        "measures": ["auc", "brier", "accuracy"],
    }
    for more in ({}, {"unit": "id"}, {"weight": "w"}):
        there, here = sy.compare(tmp_path / "rows.parquet", **call, **more), sy.compare(frame, **call, **more)
        assert "buckets" in there.pairing.words
        for name in call["measures"]:
            a, b = (c.difference(name, "good", "poor") for c in (there, here))
            assert a.value == pytest.approx(b.value, abs=2e-5)
            assert (a.high - a.low) / (b.high - b.low) == pytest.approx(1, abs=0.15), (name, more)
    assert (
        sy.compare(tmp_path / "rows.parquet", **call)
        .pairing.notes()[0]
        .startswith("Rows that are alike count as one unit")
    )
    frame.loc[::100, "good"] = np.nan
    frame.loc[5::100, "poor"] = None
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(MissingValues, match="120"):
        sy.compare(tmp_path / "rows.parquet", **call)
    there, here = (sy.compare(x, **call, missing="drop") for x in (tmp_path / "rows.parquet", frame))
    assert there.evaluations["poor"].rows == n - 240
    assert there.difference("auc", "good", "poor").value == pytest.approx(
        here.difference("auc", "good", "poor").value, abs=2e-5
    )
