"""Columns as a frame of the library that is installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
