"""The difference of two evaluations on different rows, from their summaries alone.

Zou and Donner's method of variance estimates recovery (MOVER) puts the interval of a difference together from the
intervals of its two numbers, so every measure that has an interval has one of a difference as well. On Wilson's
intervals of two shares it is Newcombe's. For areas under the ROC curve it was chosen over DeLong's variances added on
the plain scale: at a nominal 95%, over 72 settings of 200 to 2,000 rows, 5% to 50% positives and areas of 0.6 to 0.99,
it covers in 90.5% to 96.4%, the sum of variances in 86.8% to 99.9%.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from steelyard.arguments.allowed import Words, confidence_of, taken
from steelyard.asking.estimates import estimate
from steelyard.asking.money import payoff_of
from steelyard.asking.questions import ask
from steelyard.comparisons.enough import short_of
from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.intervals.area_differences import compared
from steelyard.intervals.bootstrap import REPLICATES
from steelyard.intervals.method import Question, interval
from steelyard.measures.measure import Measure, find
from steelyard.results import Difference, Estimate, Interval, Level, Share
from steelyard.verdicts.comparison import TOO_FEW, judged, verdict_word
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

NORMAL = NormalDist()
LEAST_P = 1e-12
"""Smaller p-values are not told: the tails of no method here are known so far out."""
STEPS = 60
NEAR = 1e-6
TOTALS = {"sse": "mse"}
"""Sums that grow with the rows, and the means to compare instead."""

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Pair:
    """The same question to two evaluations."""

    first: Question
    second: Question
    own: tuple[Callable[[float], Interval], ...]
    """The interval of each at any confidence."""

    @classmethod
    def of(cls, first: Question, second: Question) -> _Pair:
        """With the limits that a difference needs, of areas those of a score test."""
        return cls(first, second, tuple(_limits(q) for q in (first, second)))

    @property
    def value(self) -> float:
        return self.first.value - self.second.value

    def at(self, confidence: float) -> tuple[Interval, Interval]:
        """Both intervals at a confidence."""
        a, b = (own(confidence) for own in self.own)
        return a, b

    def limits(self, confidence: float) -> Ends | None:
        """The interval of the difference at a confidence; None where one of the two has none."""
        return mover(self.first.value, self.second.value, *self.at(confidence))


def _limits(question: Question) -> Callable[[float], Interval]:
    if question.measure.interval == "area" and not question.parts and math.isfinite(question.value):
        return compared(question)
    return lambda confidence: interval(replace(question, confidence=confidence))


def limits_to_compare(evaluation: Evaluation, measure: str, level: Level = None, confidence: float = 0.95) -> Interval:
    """The interval of one number from which that of a difference is put together; of areas that of a score test."""
    m = find(measure)
    return _limits(_question(m, evaluation, level, options_of(m, evaluation, evaluation, {}), confidence, measure))(
        confidence
    )


def mover(a: float, b: float, first: Interval, second: Interval) -> Ends | None:
    """Ends of the interval of a − b from those of a and of b: distances squared and added.

    low = d − √((a − low_a)² + (high_b − b)²), high = d + √((high_a − a)² + (b − low_b)²)

    >>> low, high = mover(0.8, 0.7, Interval(0.71, 0.87, "Wilson"), Interval(0.60, 0.78, "Wilson"))
    >>> round(low, 3), round(high, 3)
    (-0.02, 0.222)

    Zou and Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27 (2008).
    """
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return None
    d = a - b
    return d - math.hypot(a - first.low, second.high - b), d + math.hypot(first.high - a, b - second.low)


def difference(
    one: Evaluation,
    other: Evaluation,
    measure: str,
    *,
    level: Level = None,
    confidence: float = 0.95,
    names: tuple[str, str] = ("first", "second"),
    method: str = "usual",
    **options: Any,
) -> Difference:
    """How much the first evaluation's number exceeds the second's, the two having been made on different rows.

    Profit and cost are compared per case, since totals grow with the rows. The p-value is one less the highest
    confidence at which the interval of the difference leaves out zero. `method="normal"` adds the variances of two shares.

    >>> from steelyard import evaluate
    >>> e = evaluate(target=["a"] * 240 + ["b"] * 60, prediction=["a"] * 300, positive="a")
    >>> f = evaluate(target=["a"] * 210 + ["b"] * 90, prediction=["a"] * 300, positive="a")
    >>> d = difference(e, f, "accuracy")
    >>> print(d, d.verdict, round(d.p_value, 3))
    0.100 [0.031, 0.168] better 0.005
    """
    confidence = confidence_of(confidence)
    m = find(measure)
    check_alike(one, other, names)
    chosen = options_of(m, one, other, options)
    pair = _Pair.of(
        _question(m, one, level, chosen, confidence, names[0]), _question(m, other, level, chosen, confidence, names[1])
    )
    first, second = (estimate(q, level=level, segment=None, options=chosen) for q in (pair.first, pair.second))
    if method != "usual":
        return _normal(m, pair, (first, second), confidence, names, method)
    few = next((x for x in (short_of(one, m, level), short_of(other, m, level)) if x[0]), ("", ""))
    return _difference_of(m, pair, first, second, names, few=few)


def _normal(
    measure: Measure,
    pair: _Pair,
    found: tuple[Estimate, Estimate],
    confidence: float,
    names: tuple[str, str],
    method: str,
) -> Difference:
    """The difference of two shares as textbooks print it, beside Newcombe's."""
    from steelyard.comparisons.shares import normal_interval

    taken("The method", method, Words("usual", "normal"), "Leave it out for Newcombe's interval.")
    first, second = found
    if not all(isinstance(q.reading, Share) for q in (pair.first, pair.second)):
        message = f'The normal interval is one of shares, and "{measure.name}" is none.'
        raise NotAvailable(message, f"Leave {option('method')} out.")
    if first.value is None or second.value is None:
        return Difference(
            measure.name, *names, reason=first.reason or second.reason, method="none", confidence=confidence
        )
    sizes = [x.n_eff or x.n for x in found]
    facts: dict[str, Any] = {"measure": measure.name, "better": measure.better, "names": names}
    return normal_interval(first.value, sizes[0], second.value, sizes[1], confidence, **facts)


