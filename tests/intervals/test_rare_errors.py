"""Probabilities that are sure and nearly always right: what has not gone wrong yet is in the interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import steelyard as sy


def held(measure: str, truth: float, n: int, error: float, sure: tuple[float, float], draws: int = 120) -> float:
    """How often the interval holds the truth, where a model says one of two scores and is wrong in such a share of rows."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(draws):
        y = np.arange(n) % 2
        right = rng.random(n) >= error
        x = sy.evaluate(target=y, score=np.where(right == (y == 1), sure[1], sure[0]))[measure]
        found.append(x.low - 1e-12 <= truth <= x.high + 1e-12)
    return float(np.mean(found))


@pytest.mark.parametrize(("n", "error"), [(40, 0.03), (500, 0.002), (300, 0.99)])
def test_brier_and_its_parts_hold_where_errors_are_rare(n: int, error: float) -> None:
    """0/1 scores: without an error yet the Brier score was 0 to 0, and missed in 4 of 10 samples."""
    apart = (1 - 2 * error) ** 2 / 4
    for measure, truth in (
        ("brier", error),
        ("ece", error),
        ("brier_reliability", error**2),
        ("brier_resolution", apart),
    ):
        assert held(measure, truth, n, error, (0.0, 1.0)) >= 0.9, measure


def test_log_loss_holds_where_errors_are_rare() -> None:
    truth = -0.998 * math.log(0.95) - 0.002 * math.log(0.05)
    assert held("log_loss", truth, 500, 0.002, (0.05, 0.95)) >= 0.93


def test_losses_of_classes_hold_where_errors_are_rare() -> None:
    rng, n, error = np.random.default_rng(3), 300, 0.004
    truths = {
        "log_loss": -(1 - error) * math.log(0.98) - error * math.log(0.01),
        "brier": (1 - error) * (0.02**2 + 2 * 0.01**2) + error * (0.99**2 + 0.98**2 + 0.01**2),
    }
    found: dict[str, list[bool]] = {name: [] for name in truths}
    for _ in range(120):
        y = rng.integers(0, 3, n)
        guess = np.where(rng.random(n) < error, (y + 1) % 3, y)
        e = sy.evaluate(target=y, score={k: np.where(guess == k, 0.98, 0.01) for k in range(3)})
        for name, truth in truths.items():
            found[name].append(e[name].low <= truth <= e[name].high)
    assert all(np.mean(x) >= 0.93 for x in found.values())


@pytest.mark.parametrize("classes", [2, 3])
def test_a_loss_stays_below_the_worst_there_is(classes: int) -> None:
    y = np.arange(60) % classes
    guess: dict[str, Any] = (
        {"score": 1.0 - y} if classes == 2 else {"score": {k: (y == (k + 1) % 3) * 1.0 for k in range(3)}}
    )
    x = sy.evaluate(target=y, **guess)["brier"]
    assert x.low < x.value == x.high == classes - 1


def test_one_wrong_row_would_make_a_loss_infinite_and_that_is_said() -> None:
    y = np.arange(600) % 2
    told = sy.evaluate(target=y, score=np.where(np.arange(600) < 2, y.astype(float), 0.3 + 0.4 * y))["log_loss"]
    assert told.caution == "one row that is wrong at a score of 0 or 1 makes it infinite"
    assert not sy.evaluate(target=y, score=0.3 + 0.4 * y)["log_loss"].caution


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_bins_of_a_row_or_two_have_limits_without_a_word_of_warning(n: int) -> None:
    e = sy.evaluate(target=[0, 1, 0][:n], score=[0.25, 0.25, 0.8][:n], levels=[0, 1], positive=1)
    for name in ("ece", "brier_reliability", "brier_resolution"):
        x = e[name]
        assert x.low <= x.value <= x.high
