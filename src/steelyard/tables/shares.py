"""How sure a share is, from the share and the number of rows alone; and how many of so many come by chance."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Annotated, Any

import numpy as np

from steelyard.arguments.allowed import Span, Words, confidence_of, taken
from steelyard.arguments.annotated import as_annotated
from steelyard.errors import UsageError
from steelyard.intervals.proportions import share_limits, wilson
from steelyard.results import Estimate
from steelyard.tables.tabulation import Cell, Tabulation
from steelyard.wording import either

METHODS = Words("usual", "wilson", "exact", "normal")
MOST = 1000
ROWS = Span(1, 1e15)
TRIALS = Span(1, 100_000, whole=True)
UNIT = Span(0, 1)


@as_annotated("method")
def share_interval(share: Any, n: Any, *, confidence: Any = 0.95, method: str = "usual") -> Tabulation:
    """The interval of a share such as an accuracy, for one or several shares, numbers of rows and confidences.

    Wilson: (2 n p + z² ± z √(z² + 4 n p (1 − p))) / 2 (n + z²). "usual" is what every share of an evaluation has: Wilson's, and
    near its ends, where that promises too much, the exact or Poisson's limit; "normal" is p ± z √(p (1 − p) / n).

    >>> print(share_interval(0.8, [50, 100, 5000]))
    A share of so many rows
      share      n  interval
        0.8     50  0.80 [0.67, 0.89]
        0.8    100  0.800 [0.711, 0.867]
        0.8  5,000  0.800 [0.789, 0.811]
      95% intervals: Wilson.
    """
    taken("The method", method, METHODS, "Leave it out for the one that every share has.")
    shares = [float(taken("A share", x, UNIT, "80% is 0.8.")) for x in _several(share)]
    rows = [
        float(
            taken(
                "A number of rows",
                x,
                ROWS,
                f"For example {either('share_interval(0.8, 100)', 'steelyard share 80% --of 100')}.",
            )
        )
        for x in _several(n)
    ]
    levels = [confidence_of(x) for x in _several(confidence)]
    if (asked := len(shares) * len(rows) * len(levels)) > MOST:
        message = f"A table of at most {MOST:,} intervals can be read, and {asked:,} were asked for."
        raise UsageError(message, "Name fewer shares, numbers of rows or confidences.")
    found = [_interval(p, size, level, method) for level in levels for p in shares for size in rows]
    cells: dict[str, Sequence[Cell]] = {"share": [x.value for x in found], "n": [x.n for x in found]}
    if len(levels) > 1:
        cells["confidence"] = [x.confidence for x in found]
    cells["interval"] = found
    told = f"{100 * levels[0]:g}% intervals" if len(levels) == 1 else "Intervals"
    note = f"{told}: {', '.join(dict.fromkeys(x.method for x in found))}."
    forms = {"share": "typed", "n": "count", "confidence": "typed"}
    return Tabulation("shares", "A share of so many rows", cells, note, levels[0], forms)


def _several(given: Any) -> list[Any]:
    """One value or several, as a list."""
    if isinstance(given, str | bytes) or not hasattr(given, "__len__") or getattr(given, "ndim", 1) == 0:
        return [given]
    found = list(given)
    if not found:
        message = "A table of intervals needs a share and a number of rows, and an empty list came."
        raise UsageError(message, "For example share_interval(0.8, [50, 100, 500]).")
    return found


def _interval(p: float, n: float, confidence: float, method: str) -> Estimate:
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    if method == "normal":
        half = z * (p * (1 - p) / n) ** 0.5
        low, high, told = p - half, p + half, "normal approximation"
    elif method == "wilson":
        low, high = (float(x) for x in wilson(p * n, n, z))
        told = "Wilson"
    elif method == "exact":
        from scipy.special import betaincinv

        k, tail = p * n, 0.5 - confidence / 2
        low = 0.0 if k <= 0 else float(betaincinv(k, n - k + 1, tail))
        high = 1.0 if k >= n else float(betaincinv(k + 1, n - k, 1 - tail))
        told = "Clopper–Pearson"
    else:
        low, high = (float(x) for x in share_limits(p * n, n, z))
        plain = [float(x) for x in wilson(p * n, n, z)]
        told = "Wilson" if [low, high] == plain else "Clopper–Pearson" if n <= 5 else "Wilson, Poisson near the end"
    return Estimate("share", p, low, high, confidence, told, n)


@as_annotated()
def binomial(n: Annotated[int, TRIALS], share: Annotated[float, UNIT] = 0.5) -> Tabulation:
    """How many of n rows come out, each with the same chance: C(n, k) p^k (1 − p)^(n − k), with mean n p and variance n p (1 − p).

    >>> t = binomial(50, 0.5)
    >>> round(t.columns["chance"][20], 4), t.note
    (0.0419, 'Mean 25, variance 12.5, standard deviation 3.54.')
    """
    from scipy.stats import binom

    counts = np.arange(n + 1)
    chance, at_most = binom.pmf(counts, n, share), binom.cdf(counts, n, share)
    mean, variance = n * share, n * share * (1 - share)
    cells: dict[str, Sequence[Cell]] = {
        "count": counts.tolist(),
        "chance": chance.tolist(),
        "at_most": np.minimum(at_most, 1.0).tolist(),
    }
    note = f"Mean {mean:,.6g}, variance {variance:,.6g}, standard deviation {variance**0.5:,.3g}."
    return Tabulation("binomial", f"How many of {n:,} at a chance of {share:g}", cells, note)
