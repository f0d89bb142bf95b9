"""The front door of trials: two arms in, and in this order design, sample ratio, effect, power, looks, decision out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import numpy as np

from steelyard.arguments.allowed import Span, taken
from steelyard.arguments.annotated import Confidence, Label, as_annotated
from steelyard.charts.marks import Chart
from steelyard.errors import UsageError
from steelyard.files.addresses import discreet, without_secrets
from steelyard.files.as_json import AsJson
from steelyard.results import Difference, make_frame
from steelyard.trials.always_valid import Looks
from steelyard.trials.arms import Periods, TrialRows, TrialUnits, read
from steelyard.trials.autocorrelation import Neighbours
from steelyard.trials.balance import Balance, standardised_difference
from steelyard.trials.decision import decide, looks_of
from steelyard.trials.design import Evidence, TrialDesign, check_words, from_counts, from_rows
from steelyard.trials.methods import (
    CUPED,
    SLOW,
    WELCH,
    Method,
    effect_by_unit,
    first_by_unit,
    named,
    period_methods,
    unit_methods,
)
from steelyard.trials.money import Money, money_effect
from steelyard.trials.planning import TrialPlan
from steelyard.trials.power import careful_plan, plans_of
from steelyard.trials.rates import Dispersion
from steelyard.trials.sample_ratio import RatioCheck, sample_ratio
from steelyard.trials.uplift import FEWEST, Uplift, uplift_by_score
from steelyard.verdicts.trial import FORBIDDEN, RANDOM
from steelyard.views.told import ToldInSentences
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.tables.tabulation import Tabulation


@dataclass(frozen=True, eq=False)
class Trial(AsJson, ToldInSentences):
    """What a trial says: the design, the checks, the effect by every method, and a verdict in words.

    `effect` is treated less control by the method that decides; `methods` has all of them, with "not valid here" and why.
    """

    left_out: ClassVar[tuple[str, ...]] = ("periods",)
    told_too: ClassVar[tuple[str, ...]] = ("effect", "sentences")
    as_text: ClassVar[str] = "trial.trial_text"

    design: TrialDesign
    ratio: RatioCheck | None
    balances: tuple[Balance, ...]
    methods: tuple[Method, ...]
    dispersion: Dispersion | None
    neighbours: Neighbours | None
    plans: tuple[TrialPlan, ...]
    """The smallest effect a trial of this size sees: by the spread within the arms, and by Poisson's."""
    looks: Looks | None
    looks_why: str
    uplift: Uplift | None
    money: Money | None
    verdict: str
    reasons: tuple[str, ...]
    confidence: float
    periods: Periods | None = None
    careful: TrialPlan | None = None
    """The smallest effect that the slow waves see, where these decide."""

    @property
    def primary(self) -> Method:
        """The method that decides, where anything may be decided."""
        return next(m for m in self.methods if m.primary)

    @property
    def decides(self) -> Method | None:
        """The same, but None where it is not valid, or where the groups may not be compared at all."""
        return self.primary if self.primary.valid and self.verdict not in FORBIDDEN else None

    @property
    def effect(self) -> Difference:
        """The effect by the method that decides, treated less control."""
        return self.primary.effect

    @as_annotated()
    def method(self, name: str) -> Method:
        """One of the methods by name."""
        for m in self.methods:
            if m.name == name:
                return m
        message = f'There is no method called "{name}" here.'
        raise UsageError(message, f"There are {', '.join(m.name for m in self.methods)}.")

    def frame(self) -> Any:
        """The sensitivity table: one row a method."""
        parts = ("value", "low", "high", "p_value", "reason")
        columns: dict[str, list[Any]] = {"method": [m.name for m in self.methods]}
        columns |= {"unit": [m.unit for m in self.methods], "measure": [m.effect.measure for m in self.methods]}
        columns |= {part: [getattr(m.effect, part) for m in self.methods] for part in parts}
        columns |= {name: [getattr(m, name) for m in self.methods] for name in ("valid", "why", "primary")}
        return make_frame(columns)

    def table(self) -> Tabulation:
        """Outcomes by period of both arms, with their mean and standard deviation."""
        from steelyard.trials.by_period import periods_table

        return periods_table(self)

    def charts(self) -> dict[str, Chart]:
        """Pictures by name: effect, and where there is something to show periods, looks, bands and qini."""
        from steelyard.views.trial_pictures import trial_charts

        return trial_charts(self)

    @as_annotated()
    def chart(self, name: str = "effect") -> Chart:
        """One of the pictures."""
        found = self.charts()
        if name not in found:
            message = f'There is no picture called "{name}" of this trial.'
            raise UsageError(message, f"There are {', '.join(found)}.")
        return found[name]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return AsJson.to_dict(self) | {
            "decides": None if self.decides is None else self.decides.name,
            "by_period": None if self.periods is None else self.table().rows_as_dicts(),
        }


