"""What leaves the house: small, frozen, named things that turn into JSON and back.

A measure answers with a *reading* (Share, Ratio, Average or Mean) that remembers its parts, so that an interval can be
laid around it and an undefined value can say why. A person gets an Estimate or a Curve.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart

Array = npt.NDArray[np.float64]
Number = float | Array

__all__ = [
    "Average",
    "Curve",
    "Difference",
    "Estimate",
    "Interval",
    "Mean",
    "Quotient",
    "Ratio",
    "Reading",
    "Share",
    "Undefined",
]


def divide(top: Number, bottom: Number) -> Array:
    """Divide elementwise, NaN where the bottom is zero and without a warning."""
    top, bottom = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    good = (bottom != 0) & np.isfinite(bottom) & np.isfinite(top)
    return np.where(good, top, np.nan) / np.where(good, bottom, 1.0)


@dataclass(frozen=True, slots=True)
class Undefined:
    """A number that does not exist, and the reason in words.

    >>> print(Undefined("no real positives"))
    n/a (no real positives)
    """

    reason: str

    def __str__(self) -> str:
        return f"n/a ({self.reason})"


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many rows: part / whole, the part counted inside the whole.

    >>> print(Share(8.0, 12.0, empty="no real positives"))
    0.667 (8 of 12)
    """

    part: Number
    whole: Number
    empty: str = "no rows to count"

    @property
    def value(self) -> Array:
        """The share itself, NaN where the whole is empty."""
        return divide(self.part, self.whole)

    def __str__(self) -> str:
        return f"{float(self.value):.3f} ({float(self.part):g} of {float(self.whole):g})"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Any other quotient, NaN where its bottom is zero; `empty` says what that means.

    >>> print(Ratio(12.0, 17.0))
    0.706
    """

    top: Number
    bottom: Number = 1.0
    empty: str = "the denominator is zero"

    @property
    def value(self) -> Array:
        """The quotient, NaN where it is undefined."""
        return divide(self.top, self.bottom)

    def __str__(self) -> str:
        return f"{float(self.value):.3g}"


@dataclass(frozen=True, slots=True)
class Average:
    """A weighted sum of shares whose wholes do not overlap, plus a constant.

    >>> float(Average((Share(1.0, 2.0), Share(3.0, 3.0)), (0.5, 0.5)).value)
    0.75
    """

    shares: tuple[Share, ...]
    weights: tuple[float, ...]
    constant: float = 0.0
    empty: str = "a level has no rows"

    @property
    def value(self) -> Array:
        """The weighted sum, NaN where any share is undefined."""
        total = np.asarray(self.constant, dtype=np.float64)
        for share, weight in zip(self.shares, self.weights, strict=True):
            total = total + weight * share.value
        return total


@dataclass(frozen=True, slots=True)
class Quotient:
    """One share over another, of rows that do not overlap.

    >>> float(Quotient(Share(6.0, 9.0), Share(2.0, 12.0)).value)
    4.0
    """

    top: Share
    bottom: Share
    empty: str = "the lower share is zero"

    @property
    def value(self) -> Array:
        """The quotient, NaN where it is undefined."""
        return divide(self.top.value, self.bottom.value)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a value per row, with the sum of its squares, so that its spread is known.

    >>> float(Mean(total=6.0, squares=14.0, count=3.0).value)
    2.0
    """

    total: Number
    squares: Number
    count: Number
    empty: str = "no rows to average"
    factor: Number = 1.0

    @property
    def value(self) -> Array:
        """The mean times `factor`, NaN where there is nothing to average."""
        return self.factor * divide(self.total, self.count)

    @property
    def deviation(self) -> Array:
        """The standard deviation of one row's value (divisor n − 1 in effect left to the interval)."""
        mean = divide(self.total, self.count)
        variance = divide(self.squares, self.count) - mean**2
        return np.abs(self.factor) * np.sqrt(np.maximum(variance, 0.0))


