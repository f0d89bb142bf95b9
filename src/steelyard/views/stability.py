"""The stability of columns told: sentences, a small table, bars of both distributions, a forest of many columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Chart, Colour, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale
from steelyard.views.layout import blocks_text, fit, noted, wrapped
from steelyard.views.tables import SmallTable
from steelyard.views.tabulations import laid_out
from steelyard.views.text import table_lines
from steelyard.words import bracketed, count, estimate_parts, number, percent, quoted, significant, visible

if TYPE_CHECKING:
    from steelyard.monitors.many import Stabilities
    from steelyard.monitors.samples import SampleStabilities
    from steelyard.monitors.stability import Stability

WORDS = {
    "ok": "No change is shown",
    "shift-negligible": "There is a change, too small to matter",
    "warn": "There is a change worth a look",
    "alarm": "There is a large change",
    "insufficient": "There are too few rows to decide",
}
LIGHTS = {"stable": "stable (below 0.1)", "look": "look (from 0.1 to 0.25, both included)", "act": "act (above 0.25)"}
MOST_ROWS = 20
MOST_COLUMNS = 30
MOST_INDEX = 1.0
"""Where the axis of many columns ends: what lies beyond is large whatever it is."""
INDENT = "  "
SHORT = 24
COLOURS: dict[str, Colour] = {
    "alarm": "alarm",
    "warn": 1,
    "shift-negligible": 0,
    "ok": "quiet",
    "insufficient": "quiet",
}
SHAPES = {"alarm": "square", "warn": "diamond", "shift-negligible": "circle", "ok": "circle", "insufficient": "ring"}


# One column -----------------------------------------------------------------------------------------------------------


def _ends(stability: Stability) -> tuple[float, float, float]:
    """The index less what chance brings and the ends of its interval, which are always known."""
    x = stability.corrected
    assert x.value is not None
    assert x.low is not None
    assert x.high is not None
    return x.value, x.low, x.high


def stability_sentences(stability: Stability) -> list[str]:
    """The decision and why, the numbers, where the change is, the classic light, and what to know."""
    name = f"{visible(stability.column)}: " if stability.column else ""
    first = _words(stability)
    head = f"{name}{first[0].lower() + first[1:] if name else first}: {stability.reason}."
    if stability.adjusted is not None and "(p " in stability.reason:
        head = f"{head[:-1]}, after the correction for many columns."
    value, low, high = estimate_parts(*_ends(stability))
    interval = f"{value}, {percent(stability.confidence)} interval {bracketed(low, high)}" if low else value
    cells = "one cell" if len(stability.cells) == 1 else f"{len(stability.cells)} cells"
    numbers = (
        f"The stability index of {count(stability.reference_rows)} reference and {count(stability.current_rows)} current rows in "
        f"{cells} is {significant(stability.index)}; less what chance alone brings it is {interval}."
    )
    light = f"The classic traffic light, uncorrected for sample size, says {LIGHTS[stability.classic]}"
    if abs(stability.classic_index - stability.index) >= 5e-4:
        light += f", from an index of {significant(stability.classic_index)}"
    return [head, numbers, *_largest(stability), f"{light}.", *stability.notes]


def _words(stability: Stability) -> str:
    """What was decided; a change is called too small to matter only where the whole interval says so."""
    return "There is a change, not shown to be large" if stability.open else WORDS[stability.decision]


def _largest(stability: Stability) -> list[str]:
    if not stability.cells or stability.index <= 0 or stability.decision in {"ok", "insufficient"}:
        return []
    cell = max(stability.cells, key=lambda c: c.part)
    return [
        f"The largest part, {percent(cell.part / stability.index)} of the index, comes from {quoted(cell.name)}: "
        f"{percent(cell.reference_share)} of the rows before, {percent(cell.current_share)} now."
    ]


def stability_text(stability: Stability) -> str:
    """The sentences and the cells, 80 columns wide."""
    said = stability_sentences(stability)
    notes = len(stability.notes)
    blocks = [wrapped(said[: len(said) - notes])]
    blocks.append(table_lines(cell_table(stability)))
    blocks.append(noted(stability.notes))
    return blocks_text(blocks)


def samples_text(samples: SampleStabilities) -> str:
    """What is said of each sample, and all of them bin by bin."""
    said = wrapped(samples.sentences())
    return "\n".join([*said, "", *table_lines(laid_out(samples.table()))])


def cell_table(stability: Stability) -> SmallTable:
    """Both distributions cell by cell, with the part of the index that each brings."""
    cells, note = list(stability.cells), ""
    if len(cells) > MOST_ROWS:
        cells = sorted(cells, key=lambda c: -c.part)[:MOST_ROWS]
        note = f"The {MOST_ROWS} largest parts of {len(stability.cells):,}; the rest with .frame()."
    rows: list[tuple[str, ...]] = [
        (
            visible(c.name),
            count(round(c.reference, 1)),
            f"{100 * c.reference_share:.1f}%",
            count(round(c.current, 1)),
            f"{100 * c.current_share:.1f}%",
            number(c.part, 3),
        )
        for c in cells
    ]
    head = ("cell", "reference", "share", "current", "share", "part")
    return SmallTable("By cell", head, "lrrrrr", rows, note)


# Many columns ---------------------------------------------------------------------------------------------------------


def many_sentences(found: Stabilities) -> list[str]:
    """How many columns changed, which most, and what was left out."""
    kinds = {name: [s for s in found if s.decision == name] for name in WORDS}
    small = kinds["shift-negligible"]
    kinds["open"] = [s for s in small if s.open]
    kinds["shift-negligible"] = [s for s in small if not s.open]
    total = len(found)
    out = []
    for name, words in (
        ("alarm", "a large change"),
        ("warn", "a change worth a look"),
        ("open", "a change not shown to be large"),
        ("shift-negligible", "a change too small to matter"),
    ):
        if kinds[name]:
            told = ", ".join(quoted(str(s.column)) for s in kinds[name][:5])
            more = f" and {len(kinds[name]) - 5} more" if len(kinds[name]) > 5 else ""
            verb = "shows" if len(kinds[name]) == 1 else "show"
            out.append(f"{len(kinds[name])} of {_columns(total)} {verb} {words}: {told}{more}.")
    if not out:
        out.append("The column shows no change." if total == 1 else f"None of the {total} columns shows a change.")
    short = kinds["insufficient"]
    if short:
        verb = "has" if len(short) == 1 else "have"
        out.append(
            f"{len(short)} of {_columns(total)} {verb} too few rows to decide; "
            f"{quoted(str(short[0].column))}: {short[0].reason}."
        )
    if total > 1:
        out.append(
            f"p-values allow for the number of columns (Benjamini and Hochberg): on average at most {percent(found.alpha)} of the "
            "columns named as changed have not changed."
        )
    if found.left_out:
        out.append(f"Left out: {'; '.join(found.left_out)}.")
    return out


def _columns(n: int) -> str:
    return f"{n} column{'' if n == 1 else 's'}"


def many_table(found: Stabilities) -> SmallTable:
    """The columns with the largest effects, all with the same number of digits so that they can be compared."""
    rows: list[tuple[str, ...]] = []
    for s in list(found)[:MOST_ROWS]:
        value, low, high = (number(x, 3) for x in _ends(s))
        p = "" if s.adjusted is None else "< 0.0001" if s.adjusted < 1e-4 else significant(s.adjusted, 2)
        rows.append((visible(s.column), s.decision, value, bracketed(low, high), p, s.classic))
    note = f"The first {MOST_ROWS} of {len(found):,}; the rest with .frame()." if len(found) > MOST_ROWS else ""
    head = ("column", "decision", "index", "interval", "p", "classic light")
    note = note or "The index is less what chance brings; the classic light is of the plain one."
    return SmallTable("Columns by effect", head, "llrlrl", rows, note, 1)


def many_text(found: Stabilities) -> str:
    """The sentences and the columns with the largest effects, 80 columns wide."""
    blocks = [wrapped(many_sentences(found))]
    blocks.append(table_lines(many_table(found)))
    return blocks_text(blocks)


def many_chart(found: Stabilities) -> Chart:
    """The corrected indices with their intervals, the largest on top, beside the classic limits."""
    shown = list(found)[:MOST_COLUMNS]
    marks: list[Mark] = [Rule(x=0.1), Rule(x=0.25)]
    widest = max([0.3, *(_ends(s)[2] for s in shown)])
    # An interval that ends a little beyond what is large whatever it is is still drawn whole.
    end = widest if widest <= 1.25 * MOST_INDEX else MOST_INDEX
    edge = end * 1.04
    beyond = [s for s in shown if float(s.corrected) > end]
    for i, s in enumerate(shown):
        x, low, high = (min(v, edge) for v in _ends(s))
        marks.append(Point(min(x, end), i, COLOURS[s.decision], SHAPES[s.decision], 4.5, low, high))
        if s in beyond:
            # One column that broke must not press all others to the axis.
            marks.append(Text(end, i, f"{significant(float(s.corrected), 2)} →", "ink", "end", dx=8, dy=-7))
    high = edge
    names = tuple(fit(s.column, SHORT) for s in shown)
    up = Scale(len(shown) - 0.5, -0.5, "", "names", names)
    cut = "; →: beyond the axis" if beyond else ""
    across = Scale(0.0, high, f"Index, less what chance brings{cut}")
    there = [name for name in ("alarm", "warn", "shift-negligible", "ok") if any(s.decision == name for s in shown)]
    if any(s.decision == "insufficient" for s in shown):
        there.append("insufficient")
    legend = tuple((name, COLOURS[name]) for name in there)
    told = " ".join(many_sentences(found))
    columns: dict[str, Sequence[Any]] = {
        "column": [s.column for s in found],
        "corrected": [s.corrected.value for s in found],
        "low": [s.corrected.low for s in found],
        "high": [s.corrected.high for s in found],
        "decision": [s.decision for s in found],
    }
    size = (620.0, 90.0 + 24.0 * len(shown))
    changed = [s for s in found if s.verdict.bad]
    most = f", most of all {visible(changed[0].column)}" if changed else ""
    more: dict[str, Any] = {"finding": f"{len(changed)} of {_columns(len(found))} changed{most}"}
    return Chart("stabilities", "Stability of columns", across, up, tuple(marks), told, columns, legend, size, **more)
