"""A table of numbers as text and as HTML: estimates with their intervals, names cut where there is no room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.results import Estimate
from steelyard.views.layout import table_width
from steelyard.views.notebook import small_table
from steelyard.views.tables import SmallTable
from steelyard.views.text import ROOM, table_lines
from steelyard.words import MARK, count, marked, number, percent, shortest, significant, told_marks, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from steelyard.tables.tabulation import Cell, Tabulation

    class HasTable(Protocol):
        """A result that is read as a table."""

        def table(self) -> Tabulation:
            """The table."""


MOST_WHOLE = 1e9
MOST_ROWS = 100
"""So many rows are told as text; all of them are in the frame."""


def tabulation_text(t: Tabulation) -> str:
    """Title, rows and note, 80 columns wide."""
    return "\n".join(table_lines(laid_out(t)))


def tabulated_text(x: HasTable) -> str:
    """What tells itself as a table."""
    return tabulation_text(x.table())


def tabulation_html(t: Tabulation) -> str:
    """The same for a notebook."""
    return small_table(laid_out(t))


def laid_out(t: Tabulation, room: int = ROOM) -> SmallTable:
    """A table in words: of a long one the first rows, of a wide one the numbers without their intervals."""
    head = _head(list(t.cells))
    rows = _written(t, short=False)
    narrow = table_width(head, rows) > room and any(_estimates(cells) for cells in t.cells.values())
    left = len(t) - MOST_ROWS
    said = [t.note, *(f"{text.removesuffix('.')}." for text in told_marks(_cautions(t)))]
    said += ["The intervals are in .frame() and --json."] if narrow else []
    said += [f"{left:,} more rows are in .frame()."] if left > 0 else []
    align = "".join("r" if _plain(cells) or (narrow and _estimates(cells)) else "l" for cells in t.cells.values())
    return SmallTable(
        t.title, head, align, _written(t, short=True) if narrow else rows, " ".join(part for part in said if part)
    )


def _head(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns; one that tells more of a column before it, by the rest of its name alone.

    >>> _head(["bin", "june", "june_share", "june_part", "all_rows"])
    ('bin', 'june', 'share', 'part', 'all rows')
    """
    out = []
    for i, name in enumerate(names):
        owner = next((o for o in names[:i] if name.startswith(f"{o}_")), "")
        out.append(name.removeprefix(f"{owner}_").replace("_", " ") if owner else name.replace("_", " "))
    return tuple(out)


def fine(x: float) -> str:
    """A small number to four decimals."""
    return number(x, 4)


def _written(t: Tabulation, *, short: bool) -> list[tuple[str, ...]]:
    told = ([_told(x, t.forms.get(name, ""), short) for x in cells[:MOST_ROWS]] for name, cells in t.cells.items())
    return list(zip(*told, strict=True))


def _cautions(t: Tabulation) -> list[tuple[str, str]]:
    return [(name, x.caution) for name, cells in t.cells.items() for x in cells if isinstance(x, Estimate)]


def _estimates(cells: Sequence[Cell]) -> bool:
    return any(isinstance(x, Estimate) for x in cells)


def _plain(cells: Sequence[Cell]) -> bool:
    return all(x in (None, "") or (isinstance(x, int | float) and not isinstance(x, bool | Estimate)) for x in cells)


def _told(x: Cell, form: str, short: bool) -> str:
    if isinstance(x, Estimate) and x.value is not None:
        told = marked(x)
        return f"{told.partition(' [')[0]}{MARK if x.caution else ''}" if short and " [" in told else told
    if x is None or isinstance(x, Estimate):
        return "n/a"
    if isinstance(x, str | bool):
        return visible(x)
    written = {"percent": percent, "count": count, "typed": shortest, "fine": fine}
    whole = isinstance(x, int) or (x.is_integer() and abs(x) < MOST_WHOLE)
    return written.get(form, count if whole else significant)(float(x))
