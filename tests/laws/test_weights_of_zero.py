"""Rows of weight zero count as nothing, whatever else they hold, wherever rows have weights."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy

R = np.random.default_rng(4)
N = 240
FRAME = pd.DataFrame(
    {
        "y": R.integers(0, 2, N),
        "p": R.random(N),
        "q": R.random(N),
        "x": R.normal(0, 1, N),
        "s": R.choice(list("abc"), N),
        "day": pd.date_range("2026-01-05", periods=N, freq="12h"),
        "w": np.where(np.arange(N) % 4, R.choice([1.0, 2.0], N), 0.0),
    }
)


def _numbers(e: Any) -> Any:
    return [(x.measure, x.value, x.low, x.high) for x in e.rows_of_numbers()]


def _model(f: pd.DataFrame) -> Any:
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression().fit(FRAME[["x"]], FRAME["y"])
    return _numbers(sy.evaluate_model(fitted, f[["x"]], f["y"], weight=f["w"]))


def _experiment(f: pd.DataFrame) -> Any:
    x = sy.experiment(["tree"], f[["x"]], f["y"], weight=f["w"], design=sy.KFold(3), seed=1, progress=False)
    return _numbers(x["tree"])


def _compared(f: pd.DataFrame) -> Any:
    d = sy.compare(f, target="y", score={"one": "p", "two": "q"}, weight="w").difference("auc", "one", "two")
    return d.value, d.low, d.high, d.p_value


def _monitored(f: pd.DataFrame) -> Any:
    m = sy.monitor(f, time="day", target="y", score="p", weight="w", window="week", reference=6)
    told = m.frame()
    # The volume is of the rows that came, whatever they weigh.
    return told.loc[told["kind"] != "volume", ["window", "signal", "value", "low", "high", "state"]].to_dict("list")


ASKED: Mapping[str, Callable[[pd.DataFrame], Any]] = {
    "evaluate": lambda f: _numbers(sy.evaluate(f, target="y", score="p", weight="w")),
    "evaluate_model": _model,
    "compare": _compared,
    "experiment": _experiment,
    "monitor": _monitored,
    "slices": lambda f: str(sy.slices(f, target="y", score="p", weight="w", columns=["s"])),
    "stability": lambda f: sy.stability(FRAME["x"], f["x"] + 0.3, weight=(FRAME["w"] + 1, f["w"])).corrected.value,
}


@pytest.mark.parametrize("name", ASKED)
def test_rows_of_weight_zero_count_as_nothing(name: str) -> None:
    without = FRAME[FRAME["w"] > 0].reset_index(drop=True)
    assert str(ASKED[name](FRAME)) == str(ASKED[name](without))


def test_every_function_that_takes_weights_is_asked() -> None:
    public = {name: getattr(sy, name) for name in sy.__all__ if inspect.isfunction(getattr(sy, name))}
    weighted = {name for name, f in public.items() if "weight" in inspect.signature(f).parameters}
    assert weighted <= set(ASKED)
