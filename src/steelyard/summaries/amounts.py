"""Per-row amounts beside counts: sums of money and of its products, so that any payoff can be read from them later.

A payoff is linear in a row's amounts V, so its total needs the sums of V and its spread those of products of two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from typing import Any, ClassVar

import numpy as np

from steelyard.arguments.sizes import LARGEST_SUM
from steelyard.errors import CannotAdd, NotNumeric, UsageError, listing
from steelyard.results import Array
from steelyard.rows.language import Term
from steelyard.summaries.summary import pack, same, unpack
from steelyard.summaries.units import Units, add_units
from steelyard.wording import option

MOST = 4
"""More per-row amounts than this are refused: their products would be too many."""

Product = tuple[int, ...]


def products(amounts: int, order: int) -> list[Product]:
    """The products of so many amounts up to an order, those of one first.

    >>> products(2, 2)
    [(0,), (1,), (0, 0), (0, 1), (1, 1)]
    """
    return [p for n in range(1, order + 1) for p in combinations_with_replacement(range(amounts), n)]


def columns(amounts: int, weighting: str) -> list[tuple[str, Product]]:
    """What is added up for each cell and level: ("", product), and under sampling weights also ("square ", product)."""
    kinds = ("", "square ") if weighting == "sampling" else ("",)
    return [(kind, p) for kind in kinds for p in products(amounts, 2)]


def column_name(column: tuple[str, Product]) -> str:
    """The name under which an engine answers: "value0", "value01", "square value0"."""
    return f"{column[0]}value{''.join(map(str, column[1]))}"


def value_role(i: int) -> str:
    """The role of the i-th per-row amount."""
    return f"value{i}"


def amount_sums(amounts: int, weighting: str) -> dict[str, Term]:
    """Terms for every sum of amounts."""
    return {column_name(c): _term(c, weighted=weighting != "none") for c in columns(amounts, weighting)}


def first_sums(amounts: int, weighting: str) -> dict[str, Term]:
    """Terms for the sums of amounts alone, as kept for buckets of units."""
    return {column_name(("", (i,))): _term(("", (i,)), weighted=weighting != "none") for i in range(amounts)}


def _term(column: tuple[str, Product], *, weighted: bool) -> Term:
    factors = [value_role(i) for i in column[1]]
    if weighted:
        factors += ["weight"] * (2 if column[0] else 1)

    def term(row: Any) -> Any:
        x = row.value(factors[0])
        for role in factors[1:]:
            x = x * row.value(role)
        return x

    return term


def value_of(row: Any, coefficients: Array) -> Any:
    """A row's own amount: c₀ + Σ cₖ Vₖ."""
    total = row.number(float(coefficients[0]))
    for i, x in enumerate(coefficients[1:].tolist()):
        if x:
            total = total + row.value(value_role(i)) * x
    return total


def check_names(names: Sequence[str]) -> None:
    """Refuse more amounts than can be kept."""
    if len(names) > MOST:
        message = f"At most {MOST} per-row amounts can be kept, and {len(names)} came: {listing(names)}."
        raise UsageError(message, "Add some of them up in the table first.")


def check_sizes(sums: Array, amounts: int) -> None:
    """Refuse amounts whose squares are no numbers any more or fade into zero; the first axis is that of `columns`."""
    too, unit = "large", "millions"
    squares = [products(amounts, 2).index((i, i)) for i in range(amounts)]
    if (np.abs(sums) <= LARGEST_SUM).all():
        if not any(np.any(sums[i]) and sums[square].sum() < 1 / LARGEST_SUM for i, square in enumerate(squares)):
            return
        too, unit = "near zero", "millionths"
    message = f"The per-row amounts are too {too} to add up their squares."
    raise NotNumeric(message, f"Express them in another unit, for example in {unit}.")


def check_counts(counts: Array, levels: int, amounts: int, weighting: str) -> None:
    """The same of sums that stand behind counts, a block of levels each."""
    blocks = np.moveaxis(counts.reshape(len(counts), -1, levels), 1, 0)
    check_sizes(blocks[-len(columns(amounts, weighting)) :], amounts)


@dataclass(frozen=True, eq=False, slots=True)
class Amounts:
    """Sums of amounts beside a confusion matrix: `sums[..., c, i, j]` in the order of `columns`."""

    names: tuple[str, ...]
    sums: Array
    units: Units | None = None
    uncertain: Array | None = None
    """Of rows in a cell that the threshold cuts: the same sums, of positives and of negatives."""

    def of(self, which: Product, *, square: bool = False) -> Array:
        """The sum of one product of amounts."""
        places = products(len(self.names), 2)
        place = places.index(which) + (len(places) if square else 0)
        return np.asarray(self.sums[..., place, :, :])

    def changed(self, change: Callable[[Array], Array]) -> Amounts:
        """The same sums laid out anew."""
        units = None if self.units is None else replace(self.units, table=change(self.units.table))
        return Amounts(self.names, change(self.sums), units, self.uncertain)

    def copies(self, factor: float) -> Amounts:
        """The sums of so many copies of the rows."""
        uncertain = None if self.uncertain is None else self.uncertain * factor
        return replace(self.changed(lambda table: table * factor), uncertain=uncertain)

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(self.names, self.sums + other.sums, add_units(self.units, other.units))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Amounts)
            and self.names == other.names
            and same(self.sums, other.sums)
            and self.units == other.units
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "names": list(self.names),
            "sums": pack(self.sums),
            "units": self.units.to_dict() if self.units else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> Amounts | None:
        """Read back what `to_dict` wrote."""
        if data is None:
            return None
        return cls(tuple(data["names"]), unpack(data["sums"]), Units.from_dict(data["units"]))


def same_amounts(a: Sequence[str], b: Sequence[str]) -> None:
    """Refuse to add tables with different per-row amounts."""
    if tuple(a) != tuple(b):
        first, second = (listing(names) or "none" for names in (a, b))
        message = f"These summaries cannot be added: per-row amounts are {first} in one, {second} in the other."
        raise CannotAdd(message, f"Evaluate both parts with the same {option('value')}.")


def powers(counts: Array, of: Callable[[Product], Array], coefficients: Array, order: int) -> list[Array]:
    """Sums of v, v², … of v = c₀ + Σ cₖ Vₖ, from the sums of products of V; coefficients stand on the first axis."""
    out = []
    used = [i for i in range(len(coefficients)) if i == 0 or np.any(coefficients[i])]
    for power in range(1, order + 1):
        total = np.zeros_like(counts)
        for picks in product(used, repeat=power):
            which = tuple(sorted(i - 1 for i in picks if i))
            factor = np.prod([coefficients[i] for i in picks], axis=0)
            total = total + factor * (of(which) if which else counts)
        out.append(total)
    return out
