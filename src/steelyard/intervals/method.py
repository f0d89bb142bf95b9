"""Which interval a number gets, and the scales on which intervals are symmetric."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from steelyard.intervals.skewed import ROUNDING
from steelyard.measures.measure import Measure
from steelyard.results import Array, Average, Interval, Mean, Quotient, Reading, Share

ROOMS = (
    "proportions",
    "areas",
    "means",
    "fits",
    "bootstrap",
    "captured",
    "extremes",
    "bins",
    "losses",
    "skills",
    "by_unit",
    "averages",
    "levels",
    "money",
)


@dataclass(frozen=True)
class Question:
    """A number to lay an interval around: how it is read, from what, and at which confidence."""

    measure: Measure
    summary: Any
    read: Callable[[Any], Reading]
    confidence: float
    averaged: bool = False
    parts: tuple[tuple[float, Question], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    averaged_by: str = ""
    """How levels or their parts are averaged: "macro", "weighted" or, of labels, "micro"."""
    note: str = ""
    """What the evidence itself has to say of the number, whatever its interval."""
    known: Interval | None = None
    """Its interval, where it was laid already."""

    @property
    def over_levels(self) -> bool:
        """Whether it is an average over more than two levels, all of one table of labels."""
        averaged = self.measure.each_level or (self.averaged and self.averaged_by in ("macro", "weighted"))
        return averaged and not self.parts and len(self.summary.levels) > 2

    @cached_property
    def reading(self) -> Reading:
        """What the measure says of the summary."""
        return self.read(self.summary)

    @cached_property
    def values(self) -> Array:
        """The number, or those of many tables, kept inside the range where rounding alone leads out of it."""
        value, (least, most) = np.asarray(self.reading.value, dtype=np.float64), self.measure.range
        near = (value >= least - 1e-12) & (value <= most + 1e-12)
        return np.where(near, np.clip(value, least, most), value)

    @cached_property
    def value(self) -> float:
        """The number itself."""
        return float(self.values)

    @property
    def z(self) -> float:
        """The normal quantile."""
        return NormalDist().inv_cdf(0.5 + self.confidence / 2)

    def t(self, freedom: float) -> float:
        """Student's quantile."""
        from scipy.special import stdtrit

        return float(stdtrit(max(freedom, 1.0), 0.5 + self.confidence / 2))


@dataclass(frozen=True, slots=True)
class IntervalsOfMany:
    """The intervals of many numbers, laid at once; NaN where one has to be laid by itself."""

    low: Array
    high: Array
    method: npt.NDArray[np.object_]


Found = Interval | IntervalsOfMany
Method = Callable[[Question], Found]
Marked = TypeVar("Marked", bound=Callable[[Question], Found])
_methods: dict[str, Method] = {}
_many: set[str] = set()
_by_unit: set[str] = set()
_raised: set[str] = set()


def method(name: str, *, by_unit: bool = False, raised: bool = False, many: bool = False) -> Callable[[Marked], Marked]:
    """Mark a function of a question as the interval method of that name.

    `by_unit` says that it knows what to do with units itself, `raised` that its lower limit takes off what noise adds, `many` that
    it answers for tables on a leading axis too: it ends with `laid`.
    """

    def mark(function: Marked) -> Marked:
        _methods[name] = function
        _many.update({name} if many else ())
        _by_unit.update({name} if by_unit else ())
        _raised.update({name} if raised else ())
        return function

    return mark


@cache
def _load() -> None:
    for room in ROOMS:
        importlib.import_module(f"steelyard.intervals.{room}")


def interval(question: Question) -> Interval:
    """Lay the right interval around a number that is defined."""
    _load()
    found = question.known or _methods[choose(question)](question)
    assert isinstance(found, Interval)
    if question.summary.units is None or found.low is None or found.high is None:
        return found
    if found.high - found.low > ROUNDING * abs(found.high):
        return found
    from steelyard.intervals.by_unit import where_units_agree

    return where_units_agree(question, found)


def intervals(question: Question) -> IntervalsOfMany | None:
    """Those of many tables at once; None where the method knows one table alone."""
    _load()
    name = choose(question)
    found = _methods[name](question) if name in _many else None
    return found if isinstance(found, IntervalsOfMany) else None


def raised(question: Question) -> bool:
    """Whether the lower limit of a number takes off what noise adds: that part does not even out over classes."""
    return question.measure.interval in _raised


