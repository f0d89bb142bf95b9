"""Profit and Cost: what it is worth to predict one level where another is true."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from steelyard.arguments.annotated import Label, as_annotated
from steelyard.charts.marks import Chart
from steelyard.errors import BadPayoff, listing
from steelyard.payoffs.amount import Amount, Entry, entry
from steelyard.payoffs.contact import by_contact
from steelyard.payoffs.kinds import LAYOUT_HINT, LAYOUTS, OUTCOMES, sign_of
from steelyard.payoffs.matrices import named_among, spoken, table_of
from steelyard.payoffs.telling import matrix_chart, payoff_text
from steelyard.results import Array, Level
from steelyard.wording import either, option

SAMPLE = "tp=140, fn=-140, fp=-700, tn=0"
MOST_RANGES = 10
Entries = tuple[tuple[Entry, ...], ...]
Made = TypeVar("Made", bound="Payoff")


@dataclass(frozen=True, slots=True)
class Payoff:
    """A table of amounts, actual level by row and predicted level by column; without levels, that of four outcomes.

    Empty levels are those of a bare matrix: its rows are in an order that the data it is laid over must have been told.
    """

    kind: ClassVar[str] = "payoff"

    cells: Entries
    levels: tuple[Any, ...] | None = None
    nothing: Any = None
    relative: bool = False

    # Facts -----------------------------------------------------------------------------------------------------------
    @property
    def sign(self) -> float:
        """What turns these amounts into profit."""
        return sign_of(self.kind)

    @property
    def names(self) -> tuple[str, ...]:
        """The per-row amounts that it needs."""
        found = {n for e in self._entries() for a in (e if isinstance(e, tuple) else (e,)) for n in a.names}
        return tuple(sorted(found))

    @property
    def ranged(self) -> bool:
        """Whether some amounts are ranges."""
        return any(isinstance(e, tuple) for e in self._entries())

    @property
    def reference(self) -> str:
        """What the amounts are measured against, in words."""
        return "relative to doing nothing" if self.relative else "absolute"

    @property
    def bare(self) -> bool:
        """Whether nobody has said whose its rows are."""
        return self.levels == ()

    def over(self, levels: Sequence[Any]) -> Payoff:
        """A bare matrix with its rows in the order of these levels; any other as it is."""
        if not self.bare:
            return self
        if len(levels) != len(self.cells):
            message = f"The {self.kind} matrix has {len(self.cells)} rows, and there are the levels {listing(levels)}."
            raise BadPayoff(message, "Give every level of the target a row and a column.")
        return _made(type(self), self.cells, tuple(levels), self.nothing, self.relative)

    def _entries(self) -> Iterator[Entry]:
        return (e for row in self.cells for e in row)

    # Other tables made from it ---------------------------------------------------------------------------------------
    def as_profit(self) -> Profit:
        """The same as profit; a cost with its sign turned."""
        found: Profit = self._turned(Profit)
        return found

    def as_cost(self) -> Cost:
        """The same as cost; a profit with its sign turned."""
        found: Cost = self._turned(Cost)
        return found

    def _turned(self, to: type[Made]) -> Made:
        if isinstance(self, to):
            return self

        def turn(entry: Entry) -> Entry:
            return (entry[1].times(-1.0), entry[0].times(-1.0)) if isinstance(entry, tuple) else entry.times(-1.0)

        return _made(
            to, tuple(tuple(turn(e) for e in row) for row in self.cells), self.levels, self.nothing, self.relative
        )

    def middle(self) -> Payoff:
        """The middle of every range."""
        return self._with(lambda e: e[0].times(0.5).plus(e[1], 0.5) if isinstance(e, tuple) else e)

    def corners(self) -> list[Payoff]:
        """Every combination of ends of the ranges: what is linear in the amounts is extreme at one of them."""
        ranges = [e for e in self._entries() if isinstance(e, tuple)]
        if len(ranges) > MOST_RANGES:
            message = f"At most {MOST_RANGES} amounts can be ranges, and {len(ranges)} are."
            raise BadPayoff(message, "Fix those that matter least.")
        out = []
        for picks in product((0, 1), repeat=len(ranges)):
            turn = iter(picks)

            def pick(entry: Entry, turn: Iterator[int] = turn) -> Entry:
                return entry[next(turn)] if isinstance(entry, tuple) else entry

            out.append(self._with(pick))
        return out

    def relative_to_nothing(self) -> Payoff:
        """The same decisions, worth what they add to doing nothing: each row less its amount when nothing is done."""
        if self.relative:
            return self
        column = self._column_of_nothing()
        rows = []
        for row in self.cells:
            least = row[column]
            if isinstance(least, tuple):
                message = "What doing nothing is worth is a range, so nothing can be measured against it."
                raise BadPayoff(message, "Fix that amount, or keep the absolute amounts.")
            rows.append(
                tuple(
                    (e[0].plus(least, -1.0), e[1].plus(least, -1.0)) if isinstance(e, tuple) else e.plus(least, -1.0)
                    for e in row
                )
            )
        return self._with_cells(rows, relative=True)

    def _column_of_nothing(self) -> int:
        if self.levels is None:
            return 1
        if self.nothing is None:
            message = f"Which predicted level means doing nothing? There are {listing(self.levels)}."
            hint = f"Say so{either('', ' in a .toml file')}: nothing={self.levels[0]!r}, for example."
            raise BadPayoff(message, hint)
        return self.levels.index(self.nothing)

    def _with(self, change: Callable[[Entry], Entry]) -> Payoff:
        return self._with_cells([tuple(change(e) for e in row) for row in self.cells], relative=self.relative)

    def _with_cells(self, rows: Sequence[tuple[Entry, ...]], *, relative: bool) -> Payoff:
        return _made(type(self), tuple(rows), self.levels, self.nothing, relative)

    # Laid over data --------------------------------------------------------------------------------------------------
    def laid(self, levels: Sequence[Any], positive: Level) -> tuple[tuple[Amount, ...], ...]:
        """The amounts as profit over the levels of the data, in their order; ranges by their middle."""
        fixed = self.middle().as_profit()
        place = self._places(tuple(levels), positive)
        rows: list[tuple[Any, ...]] = [tuple(fixed.cells[i][j] for j in place) for i in place]
        return tuple(rows)

    def coefficients(self, levels: Sequence[Any], positive: Level, names: Sequence[str]) -> Array:
        """Profit as numbers: `[0]` constants, `[1 + k]` what one unit of the k-th per-row amount is worth."""
        laid = self.laid(levels, positive)
        aliases = {"value": names[0]} if len(names) == 1 else {}
        lost = sorted({n for row in laid for a in row for n in a.names if aliases.get(n, n) not in names})
        if lost:
            counted = f"counted: {listing(names)}" if names else "none were counted"
            message = f"The {self.kind} uses per-row amounts that were not counted: {listing(lost)}; {counted}."
            raise BadPayoff(message, f"Name their columns when the rows are counted: {option('value', lost)}.")
        out = np.zeros((1 + len(names), len(laid), len(laid)))
        for i, row in enumerate(laid):
            for j, a in enumerate(row):
                out[0, i, j] = a.constant
                for name, x in a.per:
                    out[1 + list(names).index(aliases.get(name, name)), i, j] += x
        return out

    def _places(self, levels: tuple[Any, ...], positive: Level) -> list[int]:
        """Where each level of the data stands in this table."""
        if self.levels is None:
            if len(levels) != 2:
                message = (
                    f"Amounts by outcome (tp, fn, fp, tn) are for two levels, and the target has {listing(levels)}."
                )
                python = f"{type(self).__name__}({{actual: {{predicted: amount, ...}}, ...}})"
                told = either(python, "A .toml or .csv file with a row for each level")
                raise BadPayoff(message, f"{told} takes any number of levels.")
            if positive is None:
                message = (
                    f"Amounts by outcome (tp, fn, fp, tn) need a positive level; the target has {listing(levels)}."
                )
                raise BadPayoff(message, f"Say so: {option('positive', levels[0])}, for example.")
            return [0 if v == positive else 1 for v in levels]
        if self.bare:
            message = f"Nothing says whose each row of the {self.kind} matrix is; the target has {listing(levels)}."
            names = ", ".join(map(repr, levels[:4])) + (", ..." if len(levels) > 4 else "")
            hint = f"Name them in the order of the rows: {type(self).__name__}([[...]], levels=[{names}])"
            raise BadPayoff(message, f"{hint}{LAYOUT_HINT}." if len(levels) == 2 else f"{hint}.")
        by_word: dict[str, int] = {}
        for i, v in enumerate(self.levels):
            # Two levels that read alike can only be told apart exactly.
            by_word[spoken(v)] = -1 if spoken(v) in by_word else i
        exact: dict[Any, int] = {v: i for i, v in enumerate(self.levels)}
        places = [exact.get(v, by_word.get(spoken(v), -1)) for v in levels]
        lost = [v for v, i in zip(levels, places, strict=True) if i < 0]
        extra = [v for i, v in enumerate(self.levels) if i not in places]
        if lost or extra:
            said = [f"it has no amounts for {listing(lost)}"] if lost else []
            said += [f"the data hold no {listing(extra)}"] if extra else []
            message = f"The {self.kind} matrix does not fit the target, which has {listing(levels)}: {'; '.join(said)}."
            more = f"declare levels that this part lacks with {option('levels', [...])}"
            raise BadPayoff(message, f"Give every level of the target a row and a column; {more}.")
        return places

    # Telling ---------------------------------------------------------------------------------------------------------
    def __str__(self) -> str:
        return payoff_text(self)

    def chart(self) -> Chart:
        """The matrix as a picture."""
        return matrix_chart(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""

        def plain(entry: Entry) -> Any:
            return [entry[0].to_json(), entry[1].to_json()] if isinstance(entry, tuple) else entry.to_json()

        return {
            "kind": self.kind,
            "levels": None if self.levels is None else list(self.levels),
            "cells": [[plain(e) for e in row] for row in self.cells],
            "nothing": self.nothing,
            "relative": self.relative,
        }


def _made(kind: type[Made], cells: Entries, levels: tuple[Any, ...] | None, nothing: Level, relative: bool) -> Made:
    made = object.__new__(kind)
    for name, value in (("cells", cells), ("levels", levels), ("nothing", nothing), ("relative", relative)):
        object.__setattr__(made, name, value)
    return made


class _Stated(Payoff):
    """A payoff as people write it down."""

    __slots__ = ()

    @as_annotated()
    def __init__(
        self,
        matrix: object = None,
        /,
        *,
        tp: object = None,
        fn: object = None,
        fp: object = None,
        tn: object = None,
        levels: Sequence[Any] | None = None,
        layout: str | None = None,
        nothing: Label = None,
        relative: bool = False,
    ) -> None:
        given = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
        named = [name for name, value in given.items() if value is not None]
        if (matrix is None) == (not named):
            came = "both" if named else "nothing"
            message = f"A {self.kind} is told by tp, fn, fp and tn, or by a matrix of levels, and {came} came."
            told = either(f"{type(self).__name__}({SAMPLE})", option(self.kind, typed=SAMPLE))
            raise BadPayoff(message, f"For example {told}.")
        if named:
            # An outcome that nobody mentions is worth nothing.
            cells = tuple(tuple(entry(0.0 if given[n] is None else given[n], n) for n in row) for row in OUTCOMES)
            made = _made(type(self), cells, None, None, relative)
        elif isinstance(matrix, Payoff | str | os.PathLike):
            made = self._from_stated(matrix, nothing, relative)
        else:
            made = self._from_matrix(matrix, levels, layout, nothing, relative)
        for name in ("cells", "levels", "nothing", "relative"):
            object.__setattr__(self, name, getattr(made, name))
        self._check()

    @classmethod
    def of_contact(cls, revenue: object, contact: object, margin: object = 1.0) -> Self:
        """From what a sale brings, the share of it that is kept, and what a contact costs; see `payoffs.contact`."""
        tp, fp = by_contact(revenue, contact, margin, sign_of(cls.kind))
        return cls(tp=tp, fp=fp, relative=True)

    def _from_stated(self, matrix: Payoff | str | os.PathLike[str], nothing: Level, relative: bool) -> Any:
        """From another payoff or a file; what doing nothing means may be added, for a CSV file cannot say it."""
        if not isinstance(matrix, Payoff):
            from steelyard.payoffs.files import read

            matrix = read(matrix, said=self.kind)
        found = matrix.as_profit() if self.sign > 0 else matrix.as_cost()
        level = found.nothing if found.levels is None or nothing is None else named_among(nothing, found.levels)
        return _made(type(self), found.cells, found.levels, level, relative or found.relative)

    def _from_matrix(
        self, matrix: object, levels: Sequence[Any] | None, layout: str | None, nothing: Level, relative: bool
    ) -> Any:
        table, names = table_of(matrix, levels, self.kind)
        if layout is not None:
            return self._from_layout(table, levels, layout, nothing, relative)
        # A NumPy number as a level could not be saved as JSON.
        names = tuple(v.item() if isinstance(v, np.generic) else v for v in names)
        cells = tuple(
            tuple(entry(x, f'"{v}" predicted as "{w}"') for w, x in zip(names, row, strict=True))
            for v, row in zip(names, table, strict=True)
        )
        if levels is None and not isinstance(matrix, Mapping):
            if nothing is not None or relative:
                message = (
                    f"Nothing says whose each row of the {self.kind} matrix is, nor which one means doing nothing."
                )
                raise BadPayoff(message, "Name the levels in the order of the rows: levels=[...].")
            return _made(type(self), cells, (), None, relative)
        return _made(type(self), cells, names, named_among(nothing, names), relative)

    def _from_layout(
        self, table: list[Any], levels: Sequence[Any] | None, layout: object, nothing: Level, relative: bool
    ) -> Any:
        """Two levels by their parts: the four outcomes, laid out with the positive or the negative level first."""
        if layout not in LAYOUTS or len(table) != 2 or levels is not None or nothing is not None:
            message = f"A layout is for a matrix of two levels that are not named, and {listing([layout])} came."
            raise BadPayoff(message, f"Say layout={' or layout='.join(map(repr, LAYOUTS))}, or name the levels.")
        turned = table if layout == LAYOUTS[0] else [row[::-1] for row in table[::-1]]
        cells = tuple(
            tuple(entry(x, n) for n, x in zip(names, row, strict=True))
            for names, row in zip(OUTCOMES, turned, strict=True)
        )
        return _made(type(self), cells, None, None, relative)

    def _check(self) -> None:
        if all(e == row[0] for row in self.cells for e in row):
            message = f"This {self.kind} makes every decision equal: a row is worth the same whatever is predicted."
            raise BadPayoff(message, "Give at least one actual level different amounts for different predictions.")
        if self.relative and self.levels is None and any(row[1] != Amount() for row in self.cells):
            message = "Relative to doing nothing, what is not flagged is worth nothing: fn and tn must be 0."
            raise BadPayoff(message, "Leave them out, or leave relative out: then amounts are absolute.")
        if self.relative and self.levels is not None:
            column = self._column_of_nothing()
            if any(row[column] != Amount() for row in self.cells):
                message = f"Relative to doing nothing, rows predicted as {listing([self.nothing])} are worth nothing: write 0."
                raise BadPayoff(message, "Leave relative out: then amounts are absolute.")


class Profit(_Stated):
    """What outcomes earn: by keyword for two levels, by nested mapping, square array or file for any number.

    Amounts are numbers, ranges `(least, greatest)`, or expressions of per-row amounts such as "0.9 * value - 5".

    >>> print(Profit(tp=140, fn=-140, fp=-700, tn=0))
    profit: tp 140, fn -140, fp -700, tn 0
    >>> print(Profit(tp=39, fp=-1, relative=True).as_cost())
    cost, relative to doing nothing: tp -39, fn 0, fp 1, tn 0
    """

    __slots__ = ()
    kind = "profit"


class Cost(_Stated):
    """What outcomes cost: a profit with the sign turned.

    >>> print(Cost({"fraud": {"fraud": 10, "fine": 500}, "fine": {"fraud": 10, "fine": 0}}))
    cost: fraud as fraud 10, fraud as fine 500, fine as fraud 10, fine as fine 0
    """

    __slots__ = ()
    kind = "cost"


def from_dict(data: Mapping[str, Any]) -> Payoff:
    """Read back what `to_dict` wrote."""
    cells = tuple(tuple(entry(x, "an outcome") for x in row) for row in data["cells"])
    levels = None if data["levels"] is None else tuple(data["levels"])
    kind = Cost if sign_of(data["kind"]) < 0 else Profit
    return _made(kind, cells, levels, data["nothing"], data["relative"])
