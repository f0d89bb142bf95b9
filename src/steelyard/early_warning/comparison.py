"""Two or more models that scored the same customers, compared customer by customer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from steelyard.comparisons.simultaneous import at_once
from steelyard.early_warning.quality import METHOD, estimate_quality
from steelyard.early_warning.summary import TimelinessSummary
from steelyard.early_warning.timeliness import NUMBERS, Timeliness
from steelyard.engines.events import Customers
from steelyard.errors import NotAvailable, UnknownMeasure, UsageError, listing, nearest
from steelyard.files.as_json import AsJson
from steelyard.results import Difference, make_frame
from steelyard.tables.tabulation import Cell, Tabulation
from steelyard.verdicts.comparison import CLEAR, UNCLEAR, judged, neither_beats, turned
from steelyard.views.timeliness import IMPROPER
from steelyard.views.told import ToldInSentences
from steelyard.wording import option

STEPS = 40


@dataclass(frozen=True, slots=True)
class TimelinessComparison(AsJson, ToldInSentences):
    """Which model warns earlier: every pair of models by each number, paired by customer."""

    told_too: ClassVar[tuple[str, ...]] = ("sentences",)
    as_text: ClassVar[str] = "timeliness.comparison_text"

    models: Mapping[str, Timeliness]
    differences: Sequence[Difference]
    """Each first − second; of several pairs intervals, p-values and verdicts are for all of them at once within a number."""

    def difference(self, measure: str = "q", first: str = "", second: str = "") -> Difference:
        """The difference of two models by a number; the first two models unless others are named."""
        names = [*self.models]
        one, two = first or names[0], second or next(n for n in names if n != (first or names[0]))
        for name in (one, two):
            if name not in names:
                message = f'There is no model "{name}"; there are {listing(names)}.'
                raise UnknownMeasure(message, nearest(name, names) or "Models go by the names that were given.")
        for d in self.differences:
            if d.measure == measure and {d.first, d.second} == {one, two}:
                return d if d.first == one else turned(d)
        known = list(dict.fromkeys(d.measure for d in self.differences))
        message = f'"{measure}" was not compared; there are {listing(known)}.'
        raise UnknownMeasure(message, nearest(measure, known) or 'For example c.difference("q").')

    def frame(self) -> Any:
        """One row a pair and number."""
        names = ("measure", "first", "second", "value", "low", "high", "p_value", "verdict", "reason")
        return make_frame({n: [getattr(d, n) for d in self.differences] for n in names})

    def table(self) -> Tabulation:
        """Q₀ and Q of every model in one table, the models that need no data below them."""
        names = [*self.models]
        first = self.models[names[0]]
        trivial = {n: first.trivial(n) for n in ("q0", "q")}
        rest = [n for n in trivial["q"] if n != "perfect"]
        columns: dict[str, Sequence[Cell]] = {}
        for n in ("q0", "q"):
            columns[n] = [*(t[n] for t in self.models.values()), *(trivial[n][m] for m in rest)]
        note = f"The base rate is {first.base_rate:.3g}; at random is to say it all the time."
        return Tabulation(
            "quality", "Quality of the models", {"model": [*names, *rest], **columns}, note, first.confidence
        )


def compare_models(models: Mapping[str, Timeliness], measures: Sequence[str] | None = None) -> TimelinessComparison:
    """Compare models by name that scored the same customers, every pair of them.

    >>> from steelyard.early_warning.timeliness import timeliness
    >>> rows = {"unit": [1, 2, 3, 4, 5, 6], "time": [0] * 6, "outcome": [1, 1, 1, 0, 0, 0], "horizon": 10}
    >>> late = timeliness(score=[0.5, 0.6, 0.4, 0.2, 0.1, 0.3], **rows)
    >>> soon = timeliness(score=[0.9, 0.7, 0.9, 0.2, 0.0, 0.3], **rows)
    >>> compare_models({"new": soon, "old": late}).difference("q", "old", "new").verdict
    'no clear difference'
    """
    if len(models) < 2:
        message = "At least two models are needed to compare them, and one came."
        raise UsageError(message, 'For example sy.compare({"old": t1, "new": t2}).')
    valued = all(t.summary.valued for t in models.values())
    named = [measures] if isinstance(measures, str) else measures
    wanted = ["q", *(["value_q"] if valued else [])] if named is None else list(named)
    found: list[Difference] = []
    for measure in wanted:
        pairs = list(combinations(models, 2))
        found += [compare_timeliness(models[a], models[b], measure, (a, b), looks=len(pairs)) for a, b in pairs]
    return TimelinessComparison(dict(models), found)


def compare_timeliness(
    first: Timeliness,
    second: Timeliness,
    measure: str = "q",
    names: tuple[str, str] = ("first", "second"),
    *,
    looks: int = 1,
) -> Difference:
    """Compare two models paired by customer: Q of the first less Q of the second.

    Only what the models differ by on each customer counts, so the difference is known better than either number:
    ΔQ = (b Δḡ₁ − (1 − b) Δḡ₀) / (2b(1 − b)). Interval and p-value are for so many `looks` at once (Bonferroni). Q is linear
    in the scores and so not proper; where even the higher of the two does not beat a model without data, neither is better.

    >>> from steelyard.early_warning.timeliness import timeliness
    >>> rows = {"unit": [1, 2, 3, 4, 5, 6], "time": [0] * 6, "outcome": [1, 1, 1, 0, 0, 0], "horizon": 10}
    >>> late = timeliness(score=[0.5, 0.6, 0.4, 0.2, 0.1, 0.3], **rows)
    >>> soon = timeliness(score=[0.9, 0.7, 0.9, 0.2, 0.0, 0.3], **rows)
    >>> round(float(compare_timeliness(soon, late)), 3)
    0.367
    """
    if measure not in NUMBERS:
        message = f'There is no "{measure}" of timeliness.'
        raise UsageError(message, f"Compare {listing(NUMBERS)}.")
    one, two = _contributions(first), _contributions(second)
    _check_same(first, second, one, two)
    shared = one.value if first.summary.valued and second.summary.valued else None
    summary = TimelinessSummary.of(
        first.summary.weighing, one.outcome, one.scored - two.scored, one.before - two.before, shared
    )
    each = 1 - (1 - first.confidence) / looks
    gap = estimate_quality(summary, measure, first.before, each, totals=(0.0, 0.0), rate=first.known_rate)
    if gap.value is None:
        return Difference(measure, *names, reason=gap.reason, method="none", n=(gap.n, gap.n))
    facts: dict[str, Any] = {"value": gap.value, "confidence": first.confidence, "n": (gap.n, gap.n)}
    facts["values"] = (first[measure].value, second[measure].value)
    facts["note"] = "; ".join(filter(None, (gap.note, IMPROPER)))
    if gap.low is None or gap.high is None:
        return Difference(measure, *names, method="none", verdict=UNCLEAR, **facts)
    method = f"{METHOD}, paired{at_once(looks, 'pairs', 'bonferroni') if looks > 1 else ''}"
    p = min(1.0, looks * _p_value(summary, measure, first))
    found = judged(measure, names, "higher", (gap.low, gap.high), method=method, p_value=p, **facts)
    below = _below(first, second, measure) if found.verdict in CLEAR else ""
    return found.renamed(verdict=below or found.verdict)


def _below(first: Timeliness, second: Timeliness, measure: str) -> str:
    """What is said in place of better or worse where even the higher of two models does not beat one without data."""
    trivial = first.trivial(measure)
    best = max(("always positive", "always negative"), key=lambda name: trivial[name])
    return neither_beats([t[measure].value for t in (first, second)], trivial[best], best)


def _contributions(timeliness: Timeliness) -> Customers:
    if timeliness.events is None:
        message = "A paired comparison needs the customers one by one, and this result has only their sums."
        hint = "Compare the results of the first calls, not sums of results or ones read from a file."
        raise NotAvailable(message, hint)
    return timeliness.events.customers(timeliness.summary.weighing)


def _check_same(first: Timeliness, second: Timeliness, one: Customers, two: Customers) -> None:
    ways = [(t.summary.weighing, t.before, t.known_rate) for t in (first, second)]
    if ways[0] != ways[1]:
        message = (
            "The two models are not measured in the same way: horizon, kernel, period ends, the score before or the base rate "
            "differ."
        )
        raise UsageError(message, "Measure both with the same arguments.")
    if first.time_unit and second.time_unit and first.time_unit != second.time_unit:
        message = f"One model is measured in {first.time_unit}, the other in {second.time_unit}."
        raise UsageError(message, "Measure both in one unit of time.")
    if first.confidence != second.confidence:
        message = "The two models are measured at different confidences."
        raise UsageError(message, "Measure both at the same one.")
    same = len(one.unit) == len(two.unit) and bool(np.all(one.unit == two.unit))
    if not same:
        message = (
            f"The models scored different customers: {len(one.unit):,} and {len(two.unit):,} that are not all the same."
        )
        raise UsageError(message, f"Give both the same customers; {option('outcomes')} takes those without any event.")
    if not np.array_equal(one.outcome, two.outcome):
        message = "Some customers have one outcome with the first model and another with the second."
        raise UsageError(message, "Take the outcomes of both from one table.")


def _p_value(summary: TimelinessSummary, measure: str, timeliness: Timeliness) -> float:
    """The level at which the interval just reaches zero, found by halving on the normal scale."""

    def holds_zero(z: float) -> bool:
        level = 2 * NormalDist().cdf(z) - 1
        x = estimate_quality(summary, measure, timeliness.before, level, totals=(0.0, 0.0), rate=timeliness.known_rate)
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
