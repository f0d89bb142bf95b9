"""Measures that are means of one number a row: models on the same rows differ by the mean of the rows' differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.comparisons.independent import LEAST_P
from steelyard.comparisons.influence import carried_by, kish, masses_of
from steelyard.comparisons.labels import no_difference
from steelyard.comparisons.shared_rows import RowAmounts, SharedRows, codes_of, column
from steelyard.counting.rules import CountingRules, found_levels, positive_of
from steelyard.errors import UsageError, listing
from steelyard.measures.measure import Measure
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array, Difference, Level
from steelyard.verdicts.comparison import judged

NO_SPREAD = "every row gave the same difference, so its spread is not known"
ONE_UNIT = "there is one unit only, so the spread between units is not known"


@dataclass(frozen=True, eq=False, slots=True)
class Predicted:
    """What several models give for the same rows, and the places of the levels that they call."""

    shape: str
    """"scores", "labels", "numbers" or "classes"."""
    given: Sequence[Any]
    """Scores or numbers by row, or classes × rows."""
    places: Sequence[Any] = ()
    value: Any = None
    """Amounts of each row, by name."""


def predicted(
    models: Sequence[Any],
    rows: SharedRows,
    shape: str,
    *,
    positive: Level = None,
    threshold: float = 0.5,
    levels: Sequence[Any] | None = None,
    value: RowAmounts | None = None,
) -> tuple[SharedRows, Predicted]:
    """The rows with their target as places of levels, and what all models give for them, checked."""
    if shape == "numbers":
        return rows, Predicted(shape, [column(x, rows, "predictions", number=True) for x in models], value=value)
    if shape == "classes":
        classes = tuple(models[0]) if isinstance(models[0], Mapping) else ()
        if not classes or not all(isinstance(x, Mapping) and set(x) == set(classes) for x in models):
            message = "Scores of classes must be two mappings of level to scores, with the same levels."
            raise UsageError(message, 'For example {"a": [...], "b": [...], "c": [...]} for each model.')
        found, told = classes, positive
        given = [np.stack([column(x[v], rows, "scores", number=True) for v in classes]) for x in models]
        places = [x.argmax(axis=0) for x in given]
    else:
        number = shape == "scores"
        given = [column(x, rows, shape, number=number) for x in models]
        plan = CountingRules(levels=None if levels is None else tuple(levels), positive=positive)
        found = found_levels(plan, rows.target, *(() if number else given))
        told = positive_of(found, plan, two=number)
        if number:
            if told is None or len(found) != 2:
                message = f"One score tells two levels apart, and the target has {listing(found)}."
                raise UsageError(message, 'Pass a score for each level: kind="classes".')
            at = found.index(told)
            places = [np.where(x >= threshold, at, 1 - at) for x in given]
        else:
            places = [codes_of(x, found) for x in given]
    coded = replace(rows, codes=codes_of(rows.target, found), levels=found, positive=told)
    return coded, Predicted(shape, given, places, value)


def row_values(measure: Measure, rows: SharedRows, made: Predicted, options: Mapping[str, Any]) -> Array | None:
    """Rows × models of the numbers whose means are the measure; None where it is no such mean, or not defined.

    >>> from steelyard.measures.measure import find
    >>> rows = SharedRows(np.array([3.0, 5.0]))
    >>> row_values(find("mae"), rows, Predicted("numbers", [np.array([3.0, 4.0]), np.array([5.0, 5.0])]), {}).tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    if "payoff" in measure.options and made.shape != "numbers":
        found = row_worths(measure, rows, made, options.get("payoff"))
    else:
        # Scores have labels too, at their threshold.
        shape = made.shape if made.shape in measure.by_row or made.shape == "numbers" else "labels"
        each = measure.by_row.get(shape)
        if each is None:
            return None
        chosen = {k: v for k, v in options.items() if k in measure.options}
        given = made.places if shape == "labels" else made.given
        found = [np.asarray(each(_truth(rows, shape), x, **chosen), dtype=np.float64) for x in given]
    if not found:
        return None
    table = np.stack(found, axis=1)
    return table if np.isfinite(table).all() else None


def _truth(rows: SharedRows, shape: str) -> Any:
    if shape == "numbers":
        return np.asarray(rows.target, dtype=np.float64)
    if shape == "scores":
        return (rows.codes == rows.levels.index(rows.positive)).astype(np.float64)
    return rows.codes


def row_worths(measure: Measure, rows: SharedRows, made: Predicted, payoff: Payoff | None) -> list[Array]:
    """What each row earns or costs, with its own amounts where there are any."""
    if not isinstance(payoff, Payoff):
        return []
    value = made.value
    amounts = {} if value is None else value if isinstance(value, Mapping) else {"value": value}
    columns = [np.ones(len(rows.target)), *(np.asarray(x, dtype=np.float64) for x in amounts.values())]
    table = payoff.coefficients(rows.levels, rows.positive, tuple(amounts))
    sign = -1.0 if measure.better == "lower" else 1.0
    return [
        np.asarray(sign * sum(t[rows.codes, x] * c for t, c in zip(table, columns, strict=True))) for x in made.places
    ]


