"""How an engine is asked for confusion matrices, and how its answers are laid out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.results import Array
from steelyard.rows.language import Table, Tally, Term
from steelyard.summaries.amounts import Amounts, amount_sums, check_sizes, column_name, columns, first_sums
from steelyard.summaries.asking import segment_key, weight_sums
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.summary import places_among
from steelyard.summaries.units import Units


def label_tally(
    weighting: str, *, segmented: bool, bits: int | None = None, beside: tuple[str, ...] = (), amounts: int = 0
) -> Tally:
    """Ask for counts of actual by predicted level; by bucket of units if bits are given."""
    by: dict[str, Term] = {
        "state": lambda r: r.state(scores=beside, labels=("target", "prediction")),
        "level": lambda r: r.level("target"),
        "label": lambda r: r.level("prediction"),
        **segment_key(segmented=segmented),
    }
    if bits is None:
        return Tally(by, weight_sums(weighting) | amount_sums(amounts, weighting))
    by["bucket"] = lambda r: r.shrink(r.bucket("unit"), 16 - bits)
    return Tally(by, weight_sums(weighting) | first_sums(amounts, weighting))


def read_confusion(
    table: Table, levels: tuple[Any, ...], positive: object, weighting: str, names: tuple[str, ...] = ()
) -> Confusion:
    """Lay the answer out over these levels."""
    i, j = (places_among(levels, table[name]) for name in ("level", "label"))
    k = len(levels)

    def spread(name: str) -> Array:
        out = np.zeros((k, k))
        with np.errstate(over="ignore"):  # what is too large is refused below
            np.add.at(out, (i, j), table[name].astype(np.float64))
        return out

    squares = spread("weight2") if weighting == "sampling" else None
    name = "rows" if weighting == "none" else "weight"
    found = Confusion(levels, spread(name), int(table["rows"].sum()), positive, weighting, squares)
    if not names:
        return found
    sums = np.stack([spread(column_name(c)) for c in columns(len(names), weighting)])
    check_sizes(sums, len(names))
    return replace(found, amounts=Amounts(names, sums))


def with_units(found: Confusion, table: Table, weighting: str, bits: int) -> Confusion:
    """The same matrix with one kept for every bucket of units, from the answer by bucket."""
    units = _bucketed(table, found.levels, bits, ["rows" if weighting == "none" else "weight"])
    counts = replace(units, table=units.table[:, 0])
    if found.amounts is None:
        return replace(found, units=counts)
    by_unit = _bucketed(table, found.levels, bits, list(first_sums(len(found.amounts.names), weighting)))
    return replace(found, units=counts, amounts=replace(found.amounts, units=by_unit))


def _bucketed(table: Table, levels: tuple[Any, ...], bits: int, names: list[str]) -> Units:
    """One matrix for each bucket and sum."""
    i, j = (places_among(levels, table[name]) for name in ("level", "label"))
    ids, bucket = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
    out = np.zeros((len(ids), len(names), len(levels), len(levels)))
    for part, name in enumerate(names):
        np.add.at(out[:, part], (bucket, i, j), table[name].astype(np.float64))
    return Units(ids, out, bits).bounded()
