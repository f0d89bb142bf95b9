"""The rows of many windows read once, and all that is asked of them counted by compiled loops on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.engines.by_window import WindowedColumns
from steelyard.engines.frames import FrameRows
from steelyard.results import Codes
from steelyard.rows.language import GOOD, INFINITE_SCORE, NO_SCORE, Table

if TYPE_CHECKING:
    from steelyard.engines.binned import Intervals
    from steelyard.engines.window_cells import WindowCells

WHOLE = {"time", "late", "group", "level", "segment"}
"""Columns of whole numbers; all others hold numbers of any kind."""
FEW = 256
"""Rows of one window that come side by side on average; rows of which fewer do are put in order first."""
MISSING, OTHER = -1, -2
"""In place of a level: where none is, and one that was not among those asked for."""


class Unread(Exception):
    """Rows that turned out to be such as only a database reads."""


@dataclass(frozen=True)
class GroupsAsked:
    """Which group a row belongs to: told by its level and score, or by an expression, or none where no row has an outcome."""

    group: Any = None
    positive: int | None = None
    """The place of the positive level, where groups are real positives and negatives by whether the score reaches the threshold."""

    @property
    def there(self) -> bool:
        """Whether any row has one."""
        return self.group is not None or self.positive is not None


@dataclass(frozen=True)
class Times:
    """How moments are told: in units of so many microseconds, by outcome, and whose clock tells midnight."""

    step: int
    groups: GroupsAsked
    changes: Codes
    offsets: Codes
    day: int
    never: float
    """When the label of a row came in that has none."""


@dataclass(frozen=True)
class ScoresAsked:
    """How scores are told: on a mesh, or each distinct one; and which expressions are their level and segment, if any is."""

    mesh: int | None
    threshold: float
    level: Any
    segment: Any
    unlabelled: float


@dataclass(frozen=True)
class ReadOnce:
    """What was counted: tables as a database answers, None where it has to be asked; numbers by window and bin, levels by window.

    Levels are in the order asked for, after what is missing; columns are left out where some row has another one.
    """

    times: Table | None
    scores: Table | None
    numbers: Mapping[str, WindowCells]
    levels: Mapping[str, Codes]


def read_once(
    rows: FrameRows,
    edges: Codes,
    span: tuple[int, int],
    times: Times | None,
    scores: ScoresAsked | None,
    bins: Mapping[str, Intervals],
    levels: Mapping[str, Sequence[str]],
    given: Callable[[Sequence[str]], Iterator[Sequence[Any]] | None] = lambda _: None,
) -> ReadOnce | None:
    """Of the windows from one place to another, between these edges; None where rows come in no batches, or have weights.

    What stands in columns may be `given` by their names, and is read by the database where it is not.
    """
    if rows.table is None or rows.has("weight"):
        return None
    engine, table = WindowedColumns(rows), rows.table
    parts = {"time": f"cast({table.quoted('moment')} as bigint)"}
    if times is not None and times.groups.there:
        parts["late"] = f"cast({table.quoted('late')} as bigint)"
    if times is not None and times.groups.group is not None:
        parts["group"] = f"cast({times.groups.group.sql} as integer)"
    if scores is not None:
        keys = {"level": scores.level, "segment": scores.segment}
        parts |= {name: f"cast({x.sql} as integer)" for name, x in keys.items() if x is not None}
        parts["score"] = engine.number_of("score")
    # What stands in one column is handed out once, whatever it is asked for.
    again = {role for role in bins if scores is not None and rows.names[role] == rows.names["score"]}
    parts |= {f"column {role}": engine.number_of(role) for role in bins if role not in again}
    among = {role: table.level_among(engine.level_of(role), names) for role, names in levels.items()}
    parts |= {f"level {role}": x for role, x in among.items() if x is not None}
    batches = given(list(parts)) or table.numbers(parts)
    if batches is None:
        return None
    try:
        from steelyard.engines.window_cells import WindowNumbers, add
        from steelyard.engines.window_groups import TimeUnits, WindowScores, WindowTimes, outcomes, placed
    except ImportError:
        return None
    first, windows = span[0], span[1] + 1 - span[0]
    numbers, when, seen = WindowNumbers(bins, first, windows), None, None
    if times is not None:
        when = WindowTimes(TimeUnits(times.step, times.changes, times.offsets, times.day), first, windows)
    if scores is not None:
        seen = WindowScores(scores.mesh, scores.threshold)
    told = {
        role: np.zeros((windows, len(levels[role]) + 2), dtype=np.int64) for role, x in among.items() if x is not None
    }
    for window, batch in _named(batches, list(parts), lambda time: placed(time, edges, *span)):
        none = np.full(len(window), -1)
        if scores is not None and scores.level is None:
            batch["level"] = np.full(len(window), int(scores.unlabelled))
        if when is not None and times is not None:
            group = batch.get("group", none)
            if scores is not None and times.groups.positive is not None:
                group = outcomes(
                    batch["level"], batch["score"], int(scores.unlabelled), times.groups.positive, scores.threshold
                )
            when.count(window, batch["time"], batch.get("late", batch["time"]), group)
        if seen is not None:
            seen.count(window, batch["level"], batch.get("segment", none), batch["score"])
        numbers.count(window, [batch["score" if role in again else f"column {role}"] for role in bins])
        for role, counts in told.items():
            add(window, batch[f"level {role}"] - OTHER, first, np.zeros((4, counts.shape[1]), dtype=np.int64), counts)
    found = None if seen is None else seen.table((GOOD, NO_SCORE, INFINITE_SCORE))
    if found is not None and scores is not None and scores.segment is None:
        del found["segment"]
    known = {role: counts[:, 1:] for role, counts in told.items() if not counts[:, 0].any()}
    return ReadOnce(None if when is None or times is None else when.table(times.never), found, numbers.cells, known)


def _named(
    batches: Iterator[Sequence[Any]], names: Sequence[str], placed: Callable[[Any], Any]
) -> Iterator[tuple[Codes, dict[str, Any]]]:
    """Windows and columns by name, of two kinds alone, so that each loop is compiled once; rows of one window side by side."""
    for batch in batches:
        window = placed(np.asarray(batch[0]))
        beyond = window < 0
        steps = np.count_nonzero(window[1:] != window[:-1])
        order: Any = slice(None)
        if beyond.any() or steps > len(window) // FEW:
            order = np.argsort(window, kind="stable")[np.count_nonzero(beyond) :]
        if not len(window[order]):
            continue
        yield (
            np.ascontiguousarray(window[order]),
            {
                name: np.ascontiguousarray(x[order], dtype=np.int64 if _whole(name) else np.float64)
                for name, x in zip(names, batch, strict=True)
            },
        )


def _whole(name: str) -> bool:
    return name in WHOLE or name.startswith("level ")
