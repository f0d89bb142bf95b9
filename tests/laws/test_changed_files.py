"""What was saved and then changed is refused, or read as if nothing had happened: no byte of it changes a number.

STEELYARD_FUZZ is how many places of each file are changed; a few by default.
"""

from __future__ import annotations

import base64
import json
import os
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError
from steelyard.evaluation import Evaluation
from steelyard.files.writing import write_saved
from steelyard.saved.adding import add_saved

PLACES = int(os.environ.get("STEELYARD_FUZZ", "25"))
N = 200
DAYS = [f"2024-01-{1 + i // 10:02d}" for i in range(N)]


def _rows() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, N)
    return {
        "y": y,
        "p": np.round(rng.random(N), 3),
        "x": rng.normal(size=N),
        "t": np.array(DAYS),
        "u": np.arange(N) // 4,
    }


def _monitor() -> Any:
    return sy.monitor(_rows(), time="t", target="y", score="p", window="day", reference="first 9 windows")


def _experiment(store: str | None = None) -> Any:
    from sklearn.linear_model import LogisticRegression

    rows = _rows()
    X = np.c_[rows["x"], rows["p"]]
    models = {"a": LogisticRegression(), "b": LogisticRegression(C=0.1)}
    return sy.experiment(models, X, rows["y"], design=sy.KFold(3), store=store)


