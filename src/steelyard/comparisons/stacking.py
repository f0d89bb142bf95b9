"""The summaries of two models under many weightings of the same units, stacked so that a measure reads all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.asking.questions import ask
from steelyard.comparisons.shared_rows import SharedRows
from steelyard.measures.measure import AVERAGES, Measure
from steelyard.measures.ways import reason_of
from steelyard.results import Array, Codes, Level, divide
from steelyard.summaries.cells import Cells
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.scores import Scores

MOST_ROWS = 1 << 13
"""With more rows or units than this, random groups of them are drawn."""
GROUPS = 1000
CELLS = 1000
"""Score cells where groups are drawn; where rows are, every distinct score is a cell."""
FEW_CELLS = 300
"""For fits by Newton's method, which are smooth in the scores, and for many classes."""
PRIOR_ROWS = 2.0
"""Spread evenly over all outcomes, so that one that happened not to occur does not look impossible."""
MOST_OUTCOMES = 1000


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """How weights of units become the two numbers, and what the two are without any resampling."""

    evaluate: Callable[[Array], Array]
    units: int
    values: tuple[float, float]
    what: str
    shape: Array | None = None
    """How many rows each unit stands for, where rows that are alike are drawn together."""
    empty: str = ""
    same: bool = False
    counted: Array | None = None
    smallest: float = np.inf
    """Rows of the rarer class, where the spread hangs on each class by itself."""

    @property
    def rows(self) -> float:
        """How many draws a replicate is made of."""
        return float(self.units if self.shape is None else self.shape.sum())

    @property
    def whole(self) -> Array:
        """The weights of the rows as they came."""
        known = self.counted if self.counted is not None else self.shape
        return np.ones(self.units) if known is None else known


@dataclass(frozen=True, eq=False, slots=True)
class DrawnUnits:
    """Which unit is drawn for each row, and how rows are added up."""

    unit: Codes
    units: int
    mass: Array
    what: str
    shape: Array | None = None
    direct: bool = True

    def adder(self, key: Codes, size: int) -> Callable[[Array], Array]:
        """A function from weights (replicates × units) to sums by key (replicates × size)."""
        if not self.direct:
            table = summed(self.unit * size + key, self.mass, self.units * size).reshape(self.units, size)
            return lambda w: np.asarray(w @ table)
        order = np.argsort(key, kind="stable")
        keys = key[order]
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        used, who, mass = keys[starts], self.unit[order], self.mass[order]
        even, single = bool((mass == 1).all()), len(starts) == len(keys)

        def add(w: Array) -> Array:
            x = w[:, who] if even else w[:, who] * mass
            out = np.zeros((len(w), size))
            out[:, used] = x if single else np.add.reduceat(x, starts, axis=1)
            return out

        return add

    def sums(self, terms: Array) -> Array:
        """Sums of each column of terms by unit."""
        return np.stack([summed(self.unit, x * self.mass, self.units) for x in terms.T], axis=1)


def draw(rows: SharedRows) -> DrawnUnits:
    """Units as they came, rows where there are none, and random groups of either where they are many."""
    n = len(rows.target)
    shape, mass, what = None, rows.mass, "rows"
    if rows.unit is not None:
        unit, units, what = rows.unit, int(rows.unit.max()) + 1, "units"
    else:
        unit, units = np.arange(n, dtype=np.int64), n
        if rows.copies and n <= MOST_ROWS:
            # A row of weight k is drawn like k rows.
            shape, mass = rows.mass, np.ones(n)
    if max(n, units) <= MOST_ROWS:
        return DrawnUnits(unit, units, mass, what, shape)
    groups = min(GROUPS, units)
    place = np.random.default_rng(units).permutation(units) % groups
    return DrawnUnits(place[unit], groups, mass, f"{groups:,} groups of {what}", None, direct=False)


