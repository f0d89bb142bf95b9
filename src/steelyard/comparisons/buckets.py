"""Two evaluations of the same rows, counted with units: the paired difference from their summaries alone.

A unit falls into the same bucket in both evaluations, so leaving out one bucket at a time from both shows how the two numbers
move together, though no row is at hand any more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.arguments.allowed import confidence_of
from steelyard.asking.estimates import estimate
from steelyard.asking.questions import ask
from steelyard.comparisons.independent import check_alike, options_of, p_value, signed_z
from steelyard.comparisons.influence import carried_by, kish
from steelyard.comparisons.labels import joined, no_difference
from steelyard.comparisons.row_means import ONE_UNIT
from steelyard.errors import NotAvailable
from steelyard.intervals.by_unit import FEWEST
from steelyard.intervals.method import Question, around, choose, clipped, interval
from steelyard.intervals.proportions import wilson
from steelyard.intervals.within_folds import ranks
from steelyard.measures.measure import Measure, find
from steelyard.measures.money import priced
from steelyard.payoffs.kinds import sign_of
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array, Difference, Interval, Level, Share, divide
from steelyard.summaries.amounts import Product
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.within_folds import WithinFolds
from steelyard.verdicts.comparison import judged, verdict_word
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

ALIKE = "leaving out any bucket of units changes both alike"


def bucket_difference(
    one: Evaluation,
    other: Evaluation,
    measure: str,
    level: Level = None,
    confidence: float = 0.95,
    *,
    names: tuple[str, str] = ("first", "second"),
    **options: Any,
) -> Difference:
    """How much the first evaluation's number exceeds the second's, both having been counted on the same units.

    The jackknife over B buckets: s² = (B − 1) / B Σ (d_b − d̄)² with d_b the difference without bucket b. The interval is
    put together from the two numbers' own with their correlation r over buckets (MOVER), so it keeps inside what is
    possible, or is d ± t s where one of them has none; t has as many degrees of freedom as buckets that matter. Profit and
    cost are per case.

    >>> from steelyard import evaluate
    >>> y = [1, 1, 1, 0, 0, 0, 0, 1] * 30
    >>> one, two = [0.9, 0.8, 0.4, 0.5, 0.2, 0.1, 0.3, 0.6] * 30, [0.9, 0.7, 0.3, 0.5, 0.6, 0.1, 0.3, 0.4] * 30
    >>> e, f = (evaluate(target=y, score=s, unit=list(range(240))) for s in (one, two))
    >>> d = bucket_difference(e, f, "brier")
    >>> print(d, d.verdict)
    −0.088 [−0.103, −0.074] better

    Efron and Tibshirani, An Introduction to the Bootstrap, chapter 11 (1993); Zou, Psychological Methods 12 (2007).
    """
    confidence = confidence_of(confidence)
    m = find(measure)
    check_alike(one, other, names)
    chosen = options_of(m, one, other, options)
    if ranks(m) and any(WithinFolds.kind in x.evidence for x in (one, other)):
        why = (
            "sums of folds rank rows within each fold and keep no table of that by unit; compare the experiment itself"
        )
        return Difference(m.name, *names, reason=why, confidence=confidence, level=level)
    questions = [ask(m, x.summaries, level, chosen, confidence, x.positive) for x in (one, other)]
    first, second = _aligned(questions[0], questions[1], names)
    found = [estimate(q, level=level, segment=None, options=chosen) for q in (first, second)]
    facts: dict[str, Any] = {
        "confidence": confidence,
        "values": (found[0].value, found[1].value),
        "n": (found[0].n, found[1].n),
        "level": level,
        "options": found[0].options,
    }
    for name, x in zip(names, found, strict=True):
        if x.value is None:
            return Difference(m.name, *names, reason=f"{name}: {x.reason}", **facts)
    value = first.value - second.value
    facts |= {"value": value, "bound": found[0].bound + found[1].bound}
    left = [_left(q, chosen) for q in (first, second)]
    why = next((x for x in left if isinstance(x, str)), "")
    if why or m.interval.startswith("none"):
        return Difference(m.name, *names, method="none", note=why or m.interval.partition(": ")[2], **facts)
    a, b = (np.asarray(x) for x in left)
    return _jackknifed(m, (first, second), a, b, names, facts)


def _jackknifed(
    measure: Measure, pair: tuple[Question, Question], a: Array, b: Array, names: tuple[str, str], facts: dict[str, Any]
) -> Difference:
    buckets, value = len(a), facts["value"]
    error, r = spread(a, b)
    name = f"paired jackknife over {buckets:,} buckets of units"
    if error == 0 and value == 0:
        return no_difference(measure.name, names, measure.better, name, note=ALIKE, **facts)

    # Few large buckets, or few that matter, make the spread known less well than all of them would.
    rests = min(kish(pair[0].summary.bucket_sizes()), carried_by((a - b - (a - b).mean()) ** 2), buckets)
    # Percentiles of resampled tables reach only so far, and lie about a centre of their own.
    plain = any("replicates" in interval(q).method for q in pair)

    def limits(confidence: float) -> tuple[float, float] | None:
        asked = [replace(q, confidence=confidence) for q in pair]
        wider = asked[0].t(max(rests - 1, 1.0)) / asked[0].t(buckets - 1)
        first, second = (_own(q, left) for q, left in zip(asked, (a, b), strict=True))
        if plain or first.low is None or first.high is None or second.low is None or second.high is None:
            half = wider * asked[0].t(buckets - 1) * error
            return value - half, value + half
        low = joined(pair[0].value - first.low, second.high - pair[1].value, r)
        high = joined(first.high - pair[0].value, pair[1].value - second.low, r)
        return value - wider * low, value + wider * high

    ends = limits(facts["confidence"])
    assert ends is not None
    p, note = p_value(value, limits, facts["confidence"])
    facts["verdict"] = verdict_word((ends[0] - facts["bound"], ends[1] + facts["bound"]), measure.better)
    facts["method"] = f"Student's t, {name}" if plain else f"MOVER, {name}"
    facts |= {"p_value": p, "statistic": signed_z(p, value), "note": note}
    return judged(measure.name, names, measure.better, ends, **facts)


def _own(question: Question, left: Array) -> Interval:
    """The interval of one number by unit, from what is left without each bucket: as `interval` has it, but known already."""
    error = math.sqrt((len(left) - 1) / len(left) * float(((left - left.mean()) ** 2).sum()))
    if choose(question) != "units" or error == 0:
        return interval(question)
    quantile = question.t(len(left) - 1)
    if isinstance(question.reading, Share):
        n = question.value * (1 - question.value) / error**2
        low, high = wilson(question.value * n, n, quantile)
        return clipped(question, float(low), float(high), question.value, "")
    return around(question, question.value, error, quantile, "")


def spread(a: Array, b: Array) -> tuple[float, float]:
    """The jackknife's standard error of a difference and the correlation of its two numbers, from values left out.

    >>> error, r = spread(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    >>> round(error, 4), round(r, 4)
    (1.1547, 1.0)
    """
    x, y = a - a.mean(), b - b.mean()
    factor = (len(a) - 1) / len(a)
    error = math.sqrt(factor * float(((x - y) ** 2).sum()))
    size = math.sqrt(float((x**2).sum()) * float((y**2).sum()))
    return error, min(max(float((x * y).sum()) / size, -1.0), 1.0) if size > 0 else 0.0


# The same units -------------------------------------------------------------------------------------------------------


def _aligned(first: Question, second: Question, names: tuple[str, str]) -> tuple[Question, Question]:
    """Both questions over the same buckets; refused where there are none, or where they hold other rows."""
    units = [q.summary.units for q in (first, second)]
    for name, u in zip(names, units, strict=True):
        if u is None:
            message = (
                f"The {name} evaluation was counted without units, so it does not tell which rows belong together."
            )
            raise NotAvailable(message, f"Evaluate both with {option('unit', ...)}, or compare the rows themselves.")
    a, b = units
    assert a is not None
    assert b is not None
    if a.bits != b.bits:
        bits = min(a.bits, b.bits)
        first, second = (replace(q, summary=q.summary.joined(bits)) for q in (first, second))
        return _aligned(first, second, names)
    here, there = (q.summary.by_bucket() for q in (first, second))
    same = np.array_equal(a.ids, b.ids) and here.shape == there.shape
    if not same or not np.allclose(here, there, rtol=1e-9, atol=1e-9):
        message = (
            "The two evaluations hold different rows: their units, or the rows and targets of a unit, are not the same."
        )
        raise NotAvailable(message, "Evaluate both models on the same table, or compare them as independent.")
    return first, second


def _left(question: Question, options: Mapping[str, Any]) -> Array | str:
    """The number without each bucket in turn, or why there is none."""
    summary = question.summary
    if "payoff" in options and summary.amounts is not None:
        values = _worth(summary, options["payoff"], question.measure.name, options["per"])
    elif question.parts:
        # A mean over classes: each class is left out by itself, and the means are taken afterwards.
        inner = [(weight, _left(part, options)) for weight, part in question.parts]
        lost = next((x for _, x in inner if isinstance(x, str)), "")
        if lost:
            return lost
        values = np.sum([weight * np.asarray(x) for weight, x in inner], axis=0)
    else:
        _, copies, _ = summary.left_out()
        values = np.asarray(question.read(copies).value, dtype=np.float64)
    count = 0 if summary.units is None else len(summary.units.ids)
    if count < FEWEST:
        return ONE_UNIT if count == 1 else f"fewer than {FEWEST} units"
    if values.ndim == 0:
        return "the summary keeps no table by unit for this measure"
    if not np.isfinite(values).all():
        return "leaving out one bucket of units makes it undefined"
    return values


def _worth(confusion: Confusion, payoff: Payoff, kind: str, per: str) -> Array:
    """Profit or cost without each bucket, rows having amounts of their own."""
    assert confusion.units is not None
    assert confusion.amounts is not None
    assert confusion.amounts.units is not None
    counts, amounts = (t.sum(axis=0) - t for t in (confusion.units.table, confusion.amounts.units.table))

    def of(which: Product) -> Array:
        return np.asarray(amounts[:, which[0]])

    coefficients = payoff.coefficients(confusion.levels, confusion.positive, confusion.amounts.names)
    stand_in: Any = _Amounts(of)
    total = priced(replace(confusion, counts=counts, amounts=stand_in), coefficients, 1)[0].sum(axis=(-2, -1))
    signed = sign_of(kind) * total
    return np.asarray(signed if per == "total" else divide(signed, counts.sum(axis=(-2, -1))))


class _Amounts:
    """Sums of amounts as `priced` asks for them."""

    def __init__(self, of: Callable[[Product], Array]) -> None:
        self.of = of
