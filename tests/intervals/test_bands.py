"""Bands around curves: they hold the curve, and widen when rows belong to few units."""

import numpy as np
import pytest
from scipy.stats import norm

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


def _binormal(rng, n, share, apart):
    y = rng.random(n) < share
    return y.astype(int), rng.normal(size=n) + apart * y


@pytest.mark.parametrize(
    ("n", "share", "apart", "x"), [(200, 0.3, 1.2, 0.1), (400, 0.5, 2.0, 0.05), (300, 0.9, 1.0, 0.3)]
)
def test_a_band_holds_at_a_place_of_the_axis_it_is_drawn_over(n, share, apart, x):
    """Read upwards at a false positive rate, or at a recall, it holds the true height in 95 % of samples."""
    rng = np.random.default_rng(11)
    tpr = norm.sf(norm.isf(x) - apart)
    alarms = norm.sf(norm.isf(0.6) + apart)
    precision = share * 0.6 / (share * 0.6 + (1 - share) * alarms)
    held = np.zeros(2)
    for _ in range(250):
        y, s = _binormal(rng, n, share, apart)
        e = sy.evaluate(target=y, score=s)
        for i, (name, axis, at, truth) in enumerate((("roc", "fpr", x, tpr), ("pr", "recall", 0.6, precision))):
            c = e.curve(name).columns
            held[i] += np.interp(at, c[axis], c["low"]) <= truth <= np.interp(at, c[axis], c["high"])
    assert (held >= 0.92 * 250).all()
    assert e.curve("roc").method.split("; ")[0].endswith("at each false positive rate")
    assert e.curve("pr").method.split("; ")[0].endswith("at each recall")


def test_the_band_of_a_roc_curve_is_as_wide_as_the_spread_of_resampled_curves():
    rng = np.random.default_rng(2)
    y, s = _binormal(rng, 3000, 0.4, 1.0)
    c = sy.evaluate(target=y, score=s).curve("roc").columns
    at = np.array([0.05, 0.1, 0.3, 0.6])
    heights = []
    for _ in range(400):
        pick = rng.integers(0, len(y), len(y))
        order = np.argsort(-s[pick])
        hit = y[pick][order]
        heights.append(np.interp(at, np.cumsum(1 - hit) / (1 - hit).sum(), np.cumsum(hit) / hit.sum()))
    wide = np.interp(at, c["fpr"], c["high"]) - np.interp(at, c["fpr"], c["low"])
    assert np.allclose(wide, 2 * 1.96 * np.std(heights, axis=0), rtol=0.15)


@pytest.mark.parametrize("name", ["roc", "pr"])
def test_points_at_one_place_of_the_axis_share_a_band(rows, name):
    c = sy.evaluate(**{k: v for k, v in rows.items() if k != "unit"}).curve(name).columns
    at = np.array(c["fpr" if name == "roc" else "recall"])
    same = np.flatnonzero(np.diff(at) == 0)
    assert len(same)
    for end in ("low", "high"):
        assert np.allclose(np.array(c[end])[same], np.array(c[end])[same + 1])


@pytest.mark.parametrize("name", ["roc", "pr"])
def test_sampling_weights_of_one_size_change_no_band_and_unequal_ones_widen_it(rows, name):
    plain = {k: v for k, v in rows.items() if k != "unit"}
    weight = np.random.default_rng(1).lognormal(0, 1.2, len(plain["target"]))

    def band(**more):
        c = sy.evaluate(**plain, **more).curve(name).columns
        return np.array(c["low"]), np.array(c["high"])

    bare, alike, unequal = (band(), band(weight=np.full(len(weight), 3.0)), band(weight=weight))
    assert np.allclose(bare, alike)
    assert (unequal[1] - unequal[0]).mean() > 1.2 * (bare[1] - bare[0]).mean()
