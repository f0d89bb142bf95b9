"""Very many rows on a GPU: its compiled loop, run here by an interpreter, and the sort by level, give what arrays give."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.counting import rules
from steelyard.engines import devices, one_pass, tensors

from .alike import alike

torch = pytest.importorskip("torch")
ROWS = 3000
INTERPRETED = "TRITON_INTERPRET" in os.environ
"""Triton looks once, when it is imported; so these tests are run in a process of their own, which this says."""


def _scores() -> dict[str, Any]:
    draw = np.random.default_rng(3)
    x = draw.normal(size=ROWS)
    return {
        "probabilities": 1 / (1 + np.exp(-x)),
        "two digits": np.round(1 / (1 + np.exp(-x)), 2),
        "log-odds": x * 100,
        "below zero": -np.abs(x),
        "far apart": np.exp(2.5 * x),
        "one value": np.full(ROWS, 0.3),
        "zeros of both signs": np.where(x < 0, -0.0, x),
    }


def _targets(truth: Any) -> dict[str, Any]:
    return {"bool": truth, "uint8": truth.to(torch.uint8), "float32": truth.float(), "from 4": truth.long() + 4}


@pytest.fixture(autouse=True)
def _many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few rows are treated as very many are, and tensors of the host as on a device."""
    monkeypatch.setattr(devices, "DEVICES", {"cpu"})
    monkeypatch.setattr(tensors, "MANY", 10)
    monkeypatch.setattr(rules, "EXACT_ROWS", 10)
    if not INTERPRETED:
        monkeypatch.setattr(one_pass, "compiles", lambda torch: False)


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("exact", [False, True], ids=["grid", "exact"])
@pytest.mark.parametrize("name", _scores())
def test_the_same_as_arrays(name: str, exact: bool, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    score = torch.from_numpy(_scores()[name]).to(getattr(torch, kind))
    truth = torch.from_numpy(np.random.default_rng(5).random(ROWS) < 0.3)
    went: list[bool] = []
    counts = one_pass.score_cells

    def seen(*args: Any, **kwargs: Any) -> Any:
        found = counts(*args, **kwargs)
        went.append(found is not None)
        return found

    monkeypatch.setattr(one_pass, "score_cells", seen)
    targets = _targets(truth) if name == "probabilities" else {"bool": truth}
    for label, target in targets.items():
        positive = 5 if label == "from 4" else None
        call = {"positive": positive, "exact": exact, "threshold": 0.3}
        found = sy.evaluate(target=target, score=score, **call)
        alike(found, sy.evaluate(target=target.numpy(), score=score.double().numpy(), **call))
    assert went == [exact or INTERPRETED] * len(targets)


@pytest.mark.parametrize("kind", ["float64", "float32", "bfloat16"])
def test_an_exact_area_leaves_its_table_on_the_device(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_pass, "CELLS", 700)
    monkeypatch.setattr("steelyard.intervals.placements.GROUPS", 50)
    score = torch.from_numpy(_scores()["probabilities"]).to(getattr(torch, kind))
    truth = torch.rand(ROWS) < score.double() ** 2
    moved: list[int] = []
    fetch = one_pass.fetch
    monkeypatch.setattr(one_pass, "fetch", lambda xp, values: moved.append(values.numel()) or fetch(xp, values))
    found = sy.evaluate(target=truth, score=score, exact=True)
    wanted = sy.evaluate(target=truth.numpy(), score=score.double().numpy(), exact=True)
    for name in ("auc", "gini"):
        one, other = found[name], wanted[name]
        assert [one.value, one.low, one.high] == pytest.approx([other.value, other.low, other.high], rel=1e-12)
    assert found.scores is not None and found.scores.cells.rows_in_order is not None
    assert sum(moved) < 200 < len(found.scores.cells.low)
    assert sum(moved) > 200, "its columns come when they are looked at"
    alike(found, wanted)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
@pytest.mark.parametrize("exact", [False, True])
def test_rows_that_cannot_be_used_are_told_as_ever(wrong: float, exact: bool) -> None:
    score = torch.rand(ROWS)
    score[7] = wrong
    truth = torch.rand(ROWS) < 0.3
    with pytest.raises(sy.errors.MissingValues, match="1 with"):
        sy.evaluate(target=truth, score=score, exact=exact)
    found = sy.evaluate(target=truth, score=score, exact=exact, missing="drop")
    assert found["auc"].n == ROWS - 1


@pytest.mark.parametrize("levels", [[0, 1, 2], [0, 2], [0.5, 1.5]])
def test_other_levels_go_the_ordinary_way(levels: list[float]) -> None:
    target = torch.tensor(levels)[torch.randint(len(levels), (ROWS,))]
    score = torch.rand(ROWS)
    if len(levels) == 2:
        found, wanted = (
            sy.evaluate(target=t, score=s, positive=levels[1])
            for t, s in ((target, score), (target.numpy(), score.double().numpy()))
        )
        alike(found, wanted)
    else:
        with pytest.raises(sy.errors.BadLevels):
            sy.evaluate(target=target, score=score)


@pytest.mark.skipif(INTERPRETED, reason="this is the process that interprets")
def test_the_loop_of_the_device() -> None:
    pytest.importorskip("triton")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", __file__]
    done = subprocess.run(command, env=os.environ | {"TRITON_INTERPRET": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
