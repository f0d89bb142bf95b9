"""How far off are predictions in proportion? Errors of logarithms, and errors as shares of what was there."""

from __future__ import annotations

import numpy as np

from steelyard.measures.measure import measure
from steelyard.results import Array, Mean, Ratio
from steelyard.summaries.proportions import LEAST, Proportions

INFINITY = float("inf")
NO_LOGARITHM = "a target or prediction is not above −1, and one more than it has no logarithm"


def _squared_logarithm(target: Array, prediction: Array) -> Array:
    fine = (target + 1.0 >= LEAST) & (prediction + 1.0 >= LEAST)
    t, p = (np.where(fine, x, 0.0) for x in (target, prediction))
    return np.where(fine, (np.log1p(p) - np.log1p(t)) ** 2, np.nan)


def _share_of_both(target: Array, prediction: Array) -> Array:
    both = np.abs(target) + np.abs(prediction)
    return np.asarray(2 * np.abs(prediction - target) / np.where(both > 0, both, 1.0))


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("mean_squared_log_error",),
    noun="MSLE",
    by_row={"numbers": _squared_logarithm},
    when="As its root, rmsle.",
    leans="To errors that are large in proportion; to predict too little costs more than as much too much.",
    title="Mean squared error of logarithms",
)
def msle(proportions: Proportions) -> Mean:
    """Mean squared error of logarithms of one more: Σ (ln(1 + M) − ln(1 + t))² / n.

    >>> round(float(msle(Proportions.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.0332
    """
    count = np.where(proportions.sum("below") > 0, 0.0, proportions.total)
    total, squares, cubes, fourths = (proportions.sum(f"logarithm{power}") for power in ("", 2, 3, 4))
    return Mean(total, squares, count, NO_LOGARITHM, cubes=cubes, fourths=fourths)


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("root_mean_squared_log_error",),
    noun="RMSLE",
    title="Root mean squared error of logarithms",
    interval="root_mean",
    root_of="msle",
    when="Where amounts of all sizes are to be right in proportion, and some are zero.",
    leans="To errors that are large in proportion; to predict too little costs more than as much too much.",
)
def rmsle(proportions: Proportions) -> Ratio:
    """Root of the mean squared error of logarithms: √MSLE; 0.1 is about ten per cent.

    >>> round(float(rmsle(Proportions.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.1822
    """
    # Leaving out the one unit with errors may leave a little less than nothing.
    return Ratio(np.sqrt(np.maximum(msle(proportions).value, 0.0)), 1.0, NO_LOGARITHM)


@measure(
    better="lower",
    range=(0, 2),
    aliases=("symmetric_mape",),
    noun="sMAPE",
    title="Mean error in proportion",
    by_row={"numbers": _share_of_both},
    when="Where shares are wanted and some targets are zero; better is wape, which small rows do not rule.",
    leans="To rows of small targets: a zero predicted as anything else is 2, the most there is.",
)
def smape(proportions: Proportions) -> Mean:
    """Mean error as a share of the mean size of target and prediction: Σ 2 |t − M| / (|t| + |M|) / n, two zeros being 0.

    >>> round(float(smape(Proportions.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.2286
    """
    return Mean(proportions.sum("share"), proportions.sum("share2"), proportions.total)


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("weighted_mape", "wmape"),
    noun="WAPE",
    title="Errors as a share of all",
    interval="of_sizes",
    when="Where the whole counts, as of a forecast of sales: so much of every hundred that was there is put wrongly.",
    leans="To rows of large targets, in proportion to their size.",
)
def wape(proportions: Proportions) -> Ratio:
    """All errors as a share of all targets: Σ |t − M| / Σ |t|.

    >>> round(float(wape(Proportions.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.2143
    """
    return Ratio(proportions.sum("off"), proportions.sum("size"), "all targets are zero")
