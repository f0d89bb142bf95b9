"""The budget: what was said, the level that follows, and that it is kept."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from steelyard.errors import UsageError
from steelyard.monitors.alarms import follow
from steelyard.monitors.budget import budget_of, spent

DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("said", "window", "signals", "alpha"),
    [
        ("1 per quarter", DAY, 1, 4 / 365.25),
        (1, DAY, 1, 4 / 365.25),
        ("0.5", DAY, 1, 2 / 365.25),
        ("2 a year", 7 * DAY, 4, 2 / (365.25 / 7 * 4)),
        ("0.05 per 52 windows", DAY, 2, 0.05 / 104),
        ("0.5 per 2 weeks", timedelta(hours=1), 3, 0.5 / (336 * 3)),
        ("1 per month", 30 * DAY, 1, 0.05),
        ("1/day", 7 * DAY, 1, 0.05),
    ],
)
def test_the_level_follows(said: object, window: timedelta, signals: int, alpha: float) -> None:
    found = budget_of(said, window, signals)
    assert found.alpha == pytest.approx(alpha)
    assert "false alarm" in found.text and found.to_dict()["alpha"] == found.alpha


def test_twice_the_signals_have_half_the_level() -> None:
    for n in (1, 2, 5, 40):
        assert budget_of("1 per year", DAY, 2 * n).alpha == pytest.approx(budget_of("1 per year", DAY, n).alpha / 2)


def test_the_budget_is_kept_when_every_test_is_exact() -> None:
    rng = np.random.default_rng(5)
    for said, windows in (("1 per quarter", 365), ("1 per year", 365)):
        b = budget_of(said, DAY, 3)
        p = rng.random((400, windows, 3))
        alarms = (p < b.alpha).sum(axis=(1, 2)).mean() / (windows / b.windows)
        assert alarms == pytest.approx(b.alarms, abs=4 * np.sqrt(b.alarms * b.windows / windows / 400) + 0.01)
        fired = 0
        for one in p[:100]:
            for series in one.T:
                states = [s.state for s in follow(["high" if x < b.alpha else "low" for x in series])]
                fired += states.count("firing") > 0
        assert fired / 100 < b.alarms * windows / b.windows


def test_spending_keeps_to_the_level_at_any_number_of_looks() -> None:
    for alpha in (0.01, 0.05):
        parts = [spent(alpha, k) for k in range(1, 2000)]
        assert sum(parts) < alpha and parts == sorted(parts, reverse=True)
        assert sum(parts) > 0.999 * alpha


def test_what_is_no_budget_is_told() -> None:
    for wrong in (
        "often",
        "1 per fortnight",
        "per quarter",
        0,
        -1,
        float("nan"),
        "0 per year",
        None,
        "1..2 per year",
        True,
    ):
        with pytest.raises(UsageError, match="budget"):
            budget_of(wrong, DAY, 1)