SAVED: dict[str, Callable[[], Any]] = {
    "scores": lambda: sy.evaluate(_rows(), target="y", score="p"),
    "units": lambda: sy.evaluate(_rows(), target="y", score="p", unit="u", segment="y"),
    "labels": lambda: sy.evaluate(target=[0, 1, 1, 0] * 9, prediction=[0, 1, 0, 0] * 9),
    "numbers": lambda: sy.evaluate(_rows(), target="x", prediction="p"),
    "packed": lambda: sy.evaluate(target=np.arange(9000) % 2, score=np.arange(9000) / 9000),
    "timeliness": lambda: sy.timeliness(
        _rows() | {"y": np.arange(N) // 4 % 2}, unit="u", time="p", score="p", outcome="y", horizon=1
    ),
    "baseline": lambda: _monitor().baseline,
    "bins": lambda: sy.stability(_rows()["x"], _rows()["p"]).bins,
    "experiment": _experiment,
}


def _told(thing: Any) -> str:
    return json.dumps(thing.to_dict(), default=str, sort_keys=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SAVED)
def test_a_changed_byte_is_refused(name: str, tmp_path: Path) -> None:
    thing, path = SAVED[name](), tmp_path / "saved.json"
    thing.save(path)
    whole = path.read_bytes()
    right = _told(sy.load(path))
    rng = np.random.default_rng(len(whole))
    for place in rng.integers(0, len(whole), PLACES).tolist():
        for changed in (
            whole[:place] + bytes([whole[place] ^ (1 << int(rng.integers(8)))]) + whole[place + 1 :],
            whole[:place],
            whole[:place] + whole[place + 1 :],
        ):
            path.write_bytes(changed)
            try:
                assert _told(sy.load(path)) == right, f"{place:,} of {len(whole):,}"
            except SteelyardError:
                continue


@pytest.mark.filterwarnings("ignore")
def test_a_changed_store_is_refused_or_done_again(tmp_path: Path) -> None:
    store = str(tmp_path / "runs")
    right = _told(_experiment(store))
    files = sorted(p for p in Path(store).rglob("*") if p.suffix in {".json", ".parquet"})
    rng = np.random.default_rng(3)
    for i in range(max(PLACES // 3, len(files))):
        path = files[i % len(files)]
        whole = path.read_bytes()
        place = int(rng.integers(len(whole)))
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            loaded = sy.load(store)
            if loaded.done == loaded.total:
                assert _told(loaded) == right, path
            again = _experiment(store)
            assert _told(again) == right, path
        except SteelyardError:
            pass
        path.write_bytes(whole)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("counts", {"shape": [2, 2], "values": [18, -4, 10, 28]}),
        ("counts", {"shape": [2, 2], "values": [18, float("inf"), 10, 28]}),
        ("counts", {"shape": [2, 2], "values": [1, 1, 1, 1]}),
        ("counts", {"shape": [1, 4], "values": [9, 9, 9, 9]}),
        ("levels", [0, 0]),
        ("levels", [[0], [1]]),
        ("rows", -7),
        ("rows", 10**30),
        ("rows", 3.5),
        ("rows", "36"),
        ("weighting", "guessed"),
        ("positive", 7),
    ],
)
def test_counts_that_cannot_have_been_counted_are_refused(part: str, value: Any, tmp_path: Path) -> None:
    """Even where whoever changed them made a new seal."""
    content = SAVED["labels"]().to_dict()
    content["evidence"]["confusion"][part] = value
    with pytest.raises(SteelyardError):
        Evaluation.from_dict(content)
    if value not in [float("inf")] and "inf" not in str(value):
        write_saved(tmp_path / "e.json", content)
        with pytest.raises(SteelyardError):
            sy.load(tmp_path / "e.json")


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Of two values one would be lost, and nobody knows which is meant."""
    content = SAVED["labels"]().to_dict()
    content.pop("seal", None)
    text = json.dumps(content).replace('"rows":', '"rows": 5, "rows":', 1)
    (tmp_path / "e.json").write_text(text)
    with pytest.raises(SteelyardError, match='the name "rows" stands in one object twice'):
        sy.load(tmp_path / "e.json")


def test_scores_out_of_order_are_refused() -> None:
    content = SAVED["scores"]().to_dict()
    cells = content["evidence"]["scores"]["cells"]
    cells["low"]["values"][:2] = cells["low"]["values"][1::-1]
    with pytest.raises(SteelyardError, match="not in order"):
        Evaluation.from_dict(content)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"steelyard": 1, "evidence": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "9" * 5_000,
        '{"rows": ' + "9" * 5_000 + "}",
        "{}",
        "[]",
        "null",
        '{"steelyard experiment": 1, "cells": []}',
        '{"steelyard baseline": 1}',
        '{"steelyard bins": 1, "columns": 3}',
        '{"summary": {"kind": "timeliness"}}',
        '{"steelyard": null}',
        '{"seal": "x"}',
        "\0",
        "",
    ],
)
def test_whatever_else_is_in_a_file_ends_in_a_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    for read in (
        sy.load,
        lambda p: add_saved([str(p)]),
        lambda p: sy.monitor(_rows(), time="t", score="p", reference=p),
    ):
        with pytest.raises(SteelyardError):
            read(path)


def test_a_name_with_a_null_in_it_is_no_file() -> None:
    for read in (sy.load, lambda p: sy.evaluate(p, target="y", score="p"), lambda p: sy.table(p)):
        with pytest.raises(SteelyardError):
            read("a\0b.json" if read is sy.load else "a\0b.csv")


def test_little_that_unpacks_to_much_is_refused_before_it_does(tmp_path: Path) -> None:
    content = SAVED["packed"]().to_dict()
    bomb = base64.b64encode(zlib.compress(bytes(340 << 20), 9)).decode()
    content["evidence"]["scores"]["cells"]["low"] = {"shape": [340 << 17], "type": "<f8", "packed": bomb}
    write_saved(tmp_path / "bomb.json", content)
    assert (tmp_path / "bomb.json").stat().st_size < 2_000_000
    tracemalloc.start()
    with pytest.raises(SteelyardError, match="unpack"):
        sy.load(tmp_path / "bomb.json")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 50_000_000


def test_a_table_that_unpacks_to_more_than_it_says_is_refused(tmp_path: Path) -> None:
    content = SAVED["packed"]().to_dict()
    more = base64.b64encode(zlib.compress(bytes(100 << 20), 9)).decode()
    content["evidence"]["scores"]["cells"]["low"] = {"shape": [9000], "type": "<f8", "packed": more}
    write_saved(tmp_path / "bomb.json", content)
    with pytest.raises(SteelyardError):
        sy.load(tmp_path / "bomb.json")


def test_a_file_changed_by_hand_says_so(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    SAVED["labels"]().save(path)
    path.write_text(json.dumps(json.loads(path.read_text()), indent=1))
    with pytest.raises(SteelyardError, match="was changed after it was saved"):
        sy.load(path)


def test_saving_twice_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        SAVED["units"]().save(tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text())["steelyard"]