def choose(question: Question) -> str:
    """By unit where units are known; else what the measure asks for; else what its reading is."""
    named = question.measure.interval
    if named.startswith("none"):
        return "none"
    if question.parts:
        return "average"
    if question.summary.units is not None:
        _load()
        return named if named in _by_unit else "units"
    reading = question.reading
    if question.over_levels and not isinstance(reading, Share):
        return "levels"
    if question.averaged and not isinstance(reading, Share | Average):
        return "bootstrap"
    if named and not question.averaged:
        return named
    if isinstance(reading, Share):
        return "wilson"
    if isinstance(reading, Average | Quotient):
        return "mover" if isinstance(reading, Average) else "quotient"
    return "mean" if isinstance(reading, Mean) else "bootstrap"


@method("none")
def no_interval(question: Question) -> Interval:
    """Say in words why there is none."""
    return Interval(None, None, "none", question.measure.interval.partition(": ")[2])


def quantiles(values: Array, *chances: float) -> Array:
    """Quantiles along the last axis, one after the other, on a straight line between neighbours.

    >>> quantiles(np.array([4.0, 1.0, 2.0]), 0.25, 0.5).tolist()
    [1.5, 2.0]
    """
    ordered = np.sort(values, axis=-1)
    last = ordered.shape[-1] - 1
    found = []
    for chance in chances:
        place = int(chance * last)
        first, second = ordered[..., place], ordered[..., min(place + 1, last)]
        share = chance * last - place
        # From the nearer end, so that it is exact at either.
        found.append(first + (second - first) * share if share < 0.5 else second - (second - first) * (1 - share))
    return np.array(found)


@dataclass(frozen=True, slots=True)
class EvenScale:
    """A scale with no ends on which a measure spreads evenly."""

    to: Callable[[Any], Any]
    back: Callable[[Any], Any]
    slope: Callable[[Any], Any]


PLAIN = EvenScale(lambda x: x, lambda y: y, lambda x: np.ones_like(np.asarray(x, dtype=np.float64)))
LOGIT = EvenScale(
    lambda x: np.log(x) - np.log1p(-np.asarray(x)), lambda y: 1.0 / (1.0 + np.exp(-y)), lambda x: 1.0 / (x * (1.0 - x))
)
FISHER = EvenScale(np.arctanh, np.tanh, lambda x: 1.0 / (1.0 - np.asarray(x) ** 2))
LOG = EvenScale(np.log, np.exp, lambda x: 1.0 / np.asarray(x))
BELOW_ONE = EvenScale(
    lambda x: -np.log1p(-np.asarray(x)), lambda y: 1.0 - np.exp(-y), lambda x: 1.0 / (1.0 - np.asarray(x))
)


def scale_of(limits: tuple[float, float], value: float) -> EvenScale:
    """The scale for a range; plain where the value sits on an end of it."""
    low, high = limits
    # Rounding alone may keep a value off the end, and there a scale without ends knows no bounds.
    if not low + 1e-12 < value < high - 1e-12 or (math.isinf(low) and math.isinf(high)):
        return PLAIN
    if (low, high) == (0, 1):
        return LOGIT
    if (low, high) == (-1, 1):
        return FISHER
    if math.isinf(low) and high == 1:
        return BELOW_ONE
    return LOG if low == 0 else PLAIN


def around(question: Question, value: float, error: float, quantile: float, name: str) -> Interval:
    """The value ± quantile × error on the measure's own scale, kept inside its range."""
    scale = scale_of(question.measure.range, value)
    with np.errstate(over="ignore", invalid="ignore"):
        centre, half = scale.to(value), quantile * error * float(scale.slope(value))
        low, high = float(scale.back(centre - half)), float(scale.back(centre + half))
    return clipped(question, low, high, value, name)


def laid(question: Question, low: Array, high: Array, name: str | npt.NDArray[np.str_], caution: str = "") -> Found:
    """An interval from limits of the one number that was asked for, or intervals of many."""
    values = question.values
    if not values.ndim:
        return clipped(question, float(low), float(high), question.value, str(name), caution=caution)
    least, most = question.measure.range
    whole = np.isfinite(low) & np.isfinite(high)
    low, high = np.maximum(np.minimum(low, values), least), np.minimum(np.maximum(high, values), most)
    names = np.broadcast_to(np.asarray(name, dtype=object), values.shape)
    return IntervalsOfMany(np.where(whole, low, np.nan), np.where(whole, high, np.nan), names)


def clipped(
    question: Question, low: float, high: float, value: float, name: str, note: str = "", caution: str = ""
) -> Interval:
    """Keep an interval inside the measure's range, and the value inside the interval."""
    least, most = question.measure.range
    if not (math.isfinite(low) and math.isfinite(high)):
        return Interval(None, None, "none", "too few rows for the spread: the interval has no end")
    low, high = float(max(min(low, value), least)), float(min(max(high, value), most))
    return Interval(low, high, name, note, caution)
