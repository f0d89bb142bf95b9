"""A number that leaves the house: a float to whoever counts with it, an estimate with its interval to people."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Self

Level = str | int | float | bool | None
"""One value of a target or of another column of levels; None where none is asked for."""


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
class Interval:
    """From low to high, at a confidence, by a named method."""

    low: float | None
    high: float | None
    method: str
    note: str = ""
    caution: str = ""
    """What the number rests on, where that is little: "rests on 1 positive"."""


@cache
def _place_of_value(kind: type[Numeric]) -> int:
    return list(kind.__dataclass_fields__).index("value")


class Numeric(float):
    """A float to whoever counts with it, NaN where it is undefined; what it knows beside its value is for people.

    Comparing one that is undefined is false and warns with the reason.
    """

    __slots__ = ()
    measure: str
    value: float | None
    low: float | None
    high: float | None
    reason: str
    caution: str
    options: Mapping[str, Any]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Be the float that the field `value` says."""
        place = _place_of_value(cls)  # type: ignore[arg-type]
        value = given[place] if place < len(given) else named.get("value")
        return super().__new__(cls, math.nan if value is None else value)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def __lt__(self, other: float) -> bool:
        return self._defined_for(other) and float.__lt__(self, other)

    def __le__(self, other: float) -> bool:
        return self._defined_for(other) and float.__le__(self, other)

    def __gt__(self, other: float) -> bool:
        return self._defined_for(other) and float.__gt__(self, other)

    def __ge__(self, other: float) -> bool:
        return self._defined_for(other) and float.__ge__(self, other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Numeric):
            return float.__eq__(self, other)
        return type(self) is type(other) and self.__getnewargs__() == other.__getnewargs__()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # equal to that of the plain number, which it may be equal to
        return float.__hash__(self) if self.defined else hash((self.measure, self.reason))

    def _defined_for(self, other: object) -> bool:
        from steelyard.errors import UndefinedCompared

        for one in (self, other):
            if isinstance(one, Numeric) and not one.defined:
                message = f"{one.measure} is undefined ({one.reason}): no comparison with it holds."
                warnings.warn(UndefinedCompared(message), stacklevel=3)
                return False
        return True

    @property
    def defined(self) -> bool:
        """Whether there is a number at all."""
        return self.value is not None

    def __str__(self) -> str:
        from steelyard.words import estimate_text

        return estimate_text(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return asdict(self) | {"options": dict(self.options), "text": str(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` wrote."""
        # JSON knows no tuples, and neither a number nor the options of a measure know lists.
        told = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k != "text"}
        options = {k: tuple(v) if isinstance(v, list) else v for k, v in data.get("options", {}).items()}
        return cls(**told | {"options": options})

    def renamed(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Estimate(Numeric):
    """One number of one measure, with its interval, its method and its reason when there is none; a float in all else.

    >>> found = Estimate("recall", 2 / 3, 0.354, 0.879, n=9)
    >>> print(found, found > 0.5, f"{1 - found:.2f}")
    0.67 [0.35, 0.88] True 0.33
    """

    measure: str
    value: float | None
    low: float | None = None
    high: float | None = None
    confidence: float = 0.95
    method: str = ""
    n: float = 0.0
    n_eff: float | None = None
    level: Level = None
    segment: str | None = None
    bound: float = 0.0
    reason: str = ""
    note: str = ""
    caution: str = ""
    """What the number rests on, where that is little: "rests on 1 positive". Every view shows it beside the number."""
    options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows = f", {self.n:,.6g} rows" if self.n else ""
        return f"<{type(self).__name__} {self.measure}: {Numeric.__str__(self)}{rows}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<span>{escape(self.measure)}: {escape(str(self))}</span>"

    def plain(self) -> Estimate:
        """The number alone, without what a richer result tells beside it."""
        return Estimate(**{name: getattr(self, name) for name in Estimate.__dataclass_fields__})


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Difference(Numeric):
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
    level: Level = None
    reason: str = ""
    note: str = ""
    caution: str = ""
    """What the number rests on, where that is little: "rests on 1 positive". Every view shows it beside the number."""
    options: Mapping[str, Any] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        from html import escape

        told = f"{self.measure}, {self.first} − {self.second}: {self}, {self.verdict or 'not judged'}"
        return f"<span>{escape(told)}</span>"

    def __repr__(self) -> str:
        return f"<Difference {self.measure}, {self.first} − {self.second}: {self}, {self.verdict or 'not judged'}>"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return Numeric.to_dict(self) | {"values": list(self.values), "n": list(self.n)}
