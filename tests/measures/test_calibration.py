"""Probabilities worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures import calibration, log_odds
from steelyard.measures.measure import catalogue
from steelyard.summaries.scores import Scores


def test_brier_falls_into_its_three_parts() -> None:
    """Ten rows at 0.2 of which three are positive, ten at 0.7 of which six are."""
    s = Scores.of([0.2] * 10 + [0.7] * 10, [1] * 3 + [0] * 7 + [1] * 6 + [0] * 4, positive=1)
    reliability = (0.2 - 0.3) ** 2 / 2 + (0.7 - 0.6) ** 2 / 2
    resolution = (0.3 - 0.45) ** 2 / 2 + (0.6 - 0.45) ** 2 / 2
    uncertainty = 0.45 * 0.55
    assert float(calibration.brier_reliability(s).value) == pytest.approx(reliability)
    assert float(calibration.brier_resolution(s).value) == pytest.approx(resolution)
    assert float(calibration.brier_uncertainty(s).value) == pytest.approx(uncertainty)
    assert float(calibration.brier(s).value) == pytest.approx(reliability - resolution + uncertainty)
    assert float(calibration.ece(s).value) == pytest.approx(0.1)


def test_slope_and_intercept_through_two_points() -> None:
    """Two scores: the fitted line passes through both observed log-odds."""
    s = Scores.of([0.2] * 10 + [0.7] * 10, [1] * 3 + [0] * 7 + [1] * 6 + [0] * 4, positive=1)
    x = [math.log(0.2 / 0.8), math.log(0.7 / 0.3)]
    y = [math.log(0.3 / 0.7), math.log(0.6 / 0.4)]
    assert float(calibration.calibration_slope(s).value) == pytest.approx((y[1] - y[0]) / (x[1] - x[0]))


def test_one_score_is_moved_to_the_base_rate() -> None:
    s = Scores.of([0.5] * 4, [0, 1, 1, 1], positive=1)
    assert float(calibration.calibration_intercept(s).value) == pytest.approx(math.log(3))


def test_surprise_by_hand() -> None:
    s = Scores.of([0.25, 0.5, 0.8], [0, 1, 1], positive=1)
    wanted = -(math.log(0.75) + math.log(0.5) + math.log(0.8)) / 3
    assert float(calibration.log_loss(s).value) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("score", "name", "reason"),
    [
        ([0.0, 0.5], "log_loss", "a real outcome was given probability 0, so the loss is infinite"),
        ([0.2, 1.5], "brier", "scores outside [0, 1] are not probabilities"),
        ([0.2, 1.5], "ece", "scores outside [0, 1] are not probabilities"),
        ([0.2, 1.0], "calibration_slope", "scores of exactly 0 or 1, or outside, have no log-odds"),
    ],
)
def test_what_does_not_exist_says_why(score: list[float], name: str, reason: str) -> None:
    x = sy.evaluate(target=[1, 0], score=score)[name]
    assert str(x) == f"n/a ({reason})"


@pytest.mark.parametrize("copies", [1, 1000])
def test_classes_that_the_score_separates_have_no_slope(copies: int) -> None:
    """However many rows say so, and also where one score holds both classes at the border."""
    for target in ([0, 0, 1, 1], [0, 0, 1, 0, 1, 1]):
        score = [0.2, 0.3, 0.6, 0.8] if len(target) == 4 else [0.2, 0.3, 0.5, 0.5, 0.6, 0.8]
        x = sy.evaluate(target=target * copies, score=score * copies)["calibration_slope"]
        assert x.value is None and "separates" in x.reason


def test_many_tables_at_once_are_fitted_as_each_alone() -> None:
    """One whose first step overshoots must be held back though the others are not."""
    steep = Scores.of([0.999] * 10 + [0.9991] * 2, [1, 0] * 6, positive=1)
    counts = steep.counts
    gentle = counts * 0 + [[1.0, 400.0], [1.0, 100.0]]
    stacked = steep.replicate(np.stack([counts, gentle]))
    for measure in (calibration.calibration_intercept, calibration.calibration_slope):
        alone = [float(measure(steep.replicate(c)).value) for c in (counts, gentle)]
        assert np.asarray(measure(stacked).value) == pytest.approx(alone, nan_ok=True)
        assert measure is calibration.calibration_slope or not np.isnan(alone).any()


@pytest.mark.parametrize("target", [[0, 1, 1], [0, 0, 0], [1, 1, 1]])
def test_certain_scores_have_neither_slope_nor_intercept(target: list[int]) -> None:
    for score in ([0.0, 0.5, 0.6], [0.4, 0.5, 1.0], [-1.0, 0.5, 2.0]):
        s = Scores.of(score, target, positive=1)
        for measure in (calibration.calibration_intercept, calibration.calibration_slope):
            assert math.isnan(float(measure(s).value)) and measure(s).empty == calibration.NO_LOG_ODDS
    one = Scores.of([0.4, 0.5, 0.6], [target[0]] * 3, positive=1)
    assert math.isnan(float(calibration.calibration_intercept(one).value))


def test_a_long_table_is_fitted_as_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours joined are where the fit of all cells begins, and not where it ends."""
    rng = np.random.default_rng(6)
    score = np.unique(rng.uniform(0.02, 0.98, 300))
    y = (rng.random(len(score)) < score**1.5).astype(int)
    tables = [Scores.of(score, y, positive=1), Scores.of(score, (score > 0.5).astype(int), positive=1)]
    measures = (calibration.calibration_slope, calibration.calibration_intercept)
    wanted = [float(m(s).value) for m in measures for s in tables]
    monkeypatch.setattr(log_odds, "LONG", 40)
    again = [Scores.of(score, y, positive=1), Scores.of(score, (score > 0.5).astype(int), positive=1)]
    assert [float(m(s).value) for m in measures for s in again] == pytest.approx(wanted, nan_ok=True, rel=1e-9)
    assert math.isnan(wanted[1]) and not math.isnan(wanted[0])


@pytest.mark.parametrize("score", [[-1.0, 0.5, 2.0], [0.0, 0.5, 1.0], [0.2, 0.5, 0.7]])
def test_a_copy_without_rows_has_no_number_and_says_nothing(score: list[float]) -> None:
    """The bootstrap may draw none of a table's rows; a warning would be a failure here."""
    s = Scores.of(score, [0, 1, 1], positive=1)
    none = s.replicate(np.zeros((2, *s.counts.shape)))
    for m in catalogue().values():
        if Scores in m.reads:
            assert np.isnan(m(none).value).all(), m.name


def test_a_cell_that_no_row_lies_in_costs_nothing() -> None:
    """Scores of 0 and 1 that are all right: what the other level would have lost there is infinite, and nobody lost it."""
    score, truth = [0.0, 0.2, 0.4, 0.7, 1.0], [0, 1, 0, 1, 1]
    lost = [-math.log(p if y else 1 - p) for p, y in zip(score, truth, strict=True)]
    found = calibration.log_loss(Scores.of(score, truth, positive=1))
    assert float(found.total) == pytest.approx(sum(lost))
    assert float(found.squares) == pytest.approx(sum(x * x for x in lost))
