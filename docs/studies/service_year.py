"""A year of a service in minutes, by a clock that is set: python docs/studies/service_year.py [STABLE YEARS] [SEED].

A model wears out from June on, labels come 30 days late, two outages bring no rows, clocks change twice, and a retrained version
takes over in October. Rows go as soon as they may. At the end of each month the alarm history is held against that of the library
on all rows known by then. Stable years after that: nothing changes, and alarms are counted against their budget.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import steelyard as sy
from steelyard.serve.declared import declaration_of
from steelyard.serve.incoming import Sending
from steelyard.serve.service import Service
from steelyard.serve.store import open_store

ZONE = "Europe/Berlin"
ROLES: dict[str, Any] = {"time": "scored", "target": "y", "score": "p", "label_time": "known"}
OUTAGES = (("2026-04-14", "2026-04-19"), ("2026-08-20", "2026-08-24"))
A_DAY = 60
DAY = pd.Timedelta("1D")


def drawn(seed: int, first: str, days: int, *, wears: bool, a_day: int = A_DAY) -> pd.DataFrame:
    """Rows of some days; a model that wears out knows less and less from June on."""
    rng = np.random.default_rng(seed)
    many = rng.poisson(a_day, days)
    day = np.repeat(np.arange(days), many)
    at = pd.Timestamp(first, tz=ZONE).tz_convert("UTC") + pd.to_timedelta(day + rng.random(len(day)), unit="D")
    chance = 1 / (1 + np.exp(-(1.5 * rng.normal(size=len(day)) - 1.2)))
    months = np.clip((at - pd.Timestamp("2026-06-01", tz="UTC")) / pd.Timedelta("30D"), 0, 4).to_numpy()
    lost = rng.random(len(day)) < (0.22 * months if wears else 0.0)
    y = (rng.random(len(day)) < np.where(lost, chance.mean(), chance)).astype(int)
    known = at + pd.to_timedelta(30 + rng.exponential(1.0, len(day)), unit="D")
    told = {"id": [f"{seed}-{i}" for i in range(len(day))], "scored": at.floor("us"), "y": y, "p": chance}
    return pd.DataFrame(told | {"f": rng.normal(size=len(day)), "known": known.floor("us")})


def sent(service: Service, what: Any, rows: pd.DataFrame, version: str | None = None) -> int:
    """Send rows, and tell how many were new."""
    columns = ["id", "scored", "p", "f"] if what == "predictions" else ["id", "y", "known"]
    moments = {name: [t.isoformat() for t in rows[name]] for name in columns if name in {"scored", "known"}}
    body = rows[columns].assign(**moments).to_csv(index=False).encode()
    sending = Sending(what=what, model="m", body=body, kind="text/csv", version=version)
    found: int = json.loads(service.take(sending).result(timeout=60)[1])["accepted"]
    return found


class Simulated:
    """A service whose clock is set."""

    def __init__(self, place: Path, base: Any, **said: Any) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.service = Service(open_store(place), lambda: self.now, tokens=False)
        self.service.watcher.patience = self.service.watcher.lull = 0.0  # a night takes a moment
        self.service.declare("m", declaration_of({"time": "scored", "label_time": "known", **said}), base, "study")

    def monitor(self, version: str) -> Any:
        """What it says of a version."""
        with self.service.store.reading() as session:
            one = self.service.watcher.stream(session, "m", version)
        return self.service.watcher.monitor(one)


def memory() -> float:
    """Memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def worn_year(seed: int) -> None:
    """A year in which much happens."""
    past = drawn(seed, "2025-11-01", 60, wears=False)
    base = sy.monitor(past, **ROLES, reference=past, features=["f"], zone=ZONE).baseline
    rows = drawn(seed + 1, "2026-01-01", 365, wears=True)
    for first, last in OUTAGES:
        rows = rows[(rows["scored"] < pd.Timestamp(first, tz=ZONE)) | (rows["scored"] >= pd.Timestamp(last, tz=ZONE))]
    fresh = drawn(seed + 2, "2026-10-01", 92, wears=False)
    streams = {"1": rows, "2": fresh}
    every = pd.concat([rows, fresh], ignore_index=True)
    begun, compared, fired = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        one = Simulated(Path(folder) / "s.db", base, keep="7 days", horizon="45 days")
        for day in pd.date_range("2026-01-01", periods=400, tz=ZONE):
            start, end = day, day + pd.DateOffset(days=1)
            one.now = end.to_pydatetime().astimezone(UTC)
            for version, held in streams.items():
                came = held[(held["scored"] >= start) & (held["scored"] < end)]
                if len(came):
                    assert sent(one.service, "predictions", came, version) == len(came)
            known = every[(every["known"] >= start) & (every["known"] < end)]
            if len(known):
                assert sent(one.service, "labels", known) == len(known)
            one.service.tick()
            if end.day != 1:
                continue
            for version, held in streams.items():
                past_rows = held[held["scored"] < end]
                if not len(past_rows):
                    continue
                told = past_rows.assign(
                    y=past_rows["y"].where(past_rows["known"] < end),
                    known=past_rows["known"].where(past_rows["known"] < end),
                )
                how: dict[str, Any] = {"features": ["f"], "zone": ZONE, "horizon": "45 days"}
                library = sy.monitor(told, **ROLES, **how, reference=base, now=one.now.isoformat())
                mine = one.monitor(version)
                assert [a.to_dict() for a in mine.alarms] == [a.to_dict() for a in library.alarms], (version, end)
                assert [w.state for w in mine.windows] == [w.state for w in library.windows], (version, end)
                compared, fired = compared + 1, max(fired, sum(a.after == "firing" for a in mine.alarms))
            with one.service.store.reading() as session:
                waiting = session.one("select coalesce(sum(held), 0) from parts")
            left, size = 0 if waiting is None else waiting[0], (Path(folder) / "s.db").stat().st_size / 1e6
            print(
                f"  {end:%Y-%m}: equal; {memory():.0f} MB of memory, {left:,} rows wait, store of {size:.1f} MB",
                flush=True,
            )
        for version in streams:
            for a in one.monitor(version).alarms:
                print(f"  version {version}: {a.text}")
        one.service.close()
    took = time.monotonic() - begun
    print(
        f"{compared} comparisons at ends of months: alarm histories and states of all windows are equal; {took:.0f} s"
    )


