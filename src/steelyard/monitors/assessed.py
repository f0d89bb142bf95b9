"""The numbers of many stability indices, each step taken for all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.errors import UsageError
from steelyard.monitors import law
from steelyard.monitors.laid import Laid, Pair
from steelyard.monitors.rare_cells import rare_p
from steelyard.monitors.unit_law import UnitLaw, units_of
from steelyard.results import Array, Codes, Flags
from steelyard.summaries.bin_counts import BinCounts

CHI_SQUARE = "Pearson's χ²"
NO_COUNTS = "These bins have no reference counts."


@dataclass(frozen=True, slots=True)
class Assessed:
    """What is known of each pair of samples, before anything is said of it; by pair, in one array each."""

    pairs: Sequence[Pair]
    laid: Laid
    index: Array
    """Σ (p − q) ln(p / q) of the cells as they were tested."""
    whole: Array
    """The same of all cells, with nothing joined."""
    halved: Flags
    """Where ½ was added to every count since a cell is empty."""
    corrected: Array
    """The index less what chance alone brings."""
    low: Array
    high: Array
    limit: Array
    """The lower limit of the index, one-sided at the confidence."""
    statistic: Array
    p_value: Array
    freedom: Codes
    tests: Mapping[int, str]
    """Which test it was, where it is not Pearson's."""
    confidence: float

    @classmethod
    def of(cls, pairs: Sequence[Pair], confidence: float) -> Assessed:
        """All of them at once."""
        if any(bins.reference is None for bins, _ in pairs):
            raise UsageError(NO_COUNTS, "Make them with Bins.of(reference), or pass the reference too.")
        laid = Laid.of(pairs)
        a, b, calmed = laid.then, laid.now, laid.calmed
        parts, halved = law.index_parts(a, b)
        df, s = laid.cells - 1, (1 / laid.sizes).sum(axis=1)
        index = parts.sum(axis=1)
        whole = index.copy()
        x, freedom, per = (parts * calmed).sum(axis=1) / s, df.astype(np.float64), s.copy()
        statistic, p = _tested(a, b, df, calmed)
        tests: dict[int, str] = {}
        for i, table in laid.apart.items():
            if any(len(group) > 1 for group in table.groups):
                # Where no cell was joined to another the plain index has the same parts.
                whole[i] = law.index_parts(table.all_then, table.all_now)[0].sum()
            units = _units(*table.counts, table.groups, table.sizes)
            if units is not None:
                x[i], freedom[i], per[i] = units.calmed(x[i], int(df[i])), units.freedom, s[i] * df[i] / units.freedom
                p[i], tests[i] = units.p_value(float(statistic[i]), int(df[i])), f"{CHI_SQUARE} by unit"
        for i in np.flatnonzero((df > 0) & _rare(a, b)).tolist():
            if i not in tests:
                p[i], tests[i] = _counted(a[i, : df[i] + 1], b[i, : df[i] + 1])
        tail = (1 - confidence) / 2
        ends = np.array([1 - tail, tail, confidence])
        low, high, limit = (law.noncentrality_at(x[:, None], freedom[:, None], ends) * per[:, None]).T
        corrected = np.maximum(0.0, index - s * df)
        numbers = (index, whole, halved, corrected, low, high, limit, statistic, p, df)
        return cls(pairs, laid, *numbers, tests, confidence)


def _tested(a: Array, b: Array, df: Codes, calmed: Array) -> tuple[Array, Array]:
    """The statistic of χ² and its p-value, 1 where there is one cell."""
    statistic, _, p = law.pearson(a, b, calmed)
    return statistic, np.where(df > 0, p, 1.0)


def _rare(a: Array, b: Array) -> Flags:
    """Where a cell has so few rows to be expected that the law of χ² is not trusted."""
    both = a + b
    totals = [x.sum(axis=1) for x in (a, b)]
    least = np.where(both > 0, both, np.inf).min(axis=1, initial=np.inf) * np.minimum(*totals) / (totals[0] + totals[1])
    return np.asarray(least < law.TOO_FEW)


def _counted(a: Array, b: Array) -> tuple[float, str]:
    counted = rare_p(a, b)
    if counted is not None:
        return counted, f"{CHI_SQUARE}, its rare cells counted exactly"
    return law.drawn_p(a, b), f"{CHI_SQUARE} among drawn tables with the same margins"


def _units(
    then: BinCounts, now: BinCounts, groups: Sequence[Sequence[int]], sizes: tuple[float, float]
) -> UnitLaw | None:
    """What the units of both samples leave of the law of the index; None where there are no units, or one cell."""
    if len(groups) < 2 or (then.buckets is None and now.buckets is None):
        return None
    into = np.zeros((len(then.counts), len(groups)))
    for k, group in enumerate(groups):
        into[list(group), k] = 1.0
    both = (then.counts / then.total * sizes[0] + now.counts / now.total * sizes[1]) @ into
    sides = [(counts.covariance(), n, counts.units) for counts, n in zip((then, now), sizes, strict=True)]
    return units_of(both / both.sum(), [(None if v is None else into.T @ v @ into, n, u) for v, n, u in sides])
