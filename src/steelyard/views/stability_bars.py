"""Shares of a column as bars: of a reference and a current sample, or of several samples, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Bar, Chart, Mark, Text
from steelyard.charts.palette import SERIES
from steelyard.charts.scales import Scale
from steelyard.views.layout import fit
from steelyard.views.stability import SHORT, stability_sentences
from steelyard.words import number, visible

if TYPE_CHECKING:
    from steelyard.monitors.samples import SampleStabilities
    from steelyard.monitors.stability import Stability

MOST_CELLS = 24
MOST_WRITTEN = 14
"""Above no more pairs of bars than these their part of the index is written."""
SHOWN = ("reference_share", "current_share", "part")


@dataclass(frozen=True, slots=True)
class _Side:
    """One sample as bars: its shares cell by cell, and the parts of the index."""

    name: str
    shares: Sequence[float]
    parts: Sequence[float] = ()


def stability_chart(stability: Stability) -> Chart:
    """Two bars a cell, the reference left, with the part of the index above them."""
    title = f"Stability of {visible(stability.column)}" if stability.column else "Stability"
    names, then, now, parts = ([getattr(c, part) for c in stability.cells] for part in ("name", *SHOWN))
    sides = [_Side("reference", then), _Side("current; above the bars their part of the index", now, parts)]
    columns = dict(zip(("cell", *SHOWN), (names, then, now, parts), strict=True))
    state = stability.verdict.state
    finding = f"{state[:1].upper()}{state[1:]}: index {number(stability.index, 3)}"
    return _bars(names, sides, (finding, title), stability.column, stability_sentences(stability)[0], columns)


def samples_chart(samples: SampleStabilities) -> Chart:
    """A bar for the reference and one for every sample, bin by bin."""
    found = {name: values[:-1] for name, values in samples.table().columns.items()}
    sides = [_Side("reference", found["reference_share"])]
    sides += [
        _Side(f"{visible(n)}: index {number(x.index, 3)}", found[f"{n}_share"], found[f"{n}_part"])
        for n, x in samples.items()
    ]
    column = next(iter(samples.values())).column
    changed = sum(x.verdict.bad for x in samples.values())
    heading = (f"{changed} of {len(samples)} samples changed", "Stability of several samples")
    return _bars(found["bin"], sides, heading, column, " ".join(samples.sentences()), found)


def _bars(
    cells: Sequence[str],
    sides: Sequence[_Side],
    heading: tuple[str, str],
    column: str | None,
    told: str,
    columns: Mapping[str, Sequence[Any]],
) -> Chart:
    """Shares of the cells side by side; of very many cells those that matter most."""
    parts = [sum(side.parts[i] for side in sides if side.parts) for i in range(len(cells))]
    kept = sorted(sorted(range(len(cells)), key=lambda i: -parts[i])[:MOST_CELLS])
    left = len(cells) - len(kept)
    wide = 0.76 / len(sides)
    marks: list[Mark] = []
    for place, i in enumerate(kept):
        for k, side in enumerate(sides):
            start = place - 0.38 + k * wide
            marks.append(Bar(start + 0.02, start + wide - 0.02, 0.0, side.shares[i], k if k < SERIES else "quiet"))
    if len(sides) == 2 and len(kept) <= MOST_WRITTEN:
        tops = [max(side.shares[i] for side in sides) for i in kept]
        marks += [Text(n, tops[n], number(parts[i], 3), "ink", "middle", dy=-5) for n, i in enumerate(kept)]
    most = max(side.shares[i] for side in sides for i in kept)
    across = Scale(-0.5, len(kept) - 0.5, visible(column), "names", tuple(fit(cells[i], SHORT) for i in kept))
    up = Scale(0.0, most * 1.12, "Share of rows", "share")
    more = f" ({left} cells with smaller parts are not shown)" if left else ""
    legend = tuple((side.name, k if k < SERIES else "quiet") for k, side in enumerate(sides))
    size = min(900.0, max(460.0, 90.0 + 26.0 * len(sides) * len(kept))), 360.0
    finding, title = heading
    return Chart("stability", title, across, up, tuple(marks), f"{told}{more}", columns, legend, size, finding=finding)
