"""Alerts at a threshold, counted a second time in plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from steelyard.early_warning.alerts import _rate, quantile_estimate
from steelyard.early_warning.timeliness import Timeliness, timeliness
from steelyard.errors import NotAvailable, NothingMeets, UnknownMeasure, UsageError

from .events_at_random import HORIZON, draw

NAMES = {"unit": "who", "time": "day", "score": "p", "outcome": "left", "horizon": HORIZON, "value": "worth"}


def measured(seed: int, **options: Any) -> tuple[Timeliness, dict[str, Any]]:
    drawn = draw(np.random.default_rng(seed), 80, most=12)
    return timeliness(drawn["events"], outcomes=drawn["told"], **NAMES, **options), drawn


def by_hand(drawn: dict[str, Any], threshold: float, quiet: float | None, *, timed: bool) -> dict[str, Any]:
    leads, false, alerts, saved, alarmed, whole = [], 0, 0, 0.0, 0, 0.0
    for who, left, worth, when in zip(*(drawn["told"][k] for k in ("who", "left", "worth", "when")), strict=True):
        end = when if timed and left else HORIZON
        rows = zip(*(drawn["events"][k] for k in ("who", "day", "p")), strict=True)
        days = sorted(d for w, d, p in rows if w == who and p >= threshold and d <= end)
        raised: list[float] = []
        for day in days:
            if quiet is None or not raised or day - raised[-1] >= quiet - 1e-9:
                raised.append(day)
        alerts += len(raised)
        if left and raised:
            leads.append(end - raised[0])
            saved += worth * leads[-1] / HORIZON
            whole += worth * (leads[-1] >= HORIZON / 2)
        elif raised:
            false, alarmed = false + len(raised), alarmed + 1
    return {"leads": leads, "false": false, "alerts": alerts, "saved": saved, "alarmed": alarmed, "whole": whole}


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("quiet", [None, 0.5, 5.0, 40.0])
def test_alerts_are_those_counted_by_hand(quiet: float | None, timed: bool) -> None:
    for seed in range(3):
        t, drawn = measured(seed, **({"outcome_time": "when"} if timed else {}))
        n1, n0 = t.summary.positives, t.summary.negatives
        for threshold in (0.2, 0.6, 0.9):
            right = by_hand(drawn, threshold, quiet, timed=timed)
            a = t.alerts(threshold, quiet=quiet)
            assert a.alerts == right["alerts"]
            assert float(a["recall"]) == pytest.approx(len(right["leads"]) / n1)
            assert float(a["median_lead_time"]) == pytest.approx(np.median(right["leads"]))
            assert float(a["false_alarms_per_time"]) == pytest.approx(right["false"] / HORIZON)
            assert float(a["false_alarms_per_customer_and_time"]) == pytest.approx(right["false"] / HORIZON / n0)
            assert float(a["alerts_per_time"]) == pytest.approx(right["alerts"] / HORIZON)
            assert float(a["precision"]) == pytest.approx(
                len(right["leads"]) / (len(right["leads"]) + right["alarmed"])
            )
            assert float(a["value_saved"]) == pytest.approx(right["saved"])
            assert a.suppressed == by_hand(drawn, threshold, None, timed=timed)["alerts"] - right["alerts"]
            for x in a.numbers.values():
                if x.low is not None:
                    assert x.low <= x.value <= x.high
            curve = a.detection.columns
            for ahead, caught in zip(curve["ahead"], curve["caught"], strict=True):
                assert caught == pytest.approx(sum(lead >= ahead - 1e-12 for lead in right["leads"]) / n1)
            assert all(x >= y for x, y in zip(curve["caught"], curve["caught"][1:]))


@pytest.mark.parametrize("quiet", [None, 3.0])
def test_a_budget_takes_the_lowest_threshold_that_keeps_to_it(quiet: float | None) -> None:
    t, drawn = measured(7)
    scores = np.unique(drawn["events"]["p"])
    for budget in (0.5, 2.0, 5.0):
        a = t.alerts(budget=budget, quiet=quiet)
        assert a.alerts <= budget * HORIZON
        lower = scores[scores < a.threshold]
        assert len(lower) == 0 or t.alerts(float(lower[-1]), quiet=quiet).alerts > budget * HORIZON
        assert "chosen on these events" in a.note
    with pytest.raises(NothingMeets, match="highest score"):
        timeliness(unit=[1, 2, 3], time=[0, 0, 0], score=[1, 1, 1], outcome=[1, 0, 0], horizon=10).alerts(budget=0.1)


def test_value_saved_by_ones_own_function_and_without_values() -> None:
    t, drawn = measured(3)
    right = by_hand(drawn, 0.5, None, timed=False)
    a = t.alerts(0.5, saved=lambda lead, horizon: 1.0 if lead >= horizon / 2 else 0.0)
    assert float(a["value_saved"]) == pytest.approx(right["whole"])
    assert right["whole"] != pytest.approx(right["saved"])
    plain = timeliness(drawn["events"], outcomes=drawn["told"], **{k: v for k, v in NAMES.items() if k != "value"})
    assert plain.alerts(0.5)["value_saved"].reason == "no values of customers were given"


def test_the_interval_of_a_quantile_covers() -> None:
    rng = np.random.default_rng(4)
    for share in (0.25, 0.5, 0.9):
        hits = 0
        for _ in range(400):
            x = quantile_estimate("q", rng.exponential(size=60), share, 0.95)
            truth = -math.log(1 - share)
            hits += x.low is None or x.low <= truth <= x.high
        assert hits / 400 >= 0.92
    few = quantile_estimate("q", np.array([1.0, 2.0]), 0.5, 0.95)
    assert few.low is None
    assert quantile_estimate("q", np.zeros(0), 0.5, 0.95).reason == "no outcome was caught"


def test_the_story_of_alerts_and_what_cannot_be_asked() -> None:
    t, _ = measured(5)
    a = t.alerts(0.6, quiet=2.0)
    assert max(map(len, str(a).splitlines())) <= 80
    assert "were held back" in " ".join(str(a).split())
    assert len(a.frame()) == len(a.numbers)
    assert a.chart().svg().startswith("<svg")
    for bad, words in (({}, "either a threshold or a budget"), ({"threshold": 0.5, "budget": 2}, "either")):
        with pytest.raises(UsageError, match=words):
            t.alerts(**bad)
    with pytest.raises(UsageError, match="quiet period"):
        t.alerts(0.5, quiet=-1)
    with pytest.raises(UsageError, match="budget must be above 0"):
        t.alerts(budget=0)
    with pytest.raises(UnknownMeasure, match='no "recal"'):
        a["recal"]
    with pytest.raises(NotAvailable, match="only their sums"):
        t.plus(t, twice=True).alerts(0.5)


def test_nobody_alerted_is_said() -> None:
    a = timeliness(unit=[1, 2, 3], time=[0, 0, 0], score=[0.1, 0.2, 0.1], outcome=[1, 1, 0], horizon=10).alerts(0.9)
    assert a.alerts == 0
    assert float(a["recall"]) == 0
    assert a["median_lead_time"].value is None
    assert a["precision"].reason == "no customer was alerted"
    assert "catch 0" in str(a)


def test_no_alert_at_all_is_not_certain() -> None:
    """Exactly Poisson's limit, −ln 0.025, and never zero."""
    who = np.arange(1000)
    t = timeliness(unit=who, time=0 * who, score=0 * who + 0.1, outcome=who < 100, value=who, horizon=10)
    a = t.alerts(0.9)
    assert a["false_alarms_per_time"].high == pytest.approx(-math.log(0.025) / 10)
    assert a["false_alarms_per_customer_and_time"].high == pytest.approx(-math.log(0.025) / 900 / 10)
    assert a["value_saved"].low is None and "no outcome was caught" in a["value_saved"].note
    assert max(map(len, str(a).splitlines())) <= 80


def test_rates_of_few_alerts_are_covered() -> None:
    """Customers with alerts are few, and some have several."""
    rng = np.random.default_rng(8)
    for expected in (0.5, 4.0, 12.0, 60.0):
        hits = 0
        for _ in range(400):
            counts = 1.0 + rng.poisson(0.5, rng.poisson(expected))
            x = _rate("alerts", counts, 5000, 0.95, 5000.0)
            hits += x.low <= 1.5 * expected <= x.high
        assert hits / 400 >= 0.93, expected


def test_alerts_have_a_curve() -> None:
    t, _ = measured(5)
    a = t.alerts(0.6)
    assert a.curve() is a.detection and a.curve("detection").chart().svg() == a.chart("detection").svg()
    with pytest.raises(UnknownMeasure, match='no curve "scores"'):
        a.curve("scores")
    told = t.with_alerts(a)
    assert str(a) in str(told) and told.to_dict()["alerts"]["numbers"]["recall"] == a["recall"].to_dict()
    assert told.plus(told, twice=True).alerted is None
