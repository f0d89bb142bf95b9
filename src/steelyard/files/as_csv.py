"""Columns as CSV, with a header; what is missing is left empty. Where decimals follow a comma, semicolons part the columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping


def as_csv(columns: Mapping[str, Iterable[object]], decimal: str = "point") -> str:
    r"""The text of a file.

    >>> as_csv({"id": [7, 8], "name": ["a", "b, c"], "score": [0.5, None]})
    'id,name,score\n7,a,0.5\n8,"b, c",\n'
    >>> as_csv({"id": [7], "score": [0.5]}, decimal="comma")
    'id;score\n7;0,5\n'
    """
    comma = decimal == "comma"
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n", delimiter=";" if comma else ",")
    writer.writerow(columns)
    writer.writerows(zip(*(_plain(values, comma=comma) for values in columns.values()), strict=True))
    return out.getvalue()


def _plain(values: Iterable[object], *, comma: bool) -> list[object]:
    found = values.tolist() if hasattr(values, "tolist") else list(values)
    kept = ["" if v is None or v != v else v for v in found]
    return [str(v).replace(".", ",") if isinstance(v, float) else v for v in kept] if comma else kept
