"""The front door of trials: two arms in, and in this order design, sample ratio, effect, power, looks, decision out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
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
from steelyard.trials.arms import Periods, TrialRows, read
from steelyard.trials.autocorrelation import Neighbours
from steelyard.trials.balance import Balance, balance_of
from steelyard.trials.decision import decide, looks_of
from steelyard.trials.design import Evidence, TrialDesign, check_words, from_counts, from_rows
from steelyard.trials.in_place import MOST_UNITS, counted_trial
from steelyard.trials.methods import (
    CUPED,
    SLOW,
    WELCH,
    Method,
    drawn_again,
    effect_of_sums,
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
from steelyard.trials.sums import EARLIER, MONEY, SCORE
from steelyard.trials.unit_sums import UnitSums
from steelyard.trials.uplift import FEWEST, Uplift, uplift_by_score
from steelyard.verdicts.trial import FORBIDDEN, RANDOM, decided
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import ToldInSentences
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.tables.tabulation import Tabulation


@dataclass(frozen=True, eq=False)
class Trial(AsJson, ToldInSentences):
    """What a trial says: the design, the checks, the effect by every method, and a verdict in words.

    `effect` is treated less control by the method that decides; `methods` has all of them, with "not valid here" and why.
    """

    left_out: ClassVar[tuple[str, ...]] = ("periods", "word")
    told_too: ClassVar[tuple[str, ...]] = ("effect", "sentences")
    as_text: ClassVar[str] = "trial.trial_text"
    as_verdict: ClassVar[str] = "foremost.trial_conclusion"

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
    word: str
    reasons: tuple[str, ...]
    confidence: float
    periods: Periods | None = None
    careful: TrialPlan | None = None
    """The smallest effect that the slow waves see, where these decide."""
    uplift_why: str = ""
    """Why nothing is told by score, where scores were given."""

    @property
    def verdict(self) -> Verdict:
        """Whether acting helps: a word, what to do, why, and what it is worth."""
        worth = None if self.money is None else self.money.each
        return self.in_words(decided(self.word, *self.reasons, rests_on=(self.effect,), worth=worth))

    @property
    def primary(self) -> Method:
        """The method that decides, where anything may be decided."""
        return next(m for m in self.methods if m.primary)

    @property
    def decides(self) -> Method | None:
        """The same, but None where it is not valid, or where the groups may not be compared at all."""
        return self.primary if self.primary.valid and self.word not in FORBIDDEN else None

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
        told: dict[str, Any] = {"verdict": self.word, "conclusion": self.verdict.to_dict()}
        told["decides"] = None if self.decides is None else self.decides.name
        told["by_period"] = None if self.periods is None else self.table().rows_as_dicts()
        return AsJson.to_dict(self) | told


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
    if cost is not None:
        cost = float(taken("The cost of acting", cost, Span(), f"For example {option('cost', 2.5)}."))
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
        if analysis == "period" and period is None:
            message = "The period was named as the unit of analysis, and there are zero periods."
            hint = f"Name the column of the periods: {option('period', ...)}, or leave analysis out."
            raise UsageError(message, hint)
        counted = counted_trial(data, roles, control, treated, missing, positive)
        found = from_rows(counted, analysis, direction, selection)
    amount = None
    if _is_number(value):
        amount = float(taken("The value of an outcome", value, Span(), f"For example {option('value', 200)}."))
    named = outcome if isinstance(outcome, str) else ""
    found = replace(found, design=replace(found.design, independent=independent, outcome=named))
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
    evidence: Evidence,
    planned: object,
    bands: int,
    value: float | None,
    cost: float | None,
    confidence: float,
    *,
    priced: bool,
    adjust: bool,
) -> Trial:
    d = evidence.design
    ratio = None
    if evidence.sizes is not None:
        ratio = sample_ratio({d.control: evidence.sizes[0], d.treated: evidence.sizes[1]}, planned, evidence.parts)
    balances = _balances(evidence.units, confidence)
    methods, spread, alike = _methods(evidence, confidence, adjust=adjust)
    verdict = decide(methods, ratio, balances, d.selection, d.direction, d.analysis)
    word, reasons = verdict.word, tuple(verdict.reason.splitlines())
    primary = next(m for m in methods if m.primary)
    looks, why = looks_of(evidence, methods, confidence)
    money = _money(evidence, primary.effect, value, cost, confidence) if priced else None
    uplift, unscored = _uplift(evidence, bands, confidence)
    if word in FORBIDDEN:
        # What would be told as the good that acting does is not known here.
        looks = money = uplift = None
        why = "nothing may be said at any look, since the arms may not be compared"
    explained = float(primary.effect.options.get("explained", 0.0)) if primary.name == CUPED else 0.0
    plans, careful = plans_of(evidence, explained), careful_plan(evidence) if primary.name == SLOW else None
    found = (d, ratio, balances, methods, spread, alike, plans, looks, why, uplift, money, word, reasons, confidence)
    return Trial(*found, evidence.periods, careful, unscored)


def _uplift(evidence: Evidence, bands: int, confidence: float) -> tuple[Uplift | None, str]:
    """What acting does by score, or why that is not told."""
    if evidence.units is None or not evidence.units.has(SCORE):
        return None, ""
    if min(evidence.units.units) < FEWEST:
        return None, f"an arm has fewer than {FEWEST} units"
    u = evidence.units.fetched()
    if u is None or u.score is None:
        return None, f"more than {MOST_UNITS:,} units are not brought to one machine: draw a sample of them"
    sign = -1.0 if evidence.design.direction == "lower" else 1.0
    found = uplift_by_score(u.total / u.rows, u.treated, u.score, bands, confidence, sign, rows=u.rows)
    if 2 * sum(b.effect.value is not None for b in found.bands) > len(found.bands):
        return found, ""
    return None, "most bands of the score have one arm only"


def _balances(u: UnitSums | None, confidence: float) -> tuple[Balance, ...]:
    if u is None:
        return ()
    known = (("score", SCORE), ("earlier value", EARLIER))
    return tuple(balance_of(name, u.arms(), what, confidence) for name, what in known if u.has(what))


def _methods(
    evidence: Evidence, confidence: float, *, adjust: bool
) -> tuple[tuple[Method, ...], Dispersion | None, Neighbours | None]:
    d, u = evidence.design, evidence.units
    found = [] if u is None else unit_methods(u, confidence, binary=d.kind == "0/1")
    spread = alike = None
    if evidence.periods is not None:
        back = u is not None and u.repeated and d.analysis == "unit"
        counted = d.kind != "number"
        single = d.kind == "0/1" or u is None
        # Units that are drawn one by one and seen once make periods independent of each other by themselves.
        free = d.independent or (d.analysis == "unit" and not back)
        more, spread, alike = period_methods(
            evidence.periods, confidence, returning=back, counted=counted, single=single, independent=free
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


def _money(
    evidence: Evidence, effect: Difference, value: float | None, cost: float | None, confidence: float
) -> Money | None:
    d, spent = evidence.design, float(cost or 0.0)
    if d.analysis == "period":
        assert evidence.periods is not None
        if value is None:
            message = "By period, the value of an outcome is one number."
            raise UsageError(message, f"For example {option('value', 200)}, or leave analysis out.")
        p = evidence.periods
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
    u = evidence.units
    assert u is not None
    per, size = ("unit and period" if u.repeated else "unit"), u.acted_on
    if value is None:
        drawn = partial(drawn_again, u.fetched, MONEY, confidence)
        effect, value = effect_of_sums(u.arms(MONEY), drawn, confidence, once=False), 1.0
    return money_effect(effect, value=value, cost=spent, direction=d.direction, per=per, treated=size)
