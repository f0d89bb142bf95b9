"""Charts of numbers: predicted against actual, errors against predictions, the distribution of errors.

Rows are long gone: all three are drawn from the table of predictions with their errors. Few pairs are dots, whose area tells
how many rows each stands for; many are a heat map.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.charts.marks import Bar, Chart, Colour, Line, Mark, Point, Rule
from steelyard.charts.palette import SHADES
from steelyard.charts.scales import Scale, wide_enough
from steelyard.intervals.mean_errors import mean_errors
from steelyard.results import Array, Flags, Interval
from steelyard.summaries.pairs import Pairs
from steelyard.summaries.residuals import Residuals
from steelyard.views.pictures import picture
from steelyard.words import count, in_prose, percent, significant

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

DOTS = 400
"""More pairs are drawn as a heat map."""
ACROSS = 45
"""Cells of a heat map on each side; an odd number, so that values which are all the same lie in the middle of one."""
BINS = 40
TAIL = 0.005
"""Share of the rows at each end that need not be seen."""
SIZE = (460.0, 400.0)
ERROR = "Error (predicted − actual)"

Window = tuple[float, float]
Legend = tuple[tuple[str, Colour], ...]


def _has_pairs(evaluation: Evaluation) -> bool:
    return evaluation.residuals is not None and evaluation.residuals.pairs is not None


# Where to look --------------------------------------------------------------------------------------------------------


def quantiles(values: Array, counts: Array) -> Window:
    """The values between which all rows lie but half a per cent at each end.

    >>> quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 500.0, 499.0]))
    (1.0, 2.0)
    """
    order = np.argsort(values, kind="stable")
    total = np.cumsum(counts[order]) / counts.sum()
    low = int(np.searchsorted(total, TAIL * (1 + 1e-9), "right"))
    high = int(np.searchsorted(total, (1 - TAIL) * (1 - 1e-9), "left"))
    return float(values[order[low]]), float(values[order[min(high, len(order) - 1)]])


def _window(values: Array, counts: Array) -> Window:
    """Everything, unless a few rows lie so far out that little else would be seen."""
    least, most = float(values.min()), float(values.max())
    low, high = quantiles(values, counts)
    room = 0.25 * (high - low)
    return (max(low - room, least), min(high + room, most)) if most - least > 2 * (high - low) > 0 else (least, most)


def _edges(values: Array, window: Window, most: int, *, even: bool) -> Array:
    """Ends of equal bins; values that may lie evenly apart, as whole numbers do, fall into bins of equally many of them."""
    low, high = window
    levels = np.unique(values[_inside(values, window)]) if even else values
    if even and 1 < len(levels) <= DOTS:
        gap = float(np.diff(levels).min())
        width = gap * math.ceil((high - low) / gap / most - 1e-9)
        if gap > (high - low) / DOTS:
            return np.asarray(low - gap / 2 + width * np.arange(math.ceil((high - low + gap) / width - 1e-9) + 1))
    scale = wide_enough(window, room=0.0)
    return np.linspace(scale.low, scale.high, most + 1)


def _outside(pairs: Pairs, *seen: Flags) -> str:
    """How many rows lie outside of a chart, in words."""
    share = float(pairs.counts[~np.logical_and.reduce(seen)].sum() / pairs.counts.sum())
    return f" ({percent(share)} of rows lie outside)" if share > 0 else ""


def _inside(values: Array, window: Window) -> Flags:
    return (values >= window[0]) & (values <= window[1])


def _rows(n: int, of: str = "row") -> str:
    return f"{count(n)} {of}" if n == 1 else f"{count(n)} {of}s"


# Dots and heat maps ---------------------------------------------------------------------------------------------------


def _dots(x: Array, y: Array, counts: Array) -> list[Mark]:
    """A dot for each pair, its area the number of rows, as large as leaves room for its neighbours."""
    gaps = [np.diff(np.unique(v)) / np.ptp(v) for v in (x, y) if np.ptp(v) > 0]
    largest = float(counts.max())
    room = 0.48 * 330 * min((float(g.min()) for g in gaps), default=0.1)
    most = 3.2 if largest == float(counts.min()) else min(max(room, 4.0), 13.0)
    sizes = np.maximum(most * np.sqrt(counts / largest), 1.6).round(2)
    return [Point(float(a), float(b), 0, "circle", float(s)) for a, b, s in zip(x, y, sizes, strict=True)]


def _spread(pairs: Pairs, rows: Array, step: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Predictions, errors and rows: a cell of many rows evenly spread as small points, one of few rows at its mean."""
    if pairs.exact:
        return *pairs.places, rows
    (p0, p1), (e0, e1) = pairs.ends
    # Errors that all lie far from zero have wide cells, of which they may fill a small part.
    mean, n = pairs.places[1], pairs.counts
    reach = np.sqrt(3 * np.maximum(pairs.sums[:, 3] / n - mean**2, 0.0))
    e0, e1 = np.maximum(e0, mean - reach), np.minimum(e1, mean + reach)
    cells = (p1 - p0) / step[0], (e1 - e0) / step[1]
    many = rows >= cells[0] * cells[1]
    across, up = (np.where(many, np.clip(np.ceil(6 * c), 1, 60), 1).astype(np.int64) for c in cells)
    found: list[list[Array]] = [[v[~many] for v in (*pairs.places, rows)]]
    for n, m in sorted(set(zip(across[many].tolist(), up[many].tolist(), strict=True))):
        pick = many & (across == n) & (up == m)
        p = p0[pick, None] + (p1 - p0)[pick, None] * (np.arange(n) + 0.5) / n
        e = e0[pick, None] + (e1 - e0)[pick, None] * (np.arange(m) + 0.5) / m
        parts = (p[:, :, None], e[:, None, :], (rows[pick] / (n * m))[:, None, None])
        found.append([np.broadcast_to(v, (len(p), n, m)).ravel() for v in parts])
    p, e, share = (np.concatenate(column) for column in zip(*found, strict=True))
    return p, e, share