def read(
    measure: Measure, have: Mapping[type, Any], level: Level, options: Mapping[str, Any], positive: Level
) -> tuple[Array, str]:
    """The measure of every stacked summary, and why it has no value where it has none."""
    scores: ClassScores | None = have.get(ClassScores)
    if scores is not None and isinstance(level, str) and level in AVERAGES and Scores in measure.reads:
        readings = [measure(t, **options) for t in scores.tables]
        values = np.stack(np.broadcast_arrays(*(r.value for r in readings)), axis=-1)
        rows = np.stack([t.all_positives for t in scores.tables], axis=-1)
        weight = np.ones_like(rows) if level == "macro" else rows
        return divide((values * weight).sum(axis=-1), weight.sum(axis=-1)), readings[0].empty
    question = ask(measure, have, level, options, 0.95, positive)
    reading = question.read(question.summary)
    values = np.asarray(reading.value, dtype=np.float64)
    return values, reason_of(reading) if values.ndim == 0 else ""


def part_of(
    drawn: DrawnUnits, evaluate: Callable[[Array], Array], told: Sequence[tuple[Array, str]], same: bool, **more: Any
) -> Part:
    """How weights become two numbers, beside what was read of both models without any."""
    empty = next((why for value, why in told if not np.isfinite(value)), "")
    values = float(told[0][0]), float(told[1][0])
    return Part(evaluate, drawn.units, values, drawn.what, drawn.shape, empty, same, **more)


def summed(key: Codes, mass: Array, size: int) -> Array:
    """Sums of mass by key."""
    return np.bincount(key, mass, size).astype(np.float64)


def paired(values: Sequence[Array], replicates: int) -> Array:
    """The numbers of both models side by side."""
    return np.stack([np.broadcast_to(x, (replicates,)) for x in values], axis=-1)


# Labels ---------------------------------------------------------------------------------------------------------------


