"""Under which words a lazy frame is asked: what its columns hold, and logarithms and powers that every database answers alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from steelyard.engines.sql import Expression, SqlFrame, Vocabulary

if TYPE_CHECKING:
    import narwhals.stable.v2 as narwhals

    Term = Expression | narwhals.Expr
    """An expression over the columns of a frame."""


@dataclass(frozen=True, slots=True)
class LevelKey:
    """An expression whose values are levels; `digits` where they are numbers written as text: "wide" or "decimal"."""

    expression: Any
    digits: str = ""


def rest_name(role: str) -> str:
    """The column that holds what floats leave of the numbers of a role."""
    return f"rest of the {role}"


def words_of(frame: object) -> Any:
    """The module of Narwhals, or what stands in its place for a table that is asked in SQL."""
    if isinstance(frame, SqlFrame):
        return Vocabulary(frame.table)
    import narwhals.stable.v2 as nw

    return nw


def kinds_of(nw: ModuleType, frame: narwhals.LazyFrame[Any], columns: Mapping[str, str]) -> dict[str, str]:
    """What the columns of a frame of Narwhals hold."""
    schema = frame.collect_schema()

    def kind(dtype: Any) -> str:
        if dtype in {nw.Int128, nw.UInt128}:
            return "wide"
        if dtype == nw.Decimal:
            return "decimal"
        whole = "int" if dtype.is_integer() else "float" if dtype.is_numeric() else "other"
        return "bool" if dtype == nw.Boolean else "text" if dtype == nw.String else whole

    return {role: kind(schema[name]) for role, name in columns.items()}


# Powers ---------------------------------------------------------------------------------------------------------------
# Some databases refuse the logarithm of zero and results that no float holds; others answer with a gap. Here the argument is
# kept within what all of them take, and what lies outside is put in its place afterwards.

LARGEST, SMALLEST = math.log(1.7e308), math.log(5e-324)
"""Between these e to the power of a number is a float above zero."""


class AnyFrame(Protocol):
    """What is needed of a frame."""

    def chain(self, cases: Sequence[tuple[Any, Any]], otherwise: object) -> Any:
        """The value of the first case that holds."""
        ...


class Powers:
    """log, exp and power as expressions."""

    def log(self: AnyFrame, x: Term) -> Any:
        """The natural logarithm; NaN of what is not above zero."""
        found = self.chain([(x > 0.0, x)], 1.0).log()
        return self.chain([(x.is_null(), x), (x > 0.0, found)], math.nan)

    def exp(self: AnyFrame, x: Term) -> Any:
        """E to the power of x."""
        inside = (x < LARGEST) & (x > SMALLEST)
        found = self.chain([(inside, x)], 0.0).exp()
        return self.chain([(x.is_null() | x.is_nan(), x), (inside, found), (x > 0.0, math.inf)], 0.0)

    def power(self: AnyFrame, x: Term, exponent: float) -> Any:
        """X to a constant power; NaN where x is below zero."""
        exponent = float(exponent)
        if exponent == 0:
            return self.chain([(x.is_null() | x.is_nan(), x), (x < 0.0, math.nan)], 1.0)
        # Where the result is a float above zero.
        ends = sorted(_exp(end / exponent) for end in (LARGEST, SMALLEST))
        inside = (x > ends[0]) & (x < ends[1])
        found = self.chain([(inside, x)], 1.0) ** exponent
        below, above = (0.0, math.inf) if exponent > 0 else (math.inf, 0.0)
        gone = x.is_null() | x.is_nan()
        return self.chain([(gone, x), (x < 0.0, math.nan), (inside, found), (x > 1.0, above)], below)


def _exp(x: float) -> float:
    return math.inf if x > LARGEST else math.exp(x) if x > SMALLEST else 0.0
