"""Whether two sets of rows are the same rows: equal tables that chance would hardly have made equal.

A day that was counted twice, from a CSV and from a Parquet file of it or with its rows in another order, gives the same
tables. So may two different days, if they are small: of ten rows in four cells many draws are alike. How likely is that?
Rows drawn again from the shares of a table give the very same table with the chance of a multinomial draw,
n! / Π nᵢ! × Π (nᵢ / n)^nᵢ, and no other draw is likelier. Where that is negligible, equal tables are the same rows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.results import Array

NEGLIGIBLE = 1e-4
"""Equal tables that are less likely than this are the same rows: some thirteen different scores, or 500 rows of two levels.

Who is refused wrongly says so with a word; who is not refused gets numbers that look twice as sure as they are.
"""


def fingerprint(evidence: Mapping[str, Any]) -> bytes:
    """A mark that equal tables have in common, whatever the order in which their rows were added.

    >>> from steelyard.summaries.scores import Scores
    >>> a, b = (Scores.of(s, y, 1) for s, y in (([0.2, 0.7], [0, 1]), ([0.7, 0.2], [1, 0])))
    >>> fingerprint({"scores": a}) == fingerprint({"scores": b})
    True
    """
    mark = hashlib.sha256()
    for name in sorted(evidence):
        mark.update(f"{name} {evidence[name].rows} {getattr(evidence[name], 'positive', None)!r}".encode())
        for about, counts in evidence[name].counts_told():
            for part in about if isinstance(about, tuple) else (about,):
                mark.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
            mark.update(_rounded(counts))
    return mark.digest()


def _rounded(values: Array) -> bytes:
    """Bytes of numbers to nine digits or so: sums of weights differ in the last ones with the order of the rows."""
    share, power = np.frexp(np.asarray(values, dtype=np.float64))
    return np.rint(share * 2.0**30).astype(np.int64).tobytes() + power.astype(np.int64).tobytes()


def coincidence(evidence: Mapping[str, Any]) -> float:
    """At most how likely other rows of the same kind would have given exactly these tables.

    >>> from steelyard.summaries.confusion import Confusion
    >>> round(coincidence({"confusion": Confusion.of([[1, 1], [0, 0]], (0, 1), 1)}), 3)
    0.5
    """
    from scipy.special import gammaln

    least = 0.0
    for summary in evidence.values():
        for _, counts in summary.counts_told():
            n = counts[counts > 0]
            total = float(n.sum())
            if total > 0 and math.isfinite(total):
                least = min(least, float(gammaln(total + 1) - (gammaln(n + 1) - n * np.log(n / total)).sum()))
    return math.exp(least)


def same_rows(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two pieces of evidence are the same rows, beyond what chance would do."""
    if any(v.rows != b[k].rows for k, v in a.items() if k in b):
        return False
    return fingerprint(a) == fingerprint(b) and coincidence(a) < NEGLIGIBLE
