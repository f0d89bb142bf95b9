"""Looking every day without paying for it: a mean loss whose interval holds at all looks at once, against a reference.

A change for the worse is claimed when the lower end of the sequence lies above the upper limit of the reference's own mean. Half
of the level goes to each, so that the reference, which is a sample too, is not taken for the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.measures.facts import EVIDENCE
from steelyard.measures.measure import Measure, catalogue, complement, find, leading
from steelyard.monitors.budget import spent
from steelyard.results import Array, Estimate
from steelyard.summaries.losses import Losses
from steelyard.verdicts.alarm import ALARM, INSUFFICIENT, OK, WARN, above_limit

LEAST = 100
"""Rows from which on the sequence is told, so that the law of large numbers has set in."""
LEAST_LATER = 500
"""Rows that a sequence needs which began later, since its level is lower and the law is needed further out."""
METHOD = "time-uniform confidence sequence"
CLIP = 1e-15


def half_width(t: float, deviation: float, alpha: float, tuned: float = 1000.0) -> float:
    """Half of the width of the sequence after t rows; it is narrowest for its level near `tuned` rows.

    σ √(2 (t ρ² + 1) / (t² ρ²) · ln(√(t ρ² + 1) / α)), ρ² = (−2 ln α + ln(1 − 2 ln α)) / tuned

    >>> round(half_width(1000, 0.5, 0.05), 3), round(half_width(100_000, 0.5, 0.05), 4)
    (0.048, 0.0056)

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory (2021).
    """
    if not (t > 0 and 0 < alpha < 1 and deviation >= 0 and tuned > 0):
        message = f"A confidence sequence needs rows and a level between 0 and 1; {t:g} and {alpha:g} came."
        raise UsageError(message, "0.05 is a usual level.")
    r = (-2 * math.log(alpha) + math.log1p(-2 * math.log(alpha))) / tuned
    return deviation * math.sqrt(2 * (t * r + 1) / (t * t * r) * math.log(math.sqrt(t * r + 1) / alpha))


@dataclass(frozen=True, slots=True)
class Look:
    """What may be said after one more window: the mean so far, and whether it is beyond the reference."""

    estimate: Estimate
    reference: float
    limit: float
    """The upper limit of the reference's mean."""
    state: str
    """"ok", "warn", "alarm" or "insufficient"."""
    reason: str


def looks(
    reference: Losses, windows: Sequence[Losses | None], margin: float, alpha: float, name: str = "loss"
) -> list[Look]:
    """The mean loss after each window, since the first or since a later one; None is a window that is not counted.

    A sequence begins with every window, the k-th at the level 6 α / (π² k²), so that calm years do not hide a bad month.
    alarm where its lower end exceeds the reference's upper limit by more than `margin`, warn where it exceeds it at all: the chance
    that either ever happens without a change is at most `alpha`.

    >>> calm = Losses.of([0.0, 0.0, 0.0, 1.0] * 500)
    >>> [x.state for x in looks(calm, [calm, Losses.of([0.0, 1.0, 1.0, 1.0] * 500)], 0.05, 0.05)]
    ['ok', 'alarm']
    """
    if reference.n < LEAST:
        message = f"The reference has {reference.n:g} rows with a label, and a sequence needs at least {LEAST}."
        raise NotAvailable(message, "Give a larger reference.")
    z = NormalDist().inv_cdf(1 - alpha / 2)
    limit = reference.mean + z * reference.deviation / math.sqrt(reference.n)
    out: list[Look] = []
    starts: list[Losses] = []
    for found in windows:
        if found is not None:
            starts = [*(x + found for x in starts), found]
        out.append(_look(starts, reference, limit, margin, alpha, name))
    return out


