"""Windows that differ among themselves though nothing changed: within the budget, and a real loss is still seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from steelyard.monitors.baseline import Baseline
from steelyard.monitors.lengths import length_that_would_do
from steelyard.monitors.monitor import monitor
from steelyard.monitors.result import Monitor
from steelyard.monitors.variation import Spread, Variation

START = pd.Timestamp("2024-01-01")


def drawn(
    seed: int, windows: int, rows: int, days: int = 7, wobble: float = 0.0, weekend: bool = False, lost: Any = None
) -> pd.DataFrame:
    """Scores whose worth varies from window to window, or on weekends; from one window on outcomes lose their meaning."""
    rng = np.random.default_rng(seed)
    place = np.repeat(np.arange(windows), rows)
    rest = (place % 7 >= 5) & weekend
    slope = 1.5 * np.exp(rng.normal(0, wobble, windows))[place] * np.where(rest, 0.5, 1.0)
    z = rng.normal(size=len(place)) + np.where(rest, 0.8, 0.0)
    chance = 1 / (1 + np.exp(1.2 - slope * z))
    if lost is not None:
        chance = np.where(place >= lost, chance.mean(), chance)
    when = START + pd.to_timedelta(place * days + rng.random(len(place)) * 0.999 * days, unit="D")
    p = 1 / (1 + np.exp(1.2 - 1.5 * z))
    return pd.DataFrame({"when": when, "y": (rng.random(len(place)) < chance).astype(int), "p": p})


def watch(data: pd.DataFrame, **given: Any) -> Monitor:
    usual: dict[str, Any] = {"time": "when", "target": "y", "score": "p", "window": "week", "for_": 1}
    return monitor(data, **(usual | {"reference": "first 10 windows"} | given))


def strange(m: Monitor, name: str) -> int:
    return sum(s.state in {"warn", "alarm"} for s in m.series(name))


def test_the_spread_is_that_of_the_formula_and_of_brute_force() -> None:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(300):
        errors = rng.uniform(0.01, 0.03, 12)
        x = 0.8 + rng.normal(0, 0.02, 12) + rng.normal(0, errors)
        s = Spread.of(x, errors, [""] * 12)
        w = 1 / errors**2
        mean = np.sum(w * x) / w.sum()
        wanted = (np.sum(w * (x - mean) ** 2) - 11) / (w.sum() - np.sum(w**2) / w.sum())
        assert s.between == pytest.approx(np.sqrt(max(0, wanted)))
        found.append(wanted)
    assert np.mean(found) == pytest.approx(0.02**2, rel=0.15)
    assert Spread.of([0.8] * 6, [0.02] * 6, [""] * 6).between == 0


def test_days_of_the_week_are_told_apart_only_where_they_differ() -> None:
    rng = np.random.default_rng(2)
    places = [f"day {i % 7}" for i in range(28)]
    same = Spread.of(0.8 + rng.normal(0, 0.02, 28), [0.02] * 28, places)
    assert not same.places and same.free == 27
    apart = Spread.of(np.where(np.arange(28) % 7 == 6, 0.7, 0.8) + rng.normal(0, 0.02, 28), [0.02] * 28, places)
    assert apart.places["day 6"][0] == pytest.approx(0.7, abs=0.03) and apart.free == 21


def test_weeks_that_wobble_keep_to_the_budget_and_a_loss_is_seen() -> None:
    told = [watch(drawn(seed, 36, 1500, wobble=0.2)) for seed in range(4)]
    assert sum(strange(m, "auc") for m in told) <= 5
    plain = watch(drawn(0, 36, 1500, wobble=0.2), reference=drawn(0, 10, 1500)[["y", "p"]])
    assert strange(plain, "auc") > 3  # against rows without times, of which nothing is known
    assert any("no more than windows of the reference differ" in s.reason for m in told for s in m.series("auc"))
    m = watch(drawn(1, 36, 1500, wobble=0.2, lost=20))
    assert all(s.state == "alarm" for s in m.series("auc")[10:])


def test_weekends_are_held_against_weekends() -> None:
    m = watch(drawn(3, 70, 600, days=1, weekend=True), reference="first 28 windows", window="day")
    assert strange(m, "auc") <= 1 and strange(m, "p") == 0
    rest = next(w for w in m.windows if w.window.start.weekday() == 5)
    assert "on such days of the reference it was no other" in rest["p"].reason
    assert rest["auc"].reference is not None and rest["auc"].reference < 0.75 < m.baseline.evaluation["auc"].value  # type: ignore[index]
    # A Wednesday that looks like a Sunday is still strange.
    data = drawn(3, 70, 600, days=1, weekend=True)
    day = (data["when"] - START).dt.days
    swapped = data.assign(
        when=data["when"] + pd.to_timedelta(np.where(day == 68, -3, np.where(day == 65, 3, 0)), unit="D")
    )
    m = watch(swapped, reference="first 28 windows", window="day")
    assert m["2024-03-06"]["p"].state in {"warn", "alarm"}


def test_a_saved_reference_and_a_table_know_how_windows_differ(tmp_path: Path) -> None:
    rows = drawn(4, 36, 1500, wobble=0.2)
    first = rows["when"] < START + pd.Timedelta(weeks=10)
    base = watch(rows).baseline
    base.save(tmp_path / "b.json")
    again = Baseline.load(tmp_path / "b.json")
    assert again.variation == base.variation != Variation() and again.hash == base.hash
    wanted = [s.state for s in watch(rows).series("auc")]
    for reference in (again, rows[first]):
        assert [s.state for s in watch(rows[~first], reference=reference).series("auc")] == wanted


# Windows that are too short -------------------------------------------------------------------------------------------


def test_too_short_windows_say_which_length_would_do() -> None:
    rng = np.random.default_rng(5)
    n = 18 * 140
    place = np.arange(n) // 140
    p = 1 / (1 + np.exp(3.2 - 1.5 * rng.normal(size=n)))
    y = np.where(place == 12, 0, rng.random(n) < p).astype(int)
    when = START + pd.to_timedelta(place * 7 + rng.random(n) * 6.9, unit="D")
    m = watch(pd.DataFrame({"when": when, "y": y, "p": p}), reference="first 5 windows")
    sentence = next(s for s in m.sentences() if "too few cases" in s)
    assert "windows have too few cases to judge performance by: 140 rows a window hold about 1" in sentence
    assert "and 30 are needed; windows of a month would do." in sentence
    assert all(s.reason.endswith("windows of a month would do") for s in m.series("auc") if s.state == "insufficient")
    assert "n/a in 2024-W13: needs at least one positive and one negative." in " ".join(str(m).split())


def test_lengths_that_would_do() -> None:
    from datetime import timedelta

    assert length_that_would_do("hour", 10, 200) == "a day" and length_that_would_do("month", 10, 35) == "16 weeks"
    assert length_that_would_do(timedelta(days=3), 10, 20) == "a week"


def test_a_reference_with_too_few_cases_says_so() -> None:
    rows = drawn(6, 20, 40)
    told = " ".join(watch(rows, reference="first 2 windows").sentences())
    assert "The reference has only" in told and "take a longer one" in told


def test_days_with_moods_are_known_by_their_scores() -> None:
    """Days that share the mood of their week vary more than 28 of them can tell of a loss; scores tell it at once."""
    for spread, moody in ((0.0, False), (0.15, True)):
        rng = np.random.default_rng(31)
        day = np.repeat(np.arange(42), 300)
        z = rng.normal(size=len(day)) + rng.normal(0, spread, 6)[day // 7]
        p = 1 / (1 + np.exp(1.2 - 1.5 * z))
        when = pd.Timestamp("2024-01-01") + pd.to_timedelta(day + 0.9 * rng.random(len(day)), unit="D")
        rows = pd.DataFrame({"when": when, "y": (rng.random(len(day)) < p).astype(int), "p": p})
        m = monitor(rows, time="when", target="y", score="p", reference="first 28 windows", measures=["running brier"])
        found = m.baseline.variation.excess["brier"]
        assert found >= 1.45 if moody else found < 1.4, found
