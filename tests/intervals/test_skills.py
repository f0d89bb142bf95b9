"""Skills and response ratios where positives are few: percentiles of copies of a handful of rows were far too short."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

import steelyard as sy


def scored(rng: np.random.Generator, n: int, share: float) -> sy.Evaluation | None:
    """Honest probabilities: positives lie 1.8 deviations higher."""
    y = (rng.random(n) < share).astype(int)
    x = rng.normal(1.8 * y)
    score = expit(math.log(share / (1 - share)) + 1.8 * x - 1.62)
    return sy.evaluate(target=y, score=score, levels=[0, 1], positive=1) if y.any() else None


@pytest.mark.parametrize("measure", ["brier_skill", "log_loss_skill", "response_ratio"])
def test_few_positives_are_held(measure: str) -> None:
    truth = float(scored(np.random.default_rng(1), 400_000, 0.04)[measure])  # type: ignore[index]
    rng = np.random.default_rng(2)
    found = [e[measure] for e in (scored(rng, 100, 0.04) for _ in range(100)) if e is not None]
    held = [x.low <= truth <= x.high for x in found if x.low is not None]
    assert len(held) > 50
    assert np.mean(held) >= 0.92, "it was 80 to 89 %"


def test_a_skill_of_scores_that_are_all_alike_is_never_above_nothing() -> None:
    e = sy.evaluate(target=[0, 1] * 20, score=[0.3] * 40, levels=[0, 1], positive=1)
    for x in (e["brier_skill"], e["log_loss_skill"]):
        assert x.low <= x.value <= x.high <= 1e-9


def test_a_response_ratio_has_the_limits_of_the_captured_share_as_odds() -> None:
    e = scored(np.random.default_rng(3), 400, 0.05)
    assert e is not None
    for depth in (0.1, 0.3):
        ratio, share = e.measure("response_ratio", depth=depth), e.measure("capture", depth=depth)
        for end in ("value", "low", "high"):
            c = getattr(share, end)
            assert getattr(ratio, end) == pytest.approx(c / (1 - c) * (1 - depth) / depth), end


def test_skills_follow_weights_and_stay_finite_where_little_is_there() -> None:
    rng = np.random.default_rng(4)
    y = np.array([1, 1, 1, 0, 0, 0])
    for score in ([0.9, 0.8, 0.7, 0.3, 0.2, 0.1], [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1]):
        x = sy.evaluate(target=y, score=score, weight=rng.lognormal(0, 2, 6), weights="sampling")["brier_skill"]
        assert -1000 < x.low <= x.value <= x.high <= 1
