"""Pictures of a design: which rows train, validate and test, a line for each division, as text and as a chart."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.charts.marks import Bar, Chart, Colour
from steelyard.charts.scales import Scale
from steelyard.designs.design import Design, many
from steelyard.designs.split import Split
from steelyard.errors import UsageError

Shares = npt.NDArray[np.float64]

LEGEND = "· train   v validate   T test   blank: not used"
MOST_LINES = 30
MOST_COLUMNS = 200
PAGE = 80
"""Characters that a line of a terminal holds."""
MARKS = " ·vT"
FILLS: tuple[tuple[str, Colour], ...] = (("train", "shade2"), ("validate", 1), ("test", 0))
USUAL, FEW = 100, 24
"""Rows of a chart where nobody says how many, and of one that would need too many lines for them."""
TEST = 3
MOST_STRETCHES = 5
AIR = 0.12
"""Between two lines of the chart."""


def picture(design: Design, rows: int = 24, y: object = None, data: object = None, width: int = 60) -> str:
    """Which rows train (·), validate (v) and test (T), a line for each division; of many rows evenly spaced ones.

    >>> from steelyard.designs.folds import KFold
    >>> print(picture(KFold(3, shuffle=False), 6))
    3 folds, in the order of the rows: 6 rows
    repeat 1, fold 1  TT····
    repeat 1, fold 2  ··TT··
    repeat 1, fold 3  ····TT
    · train   v validate   T test   blank: not used
    """
    if width < 1:
        message = f"The picture must be at least one character wide, and {width} came."
        raise UsageError(message, "60 is usual.")
    found, more = _drawn(design, rows, y, data)
    beside = max(len(split.name) for split in found) + 2
    columns = max(1, min(rows, width, PAGE - beside))
    places = np.linspace(0, rows - 1, columns).round().astype(np.int64)
    heading = f"{design}: {rows:,} rows" + ("" if columns == rows else f", {columns} of them shown")
    lines = [heading if len(heading) <= PAGE else heading[: PAGE - 1] + "…"]
    for split in found:
        marks = "".join(MARKS[part] for part in _parts(split, rows)[places])
        lines.append(f"{split.name:<{beside}}{marks}".rstrip())
    if more:
        lines.append("… and more")
    return "\n".join([*lines, LEGEND])


def chart(design: Design, rows: int | None = None, y: object = None, data: object = None) -> Chart:
    """The same as a chart: rows across, divisions below one another.

    Rows that are tested together stand side by side unless the parts are stretches of the order that the rows have. Where
    they change too often to be seen, rows share one of 200 columns, filled in the shares of its parts.
    """
    asked = rows if rows is not None else len(y) if isinstance(y, Sized) else USUAL
    found, more = _drawn(design, asked, y, data)
    if rows is None and more and y is None and data is None:
        # One line a row would not end.
        asked, (found, more) = FEW, _drawn(design, FEW, y, data)
    every = np.stack([_parts(split, asked) for split in found])
    scattered = max((np.diff(every, axis=1) != 0).sum(axis=1)) > MOST_STRETCHES
    if scattered:
        every = every[:, _side_by_side(every)]
    bars = [bar for line, parts in enumerate(every) for bar in _bars(parts, line)]
    used = [part for part in (1, 2, 3) if (every == part).any()]
    names = tuple(_called(found))
    said = f"{design}: {many(len(found), 'division')} of {asked:,} rows" + (", the first of more." if more else ".")
    columns: dict[str, Sequence[Any]] = {
        "division": list(names),
        "train": [len(split.train) for split in found],
        "validate": [len(split.validation) for split in found],
        "test": [len(split.test) for split in found],
    }
    return Chart(
        "design",
        str(design)[:1].upper() + str(design)[1:],
        Scale(0.0, float(asked), "Rows, those tested together side by side" if scattered else "Rows, in their order"),
        Scale(len(names) - 0.5, -0.5, "", "names", names),
        tuple(bars),
        said,
        columns,
        tuple(FILLS[part - 1] for part in used),
        (640.0, 84.0 + 22.0 * max(len(names), 2)),
        grid=False,
    )


def _called(found: list[Split]) -> list[str]:
    """Names of divisions without what they all share."""
    if len(found) == 1:
        return ["all rows"]
    once, alone = len({s.repeat for s in found}) == 1, len({s.fold for s in found}) == 1
    if any(s.inner >= 0 for s in found) or not (once or alone):
        return [s.name for s in found]
    return [s.label or (f"fold {s.fold + 1}" if once else f"repeat {s.repeat + 1}") for s in found]


def _side_by_side(every: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Rows by the first division that tests them; within the first by its parts: training, validation, test."""
    first = np.where((every == TEST).any(axis=0), (every == TEST).argmax(axis=0), len(every))
    if len(every) == 1:
        return np.argsort(np.array([3, 0, 1, 2])[every[0]], kind="stable")
    return np.lexsort((every[0], first))


