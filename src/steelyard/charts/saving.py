"""Charts written to files: the name of the file says in which form."""

from __future__ import annotations

import json
import os
from pathlib import Path

from steelyard.charts.marks import Chart
from steelyard.errors import UsageError
from steelyard.files.writing import write_whole

ENDINGS = {".svg": "SVG", ".png": "PNG", ".json": "Vega-Lite"}


def check_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a name under which a chart can be written."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        told = ", ".join(f"{name} ({form})" for name, form in ENDINGS.items())
        message = f'A chart is written as {told}, and "{os.fspath(path)}" is none of these.'
        raise UsageError(message, "Name the file so that its ending says which.")
    return ending


def save(chart: Chart, path: str | os.PathLike[str], scale: float, *, dark: bool) -> None:
    """Write a chart whole or not at all."""
    ending = check_ending(path)
    if ending == ".png":
        chart.png(path, scale, dark=dark)
    elif ending == ".svg":
        write_whole(path, chart.svg() + "\n")
    else:
        write_whole(path, json.dumps(chart.vega(), ensure_ascii=False, allow_nan=False) + "\n")
