"""Since when a signal that fires has been another: the window of the most likely step, and those between which it lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from steelyard.files.as_json import AsJson
from steelyard.monitors.running import PREFIX
from steelyard.monitors.signals import Signal
from steelyard.results import Array
from steelyard.verdicts.alarm import UNJUDGED

WITHIN = -2 * math.log(1 - math.sqrt(0.95))
"""By so much the likelihood of the true step (twice its logarithm) is exceeded by the best one in 5 % of streams at most."""


@dataclass(frozen=True, slots=True)
class ChangePoint(AsJson):
    """From which window on a signal has most likely been another, and the first and the last that it may be at 95 %."""

    window: str
    first: str
    last: str

    @property
    def when(self) -> str:
        """In words."""
        if self.first == self.last:
            return f"with {self.window}"
        return f"with {self.window} most likely, and between {self.first} and {self.last} at 95%"

    @property
    def text(self) -> str:
        """In a sentence."""
        return f"It began {self.when}."


def change_point(series: Sequence[Signal], names: Sequence[str], fired: str) -> ChangePoint | None:
    """The step in the values of a signal that fired in a window; None where its values have no intervals to weigh them by.

    Told of differences from the reference: before a step at k their mean is that of the reference, 0, and of the windows before k,
    from k on that of the others, each weighed by 1 / (its standard error)². What a step explains is

    G(k) = W₀ W₁ / (W₀ + W₁) (m₀ − m₁)²

    and the best k is not after the window that fired. All steps with G(k) ≥ max G − 7.35 c belong to the interval, c the squared
    distance of the windows from their means, per window, where that is more than 1: windows that wobble tell less. To either
    side of the true step the sum is a random walk that rises above x with a chance of at most exp(−x / 2), (1 − e^(−x/2))² = 0.95
    for both.

    Siegmund, Confidence sets in change-point problems, International Statistical Review 56 (1988).
    """
    held = [i for i, s in enumerate(series) if _usable(s)]
    if not held or series[held[0]].name.startswith(PREFIX) or fired not in names:
        return None
    some = [series[i] for i in held]
    x, error = np.array([_value(s) for s in some]), np.array([_error(s) for s in some])
    error = np.maximum(error, 1e-9 + 1e-3 * float(np.median(error)))
    weight = 1 / error**2
    # The reference stands in front of all windows, as one that is surely from before.
    w, v = np.r_[_reference_weight(some, error), weight], np.r_[0.0, x]
    sums, moments = w.cumsum()[:-1], (w * v).cumsum()[:-1]
    after, rest = w.sum() - sums, (w * v).sum() - moments
    gain = sums * after / (sums + after) * (moments / sums - rest / after) ** 2
    most = sum(i <= names.index(fired) for i in held)
    if not most:
        return None
    best = int(gain[:most].argmax())
    means = np.where(np.arange(len(x)) < best, moments[best] / sums[best], rest[best] / after[best])
    spread = max(1.0, float((weight * (x - means) ** 2).sum()) / max(len(x) - 2, 1))
    near = np.flatnonzero(gain[:most] >= gain[best] - WITHIN * spread)
    return ChangePoint(*(names[held[int(k)]] for k in (best, near[0], near[-1])))


def _usable(signal: Signal) -> bool:
    if (
        signal.state in UNJUDGED
        or signal.estimated
        or signal.value is None
        or signal.value.value is None
        or signal.reference is None
    ):
        return False
    return signal.value.low is not None and signal.value.high is not None and signal.value.high > signal.value.low


def _value(signal: Signal) -> float:
    """How far from the reference, which may be one of its weekday."""
    assert signal.value is not None
    assert signal.value.value is not None
    assert signal.reference is not None
    return signal.value.value - signal.reference


def _error(signal: Signal) -> float:
    assert signal.value is not None
    assert signal.value.low is not None
    assert signal.value.high is not None
    return (signal.value.high - signal.value.low) / (2 * NormalDist().inv_cdf(0.5 + signal.value.confidence / 2))


def _reference_weight(some: Sequence[Signal], error: Array) -> float:
    """What the reference weighs: what is left of the error of differences, without that of the windows."""
    left = []
    for s, own in zip(some, error.tolist(), strict=True):
        d = s.difference
        if d is not None and d.low is not None and d.high is not None:
            both = (d.high - d.low) / (2 * NormalDist().inv_cdf(0.5 + d.confidence / 2))
            left.append(both**2 - own**2)
    rest = float(np.median(left)) if left else 0.0
    return 1 / rest if rest > 0 else 1e6 * float((1 / error**2).sum())
