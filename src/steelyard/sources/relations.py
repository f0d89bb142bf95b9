"""DuckDB relations: the columns that play a part, picked out and made alike before anything is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from steelyard import grid
from steelyard.engines.columns import MODULUS
from steelyard.engines.frames import FrameRows

BUCKET = "bucket of the unit"
WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "BOOLEAN"}
WIDE = {"UBIGINT", "HUGEINT", "UHUGEINT"}
FLOATING = {"FLOAT", "DOUBLE"}


def from_relation(
    relation: Any,
    roles: Mapping[str, str],
    columns: Mapping[str, str],
    explain: Callable[[Exception], Exception] | None = None,
) -> FrameRows:
    """Rows of a relation, under the names of their roles; `columns` says what DuckDB calls each column of the user."""
    import narwhals.stable.v2 as nw

    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    own = {role: columns[name] for role, name in roles.items()}
    parts = [f'{_told(quoted(name), kinds[name])} as "{role}"' for role, name in own.items()]
    if "unit" in own:
        parts.append(f'{_bucket(quoted(own["unit"]), kinds[own["unit"]])} as "{BUCKET}"')
    frame = nw.from_native(relation.project(", ".join(parts)))
    bucket = BUCKET if "unit" in roles else ""
    return FrameRows(frame, {role: role for role in roles}, bucket, roles, explain, _add_cells)


def quoted(name: str) -> str:
    """A column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _told(column: str, kind: str) -> str:
    """A column that says what is in it: every NaN, and a time that does not depend on the zone of the machine."""
    if kind in FLOATING:
        # A Parquet file's least and greatest value leave out NaN. DuckDB believes them, and then takes "is NaN" for false
        # without looking; it knows nothing of the range of a CASE.
        return f"case when {column} is null then null else {column} end"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"cast(make_timestamp(epoch_us({column})) as varchar) || '+00:00'"
    return column


def _bucket(column: str, kind: str) -> str:
    """The bucket of a unit: whole numbers by arithmetic, all else by the MD5 of its text; see engines/columns.py."""
    text = f"md5(cast({_told(column, kind)} as varchar))"
    digits = (f"(strpos('0123456789abcdef', substr({text}, {i + 1}, 1)) - 1) * {16 ** (3 - i)}" for i in range(4))
    by_text = " + ".join(digits)
    if kind in WHOLE or kind in WIDE:
        found = _by_number(f"cast({column} % {MODULUS} as bigint)" if kind in WIDE else f"cast({column} as bigint)")
    elif kind in FLOATING or kind.startswith("DECIMAL"):
        number = f"cast({column} as double)"
        by_text = by_text.replace(text, f"md5(cast({number} as varchar))")
        # 7.0 is the same unit as 7: a column of whole numbers with a gap is often stored as one of fractions.
        is_whole = f"isfinite({number}) and {number} = floor({number}) and abs({number}) < {2**53}"
        found = f"case when {is_whole} then {_by_number(f'try_cast({number} as bigint)')} else {by_text} end"
    else:
        found = by_text
    return f"coalesce(cast({found} as bigint), 0)"


def _by_number(column: str) -> str:
    remainder = f"((({column} % {MODULUS}) + {MODULUS}) % {MODULUS})"
    return f"((({remainder} * 48271 + 11) % {MODULUS}) * 16807 + 7919) % {MODULUS} // 32768"


def _add_cells(frame: Any, wanted: Mapping[str, tuple[str, int, int]]) -> Any:
    """The frame with columns of grid cells, by name: the column, its fineness, and what stands for no finite number."""
    import narwhals.stable.v2 as nw

    parts = [f"{_cell(quoted(column), m, odd)} as {quoted(name)}" for name, (column, m, odd) in wanted.items()]
    return nw.from_native(nw.to_native(frame).project(", ".join(["*", *parts])))


def _cell(column: str, m: int, otherwise: int = 0) -> str:
    """The cell of a number from its bits, as `grid.encode` does it; ordinary probabilities are looked at first."""
    x, a, top = f"cast({column} as double)", grid.arm(m), ((grid.LARGEST - grid.SMALLEST) << m) + 1
    first, least = ((1023 + grid.SMALLEST) << m) - 1, 2.0**grid.SMALLEST

    def bits(y: str, less: str = "") -> str:
        return f"((({y})::bit::bigint{less}) >> {52 - m})"

    def step(y: str, less: str = "") -> str:
        return f"greatest(0, {bits(y, less)} - {first})"

    upper = f"1.0::double - {x}"
    cases = (
        (f"{x} >= {least!r} and {x} < 0.5", f"{bits(x)} - {first - 1}"),
        (f"{x} >= 0.5 and {x} <= {1 - least!r}", f"{2 * a + first} - {bits(upper, ' - 1')}"),
        (f"not isfinite({x})", f"{otherwise}"),
        (f"{x} = 0.0", "0"),
        (f"{x} > 0.0 and {x} < 0.5", f"1 + {step(x)}"),
        (f"{x} >= 0.5 and {x} < 1.0", f"{2 * a} - {step(upper, ' - 1')}"),
        (f"{x} >= 1.0", f"{2 * a - ((-grid.SMALLEST) << m)} + least({top}, {step(x)})"),
        (f"{x} < 0.0", f"-1 - least({top}, {step(f'-{x}', ' - 1')})"),
    )
    return f"case {' '.join(f'when {condition} then {cell}' for condition, cell in cases)} else {otherwise} end"
