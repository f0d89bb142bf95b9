"""Limits of one area from which those of a difference of two are put together.

An interval of one area allows for rows of a kind not yet seen (`areas.py`). Two areas that are compared would meet such rows
alike, so here each has the limits of a score test: at 100 positives and areas of 0.995 and 0.98 they find the difference in 92% of
samples on the same rows, where the wider ones find it in 9%, and leave out no difference in 1% to 6% (`docs/studies/edges.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

from steelyard.intervals.areas import placed, told
from steelyard.intervals.method import Question
from steelyard.intervals.placements import partial_values
from steelyard.intervals.proportions import wilson
from steelyard.results import Interval

NORMAL = NormalDist()
PRIOR_ROWS = 8.0
STEPS = 50
SCORE = "score limits with DeLong's variance"
SHARES = "Wilson with the rows that DeLong's variance implies"


def score_limits(
    value: float, from_positives: float, from_negatives: float, positives: float, negatives: float, confidence: float
) -> tuple[float, float]:
    """The areas θ that the one found does not speak against, their spread taken at θ and not where it was found.

    (θ − A)² = z² V(θ), V(θ) = g(θ) (κ⁺ / P + κ⁻ / N) + θ (1 − θ) / (P N), g(θ) = θ (1 − θ) ((1 − θ) / (2 − θ) + θ / (1 + θ)) / 2
    after Hanley and McNeil. κ is DeLong's variance over g(A), drawn towards one as eight rows more would, so that few
    positives that happen to be ranked well do not make an interval short.

    >>> [round(x, 3) for x in score_limits(1.0, 0.0, 0.0, 30, 100, 0.95)]
    [0.957, 1.0]

    Newcombe, Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2, Statistics in
    Medicine 25 (2006), method 5.
    """
    p, n, z = positives, negatives, NORMAL.inv_cdf(0.5 + confidence / 2)
    here = _placement_variance(value)
    ratio = [
        (size * size * v / here + PRIOR_ROWS) / (size + PRIOR_ROWS) if here > 0 else 1.0
        for size, v in ((p, from_positives), (n, from_negatives))
    ]
    scale = ratio[0] / p + ratio[1] / n

    def outside(theta: float) -> bool:
        return (theta - value) ** 2 > z * z * (_placement_variance(theta) * scale + theta * (1 - theta) / (p * n))

    ends = []
    for end in (0.0, 1.0):
        near, far = value, end
        if outside(end):
            for _ in range(STEPS):
                middle = (near + far) / 2
                near, far = (near, middle) if outside(middle) else (middle, far)
        ends.append(far)
    return ends[0], ends[1]


def _placement_variance(theta: float) -> float:
    return theta * (1 - theta) * ((1 - theta) / (2 - theta) + theta / (1 + theta)) / 2


def partial_limits(
    value: float, from_positives: float, from_negatives: float, positives: float, negatives: float, confidence: float
) -> tuple[float, float]:
    """The same for a partial area as a share of the greatest possible one, which has no variance of its own kind.

    Wilson's interval of A with n rows, A (1 − A) / n = κ⁺ A (1 − A) / P + v⁻; κ⁺ = P v⁺ / (A (1 − A)), the spread of positives
    beside that of a share, is drawn towards one half as eight rows more would.

    >>> [round(x, 3) for x in partial_limits(0.5, 0.004, 0.001, 30, 100, 0.95)]
    [0.366, 0.634]
    """
    z = NORMAL.inv_cdf(0.5 + confidence / 2)
    share = value * (1 - value)
    if share <= 0:
        low, high = wilson(value * positives, positives, z)
        return float(low), float(high)
    ratio = (positives * positives * from_positives / share + PRIOR_ROWS / 2) / (positives + PRIOR_ROWS)
    rows = share / (share * ratio / positives + from_negatives)
    low, high = wilson(value * rows, rows, z)
    return float(low), float(high)


def compared(question: Question) -> Callable[[float], Interval]:
    """The interval of one area at any confidence, for a difference; placements are counted once."""
    known = placed(question)
    if isinstance(known, Interval):
        return lambda _: known
    value, found, units = known
    if question.measure.area is None and not units:
        # A difference has limits of its own kind, and takes the placements as they are.
        found = partial_values(question.summary, float(question.options.get("fpr", 0.1)))
    variances = [side.variance / max(side.rows - 1, 1.0) for side in found]
    partial = question.measure.area is None
    solve, name = (partial_limits, SHARES) if partial else (score_limits, SCORE)

    def at(confidence: float) -> Interval:
        low, high = solve(value, variances[0], variances[1], found[0].rows, found[1].rows, confidence)
        low, high = told(question, min(low, value)), told(question, max(high, value))
        return Interval(low, high, f"{name}{units}")

    return at
