"""References of the monitor in every form, what it tells, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import (
    EmptyTable,
    InputError,
    MissingValues,
    NotAvailable,
    NotNumeric,
    SteelyardError,
    UnknownColumn,
    UnreadableSource,
    UsageError,
)
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.volume import Volume
from steelyard.views.layout import width_of

from .conftest import late_labels, stream, watch


def test_references_of_every_form_agree(worn: pd.DataFrame, tmp_path: Path) -> None:
    before, after = worn[worn["when"] < "2024-03-11"], worn[worn["when"] >= "2024-03-11"]
    wanted = watch(worn, features=["x"])
    path = tmp_path / "base.json"
    wanted.baseline.save(path)
    assert Baseline.load(path).hash == sy.load(path).hash == wanted.baseline.hash
    before.to_csv(tmp_path / "before.csv", index=False)
    forms = [
        (worn, "2024-03-11"),
        (worn, datetime(2024, 3, 11)),
        (worn, 10),
        (worn, "first:10"),
        (after, before),
        (after, str(tmp_path / "before.csv")),
        (after, wanted.baseline),
        (after, str(path)),
    ]
    for data, reference in forms:
        m = watch(data, reference=reference, features=["x"])
        # A table may be a sample, so it does not say how many rows are usual.
        table = reference is before or str(reference).endswith(".csv")
        skipped = {"volume"} if table else set()
        told, asked = (
            [[s.to_dict() for s in w.signals if s.name not in skipped] for w in found.windows] for found in (m, wanted)
        )
        assert told == asked, reference
        assert (m.baseline.hash == wanted.baseline.hash) != table
        bare = [replace(x.baseline, volume=Volume(), covers=None) for x in (m, wanted)]
        assert bare[0].hash == bare[1].hash
    base = sy.evaluate(before, target="y", score="p")
    base.save(tmp_path / "e.json")
    assert watch(after, reference=str(tmp_path / "e.json")).windows == watch(after, reference=base).windows
    (tmp_path / "bad.json").write_text("[1]")
    for name in ("bad.json", "gone.json"):
        with pytest.raises(UnreadableSource):
            watch(after, reference=str(tmp_path / name))
    alone = watch(after, reference=sy.evaluate(before, target="y", score="p"))
    assert [w["auc"].value for w in alone.windows] == [w["auc"].value for w in wanted.windows]
    assert alone.signals == ("volume", "auc") and "not watched" in alone.notes[0]


def test_a_changed_baseline_is_refused(calm: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    watch(calm).baseline.save(path)
    held = json.loads(path.read_text())
    path.write_text(json.dumps(held | {"rows": held["rows"] + 1}))
    with pytest.raises(UnreadableSource, match="changed after it was saved"):
        Baseline.load(path)
    for text in ("{}", "no", json.dumps({"steelyard baseline": 1})):
        path.write_text(text)
        with pytest.raises(UnreadableSource):
            Baseline.load(path)
    with pytest.raises(UnreadableSource):
        Baseline.load(tmp_path / "gone.json")


def test_since_tells_less_but_changes_no_state(worn: pd.DataFrame) -> None:
    whole = watch(worn)
    m = watch(worn, since="2024-03-25")
    assert [w.to_dict() for w in m.windows] == [w.to_dict() for w in whole.windows if w.name >= "2024-03-25"]
    assert m.worst == "alarm" and {a.after for a in m.alarms} == {"recovering", "ok"}


# ---- telling


def test_text_json_frame_chart_and_report(worn: pd.DataFrame, tmp_path: Path) -> None:
    m = watch(late_labels(worn), label_time="known", horizon=20, features=["x", "city"], since="2024-03-15")
    text = str(m)
    assert all(width_of(line) <= 80 for line in text.splitlines())
    assert "at most 1 false alarm per quarter" in text.replace("\n  ", " ")
    held = json.loads(json.dumps(m.to_dict(), allow_nan=False))
    assert held["state"] == m.state and len(held["windows"]) == len(m)
    frame = m.frame()
    assert len(frame) == len(m) * len(m.signals) and set(frame["signal"]) == set(m.signals)
    for name in m.signals:
        chart = m.chart(name)
        assert chart.svg().startswith("<svg") and len(chart.columns["window"]) == len(m)
        json.dumps(chart.vega(), allow_nan=False)
    hollow = [p for p in m.chart("auc").marks if getattr(p, "shape", "") == "ring"]
    assert len(hollow) == sum(w["auc"].state == "immature" for w in m.windows) > 0
    for ending in ("html", "md", "json"):
        m.report(tmp_path / f"state.{ending}")
        assert "stale" in (tmp_path / "state.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))["state"] == m.state
    with pytest.raises(UsageError, match='no signal "acu"'):
        m.windows[0]["acu"]
    with pytest.raises(UsageError, match="no window"):
        m["2023-01-01"]


# ---- what is wrong


@pytest.mark.parametrize(
    ("given", "kind", "why"),
    [
        ({"time": None}, UsageError, "No column of times was named"),
        ({"time": "then"}, UnknownColumn, 'no column "then"'),
        ({"time": "city"}, NotNumeric, "cannot be read as a date"),
        ({"time": "x"}, NotNumeric, "holds numbers"),
        ({"zone": "Mars/Base"}, UsageError, "no time zone"),
        ({"window": 0}, UsageError, "must have a length"),
        ({"window": timedelta(0)}, UsageError, "must have a length"),
        ({"window": "fortnight"}, UsageError, "no window"),
        ({"reference": None}, UsageError, "no reference"),
        ({"reference": "2023-01-01"}, EmptyTable, "is empty: the first window is 2024-03-01"),
        ({"reference": "2025-01-01"}, EmptyTable, "none is left to be judged"),
        ({"reference": "first 0 windows"}, EmptyTable, "is empty"),
        ({"reference": "first 40 windows"}, EmptyTable, "takes all 40 windows"),
        ({"window": "hour", "reference": 2}, InputError, "At least 50 are needed"),
        ({"reference": "gone.csv"}, SteelyardError, "gone.csv"),
        ({"since": "2025-01-01"}, EmptyTable, "became known since 2025-01-01"),
        ({"since": "soon"}, UsageError, "cannot be read as a date"),
        ({"now": "2020-01-01"}, EmptyTable, "no rows up to 2020-01-01"),
        ({"mode": "daily"}, UsageError, "not a choice"),
        ({"margin": 5}, UsageError, "margin"),
        ({"confidence": 95}, UsageError, "confidence"),
        ({"score": None}, UsageError, "neither a score nor a prediction"),
        ({"features": ["xx"]}, UnknownColumn, 'no column "xx"'),
        ({"measures": "prevalence"}, UsageError, "neither better when high nor when low"),
        ({"measures": "mae"}, NotAvailable, "cannot be told from these columns"),
        ({"for_": 0}, UsageError, "in a row"),
        ({"budget": "never"}, UsageError, "budget"),
        ({"horizon": "0 days"}, UsageError, "waited for"),
    ],
)
def test_what_cannot_be_meant_is_told(calm: pd.DataFrame, given: dict[str, Any], kind: type, why: str) -> None:
    with pytest.raises(kind) as told:
        watch(calm, **given)
    assert why in str(told.value) and told.value.hint


def test_what_the_rows_lack_is_told(calm: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="missing in every row"):
        watch(calm.assign(y=np.nan))
    with pytest.raises(InputError, match="in every row of the reference"):
        watch(calm.assign(y=calm["y"].where(calm["when"] >= "2024-03-11")))
    gaps = calm.assign(when=calm["when"].where(np.arange(len(calm)) != 7))
    with pytest.raises(MissingValues, match="1 of 16,000 rows have no time"):
        watch(gaps)
    assert watch(gaps, missing="drop").baseline.rows == 3999
    with pytest.raises(EmptyTable, match="no rows"):
        watch(calm[:0])
    mixed = calm["when"].astype(object)
    mixed.iloc[3] = mixed.iloc[3].tz_localize("UTC")
    with pytest.raises(NotNumeric, match="some have none"):
        watch(calm.assign(when=mixed))
    with pytest.raises(MissingValues):
        watch(calm.assign(p=calm["p"].where(np.arange(len(calm)) != 12_000)))
    with pytest.raises(UsageError, match="named columns"):
        watch([1, 2, 3])
    with pytest.raises(NotAvailable, match="does not know x"):
        watch(calm, reference=watch(calm).baseline, features=["x"])


def test_words_in_a_picture_do_not_meet() -> None:
    from steelyard.charts.marks import Text
    from steelyard.views.monitor_pictures import ACROSS, LETTER

    rows = stream(3, days=80)
    days = (rows["when"] - pd.Timestamp("2024-03-01")).dt.days
    rng = np.random.default_rng(6)
    # Every other day is bad, so that alarms fire two windows apart.
    bad = (days >= 12) & (days % 2 == 0)
    rows["y"] = np.where(bad, rng.random(len(rows)) < 0.35, rows["y"]).astype(int)
    m = watch(rows, for_=1)
    chart = m.chart("auc")
    words = [t for t in chart.marks if isinstance(t, Text) and t.text in {"alarm", "warn"}]
    places = []
    for t in words:
        start = ACROSS * (t.x + 0.5) / len(m) + t.dx
        width = LETTER * len(t.text)
        places.append((t.dy, start if t.anchor == "start" else start - width, width))
    assert len(places) > 8 and len({dy for dy, _, _ in places}) > 1
    for i, (dy, start, width) in enumerate(places):
        assert all(dy != d or start + width <= s or s + w <= start for d, s, w in places[i + 1 :])
    highest = max(v for v in (*chart.columns["high"], *chart.columns["value"]) if v is not None)
    assert all(t.y > highest for t in words)


def test_labels_that_are_waited_for_are_told_plainly(worn: pd.DataFrame) -> None:
    late = worn.assign(y=worn["y"].where(worn["when"] < "2024-04-09"))
    told = " ".join(watch(late).sentences())
    assert "Labels of 1 window are not in (none of the rows has one so far)" in told
    more = worn.assign(y=worn["y"].where((worn["when"] < "2024-04-07") | (np.arange(len(worn)) % 4 == 0)))
    told = " ".join(watch(more.assign(y=more["y"].where(more["when"] < "2024-04-09"))).sentences())
    assert "Labels of 3 windows are not in (0% to 25% of the rows of each have one so far)" in told
