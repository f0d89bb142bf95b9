"""How an engine is asked for the errors of numbers, and how its answers are laid out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.rows import grid
from steelyard.rows.language import Table, Tally, Term
from steelyard.summaries.asking import once, segment_key, weight_sums
from steelyard.summaries.moments import ORDERS, Moments
from steelyard.summaries.residuals import PARTS
from steelyard.summaries.units import Units


def _target(row: Any) -> Any:
    return row.value("target")


def _error(row: Any) -> Any:
    return row.value("prediction") - row.value("target")


def _state(row: Any) -> Any:
    return row.state(numbers=("target", "prediction"))


def mean_tally(weighting: str, *, segmented: bool) -> Tally:
    """Ask for the means of target and error, and whether all values are zeros and ones."""

    def weighed(term: Term) -> Term:
        return term if weighting == "none" else lambda r: term(r) * r.value("weight")

    def binary(row: Any) -> Any:
        t, p = row.value("target"), row.value("prediction")
        return row.flag(((t == 0.0) | (t == 1.0)) & ((p == 0.0) | (p == 1.0)))

    sums = {**weight_sums(weighting), "target": weighed(_target), "error": weighed(_error), "binary": binary}
    return Tally({"state": _state, **segment_key(segmented=segmented)}, sums)


def prediction_tally() -> Tally:
    """Ask for the cells of predictions, with and without a target, so that rows without one can be compared."""

    def value(row: Any) -> Any:
        return row.value("prediction") + 0.0

    return Tally({"state": _state, "cell": lambda r: r.cell(value(r), grid.FINE)}, {}, {"low": value}, {"high": value})


def moment_tally(
    centres: Mapping[Any, tuple[float, float]], weighting: str, *, segmented: bool, bits: int | None = None
) -> Tally:
    """Ask for sums of powers about the means of each segment, and the PARTS; by bucket of units if bits are given."""

    def off(axis: int) -> Term:
        def term(row: Any) -> Any:
            centre: Any = centres[None][axis]
            if segmented:
                known = {level: c[axis] for level, c in centres.items() if level is not None}
                centre = row.lookup("segment", known, centre)
            return (_error(row) if axis else _target(row)) - centre

        return once(term)

    target_off, error_off = off(0), off(1)

    def power(i: int, j: int) -> Term:
        def term(row: Any) -> Any:
            out = row.value("weight") if weighting != "none" else 1.0
            for _ in range(i):
                out = target_off(row) * out
            for _ in range(j):
                out = error_off(row) * out
            return out

        return term

    def weighed(term: Term) -> Term:
        return term if weighting == "none" else lambda r: term(r) * r.value("weight")

    def over(row: Any) -> Any:
        return row.chain([(_error(row) > 0.0, _error(row))], 0.0)

    def under(row: Any) -> Any:
        return row.chain([(_error(row) < 0.0, -_error(row))], 0.0)

    def relative(row: Any) -> Any:
        t = _target(row)
        return row.absolute(_error(row)) / row.absolute(row.chain([(t == 0.0, 1.0)], t)) * (1.0 - row.flag(t == 0.0))

    terms: dict[str, Term] = {f"m{i}{j}": power(i, j) for i, j in ORDERS}
    terms |= {
        "over": weighed(over),
        "over2": weighed(lambda r: over(r) * over(r)),
        "under": weighed(under),
        "under2": weighed(lambda r: under(r) * under(r)),
        "relative": weighed(relative),
        "relative2": weighed(lambda r: relative(r) * relative(r)),
        "zeros": weighed(lambda r: r.flag(_target(r) == 0.0)),
        "weight2": lambda r: r.value("weight") * r.value("weight") if weighting != "none" else 1.0,
        "away": weighed(lambda r: r.absolute(target_off(r))),
    }
    by: dict[str, Term] = {"state": _state, **segment_key(segmented=segmented)}
    if bits is not None:
        by["bucket"] = lambda r: r.shrink(r.bucket("unit"), 16 - bits)
    return Tally(by, terms, {}, {"largest": lambda r: r.absolute(_error(r))})


def value_of(which: str) -> Term:
    """|error| ("sizes") or the target ("targets") of a row."""
    return (lambda r: r.absolute(_error(r))) if which == "sizes" else (lambda r: _target(r) + 0.0)


def size_tally(which: str, *, exact: bool, weighting: str, segmented: bool) -> Tally:
    """Ask for the table of |error| ("sizes") or of targets ("targets")."""
    value = value_of(which)
    by: dict[str, Term] = {"state": _state, "level": lambda r: r.number(0), **segment_key(segmented=segmented)}
    if exact:
        return Tally({**by, "score": value}, weight_sums(weighting))
    return Tally(
        {**by, "cell": lambda r: r.cell(value(r), grid.FINE)}, weight_sums(weighting), {"low": value}, {"high": value}
    )


def read_moments(table: Table, centre: tuple[float, float]) -> Moments:
    """Lay one segment's answer out as centred moments."""
    sums = np.array([float(table[f"m{i}{j}"].sum()) for i, j in ORDERS])
    return Moments(sums, np.array(centre)).centred()


def read_unit_moments(table: Table, centre: tuple[float, float], bits: int) -> Units:
    """Lay the answer by bucket out as a row of sums each."""
    ids, place = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
    columns = [table[f"m{i}{j}"] for i, j in ORDERS]
    columns += [np.zeros(len(place))] * 2 + [table[name] for name in PARTS]
    out = np.zeros((len(ids), len(columns)))
    np.add.at(out, place, np.stack([c.astype(np.float64) for c in columns], axis=1))
    units = Units(ids, out, bits).bounded()
    units.table[:, len(ORDERS) : len(ORDERS) + 2] = centre
    return units
