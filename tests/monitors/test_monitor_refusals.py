"""Everything that people get wrong with a monitor: a sentence and a hint for each, read as prose and approved."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from steelyard.errors import SteelyardError

from .conftest import stream, watch

APPROVED = Path(__file__).resolve().parents[1] / "approved" / "monitor-messages.txt"
ROWS = stream(1, days=14, a_day=120)
MANY = len(ROWS)


def _texts(zone: str) -> Any:
    """Every other time with a zone."""
    told = ROWS["when"].dt.strftime("%Y-%m-%dT%H:%M:%S")
    return np.where(np.arange(MANY) % 2, told, told + zone)


def _first(column: str, value: Any) -> pd.DataFrame:
    """One row with another value."""
    found = ROWS.astype({column: object})
    found.loc[found.index[0], column] = value
    return found


CASES: dict[str, Callable[[], Any]] = {
    "times with and without a zone": lambda: watch(ROWS.assign(when=_texts("+02:00"))),
    "a time of the year 9999": lambda: watch(_first("when", "9999-12-31").astype({"when": str})),
    "a time that is no date": lambda: watch(_first("when", "next Monday").astype({"when": str})),
    "times as numbers": lambda: watch(ROWS.assign(when=np.arange(MANY))),
    "a row without a time": lambda: watch(_first("when", None)),
    "no such zone": lambda: watch(ROWS, zone="Middle/Earth"),
    "a window of nothing": lambda: watch(ROWS, window=0),
    "a window of no time": lambda: watch(ROWS, window=timedelta(0)),
    "a window that is no number": lambda: watch(ROWS, window="1.2.3 days"),
    "a window longer than all times": lambda: watch(ROWS, window="99999999999 weeks"),
    "labels that come by the score": lambda: watch(ROWS, label_time="p"),
    "the time as unit": lambda: watch(ROWS, unit="when"),
    "windows beyond counting": lambda: watch(ROWS, window="1 second"),
    "one window, which is the reference": lambda: watch(ROWS, window="month", reference=1),
    "no windows left": lambda: watch(ROWS, reference="first 14 windows"),
    "a reference of too few rows": lambda: watch(ROWS, reference=ROWS[:49]),
    "a reference before all rows": lambda: watch(ROWS, reference="2020-01-01"),
    "a reference that is no date": lambda: watch(ROWS, reference="2024-13-45"),
    "a reference that is a word": lambda: watch(ROWS, reference="yesterday"),
    "a reference that is a number": lambda: watch(ROWS, reference=0.5),
    "a reference without a feature": lambda: watch(ROWS, reference=ROWS.drop(columns="x"), features=["x"]),
    "a reference of one class": lambda: watch(ROWS, reference=ROWS[ROWS["y"] == 0]),
    "no such feature": lambda: watch(ROWS, features=["xx"]),
    "features as a number": lambda: watch(ROWS, features=5),
    "the time as a feature": lambda: watch(ROWS, features=["when"]),
    "a feature called volume": lambda: watch(ROWS.assign(volume=1.0), features=["volume"]),
    "measures as a number": lambda: watch(ROWS, measures=5),
    "a score for no level": lambda: watch(ROWS, score=["p"]),
    "a horizon of the past": lambda: watch(ROWS, horizon=-1),
    "a horizon of many lives": lambda: watch(ROWS, horizon="9999999999 days"),
    "now, and nothing said": lambda: watch(ROWS, now=pd.NaT),
    "now at the end of time": lambda: watch(ROWS, now="9999-12-31"),
    "rows before the world": lambda: watch(ROWS, now="2020-01-01"),
    "a period without customers": lambda: watch(ROWS, period="31 days"),
    "a period that ends too soon": lambda: watch(ROWS, unit="w", window="week", period="3 days", reference=1),
    "a period of counted windows": lambda: watch(ROWS, unit="w", window=100, period="31 days"),
    "a period that is a word": lambda: watch(ROWS, unit="w", period="soon"),
}


def _told(name: str) -> SteelyardError:
    with pytest.raises(SteelyardError) as found:
        CASES[name]()
    return found.value


def test_each_gets_a_sentence_and_all_are_approved() -> None:
    """To approve a change: APPROVE=1 pytest tests/monitors/test_monitor_refusals.py."""
    lines = []
    for name in CASES:
        found = _told(name)
        assert re.fullmatch(r'["A-Z0-9].*\.', found.message, flags=re.DOTALL), found.message
        assert found.hint and found.hint[-1] in ".?"
        lines.append(f"# {name}\n{type(found).__name__}: {found.message}\n    Hint: {found.hint}\n")
    text = "\n".join(lines)
    if os.environ.get("APPROVE"):
        APPROVED.write_text(text, encoding="utf-8")
    assert text == APPROVED.read_text(encoding="utf-8")


def test_what_is_no_mistake() -> None:
    wanted = watch(ROWS, reference=8).to_dict()
    assert watch(ROWS[::-1], reference=8).to_dict() == wanted
    offsets = (
        ROWS["when"]
        .dt.strftime("%Y-%m-%dT%H:%M:%S")
        .where(
            np.arange(MANY) % 2 == 0,
            (ROWS["when"] + pd.Timedelta(hours=2)).dt.strftime("%Y-%m-%dT%H:%M:%S") + "+02:00",
        )
    )
    zoned = offsets.where(np.arange(MANY) % 2 == 1, offsets + "Z")
    assert watch(ROWS.assign(when=zoned), reference=8).to_dict() == wanted