Reading = Share | Ratio | Average | Quotient | Mean


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high, at a confidence, by a named method."""

    low: float | None
    high: float | None
    method: str
    note: str = ""
    caution: str = ""
    """What the number rests on, where that is little: "rests on 1 positive"."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number of one measure, with its interval, its method and its reason when there is none.

    >>> print(Estimate("recall", 2 / 3, 0.354, 0.879, n=9))
    0.67 [0.35, 0.88]
    """

    measure: str
    value: float | None
    low: float | None = None
    high: float | None = None
    confidence: float = 0.95
    method: str = ""
    n: float = 0.0
    n_eff: float | None = None
    level: str | int | float | bool | None = None
    segment: str | None = None
    bound: float = 0.0
    reason: str = ""
    note: str = ""
    caution: str = ""
    """What the number rests on, where that is little: "rests on 1 positive". Every view shows it beside the number."""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def defined(self) -> bool:
        """Whether there is a number at all."""
        return self.value is not None

    def __float__(self) -> float:
        if self.value is None:
            message = f"{self.measure} is not defined here: {self.reason}"
            raise ValueError(message)
        return float(self.value)

    def __str__(self) -> str:
        from steelyard.words import estimate_text

        return estimate_text(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<span>{escape(self.measure)}: {escape(str(self))}</span>"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return asdict(self) | {"options": dict(self.options), "text": str(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Estimate:
        """Read back what `to_dict` wrote."""
        # JSON knows no tuples, and the options of a measure no lists.
        options = {k: tuple(v) if isinstance(v, list) else v for k, v in data.get("options", {}).items()}
        return cls(**{k: v for k, v in data.items() if k not in {"text", "options"}}, options=options)

    def plain(self) -> Estimate:
        """The number alone, without what a richer result tells beside it."""
        return Estimate(**{name: getattr(self, name) for name in Estimate.__dataclass_fields__})

    def renamed(self, **changes: Any) -> Estimate:
        """A copy with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much one number differs from another, with its interval, and what may be said of it.

    `value` is first − second; `verdict` is about the first, in the sense in which the measure is better.

    >>> print(Difference("auc", value=0.011, low=0.004, high=0.018, verdict="better"))
    0.0110 [0.0040, 0.0180]
    """

    measure: str
    first: str = "first"
    second: str = "second"
    value: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float = 0.95
    method: str = ""
    p_value: float | None = None
    statistic: float | None = None
    verdict: str = ""
    values: tuple[float | None, float | None] = (None, None)
    """The two numbers themselves, first and second."""
    n: tuple[float, float] = (0.0, 0.0)
    bound: float = 0.0
    level: str | int | float | bool | None = None
    reason: str = ""
    note: str = ""
    caution: str = ""
    """What the number rests on, where that is little: "rests on 1 positive". Every view shows it beside the number."""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def defined(self) -> bool:
        """Whether there is a number at all."""
        return self.value is not None

    def __float__(self) -> float:
        if self.value is None:
            message = f"The difference in {self.measure} is not defined here: {self.reason}"
            raise ValueError(message)
        return float(self.value)

    def __str__(self) -> str:
        from steelyard.words import estimate_text

        return estimate_text(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        pairs = {"values": list(self.values), "n": list(self.n), "options": dict(self.options)}
        return asdict(self) | pairs | {"text": str(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Difference:
        """Read back what `to_dict` wrote."""
        options = {k: tuple(v) if isinstance(v, list) else v for k, v in data.get("options", {}).items()}
        pairs: dict[str, Any] = {k: tuple(data[k]) for k in ("values", "n") if k in data}
        plain = {k: v for k, v in data.items() if k not in {"text", "options", *pairs}}
        return cls(**plain, **pairs, options=options)

    def renamed(self, **changes: Any) -> Difference:
        """A copy with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of a curve as named columns, with a band where one exists.

    >>> Curve("roc", {"fpr": [0.0, 1.0], "tpr": [0.0, 1.0]}).columns["tpr"]
    [0.0, 1.0]
    """

    name: str
    columns: Mapping[str, Sequence[float | None]]
    confidence: float = 0.95
    method: str = ""
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What a picture of it tells beside the points: the threshold in force, the share of positives, the area."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def frame(self) -> Any:
        """The points as a frame of whichever library is installed (pandas, Polars, PyArrow)."""
        return make_frame({k: list(v) for k, v in self.columns.items()})

    def __str__(self) -> str:
        return f"The curve {self.name}, {len(self):,} points: {', '.join(self.columns)}"

    def chart(self) -> Chart:
        """As a chart: marks over two scales."""
        from steelyard.charts.curves import curve_chart

        return curve_chart(self)

    def svg(self) -> str:
        """As SVG that needs nothing else."""
        return self.chart().svg()

    def png(self, path: str | os.PathLike[str] | None = None, scale: float = 2.0) -> bytes:
        """As PNG; written to a file where one is named."""
        return self.chart().png(path, scale)

    def vega(self) -> dict[str, Any]:
        """As a Vega-Lite dictionary."""
        return self.chart().vega()

    def plot(self, ax: Any = None) -> Any:
        """Into matplotlib axes, one's own or new ones."""
        return self.chart().plot(ax)

    def _repr_html_(self) -> str:
        return self.svg()

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self) | {"facts": dict(self.facts), "columns": {k: list(v) for k, v in self.columns.items()}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Curve:
        """Read back what `to_dict` wrote."""
        return cls(**data)


def make_frame(columns: Mapping[str, Any]) -> Any:
    """A frame of the first installed of pandas, Polars and PyArrow."""
    import importlib

    for name, build, options in (
        ("pandas", "DataFrame", {}),
        ("polars", "DataFrame", {"strict": False}),
        ("pyarrow", "table", {}),
    ):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return getattr(module, build)(columns, **options)
    from steelyard.errors import MissingPart

    message = "A frame needs pandas, Polars or PyArrow, and none of them is installed."
    raise MissingPart(message, "Install one of them, or use .rows_as_dicts() / .columns for plain Python.")
