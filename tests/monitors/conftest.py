"""Streams of predictions to watch: one of a good model, one of a model that wears out and comes back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from steelyard.monitors.monitor import monitor
from steelyard.monitors.result import Monitor

DAYS, A_DAY = 40, 400


def stream(seed: int = 1, days: int = DAYS, a_day: int = A_DAY, bad: slice | None = None) -> pd.DataFrame:
    """Rows of a good model; on bad days its scores say nothing."""
    rng = np.random.default_rng(seed)
    n = days * a_day
    day = np.repeat(np.arange(days), a_day)
    x = rng.normal(size=n)
    chance = 1 / (1 + np.exp(-(1.8 * x - 0.8)))
    worn = np.isin(day, np.arange(days)[bad]) if bad is not None else np.zeros(n, dtype=bool)
    y = (rng.random(n) < np.where(worn, chance.mean(), chance)).astype(int)
    when = (
        pd.Timestamp("2024-03-01")
        + pd.to_timedelta(day, unit="D")
        + pd.to_timedelta(rng.uniform(0, 86_399, n), unit="s")
    )
    city = rng.choice(["Oslo", "Rome", "Bonn"], n)
    return pd.DataFrame(
        {
            "when": when.floor("s"),
            "y": y,
            "p": chance,
            "guess": (chance > 0.5).astype(int),
            "x": x,
            "city": city,
            "w": 1 + day % 3,
        }
    )


@pytest.fixture(scope="module")
def calm() -> pd.DataFrame:
    return stream()


@pytest.fixture(scope="module")
def worn() -> pd.DataFrame:
    return stream(3, bad=slice(20, 30))


def watch(data: Any, **given: Any) -> Monitor:
    given = {"time": "when", "target": "y", "score": "p", "reference": "first 10 windows"} | given
    return monitor(data, **given)


def states(m: Monitor, signal: str) -> list[str]:
    return [w.state_of(signal) for w in m.windows]


# ---- the numbers


def late_labels(rows: pd.DataFrame, seed: int = 5) -> pd.DataFrame:
    """Negatives are known after ten days or more, positives soon: what comes first is not like the rest."""
    rng = np.random.default_rng(seed)
    hard = rows["y"] == (rows["p"] < 0.5)
    delay = np.where(hard, rng.exponential(1, len(rows)), 9 + rng.exponential(2, len(rows)))
    known = rows["when"] + pd.to_timedelta(delay, unit="D")
    there = known <= rows["when"].max()
    return rows.assign(known=known.where(there), y=rows["y"].where(there))
