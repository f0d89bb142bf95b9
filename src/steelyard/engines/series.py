"""One column of an eager frame, as NumPy has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steelyard.engines.columns import Column, make_column

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


def series_column(role: str, series: nw.Series[Any], name: str) -> Column:
    """One column of an eager frame as NumPy, nulls marked apart so that whole numbers stay whole."""
    import narwhals.stable.v2 as nw
    import numpy as np

    native = nw.to_native(series)
    name = str(name)
    if hasattr(native, "isna"):
        return make_column(role, native, name)
    series = _spelled_out(series, native)
    dtype = series.dtype
    exact = dtype == nw.Decimal and _many_digits(nw.to_native(series))
    if exact or dtype.is_temporal() or dtype in {nw.Int128, nw.UInt128}:
        return make_column(role, series.to_list(), name)
    missing = np.asarray(series.is_null().to_numpy()) if series.null_count() else None
    if missing is not None and (dtype.is_numeric() or dtype == nw.Boolean):
        series = series.fill_null(False if dtype == nw.Boolean else 0)
    if dtype == nw.Decimal:
        # By way of text: Arrow's own conversion is not the nearest number.
        series = series.cast(nw.String).cast(nw.Float64)
    elif dtype in {nw.Categorical, nw.Enum}:
        series = series.cast(nw.String)
    column = make_column(role, series.to_numpy(), name)
    if missing is not None:
        column.missing = missing if column.missing is None else column.missing | missing
    return column


def _spelled_out(series: nw.Series[Any], native: Any) -> Any:
    """Arrow's codes for repeated values as the values themselves, which need not be text."""
    import narwhals.stable.v2 as nw

    kind = str(getattr(native, "type", ""))
    if not kind.startswith(("dictionary", "run_end_encoded")):
        return series
    import pyarrow
    from pyarrow import compute

    chunks = [c.dictionary_decode() if kind.startswith("d") else compute.run_end_decode(c) for c in native.chunks]
    return nw.from_native(pyarrow.chunked_array(chunks, type=native.type.value_type), series_only=True)


def _many_digits(native: Any) -> bool:
    """Whether decimals have more digits than every float keeps."""
    kind = getattr(native, "type", None) or native.dtype
    if kind.precision is not None and kind.precision <= 15:
        return False
    if hasattr(native, "to_pandas") and hasattr(native, "chunks"):
        from pyarrow import compute

        ends = [abs(v.as_py() or 0) for v in compute.min_max(native).values()]
    else:
        ends = [abs(v or 0) for v in (native.min(), native.max())]
    return bool(max(ends).scaleb(kind.scale) > 10**15) if any(ends) else False
