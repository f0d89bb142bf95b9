"""Charts of numbers: predicted against actual, errors against predictions, the distribution of errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steelyard.charts.marks import Bar, Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.palette import SHADES
from steelyard.charts.scales import Scale, wide_enough
from steelyard.results import Array
from steelyard.views.pictures import picture
from steelyard.words import count, percent, significant

FEW = 400
"""Up to so many pairs are drawn as dots, more as a heat map of cells."""
CELLS, BINS, MEANS = 36, 40, 12
NEEDS = "a continuous target and prediction"


def _there(e: Any) -> bool:
    return e.residuals is not None and e.residuals.pairs is not None


def _pairs(e: Any) -> tuple[Array, Array, Array, Array]:
    """Rows, mean prediction, mean error and mean squared error of every pair."""
    sums = e.residuals.pairs.sums
    n = np.maximum(sums[:, 0], 1e-300)
    return sums[:, 0], sums[:, 1] / n, sums[:, 2] / n, sums[:, 3] / n


def _cloud(x: Array, y: Array, n: Array, across: Scale, up: Scale) -> list[Mark]:
    """Dots whose size grows with their rows, or cells whose shade does; what lies beyond the scales is left out."""
    inside = (x >= across.low) & (x <= across.high) & (y >= up.low) & (y <= up.high)
    x, y, n = x[inside], y[inside], n[inside]
    if len(x) <= FEW:
        most = float(n.max(initial=1.0))
        return [
            Point(float(a), float(b), 0, "circle", 2.2 + 3.0 * math.sqrt(float(c) / most) * (most > 1))
            for a, b, c in zip(x, y, n, strict=True)
        ]
    i = np.clip(((x - across.low) / (across.high - across.low) * CELLS).astype(np.int64), 0, CELLS - 1)
    j = np.clip(((y - up.low) / (up.high - up.low) * CELLS).astype(np.int64), 0, CELLS - 1)
    table = np.zeros((CELLS, CELLS))
    np.add.at(table, (i, j), n)
    wide, high = (across.high - across.low) / CELLS, (up.high - up.low) / CELLS
    deepest = math.log1p(float(table.max()))
    out: list[tuple[int, Mark]] = []
    for a, b in np.argwhere(table > 0).tolist():
        # Rows span several powers of ten, so shades follow their logarithm.
        shade = 1 + min(int(math.log1p(table[a, b]) / deepest * (len(SHADES) - 1)), len(SHADES) - 2)
        x0, y0 = across.low + a * wide, up.low + b * high
        out.append((shade, Bar(x0, x0 + wide, y0, y0 + high, f"shade{shade}")))
    # Cells of one shade follow one another, and are drawn as one path.
    return [mark for _, mark in sorted(out, key=lambda pair: pair[0])]


def _neighbours(x: Array, n: Array) -> Any:
    """About equally many rows in each of a few groups of neighbours; equal values stay together."""
    found, place = np.unique(x, return_inverse=True)
    rows = np.bincount(place, weights=n, minlength=len(found))
    most = max(1, min(MEANS, int(n.sum() / 10)))
    middle = (np.cumsum(rows) - rows / 2) / rows.sum()
    return np.minimum((middle * most).astype(np.int64), most - 1)[place]


def _central(x: Array, n: Array, title: str, *, zero: bool = False) -> Scale:
    """A scale for all but the last thousandth on either side, where there are rows enough to know them."""
    order = np.argsort(x)
    total = np.cumsum(n[order]) / n.sum()
    tail = 0.001 if n.sum() >= 1000 else 0.0
    ends = [float(x[order][min(int(np.searchsorted(total, q)), len(x) - 1)]) for q in (tail, 1 - tail)]
    return wide_enough(ends, title, zero=zero)


def _columns(**columns: Array) -> dict[str, list[float]]:
    return {k: v.tolist() for k, v in columns.items()}


@picture(NEEDS, _there)
def predicted(e: Any) -> Chart:
    """Predicted against actual values, with the line on which they are the same."""
    n, said, error, _ = _pairs(e)
    actual = said - error
    both = _central(np.concatenate([actual, said]), np.concatenate([n, n]), "")
    across = Scale(both.low, both.high, "Actual")
    up = Scale(both.low, both.high, "Predicted")
    marks = [
        *_cloud(actual, said, n, across, up),
        Line([both.low, both.high], [both.low, both.high], "quiet", 1, "4 4"),
    ]
    told = f"Predicted against actual values of {count(float(n.sum()))} rows; on the dashed line they are the same."
    return Chart(
        "predicted",
        "Predicted and actual",
        across,
        up,
        tuple(marks),
        told,
        _columns(actual=actual, predicted=said, rows=n),
    )


@picture(NEEDS, _there)
def residuals(e: Any) -> Chart:
    """Errors against predictions, with the mean error of neighbours and its interval."""
    n, said, error, square = _pairs(e)
    across, up = _central(said, n, "Predicted"), _central(error, n, "Error (predicted − actual)", zero=True)
    marks: list[Mark] = [*_cloud(said, error, n, across, up), Rule(y=0.0)]
    xs: list[float | None] = []
    ys: list[float | None] = []
    bins = _neighbours(said, n)
    for b in np.unique(bins).tolist():
        pick = bins == b
        rows = float(n[pick].sum())
        x, mean = (float((n[pick] * v[pick]).sum()) / rows for v in (said, error))
        spread = max(float((n[pick] * square[pick]).sum()) / rows - mean**2, 0.0)
        xs.append(x)
        ys.append(mean)
        if rows > 1:
            half = 1.96 * math.sqrt(spread / (rows - 1))
            marks.append(Line([x, x], [mean - half, mean + half], 1, 2))
        marks.append(Point(x, mean, 1, "square", 4))
    marks.append(Line(xs, ys, 1, 2))
    told = f"Errors of {count(float(n.sum()))} rows against what was predicted; squares are means of neighbours with 95% intervals."
    columns = _columns(predicted=said, error=error, rows=n)
    return Chart("residuals", "Errors against predictions", across, up, tuple(marks), told, columns)


@picture(NEEDS, _there)
def errors(e: Any) -> Chart:
    """How the errors are spread."""
    n, _, error, _ = _pairs(e)
    order = np.argsort(error)
    total = np.cumsum(n[order]) / n.sum()
    low, high = (float(error[order][min(int(np.searchsorted(total, q)), len(total) - 1)]) for q in (0.005, 0.995))
    if low == high:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    inside = (error >= low) & (error <= high)
    step = (high - low) / BINS
    place = np.clip(((error - low) / step).astype(np.int64), 0, BINS - 1)
    share = np.bincount(place[inside], weights=n[inside], minlength=BINS) / n.sum()
    left = low + step * np.arange(BINS)
    marks: list[Mark] = [
        Bar(float(a), float(a) + step, 0.0, float(s), 0, 0.75) for a, s in zip(left, share, strict=True) if s > 0
    ]
    mean = float((n * error).sum() / n.sum())
    top = float(share.max()) * 1.12 or 1.0
    marks += [Rule(x=0.0, colour="ink", dash="")] if low <= 0 <= high else []
    marks += [Rule(x=mean, colour=1), Text(mean, top, f"mean {significant(mean)}", 1, "start", True, 6, 12)]
    outside = float(n[~inside].sum() / n.sum())
    told = f"Distribution of errors; {percent(round(outside, 4))} of rows lie outside the picture."
    columns = {"from": left.tolist(), "to": (left + step).tolist(), "share": share.tolist()}
    across, up = Scale(low, high, "Error (predicted − actual)"), Scale(0.0, top, "Share of rows", "share")
    return Chart("errors", "Distribution of errors", across, up, tuple(marks), told, columns)
