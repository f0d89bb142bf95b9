"""Two models that differ on a handful of rows are not told apart, by whatever measure they are asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy

N = 500
Y = np.arange(N) % 2
CLASSES = np.arange(N) % 3


def given(kind: str, apart: int) -> dict[str, Any]:
    wrong = np.isin(np.arange(N), 5 * np.arange(apart))
    if kind == "scores":
        return {
            "target": Y,
            "score": {"a": 0.05 + 0.9 * Y, "b": np.where(wrong, 0.95 - 0.9 * Y, 0.05 + 0.9 * Y)},
            "positive": 1,
        }
    if kind == "labels":
        return {"target": Y, "prediction": {"a": Y, "b": np.where(wrong, 1 - Y, Y)}, "positive": 1}
    if kind == "classes":
        other = np.where(wrong, (CLASSES + 1) % 3, CLASSES)
        score = {m: {k: np.where(x == k, 0.98, 0.01) for k in range(3)} for m, x in (("a", CLASSES), ("b", other))}
        return {"target": CLASSES, "score": score}
    noise = np.sin(np.arange(N))
    return {
        "target": np.arange(N) + 0.0,
        "prediction": {"a": np.arange(N) + noise, "b": np.arange(N) + noise + 9 * wrong},
    }


MEASURES = {
    "scores": ["brier", "log_loss", "accuracy", "f1", "kappa", "ece"],
    "labels": ["accuracy", "f1", "mcc"],
    "classes": ["log_loss", "brier"],
    "numbers": ["mae", "rmse", "r2"],
}


@pytest.mark.parametrize("kind", MEASURES)
def test_four_rows_do_not_tell_two_models_apart(kind: str) -> None:
    """All four on one side come once in eight times; accuracy said "too few", Brier score "better", RMSE with p = 0.004."""
    c = sy.compare(**given(kind, 4), measures=MEASURES[kind])
    for measure in MEASURES[kind]:
        d = c.difference(measure, "a", "b")
        assert d.verdict == "too few cases to say", measure
        assert d.caution == "rests on 4 rows that tell them apart", measure


@pytest.mark.parametrize("kind", MEASURES)
def test_forty_rows_do(kind: str) -> None:
    c = sy.compare(**given(kind, 40), measures=MEASURES[kind])
    assert c.difference(MEASURES[kind][0], "a", "b").verdict == "better"


def test_rows_of_one_unit_count_once() -> None:
    c = sy.compare(**given("numbers", 40), unit=np.arange(N) // 50, measures=["mae"])
    assert c.difference("mae", "a", "b").caution == "rests on 4 units that tell them apart"
