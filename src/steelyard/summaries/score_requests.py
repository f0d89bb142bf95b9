"""How an engine is asked for score tables, and how its answers are laid out."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.rows import grid
from steelyard.rows.language import ScoreTally, Table, Tally, Term
from steelyard.summaries.amounts import amount_sums, check_counts, column_name, columns, first_sums
from steelyard.summaries.asking import segment_key, weight_sums
from steelyard.summaries.cells import Cells
from steelyard.summaries.sparse import spared
from steelyard.summaries.summary import places_among
from steelyard.summaries.units import Units


def score_tally(
    role: str,
    *,
    exact: bool,
    weighting: str,
    segmented: bool,
    cuts: tuple[float, ...] = (),
    beside: tuple[str, ...] = (),
    labels: tuple[str, ...] = ("target",),
    amounts: int = 0,
    rounded: bool = False,
) -> ScoreTally:
    """Ask for distinct scores, or for cells of the grid with the least and greatest score in each.

    `rounded` scores have more digits than floats, and what those leave is asked for too.
    `beside` names the scores of all classes and `labels` all columns of labels: a row in which one of them is missing counts for
    none.
    """
    by: dict[str, Term] = {
        "state": lambda r: r.state(scores=beside or (role,), labels=labels),
        "level": lambda r: r.level("target"),
        **segment_key(segmented=segmented),
    }
    lows: dict[str, Term] = {}
    highs: dict[str, Term] = {}
    if exact:
        by["score"] = lambda r: r.value(role) + 0.0
        if rounded:
            by["rest"] = lambda r: r.rest(role)
    else:
        by["cell"] = lambda r: r.cell(r.value(role), grid.FINE)
        for i, cut in enumerate(cuts):
            by[f"cut{i}"] = partial(_at_least, role=role, cut=cut)

        def value(row: Any) -> Any:
            return row.value(role) + 0.0

        lows, highs = {"low": value}, {"high": value}
        if rounded:
            lows["least"] = highs["most"] = lambda r: r.rest(role)
    sums = weight_sums(weighting) | amount_sums(amounts, weighting)
    return ScoreTally(by, sums, lows, highs, role, exact, cuts, tuple(p for _, p in columns(amounts, weighting)))


def _at_least(row: Any, *, role: str, cut: float) -> Any:
    return row.value(role) >= cut


def unit_score_tally(
    role: str,
    bits: int,
    *,
    weighting: str,
    segmented: bool,
    beside: tuple[str, ...] = (),
    labels: tuple[str, ...] = ("target",),
    amounts: int = 0,
) -> Tally:
    """Ask for coarse cells by bucket of units."""
    return Tally(
        {
            "state": lambda r: r.state(scores=beside or (role,), labels=labels),
            "level": lambda r: r.level("target"),
            "cell": lambda r: r.cell(r.value(role), grid.COARSE),
            "bucket": lambda r: r.shrink(r.bucket("unit"), 16 - bits),
            **segment_key(segmented=segmented),
        },
        weight_sums(weighting) | first_sums(amounts, weighting),
    )


def read_cells(
    table: Table,
    levels: tuple[Any, ...],
    weighting: str,
    *,
    exact: bool = False,
    cuts: tuple[float, ...] = (),
    amounts: int = 0,
) -> Cells:
    """Lay the answer to a score request out as ordered cells."""
    gridded = "cell" in table
    places = places_among(levels, table["level"])
    if gridded:
        keys = table["cell"].astype(np.int64) * (len(cuts) + 1)
        for i in range(len(cuts)):
            keys = keys + table[f"cut{i}"].astype(np.int64)
    else:
        keys = table["score"].astype(np.float64)
    if "rest" in table:
        both, place = np.unique(np.stack([keys, table["rest"].astype(np.float64)]), axis=1, return_inverse=True)
        found, rest = both
    else:
        found, place = np.unique(keys, return_inverse=True)
        rest = None
    blocks = ["weight" if weighting != "none" else "rows"] + (["weight2"] if weighting == "sampling" else [])
    blocks += [column_name(c) for c in columns(amounts, weighting)]
    counts = np.zeros((len(found), len(levels) * len(blocks)))
    for b, name in enumerate(blocks):
        np.add.at(counts, (place, places + b * len(levels)), table[name].astype(np.float64))
    if amounts:
        check_counts(counts, len(levels), amounts, weighting)
    rows = int(table["rows"].sum())
    if not gridded:
        scores = found.astype(np.float64)
        return Cells(scores, scores, spared(counts), rows, exact=exact, cuts=cuts, rest=rest)
    low, high = np.full(len(found), np.inf), np.full(len(found), -np.inf)
    np.minimum.at(low, place, table["low"].astype(np.float64))
    np.maximum.at(high, place, table["high"].astype(np.float64))
    if "least" in table:
        # One float of several numbers is a cell like any other in which they cannot be told apart.
        most, least = np.full(len(found), -np.inf), np.full(len(found), np.inf)
        np.minimum.at(least, place, table["least"].astype(np.float64))
        np.maximum.at(most, place, table["most"].astype(np.float64))
        high = np.where((low == high) & (least < most), np.nextafter(high, np.inf), high)
    return Cells(low, high, spared(counts), rows, gridded=True, cuts=cuts)


def read_unit_cells(
    table: Table, levels: tuple[Any, ...], weighting: str, bits: int, amounts: int = 0
) -> tuple[Units, npt.NDArray[np.int64]]:
    """Lay the answer to a unit request out as one coarse table a bucket."""
    places = places_among(levels, table["level"])
    codes, cell = np.unique(table["cell"].astype(np.int64), return_inverse=True)
    ids, bucket = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
    blocks = ["rows" if weighting == "none" else "weight", *first_sums(amounts, weighting)]
    out = np.zeros((len(ids), len(codes), len(levels) * len(blocks)))
    for b, name in enumerate(blocks):
        np.add.at(out, (bucket, cell, places + b * len(levels)), table[name].astype(np.float64))
    return Units(ids, out, bits).bounded(), codes
