"""A frame of which two columns have one name is refused by every function, in a sentence that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.errors import UnreadableSource

ROWS = {"y": np.arange(40) % 2, "p": np.linspace(0, 1, 40), "t": [f"2024-01-{1 + i % 9:02d}" for i in range(40)]}
GOOD = pd.DataFrame(ROWS)


class _Model:
    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict(self, X: Any) -> Any:
        return X


CALLS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda d: sy.evaluate(d, target="y", score="p"),
    "table": lambda d: sy.table(d, query="select * from data"),
    "labels": lambda d: sy.table(GOOD, labels=d, on="t"),
    "compare": lambda d: sy.compare(d, target="y", score={"a": "p", "b": "y"}),
    "monitor": lambda d: sy.monitor(d, time="t", target="y", score="p", reference="first 3 windows"),
    "reference": lambda d: sy.monitor(GOOD, time="t", target="y", score="p", reference=d),
    "stability": lambda d: sy.stability(d, GOOD, column="p"),
    "stability of all columns": lambda d: sy.stability(GOOD, d),
    "timeliness": lambda d: sy.timeliness(d, unit="t", time="p", score="p", outcome="y", horizon=1),
    "trial": lambda d: sy.trial(d, group="y", control=0, outcome="p", unit="t"),
    "experiment": lambda d: sy.experiment({"a": _Model()}, d, "y"),
    "learning_curve": lambda d: sy.learning_curve(object(), d, "y"),
}


@pytest.mark.parametrize("name", CALLS)
def test_two_columns_of_one_name_are_refused(name: str) -> None:
    columns = ["y", "p", "p", "t"]
    twice = pd.concat([GOOD[["y", "p"]], GOOD[["p", "t"]]], axis=1)
    arrow = pa.table([pa.array(GOOD[c]) for c in columns], names=columns)
    for data in (twice, arrow):
        with pytest.raises(UnreadableSource, match='more than one column of the same name: "p"'):
            CALLS[name](data)
