"""A look at a table, told: the line to type next, then the columns."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from steelyard.sources.looking import suggested
from steelyard.views.layout import fit, table, wrap
from steelyard.words import visible

if TYPE_CHECKING:
    from steelyard.sources.looking import Seen, TableSeen

HELD = {"number": "numbers", "bool": "true or false", "day": "days", "text": "text"}
WRITTEN = {
    "decimal": "decimals after a {}",
    "dates": "days written {}",
    "encoding": "text in {}",
    "sheet": 'the sheet "{}"',
}


def look_text(look: TableSeen) -> str:
    """What the table holds, the line that evaluates it, and every column."""
    rows, columns = (
        f"{n:,} {what}{'' if n == 1 else 's'}" for n, what in ((look.rows, "row"), (len(look.columns), "column"))
    )
    first = f"{look.source}: {'the first ' if look.more else ''}{rows}, {columns}"
    told = [WRITTEN[name].format(getattr(look.written, name).replace("-", " ")) for name in look.written.said]
    lines = wrap(f"{first}{'; read with ' + ', '.join(told) if told else ''}.")
    lines += ["", "To evaluate it:", "", *command(look), ""]
    for remark in (*look.remarks, *_percent(look)):
        lines += wrap(f"Note: {remark}", rest="  ")
    body = [(fit(c.name, 28), HELD[c.kind], f"{c.missing:,}", _values(c, look.rows)) for c in look.columns]
    head = ("column", "holds", "missing", "values")
    return "\n".join([*lines, *table(head, body, "llrl", wrapped=True)])


def command(look: TableSeen) -> list[str]:
    """The line of a terminal that evaluates the table, folded where it is long; words in capitals are to be filled in."""
    roles = suggested(look.columns) or {"target": "COLUMN", "score": "COLUMN"}
    given = {name: getattr(look.written, name) for name in look.written.said} | roles
    parts = [f"steelyard evaluate {shlex.quote(look.source)}", *(f"--{k} {shlex.quote(v)}" for k, v in given.items())]
    lines, line = [], "  "
    for part in parts:
        if len(line) + len(part) > 76 and line.strip():
            lines.append(f"{line} \\")
            line = "      "
        line = f"{line} {part}" if line.strip() else line + part
    return [*lines, line]


def _percent(look: TableSeen) -> list[str]:
    name = suggested(look.columns).get("score")
    found = next((c for c in look.columns if c.name == name), None)
    if found is None or found.greatest <= 1:
        return []
    return [f"{name} runs to {found.greatest:g}, so it may be in per cent: say --threshold 50, or divide it by 100."]


def _values(column: Seen, rows: int) -> str:
    if not column.levels:
        return "none"
    all_different = f", all {column.levels:,} different" if column.levels == rows and rows > 1 else ""
    if column.kind in {"number", "day"} and column.levels > 2:
        ends = (f"{v:,.6g}" if column.kind == "number" else str(v) for v in (column.least, column.greatest))
        return f"{' to '.join(ends)}{all_different}"
    shown = ", ".join(f"{v:g}" if column.kind == "number" else fit(visible(v), 24) for v in column.shown)
    return shown if column.levels == len(column.shown) else f"{shown} … {column.levels:,} in all"
