"""steelyard timeliness: alerts wherever it tells, models compared, dates, and what cannot be meant."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from steelyard.views.layout import width_of


@pytest.fixture
def told(steelyard: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    left = rng.random(300) < 0.2
    who, day = np.repeat(np.arange(300), 3), np.tile([0.0, 9.5, 20.0], 300)
    rows = {"customer": who, "day": day, "left": left[who].astype(int), "worth": 1 + who % 9}
    rows |= {"p": np.clip(0.6 * left[who] + rng.beta(1, 9, 900), 0, 1).round(4), "old": rng.random(900).round(4)}
    frame = pd.DataFrame(rows).assign(at=pd.Timestamp("2024-03-01") + pd.to_timedelta(day, unit="D"))
    frame.to_csv(tmp_path / "events.csv", index=False)

    def run(*more: str, time: str = "day", horizon: str = "31 days") -> Any:
        roles = ("--unit", "customer", "--time", time, "--score", "p", "--outcome", "left", "--horizon", horizon)
        return steelyard("timeliness", "events.csv", *roles, *more)

    return run


def test_alerts_are_in_text_page_and_json(told: Any, tmp_path: Path) -> None:
    alert = ("--alert", "0.5", "--value", "worth")
    text = told(*alert)
    assert text.code == 0 and "At a threshold of 0.5" in text.out and "days ahead" in " ".join(text.out.split())
    assert all(width_of(line) <= 80 for line in text.out.splitlines()), text.out
    found = json.loads(told(*alert, "--json").out)["alerts"]
    assert {"recall", "median_lead_time", "false_alarms_per_time", "value_saved"} <= set(found["numbers"])
    assert found["detection"]["columns"]["caught"][0] == found["numbers"]["recall"]["value"]
    for ending in ("html", "md", "json"):
        assert told(*alert, "--report", f"t.{ending}").code == 0
        page = (tmp_path / f"t.{ending}").read_text()
        assert "At a threshold of 0.5" in page, ending
    page = (tmp_path / "t.html").read_text()
    assert "Share of outcomes caught" in page and "Alerts at 0.5" in page and "median lead time (days)" in page
    budget = told("--budget", "2", "--quiet-period", "7")
    assert "at most 2 per day" in " ".join(budget.out.split())


def test_models_are_compared(told: Any, tmp_path: Path) -> None:
    text = told("--against-score", "old")
    assert text.code == 0 and '"p" has a higher Q than "old"' in text.out and "p < 0.0001" in " ".join(text.out.split())
    assert all(width_of(line) <= 80 for line in text.out.splitlines())
    assert json.loads(told("--against-score", "old", "--json").out)["differences"][0]["verdict"] == "better"
    assert told("--against-score", "old", "--report", "c.html").code == 0
    assert "has a higher Q than" in (tmp_path / "c.html").read_text()


def test_dates_and_events_outside(told: Any) -> None:
    by_day, by_date = told(), told("--start", "2024-03-01", time="at")
    assert by_day.code == by_date.code == 0 and by_day.out == by_date.out
    short = told("--outside", "drop", "--time-unit", "day", horizon="15")
    assert "period of 15 days" in " ".join(short.out.split()) and "300 rows were left out: event outside" in short.out
    assert "period ends" in told("--estimator", "period ends", "--ends", "10,20,31").out


WRONG = {
    "dates without a start": (("--json",), "at", "31", "points in time", "--start"),
    "beyond the horizon": ((), "day", "15", "lies outside", "--outside drop"),
    "a quiet period for nothing": (("--quiet-period", "7"), "day", "31", "none were asked for", "--alert"),
    "a threshold and a budget": (("--alert", "0.5", "--budget", "2"), "day", "31", "both came", "one of the two"),
    "alerts of two models": (("--alert", "0.5", "--against-score", "old"), "day", "31", "one model", "Compare"),
    "a model with itself": (("--against-score", "p"), "day", "31", "itself", "--against-score"),
    "ends that are words": (("--estimator", "period ends", "--ends", "a,b"), "day", "31", '--ends: "a"', "Write"),
    "ends divided at other commas": (
        ("--estimator", "period ends", "--ends", "7,5,31,0"),
        "day",
        "31",
        "do not grow",
        "Write",
    ),
    "a length of nothing": ((), "day", "soon", "neither", "31 days"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_get_a_sentence(name: str, told: Any) -> None:
    more, time, horizon, message, hint = WRONG[name]
    found = told(*more, time=time, horizon=horizon)
    assert found.code in (2, 3) and found.out == ""
    assert re.search(re.escape(message), found.err) and hint in found.err.partition("Hint: ")[2], found.err


def test_windows_that_were_counted_are_refused(steelyard: Any, tmp_path: Path) -> None:
    (tmp_path / "days").mkdir()
    (tmp_path / "days" / "2024-05-01.json").write_text(
        '{"steelyard window": 1, "name": "2024-05-01"}', encoding="utf-8"
    )
    roles = ("--unit", "customer", "--time", "day", "--score", "p", "--outcome", "left", "--horizon", "31 days")
    for named in ("days", "days/*.json", "days/2024-05-01.json"):
        found = steelyard("timeliness", named, *roles)
        assert (
            found.code == 2
            and "cannot tell timeliness" in found.err
            and 'steelyard monitor --period "31 days"' in found.err
        )
