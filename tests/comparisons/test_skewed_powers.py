"""Plans hold for the verdict that will be given: enough cases for one, and losses that are skewed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.comparisons import powers
from steelyard.comparisons.planning import power, sample_size
from steelyard.comparisons.skewed_powers import skewed_means
from steelyard.errors import UsageError

from ..simulating import draws

NEAR = 0.02


def noise(repeats: int) -> float:
    """Three Monte-Carlo errors of a power of 80 %."""
    return 3 * math.sqrt(0.16 / repeats)


FEW: list[tuple[str, dict[str, Any]]] = [
    ("accuracy", {"first": 0.95, "second": 0.5}),
    ("recall", {"first": 0.95, "second": 0.6, "prevalence": 0.2}),
    ("specificity", {"first": 0.95, "second": 0.6, "prevalence": 0.9}),
    ("auc", {"first": 0.95, "second": 0.7, "prevalence": 0.05, "paired": True, "correlation": 0.5}),
    ("mae", {"difference": 1.2, "deviation": 1.0}),
    ("mae", {"difference": 1.0, "deviation": 1.2, "paired": True}),
]


@pytest.mark.parametrize(("measure", "what"), FEW)
def test_no_plan_has_fewer_cases_than_a_verdict_takes(measure: str, what: dict[str, Any]) -> None:
    """However large a difference is, with 29 positives it is called too few cases to say."""
    plan = sample_size(measure, **what)
    counted = {"recall": plan.positives, "specificity": plan.negatives, "auc": plan.positives}.get(measure, plan.rows)
    assert counted == 30
    assert plan.power > 0.8 and "fewer rows get no verdict" in str(plan)
    less = power(measure, rows=plan.rows - 1, **what)
    assert less.power == 0 and "29" in str(less)


def test_too_few_rows_that_tell_two_apart_are_not_counted_as_seen() -> None:
    """Of five rows on which one alone is right all may be on one side by luck, and the comparison says so."""
    what: dict[str, Any] = {"first": 0.95, "second": 0.7, "paired": True, "discordant": 0.26}
    plan, loose = sample_size("accuracy", **what), sample_size("share", **what)
    assert loose.rows < plan.rows
    rng, seen = np.random.default_rng(5), 0
    for first, second, _ in rng.multinomial(plan.rows, [0.255, 0.005, 0.74], 400).tolist():
        y = np.arange(plan.rows) % 2
        right = np.arange(plan.rows)
        guess = {"a": ~((right >= first) & (right < first + second)), "b": right >= first}
        c = sy.compare(target=y, prediction={k: np.where(v, y, 1 - y) for k, v in guess.items()}, positive=1)
        seen += c.difference("accuracy", "a", "b").verdict == "better"
    assert seen / 400 == pytest.approx(plan.power, abs=noise(400))


def test_skewed_values_take_more_rows() -> None:
    """Exponential errors: with the rows of a plan for normal values the comparison saw 67 of 100 such differences."""
    plain, skewed = (sample_size("mae", difference=0.5, deviation=1.0, skew=x) for x in (0.0, 2.0))
    assert plain.rows == 64 and skewed.rows > plain.rows + 10 and skewed.approximate == plain.rows
    rng, seen, repeats = np.random.default_rng(6), 0, draws(300, 80)
    for _ in range(repeats):
        rows = {"a": rng.exponential(size=skewed.rows), "b": rng.exponential(size=skewed.rows) + 0.5}
        found = {k: sy.evaluate(target=np.zeros(skewed.rows), prediction=v, kind="continuous") for k, v in rows.items()}
        seen += sy.compare(found, measures="mae").difference("mae", "a", "b").verdict == "better"
    assert seen / repeats == pytest.approx(skewed.power, abs=noise(repeats))
    assert "with a skew of 2" in str(sample_size("brier", difference=0.1, deviation=0.3))
    assert "of normal errors" in str(sample_size("rmse", first=1.0, second=1.5, deviation=2.6))
    with pytest.raises(UsageError, match="skew"):
        sample_size("mae", difference=0.5, deviation=1.0, skew=math.nan)


def test_skewed_means_are_the_noncentral_t_without_skew_and_lean_with_it() -> None:
    for n, d in ((40, 0.6), (300, 0.2)):
        assert skewed_means(d, 1.0, n, 0.0, paired=True) == pytest.approx(powers.two_means(d, 1.0, n), abs=NEAR)
        assert skewed_means(d, 1.0, n, 0.0) == pytest.approx(powers.two_means(d, 1.0, n, paired=False), abs=NEAR)
        # Differences whose tail lies on the side of the better model are seen more easily.
        assert skewed_means(d, 1.0, n, 2.0, paired=True) > skewed_means(d, 1.0, n, -2.0, paired=True) + 0.02
        assert skewed_means(-d, 1.0, n, -2.0, paired=True) == skewed_means(d, 1.0, n, 2.0, paired=True)
    assert skewed_means(0.02, 1.0, 40_000, 2.0) == pytest.approx(skewed_means(0.2, 1.0, 400, 0.2), abs=1e-9)
