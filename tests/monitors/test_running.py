"""Small losses that last: the sum keeps to its budget, sees them sooner than windows do, and ends when they do."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import NotAvailable
from steelyard.monitors.labels import Labels
from steelyard.monitors.running import _tilt, follow_losses, limit_of
from steelyard.summaries.losses import Losses

from .conftest import stream, watch

IN = Labels(1, 1)
NOTHING = (np.zeros(0), np.zeros(0))


def test_the_tilt_is_twice_the_slack_for_a_normal_law_and_less_for_a_skewed_one() -> None:
    z = np.linspace(-6, 6, 2001)
    w = np.exp(-z * z / 2)
    assert _tilt(z, w, 0.05) == pytest.approx(0.1, rel=1e-3)
    p = 0.02
    rare = (np.array([0.0, 1.0]) - p) / math.sqrt(p * (1 - p))
    found = _tilt(rare, np.array([1 - p, p]), 0.1)
    assert found < 0.19
    # The root itself, checked against the law of two values.
    law = (1 - p) * math.exp(found * (rare[0] - 0.1)) + p * math.exp(found * (rare[1] - 0.1))
    assert law == pytest.approx(1.0, abs=1e-9)


def test_the_limit_is_passed_as_seldom_as_was_said() -> None:
    rng = np.random.default_rng(1)
    # With a reference of endless size, so that only the sum itself is tried.
    sure = Losses(1e12, 1e12, 0.0, 1e12)
    limit = limit_of(sure, *NOTHING, 0.0, 4000.0)
    assert limit.height > 1
    slack, height, fired = 0.2, 0.0, 0
    k = Losses(1e12, 1e12, 0.2e12, (1 + 0.04) * 1e12)
    height = limit_of(k, *NOTHING, 1.0, 2000.0).height
    total = 0.0
    for z in rng.standard_normal(200_000):
        total = max(0.0, total + z - slack)
        if total > height:
            fired, total = fired + 1, 0.0
    assert fired == pytest.approx(100, rel=0.3)


def test_a_small_loss_is_seen_sooner_than_by_windows_and_ends() -> None:
    rng = np.random.default_rng(2)

    def losses(rate: float, n: int = 300) -> Losses:
        return Losses.of(rng.random(n) < rate)

    reference = losses(0.15, 6000)
    days = [losses(0.15) for _ in range(60)] + [losses(0.20) for _ in range(15)] + [losses(0.14) for _ in range(60)]
    found = follow_losses(
        "error_rate", reference, (np.array([1.0, 0.0]), np.array([900.0, 5100.0])), days, [IN] * 135, 0.05, 0.003
    )
    assert all(s.state == "ok" for s in found[:60])
    first = next(i for i, s in enumerate(found) if s.state == "alarm")
    assert 60 <= first <= 70 and "worse by more than the margin of 5%" in found[first].reason
    assert found[-1].state == "ok" and found[-1].clears == (True, True)
    assert found[first].value is not None and found[first].value.note.startswith("the mean of the last")


def test_windows_that_wait_change_nothing() -> None:
    rng = np.random.default_rng(3)
    days = [Losses.of(rng.random(300) < 0.2) for _ in range(6)]
    reference = Losses.of(rng.random(6000) < 0.15)
    plain = follow_losses("error_rate", reference, NOTHING, days, [IN] * 6, 0.05, 0.003)
    late = Labels(300, 100, mature=False, reason="late")
    gap = follow_losses(
        "error_rate", reference, NOTHING, [*days[:3], None, *days[3:]], [IN] * 3 + [late] + [IN] * 3, 0.05, 0.003
    )
    assert [s.reason for s in gap if s.state != "immature"] == [s.reason for s in plain]
    assert (gap[3].state, gap[3].reason) == ("immature", "late")


def test_it_is_a_measure_beside_others() -> None:
    rows = stream(5, bad=slice(25, 40))
    m = watch(rows, measures=["auc", "running brier"])
    assert m.signals[:3] == ("volume", "auc", "running brier")
    fired = [a for a in m.alarms if a.signal == "running brier" and a.after == "firing"]
    assert fired and fired[0].window == "2024-03-26"  # at once: one window of noise is enough
    assert m.budget is not None and m.budget.signals == 4
    assert watch(rows, measures=["running log_loss"]).signals[1] == "running log_loss"
    with pytest.raises(NotAvailable, match="no mean over rows"):
        watch(rows, measures=["running auc"])
    with pytest.raises(NotAvailable, match="independent"):
        watch(rows, measures=["running brier"], unit="city")
    with pytest.raises(NotAvailable, match="cannot be told"):
        watch(rows.assign(p=rows["p"] * 30 - 4), measures=["running brier"])


def test_weekends_that_are_usual_neither_hide_a_small_loss_nor_start_one() -> None:
    """Losses of weekends are far larger; a sum that took that for chance would need much more to be sure of anything."""
    rng = np.random.default_rng(8)
    day = np.repeat(np.arange(28 + 35), 300)
    rest = day % 7 >= 5
    z = rng.normal(size=len(day))
    p = 1 / (1 + np.exp(1.2 - 1.5 * z))
    chance = np.where(rest, 1 / (1 + np.exp(1.2 - 0.3 * z)), p)
    late = (day >= 28 + 14) & (rng.random(len(day)) < 0.2)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(day + 0.9 * rng.random(len(day)), unit="D")
    fired = {}
    for name, worn in (("stable", False), ("worn", True)):
        y = (rng.random(len(day)) < np.where(late & worn, p.mean(), chance)).astype(int)
        rows = pd.DataFrame({"when": when, "y": y, "p": p})
        m = sy.monitor(
            rows, time="when", target="y", score="p", reference="first 28 windows", measures=["running brier"]
        )
        assert m.baseline.variation.excess["brier"] < 2 and m.baseline.variation.measures["running brier"].places
        fired[name] = [a.window for a in m.alarms if a.signal == "running brier" and a.after == "firing"]
    assert not fired["stable"] and fired["worn"] and "2024-02-12" <= fired["worn"][0] <= "2024-02-21"
