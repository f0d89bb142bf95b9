"""A table as data: named columns whose cells are numbers, names or estimates; and the tables that an evaluation has, by name."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.arguments.allowed import shown
from steelyard.arguments.annotated import read_like
from steelyard.errors import NotAvailable, UnknownMeasure, UsageError, listing, nearest
from steelyard.files.marking import marking_modules
from steelyard.results import Estimate, make_frame
from steelyard.views.told import Told

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart

Cell = Estimate | str | float | int | bool | None


@dataclass(frozen=True, slots=True)
class Tabulation(Told):
    """Columns by name, one below the other as people read them; a cell may be an estimate, with its interval.

    >>> t = Tabulation("shares", "Shares", {"rows": [10, 20], "recall": [Estimate("recall", 0.5, 0.2, 0.8), None]})
    >>> t.columns["recall_low"], len(t)
    ([0.2, None], 2)
    >>> print(t)
    Shares
      rows  recall
        10  0.50 [0.20, 0.80]
        20  n/a
    """

    as_text: ClassVar[str] = "tabulations.tabulation_text"
    as_html: ClassVar[str] = "tabulations.tabulation_html"

    name: str
    title: str
    cells: Mapping[str, Sequence[Cell]]
    note: str = ""
    confidence: float = 0.95
    forms: Mapping[str, str] = field(default_factory=dict)
    """How the numbers of a column are written: "percent", "count", "typed" or "fine" (four decimals)."""
    drawn: Callable[[], Chart] | None = field(default=None, repr=False, compare=False)
    """Who draws it, where it has a picture."""

    def __len__(self) -> int:
        return len(next(iter(self.cells.values()), ()))

    @property
    def columns(self) -> dict[str, list[Any]]:
        """Plain values by column; an estimate is three of them: its value, and the ends of its interval."""
        out: dict[str, list[Any]] = {}
        for name, cells in self.cells.items():
            estimates = any(isinstance(x, Estimate) for x in cells)
            out[name] = [x.value if isinstance(x, Estimate) else x for x in cells]
            for end in ("low", "high") if estimates else ():
                out[f"{name}_{end}"] = [getattr(x, end) if isinstance(x, Estimate) else None for x in cells]
        return out

    def frame(self) -> Any:
        """The table as a frame of whichever library is installed (pandas, Polars, PyArrow)."""
        return make_frame(self.columns)

    def chart(self) -> Chart:
        """Its picture, where it has one."""
        if self.drawn is None:
            message = f'The table "{self.name}" has no picture.'
            raise NotAvailable(message, "Draw what .frame() gives.")
        return self.drawn()

    def rows_as_dicts(self) -> list[dict[str, Any]]:
        """One plain dictionary a row."""
        columns = self.columns
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        found = [x for cells in self.cells.values() for x in cells if isinstance(x, Estimate)]
        return {
            "table": self.name,
            "title": self.title,
            "rows": self.rows_as_dicts(),
            "confidence": self.confidence,
            "methods": sorted({x.method for x in found if x.method}),
            "note": self.note,
            "text": str(self),
        }


@dataclass(frozen=True, slots=True)
class _Maker:
    make: Callable[..., Tabulation]
    needs: str
    allowed: Callable[[Any], bool]

    @property
    def options(self) -> tuple[str, ...]:
        """What may be said about the table: the arguments of its function after the evaluation."""
        return tuple(inspect.signature(self.make).parameters)[1:]


_makers: dict[str, _Maker] = {}
ALSO = dict.fromkeys(("confusion", "confusion_matrix"), "matrix") | {"thresholds": "sweep", "measures": "numbers"}
"""What people call a table whose name is not like it."""
Made = Callable[..., Tabulation]


def tabulated(needs: str, allowed: Callable[[Any], bool]) -> Callable[[Made], Made]:
    """Mark a function of an evaluation as a table of it, with what it needs in words and as a test."""

    def mark(function: Made) -> Made:
        _makers[function.__name__] = _Maker(function, needs, allowed)
        return function

    return mark


@cache
def _load() -> None:
    for module in (*marking_modules("steelyard.tables", "@tabulated("), "steelyard.tables.points"):
        importlib.import_module(module)


def options_of_tables() -> dict[str, tuple[str, ...]]:
    """Every table that there is, with its options."""
    _load()
    return {name: made.options for name, made in sorted(_makers.items())}


def tables_of(evaluation: Any) -> list[str]:
    """The names of the tables that the evidence allows."""
    _load()
    return [name for name, made in sorted(_makers.items()) if made.allowed(evaluation)]


def table_of(evaluation: Any, name: Any, **options: Any) -> Tabulation:
    """One table of an evaluation by its name."""
    _load()
    if not isinstance(name, str):
        message = f"A table is asked for by its name, and {shown(name)} came."
        raise UnknownMeasure(message, 'For example table("matrix").')
    if name not in _makers:
        message = f'There is no table called "{name}"; there are {listing(sorted(_makers))}.'
        raise UnknownMeasure(message, nearest(ALSO.get(name, name), _makers) or 'For example table("matrix").')
    made = _makers[name]
    if not made.allowed(evaluation):
        message = f'The table "{name}" needs {made.needs}.'
        raise NotAvailable(message, f"Here there are {listing(tables_of(evaluation))}.")
    for odd in options:
        if odd not in made.options:
            message = f'The table "{name}" has no option "{odd}"; its options: {", ".join(made.options) or "none"}.'
            raise UsageError(message, nearest(odd, made.options) or "Leave it out.")
    return made.make(evaluation, **read_like(made.make, options))
