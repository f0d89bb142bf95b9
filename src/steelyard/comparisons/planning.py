"""How many test rows are needed to see a difference, what so many rows can see, and how likely they see it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.arguments.annotated import as_annotated, read_like
from steelyard.charts.marks import Chart
from steelyard.comparisons.aims import (
    LOOSE,
    Aim,
    aim_of,
    check_power,
    check_rows,
    lower_is_better,
    measure_name,
    planned_as,
)
from steelyard.comparisons.powers import COUNTED
from steelyard.errors import NotAvailable, UsageError
from steelyard.measures.measure import find
from steelyard.results import Curve
from steelyard.verdicts.choice import PLANNED
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import Told
from steelyard.wording import option
from steelyard.words import percent

MOST = 10**9
POINTS = 41
AHEAD = 8
"""Power over counts rises in a saw-tooth: so many numbers of rows in a row must keep the promise."""
STEPS = 50


@dataclass(frozen=True, slots=True)
class Plan(Told):
    """So many rows see such a difference with such a chance, by which test and on which assumptions."""

    as_text: ClassVar[str] = "planning.plan_text"
    as_verdict: ClassVar[str] = "foremost.plan_conclusion"

    measure: str
    rows: int
    """Of each test set; two models on the same rows need one set, on rows of their own two."""
    power: float
    difference: float
    """First less second."""
    first: float | None
    second: float | None
    alpha: float
    paired: bool
    positives: int | None
    negatives: int | None
    """Rows of each class in a test set, where they matter."""
    method: str
    assumptions: tuple[str, ...]
    asked: str = "rows"
    """What was asked for: "rows", "power" or "difference"."""
    wanted: float | None = None
    """The power that was asked for."""
    approximate: int | None = None
    """Rows by the usual normal formula, where outcomes were counted instead."""
    aim: Aim | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> Verdict:
        """What the plan comes to, in words."""
        return self.in_words(PLANNED("planned"))

    @property
    def total(self) -> int:
        """Rows of all test sets together."""
        return self.rows if self.paired else 2 * self.rows

    @as_annotated()
    def curve(self, rows: Sequence[int] | None = None) -> Curve:
        """The power at other numbers of rows."""
        return _curve(self, rows)

    def chart(self) -> Chart:
        """The power against the rows, with this plan marked."""
        from steelyard.views.planning import power_chart

        return power_chart(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        told = asdict(replace(self, aim=None)) | {"assumptions": list(self.assumptions), "text": str(self)}
        del told["aim"]
        return told


@as_annotated()
def sample_size(
    measure: str,
    *,
    difference: float | None = None,
    value: float | None = None,
    first: float | None = None,
    second: float | None = None,
    paired: bool = False,
    discordant: float | None = None,
    correlation: float | None = None,
    deviation: float | None = None,
    skew: float | None = None,
    prevalence: float = 0.5,
    power: float = 0.8,
    alpha: float = 0.05,
    variance: str = "binormal",
) -> Plan:
    """The fewest test rows with which two models that differ by so much are told apart with the chance `power`.

    What is true is given as `first` and `second`, or as the `value` of the second and the `difference` by which the first is
    better: above it, or below where lower is better (an error rate of 0.15 against 0.2 has the difference 0.05).
    Shares of the same rows take the share of rows on which exactly one is right (`discordant`), areas on the same rows the
    `correlation` of scores within a class, means the standard `deviation` and the `skew` of a row's difference, first less second
    (of a row's value where each model has rows of its own; for rmse of its squared error). Unless it is told, the skew is that
    of normal errors on rows of their own, and none on the same rows. Powers of shares are counted over all outcomes, those of
    skewed means are drawn; no plan has fewer cases than a verdict takes.

    >>> plan = sample_size("accuracy", value=0.80, difference=0.05)
    >>> plan.rows, round(plan.power, 3), plan.approximate
    (903, 0.8, 906)
    >>> sample_size("accuracy", value=0.80, difference=0.05, paired=True, discordant=0.15).rows
    461

    Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, chapter 4 (2003).
    """
    check_power(power, alpha)
    aim = aim_of(
        measure,
        difference=difference,
        value=value,
        first=first,
        second=second,
        paired=paired,
        discordant=discordant,
        correlation=correlation,
        deviation=deviation,
        skew=skew,
        prevalence=prevalence,
        alpha=alpha,
        variance=variance,
    )
    rough = _least(aim.rough, power, aim.fewest)
    if aim.kind == "area":
        return _plan_of(aim, rough, asked="rows", wanted=power)
    rows = _least(aim.power, power, aim.fewest, AHEAD if aim.kind == "share" else 0, rough)
    return _plan_of(aim, rows, asked="rows", wanted=power, approximate=rough)


def power(measure: str, *, rows: int, **what: Any) -> Plan:
    """The chance that so many test rows tell two models apart that differ by so much; `what` as for `sample_size`.

    >>> round(power("auc", rows=1000, first=0.85, second=0.8, paired=True, correlation=0.6, prevalence=0.1).power, 3)
    0.689
    """
    aim = aim_of(measure, **what)
    check_rows(aim, rows)
    return _plan_of(aim, int(rows), asked="power")


@as_annotated()
def detectable(measure: str, *, rows: int, value: float | None = None, power: float = 0.8, **what: Any) -> Plan:
    """The smallest improvement over `value` that so many test rows see with the chance `power`; `what` as for `sample_size`.

    >>> plan = detectable("accuracy", rows=1000, value=0.8)
    >>> round(plan.difference, 4), round(plan.first, 4)
    (0.0476, 0.8476)
    """
    what = read_like(sample_size, what)
    check_power(power, what.get("alpha", 0.05))
    name = measure_name(measure)
    lower = lower_is_better(name)
    widest = _widest(name, value, what, lower=lower)

    def at(step: float) -> Aim:
        return aim_of(name, difference=step, value=value, **what)

    check_rows(at(widest / 2), rows)
    if short := at(widest).short(int(rows)):
        message = f"Of so few rows no verdict is given, whatever the difference: {short}."
        raise NotAvailable(message, "Take more rows.")
    if at(widest).power(rows) < power:
        message = f"With {rows:,} rows not even the largest improvement there can be is seen with the chance {power:g}."
        raise NotAvailable(message, "Take more rows, or be content with less power.")
    low, high = 0.0, widest
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle).power(rows) >= power else (middle, high)
    return _plan_of(at(high), int(rows), asked="difference", wanted=power)


def _widest(name: str, value: float | None, what: dict[str, Any], *, lower: bool) -> float:
    """The largest improvement that can be."""
    if "difference" in what or "first" in what or "second" in what:
        message = "The difference is what is asked for here."
        raise UsageError(message, f"Give {option('value')} and {option('rows')}, and leave the difference out.")
    kind = planned_as(name)
    if kind == "mean":
        if name not in LOOSE and find(name).root_of and value is not None:
            return value
        # So many deviations that even two rows see it.
        return 1e3 * float(what.get("deviation") or 1.0)
    inside = 1e-9 if kind == "area" else 0.0
    room = 1.0 if value is None else max(value if lower else 1.0 - value, 0.0) - inside
    if room <= 0:
        message = f"A {name} of {value:g} cannot be improved."
        raise UsageError(message, "Give the value of the model at hand, strictly between 0 and 1.")
    discordant = what.get("discordant")
    return min(room, discordant) if what.get("paired") and discordant is not None else room


def _curve(plan: Plan, rows: Sequence[int] | None) -> Curve:
    aim = plan.aim
    if aim is None:
        message = "This plan was made by hand and does not say what it is about."
        raise NotAvailable(message, "Ask sample_size(...) for one.")
    if rows is None:
        least = aim.fewest
        even = np.linspace(least, max(2.2 * plan.rows, least + 1), POINTS).round()
        chosen = [int(n) for n in np.unique(np.r_[even, plan.rows])]
    else:
        chosen = [int(n) for n in rows]
        for n in chosen:
            check_rows(aim, n)
    columns = {"rows": [float(n) for n in chosen], "power": [aim.power(n) for n in chosen]}
    facts = {"rows": plan.rows, "power": plan.power, "wanted": plan.wanted}
    return Curve("power", columns, 1 - plan.alpha, plan.method, "; ".join(plan.assumptions), facts)


def _least(power_at: Callable[[int], float], wanted: float, fewest: int, ahead: int = 0, start: int = 64) -> int:
    """The first number of rows that reaches the power, and so do the next few."""
    low, high = fewest - 1, max(start, fewest)
    while power_at(high) < wanted:
        low, high = high, math.ceil(high * 1.3) + 1
        if high > MOST:
            message = f"More than {MOST:,} rows would be needed to see this difference."
            raise NotAvailable(message, "Look for a larger difference, or be content with less power.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= wanted else (middle, high)
    while high <= COUNTED and (short := [n for n in range(high + 1, high + ahead + 1) if power_at(n) < wanted]):
        high = short[-1] + 1
    return high


def _plan_of(aim: Aim, rows: int, **asked: Any) -> Plan:
    positives = aim.positives(rows) if aim.classes else None
    assumed = aim.assumptions
    if aim.skew_unknown and aim.power(rows):
        less = percent(round(replace(aim, skew=2.0).power(rows), 2))
        assumed += (f"with a skew of 2, which is that of exponential values, the chance would be {less}",)
    if short := aim.short(rows):
        assumed += (f"of so few rows no verdict is given ({short})",)
    elif short := aim.short(rows - 1):
        assumed += (f"fewer rows get no verdict, whatever the difference ({short})",)
    return Plan(
        aim.measure,
        rows,
        aim.power(rows),
        aim.difference,
        aim.first,
        aim.second,
        aim.alpha,
        aim.paired,
        positives,
        None if positives is None else rows - positives,
        aim.method(rows),
        assumed,
        aim=aim,
        **asked,
    )
