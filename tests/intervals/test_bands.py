"""Bands around curves: they hold the curve, and widen when rows belong to few units."""

import numpy as np
import pytest

import steelyard as sy

CURVES = {"roc": "tpr", "pr": "precision", "gain": "capture", "lift": "lift", "ks": "gap", "calibration": "observed"}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    unit = np.repeat(np.arange(60), 25)
    shared = rng.normal(size=60)[unit] * 1.5
    y = (rng.random(len(unit)) < 1 / (1 + np.exp(-shared))).astype(int)
    return {"target": y, "score": 1 / (1 + np.exp(-(shared + rng.normal(size=len(unit))))), "unit": unit}


@pytest.mark.parametrize("name", CURVES)
def test_a_band_holds_its_curve(rows, name):
    for e in (sy.evaluate(**rows), sy.evaluate(**{k: v for k, v in rows.items() if k != "unit"})):
        c = e.curve(name).columns
        for low, value, high in zip(c["low"], c[CURVES[name]], c["high"], strict=True):
            assert low - 1e-12 <= value <= high + 1e-12


@pytest.mark.parametrize("name", CURVES)
def test_rows_of_one_unit_are_not_independent(rows, name):
    def width(e):
        c = e.curve(name).columns
        return np.mean([h - low for low, h in zip(c["low"], c["high"], strict=True)])

    by_row = sy.evaluate(**{k: v for k, v in rows.items() if k != "unit"})
    assert width(sy.evaluate(**rows)) > width(by_row)