@as_annotated("independent", "adjust")
def trial(
    data: object = None,
    *,
    group: object,
    control: object,
    outcome: object,
    treated: object = None,
    unit: object = None,
    period: object = None,
    segment: object = None,
    value: object = None,
    before: object = None,
    score: object = None,
    bands: int = 10,
    planned: object = None,
    counts: object = None,
    exposed: object = None,
    positive: Label = None,
    analysis: str | None = None,
    adjust: bool = True,
    independent: bool = False,
    direction: str = "lower",
    selection: str | None = None,
    cost: float | None = None,
    confidence: Confidence = 0.95,
    missing: str = "refuse",
) -> Trial:
    """Whether acting helps, from two arms of which one was left alone.

    `data` has one row a unit, or one a unit and period; roles are columns, or values without `data`. Without `data`, `counts` is a
    table with the number of events (`outcome`) by `period` and `group`, and the units `exposed` (a column, or one number for all).
    `planned` has the planned shares of the arms by name, or is "equal"; where the exposed units are not known, counts are held
    against it. `positive` is the level of the outcome that counts, where it is told in words. `value` is what one outcome is worth
    (a number, or a column of amounts), `cost` what treating a unit takes, each time. With values from `before` the start, the
    effect adjusted for them decides, unless `adjust` is False. `selection` says in words how the groups were chosen where it was
    not at random, `independent` that periods are independent of each other, as where each has new units drawn at random.

    >>> week = [1, 2, 3, 4, 5, 6] * 2
    >>> left = [21, 18, 28, 19, 18, 17, 23, 15, 18, 20, 15, 17]
    >>> table = {"week": week, "arm": ["control"] * 6 + ["called"] * 6, "left": left}
    >>> t = trial(counts=table, group="arm", control="control", outcome="left", period="week", exposed=1000)
    >>> print(t.effect, t.verdict)
    −2.2 [−11.2, 6.9] no clear effect
    """
    check_words(analysis, direction, selection, independent, adjust)
    selection = selection and discreet(without_secrets(selection))
    for role, given in (("group", group), ("outcome", outcome), ("control", control)):
        if given is None:
            message = f"No {role} was given."
            raise UsageError(message, f"{NEEDED[role]}: {option(role, ...)}")
    bands = taken("The number of bands", bands, Span(1, 1000, whole=True), "Ten bands are usual.")
    cost = (
        None
        if cost is None
        else float(taken("The cost of acting", cost, Span(), f"For example {option('cost', 2.5)}."))
    )
    if cost is not None and value is None:
        message = "A cost came without the value of an outcome, so there is no money effect to tell."
        raise UsageError(message, f"Give {option('value')} as well: what one outcome is worth.")
    if counts is not None:
        if data is not None:
            message = "Both rows and a table of counts came."
            raise UsageError(message, f"Pass one of data and {option('counts')}.")
        roles = {"group": group, "outcome": outcome, "period": period, "exposed": exposed}
        others = {"unit": unit, "before": before, "score": score, "segment": segment, "positive level": positive}
        _only_counts(others, period, value)
        table = _counted(counts, roles, missing)
        found = from_counts(table, control, treated, analysis, direction, selection, planned)
    else:
        if exposed is not None:
            message = "The number of exposed units belongs to a table of counts, and rows came."
            raise UsageError(message, f"Leave {option('exposed')} out: rows are counted.")
        roles = {"group": group, "outcome": outcome, "unit": unit, "period": period, "segment": segment}
        amount = None if _is_number(value) else value
        roles |= {"value": amount, "before": before, "score": score}
        found = from_rows(read(data, roles, missing, positive), control, treated, analysis, direction, selection)
    amount = value if _is_number(value) else None
    found = replace(found, design=replace(found.design, independent=independent))
    return _judged(found, planned, bands, amount, cost, confidence, priced=value is not None, adjust=adjust)


NEEDED = {
    "group": "Name the column that says which arm a unit is in",
    "outcome": "Name the column of what happened",
    "control": "Name the arm that was left alone",
}


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)


def _only_counts(others: dict[str, Any], period: object, value: object) -> None:
    """Refuse what a table of counts cannot have."""
    for name, given in others.items():
        if given is not None:
            message = f"A table of counts by period has no {name}."
            raise UsageError(message, "Pass rows, one a unit, to make use of it.")
    if period is None:
        message = "A table of counts needs periods, and there are zero periods."
        raise UsageError(message, f"Name their column: {option('period', ...)}")
    if value is not None and not _is_number(value):
        message = "With counts, the value of an outcome is one number."
        raise UsageError(message, f"For example {option('value', 200)}.")


def _counted(counts: object, roles: dict[str, Any], missing: str) -> TrialRows:
    """The table of counts, with the same number of exposed units in every row where one number was given."""
    exposed = roles["exposed"]
    if not _is_number(exposed):
        return read(counts, roles, missing)
    if exposed <= 0:
        message = f"The number of exposed units must be above 0, and {exposed} came."
        raise UsageError(message, "Give the units of one arm in one period.")
    table = read(counts, roles | {"exposed": None}, missing)
    return replace(table, columns={**table.columns, "exposed": np.full(len(table), float(exposed))})


# In order: sample ratio, balance, effect, power, looks, decision --------------------------------------------------------


