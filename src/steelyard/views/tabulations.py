"""A table of numbers as text and as HTML: estimates with their intervals, names cut where there is no room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.charts.marks import in_a_cell
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
LEAST = "method"
"""The column that is left out first where there is no room."""
MOST_ROWS = 100
"""So many rows are told as text; all of them are in the frame."""


def tabulation_text(tabulation: Tabulation) -> str:
    """Title, rows and note, 80 columns wide."""
    return "\n".join(table_lines(laid_out(tabulation)))


def tabulated_text(result: HasTable) -> str:
    """What tells itself as a table."""
    return tabulation_text(result.table())


def tabulation_html(tabulation: Tabulation) -> str:
    """The same for a notebook."""
    return in_a_cell(small_table(laid_out(tabulation)))


def laid_out(tabulation: Tabulation, room: int = ROOM) -> SmallTable:
    """A table in words: of a long one the first rows; of a wide one the numbers without methods, then without intervals."""
    left_out = [LEAST] if LEAST in tabulation.cells and not _fits(tabulation, room) else []
    if left_out:
        tabulation = replace(tabulation, cells={n: c for n, c in tabulation.cells.items() if n != LEAST})
    head = _head(list(tabulation.cells))
    narrow = not _fits(tabulation, room) and any(_estimates(cells) for cells in tabulation.cells.values())
    left_out += ["interval"] if narrow else []
    left = len(tabulation) - MOST_ROWS
    said = [tabulation.note, *(f"{text.removesuffix('.')}." for text in told_marks(_cautions(tabulation)))]
    said += [f"The {' and '.join(f'{what}s' for what in left_out)} are in .frame() and --json."] if left_out else []
    said += [f"{left:,} more rows are in .frame() and --json."] if left > 0 else []
    right = [_plain(cells) or (narrow and _estimates(cells)) for cells in tabulation.cells.values()]
    align, note = "".join("r" if r else "l" for r in right), " ".join(filter(None, said))
    return SmallTable(tabulation.title, head, align, _written(tabulation, short=narrow), note)


def _fits(tabulation: Tabulation, room: int) -> bool:
    return table_width(_head(list(tabulation.cells)), _written(tabulation, short=False)) <= room


def _head(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns; one that tells more of a column before it, by the rest of its name alone.

    >>> _head(["bin", "june", "june_share", "june_part", "all_rows"])
    ('bin', 'june', 'share', 'part', 'all rows')
    """
    out = []
    for i, name in enumerate(names):
        owner = next((o for o in names[:i] if name.startswith(f"{o}_")), "")
        out.append(name.removeprefix(f"{owner}_").replace("_", " ") if owner else name.replace("_", " "))
    return tuple(map(visible, out))


def fine(x: float) -> str:
    """A small number to four decimals."""
    return number(x, 4)


def _written(tabulation: Tabulation, *, short: bool) -> list[tuple[str, ...]]:
    told = (
        [_told(x, tabulation.forms.get(name, ""), short) for x in cells[:MOST_ROWS]]
        for name, cells in tabulation.cells.items()
    )
    return list(zip(*told, strict=True))


def _cautions(tabulation: Tabulation) -> list[tuple[str, str]]:
    first = next(iter(tabulation.cells.values()), ())
    out = []
    for name, cells in tabulation.cells.items():
        # A column of all kinds of numbers has them named by their rows.
        kinds = {x.measure if isinstance(x, Estimate) else "" for x in cells}
        by_row = len(kinds) > 1 and "" not in kinds
        named = [str(x) for x in first] if by_row else [name] * len(cells)
        out += [(n, x.caution) for n, x in zip(named, cells, strict=True) if isinstance(x, Estimate)]
    return out


def _estimates(cells: Sequence[Cell]) -> bool:
    return any(isinstance(x, Estimate) for x in cells)


def _plain(cells: Sequence[Cell]) -> bool:
    return all(x in (None, "") or (isinstance(x, int | float) and not isinstance(x, bool | Estimate)) for x in cells)


def _told(cell: Cell, form: str, short: bool) -> str:
    if isinstance(cell, Estimate) and cell.value is not None:
        told = marked(cell)
        return f"{told.partition(' [')[0]}{MARK if cell.caution else ''}" if short and " [" in told else told
    if cell is None or isinstance(cell, Estimate):
        return "n/a"
    if isinstance(cell, str | bool):
        return visible(cell)
    written = {"percent": percent, "count": count, "typed": shortest, "fine": fine}
    whole = isinstance(cell, int) or (cell.is_integer() and abs(cell) < MOST_WHOLE)
    return written.get(form, count if whole else significant)(float(cell))
