"""Small losses that last: the excess of a mean loss over the reference, added up row by row until chance no longer explains it.

A window alone sees a loss as large as its own error. The sum of many windows sees one that is much smaller, soon after it began.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from steelyard.measures.measure import find
from steelyard.monitors.labels import Labels
from steelyard.monitors.sequential import losses, row_loss
from steelyard.monitors.signals import PERFORMANCE, Signal
from steelyard.results import Array, Estimate
from steelyard.summaries.losses import Losses
from steelyard.trials.halving import turning_point
from steelyard.verdicts.alarm import IMMATURE, INSUFFICIENT, added_up
from steelyard.words import count, percent, significant

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

PREFIX = "running "
METHOD = "cumulative sum (CUSUM)"
HELD, COUNTED = 1.5, 0.5
"""Standard errors of the reference's mean that are held against a loss, and with how many of them the limit counts: its mean
was found on rows as well, and one that is too low by chance would start a false alarm every month."""
EXCESS = 1.166
"""By how much a sum of unit steps jumps beyond a limit on average (Siegmund)."""
MOST = 2.0
"""The sum stops at so many times its limit, so that an alarm can end once the loss does."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What is taken off each row, and how far the sum of what is left may rise, both in standard deviations of one row."""

    slack: float
    height: float


def limit_of(reference: Losses, values: Array, weights: Array, margin: float, rows: float) -> Limit:
    """The limit that a stream without a change exceeds once in so many `rows` on average.

    S ← max(0, S + z − k), k = margin · μ / σ + 1.5 / √n; fires above h, with (e^{θb} − θb − 1) / (θk') = rows, b = h + 1.166,
    k' = margin · μ / σ + ½ / √n, and θ > 0 the root of E e^{θ(z − k')} = 1. For a normal loss θ = 2k'; for the skewed losses of
    rare positives it is less, and the limit higher.

    Page, Continuous inspection schemes (1954); Siegmund, Sequential analysis (1985), chapter II.

    >>> x = np.array([0.0, 1.0])
    >>> found = limit_of(Losses.of([0.0, 1.0] * 2000), x, np.ones(2), 0.05, 80_000)
    >>> round(found.slack, 3), round(found.height)
    (0.074, 53)
    """
    mean, spread = reference.mean, reference.deviation or 1.0
    error = 1 / math.sqrt(reference.n)
    held = margin * abs(mean) / spread
    k = max(held + COUNTED * error, 1e-6)
    tilt = _tilt((values - mean) / spread, weights, k) if len(values) else 2 * k
    b = turning_point(lambda b: (math.expm1(tilt * b) - tilt * b) / (tilt * k) >= rows, 0.0, 700 / tilt)[0]
    return Limit(held + HELD * error, max(b - EXCESS, 1.0))


def _tilt(z: Array, weights: Array, k: float) -> float:
    """The root θ > 0 of E e^{θ(z − k)} = 1, at most 2k, that of a normal law: a law with a shorter tail is given no credit."""
    w = weights / weights.sum()
    z = z - float((w * z).sum())

    def law(t: float) -> float:
        x = t * (z - k)
        top = float(x.max())
        return top + math.log(float((w * np.exp(x - top)).sum()))

    if law(2 * k) <= 0:
        return 2 * k
    return max(turning_point(lambda t: law(t) > 0, 0.0, 2 * k)[0], 1e-9)


def loss_table(evaluation: Evaluation | None, name: str) -> tuple[Array, Array]:
    """Every loss that a reference row had, and how many rows had it; nothing where only sums were kept."""
    if evaluation is None or evaluation.scores is None or name not in losses("scores"):
        return np.zeros(0), np.zeros(0)
    cut = 0.5 if evaluation.threshold is None else evaluation.threshold
    scores, s = evaluation.scores, evaluation.scores.score.astype(np.float64)
    both = [row_loss(find(name), np.full(len(s), y), s, cut) for y in (1.0, 0.0)]
    return np.concatenate(both), np.concatenate([scores.positives, scores.negatives]).astype(np.float64)


def follow_losses(
    name: str,
    reference: Losses,
    table: tuple[Array, Array],
    windows: Sequence[Losses | None],
    labels: Sequence[Labels],
    margin: float,
    alpha: float,
    excess: float = 1.0,
    usual: Sequence[float] | None = None,
) -> list[Signal]:
    """The signal after every window; None is one whose labels are not in, which changes nothing.

    `alpha` is the level of one window by the budget, so that without a change there is one false start in 1 / alpha windows.
    `excess` tells how many times the variance of windows is that of independent rows, which are then worth as many fewer, and
    `usual` the mean of the reference on the weekday of each window, where weekdays differ.
    """
    sizes = [w.n for w in windows if w is not None and w.n]
    size = float(np.mean(sizes)) if sizes else 1.0
    wide = math.sqrt(excess)
    # Deviations are told in units that allow for it, in the reference as in the stream.
    scaled = replace(reference, squares=reference.squares * excess)
    limit = limit_of(scaled, table[0], table[1], margin / wide, size / alpha)
    told, total, since, many, expected = PREFIX + name, 0.0, Losses(), 0, 0.0
    spread = (reference.deviation or 1.0) * wide
    out = []
    means = [reference.mean] * len(windows) if usual is None else usual
    for found, held, mean in zip(windows, labels, means, strict=True):
        if found is None or not found.n:
            state = INSUFFICIENT if held.mature else IMMATURE
            why = held.reason or "no row has a label"
            out.append(Signal(told, PERFORMANCE, state, why, None, reference.mean, alpha=alpha))
            continue
        total = min(total + found.n * ((found.mean - mean) / spread - limit.slack), MOST * limit.height)
        since, many, expected = (
            (since + found, many + 1, expected + found.n * mean) if total > 0 else (Losses(), 0, 0.0)
        )
        total = max(0.0, total)
        shown, base = (since, mean if usual is None else expected / since.n) if many else (found, mean)
        out.append(_signal(told, name, shown, many, total, limit, base, margin, alpha))
    return out


def _signal(
    told: str,
    name: str,
    losses: Losses,
    many: int,
    total: float,
    limit: Limit,
    base: float,
    margin: float,
    alpha: float,
) -> Signal:
    last = "the last window" if many <= 1 else f"the last {many:,} windows"
    note = f"the mean of {last}; what is judged is the sum of its excess, which has a limit and no interval"
    value = Estimate(told, losses.mean, method=METHOD, n=losses.n, note=note)
    verdict, clears = added_up(value, total, limit.height)
    words = f"the mean {name} of {last} ({count(round(losses.n))} rows) is {significant(losses.mean)}"
    words += f" against {significant(base)}"
    full = "or more " if total >= MOST * limit.height else ""
    part = f"its excess adds up to {percent(round(total / limit.height, 2))} {full}of what chance brings once in the budget's time"
    reason = f"{words} in the reference, and {part}"
    if verdict.bad:
        reason += f": worse by more than the margin of {percent(margin)}, for some time"
    return Signal(told, PERFORMANCE, verdict.word, reason, value, base, alpha=alpha, clears=clears)
