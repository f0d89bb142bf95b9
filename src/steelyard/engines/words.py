"""Under which words a lazy frame is asked, and what its columns hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

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
