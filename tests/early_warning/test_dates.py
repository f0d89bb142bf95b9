"""Times that are dates, events outside the period, and the name of the unit of time."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from steelyard.early_warning.timeliness import Timeliness, timeliness
from steelyard.errors import NotNumeric, UsageError

from ..servers.postgres import Postgres
from .events_at_random import HORIZON, draw

ROLES = {"unit": "who", "score": "p", "outcome": "left"}
DRAWN = draw(np.random.default_rng(12), 60)
WHO = DRAWN["events"]["who"]
ROWS = DRAWN["events"] | {k: DRAWN["told"][k][WHO] for k in ("left", "when")}
START = np.datetime64("2024-02-20T06:00:00.000000")


def dated(days: Any) -> Any:
    """Days as moments after the start, over a leap day and the start of summer time; NaN as nothing."""
    micros = np.array([0 if np.isnan(d) else round(86_400e6 * d) for d in days])
    moments = START + micros.astype("timedelta64[us]")
    moments[np.isnan(days)] = np.datetime64("NaT")
    return moments


FRAME = pd.DataFrame(ROWS | {"at": dated(ROWS["day"]), "gone": dated(ROWS["when"])})
ZONED = FRAME.assign(at=FRAME["at"].dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin"))
DATED = {"time": "at", "outcome_time": "gone", "start": "2024-02-20 06:00", **ROLES}


def same(found: Timeliness, wanted: Timeliness) -> None:
    np.testing.assert_allclose(found.summary.table, wanted.summary.table, rtol=1e-9, atol=1e-9)
    a, b = found.alerts(0.5), wanted.alerts(0.5)
    assert float(a["median_lead_time"]) == pytest.approx(float(b["median_lead_time"]), rel=1e-9)
    assert (a.alerts, dict(found.dropped)) == (b.alerts, dict(wanted.dropped))
    assert found.summary.silent == wanted.summary.silent


def wanted(**options: Any) -> Timeliness:
    return timeliness(ROWS, time="day", outcome_time="when", **ROLES, **({"horizon": HORIZON} | options))


def forms(folder: Path) -> list[Any]:
    for name, frame in (("plain", FRAME), ("zoned", ZONED)):
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_parquet(folder / f"{name}.parquet")
    text = FRAME.assign(at=FRAME["at"].astype(str))
    files = [folder / f"{name}.{kind}" for name in ("plain", "zoned") for kind in ("csv", "parquet")]
    return [FRAME, pl.from_pandas(FRAME), text, *files]


def test_dates_give_what_numbers_give(tmp_path: Path) -> None:
    for data in forms(tmp_path):
        same(timeliness(data, **DATED, horizon=HORIZON), wanted())
    hours = timeliness(FRAME, **DATED, horizon=f"{24 * HORIZON:g} hours")
    assert hours.time_unit == "hours"
    assert float(hours.q) == pytest.approx(float(wanted().q), rel=1e-9)
    assert float(hours.alerts(0.5)["median_lead_time"]) == pytest.approx(
        24 * float(wanted().alerts(0.5)["median_lead_time"])
    )
    length = datetime.timedelta(days=HORIZON)
    same(timeliness(FRAME, **DATED | {"start": START.item()}, horizon=length), wanted())


def test_dates_in_zones(tmp_path: Path) -> None:
    frame = ZONED.drop(columns="gone")
    frame.to_csv(tmp_path / "zoned.csv", index=False)
    roles = {k: v for k, v in DATED.items() if k != "outcome_time"}
    plain = timeliness(ROWS, time="day", horizon=HORIZON, **ROLES)
    for data in (frame, tmp_path / "zoned.csv"):
        assert float(timeliness(data, **roles, horizon=HORIZON).q) == pytest.approx(float(plain.q), rel=1e-9)


def test_events_outside_are_left_out_and_customers_stay(tmp_path: Path) -> None:
    short = {"outside": "drop", "horizon": 20.0}
    rows = {k: v for k, v in ROWS.items() if k != "when"}
    roles = {k: v for k, v in DATED.items() if k != "outcome_time"}
    here = timeliness(rows, time="day", **ROLES, **short)
    late = ROWS["day"] > 20
    assert sum(here.dropped.values()) == late.sum() > 0
    assert here.summary.customers == len(np.unique(WHO))
    # The same as a table of all customers beside the events that are left.
    inside = {k: v[~late] for k, v in DRAWN["events"].items()}
    known = np.isin(DRAWN["told"]["who"], WHO)
    told = {k: v[known] for k, v in DRAWN["told"].items()}
    by_hand = timeliness(inside, outcomes=told, time="day", horizon=20.0, **ROLES)
    np.testing.assert_allclose(here.summary.table, by_hand.summary.table)
    assert here.summary.silent == by_hand.summary.silent > 0
    for data in forms(tmp_path):
        same(timeliness(data, **roles, **short), here)
    told_apart = timeliness(DRAWN["events"], outcomes=DRAWN["told"], time="day", **ROLES, **short)
    pd.DataFrame(DRAWN["events"]).to_parquet(tmp_path / "bare.parquet")
    same(timeliness(tmp_path / "bare.parquet", outcomes=DRAWN["told"], time="day", **ROLES, **short), told_apart)
    assert "left out: event outside the period" in str(told_apart)


def asked_there(data: Any) -> None:
    same(timeliness(data, **DATED, horizon=HORIZON), wanted())
    roles = {k: v for k, v in DATED.items() if k != "outcome_time"}
    rows = {k: v for k, v in ROWS.items() if k != "when"}
    short = {"outside": "drop", "horizon": 20.0}
    same(timeliness(data, **roles, **short), timeliness(rows, time="day", **ROLES, **short))


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.xdist_group("postgres")
def test_dates_in_postgresql(postgres: Postgres) -> None:
    for name, frame in (("plain", FRAME), ("zoned", ZONED)):
        postgres.load(f"dates {name}", arrow(frame))
        asked_there(f"{postgres.reader_uri}&table={quote(f'dates {name}')}")


@pytest.mark.xdist_group("spark")
def test_dates_in_spark(spark_connect: Any) -> None:
    for frame, mine in ((FRAME, "cast(at as timestamp_ntz) as at"), (ZONED, "at")):
        # Spark takes moments without a zone for those of its session, unless they are told apart.
        there = spark_connect.createDataFrame(arrow(frame))
        asked_there(there.selectExpr("who", "p", "left", mine, "cast(gone as timestamp_ntz) as gone"))


def test_the_unit_of_time_is_told() -> None:
    t = timeliness(ROWS, time="day", horizon="31 days", **ROLES)
    assert t.time_unit == "days"
    assert "over a period of 31 days" in " ".join(str(t).split())
    told = " ".join(str(t.alerts(budget=1)).split())
    assert "at most 1 per day" in told and "days ahead" in told and "median lead time (days)" in told
    assert "(days)" in t.alerts(0.5).chart().x.title and "(days)" in t.chart().x.title
    assert Timeliness.from_dict(t.to_dict()).time_unit == "days"
    assert timeliness(ROWS, time="day", horizon=31, time_unit="day", **ROLES).time_unit == "days"


@pytest.mark.parametrize(
    ("data", "options", "kind", "words"),
    [
        (FRAME, {"start": None}, NotNumeric, 'The column "at" holds points in time'),
        (FRAME, {"time": "day"}, UsageError, 'the column "day" holds no dates'),
        (FRAME, {"start": "soon"}, UsageError, 'a date or a moment, and "soon" came'),
        (FRAME, {"horizon": "1 month"}, UsageError, "not all of these are equally long"),
        (FRAME, {"horizon": "31 days", "time_unit": "hours"}, UsageError, "told in days"),
        (FRAME.assign(at="soon"), {}, NotNumeric, '"soon" is neither'),
        (FRAME, {"outside": "keep"}, UsageError, 'outside="keep" is not known'),
    ],
)
def test_what_cannot_be_read_is_told(data: Any, options: dict[str, Any], kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words) as found:
        timeliness(data, **({**DATED, "horizon": HORIZON, "outcome_time": None} | options))
    assert found.value.hint


def test_text_in_a_file_that_is_no_date(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    FRAME.to_csv(path, index=False)
    with pytest.raises(NotNumeric, match="points in time"):
        timeliness(path, time="at", horizon=31, **ROLES)
    FRAME.assign(at=["soon", *FRAME["at"].astype(str)[1:]]).to_csv(path, index=False)
    with pytest.raises(NotNumeric, match='holds "soon"'):
        timeliness(path, time="at", start="2024-02-20", horizon=31, **ROLES)
