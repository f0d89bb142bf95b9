"""What practitioners ask at an alert threshold: lead time, recall, false alarms, alerts under a budget, value saved.

An event whose score reaches the threshold is an alert, unless an alert of the same customer was raised less than the quiet
period before. Events after the outcome raise none. The time before the first event raises none either, whatever the score
that is assumed for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steelyard.arguments.annotated import as_annotated
from steelyard.engines.events import Alerts
from steelyard.errors import NothingMeets, UnknownMeasure, UsageError, listing, nearest
from steelyard.files.as_json import AsJson
from steelyard.intervals.proportions import wilson
from steelyard.results import Array, Curve, Estimate, Flags, make_frame
from steelyard.views.told import ToldInSentences
from steelyard.wording import either, option

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.early_warning.events import Events
    from steelyard.early_warning.timeliness import Timeliness

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
MOST_POINTS = 200
FEW = 100
"""With fewer customers alerted than this, and fewer than half of them, rates have the gamma interval."""
CAUGHT_ONLY = "of those caught; the missed have no lead time"


@dataclass(frozen=True, slots=True)
class AlertResult(AsJson, ToldInSentences):
    """How alerts at a threshold do: every number with its interval by customer."""

    left_out: ClassVar[tuple[str, ...]] = ("measured",)
    told_too: ClassVar[tuple[str, ...]] = ("sentences",)
    as_text: ClassVar[str] = "timeliness.alert_text"

    threshold: float
    quiet: float | None
    budget: float | None
    horizon: float
    alerts: int
    suppressed: int
    """Events that reached the threshold in the quiet period after an alert."""
    numbers: Mapping[str, Estimate]
    detection: Curve = field(repr=False)
    note: str = ""
    time_unit: str = ""
    """What one of the times is called; empty where nobody said."""
    measured: Any = field(default=None, repr=False, compare=False)
    """The timeliness of which these are the alerts."""

    @as_annotated()
    def __getitem__(self, name: str) -> Estimate:
        if name not in self.numbers:
            message = f'There is no "{name}" of alerts; there are {listing(self.numbers, 20)}.'
            raise UnknownMeasure(message, nearest(name, self.numbers) or 'For example alerts["recall"].')
        return self.numbers[name]

    def curve(self, name: str = "detection") -> Curve:
        """The detection curve: which share of the outcomes is caught at least so far ahead."""
        if name != "detection":
            message = f'There is no curve "{name}" of alerts; there is "detection".'
            raise UnknownMeasure(message, 'The curves over the period are those of timeliness: t.curve("scores").')
        return self.detection

    def chart(self, name: str = "detection") -> Chart:
        """The same as a chart."""
        return self.curve(name).chart()

    def frame(self) -> Any:
        """One row a number."""
        columns = {"measure": list(self.numbers)}
        for name in ("value", "low", "high", "confidence", "method", "n", "reason"):
            columns["estimate" if name == "value" else name] = [getattr(x, name) for x in self.numbers.values()]
        return make_frame(columns)


def measure_alerts(
    events: Events,
    timeliness: Timeliness,
    threshold: float | None,
    quiet: float | None,
    budget: float | None,
    saved: Callable[[float, float], float] | None,
) -> AlertResult:
    """Alerts of a measured model at a threshold, or at the lowest one that keeps to a budget of alerts per unit of time."""
    horizon, positives, negatives = events.horizon, timeliness.summary.positives, timeliness.summary.negatives
    if (threshold is None) == (budget is None):
        message = "Alerts need either a threshold or a budget of alerts per unit of time."
        hint = f"For example {either('alerts(0.5), or alerts(budget=20)', '--alert 0.5, or --budget 20')}."
        raise UsageError(message, hint)
    if quiet is not None and not quiet > 0:
        message = f"The quiet period must be above 0; what came is {quiet!r}."
        raise UsageError(message, "Leave it out to count every alert.")
    note = ""
    if budget is not None:
        if not budget > 0:
            message = f"The budget must be above 0 alerts per unit of time; what came is {budget!r}."
            raise UsageError(message, f"For example {option('budget', 20)}.")
        threshold = threshold_for(events, math.floor(budget * horizon + 1e-9), quiet)
        note = "The threshold was chosen on these events; on the next period the alerts will be about, not at most, the budget."
    assert threshold is not None
    found = events.alerts(threshold)
    kept = _some(found, _raised(found, quiet))
    leads, value = _leads(kept)
    numbers = _rates(kept, timeliness, horizon)
    numbers["recall"] = _share("recall", len(leads), positives, timeliness.confidence)
    numbers |= _lead_times(leads, timeliness.confidence)
    numbers["value_saved"] = _saved(leads, value, positives + negatives, horizon, timeliness, saved)
    curve = _detection(leads, positives, horizon, timeliness.confidence, timeliness.time_unit)
    raised, hidden = len(kept.time), len(found.time) - len(kept.time)
    told = (float(threshold), quiet, budget, horizon, raised, hidden, numbers, curve, note)
    return AlertResult(*told, timeliness.time_unit, timeliness)


# Which alerts are raised ----------------------------------------------------------------------------------------------


def _some(found: Alerts, keep: Flags) -> Alerts:
    return Alerts(*(getattr(found, name)[keep] for name in Alerts.__dataclass_fields__))


def _first(found: Alerts) -> Flags:
    """Which alerts are the first of their customer."""
    return np.asarray(np.r_[True, found.customer[1:] != found.customer[:-1]][: len(found.customer)])


def _raised(found: Alerts, quiet: float | None) -> Flags:
    """Which alerts are raised when each silences its customer for the quiet period."""
    raised = np.ones(len(found.time), dtype=bool)
    if quiet is None or not len(raised):
        return raised
    raised[:] = False
    place = np.flatnonzero(_first(found))
    ends = np.append(place[1:], len(raised))
    # One step for all customers at once: from the alert raised last to the next one after its quiet period. Customers lie
    # one after the other on a single time line, with gaps longer than any quiet period.
    gap = float(found.time.max()) + quiet + 1.0
    line = found.time + found.customer * gap
    # The sum rounds; a gap of exactly the quiet period raises an alert.
    slack = 1e-12 * max(1.0, float(line.max()))
    while len(place):
        raised[place] = True
        after = np.searchsorted(line, line[place] + quiet - slack)
        after = np.maximum(after, place + 1)
        going = after < ends
        place, ends = after[going], ends[going]
    return raised


def threshold_for(events: Events, most: int, quiet: float | None) -> float:
    """The lowest score as a threshold at which at most so many alerts are raised.

    A lower threshold never raises fewer alerts, also with a quiet period: taking alerts as they come raises as many as
    can be raised.
    """
    if quiet is None and hasattr(events, "least_score_of"):
        found = events.least_score_of(most)
        if found is None:
            raise _too_many(most)
        return float(found)
    every = events.alerts(-math.inf if not hasattr(events, "query") else 0.0)
    levels = np.unique(every.score)

    def alerts_at(level: float) -> int:
        return int(_raised(_some(every, every.score >= level), quiet).sum())

    low, high = 0, len(levels)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if alerts_at(float(levels[middle])) <= most else (middle + 1, high)
    if low == len(levels):
        raise _too_many(most)
    return float(levels[low])


def _too_many(most: int) -> NothingMeets:
    message = (
        f"Even the highest score alone raises more than the {most:,} alerts that the budget allows for the period."
    )
    return NothingMeets(message, "Raise the budget, give a quiet period, or break ties among the highest scores.")


# Numbers --------------------------------------------------------------------------------------------------------------


def _leads(kept: Alerts) -> tuple[Array, Array]:
    """How long before its outcome each caught positive was first alerted, and its value."""
    mine = _first(kept) & (kept.outcome == 1)
    return kept.until[mine] - kept.time[mine], kept.value[mine]


def _rates(kept: Alerts, timeliness: Timeliness, horizon: float) -> dict[str, Estimate]:
    """Alerts and false alarms per unit of time, from the number of each customer."""
    customers, negatives = timeliness.summary.customers, timeliness.summary.negatives
    _, first, times = np.unique(kept.customer, return_index=True, return_counts=True)
    counts = times.astype(np.float64)
    false = counts[kept.outcome[first] == 0]
    confidence, alerted, nobody = timeliness.confidence, len(counts), "no customer was alerted"
    rates = (
        ("alerts_per_time", counts, customers, customers),
        ("false_alarms_per_time", false, negatives, negatives),
        ("false_alarms_per_customer_and_time", false, negatives, 1),
    )
    found = {name: _rate(name, values, n, confidence, size / horizon) for name, values, n, size in rates}
    found["false_alarm_share"] = _share("false_alarm_share", len(false), negatives, confidence)
    found["precision"] = _share("precision", alerted - len(false), alerted, confidence, nobody)
    return found


def _rate(name: str, counts: Array, n: int, confidence: float, factor: float) -> Estimate:
    """The mean number of alerts of n customers, of which those not in `counts` have none, times a factor.

    Where few customers have any, Student's interval is too short, and of no length at all where none has one. Then it is the
    gamma interval of Fay and Feuer (1997), with room for a customer who has one alert more than any seen; of no alerts at all
    it is the exact limit of Poisson's law.

    >>> x = _rate("alerts", np.zeros(0), 1000, 0.95, 1000.0)
    >>> x.value, x.low, round(x.high, 2)  # none of 1,000: up to 3.69
    (0.0, 0.0, 3.69)
    """
    from scipy.special import gammaincinv

    if n < 2 or len(counts) >= min(FEW, n / 2):
        return _mean(name, counts, n, confidence, factor)
    total, squares = float(counts.sum()), float((counts**2).sum())
    most = 1.0 + (float(counts.max()) if len(counts) else 0.0)
    tail = (1 - confidence) / 2
    low = squares / total * float(gammaincinv(total**2 / squares, tail)) if total else 0.0
    above, spread = total + most, squares + most**2
    high = spread / above * float(gammaincinv(above**2 / spread, 1 - tail))
    value, low, high = (factor * x / n for x in (total, low, high))
    note = "" if total else "the upper limit is that of alerts to one customer each"
    return Estimate(name, value, low, high, confidence, "gamma interval by customer", n, note=note)


def _mean(name: str, values: Array, n: int, confidence: float, factor: float) -> Estimate:
    """A mean over n customers, of which those not in `values` count 0, times a factor."""
    from scipy.special import stdtrit

    mean = float(values.sum()) / n
    if n < 2:
        return Estimate(
            name, factor * mean, confidence=confidence, method="none", n=n, note="one customer shows no spread"
        )
    spread = max(0.0, (float((values**2).sum()) - n * mean**2) / (n - 1))
    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * math.sqrt(spread / n)
    note = "" if spread else "every customer counts the same, so the interval is too narrow"
    low = max(0.0, mean - half)
    return Estimate(
        name, factor * mean, factor * low, factor * (mean + half), confidence, "Student's by customer", n, note=note
    )


def _share(name: str, part: int, whole: int, confidence: float, empty: str = "") -> Estimate:
    if not whole:
        return Estimate(name, None, confidence=confidence, method="none", reason=empty)
    low, high = wilson(float(part), float(whole), NormalDist().inv_cdf((1 + confidence) / 2))
    return Estimate(name, part / whole, float(low), float(high), confidence, "Wilson", whole)


def _lead_times(leads: Array, confidence: float) -> dict[str, Estimate]:
    """The median and other quantiles of the lead time of those caught."""
    names = {q: "median_lead_time" if q == 0.5 else f"lead_time_{100 * q:.0f}%" for q in QUANTILES}
    return {name: quantile_estimate(name, leads, q, confidence) for q, name in names.items()}


def quantile_estimate(name: str, values: Array, share: float, confidence: float) -> Estimate:
    """A quantile with the interval between two order statistics, which holds for every distribution.

    >>> x = quantile_estimate("median", np.arange(1.0, 102.0), 0.5, 0.95)
    >>> x.value, x.low, x.high
    (51.0, 41.0, 61.0)
    """
    from scipy.special import bdtr

    n = len(values)
    if not n:
        return Estimate(name, None, confidence=confidence, method="none", reason="no outcome was caught")
    ordered = np.sort(values)
    value = float(np.quantile(ordered, share))
    tail = (1 - confidence) / 2
    below = bdtr(np.arange(n, dtype=np.float64), n, share)
    # Between the i-th and the j-th, with at most half the error on either side.
    i = int(np.searchsorted(below, tail, side="right"))
    j = int(np.searchsorted(below, 1 - tail, side="left")) + 1
    if i < 1 or j > n:
        return Estimate(
            name, value, confidence=confidence, method="none", n=n, note="too few were caught for an interval"
        )
    low, high = float(ordered[i - 1]), float(ordered[j - 1])
    return Estimate(name, value, low, high, confidence, "order statistics", n, note=CAUGHT_ONLY)


def _saved(
    leads: Array,
    value: Array,
    customers: int,
    horizon: float,
    timeliness: Timeliness,
    share: Callable[[float, float], float] | None,
) -> Estimate:
    """Σ V × share saved: what is left of the period at the first alert, or a function of lead and horizon."""
    name = "value_saved"
    if not timeliness.summary.valued:
        reason = "no values of customers were given"
        return Estimate(name, None, confidence=timeliness.confidence, method="none", reason=reason)
    part = leads / horizon if share is None else np.array([float(share(lead, horizon)) for lead in leads.tolist()])
    if not len(leads):
        reason = "no outcome was caught, which shows nothing of how far chance could take it"
        return Estimate(name, 0.0, confidence=timeliness.confidence, method="none", n=customers, note=reason)
    found = _mean(name, value * part, customers, timeliness.confidence, float(customers))
    return replace(
        found, note="if acting at the first alert saves that share of the value, and false alarms cost nothing"
    )


def _detection(leads: Array, positives: int, horizon: float, confidence: float, unit: str) -> Curve:
    """The share of positives caught at least d ahead, for every d at which it changes."""
    import steelyard.views.timeliness  # noqa: F401  (says how this curve is drawn)

    ahead = np.unique(np.concatenate([[0.0], leads, [horizon]]))
    if len(ahead) > MOST_POINTS:
        ahead = np.linspace(0.0, horizon, MOST_POINTS)
    caught = len(leads) - np.searchsorted(np.sort(leads), ahead, side="left")
    low, high = wilson(caught.astype(float), float(positives), NormalDist().inv_cdf((1 + confidence) / 2))
    columns = {
        "ahead": ahead.tolist(),
        "caught": (caught / positives).tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }
    facts: dict[str, Any] = {"positives": positives, "horizon": horizon, "time_unit": unit}
    facts["median"] = float(np.median(leads)) if len(leads) else None
    return Curve("detection", columns, confidence, "Wilson, pointwise", facts=facts)
