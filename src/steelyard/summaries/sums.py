"""Sums over rows, counted in one pass beside another summary: whoever needs no more than these names them, and is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from steelyard.results import Array
from steelyard.rows.language import Table, Term
from steelyard.summaries.believing import believed_rows
from steelyard.summaries.summary import (
    Summary,
    effective_rows,
    join_weighting,
    kinds,
    pack,
    same,
    unpack,
    weighting_of_copies,
)
from steelyard.summaries.units import Units, add_units, without_each

WEIGHTS: dict[str, tuple[int, ...]] = {"none": (0,), "frequency": (1,), "sampling": (1, 2)}
"""With which powers of the weight a term is added up: for intervals of sampled rows with its square as well."""


@dataclass(frozen=True, eq=False, slots=True)
class Sums(Summary):
    """`sums[..., i]` in the order of `names`, the weight first; under sampling weights the same again with squared weights."""

    names: ClassVar[tuple[str, ...]] = ("weight",)
    """What is added up, the weight first."""
    beside: ClassVar[str] = ""
    """The kind of summary in whose pass over the rows it is counted."""
    levels: ClassVar[tuple[Any, ...]] = ()

    sums: Array
    rows: int
    weighting: str = "none"
    units: Units | None = None

    def sum(self, name: str) -> Array:
        """One of the sums."""
        return np.asarray(self.sums[..., self.names.index(name)])

    @property
    def total(self) -> Array:
        """Sum of the weights; the number of rows without any."""
        return np.asarray(self.sums[..., 0])

    @property
    def effective(self) -> float:
        """How many rows of one weight would spread as much."""
        squares = self.squared()
        return float(self.total) if squares is None else float(effective_rows(self.total, squares.total))

    def squared(self) -> Self | None:
        """The same sums with squared weights, where rows carry sampling weights."""
        return self.replicate(self.sums[..., len(self.names) :]) if self.weighting == "sampling" else None

    def replicate(self, sums: Array) -> Self:
        """Other sums, perhaps many at once."""
        return replace(self, sums=sums, weighting="none", units=None)

    def copies(self, factor: float) -> Self:
        """The sums of so many copies of the rows, or of a share of them."""
        units, weighting = None if self.units is None else self.units.times(factor), weighting_of_copies(self.weighting)
        return replace(self, sums=self.sums * factor, rows=round(self.rows * factor), weighting=weighting, units=units)

    def left_out(self, shares: Array | None = None) -> tuple[Self, Self, int]:
        """The whole, and the sums without one bucket of units each."""
        return without_each(self, shares)

    def by_bucket(self) -> Array:
        """The rows of every bucket."""
        assert self.units is not None
        return self.units.table[:, :1]

    def __add__(self, other: Self) -> Self:
        sums, units = self.sums + other.sums, add_units(self.units, other.units)
        if not self.wanted({name: sums[..., self.names.index(name)] for name in self.looked_at()}):
            # As if all rows had been counted together: nothing but what was seen first.
            known = [i for i, name in enumerate(self.names) if name == "weight" or name in self.looked_at()]
            sums = np.where(np.isin(np.arange(sums.shape[-1]) % len(self.names), known), sums, 0.0)
            units = None if units is None else units.times(0.0)
        weighting = join_weighting(self.weighting, other.weighting)
        return replace(self, sums=sums, rows=self.rows + other.rows, weighting=weighting, units=units)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, type(self))
            and (self.rows, self.weighting) == (other.rows, other.weighting)
            and same(self.sums, other.sums)
            and self.units == other.units
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        units = self.units.to_dict() if self.units else None
        facts = {"kind": self.kind, "names": list(self.names), "rows": self.rows, "weighting": self.weighting}
        return {**facts, "sums": pack(self.sums), "units": units}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` wrote, if it was counted under the same names."""
        sums, weighting = unpack(data["sums"]), data["weighting"]
        if tuple(data["names"]) != cls.names or len(sums) != len(cls.names) * len(WEIGHTS[weighting][-2:]):
            message = f"sums of {data['names']}"
            raise ValueError(message)
        rows = believed_rows(data["rows"], weighting=weighting)
        return cls(sums, rows, weighting, Units.from_dict(data["units"]))

    # How an engine is asked for it -----------------------------------------------------------------------------------
    @classmethod
    def looked_at(cls) -> dict[str, Term]:
        """Those of the sums that are asked for in a pass before, without weights, to see whether to ask for the rest."""
        return {}

    @classmethod
    def wanted(cls, seen: Table) -> bool:
        """Whether rows of which this was seen are to be counted."""
        return True

    @classmethod
    def terms(cls) -> dict[str, Term]:
        """What one row adds to each of the other sums."""
        raise NotImplementedError

    @classmethod
    def asked(cls, weighting: str) -> dict[str, Term]:
        """The terms as an engine is asked for them: times the weight, and its square."""

        def weighed(term: Term, weights: int) -> Term:
            def times(row: Any) -> Any:
                x = term(row)
                for _ in range(weights):
                    x = x * row.value("weight")
                return x

            return times

        own: dict[str, Term] = {"weight": lambda r: r.number(1.0), **cls.terms()}
        return {cls.column(name, k): weighed(term, k) for k in WEIGHTS[weighting] for name, term in own.items()}

    @classmethod
    def column(cls, name: str, weights: int) -> str:
        """The name under which an engine answers."""
        return f"{cls.kind} {name}, weights {weights}"

    @classmethod
    def read(cls, table: Table, seen: Table, weighting: str, bits: int | None = None) -> Self:
        """One segment's answer laid out, with what was seen of it before; by bucket of units where bits are given."""
        blocks, size = WEIGHTS[weighting], len(cls.names)
        columns = np.zeros((len(table["rows"]), size * len(blocks)))
        if cls.wanted(seen):
            none = np.zeros(len(table["rows"]))
            columns = np.stack([table.get(cls.column(name, k), none) for k in blocks for name in cls.names], axis=1)
        sums, units = columns.astype(np.float64).sum(axis=0), None
        for block, k in enumerate(blocks):
            # Weights, and what was seen before, are known of rows that were not counted too.
            sums[block * size] = float(seen[("rows", "weight", "weight2")[k]].sum())
            sums[[block * size + cls.names.index(name) for name in cls.looked_at()]] = [
                float(seen[name].sum()) for name in cls.looked_at()
            ]
        if bits is not None:
            ids, place = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
            kept = np.zeros((len(ids), size))
            np.add.at(kept, place, columns[:, :size].astype(np.float64))
            units = Units(ids, kept, bits).bounded()
        return cls(sums, int(seen["rows"].sum()), weighting, units)


def sums_beside(kind: str) -> list[type[Sums]]:
    """The summaries that are counted in the same pass as one of this kind.

    >>> "deviances" in [x.kind for x in sums_beside("residuals")]
    True
    """
    return [x for x in kinds().values() if issubclass(x, Sums) and x.beside == kind]
