"""The front door of the room: scored events of customers in, the quality of their warnings over time out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from steelyard.arguments.allowed import INSIDE, NotAllowed, Span, shown, taken
from steelyard.arguments.annotated import Confidence, Label, as_annotated
from steelyard.early_warning.clock import make_clock
from steelyard.early_warning.events import Events, Rules, check_sums, open_events
from steelyard.early_warning.quality import BASE_RATE, estimate_quality, trivial_of
from steelyard.early_warning.summary import TimelinessSummary
from steelyard.engines.event_tables import EventTable
from steelyard.engines.weighing import EXACT, PERIOD_ENDS, Weighing
from steelyard.errors import BadLevels, CannotAdd, NotAvailable, UnknownMeasure, UsageError, listing, nearest
from steelyard.files.writing import write_saved
from steelyard.results import Curve, Estimate, make_frame
from steelyard.verdicts.usefulness import usefulness
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import ToldInSentences
from steelyard.wording import either, option
from steelyard.words import in_prose

if TYPE_CHECKING:
    from collections.abc import Callable

    from steelyard.charts.marks import Chart
    from steelyard.early_warning.alerts import AlertResult
    from steelyard.early_warning.over_time import LQuality

NUMBERS = ("q", "q0", "good_time", "bad_time", "value_q")
CURVES = ("scores", "l_quality")
KERNELS = ("declining", "uniform")
RAREST = 1e-12
"""No base rate lies below: nobody has had so many customers."""


@dataclass(frozen=True, eq=False, slots=True)
class Timeliness(ToldInSentences):
    """How early and how rightly a model warned: Q is 1 for a perfect model and 0 for one that always says the base rate.

    >>> from steelyard.early_warning.timeliness import timeliness
    >>> t = timeliness(unit=[1, 2, 3, 4], time=[0, 5, 0, 0], score=[0.9, 0.8, 0.1, 0.2],
    ...                        outcome=[1, 1, 0, 0], horizon=10)
    >>> round(float(t["q"]), 3)
    0.588
    """

    as_text: ClassVar[str] = "timeliness.timeliness_text"
    as_verdict: ClassVar[str] = "foremost.timeliness_conclusion"

    summary: TimelinessSummary
    before: str | float = BASE_RATE
    confidence: float = 0.95
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Rows left out, by reason."""
    events: Events | None = field(default=None, repr=False)
    """Where the events can be asked again; none after adding or reading back."""
    time_unit: str = ""
    """What one of the times is called, such as days; empty where nobody said."""
    alerted: AlertResult | None = field(default=None, repr=False)
    """Alerts at a threshold that are told along with it."""
    known_rate: float | None = None
    """The base rate of a larger set of customers, where it takes the place of the share among those evaluated."""

    @as_annotated()
    def __getitem__(self, name: str) -> Estimate:
        if name not in NUMBERS:
            message = f'There is no "{name}" of timeliness; there are {listing(NUMBERS)}.'
            raise UnknownMeasure(message, nearest(name, NUMBERS) or 'For example t["q"].')
        return estimate_quality(self.summary, name, self.before, self.confidence, rate=self.known_rate)

    @property
    def q(self) -> Estimate:
        """Q, normalised: perfect is 1, always saying the base rate 0."""
        return self["q"]

    @property
    def q0(self) -> Estimate:
        """Q₀: the mean good time of positives less the mean bad time of negatives, as shares of the period."""
        return self["q0"]

    @property
    def value_q(self) -> Estimate:
        """Q by value, normalised so that perfect is 1 also when values differ."""
        return self["value_q"]

    @property
    def base_rate(self) -> float:
        """The share of positives: among the evaluated customers, or as it was told."""
        return self.known_rate if self.known_rate is not None else self.summary.positives / self.summary.customers

    @as_annotated()
    def trivial(self, name: str = "q") -> dict[str, float]:
        """What models without data score on these customers: always positive, always negative, at random, perfect."""
        return trivial_of(self.summary, name, self.known_rate)

    @as_annotated()
    def with_before(self, before: str | float) -> Timeliness:
        """The same evidence under another convention for the time before a customer's first event."""
        return replace(self, before=_convention(before), alerted=None)

    def with_alerts(self, alerts: AlertResult) -> Timeliness:
        """The same, with alerts that its text, its page and its JSON tell along with it."""
        return replace(self, alerted=alerts)

    def __add__(self, other: object) -> Timeliness:
        return self.plus(other)

    def __radd__(self, other: object) -> Timeliness:
        # `sum` begins with 0.
        return self if isinstance(other, int) and not isinstance(other, bool) and other == 0 else self.plus(other)

    @as_annotated()
    def plus(self, other: object, *, twice: bool = False) -> Timeliness:
        """The evidence of both sets of customers; equal sums are taken for the same customers unless `twice` is said."""
        if not isinstance(other, Timeliness):
            message = f"Timeliness adds to timeliness, and {shown(other)} came."
            raise CannotAdd(message, "Add what another call of timeliness returned, or several: sum([a, b, c]).")
        if not twice and self.summary.events and self.summary == other.summary:
            message = f"Both parts hold exactly the same {self.summary.customers:,} customers, who would count twice."
            told = either("t.plus(u, twice=True)", option("twice", True))
            raise CannotAdd(message, f"Leave one of them out; if both are meant, say so: {told}.")
        if self.known_rate != other.known_rate:
            message = "The two parts were measured with different base rates."
            raise UsageError(message, f"Measure both with the same {option('base_rate')}.")
        if self.before != other.before:
            message = "The score before the first event follows different conventions in the two parts."
            raise UsageError(message, "Bring both to one with .with_before(...).")
        if self.time_unit and other.time_unit and self.time_unit != other.time_unit:
            message = f"One part counts time in {self.time_unit}, the other in {other.time_unit}."
            raise UsageError(message, "Measure both in one unit.")
        dropped = {k: self.dropped.get(k, 0) + other.dropped.get(k, 0) for k in {*self.dropped, *other.dropped}}
        unit = self.time_unit or other.time_unit
        summary = self.summary + other.summary
        return replace(self, summary=summary, dropped=dropped, events=None, time_unit=unit, alerted=None)

    # Asking the events again --------------------------------------------------------------------------------------

    def _asked(self, what: str) -> Events:
        if self.events is None:
            message = f"{what} needs the events, and this result has only their sums."
            hint = "Ask the result of the first call, not a sum of results or one read from a file."
            raise NotAvailable(message, hint)
        return self.events

    @as_annotated()
    def l_quality(self, moments: Sequence[float]) -> LQuality:
        """The simple measure: the sum over moments of L-quality = 2 AUC − 1 of the scores then in force."""
        from steelyard.early_warning.over_time import l_quality_sum

        return l_quality_sum(self._asked("L-quality over time"), self, moments)

    @as_annotated()
    def curve(self, name: str = "scores", moments: Sequence[float] | None = None) -> Curve:
        """A curve over the period: "scores" (mean score in force of each class) or "l_quality"."""
        from steelyard.early_warning.over_time import curve_over_time

        if name not in CURVES:
            message = f'There is no curve "{name}" of timeliness; there are {listing(CURVES)}.'
            raise UnknownMeasure(message, nearest(name, CURVES) or 'For example t.curve("scores").')
        return curve_over_time(self._asked("A curve over time"), self, name, moments)

    @as_annotated()
    def chart(self, name: str = "scores") -> Chart:
        """The same as a chart."""
        drawn, state = self.curve(name).chart(), self.verdict.state
        said = f"{state[:1].upper()}{state[1:]}: Q {in_prose(self.q)}"
        return drawn if drawn.finding else replace(drawn, finding=said)

    @as_annotated()
    def alerts(
        self,
        threshold: float | None = None,
        *,
        quiet: float | None = None,
        budget: float | None = None,
        saved: Callable[[float, float], float] | None = None,
    ) -> AlertResult:
        """What practitioners ask at an alert threshold: lead time, recall, false alarms, value saved.

        Name a `threshold`, or a `budget` of alerts per unit of time. Within `quiet` after an alert the same customer raises
        no other. `saved` is called with the lead time of each customer that is caught and the horizon, and says which share
        of the customer's value is saved by acting then; without it that is lead / horizon. It needs `value=` in the first call.

        >>> t = timeliness(unit=[1, 2, 3], time=[4, 25, 0], score=[0.9, 0.8, 0.1], outcome=[1, 1, 0],
        ...                value=[100, 50, 80], horizon=31)
        >>> a_week_is_enough = lambda lead, horizon: 1.0 if lead >= 7 else 0.0
        >>> float(t.alerts(0.5, saved=a_week_is_enough)["value_saved"])  # 27 and 6 days ahead
        100.0
        """
        from steelyard.early_warning.alerts import measure_alerts

        return measure_alerts(self._asked("Alerts"), self, threshold, quiet, budget, saved)

    @property
    def verdict(self) -> Verdict:
        """Whether it beats the better of saying always yes and always no."""
        trivial = self.trivial("q")
        best = max(("always positive", "always negative"), key=lambda name: trivial[name])
        return self.in_words(usefulness(self.q, trivial[best], best))

    # Telling ------------------------------------------------------------------------------------------------------

    def _names(self) -> list[str]:
        return [n for n in NUMBERS if n != "value_q" or self.summary.valued]

    def frame(self) -> Any:
        """One row a number, then the models without data, as a frame of whichever library is installed."""
        rows: list[dict[str, Any]] = []
        for name in self._names():
            x = self[name]
            own = {"model": "the model", "measure": name, "estimate": x.value, "low": x.low, "high": x.high}
            rows.append(own | {"reason": x.reason})
            rows += [
                {"model": m, "measure": name, "estimate": v, "low": None, "high": None, "reason": ""}
                for m, v in self.trivial(name).items()
            ]
        columns = ("model", "measure", "estimate", "low", "high", "reason")
        return make_frame({c: [row[c] for row in rows] for c in columns})

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "summary": self.summary.to_dict(),
            "before": self.before,
            "confidence": self.confidence,
            "dropped": dict(self.dropped),
            "numbers": {name: self[name].to_dict() for name in self._names()},
            "time_unit": self.time_unit,
            "base_rate": self.known_rate,
            "sentences": self.sentences(),
            **({} if self.alerted is None else {"alerts": self.alerted.to_dict()}),
        }

    @as_annotated()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sums to a JSON file, whole or not at all; those of other customers can be added to them later."""
        write_saved(path, self.to_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Timeliness:
        """Read back what `to_dict` wrote; the events themselves are not in it."""
        summary = TimelinessSummary.from_dict(data["summary"])
        unit = data.get("time_unit", "")
        rest = {"time_unit": unit, "known_rate": data.get("base_rate")}
        return cls(summary, data["before"], data["confidence"], dict(data["dropped"]), **rest)


@as_annotated()
def timeliness(
    events: object = None,
    *,
    unit: object,
    time: object,
    score: object,
    outcome: object,
    horizon: object,
    start: object = None,
    time_unit: str | None = None,
    value: object = None,
    outcome_time: object = None,
    before: str | float = BASE_RATE,
    base_rate: Annotated[float, INSIDE] | None = None,
    kernel: str = "declining",
    estimator: str = EXACT,
    ends: Sequence[float] | None = None,
    outcomes: object = None,
    confidence: Confidence = 0.95,
    positive: Label = None,
    missing: str = "refuse",
    outside: str = "refuse",
) -> Timeliness:
    """Measure how early a model warns, from a stream of scored events of customers (or of anything else).

    A score holds from its event to the next of the same customer. Q₀ of a customer is (1/T) ∫ M(t) k(t) dt with
    k = 2(1 − t/T) for those with the outcome ("declining"; 1 if "uniform") and −1 for the others; Q₀ of the model is the
    mean over customers, and Q = (Q₀ − b(2b − 1)) / (2b(1 − b)) with b the share of positives among them, or the `base_rate` of
    the larger set that these customers were held out of. `value` is what a customer will be worth in the future, never below 0:
    past worth counts only as far as it foretells that.

    Times are numbers from 0 to the `horizon`, or dates and moments where the `start` of the period is named; then the
    horizon is a number of days or a text such as "36 hours". `time_unit` is what one of the times is called. Events outside
    the period are refused, or with `outside="drop"` left out; their customers stay.

    >>> t = timeliness({"who": ["a", "b"], "day": [0, 0], "p": [1.0, 0.0], "left": [1, 0]},
    ...                        unit="who", time="day", score="p", outcome="left", horizon=31)
    >>> float(t.q)  # a perfect model
    1.0
    """
    if base_rate is not None and base_rate < RAREST:
        message = f"A base rate of {base_rate:g} is none: nobody has had so many customers for each with the outcome."
        raise UsageError(message, f"Leave {option('base_rate')} out for the share among those that were evaluated.")
    length, clock = make_clock(horizon, start, time_unit)
    weighing = _weighing(length, kernel, estimator, ends)
    convention = _convention(before)
    roles = {"unit": unit, "time": time, "score": score, "outcome": outcome}
    roles |= {k: v for k, v in (("value", value), ("outcome_time", outcome_time)) if v is not None}
    rules = Rules(weighing.horizon, clock, positive, missing, outside)
    found, dropped = open_events(events, roles, outcomes, rules)
    sums = found.sums(weighing)
    if isinstance(found, EventTable):
        check_sums(found, sums, roles, clock.unit)
    summary = TimelinessSummary.of_sums(weighing, sums)
    if not summary.positives or not summary.negatives:
        raise _one_class(summary, positive)
    return Timeliness(summary, convention, confidence, dropped, found, clock.unit, known_rate=base_rate)


def _convention(before: str | float) -> str | float:
    if isinstance(before, str) and before in {BASE_RATE, "zero"}:
        return BASE_RATE if before == BASE_RATE else 0.0
    try:
        return float(Span(0, 1).read(before))
    except NotAllowed:
        message = f'The score before the first event must be "base rate", "zero" or a number from 0 to 1, not {shown(before)}.'
        hint = 'With "base rate" a customer without events counts as one of whom nothing is known.'
        raise UsageError(message, hint) from None


def _one_class(summary: TimelinessSummary, positive: object) -> BadLevels:
    if not summary.customers:
        return BadLevels("No customers are left.", "Check what was left out as missing.")
    if summary.positives:
        message = f"All {summary.customers:,} customers have the outcome, so nobody could be warned of wrongly."
        return BadLevels(
            message, f"Give the customers without it too; {option('outcomes')} takes those without any event."
        )
    which = "the outcome" if positive is None else f"the outcome {listing([positive])}"
    message = f"None of the {summary.customers:,} customers has {which}, so there is nothing to warn of."
    return BadLevels(
        message, f"Check the outcome column, and that {option('positive')} names the level that is warned of."
    )


def _weighing(horizon: object, kernel: str, estimator: str, ends: Sequence[float] | None) -> Weighing:
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
