"""Pointwise bands around curves."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from steelyard.intervals.proportions import wilson
from steelyard.intervals.upright import BY_UNIT, PR, ROC, by_bucket, pr_band, roc_band
from steelyard.measures.calibration import binned
from steelyard.measures.curves import Columns, curves, points, thresholds
from steelyard.results import Array, Codes, Curve, divide
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows

MOST_POINTS = 2000
"""A curve of more points is thinned evenly along its length, unless it was asked exactly; every point kept is a real one."""


def banded(name: str, scores: Scores, confidence: float, bins: int | None = None) -> Curve:
    """A curve with its band: of ROC and precision–recall at each place of the axis below, of others at each threshold.

    Gain and lift hold at a depth too, where the same is true of Wilson's interval; calibration in each bin.
    """
    size = points(name, scores)
    # Only the points that are kept are worked out.
    keep = None if size is None else thin(size, _most(scores))
    asked = {"at": keep, "bins": bins}
    found = curves()[name](scores, **{k: v for k, v in asked.items() if v is not None})
    columns = {k: np.asarray(v, dtype=np.float64) for k, v in found.items()}
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    if (
        name in {"roc", "pr"}
        and keep is not None
        and float(scores.all_positives) > 0
        and float(scores.all_negatives) > 0
    ):
        return _upright(name, scores, columns, keep, confidence, z)
    shrink = 1.0
    if scores.squares is not None:
        total = np.asarray(scores.counts.sum())
        shrink = float(effective_rows(total, scores.squares.sum()) / total)
    part, whole = columns.pop("part") * shrink, columns.pop("whole") * shrink
    method = "Wilson, pointwise"
    by_unit = _rows_by_unit(name, scores, columns) if scores.units is not None else None
    if by_unit is not None:
        # The same share of as many rows as would spread like the units do.
        part, whole, method = (
            np.nan_to_num(divide(part, whole)) * by_unit,
            by_unit,
            "Wilson, pointwise, effective rows by unit",
        )
    low, high = wilson(part, whole, z)
    if "part2" in columns:
        low, high = _gap(columns, (low, high), part, whole, shrink, z)
    elif "scale" in columns:
        scale = columns.pop("scale")
        low, high = low * scale, high * scale
    columns |= {"low": low, "high": high}
    return Curve(name, {k: plain(v) for k, v in columns.items()}, confidence, method, _left_out(len(part), size))


def _most(scores: Scores) -> int:
    return len(scores.cells.low) + 1 if scores.cells.exact else MOST_POINTS


def _left_out(kept: int, size: int | None) -> str:
    return "" if size is None or kept == size else f"{kept:,} of {size:,} points, evenly along the curve"


def _upright(name: str, scores: Scores, columns: Columns, keep: Codes, confidence: float, z: float) -> Curve:
    """A curve whose band is read upwards."""
    columns = {k: v for k, v in columns.items() if k not in {"part", "whole"}}
    if name == "roc":
        (low, high), method = roc_band(scores, z, keep), ROC
    else:
        # The curve starts at the first cell; the cut above all of them has no precision.
        (low, high), method = pr_band(scores, z, keep + 1), PR
    method += BY_UNIT if scores.by_unit() is not None else ""
    found = {k: plain(v) for k, v in columns.items()} | {"low": plain(low), "high": plain(high)}
    return Curve(name, found, confidence, method, _left_out(len(keep), points(name, scores)))


def _rows_by_unit(name: str, scores: Scores, columns: Columns) -> Array | None:
    """Effective rows at every point of a curve whose points are shares: p (1 − p) over the spread of bucket totals."""
    stacked = scores.by_unit()
    if stacked is None or name == "scores":
        return None
    if name == "calibration":
        whole, _, happened = binned(stacked, 10)
        used = whole.sum(axis=0) > 0
        part, whole = (happened * whole)[:, used], whole[:, used]
        place = np.arange(part.shape[1])
    else:
        tables = [curves()[name](stacked.replicate(c)) for c in stacked.counts]
        part, whole = (np.stack([np.asarray(t[k]) for t in tables]) for k in ("part", "whole"))
        coarse = np.asarray(tables[0]["threshold"])
        place = np.clip(np.searchsorted(-coarse, -columns["threshold"]), 0, len(coarse) - 1)
    found: Array = by_bucket(part, whole)[place]
    return found if len(found) == len(next(iter(columns.values()))) else None


def _gap(
    columns: Columns, first: tuple[Array, Array], part: Array, whole: Array, shrink: float, z: float
) -> tuple[Array, Array]:
    """Newcombe's interval of the difference of two shares."""
    p = divide(part, whole)
    other, total = columns.pop("part2") * shrink, columns.pop("whole2") * shrink
    q = divide(other, total)
    low2, high2 = wilson(other, total, z)
    down = np.sqrt((p - first[0]) ** 2 + (high2 - q) ** 2)
    up = np.sqrt((first[1] - p) ** 2 + (q - low2) ** 2)
    return p - q - down, p - q + up


def thin(n: int, most: int) -> Codes:
    """Places of at most so many of n points, evenly spaced, first and last among them."""
    if n <= most:
        return np.arange(n)
    return np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))


def plain(values: Array) -> list[float | None]:
    """As plain floats; what JSON cannot say (infinity, NaN) as None."""
    fine = np.isfinite(values)
    if fine.all():
        return list(values.tolist())
    return [v if good else None for v, good in zip(values.tolist(), fine.tolist(), strict=True)]


def ks_threshold(scores: Scores) -> float:
    """The threshold at which the gap between the classes is greatest."""
    gap = np.abs(np.asarray(curves()["ks"](scores)["gap"]))
    return float(thresholds(scores)[int(np.argmax(gap))])