def _look(starts: Sequence[Losses], reference: Losses, limit: float, margin: float, alpha: float, name: str) -> Look:
    confidence = 1 - alpha / 2
    so_far = starts[0] if starts else Losses()
    if so_far.n < LEAST:
        why = f"{so_far.n:.0f} rows so far, and a sequence begins with {LEAST}"
        value = so_far.mean if so_far.weight else None
        told = Estimate(name, value, confidence=confidence, method=METHOD, n=so_far.n, reason=why, note=why)
        return Look(told, reference.mean, limit, INSUFFICIENT, why)
    best = (-math.inf, math.inf, 0)
    for k, x in enumerate(starts, 1):
        if x.n < (LEAST if k == 1 else LEAST_LATER):
            continue
        # The spread of the reference counts too: a window without a single error has none of its own.
        spread = max(x.deviation, reference.deviation)
        half = half_width(x.n, spread, spent(alpha / 2, k), max(reference.n / 4, 10.0 * LEAST))
        best = max(best, (x.mean - half, x.mean + half, k))
    low, high, first = best
    x = starts[first - 1]
    many = len(starts) - first + 1
    since = "so far" if first == 1 else f"of the last {many} windows" if many > 1 else "of the last window"
    told = Estimate(name, x.mean, low, high, confidence, METHOD, n=x.n, note=f"mean {since}")
    words = f"the mean {name} {since} is {x.mean:.4g}, at least {low:.4g} however often one looks"
    word = above_limit(told, limit, margin).word
    reason = {
        ALARM: f"{words}; in the reference it is {reference.mean:.4g}",
        WARN: f"{words}, which is worse, but not shown to exceed the margin",
        OK: f"the mean {name} {since} is {x.mean:.4g}, not shown to be worse",
    }[word]
    return Look(told, reference.mean, limit, word, reason)


# Losses of rows -------------------------------------------------------------------------------------------------------


def losses(kind: str, *, probabilities: bool = True) -> dict[str, Measure]:
    """The measures that are means over rows and lower when better, by what models give; scores have labels too.

    >>> list(losses("scores")), list(losses("scores", probabilities=False))
    (['error_rate', 'brier', 'log_loss'], ['error_rate'])
    """
    shapes = {"scores": ("labels", "scores") if probabilities else ("labels",)}.get(kind, (kind,))
    return {n: m for n, m in catalogue().items() if m.better == "lower" and any(s in m.by_row for s in shapes)}


def row_loss(measure: Measure, y: Array, p: Array, cut: float | None = None) -> Array:
    """The loss of each row: of scores where `cut` tells which of them are positive, of numbers or labels without.

    >>> row_loss(find("error_rate"), np.array([1.0, 0.0]), np.array([0.7, 0.6]), 0.5).tolist()
    [0.0, 1.0]
    """
    if cut is not None and "scores" not in measure.by_row:
        return np.asarray(measure.by_row["labels"](y > 0.5, p >= cut), dtype=np.float64)
    each = (
        measure.by_row["scores"]
        if cut is not None
        else next(measure.by_row[s] for s in ("numbers", "labels") if s in measure.by_row)
    )
    found = np.asarray(each(y, p), dtype=np.float64)
    # What was called impossible and happened is a very large loss, and no infinite one.
    return np.where(np.isfinite(found), found, each(y, np.clip(p, CLIP, 1 - CLIP))) if cut is not None else found


def in_place(given: Sequence[Any] | None, chosen: Sequence[str]) -> list[str]:
    """Words on a mean loss that is followed although another measure was asked for, or would be watched in windows.

    >>> in_place(None, ["mae"]), in_place(["accuracy"], ["error_rate"])[0][:47]
    ([], 'error_rate is followed in place of accuracy: lo')
    """
    usual = {x: other for x in chosen if (other := _usual(find(x))) != x}
    asked = (given,) if isinstance(given, str | tuple) else given
    swapped = [(x, usual[x]) for x in chosen if x in usual and (asked is None or usual[x] in asked)]
    words = "looks at any time need a mean over rows that is lower when better"
    return [f"{x} is followed in place of {other}: {words}." for x, other in swapped]


def _usual(measure: Measure) -> str:
    """What would be watched in windows where a mean loss is followed: the share turned round, or what leads there."""
    other = complement(measure)
    kinds = [kind for kind in EVIDENCE if measure.rank("looks", kind) is not None]
    return other.name if other is not None else leading("watch", kinds[0])[0] if kinds else measure.name


def loss_name(measure: str, kind: str) -> str:
    """The loss whose mean is followed in place of a measure.

    >>> loss_name("accuracy", "labels"), loss_name("brier", "scores")
    ('error_rate', 'brier')
    """
    known = {} if kind == "classes" else losses(kind)
    other = complement(find(measure))
    name = measure if measure in known or other is None else other.name
    if name not in known:
        message = f'"{measure}" is no mean over rows, and only such a mean can be followed look by look.'
        hint = f"Follow {listing(known)}, or use windows." if known else "Use windows."
        raise NotAvailable(message, hint)
    return name
