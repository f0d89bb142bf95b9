"""Performance without labels: against the labels that were hidden, brute force, and what cannot be estimated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import NotAvailable
from steelyard.measures.measure import find
from steelyard.monitors import estimated
from steelyard.monitors.estimated import Calibration, _Rows, can_be_expected, estimates, expected


def estimate(calibration: Calibration, score: Any, measure: str, **options: Any) -> sy.Estimate:
    """One measure."""
    return estimates(calibration, score, [measure], **options)[measure]


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
        for name in (n for n in e.measures if can_be_expected(find(n))):
            assert float(expected(find(name), rows, y[order].astype(float))) == pytest.approx(
                e[name].value, rel=1e-9
            ), name


def test_rows_of_one_score_are_as_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    y, s = drawn(2_000, 3)
    c = Calibration.of(sy.evaluate(target=y, score=s, threshold=0.6).scores)
    cells, many = np.unique(drawn(4_000, 4)[1].round(2), return_counts=True)
    asked: dict[str, Any] = {"threshold": 0.6, "draws": 2_000, "many": many.astype(float)}
    names = [n for n in sy.evaluate(target=y, score=s).measures if can_be_expected(find(n))]
    each = estimates(c, cells, names, **asked)
    rows = estimates(c, np.repeat(cells, many), names, threshold=0.6, draws=2_000)
    assert each == rows
    monkeypatch.setattr(estimated, "BY_ROW", 0)
    for name, told in estimates(c, cells, names, **asked).items():
        as_rows = rows[name]
        assert told.n == as_rows.n == 4_000
        assert told.value == pytest.approx(as_rows.value, rel=1e-9), name
        # Both are drawn: their ends are off by some percent of the length.
        length = as_rows.high - as_rows.low
        assert (told.low, told.high) == pytest.approx((as_rows.low, as_rows.high), abs=0.1 * length), name


def test_calibration_keeps_the_totals_and_finds_the_curve() -> None:
    y, s = drawn(20_000, 1)
    c = Calibration.of(sy.evaluate(target=y, score=s).scores)
    assert (c.positives, c.negatives) == (y.sum(), 20_000 - y.sum())
    assert c.chance(s).sum() == pytest.approx(y.sum(), rel=1e-6)
    inner = np.linspace(0.05, 0.9, 50)
    assert np.abs(c.chance(inner) - inner**2).max() < 0.05


def test_calibration_is_the_logistic_regression_of_scipy() -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(8)
    s = rng.normal(size=400)
    y = (rng.random(400) < 1 / (1 + np.exp(3 - 0.5 * s))).astype(int)
    e = sy.evaluate(target=y, score=s)
    c = Calibration.of(e.scores)
    x = (s - c.middle) / c.spread
    design = np.column_stack([np.ones_like(x), x, *(np.maximum(x - k, 0) for k in c.knots)])

    def loss(b: np.ndarray) -> float:
        eta = design @ b
        return float(np.logaddexp(0, eta).sum() - (y * eta).sum() + 0.005 * b[1] ** 2 + 0.05 * (b[2:] ** 2).sum())

    best = minimize(loss, np.zeros(design.shape[1]), method="BFGS", options={"gtol": 1e-8})
    assert c.chance(s) == pytest.approx(1 / (1 + np.exp(-design @ best.x)), abs=1e-5)


@pytest.mark.parametrize(("positives", "rows"), [(0.045, 3000), (0.01, 2000), (0.3, 1000)])
def test_rare_positives_are_not_expected_more_often_than_they_come(positives: float, rows: int) -> None:
    rng = np.random.default_rng(9)
    told, real = [], []
    for _ in range(60):
        z = rng.normal(size=(2, rows))
        chance = positives * np.exp(1.2 * z - 0.72)
        chance = np.minimum(chance, 0.95)
        y = (rng.random(chance.shape) < chance).astype(int)
        c = Calibration.of(sy.evaluate(target=y[0], score=chance[0]).scores)
        told.append([estimate(c, chance[1], name, draws=4).value for name in ("prevalence", "brier", "log_loss")])
        e = sy.evaluate(target=y[1], score=chance[1])
        real.append([e[name].value for name in ("prevalence", "brier", "log_loss")])
    off = np.array(told) - np.array(real)
    assert (np.abs(off.mean(axis=0)) < 3 * off.std(axis=0) / np.sqrt(len(off))).all()
    assert (np.abs(off.mean(axis=0)) < 0.06 * np.mean(real, axis=0)).all()


def test_what_is_expected_says_what_it_rests_on() -> None:
    rng = np.random.default_rng(10)
    s = rng.random(500)
    few = Calibration.of(sy.evaluate(target=(np.arange(500) < 4).astype(int), score=s).scores)
    assert estimate(few, s, "brier").caution == "rests on 4 positives of the reference"
    y, s = drawn(500, 4)
    assert estimate(Calibration.of(sy.evaluate(target=y, score=s).scores), s, "brier").caution == ""


def test_expected_auc_of_chances_is_the_mean_over_all_labels() -> None:
    import itertools

    s, c = np.array([0.1, 0.3, 0.3, 0.6, 0.8]), np.array([0.2, 0.1, 0.5, 0.7, 0.6])
    rows = _Rows.of(s, 0.5)
    top = bottom = 0.0
    for labels in itertools.product((0.0, 1.0), repeat=5):
        y = np.array(labels)
        weight = float(np.prod(np.where(y == 1, c, 1 - c)))
        pairs = y.sum() * (5 - y.sum())
        if pairs:
            top += weight * float(expected(find("auc"), rows, y)) * pairs
            bottom += weight * pairs
    assert float(expected(find("auc"), rows, c)) == pytest.approx(top / bottom)


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
    with pytest.raises(NotAvailable, match='"ks" cannot be estimated'):
        estimate(c, s, "ks")
    assert estimate(c, [], "auc").reason == "no rows"
    assert estimate(c, [0.01, 0.02], "auc").reason.startswith("too few positives")


def test_weights_count_as_so_many_rows() -> None:
    y, s = drawn(1000, 5)
    plain = Calibration.of(sy.evaluate(target=y, score=s).scores)
    weighted = Calibration.of(sy.evaluate(target=y, score=s, weight=np.full(1000, 3.0)).scores)
    assert weighted.positives == pytest.approx(plain.positives)