def means_of(rows: SharedRows, table: Array) -> tuple[Array, Array, float]:
    """Means of all columns, the covariance of these means, and how many rows or units they rest on.

    x̄ = Σ w x / Σ w; cov = Σ_u s_u s_u′ / (1 − h_u) / (Σ w)², s_u being the sum of w (x − x̄) over the rows of unit u and h_u its
    share of the weight, which is U / (U − 1) · Σ_u s_u s_u′ / (Σ w)² for units of one size.

    >>> means, covariance, n = means_of(SharedRows(np.zeros(4)), np.array([[1.0], [2.0], [3.0], [6.0]]))
    >>> means.tolist(), round(float(covariance[0, 0]), 4), n
    ([3.0], 1.1667, 4.0)
    """
    total = float(rows.mass.sum())
    means = np.asarray(rows.mass @ table / total)
    off, units = _parts(rows, table - means)
    return means, np.asarray(off.T @ off) / total**2, units


def _parts(rows: SharedRows, off: Array) -> tuple[Array, float]:
    """What each unit adds to the spread of sums, and how many units there are."""
    mass = rows.mass
    total = float(mass.sum())
    if rows.copies and rows.unit is None:
        # A row of weight k is k rows that are alike.
        return np.asarray(off * np.sqrt(mass * total / max(total - 1, 1.0))[:, None]), total
    if rows.unit is not None:
        units = int(rows.unit.max() + 1)
        off = np.stack([np.bincount(rows.unit, mass * x, units) for x in off.T], axis=1)
        mass = np.bincount(rows.unit, mass, units).astype(np.float64)
    else:
        off = off * mass[:, None]
    # A large unit pulls the mean towards itself, and its distance from it is too small by so much (Bell and McCaffrey).
    return np.asarray(off / np.sqrt(np.maximum(1 - mass / total, 1e-9))[:, None]), float(len(mass))


def mean_difference(
    measure: Measure,
    rows: SharedRows,
    table: Array,
    confidence: float = 0.95,
    *,
    names: tuple[str, str] = ("first", "second"),
    fewest: float = math.inf,
    level: Level = None,
    options: Mapping[str, Any] | None = None,
) -> Difference:
    """The mean of first − second over rows, with the paired t; sums of units take the place of rows where there are any.

    d̄ ± t_{1 − α/2, n − 1} · s / √n, n being the rows, or `fewest` where one class has fewer; of units and weighed rows it is
    as many as matter, few being large (`influence.py`).

    >>> from steelyard.measures.measure import find
    >>> table = np.array([[0.1, 0.2], [0.3, 0.3], [0.2, 0.5], [0.1, 0.3], [0.4, 0.5]])
    >>> d = mean_difference(find("mae"), SharedRows(np.zeros(5)), table)
    >>> print(d, d.method, round(d.p_value, 3))
    −0.14 [−0.28, 0.00] paired t over rows 0.052
    """
    from scipy.special import stdtr, stdtrit

    means, covariance, units = means_of(rows, table[:, :1] - table[:, 1:2])
    total = float(rows.mass.sum())
    own = rows.mass @ table / total
    facts: dict[str, Any] = {"confidence": confidence, "n": (total, total), "level": level, "options": options or {}}
    facts |= {"value": float(own[0] - own[1]), "values": (float(own[0]), float(own[1]))}
    if (table[:, 0] == table[:, 1]).all():
        return no_difference(measure.name, names, measure.better, "none needed", **facts | {"value": 0.0})
    value, error = float(means[0]), math.sqrt(float(covariance[0, 0]))
    if units < 2 or error <= 1e-12 * abs(value):
        return Difference(measure.name, *names, method="none", note=ONE_UNIT if units < 2 else NO_SPREAD, **facts)
    rests = units
    if (masses := masses_of(rows)) is not None:
        off, _ = _parts(rows, table[:, :1] - table[:, 1:2] - means)
        rests = min(units, kish(masses), carried_by(off[:, 0] ** 2))
    freedom = max(min(rests, fewest) - 1, 1.0)
    half = float(stdtrit(freedom, 0.5 + confidence / 2)) * error
    p = max(2 * float(stdtr(freedom, -abs(value) / error)), LEAST_P)
    facts |= {"method": f"paired t over {'rows' if rows.unit is None else 'units'}", "p_value": p}
    ends = value - half, value + half
    return judged(measure.name, names, measure.better, ends, statistic=value / error, **facts)
