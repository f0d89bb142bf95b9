"""The rows that are asked about, and what it is to be refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError

Y = [1, 0] * 30
P = [0.9, 0.2, 0.7, 0.4, 0.3, 0.6] * 10


def refused(*calls: Callable[[], Any], match: str = ".") -> None:
    for i, call in enumerate(calls):
        with pytest.raises(SteelyardError, match=match):
            pytest.fail(f"call {i} was answered with {call()}")


def days(n: int = 3000, day: int = 100) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    y = (rng.random(n) < 0.4).astype(int)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n) // day, unit="D")
    return pd.DataFrame(
        {"when": when, "y": y, "p": np.clip(0.25 * y + 0.7 * rng.random(n), 0, 1), "x": rng.normal(size=n)}
    )


def watched(rows: pd.DataFrame, **more: Any) -> Any:
    given = {"time": "when", "target": "y", "score": "p", "window": "day", "reference": "first 10 windows"}
    return sy.monitor(rows, **(given | more))