def _heat(x: Array, y: Array, rows: Array, ends: tuple[Array, Array]) -> tuple[list[Mark], Legend]:
    """Bars of a heat map, shaded by the logarithm of the rows; neighbours of one shade above one another are one bar."""
    across, up = ends
    table, _, _ = np.histogram2d(x, y, bins=[across, up], weights=rows)
    most, deepest = float(table.max()), len(SHADES) - 1
    least = min(1.0, most / 2)
    depth = np.log(np.maximum(table, least) / least) / math.log(most / least)
    shade = np.where(table >= least / 2, 1 + np.minimum(depth * deepest, deepest - 1).astype(np.int64), 0)
    marks: list[Mark] = []
    for i, column in enumerate(shade):
        # Each bar reaches a little under its right neighbour, or a bright seam would show between the two.
        left, right = float(across[i]), float(across[i + 1] + 0.08 * (across[1] - across[0]))
        starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
        for a, b in zip(starts.tolist(), [*starts[1:].tolist(), len(column)], strict=True):
            if column[a]:
                marks.append(Bar(left, right, float(up[a]), float(up[b]), f"shade{column[a]}"))
    return marks, (("1 row", "shade1"), (_rows(round(most)), f"shade{deepest}")) if most > 1.5 else ()


def _body(residuals: Residuals, wide: Window, tall: Window, *, actual: bool) -> tuple[list[Mark], Legend]:
    """What lies inside a window: errors against predictions, or predictions against actual values."""
    assert residuals.pairs is not None
    pairs = residuals.pairs
    # Under weights, rows as heavy as the mean one.
    rows = pairs.counts * (residuals.rows / float(pairs.counts.sum()))
    p, e = pairs.places
    x, y = (p - e, p) if actual else (p, e)
    if pairs.exact and len(pairs) <= DOTS:
        seen = _inside(x, wide) & _inside(y, tall)
        return _dots(x[seen], y[seen], rows[seen]), ()
    ends = _edges(x, wide, ACROSS, even=pairs.exact), _edges(y, tall, ACROSS, even=pairs.exact)
    step = float(ends[0][1] - ends[0][0]), float(ends[1][1] - ends[1][0])
    p, e, rows = _spread(pairs, rows, step)
    x, y = (p - e, p) if actual else (p, e)
    return _heat(x, y, rows, ends)


# Charts ---------------------------------------------------------------------------------------------------------------


@picture("numbers as target and prediction, counted in pairs", _has_pairs, "numbers")
def predicted(evaluation: Evaluation) -> Chart:
    """Predicted against actual; what lies on the diagonal is right."""
    r = evaluation.residuals
    assert r is not None
    assert r.pairs is not None
    p, error = r.pairs.places
    windows = [_window(values, r.pairs.counts) for values in (p - error, p)]
    both = min(w[0] for w in windows), max(w[1] for w in windows)
    marks, legend = _body(r, both, both, actual=True)
    outside = _outside(r.pairs, _inside(p - error, both), _inside(p, both))
    across, up = wide_enough(both, f"Actual{outside}"), wide_enough(both, "Predicted")
    marks.append(Line([across.low, across.high], [up.low, up.high], "ink", 1, "4 4"))
    columns = {"actual": (p - error).tolist(), "predicted": p.tolist(), "rows": r.pairs.counts.tolist()}
    said = f"Predicted against actual of {_rows(r.rows)}{outside}; on the diagonal predictions are right."
    fit = evaluation.measure("r2")
    finding = "" if fit.value is None else f"R² {in_prose(fit)}"
    title = "Predicted against actual"
    return Chart("predicted", title, across, up, tuple(marks), said, columns, legend, SIZE, finding=finding)


