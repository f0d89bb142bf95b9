"""Two models that scored the same customers, compared customer by customer."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from steelyard.early_warning.events import Customers
from steelyard.early_warning.quality import METHOD, estimate_quality
from steelyard.early_warning.summary import TimelinessSummary
from steelyard.early_warning.timeliness import NUMBERS, Timeliness
from steelyard.errors import NotAvailable, UsageError
from steelyard.results import Difference
from steelyard.views.sentences import BETTER, UNCLEAR, WORSE

STEPS = 40


def compare_timeliness(
    first: Timeliness, second: Timeliness, measure: str = "q", names: tuple[str, str] = ("first", "second")
) -> Difference:
    """Compare two models paired by customer: Q of the first less Q of the second.

    Only what the models differ by on each customer counts, so the difference is known better than either number:
    ΔQ = (b Δḡ₁ − (1 − b) Δḡ₀) / (2b(1 − b)).

    >>> from steelyard.early_warning.timeliness import timeliness
    >>> rows = {"unit": [1, 2, 3, 4, 5, 6], "time": [0] * 6, "outcome": [1, 1, 1, 0, 0, 0], "horizon": 10}
    >>> late = timeliness(score=[0.5, 0.6, 0.4, 0.2, 0.1, 0.3], **rows)
    >>> soon = timeliness(score=[0.9, 0.7, 0.9, 0.2, 0.0, 0.3], **rows)
    >>> round(float(compare_timeliness(soon, late)), 3)
    0.367
    """
    if measure not in NUMBERS:
        message = f'There is no "{measure}" of timeliness.'
        raise UsageError(message, 'Compare "q", "q0" or "value_q".')
    one, two = _contributions(first), _contributions(second)
    _check_same(first, second, one, two)
    shared = one.value if first.summary.valued and second.summary.valued else None
    summary = TimelinessSummary.of(
        first.summary.weighing, one.outcome, one.scored - two.scored, one.before - two.before, shared
    )
    gap = estimate_quality(summary, measure, first.before, first.confidence, totals=(0.0, 0.0))
    if gap.value is None:
        return Difference(measure, *names, reason=gap.reason, method="none", n=(gap.n, gap.n))
    verdict, p = UNCLEAR, None
    if gap.low is not None and gap.high is not None:
        verdict = BETTER if gap.low > 0 else WORSE if gap.high < 0 else UNCLEAR
        p = _p_value(summary, measure, first)
    return Difference(
        measure,
        *names,
        gap.value,
        gap.low,
        gap.high,
        first.confidence,
        f"{METHOD}, paired" if gap.low is not None else "none",
        p,
        verdict=verdict,
        values=(first[measure].value, second[measure].value),
        n=(gap.n, gap.n),
        note=gap.note,
    )


def _contributions(t: Timeliness) -> Customers:
    if t.events is None:
        message = "A paired comparison needs the customers one by one, and this result has only their sums."
        raise NotAvailable(
            message, "Compare the results of the first calls, not sums of results or ones read from a file."
        )
    return t.events.customers(t.summary.weighing)


def _check_same(first: Timeliness, second: Timeliness, one: Customers, two: Customers) -> None:
    if first.summary.weighing != second.summary.weighing or first.before != second.before:
        message = (
            "The two models are not measured in the same way: horizon, kernel, period ends or the score before differ."
        )
        raise UsageError(message, "Measure both with the same arguments.")
    if first.confidence != second.confidence:
        message = "The two models are measured at different confidences."
        raise UsageError(message, "Measure both at the same one.")
    same = len(one.unit) == len(two.unit) and bool(np.all(one.unit == two.unit))
    if not same:
        message = (
            f"The models scored different customers: {len(one.unit):,} and {len(two.unit):,} that are not all the same."
        )
        raise UsageError(message, "Give both the same customers; outcomes= takes those without any event.")
    if not np.array_equal(one.outcome, two.outcome):
        message = "Some customers have one outcome with the first model and another with the second."
        raise UsageError(message, "Take the outcomes of both from one table.")


def _p_value(summary: TimelinessSummary, measure: str, t: Timeliness) -> float | None:
    """The level at which the interval just reaches zero, found by halving on the normal scale."""

    def holds_zero(z: float) -> bool:
        x = estimate_quality(summary, measure, t.before, 2 * NormalDist().cdf(z) - 1, totals=(0.0, 0.0))
        assert x.low is not None
        assert x.high is not None
        return x.low <= 0 <= x.high

    low, high = 1e-6, 7.0
    if holds_zero(low):
        return 1.0
    if not holds_zero(high):
        return 2 * (1 - NormalDist().cdf(high))
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds_zero(middle) else (middle, high)
    return 2 * (1 - NormalDist().cdf(high))