def stable_year(seed: int) -> tuple[int, int]:
    """Warnings and alarms that fired in a year in which nothing changed."""
    past = drawn(seed, "2025-10-15", 77, wears=False, a_day=40)
    base = sy.monitor(past, **ROLES, reference=past, features=["f"], zone=ZONE, window="week").baseline
    # Rows go on until the last labels of the year are in: that they cease is no false alarm.
    rows = drawn(seed + 1, "2026-01-01", 410, wears=False, a_day=40)
    with tempfile.TemporaryDirectory() as folder:
        one = Simulated(Path(folder) / "s.db", base, keep=None)
        one.now = datetime(2027, 2, 15, tzinfo=UTC)
        sent(one.service, "predictions", rows)
        sent(one.service, "labels", rows[rows["known"] < one.now])
        m = one.monitor("1")
        found = [a.severity for a in m.alarms if a.after == "firing" and a.window < "2027"]
        one.service.close()
    return found.count("warn"), found.count("alarm")


def main(stable: int, seed: int) -> None:
    """A year that is full of events, and so many without any."""
    if seed == 1 or not stable:
        worn_year(seed)
    if stable:
        begun = time.monotonic()
        found = [stable_year(1_000 * seed + 10 * i) for i in range(stable)]
        warnings, alarms = (sum(f[k] for f in found) for k in (0, 1))
        told = f"{warnings / stable:.2f} warnings and {alarms / stable:.2f} alarms a year fired"
        most, took = max(sum(f) for f in found), time.monotonic() - begun
        print(f"{stable} stable years of weeks, budget 4 a year: {told}; the most in one year {most}; {took:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