def _drawn(design: Design, rows: int, y: object, data: object) -> tuple[list[Split], bool]:
    """The first divisions, and whether there are more."""
    found = list(islice(design.splits(rows, y, data), MOST_LINES + 1))
    return found[:MOST_LINES], len(found) > MOST_LINES


def _part(split: Split, part: int) -> npt.NDArray[np.int64]:
    return (split.train, split.validation, split.test)[part - 1]


def _parts(split: Split, rows: int) -> npt.NDArray[np.int64]:
    """For each row its part: 0 not used, 1 train, 2 validate, 3 test."""
    found = np.zeros(rows, dtype=np.int64)
    for part in (1, 2, 3):
        found[_part(split, part)] = part
    return found


def _bars(parts: npt.NDArray[np.int64], line: int) -> list[Bar]:
    """The bars of one division: each stretch of one part where there are few, else columns filled by shares."""
    rows = len(parts)
    edges = np.r_[0, np.flatnonzero(np.diff(parts)) + 1, rows]
    if len(edges) - 1 <= MOST_COLUMNS:
        foot, head = _ends(line, 0.0, 1.0)
        stretches = zip(pairwise(edges.tolist()), parts[edges[:-1]].tolist(), strict=True)
        return [Bar(float(a), float(b), head, foot, FILLS[part - 1][1]) for (a, b), part in stretches if part]
    edges = np.linspace(0, rows, MOST_COLUMNS + 1).round().astype(np.int64)
    shares = np.stack([np.add.reduceat(parts == part, edges[:-1]) for part in (3, 2, 1)]) / np.diff(edges)
    return [*_ground(shares, edges, line), *_columns(shares, edges, line)]


def _ends(line: int, low: float, high: float) -> tuple[float, float]:
    """Where a bar begins and ends that fills a line from one share of its height to another."""
    foot, height = line + 0.5 - AIR, 1 - 2 * AIR
    return foot - low * height, foot - high * height


def _ground(shares: Shares, edges: npt.NDArray[np.int64], line: int) -> list[Bar]:
    """Training rows below all else where every row is used, in one piece, since seams between columns would shine through."""
    full = np.r_[False, shares.sum(axis=0) > 1 - 1e-9, False]
    ends = np.flatnonzero(np.diff(full.astype(np.int8)))
    foot, head = _ends(line, 0.0, 1.0)
    return [Bar(float(edges[a]), float(edges[b]), head, foot, FILLS[0][1]) for a, b in ends.reshape(-1, 2)]


def _columns(shares: Shares, edges: npt.NDArray[np.int64], line: int) -> list[Bar]:
    """Test rows at the foot of each column, then validation rows, then those that train where some are not used."""
    bars = []
    for column, (left, right) in enumerate(pairwise(edges.tolist())):
        tops = np.cumsum(shares[:, column])
        shown = 2 if tops[-1] > 1 - 1e-9 else 3
        for part, low, high in zip((3, 2, 1)[:shown], np.r_[0.0, tops], tops, strict=False):
            if high > low:
                foot, head = _ends(line, float(low), float(high))
                bars.append(Bar(float(left), float(right), head, foot, FILLS[part - 1][1]))
    return bars