def label_part(
    measure: Measure, rows: SharedRows, first: Codes, second: Codes, options: Mapping[str, Any], level: Level
) -> Part:
    """Two label-makers: truth × first × second is all there is to know where rows are drawn one by one."""
    k = len(rows.levels)
    keys = [rows.codes * k + x for x in (first, second)]
    base = Confusion(rows.levels, np.zeros((k, k)), 0, rows.positive)
    counted: Array | None = None
    if rows.unit is None and (rows.weight is None or rows.copies):
        joint = keys[0] * k + second
        cells, place = np.unique(joint, return_inverse=True)
        counts = summed(place, rows.mass, len(cells))
        prior = 0.0
        if k**3 <= MOST_OUTCOMES:
            every = np.zeros(k**3)
            every[cells] = counts
            # A label that is never given is a habit and no chance.
            given = np.bincount(first, minlength=k)[None, :, None] * np.bincount(second, minlength=k)[None, None, :]
            cells = np.flatnonzero(np.broadcast_to(given > 0, (k, k, k)).ravel())
            counts, prior = every[cells], PRIOR_ROWS / len(cells)
        keys = [cells // k, cells // k**2 * k + cells % k]
        unit = np.arange(len(cells), dtype=np.int64)
        drawn = DrawnUnits(unit, len(cells), np.ones(len(cells)), "rows", counts + prior)
        counted = counts
    else:
        drawn = draw(rows)
    adders = [drawn.adder(key, k * k) for key in keys]

    def evaluate(w: Array) -> Array:
        copies = [base.replicate(add(w).reshape(-1, k, k)) for add in adders]
        return paired([read(measure, {Confusion: c}, level, options, rows.positive)[0] for c in copies], len(w))

    tables = [summed(rows.codes * k + x, rows.mass, k * k).reshape(k, k) for x in (first, second)]
    told = [read(measure, {Confusion: base.replicate(table)}, level, options, rows.positive) for table in tables]
    same = bool((first == second).all())
    return part_of(drawn, evaluate, told, same, counted=counted, smallest=_rarer(rows, level))


def _rarer(rows: SharedRows, level: Level) -> float:
    """Rows of the rarer of two classes: of one level against the rest, where that is asked for."""
    about = level if level in rows.levels else rows.positive if level is None and len(rows.levels) == 2 else None
    if about is None or about not in rows.levels:
        return np.inf
    mine = int((rows.codes == rows.levels.index(about)).sum())
    return float(min(mine, len(rows.codes) - mine))


def mean_part(rows: SharedRows, values: Array) -> Part:
    """Means of a value by row, such as profit or cost where rows have amounts of their own."""
    drawn = draw(rows)
    sums, total = drawn.sums(values), drawn.sums(np.ones((len(values), 1)))

    def evaluate(w: Array) -> Array:
        return np.asarray((w @ sums) / (w @ total))

    own = rows.mass @ values / rows.mass.sum()
    same = bool((values[:, 0] == values[:, 1]).all())
    return Part(evaluate, drawn.units, (float(own[0]), float(own[1])), drawn.what, drawn.shape, "no rows", same)


# Scores ---------------------------------------------------------------------------------------------------------------


def _table(x: Array, rows: SharedRows, positive: Level) -> Scores:
    """The exact score table of one model."""
    score, place = np.unique(x + 0.0, return_inverse=True)
    k = len(rows.levels)
    counts = summed(place * k + rows.codes, rows.mass, len(score) * k).reshape(-1, k)
    return Scores(Cells.of(score, counts, len(x)), rows.levels, positive)


def _stack(
    x: Array, rows: SharedRows, drawn: DrawnUnits, most: int, positive: Level
) -> tuple[Scores, Callable[[Array], Scores]]:
    """The exact table, and a function from weights to tables over at most so many cells."""
    exact = _table(x, rows, positive)
    coarse, k = exact.fewer(most), len(rows.levels)
    cell = np.searchsorted(coarse.cells.low, x + 0.0, side="right") - 1
    add = drawn.adder(cell * k + rows.codes, len(coarse.cells.low) * k)
    return exact, lambda w: coarse.replicate(add(w).reshape(len(w), -1, k))


def score_part(measure: Measure, rows: SharedRows, first: Array, second: Array, options: Mapping[str, Any]) -> Part:
    """Two scores for two levels."""
    drawn = draw(rows)
    most = FEW_CELLS if measure.interval.startswith("log_odds") else (MOST_ROWS if drawn.direct else CELLS)
    stacks = [_stack(x, rows, drawn, most, rows.positive) for x in (first, second)]

    def evaluate(w: Array) -> Array:
        copies = (stack(w) for _, stack in stacks)
        return paired([read(measure, {Scores: c}, None, options, rows.positive)[0] for c in copies], len(w))

    told = [read(measure, {Scores: exact}, None, options, rows.positive) for exact, _ in stacks]
    rare = float(np.bincount(rows.codes, minlength=2).min())
    return part_of(drawn, evaluate, told, bool((first == second).all()), smallest=rare)


def class_part(
    measure: Measure, rows: SharedRows, first: Array, second: Array, options: Mapping[str, Any], level: Level
) -> Part:
    """Two sets of scores, one score for each class."""
    drawn, k = draw(rows), len(rows.levels)
    hit = np.arange(k)[:, None] == rows.codes
    stacks, told = [], []
    for x in (first, second):
        mine = x[rows.codes, np.arange(len(rows.codes))]
        key = (x > mine).sum(axis=0) * (k + 1) + (x == mine).sum(axis=0)
        error = ((np.clip(x, 0.0, 1.0) - hit) ** 2).sum(axis=0)
        off = np.stack([error, error**2], axis=1)
        tables = [_stack(x[i], rows, drawn, FEW_CELLS, v) for i, v in enumerate(rows.levels)]
        ranks = summed(key, rows.mass, k * (k + 1)).reshape(k, k + 1)
        whole = ClassScores(tuple(t for t, _ in tables), ranks, rows.mass @ off)
        told.append(read(measure, {ClassScores: whole}, level, options, None))
        stacks.append(([s for _, s in tables], drawn.adder(key, k * (k + 1)), drawn.sums(off)))

    def evaluate(w: Array) -> Array:
        values = []
        for made, add, errors in stacks:
            copies = ClassScores(tuple(s(w) for s in made), add(w).reshape(-1, k, k + 1), w @ errors)
            values.append(read(measure, {ClassScores: copies}, level, options, None)[0])
        return paired(values, len(w))

    return part_of(drawn, evaluate, told, bool((first == second).all()))
