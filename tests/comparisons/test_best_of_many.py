"""The best of many: the luck of the choice is found where there is some, and not where there is none."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.comparisons.best_of_many import selection_bias


def biases(k: int, spread: float, kind: str, runs: int = 120) -> tuple[float, float]:
    """Mean of what the winner shows, and of what is left after the correction, less what the winner is worth."""
    rng = np.random.default_rng(k + int(100 * spread))
    shown, left = [], []
    n, level = 100, 0.7
    for _ in range(runs):
        worth = level + spread * rng.normal(size=k)
        rows = worth + 0.45 * rng.normal(size=(n, k)) + 0.3 * rng.normal(size=(n, 1))
        if kind == "rows":
            found = selection_bias(rows, draws=200)
        else:
            cov = np.cov(rows, rowvar=False) / n
            found = selection_bias(rows.mean(axis=0), covariance=cov, draws=400)
        winner = int(found.winner.split()[1]) - 1
        shown.append(found.observed.value - worth[winner])
        left.append(found.corrected.value - worth[winner])
    return float(np.mean(shown)), float(np.mean(left))


@pytest.mark.parametrize("kind", ["rows", "covariance"])
@pytest.mark.parametrize("k", [10, 50])
def test_equal_models(k: int, kind: str) -> None:
    """The winner of equal models shows the largest of k errors; hardly any of it is left."""
    before, after = biases(k, 0.0, kind)
    largest = {10: 1.539, 50: 2.249}[k] * 0.045
    assert before == pytest.approx(largest, abs=0.018)
    assert abs(after) < 0.015


@pytest.mark.parametrize("kind", ["rows", "covariance"])
def test_models_that_differ_have_less_luck(kind: str) -> None:
    before, after = biases(10, 0.06, kind)
    assert 0.01 < before < 0.06
    assert abs(after) < 0.6 * before


def test_a_clear_winner_has_no_luck() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(200, 8)) + np.array([0, 0, 0, 5, 0, 0, 0, 0])
    found = selection_bias(rows)
    assert found.winner == "model 4" and found.optimism.value == 0 and found.chosen["model 4"] == 1
    assert found.corrected.value == found.observed.value
    assert selection_bias(rows.mean(axis=0), errors=0.07).optimism.value == pytest.approx(0, abs=0.006)


def test_the_bootstrap_written_out() -> None:
    """Against loops: winner of the rows drawn, read on the others."""
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(30, 5))
    best = int(rows.mean(axis=0).argmax())
    total = []
    for _ in range(4000):
        drawn = rng.integers(0, 30, 30)
        out = np.setdiff1d(np.arange(30), drawn)
        total.append(rows[out][:, best].mean() - rows[out][:, int(rows[drawn].mean(axis=0).argmax())].mean())
    error = float(np.std(total) / math.sqrt(4000))
    assert selection_bias(rows, draws=4000).optimism.value == pytest.approx(float(np.mean(total)), abs=6 * error)


def test_laws() -> None:
    rng = np.random.default_rng(5)
    rows = rng.random((60, 6))
    up, down = selection_bias(rows), selection_bias(-rows, better="lower")
    assert up.optimism.value == pytest.approx(down.optimism.value)
    assert up.corrected.value == pytest.approx(-down.corrected.value)
    assert up.corrected.value < up.observed.value and down.corrected.value > down.observed.value
    assert up == selection_bias(rows) and up.optimism != selection_bias(rows, seed=1).optimism
    moved = selection_bias(rows + rng.normal(size=(60, 1)) * 100)
    # What a row adds to every model changes neither the choice nor its luck.
    assert moved.optimism.value == pytest.approx(up.optimism.value) and moved.chosen == up.chosen
    assert sum(up.chosen.values()) == pytest.approx(1)
    alone = selection_bias(rows[:, :1])
    assert alone.optimism.value == 0 and selection_bias([0.7], errors=[0.1]).optimism.value == 0


def test_the_interval_moves_with_the_value() -> None:
    rows = np.random.default_rng(6).random((40, 10))
    found = selection_bias(rows, measure="accuracy", names=list("abcdefghij"))
    shift = found.observed.value - found.corrected.value
    assert found.corrected.low == pytest.approx(found.observed.low - shift)
    assert found.corrected.high == pytest.approx(found.observed.high - shift)
    wide = selection_bias(rows[:10], ratio=1 / 9)
    narrow = selection_bias(rows[:10])
    assert wide.observed.high - wide.observed.low > narrow.observed.high - narrow.observed.low
    assert "corrected resampled t" in wide.corrected.method and wide.optimism == narrow.optimism
    assert found.optimism.low is None and found.optimism.note
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.winner in str(found)


def test_shared_errors_are_no_luck() -> None:
    """Errors that all models share move the values and not the choice."""
    own = selection_bias([0.7] * 10, errors=[0.05] * 10).optimism.value
    shared = np.full((10, 10), 0.05**2)
    assert selection_bias([0.7] * 10, covariance=shared).optimism.value == pytest.approx(0, abs=1e-6)
    assert own == pytest.approx(1.539 * 0.05, abs=0.003)
    assert selection_bias([0.7] * 10, covariance=shared + np.eye(10) * 0.05**2).optimism.value == pytest.approx(
        own, abs=0.004
    )


def test_bad_calls_get_a_sentence() -> None:
    rows = np.random.default_rng(7).random((10, 3))
    errors = sy.errors
    for call, kind, words in (
        (lambda: selection_bias([0.7, 0.8]), errors.UsageError, "standard error is needed"),
        (lambda: selection_bias([0.7], errors=1, covariance=[[1]]), errors.UsageError, "standard error"),
        (lambda: selection_bias(rows, errors=0.1), errors.UsageError, "speaks for its own"),
        (lambda: selection_bias([0.7, 0.8], errors=[1, 2, 3]), errors.LengthsDiffer, "3 standard errors"),
        (lambda: selection_bias([0.7, 0.8], errors=[-1, 2]), errors.UsageError, "zero or more"),
        (lambda: selection_bias([0.7, 0.8], covariance=[[1, 2], [2, 1]]), errors.UsageError, "covariance"),
        (lambda: selection_bias(rows, names=["a"]), errors.LengthsDiffer, "1 names"),
        (lambda: selection_bias(rows, better="up"), errors.UsageError, "higher"),
        (lambda: selection_bias(rows, confidence=0), errors.UsageError, "confidence"),
        (lambda: selection_bias(rows, draws=0), errors.UsageError, "one draw"),
        (lambda: selection_bias(rows[:2]), errors.NotAvailable, "at least 3"),
        (lambda: selection_bias(rows[None]), errors.LengthsDiffer, "3 dimensions"),
        (lambda: selection_bias(np.zeros((0, 3))), errors.EmptyTable, "no values"),
        (lambda: selection_bias(np.full((4, 2), np.nan)), errors.MissingValues, "8 of 8"),
        (lambda: selection_bias([["a"]]), errors.NotNumeric, "numbers"),
    ):
        with pytest.raises(kind, match=words):
            call()
