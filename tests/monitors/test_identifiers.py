"""Identifiers, numbers among them, and keys of labels are left out of all features with a word why; honest numbers stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli.program import run

from .conftest import stream, watch

ROWS = stream(days=20, a_day=150)
N = len(ROWS)
R = np.random.default_rng(2)
ORDER = ROWS["when"].rank(method="first").to_numpy().astype(int)

IDENTIFIERS: dict[str, Any] = {
    "one after the other": ORDER,
    "of a shuffled list": R.permutation(N) + 5_000_000,
    "with gaps": np.sort(R.choice(20 * N, N, replace=False))[ORDER - 1],
    "far apart, made from the time": ORDER * 4_194_304 + R.integers(0, 4096, N),
    "as decimals": ORDER.astype(float),
    "with a few rows twice": np.where(np.arange(N) % 200 == 0, np.roll(ORDER, 1), ORDER),
    "in text": [f"c{i}" for i in ORDER],
}
FEATURES: dict[str, Any] = {
    "cents": np.rint(100 * R.lognormal(5, 1, N)).astype(int),
    "since when": R.integers(1_500_000_000, 1_700_000_000, N),
    "age": R.integers(18, 90, N),
    "income": R.lognormal(10, 1, N),
    "day of the month, each as often": np.arange(N) % 31,
    "hashed": R.integers(0, 2**62, N),
    "constant": np.full(N, 7),
    "rows of the day": ORDER % 150,
}


@pytest.mark.parametrize("kind", IDENTIFIERS)
def test_identifiers_are_left_out_with_a_word_and_watched_when_named(kind: str) -> None:
    rows = ROWS[["when", "y", "p"]].assign(id=IDENTIFIERS[kind], age=FEATURES["age"])
    m = watch(rows, features="all")
    assert m.signals == ("volume", "auc", "p", "age") and m.state == "ok"
    assert any(n.startswith('Not watched: "id": ') for n in m.notes)
    assert "id" in watch(rows, features=["id"]).signals


@pytest.mark.parametrize("kind", FEATURES)
def test_honest_numbers_are_watched(kind: str) -> None:
    rows = ROWS[["when", "y", "p"]].assign(x=FEATURES[kind])
    assert "x" in watch(rows, features="all").signals


@pytest.mark.parametrize("form", ["frame", "file"])
def test_stability_of_all_columns_leaves_them_out_too(form: str, tmp_path: Path) -> None:
    rows = pd.DataFrame(
        {"id": IDENTIFIERS["of a shuffled list"], **{k: FEATURES[k] for k in ("cents", "age", "since when")}}
    )
    rows.to_parquet(tmp_path / "t.parquet")
    data = rows if form == "frame" else tmp_path / "t.parquet"
    s = sy.stability(data, data)
    assert sorted(s.columns) == ["age", "cents", "since when"]
    assert any(text.startswith('"id": whole numbers') for text in s.left_out)
    assert "id" in sy.stability(data, data, columns=["id"]).columns


def test_the_key_by_which_labels_are_found_is_no_feature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A key that repeats, so that nothing but its part tells that it is one.
    rows = ROWS[["when", "p", "x"]].assign(key=[f"k{i % 40}" for i in range(N)], day=ORDER % 7)
    rows = rows.assign(key=rows["key"] + "/" + rows["day"].astype(str), case=np.arange(N))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    ROWS[["y"]].assign(case=np.arange(N)).to_csv(tmp_path / "labels.csv", index=False)
    call = [
        "monitor",
        str(tmp_path / "rows.csv"),
        "--labels",
        str(tmp_path / "labels.csv"),
        "--on",
        "case",
        "--time",
        "when",
    ]
    call += ["--target", "y", "--score", "p", "--features", "all", "--reference", "first:10", "--fail-on", "alarm"]
    assert run(call) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert 'Not watched: "case": labels are found by it' in told
    joined = sy.table(str(tmp_path / "rows.csv"), labels=str(tmp_path / "labels.csv"), on="case")
    assert "case" not in sy.stability(joined, joined).columns