def _difference_of(
    measure: Measure, pair: _Pair, first: Estimate, second: Estimate, names: tuple[str, str], *, few: tuple[str, str]
) -> Difference:
    facts: dict[str, Any] = {"values": (first.value, second.value), "n": (first.n, second.n)}
    facts |= {"confidence": first.confidence, "level": first.level, "options": first.options}
    nothing = TOO_FEW if measure.better else ""
    for name, x in zip(names, (first, second), strict=True):
        if x.value is None:
            return Difference(measure.name, *names, reason=f"{name}: {x.reason}", verdict=nothing, **facts)
    if measure.name in TOTALS and first.n != second.n:
        message = f'"{measure.name}" is a sum over the rows, and the rows differ: {first.n:g} and {second.n:g}.'
        raise NotAvailable(message, f"Compare {TOTALS[measure.name]} instead.")
    value = pair.value
    a, b = pair.at(first.confidence)
    ends = mover(pair.first.value, pair.second.value, a, b)
    facts |= {"value": value, "bound": first.bound + second.bound}
    if ends is None:
        why = next(x.note for x in (a, b) if x.low is None or x.high is None)
        return Difference(measure.name, *names, method="none", note=why, verdict=nothing, **facts)
    p, note = p_value(value, pair.limits, first.confidence, _least(a, b))
    off = facts["bound"]
    word = verdict_word((ends[0] - off, ends[1] + off), measure.better, few=bool(few[0]))
    why, caution = few if word == TOO_FEW else ("", "")
    facts |= {"method": _name(pair, a.method, b.method), "p_value": p, "statistic": signed_z(p, value), "verdict": word}
    facts |= {"note": "; ".join(filter(None, (why, note))), "caution": caution or first.caution or second.caution}
    return judged(measure.name, names, measure.better, ends, **facts)


def _name(pair: _Pair, first: str, second: str) -> str:
    shares = isinstance(pair.first.reading, Share) and isinstance(pair.second.reading, Share)
    if shares and first.startswith("Wilson") and second.startswith("Wilson"):
        return f"Newcombe ({first})" if first == second else f"Newcombe ({first}; {second})"
    return f"MOVER ({first})" if first == second else f"MOVER ({first}; {second})"


# The question ---------------------------------------------------------------------------------------------------------


