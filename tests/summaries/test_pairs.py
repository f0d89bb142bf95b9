"""Predictions with their errors: the same table whatever the order, the parts and the way in which it was counted."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.summaries.pairs import MOST, Pairs, widths
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.steps import AXES

N = 80_000


def _rows(name: str, n: int = N) -> tuple[Any, Any]:
    """Targets and predictions."""
    rng = np.random.default_rng(5)
    t = rng.normal(50, 20, n)
    if name == "normal":
        return t, t + rng.normal(0, 5, n)
    if name == "far from zero":
        return t / 10 + 290, t / 10 + 290 + rng.normal(0, 0.5, n)
    if name == "heavy":
        return np.exp(t / 16), np.exp(t / 16 + rng.normal(0, 0.4, n))
    if name == "outliers":
        far = rng.random(n) < 0.04
        p = np.where(far, 1e6 * rng.standard_normal(n), 1e-3 * rng.standard_normal(n))
        return p - np.where(far, 1e5 * rng.standard_normal(n), 1e-4 * rng.standard_normal(n)), p
    if name == "clusters":
        # Three spots far from each other, so that the first level asked for is far too coarse.
        p = rng.choice([0.0, 1e6, 3e6], n) + rng.standard_normal(n)
        return p - rng.standard_normal(n) / 100, p
    if name == "few values":
        t = rng.integers(0, 11, n).astype(float)
        return t, np.clip(t + rng.integers(-2, 3, n), 0, 10)
    if name == "constant":
        return t, np.full(n, 50.0)
    assert name == "no errors"
    return t, t


NAMES = ("normal", "far from zero", "heavy", "outliers", "clusters", "few values", "constant", "no errors")


def _pairs(e: sy.Evaluation) -> Pairs:
    assert e.residuals is not None
    assert e.residuals.pairs is not None
    return e.residuals.pairs


def _alike(a: Pairs, b: Pairs) -> None:
    assert a.level == b.level
    np.testing.assert_array_equal(a.prediction, b.prediction)
    np.testing.assert_array_equal(a.error, b.error)
    np.testing.assert_allclose(a.sums, b.sums, rtol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_what_engines_count_is_what_all_rows_come_to(name: str) -> None:
    """Engines are asked for cells of a guessed level; the second way begins with every row."""
    t, p = _rows(name)
    found = _pairs(sy.evaluate(target=t, prediction=p, kind="continuous"))
    _alike(found, Pairs.of(p, p - t))
    assert len(found) <= MOST
    np.testing.assert_allclose(
        found.sums.sum(axis=0), [N, p.sum(), (p - t).sum(), ((p - t) ** 2).sum()], rtol=1e-9, atol=1e-6
    )


@pytest.mark.parametrize("name", NAMES)
def test_parts_in_any_order_add_up_to_the_whole(name: str) -> None:
    t, p = _rows(name)
    whole = Pairs.of(p, p - t)
    for cuts in ([40_000], [10, 3000, 9000, 50_000]):
        parts = [Pairs.of(b, b - a) for a, b in zip(np.split(t, cuts), np.split(p, cuts), strict=True)]
        for order in (parts, parts[::-1]):
            total = order[0]
            for part in order[1:]:
                total = total + part
            _alike(total, whole)
        # Grouped otherwise.
        _alike(parts[0] + sum(parts[2:], start=parts[1]), whole)
    shuffled = np.random.default_rng(1).permutation(N)
    _alike(Pairs.of(p[shuffled], (p - t)[shuffled]), whole)


@pytest.mark.parametrize("name", ["normal", "heavy", "outliers", "clusters"])
def test_one_level_finer_there_are_too_many(name: str) -> None:
    t, p = _rows(name)
    found = Pairs.of(p, p - t)
    wide = widths(found.level - 1)
    finer = {*zip(*(axis.lower(x, w).tolist() for axis, x, w in zip(AXES, (p, p - t), wide, strict=True)), strict=True)}
    assert MOST / 4 < len(found) <= MOST < len(finer)


@pytest.mark.parametrize("axis", AXES)
def test_every_number_lies_in_its_step_and_steps_join(axis: Any) -> None:
    rng = np.random.default_rng(2)
    powers = 2.0 ** np.arange(-4, 60)
    x = np.concatenate(
        [np.arange(-70, 70, 0.25), powers, -powers, 10 ** rng.uniform(-9, 25, 500), -(10 ** rng.uniform(-9, 25, 500))]
    )
    x.sort()
    code = axis.encode(x)
    assert (np.diff(code) >= 0).all()
    np.testing.assert_array_equal(axis.encode(axis.decode(code)), code)
    for width in (0.125, 1.0, 4.0):
        low = axis.lower(x, width)
        high = axis.upper(low, width)
        assert ((low <= x) & (x < high)).all()
        wider = axis.lower(x, 2 * width)
        assert ((wider <= low) & (high <= axis.upper(wider, 2 * width))).all()
        np.testing.assert_array_equal(axis.lower(low, 2 * width), wider)
    # Numbered without gaps: the next number begins where the step ends.
    near = np.arange(-3000.0, 3000.0)
    np.testing.assert_array_equal(axis.decode(near)[1:], axis.upper(axis.decode(near), 1.0)[:-1])


@pytest.mark.parametrize("weights", ["sampling", "frequency"])
def test_weights_are_added_up(weights: str) -> None:
    t, p = _rows("normal")
    w = np.random.default_rng(3).integers(1, 4, N).astype(float)
    found = _pairs(sy.evaluate(target=t, prediction=p, weight=w, weights=weights))
    wanted = [w.sum(), (w * p).sum(), (w * (p - t)).sum(), (w * (p - t) ** 2).sum(), (w**2).sum()]
    np.testing.assert_allclose(found.sums.sum(axis=0), wanted[: found.sums.shape[1]], rtol=1e-9)
    assert found.sums.shape[1] == (5 if weights == "sampling" else 4)
    np.testing.assert_array_equal(found.prediction, Pairs.of(p, p - t).prediction)


def test_a_segment_has_the_pairs_that_it_has_alone() -> None:
    t, p = _rows("normal", 150_000)
    names = np.array(["many", "small", "few"])[np.digitize(np.arange(150_000), [80_000, 149_990])]
    small = names == "small"
    t[small], p[small] = t[small] / 1000, p[small] / 1000
    e = sy.evaluate(target=t, prediction=p, segment=names)
    for name in ("many", "small", "few"):
        _alike(_pairs(e.segments[name]), Pairs.of(p[names == name], (p - t)[names == name]))
    _alike(_pairs(e), Pairs.of(p, p - t))
    assert _pairs(e.segments["few"]).exact


@pytest.mark.parametrize("name", ["normal", "few values"])
def test_saved_and_read_back(name: str) -> None:
    t, p = _rows(name)
    found = Residuals.of(t, p)
    again = Residuals.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    assert again == found
    assert again.pairs is not None
    assert found.pairs is not None
    np.testing.assert_array_equal(again.pairs.sums, found.pairs.sums)


def test_a_file_without_pairs_is_read_all_the_same() -> None:
    found = Residuals.of([1.0, 2.0], [1.5, 2.0])
    data = found.to_dict()
    del data["pairs"]
    old = Residuals.from_dict(data)
    assert old.pairs is None
    assert (old + found).pairs is None
    assert old != found


@pytest.mark.parametrize("name", ["normal", "heavy", "few values"])
def test_errors_with_their_signs(name: str) -> None:
    t, p = _rows(name)
    values, rows = Residuals.of(t, p).signed_errors()
    assert rows.sum() == pytest.approx(N)
    assert (np.diff(values) >= 0).all()
    error = p - t
    for share in (0.02, 0.2, 0.5, 0.8, 0.98):
        cut = float(np.quantile(error, share))
        # Sizes are exact and signs are known by cell.
        assert rows[values <= cut].sum() == pytest.approx(np.count_nonzero(error <= cut), abs=0.004 * N)
