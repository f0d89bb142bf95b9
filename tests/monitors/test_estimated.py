"""Performance without labels: against the labels that were hidden, brute force, and what cannot be estimated."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import NotAvailable
from steelyard.monitors.estimated import MEASURES, Calibration, _Rows, estimate


def drawn(n: int, seed: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores that are not probabilities: the chance of a positive is their square."""
    rng = np.random.default_rng(seed)
    s = np.clip(rng.beta(2, 3, n) + shift, 0, 1)
    return (rng.random(n) < s**2).astype(int), s


def test_the_measures_are_those_of_the_house() -> None:
    for seed in range(5):
        y, s = drawn(300, seed)
        s = s.round(1)
        order = np.argsort(s, kind="stable")
        e = sy.evaluate(target=y, score=s, threshold=0.6)
        rows = _Rows.of(s, 0.6)
        for name, measure in MEASURES.items():
            assert float(measure(rows, y[order].astype(float))) == pytest.approx(e[name].value, rel=1e-9), name


def test_calibration_never_falls_and_keeps_the_totals() -> None:
    y, s = drawn(20_000, 1)
    c = Calibration.of(sy.evaluate(target=y, score=s).scores)
    assert c.positives.sum() == y.sum() and (c.positives + c.negatives).sum() == 20_000
    assert (np.diff(c.chance(np.linspace(0, 1, 500))) >= 0).all()
    inner = np.linspace(0.2, 0.7, 50)
    assert np.abs(c.chance(inner) - inner**2).max() < 0.1


@pytest.mark.parametrize("measure", ["auc", "accuracy", "precision", "brier", "recall"])
def test_the_interval_holds_what_the_hidden_labels_give(measure: str) -> None:
    held, off = 0, []
    repeats = 80
    for seed in range(repeats):
        y, s = drawn(2000, 1000 + seed)
        c = Calibration.of(sy.evaluate(target=y, score=s).scores)
        # The mix of scores is another one, what they mean is not.
        later, scores = drawn(500, 5000 + seed, shift=0.1)
        x = estimate(c, scores, measure, draws=100)
        really = sy.evaluate(target=later, score=scores)[measure].value
        assert x.value is not None and x.low is not None and x.high is not None and really is not None
        held += x.low <= really <= x.high
        off.append(x.value - really)
    assert held >= 0.86 * repeats
    assert abs(np.mean(off)) < 4 * np.std(off) / np.sqrt(repeats)


def test_it_sees_a_change_of_scores_but_not_of_their_meaning() -> None:
    y, s = drawn(5000, 3)
    c = Calibration.of(sy.evaluate(target=y, score=s).scores)
    flat = np.full(1000, 0.5) + np.random.default_rng(1).normal(0, 0.01, 1000)
    worse, same = estimate(c, flat, "auc"), estimate(c, s[:1000], "auc")
    assert worse.high is not None and same.low is not None and worse.high < same.low
    assert "as long as a score means" in same.note


def test_what_cannot_be_estimated_is_said() -> None:
    y, s = drawn(500, 4)
    c = Calibration.of(sy.evaluate(target=y, score=s).scores)
    with pytest.raises(NotAvailable, match='"kappa" cannot be estimated'):
        estimate(c, s, "kappa")
    assert estimate(c, [], "auc").reason == "no rows"
    assert estimate(c, [0.01, 0.02], "auc").reason.startswith("too few positives")


def test_weights_count_as_so_many_rows() -> None:
    y, s = drawn(1000, 5)
    plain = Calibration.of(sy.evaluate(target=y, score=s).scores)
    weighted = Calibration.of(sy.evaluate(target=y, score=s, weight=np.full(1000, 3.0)).scores)
    assert weighted.positives.sum() == pytest.approx(plain.positives.sum())
