"""Predictions of a quantity by two models under many weightings of the same units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from steelyard.comparisons.shared_rows import SharedRows
from steelyard.comparisons.stacking import CELLS, DrawnUnits, Part, draw, paired, part_of, read, summed
from steelyard.engines.arrays import ArrayRows
from steelyard.engines.columns import Column
from steelyard.measures.measure import Measure
from steelyard.results import Array
from steelyard.rows.language import Term
from steelyard.summaries.cells import Cells
from steelyard.summaries.moments import ORDERS, Moments
from steelyard.summaries.residuals import PARTS, Residuals
from steelyard.summaries.sums import Sums, sums_beside


def number_part(measure: Measure, rows: SharedRows, first: Array, second: Array, options: Mapping[str, Any]) -> Part:
    """Two predictions of a quantity."""
    t = np.asarray(rows.target, dtype=np.float64)
    drawn = draw(rows)
    for kind in (k for k in sums_beside(Residuals.kind) if k in measure.reads):
        return _sums_part(kind, measure, rows, (first, second), options)
    centre = float(t.mean())
    distance = _distances(drawn, t) if measure.interval == "relative" else None
    makers, told = [], []
    for p in (first, second):
        whole = _residuals(t, p, rows)
        told.append(read(measure, {Residuals: whole}, None, options, None))
        makers.append(
            _medians(drawn, np.abs(p - t)) if measure.interval == "order" else _moments(whole, drawn, t, p, centre)
        )

    def evaluate(w: Array) -> Array:
        away = None if distance is None else distance(w)
        values = [make(w, away) for make in makers]
        read_all = [
            v if measure.interval == "order" else read(measure, {Residuals: v}, None, options, None)[0] for v in values
        ]
        return paired(read_all, len(w))

    return part_of(drawn, evaluate, told, bool((first == second).all()))


def _sums_part(
    kind: type[Sums], measure: Measure, rows: SharedRows, made: tuple[Array, Array], options: Mapping[str, Any]
) -> Part:
    """The same for a measure of sums over rows."""
    t, drawn = np.asarray(rows.target, dtype=np.float64), draw(rows)
    tables = [_by_row(kind, t, p) for p in made]
    wholes = [kind(rows.mass @ x, len(t)) for x in tables]
    told = [read(measure, {kind: x}, None, options, None) for x in wholes]
    stacks = [drawn.sums(x) for x in tables]

    def evaluate(w: Array) -> Array:
        copies = [x.replicate(w @ stack) for x, stack in zip(wholes, stacks, strict=True)]
        return paired([read(measure, {kind: x}, None, options, None)[0] for x in copies], len(w))

    return part_of(drawn, evaluate, told, bool((made[0] == made[1]).all()))


def _by_row(kind: type[Sums], t: Array, p: Array) -> Array:
    """What each row adds to the sums, the weight first."""
    held = ArrayRows({"target": Column("target", t), "prediction": Column("prediction", np.asarray(p))})
    terms: dict[str, Term] = {**kind.looked_at(), **kind.terms()}
    with np.errstate(all="ignore"):
        found = [1.0 if name == "weight" else terms[name](held) for name in kind.names]
    return np.stack([np.broadcast_to(np.asarray(x, dtype=np.float64), t.shape) for x in found], axis=1)


def _terms(t: Array, e: Array, centre: float) -> tuple[Array, Array]:
    """Powers of target and error by row, and the PARTS of each."""
    # Products, since powers of whole exponents are several times slower.
    of_t, of_e = [np.ones(len(t))], [np.ones(len(t))]
    for _ in range(max(i for i, _ in ORDERS)):
        of_t.append(of_t[-1] * (t - centre))
        of_e.append(of_e[-1] * e)
    powers = np.stack([of_t[i] * of_e[j] for i, j in ORDERS], axis=1)
    over, under = np.maximum(e, 0.0), np.maximum(-e, 0.0)
    relative = np.where(t == 0, 0.0, np.abs(e) / np.where(t == 0, 1.0, np.abs(t)))
    parts = (over, over**2, under, under**2, relative, relative**2, t == 0, np.ones(len(t)), np.abs(t - centre))
    return powers, np.stack(parts, axis=1).astype(np.float64)


def _residuals(t: Array, p: Array, rows: SharedRows) -> Residuals:
    """The exact sums of one model, with weights."""
    powers, parts = _terms(t, p - t, float(t.mean()))
    moments = Moments(rows.mass @ powers, np.array([float(t.mean()), 0.0])).centred()

    def cells(values: Array) -> Cells:
        found, place = np.unique(values, return_inverse=True)
        return Cells.of(found, summed(place, rows.mass, len(found))[:, None], len(t))

    sizes, targets = cells(np.abs(p - t)), cells(t)
    largest = float(np.abs(p - t).max())
    return Residuals(moments, rows.mass @ parts, largest, sizes, targets, len(t))


def _moments(whole: Residuals, drawn: DrawnUnits, t: Array, p: Array, centre: float) -> Callable[[Array, Any], Any]:
    powers, parts = (drawn.sums(x) for x in _terms(t, p - t, centre))
    about = np.array([centre, 0.0])

    def make(w: Array, away: Array | None) -> Residuals:
        moments = Moments(w @ powers, np.broadcast_to(about, (len(w), 2))).centred()
        sums = w @ parts
        if away is not None:
            sums[:, PARTS.index("away")] = away
        return whole.replicate(moments, sums)

    return make


def _ordered(drawn: DrawnUnits, x: Array) -> tuple[Array, Callable[[Array], Array]]:
    """Values in order, or means of so many neighbours, and a function from weights to their totals."""
    order = np.argsort(x, kind="stable")
    steps = np.arange(len(x)) if drawn.direct else np.arange(len(x)) * CELLS // len(x)
    values = np.bincount(steps, x[order]) / np.bincount(steps)
    key = np.empty(len(x), dtype=np.int64)
    key[order] = steps
    return values, drawn.adder(key, len(values))


def _medians(drawn: DrawnUnits, size: Array) -> Callable[[Array, Any], Any]:
    """The median of sizes under each weighting."""
    values, add = _ordered(drawn, size)

    def make(w: Array, _: Array | None) -> Array:
        total = np.cumsum(add(w), axis=1)
        return np.asarray(values[(total < total[:, -1:] / 2).sum(axis=1)])

    return make


def _distances(drawn: DrawnUnits, t: Array) -> Callable[[Array], Array]:
    """Σ |t − t̄| under each weighting, the mean moving with the weights."""
    values, add = _ordered(drawn, t)

    def distance(w: Array) -> Array:
        mass = add(w)
        mean = mass @ values / mass.sum(axis=1)
        return np.asarray((mass * np.abs(values - mean[:, None])).sum(axis=1))

    return distance
