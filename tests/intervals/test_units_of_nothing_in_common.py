"""The law of units of which the rows have nothing in common: each number keeps, about, the interval of rows alone.

The whole catalogue is asked. Averages over classes are left out: without units their parts are taken to agree, with units they
are seen together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import steelyard as sy

UNITS, ROWS = 300, 20
AVERAGES = {"macro", "micro", "weighted"}
WIDE = {"hand_till_auc"}
"""Bounded from above without units."""


def given(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    n = UNITS * ROWS
    if kind == "scores":
        p = expit(1.5 * rng.normal(size=n) - 1)
        return {"target": (rng.random(n) < p).astype(int), "score": p, "positive": 1}
    if kind == "numbers":
        y = 1 + rng.gamma(3, 1, n)
        return {"target": y, "prediction": y * np.exp(rng.normal(0, 0.3, n))}
    y = rng.integers(0, 3, n)
    if kind == "labels":
        return {"target": y, "prediction": np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))}
    odds = np.exp(rng.normal(size=(n, 3)) + np.eye(3)[y])
    return {"target": y, "score": odds / odds.sum(axis=1, keepdims=True), "levels": [0, 1, 2]}


@pytest.mark.parametrize("kind", ["scores", "numbers", "labels", "classes"])
def test_units_of_rows_that_err_alone_are_as_sure_as_rows(kind: str) -> None:
    roles = given(kind, np.random.default_rng(2))
    rows, units = (
        {(x.measure, x.level): x for x in sy.evaluate(**roles, **more).rows_of_numbers()}
        for more in ({}, {"unit": np.repeat(np.arange(UNITS), ROWS)})
    )
    told = {
        key: (units[key].high - units[key].low) / (x.high - x.low)
        for key, x in rows.items()
        if x.low is not None and units[key].low is not None and key[1] not in AVERAGES and key[0] not in WIDE
    }
    assert len(told) > 10
    off = {key: round(ratio, 2) for key, ratio in told.items() if not 0.65 < ratio < 1.35}
    assert not off