def _judged(
    e: Evidence,
    planned: object,
    bands: int,
    value: float | None,
    cost: float | None,
    confidence: float,
    *,
    priced: bool,
    adjust: bool,
) -> Trial:
    d = e.design
    ratio = None
    if e.sizes is not None:
        ratio = sample_ratio({d.control: e.sizes[0], d.treated: e.sizes[1]}, planned, e.parts)
    balances = _balances(e.units, confidence)
    methods, spread, alike = _methods(e, confidence, adjust=adjust)
    verdict = decide(methods, ratio, balances, d.selection, d.direction, d.analysis)
    word, reasons = verdict.word, tuple(verdict.reason.splitlines())
    primary = next(m for m in methods if m.primary)
    looks, why = looks_of(e, methods, confidence)
    money = _money(e, primary.effect, value, cost, confidence) if priced else None
    uplift = _uplift(e, bands, confidence)
    if word in FORBIDDEN:
        # What would be told as the good that acting does is not known here.
        looks, why, money, uplift = (
            None,
            "nothing may be said at any look, since the arms may not be compared",
            None,
            None,
        )
    explained = float(primary.effect.options.get("explained", 0.0)) if primary.name == CUPED else 0.0
    plans, careful = plans_of(e, explained), careful_plan(e) if primary.name == SLOW else None
    found = (d, ratio, balances, methods, spread, alike, plans, looks, why, uplift, money, word, reasons, confidence)
    return Trial(*found, e.periods, careful)


def _uplift(e: Evidence, bands: int, confidence: float) -> Uplift | None:
    u = e.units
    if u is None or u.score is None or min(int(u.treated.sum()), int((~u.treated).sum())) < FEWEST:
        return None
    sign = -1.0 if e.design.direction == "lower" else 1.0
    found = uplift_by_score(u.total / u.rows, u.treated, u.score, bands, confidence, sign, rows=u.rows)
    # Where most bands have one arm only, there is nothing to compare by score.
    return found if 2 * sum(b.effect.value is not None for b in found.bands) > len(found.bands) else None


def _balances(u: TrialUnits | None, confidence: float) -> tuple[Balance, ...]:
    if u is None:
        return ()
    known = (("score", u.score), ("earlier value", u.before))
    return tuple(standardised_difference(n, *u.arms(v), confidence) for n, v in known if v is not None)


def _methods(
    e: Evidence, confidence: float, *, adjust: bool
) -> tuple[tuple[Method, ...], Dispersion | None, Neighbours | None]:
    d, u = e.design, e.units
    found = [] if u is None else unit_methods(u, confidence, binary=d.kind == "0/1")
    spread = alike = None
    if e.periods is not None:
        back = u is not None and u.repeated and d.analysis == "unit"
        counted = d.kind != "number"
        single = d.kind == "0/1" or u is None
        # Units that are drawn one by one and seen once make periods independent of each other by themselves.
        free = d.independent or (d.analysis == "unit" and not back)
        more, spread, alike = period_methods(
            e.periods, confidence, returning=back, counted=counted, single=single, independent=free
        )
        # What was asked of units is not asked of their sums again.
        known = {m.name for m in found}
        found += [m for m in more if m.name not in known]
    if d.analysis == "period":
        first = WELCH if d.independent else SLOW
        found.sort(key=lambda m: m.unit == "unit")
    else:
        random = d.selection is None or d.selection.strip().casefold() == RANDOM
        once = d.kind == "0/1" and u is not None and not u.repeated
        first = first_by_unit(found, once=once, adjust=adjust and random)
    marked = [replace(m, primary=m.name == first) for m in found]
    marked.sort(key=lambda m: not m.primary)
    return named(marked, (str(d.treated), str(d.control))), spread, alike


def _money(e: Evidence, effect: Difference, value: float | None, cost: float | None, confidence: float) -> Money | None:
    d, spent = e.design, float(cost or 0.0)
    if d.analysis == "period":
        assert e.periods is not None
        if value is None:
            message = "By period, the value of an outcome is one number."
            raise UsageError(message, f"For example {option('value', 200)}, or leave analysis out.")
        p = e.periods
        if cost and not p.known:
            message = "The cost is that of treating one unit, and it is not known how many were treated."
            hint = f"Give the exposed units as well: {option('exposed', ...)}, or leave {option('cost')} out."
            raise UsageError(message, hint)
        # Of the outcomes as they are told, so many fit into all that was done to the treated.
        size = float(
            (~np.isnan(p.counts[1])).sum() if p.even or p.exposed is None else np.nansum(p.exposed[1]) / p.level
        )
        money = money_effect(
            effect, value=value, cost=spent * p.level, direction=d.direction, per="period", treated=size
        )
        if money is None or p.exposed is None or p.even or not p.known:
            return money
        return replace(money, per=f"{p.level:,.0f} exposed", treated=float(np.nansum(p.exposed[1])))
    u = e.units
    assert u is not None
    per, size = ("unit and period" if u.repeated else "unit"), float(u.rows[u.treated].sum())
    if value is None:
        assert u.money is not None
        effect, value = effect_by_unit(u.arms(u.money), u.arms(u.rows), confidence, once=False), 1.0
    return money_effect(effect, value=value, cost=spent, direction=d.direction, per=per, treated=size)
