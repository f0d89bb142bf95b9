"""How much the windows of the reference differ among themselves: what is usual for them is no reason for an alarm.

A good model is better in some weeks than in others, and customers of weekends are not those of weekdays. The error of one window
knows nothing of that; the windows of the reference do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.files.as_json import AsJson
from steelyard.results import Array, Codes, Difference
from steelyard.summaries.bin_counts import BinCounts
from steelyard.verdicts.comparison import verdict_word

LEAST = 5
"""Windows of the reference from which on their spread is told."""
SAME = 3
"""Windows at each place of the week, such as Saturdays, from which on they are told apart."""
CLEAR = 0.05
"""Places of the week are told apart if chance alone makes them differ as much less often than this."""


@dataclass(frozen=True, slots=True)
class Spread(AsJson):
    """What one measure did in the windows of the reference."""

    windows: int
    free: int
    """Degrees of freedom of the spread."""
    between: float
    """The standard deviation of windows about their mean beyond the error of each."""
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The mean at each place of the week and its standard error, where places differ."""

    @classmethod
    def of(cls, values: npt.ArrayLike, errors: npt.ArrayLike, places: Sequence[str]) -> Spread:
        """From the value of each window and its standard error.

        τ² = max(0, (Q − f) / C), Q = Σ w (x − x̄)², w = 1 / error², C = Σ w − Σ w² / Σ w, f degrees of freedom; where places of
        the week clearly differ x̄ is the mean of the place, and Q, f and C are those within places.

        >>> Spread.of([0.80, 0.84, 0.76, 0.82, 0.78], [0.01] * 5, [""] * 5).between.__round__(3)
        0.03

        DerSimonian and Laird, Meta-analysis in clinical trials (1986).
        """
        x, e = np.asarray(values, dtype=np.float64), np.asarray(errors, dtype=np.float64)
        names, at = np.unique(np.asarray(places, dtype=str), return_inverse=True)
        w, k = 1 / e**2, len(x)
        q, free, c, _ = _within(x, w, np.zeros(k, dtype=np.int64))
        told: dict[str, tuple[float, float]] = {}
        if len(names) > 1 and np.bincount(at).min() >= SAME:
            inner, f, d, means = _within(x, w, at)
            if _chance((q - inner) / (len(names) - 1), max(1.0, inner / f), len(names) - 1, f) < CLEAR:
                q, free, c = inner, f, d
                between = max(0.0, (q - free) / c)
                weight = np.bincount(at, weights=1 / (e**2 + between))
                told = {
                    str(n): (float(m), float(1 / math.sqrt(v))) for n, m, v in zip(names, means, weight, strict=True)
                }
        return cls(k, free, math.sqrt(max(0.0, (q - free) / c)), told)

    @classmethod
    def within(cls, values: npt.ArrayLike, errors: npt.ArrayLike, groups: Sequence[str]) -> Spread:
        """One spread for several groups of windows: that of each about its own mean."""
        x, e = np.asarray(values, dtype=np.float64), np.asarray(errors, dtype=np.float64)
        _, at = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
        q, free, c, _ = _within(x, 1 / e**2, at)
        return cls(len(x), free, math.sqrt(max(0.0, (q - free) / c)) if c > 0 else 0.0)

    def allow(self, difference: Difference, place: str, alpha: float, better: str) -> Difference:
        """The difference with its interval widened by the spread of windows, and from what is usual at its place in the week."""
        from scipy.special import stdtrit

        if (
            difference.value is None
            or difference.low is None
            or difference.high is None
            or not (self.between or self.places)
        ):
            return difference
        a, b = (float(x) for x in difference.values if x is not None)
        usual, error = self.places.get(place, (b, 0.0))
        off = float(stdtrit(self.free, 1 - alpha)) * math.sqrt(self.between**2 * (1 + 1 / self.windows) + error**2)
        value = a - usual
        low, high = (
            value - math.hypot(difference.value - difference.low, off),
            value + math.hypot(difference.high - difference.value, off),
        )
        words = "windows of the reference differ among themselves by more than chance, which is allowed for"
        said = verdict_word((low, high), better)
        return replace(difference, value=value, low=low, high=high, values=(a, usual), note=words, verdict=said)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Spread:
        """Read back what `to_dict` wrote."""
        held = {k: (float(a), float(b)) for k, (a, b) in data["places"].items()}
        return cls(data["windows"], data["free"], data["between"], held)


def _within(x: Array, w: Array, at: Codes) -> tuple[float, int, float, Array]:
    """Q within groups, its degrees of freedom, C, and the means of the groups."""
    total = np.bincount(at, weights=w)
    means = np.bincount(at, weights=w * x) / total
    q = float((w * (x - means[at]) ** 2).sum())
    return q, len(x) - len(total), float((total - np.bincount(at, weights=w**2) / total).sum()), means


def _chance(between: float, within: float, many: int, free: int) -> float:
    from scipy.special import fdtrc

    return float(fdtrc(many, free, between / within))


def usual_at(spread: Spread | None, place: str, mean: float) -> float:
    """What is usual at a place of the week, where places differ; the mean of the reference elsewhere."""
    return mean if spread is None else spread.places.get(place, (mean, 0.0))[0]


def of_segments(measure: str) -> str:
    """What the spread of a measure over the windows of segments is called among those of windows."""
    return f"{measure} by segment"


@dataclass(frozen=True, slots=True)
class Variation(AsJson):
    """What the windows of the reference did: the spread of each measure, and the counts of outputs and features by weekday."""

    measures: Mapping[str, Spread] = field(default_factory=dict)
    excess: Mapping[str, float] = field(default_factory=dict)
    """How many times the variance of a mean loss over windows is that of independent rows."""
    counts: Mapping[str, Mapping[str, BinCounts]] = field(default_factory=dict)
    """Of each place in the week the counts of each column."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Variation:
        """Read back what `to_dict` wrote."""
        counts = {p: {k: BinCounts.from_dict(c) for k, c in held.items()} for p, held in data["counts"].items()}
        return cls({k: Spread.from_dict(v) for k, v in data["measures"].items()}, dict(data["excess"]), counts)
