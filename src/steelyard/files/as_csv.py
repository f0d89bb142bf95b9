"""Columns as CSV, with a header; what is missing is left empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping


def as_csv(columns: Mapping[str, Iterable[object]]) -> str:
    r"""The text of a file.

    >>> as_csv({"id": [7, 8], "name": ["a", "b, c"], "score": [0.5, None]})
    'id,name,score\n7,a,0.5\n8,"b, c",\n'
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*map(_plain, columns.values()), strict=True))
    return out.getvalue()


def _plain(values: Iterable[object]) -> list[object]:
    found = values.tolist() if hasattr(values, "tolist") else list(values)
    return ["" if v is None or v != v else v for v in found]
