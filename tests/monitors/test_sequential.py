"""Looking at any time: the sequence holds at all looks, sees what is worse, and sums of losses add."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.errors import NotAvailable, UsageError
from steelyard.monitors.sequential import LEAST, half_width, looks, loss_name, losses, row_loss
from steelyard.summaries.losses import Losses


def test_losses_add_in_any_way() -> None:
    rng = np.random.default_rng(1)
    x, w = rng.gamma(1, 2, 300), rng.uniform(0.5, 2, 300)
    whole = Losses.of(x, w)
    parts = sum((Losses.of(x[i : i + 7], w[i : i + 7]) for i in range(0, 300, 7)), Losses())
    for name in ("mean", "deviation", "n", "weight"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name))
    assert whole.mean == pytest.approx(np.average(x, weights=w)) and whole.n < 300
    assert Losses.of(x).n == 300 and Losses.of(x).deviation == pytest.approx(x.std())
    assert Losses(**whole.to_dict()) == whole


def test_the_width_is_that_of_the_formula_and_shrinks() -> None:
    for t, sd, alpha, tuned in ((100, 0.3, 0.05, 1000.0), (5000, 1.0, 0.001, 200.0)):
        r2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / tuned
        wanted = sd * math.sqrt(2 * (t * r2 + 1) / (t**2 * r2) * math.log(math.sqrt(t * r2 + 1) / alpha))
        assert half_width(t, sd, alpha, tuned) == pytest.approx(wanted)
    widths = [half_width(t, 0.3, 0.05) for t in (100, 1000, 10_000, 100_000)]
    assert widths == sorted(widths, reverse=True)
    # Wider than an interval for one look, and not more than three times as wide.
    assert 1.96 < widths[1] / (0.3 / math.sqrt(1000)) < 4
    with pytest.raises(UsageError, match="level between 0 and 1"):
        half_width(10, 1.0, 1.5)


def test_a_sequence_holds_at_all_looks_at_once() -> None:
    rng = np.random.default_rng(2)
    left = 0
    t = np.arange(1, 4001)
    widths = np.array([half_width(float(i), 1.0, 0.1) for i in t])
    for _ in range(200):
        x = rng.standard_exponential(4000) - 1
        left += bool((np.abs(x.cumsum() / t)[LEAST:] > widths[LEAST:]).any())
    assert left <= 0.1 * 200 + 3 * math.sqrt(0.09 * 200)


def test_stable_streams_seldom_fire_though_looked_at_every_day() -> None:
    rng = np.random.default_rng(3)
    fired = naive = 0
    repeats = 120
    for _ in range(repeats):
        reference = Losses.of(rng.random(3000) < 0.15)
        windows = [Losses.of(rng.random(200) < 0.15) for _ in range(90)]
        found = looks(reference, windows, 0.0, 0.05)
        fired += any(x.state in {"warn", "alarm"} for x in found)
        limit = reference.mean
        naive += any(w.mean - 1.645 * w.deviation / math.sqrt(w.n) > limit for w in windows)
    assert fired <= 0.05 * repeats + 2 * math.sqrt(0.05 * 0.95 * repeats)
    assert naive > 0.5 * repeats


def test_a_bad_month_after_calm_years_is_seen() -> None:
    rng = np.random.default_rng(4)
    reference = Losses.of(rng.random(20_000) < 0.1)
    calm = [Losses.of(rng.random(500) < 0.1) for _ in range(200)]
    bad = [Losses.of(rng.random(500) < 0.25) for _ in range(10)]
    found = looks(reference, [*calm, *bad], 0.04, 0.05, "error_rate")
    assert all(x.state == "ok" for x in found[:200])
    first = next(i for i, x in enumerate(found) if x.state == "alarm")
    assert 200 <= first < 206
    assert "windows" in found[first].reason and found[first].estimate.low is not None
    # A window that is not counted leaves everything as it was.
    gap = looks(reference, [*calm, None, *bad], 0.04, 0.05, "error_rate")
    assert gap[200].estimate == found[199].estimate and gap[-1].estimate == found[-1].estimate


def test_worse_within_the_margin_is_a_warning() -> None:
    rng = np.random.default_rng(5)
    reference = Losses.of(rng.random(50_000) < 0.1)
    windows = [Losses.of(rng.random(5000) < 0.13) for _ in range(10)]
    assert looks(reference, windows, 0.05, 0.05)[-1].state == "warn"
    assert looks(reference, windows, 0.01, 0.05)[-1].state == "alarm"
    assert looks(reference, [Losses.of([0.0] * 20)], 0.05, 0.05)[0].state == "insufficient"
    with pytest.raises(NotAvailable, match="needs at least 100"):
        looks(Losses.of([0.0, 1.0] * 20), windows, 0.05, 0.05)


def test_losses_are_those_of_the_measures() -> None:
    import steelyard as sy

    rng = np.random.default_rng(6)
    p = rng.random(400)
    y = (rng.random(400) < p).astype(float)
    e = sy.evaluate(target=y.astype(int), score=p, threshold=0.4)
    for name, m in losses("scores").items():
        assert row_loss(m, y, p, 0.4).mean() == pytest.approx(e[name].value)
    f = sy.evaluate(target=y * 3.5 + p, prediction=p * 2.1, kind="continuous")
    for name, m in losses("numbers").items():
        assert row_loss(m, y * 3.5 + p, p * 2.1).mean() == pytest.approx(f[name].value)


def test_only_means_over_rows_can_be_followed() -> None:
    assert loss_name("accuracy", "scores") == "error_rate"
    for measure, kind in (("auc", "scores"), ("brier", "labels"), ("rmse", "numbers"), ("accuracy", "classes")):
        with pytest.raises(NotAvailable, match="no mean over rows"):
            loss_name(measure, kind)
