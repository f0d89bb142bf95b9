"""What people get wrong with timeliness, stability and trials, by name: the error, what must be there first, the call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import steelyard as sy

Case = Callable[[Path], Any]
IN_USE: dict[str, tuple[str, Case, Case]] = {}

EVENTS: dict[str, Any] = {
    "customer": ["a", "a", "b", "c", "c"],
    "day": [1.0, 5.0, 2.0, 3.0, 9.0],
    "p": [0.2, 0.8, 0.1, 0.3, 0.9],
    "left": [1, 1, 0, 0, 0],
}
TIMELY: dict[str, Any] = {"unit": "customer", "time": "day", "score": "p", "outcome": "left", "horizon": 10}
WEEKS: dict[str, Any] = {"week": [1, 2, 3] * 2, "arm": ["random"] * 3 + ["called"] * 3, "left": [3, 4, 5, 2, 6, 4]}
COUNTED: dict[str, Any] = {"group": "arm", "control": "random", "outcome": "left", "period": "week"}
PEOPLE: dict[str, Any] = {"who": [1, 2, 3, 4], "arm": ["random", "called"] * 2, "left": [0, 1, 1, 0]}
ROWS: dict[str, Any] = {"group": "arm", "control": "random", "outcome": "left", "unit": "who"}
NOON = "2024-01-0{} 12:00"


def _add(name: str, kind: str, case: Case, prepare: Case = lambda _: None) -> None:
    IN_USE[name] = (kind, prepare, case)


def _events(name: str, kind: str, roles: dict[str, Any] | None = None, **columns: Any) -> None:
    _add(name, kind, lambda _: sy.timeliness(EVENTS | columns, **(TIMELY | (roles or {}))))


def _events_file(name: str, kind: str, **columns: Any) -> None:
    """The same from a file, where the engine finds it."""
    _add(
        f"{name}, in a file",
        kind,
        lambda folder: sy.timeliness(folder / "events.csv", **TIMELY),
        lambda folder: pd.DataFrame(EVENTS | columns).to_csv(folder / "events.csv", index=False),
    )


def _counts(name: str, kind: str, roles: dict[str, Any] | None = None, **columns: Any) -> None:
    _add(name, kind, lambda _: sy.trial(counts=WEEKS | columns, **(COUNTED | (roles or {}))))


def _people(name: str, kind: str, roles: dict[str, Any] | None = None, **columns: Any) -> None:
    _add(name, kind, lambda _: sy.trial(PEOPLE | columns, **(ROWS | (roles or {}))))


# Timeliness -----------------------------------------------------------------------------------------------------------
for _ask in (_events, _events_file):
    _ask("an event after the horizon", "InputError", day=[1.0, 5.0, 2.0, 3.0, 11.0])
    _ask("events before the start", "InputError", day=[-1.0, -2.5, 2.0, 3.0, 9.0])
    _ask("a customer with two outcomes", "BadLevels", left=[1, 0, 0, 0, 0])
    _ask("an event without a time", "MissingValues", day=[None, 5.0, 2.0, 3.0, 9.0])
    _ask("a score above 1", "InputError", p=[0.2, 80.0, 0.1, 0.3, 0.9])
    _ask("dates where times are counted", "NotNumeric", day=[f"2024-01-0{i}" for i in range(1, 6)])
    _ask("no events", "EmptyTable", **{name: [] for name in EVENTS})
_events("a horizon of nothing", "UsageError", {"horizon": 0})
_events("only customers with the outcome", "BadLevels", left=[1] * 5)
_events("outcomes in words", "BadLevels", left=["yes", "yes", "no", "no", "no"])

# Stability ------------------------------------------------------------------------------------------------------------
_FRAME = pd.DataFrame({"age": [30.0, 40.0, 50.0], "region": list("abc")})
_add("an empty reference", "EmptyTable", lambda _: sy.stability([], [1.0, 2.0]))
_add("an empty current sample", "EmptyTable", lambda _: sy.stability([1.0, 2.0], []))
_add("an empty table as reference", "EmptyTable", lambda _: sy.stability(_FRAME[:0], _FRAME))
_add("an empty table as current sample", "EmptyTable", lambda _: sy.stability(_FRAME, _FRAME[:0], "age"))
_add(
    "an empty file as reference",
    "EmptyTable",
    lambda folder: sy.stability(folder / "then.csv", folder / "now.csv"),
    lambda folder: [_FRAME[:n].to_csv(folder / f, index=False) for f, n in (("then.csv", 0), ("now.csv", 3))],
)
_add(
    "an empty file as current sample",
    "EmptyTable",
    lambda folder: sy.stability(folder / "then.csv", folder / "now.csv", "age"),
    lambda folder: [_FRAME[:n].to_csv(folder / f, index=False) for f, n in (("then.csv", 3), ("now.csv", 0))],
)
_add("a column that the reference lacks", "UnknownColumn", lambda _: sy.stability(_FRAME, _FRAME, "agee"))
_add(
    "a column that the current sample lacks",
    "UnknownColumn",
    lambda _: sy.stability(_FRAME, _FRAME[["region"]], "age"),
)
_add("no column in common", "UsageError", lambda _: sy.stability(_FRAME[["age"]], _FRAME[["region"]]))
_add(
    "numbers that became words",
    "UsageError",
    lambda _: sy.stability(_FRAME, _FRAME.assign(age=["old", "old", "young"]), "age"),
)
_add("counts of nothing", "EmptyTable", lambda _: sy.stability({"a": 0, "b": 0}, {"a": 3, "b": 1}))
_add("counts beside values", "UsageError", lambda _: sy.stability({"a": 2, "b": 3}, ["a", "b"]))

# Trials ---------------------------------------------------------------------------------------------------------------
_people("an empty arm", "BadLevels", arm=["random"] * 4)
_people("no control", "BadLevels", arm=["called"] * 4)
_people("a unit in both arms", "InputError", who=[1, 1, 2, 3])
_people("units in both arms", "InputError", who=[1, 1, 2, 2])
_people("an outcome that never differs", "BadLevels", left=[0] * 4)
_people("several treated arms", "UsageError", arm=["random", "called", "written", "random"])
_people("no rows of a trial", "EmptyTable", **{name: [] for name in PEOPLE})
_people("periods as units without periods", "UsageError", {"analysis": "period"})
_people("independence in words", "UsageError", {"independent": "yes"})
_people("an outcome in words", "NotNumeric", left=["gone", "stayed"] * 2)
_people("an outcome that is not there", "BadLevels", {"positive": "went"}, left=["gone", "stayed"] * 2)
_people("a plan without an arm", "UsageError", {"planned": {"random": 0.5}})
_counts("counts of arms of unknown size", "UsageError", {"exposed": None})
_counts("a cost of nobody knows how many", "UsageError", {"exposed": None, "planned": "equal", "value": 9, "cost": 2})
_counts("zero periods", "UsageError", {"period": None})
_counts("an empty table of counts", "EmptyTable", **{name: [] for name in WEEKS})
_counts("one arm of counts", "BadLevels", arm=["random"] * 6)
_counts("counts that are no counts", "InputError", left=[3, -4, 5, 2, 6, 4])
_counts("no events in either arm", "BadLevels", left=[0] * 6)
_counts(
    "periods of mixed time zones",
    "InputError",
    week=[NOON.format(1), NOON.format(2) + "+02:00", NOON.format(3)] * 2,
)

# Time zones -----------------------------------------------------------------------------------------------------------
_add(
    "a stream of mixed time zones",
    "NotNumeric",
    lambda _: sy.monitor(
        {"at": [NOON.format(1), NOON.format(2) + "+02:00"], "y": [0, 1], "p": [0.2, 0.7]},
        **{"time": "at", "target": "y", "score": "p", "reference": "first 1 windows"},
    ),
)
