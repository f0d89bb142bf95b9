"""How the moments of a period are weighed, from the arguments of a call."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.arguments.allowed import Span, taken
from steelyard.engines.weighing import EXACT, PERIOD_ENDS, Weighing
from steelyard.errors import UsageError
from steelyard.wording import option

KERNELS = ("declining", "uniform")


def make_weighing(horizon: object, kernel: str, estimator: str, ends: Sequence[float] | None) -> Weighing:
    """A weighing from the arguments of a call; what cannot be meant is refused."""
    unit = "Give it in the unit of the times: 31 for a month counted in days."
    length = float(taken("The horizon, the length of the period,", horizon, Span(0, above=True), unit))
    if kernel not in KERNELS:
        message = f'There is no kernel "{kernel}"; there are "declining" and "uniform".'
        raise UsageError(message, 'With "declining" early warnings count more, with "uniform" every moment the same.')
    if estimator not in {EXACT, PERIOD_ENDS}:
        message = f'There is no estimator "{estimator}"; there are "{EXACT}" and "{PERIOD_ENDS}".'
        raise UsageError(message, f'"{EXACT}" integrates the scores as they were in force.')
    if estimator == EXACT:
        if ends is not None:
            message = "Period ends were given, but the exact integral has no use for them."
            raise UsageError(message, f"Leave out {option('ends')}, or ask for {option('estimator', PERIOD_ENDS)}.")
        return Weighing(length, kernel)
    found = tuple(float(t) for t in ends or ())
    rising = all(a < b for a, b in zip((0.0, *found), found, strict=False))
    if not found or not rising or found[-1] != length:
        message = "The period ends must rise from above 0 to the horizon, which is the last of them."
        raise UsageError(message, f"For example {option('ends', [length / 2, length])}.")
    return Weighing(length, kernel, found)