def _question(
    measure: Measure, evaluation: Evaluation, level: Level, options: Mapping[str, Any], confidence: float, name: str
) -> Question:
    try:
        return ask(measure, evaluation.summaries, level, options, confidence, evaluation.positive)
    except NotAvailable as problem:
        message = f"The {name} evaluation cannot answer this: {problem.message.marked}"
        hint = 'Name one: level="macro", for example.' if 'e["' in problem.hint and level is None else problem.hint
        raise NotAvailable(message, hint) from None


def options_of(measure: Measure, one: Evaluation, other: Evaluation, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a comparison: what outcomes are worth is the same for both, and told per case."""
    chosen = measure.with_defaults(given)
    if "payoff" not in chosen:
        return chosen
    known = [x.payoff for x in (one, other) if x.payoff is not None]
    if chosen["payoff"] is None and len(known) == 2 and known[0] != known[1]:
        message = "Outcomes are worth something else in one evaluation than in the other."
        raise UsageError(message, "Evaluate both with the same profit or cost.")
    payoff = payoff_of(one if one.payoff is not None else other, chosen["payoff"], measure.name)
    for x in (one, other):
        x.check_payoff(payoff)
    return chosen | {"payoff": payoff, "per": given.get("per", "case")}


def check_alike(one: Evaluation, other: Evaluation, names: tuple[str, str] = ("first", "second")) -> None:
    """Refuse evaluations of different kinds of target, positive levels or levels."""
    first, second = (f"the {name} evaluation" for name in names)
    numbers = [x.residuals is not None for x in (one, other)]
    if numbers[0] != numbers[1]:
        here, there = ("numbers" if n else "levels" for n in numbers)
        message = f"They are of different kinds: {first} is about {here}, {second} about {there}."
        raise UsageError(message, "Compare evaluations of the same target.")
    if set(one.levels) != set(other.levels):
        message = f"The levels differ: {listing(one.levels)} in {first}, {listing(other.levels)} in {second}."
        hint = f"Compare evaluations of the same target; levels that one file lacks can be declared: {option('levels', [...])}."
        raise UsageError(message, hint)
    if one.positive != other.positive:
        here, there = ("none" if x.positive is None else listing([x.positive]) for x in (one, other))
        message = f"The positive level differs: {here} in {first}, {there} in {second}."
        raise UsageError(message, "Evaluate both with the same positive level.")


# The p-value ----------------------------------------------------------------------------------------------------------


def _least(first: Interval, second: Interval) -> float:
    """The smallest p-value that both methods can tell: so many resampled tables reach only so far."""
    return 2 / REPLICATES if any("replicates" in x.method for x in (first, second)) else LEAST_P


def signed_z(p: float, value: float) -> float:
    """How many standard errors a normal number with this p-value lies from nothing, with the sign of the value."""
    return math.copysign(-NORMAL.inv_cdf(p / 2), value) if p < 1 else 0.0


def p_value(
    value: float, limits: Callable[[float], Ends | None], confidence: float, least: float = LEAST_P
) -> tuple[float, str]:
    """One less the confidence at which the interval just reaches zero, and a word where it is only known to be smaller.

    Found between normal quantiles by bisection, starting from the interval in hand, so that p < 1 − confidence exactly
    where that interval leaves out zero.

    >>> p, _ = p_value(1.96, lambda c: (1.96 - NORMAL.inv_cdf(0.5 + c / 2), 9.0), 0.95)
    >>> round(p, 3)
    0.05
    """

    def apart(z: float) -> float:
        """How far the near end is from zero, on the side of the value."""
        ends = limits(2 * NORMAL.cdf(z) - 1)
        if ends is None:
            # So far out that the interval has no end any more.
            return -math.inf
        return ends[0] if value > 0 else -ends[1]

    if value == 0:
        return 1.0, ""
    known, furthest = NORMAL.inv_cdf(0.5 + confidence / 2), -NORMAL.inv_cdf(least / 2)
    if apart(known) > 0:
        low, high = known, known
        while apart(high) > 0:
            if high >= furthest:
                return least, f"p is at most {least:g}"
            low, high = high, min(high * 1.5, furthest)
    else:
        low, high = 0.0, known
    for _ in range(STEPS):
        middle = (low + high) / 2
        if apart(middle) > 0:
            low = middle
        else:
            high = middle
        if high - low < NEAR:
            break
    return (2 * NORMAL.cdf(-high) if low > 0 else 1.0), ""