@picture("numbers as target and prediction, counted in pairs", _has_pairs, "numbers")
def residuals(evaluation: Evaluation) -> Chart:
    """Errors against predictions, with the mean error along the predictions."""
    r = evaluation.residuals
    assert r is not None
    assert r.pairs is not None
    p, error = r.pairs.places
    wide, tall = _window(p, r.pairs.counts), _window(error, r.pairs.counts)
    marks, legend = _body(r, wide, tall, actual=False)
    outside = _outside(r.pairs, _inside(p, wide), _inside(error, tall))
    bias = evaluation.measure("bias")
    curve = mean_errors(r, Interval(bias.low, bias.high, bias.method, bias.note), evaluation.confidence)
    xs, ys, low, high = ([*curve.columns[name]] for name in ("prediction", "error", "low", "high"))
    marks.append(Rule(y=0.0, colour="ink", dash=""))
    marks += [Line([x, x], [a, b], "ink", 2) for x, a, b in zip(xs, low, high, strict=True) if a is not None]
    marks.append(Line(xs, ys, "ink", 1.5))
    marks += [Point(x, y, "ink", size=3.5) for x, y in zip(xs, ys, strict=True) if x is not None and y is not None]
    # An interval of very few rows may be so wide that nothing else would be seen.
    ends = [v for v in (*low, *high) if v is not None and abs(v) <= 3 * max(map(abs, tall))]
    across, up = wide_enough(wide, f"Predicted{outside}"), wide_enough((*tall, *ys, *ends, 0.0), ERROR)
    how = f"with {percent(evaluation.confidence)} intervals ({curve.method})"
    if curve.note:
        how = f"no intervals: {curve.note}"
    said = (
        f"Errors against predictions of {_rows(r.rows)}{outside}, "
        f"and their mean in {_rows(len(xs), 'bin')} of predictions, {how}."
    )
    legend = (*legend, ("mean error", "ink"))
    seen = [y for y in ys if y is not None]
    finding = ""
    if len(seen) > 1:
        low_end, high_end = (significant(v, 2) for v in (min(seen), max(seen)))
        finding = f"Mean error from {low_end} to {high_end} along the prediction"
    more: dict[str, Any] = {"finding": finding, "read": "prediction error low high"}
    title = "Errors against predictions"
    return Chart("residuals", title, across, up, tuple(marks), said, curve.columns, legend, SIZE, **more)


@picture("numbers as target and prediction, counted in pairs", _has_pairs, "numbers")
def errors(evaluation: Evaluation) -> Chart:
    """How errors are spread, and their mean."""
    r = evaluation.residuals
    assert r is not None
    values, rows = r.signed_errors()
    low, high = quantiles(values, rows)
    inside = _inside(values, (low, high))
    number = BINS if r.rows >= DOTS else max(5, min(BINS, round(2 * math.sqrt(r.rows))))
    edges = _edges(values, (low, high), number, even=r.rows >= 3 * int(inside.sum()))
    seen = float(edges[0]), float(edges[-1])
    if high == low:
        edges = low + (seen[1] - seen[0]) * np.array([-0.03, 0.03])
    total = float(rows.sum())
    shares = np.histogram(values[inside], edges, weights=rows[inside])[0] / total
    tails = float(rows[values < low].sum()) / total, float(rows[values > high].sum()) / total
    sides = zip(edges[:-1], edges[1:], shares, strict=True)
    marks: list[Mark] = [Bar(float(a), float(b), 0.0, float(v), 0, 0.75) for a, b, v in sides if v > 0]
    mean = evaluation.measure("bias")
    told = f"{percent(tails[0])} of rows lie below {significant(low)}, {percent(tails[1])} above {significant(high)}"
    axis = f"{ERROR}; {percent(sum(tails))} outside" if sum(tails) > 0 else ERROR
    across = wide_enough((*seen, mean.value), axis)
    marks += [Rule(x=0.0)] if across.low < 0 < across.high else []
    marks.append(Rule(x=mean.value, colour="ink", dash=""))
    columns: dict[str, Sequence[Any]] = {
        "from": [None, *edges.tolist()],
        "to": [*edges.tolist(), None],
        "share": [tails[0], *shares.tolist(), tails[1]],
    }
    words = in_prose(mean)
    said = f"Distribution of the errors of {_rows(r.rows)}; their mean is {words}. {told}."
    of = "Share of rows" if r.weighting == "none" else "Share of weight"
    up = Scale(0.0, float(shares.max()) * 1.06, of, "share")
    legend: Legend = ((f"mean {words}", "ink"),)
    leans = mean.value is not None and (mean.low is None or mean.high is None or mean.low * mean.high > 0)
    sign = 1 if mean.value is None or mean.value > 0 else -1
    side = f"Predictions are {in_prose(mean, sign)} too {'high' if sign > 0 else 'low'} on average"
    finding = "" if mean.value is None else side if leans and mean.value else f"No clear lean: {words} on average"
    title, size = "Distribution of errors", (460.0, 340.0)
    return Chart("errors", title, across, up, tuple(marks), said, columns, legend, size, finding=finding)
