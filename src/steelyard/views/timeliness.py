"""How early a model warns, told: a short story, the models without data beside it, alerts, and curves over the period."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steelyard.charts.curves import chart_of
from steelyard.charts.marks import Band, Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale
from steelyard.results import Curve, Estimate
from steelyard.verdicts.comparison import BETTER, WORSE
from steelyard.verdicts.usefulness import HARMFUL, NOT_SHOWN, USEFUL
from steelyard.views.comparison import p_text
from steelyard.views.layout import WIDTH, blocks_text, noted, table, wrap, wrapped
from steelyard.views.tables import SmallTable
from steelyard.views.tabulations import laid_out
from steelyard.views.text import table_lines
from steelyard.views.verdict import verdict_lines
from steelyard.words import (
    bracketed,
    count,
    estimate_parts,
    estimate_text,
    in_hundred,
    p_told,
    percent,
    quoted,
    shortest,
    significant,
    visible,
)

if TYPE_CHECKING:
    from steelyard.early_warning.alerts import AlertResult
    from steelyard.early_warning.comparison import TimelinessComparison
    from steelyard.early_warning.timeliness import Timeliness

INDENT = "  "
SIZE = (560.0, 360.0)
NAMES = {"q": "Q", "q0": "Q0", "good_time": "good time", "bad_time": "bad time", "value_q": "Q by value"}
IMPROPER = "Q is not a proper score: scores pushed towards 0 and 1 raise it, so a higher Q alone does not warn better"


def per_unit(unit: str) -> str:
    """One of a unit of time.

    >>> per_unit("days"), per_unit("")
    ('day', 'unit of time')
    """
    return (unit.removesuffix("s") or unit) if unit else "unit of time"


def in_units(number: str, unit: str) -> str:
    """A length of time with its unit, where that has a name.

    >>> in_units("31", "days"), in_units("1", "days"), in_units("31", "")
    ('31 days', '1 day', '31')
    """
    return f"{number} {per_unit(unit) if number == '1' else unit}" if unit else number


def _cells(estimate: Estimate) -> tuple[str, str]:
    if estimate.value is None:
        return f"n/a ({estimate.reason})", ""
    value, low, high = estimate_parts(estimate.value, estimate.low, estimate.high)
    return value, bracketed(low, high)


# Timeliness -----------------------------------------------------------------------------------------------------------


def timeliness_sentences(timeliness: Timeliness) -> list[str]:
    """What the quality says, against what needs no model, and what it rests on."""
    s = timeliness.summary
    base = percent(float(f"{timeliness.base_rate:.3g}"))
    out = [
        f"Timeliness Q is {estimate_text(timeliness.q)}: 1 would be perfect from the first moment, 0 is to say the base rate of "
        f"{base} all the time.",
        _against(timeliness),
    ]
    out.append(_times(timeliness))
    if s.valued:
        out.append(f"Weighed by the value of customers it is {estimate_text(timeliness.value_q)}.")
    out.append(_rests(timeliness))
    out.append(_before(timeliness))
    return [text for text in out if text]


def _against(timeliness: Timeliness) -> str:
    v = timeliness.verdict
    assert v.bound is not None
    told = f'"{v.against}", the best model without data, which has {significant(v.bound)}'
    said = {USEFUL: "It beats", HARMFUL: "It is worse than", NOT_SHOWN: "It is not clear that it beats"}
    return f"{said.get(v.word, 'To be set against')} {told}."


def _times(timeliness: Timeliness) -> str:
    """The two parts of Q₀, and what it means where the second is the greater."""
    good, bad = timeliness["good_time"], timeliness["bad_time"]
    said = (
        f"As shares of the period, the mean good time (warning of those with the outcome) is {estimate_text(good)}, "
        f"the mean bad time (warning of the others) {estimate_text(bad)}: Q0 is the first less the second"
    )
    if timeliness.q0.value is None or timeliness.q0.value >= 0:
        return f"{said}."
    return (
        f"{said}, and below 0 because more warning goes to customers without the outcome than to those with it. Where few have "
        "the outcome that is not bad by itself: Q says whether the model beats one that knows nothing."
    )


def _rests(timeliness: Timeliness) -> str:
    s = timeliness.summary
    period = in_units(shortest(s.weighing.horizon), visible(timeliness.time_unit))
    text = (
        f"It rests on {count(s.events)} events of {count(s.customers)} customers over a period of {period}; "
        f"{count(s.positives)} had the outcome"
    )
    if s.silent:
        text += f", {count(s.silent)} had no event at all"
    return text + "."


def _before(timeliness: Timeliness) -> str:
    said = "the base rate" if timeliness.before == "base rate" else shortest(float(timeliness.before))
    return f"Before a customer's first event the score is taken to be {said}."


def timeliness_notes(timeliness: Timeliness) -> list[str]:
    """What a reader must know of how it was worked out."""
    s = timeliness.summary
    out = []
    if s.duplicates:
        many = "1 event has" if s.duplicates == 1 else f"{count(s.duplicates)} events have"
        out.append(f"{many} the same customer and time as another; the mean of such scores counts.")
    if s.weighing.kernel == "uniform":
        out.append("Uniform kernel: every moment of a warning counts the same, early or late.")
    if s.weighing.ends:
        perfect = significant(timeliness.trivial("q")["perfect"], 4)
        out.append(
            f"Sampled at {count(len(s.weighing.ends))} period ends as in the paper: this is biased, a perfect model would "
            f"have {perfect} and not 1."
        )
    for reason, n in timeliness.dropped.items():
        out.append(f"{count(n)} {'row was' if n == 1 else 'rows were'} left out: {reason}.")
    out += [f"{NAMES[name]}: {timeliness[name].note}." for name in ("q",) if timeliness[name].note]
    return out


def quality_table(timeliness: Timeliness) -> SmallTable:
    """The model beside those that need no data."""
    names = [n for n in ("q", "q0", "value_q") if n != "value_q" or timeliness.summary.valued]
    head = ("", *(NAMES[n] for n in names), f"{percent(timeliness.confidence)} interval of Q")
    model = [_cells(timeliness[n]) for n in names]
    rows: list[tuple[str, ...]] = [("the model", *(value for value, _ in model), model[0][1])]
    # To twelve digits, so that the last bit of a sum does not turn 1 into 1.000.
    trivial = {n: {m: float(f"{v:.12g}") for m, v in timeliness.trivial(n).items()} for n in names}
    for name in trivial["q"]:
        rows.append((quoted(name), *(significant(trivial[n][name]) if trivial[n] else "n/a" for n in names), ""))
    return SmallTable("Beside models without data", head, "l" + "r" * len(names) + "l", rows)


def timeliness_text(timeliness: Timeliness) -> str:
    """The story, 80 columns wide."""
    first, *others = timeliness_sentences(timeliness)
    made = quality_table(timeliness)
    lines = table(made.head, made.rows, made.align)
    blocks = [
        verdict_lines(timeliness.verdict),
        wrap(first, WIDTH),
        [INDENT + line for line in lines],
        wrapped(others),
        noted(timeliness_notes(timeliness)),
    ]
    told = blocks_text(blocks)
    return told if timeliness.alerted is None else f"{told}\n\n{alert_text(timeliness.alerted)}"


# Alerts ---------------------------------------------------------------------------------------------------------------


def alert_sentences(alerts: AlertResult) -> list[str]:
    """What happens at the threshold."""
    unit = alerts.time_unit
    at, period = shortest(float(f"{alerts.threshold:.6g}")), in_units(shortest(alerts.horizon), unit)
    first = f"At a threshold of {at} there {_many(alerts.alerts, 'alert')} in a period of {period}"
    if alerts.budget is not None:
        first += f", at most {shortest(alerts.budget)} per {per_unit(unit)}"
    if alerts.quiet is not None:
        first += f"; {count(alerts.suppressed)} more fell into a quiet period of {in_units(shortest(alerts.quiet), unit)} and "
        first += f"{'was' if alerts.suppressed == 1 else 'were'} held back"
    out = [f"{first}."]
    recall, lead = alerts["recall"], alerts["median_lead_time"]
    said = estimate_text(lead) + (f" {unit}" if unit else "")
    ahead = f", half of them at least {said} ahead" if lead.value is not None else ""
    out.append(f"They catch {_of_hundred(recall, 'outcomes')}{ahead}.")
    false, precision = alerts["false_alarms_per_time"], alerts["precision"]
    tail = "" if precision.value is None else f"; {_of_hundred(precision, 'customers alerted')} had the outcome"
    out.append(f"There are {estimate_text(false)} false alarms per {per_unit(unit)}{tail}.")
    if alerts["value_saved"].value is not None:
        out.append(f"Value saved if acted on at the first alert: {estimate_text(alerts['value_saved'])}.")
    return out


def _of_hundred(share: Estimate, noun: str) -> str:
    if share.value is None:
        return f"{estimate_text(share)} of {noun}"
    value, limits = in_hundred(share)
    return f"{value} of 100 {noun}{limits}"


def _many(n: int, what: str) -> str:
    return f"is 1 {what}" if n == 1 else f"are {count(n)} {what}s"


def alert_table(alerts: AlertResult) -> SmallTable:
    """Every number of the alerts; a reason stands where the interval would."""
    rows: list[tuple[str, ...]] = []
    for name, x in alerts.numbers.items():
        if x.value is None:
            if name != "value_saved":
                rows.append((_number_name(name, alerts.time_unit), "n/a", x.reason))
            continue
        value, interval = _cells(x)
        rows.append((_number_name(name, alerts.time_unit), value, interval or ("no interval" if x.low is None else "")))
    confidence = next(iter(alerts.numbers.values())).confidence
    title = f"Alerts at {shortest(float(f'{alerts.threshold:.6g}'))}"
    return SmallTable(title, ("measure", "value", f"{percent(confidence)} interval"), "lrl", rows)


def _number_name(name: str, unit: str) -> str:
    """A number as people call it, with the unit of time in it.

    >>> _number_name("false_alarms_per_customer_and_time", "days"), _number_name("median_lead_time", "days")
    ('false alarms per customer and day', 'median lead time (days)')
    """
    told = name.replace("_", " ")
    if not unit:
        return told
    if "lead time" in told:
        return f"{told} ({unit})"
    return f"{told.removesuffix('time')}{per_unit(unit)}" if told.endswith(" time") else told


def alert_text(alerts: AlertResult) -> str:
    """The story of alerts, 80 columns wide."""
    made = alert_table(alerts)
    lines = table(("", *made.head[1:]), made.rows, made.align)
    blocks = [
        wrapped(alert_sentences(alerts)),
        [INDENT + line for line in lines],
        wrap(alerts.note, WIDTH, "Note: ", "      ") if alerts.note else [],
    ]
    return blocks_text(blocks)


# Models compared ------------------------------------------------------------------------------------------------------


def comparison_sentences(comparison: TimelinessComparison) -> list[str]:
    """Which model warns earlier, and by how much."""
    out = []
    for d in comparison.differences:
        name, p = (NAMES[d.measure], "" if d.p_value is None else f", {p_told(d.p_value)}")
        if d.value is None:
            out.append(f"{name} of {quoted(d.first)} and {quoted(d.second)} cannot be compared: {d.reason}.")
            continue
        one, two = (significant(v) if v is not None else "n/a" for v in d.values)
        pair = f"{quoted(d.first)} and {quoted(d.second)}"
        said = {
            BETTER: f"{quoted(d.first)} has a higher {name} than {quoted(d.second)}",
            WORSE: f"{quoted(d.first)} has a lower {name} than {quoted(d.second)}",
        }.get(d.verdict, f"It is not clear which of {pair} has the higher {name}")
        if d.verdict.startswith("neither"):
            told = d.verdict.removeprefix("neither ")
            said = f"Neither of {pair} {told}, the best model without data, so neither is called better"
        out.append(f"{said}: {one} against {two}, difference {d}{p}.")
    return [*out, f"{IMPROPER}; look at calibration, and at what alerts catch.", _paired(comparison)]


def _paired(comparison: TimelinessComparison) -> str:
    d = comparison.differences[0]
    pairs = len(comparison.models) * (len(comparison.models) - 1) // 2
    told = f"Paired by customer, {count(d.n[0])} of them; {percent(d.confidence)} intervals."
    if pairs > 1:
        told += f" Intervals, p-values and verdicts are for the {count(pairs)} pairs at once (Bonferroni)."
    return told


def comparison_table(comparison: TimelinessComparison) -> SmallTable:
    """A row for each pair and number."""
    rows: list[tuple[str, ...]] = []
    for d in comparison.differences:
        value, low, high = ("n/a", "", "") if d.value is None else estimate_parts(d.value, d.low, d.high)
        pair = f"{visible(d.first)} − {visible(d.second)}"
        told = (value, bracketed(low, high), p_text(d.p_value), d.verdict or d.reason)
        rows.append((NAMES[d.measure], pair, *told))
    head = ("", "models", "difference", f"{percent(comparison.differences[0].confidence)} interval", "p", "verdict")
    return SmallTable("Differences", head, "llrlrl", rows)


def comparison_text(comparison: TimelinessComparison) -> str:
    """The story of a comparison, 80 columns wide."""
    made = comparison_table(comparison)
    told = wrapped(comparison_sentences(comparison))
    lines = table(made.head, made.rows, made.align)
    blocks = [told, [INDENT + line for line in lines], table_lines(laid_out(comparison.table()))]
    return blocks_text(blocks)


# Charts ---------------------------------------------------------------------------------------------------------------


def _values(curve: Curve, *names: str) -> list[list[float | None]]:
    return [list(curve.columns[name]) for name in names]


def _axis(what: str, curve: Curve) -> str:
    unit = str(curve.facts.get("time_unit", ""))
    return f"{what} ({unit})" if unit else what


@chart_of("scores_over_time")
def scores_chart(curve: Curve) -> Chart:
    """The mean score in force of both classes over the period."""
    x, one, one_low, one_high = _values(curve, "time", "positives", "positives_low", "positives_high")
    zero, zero_low, zero_high = _values(curve, "negatives", "negatives_low", "negatives_high")
    base = float(curve.facts["base_rate"])
    horizon = float(curve.facts["horizon"])
    marks: list[Mark] = [
        Rule(y=base),
        Text(horizon, base, "base rate", anchor="end", dx=-4, dy=-5),
        Band(x, zero_low, zero_high, "quiet"),
        Line(x, zero, "quiet", 2, label="without"),
        Band(x, one_low, one_high, 0),
        Line(x, one, 0, 2.5, label="with the outcome"),
    ]
    seen = [v for v in (*one, *one_high, *zero, *zero_high, base) if v is not None]
    up = Scale(0.0, min(1.0, 1.08 * max(seen)) or 1.0, "Mean score in force", "share")
    said = (
        f"Mean score in force over the period, with {percent(curve.confidence)} bands: positives end at "
        f"{significant(one[-1] or 0.0)}, negatives at {significant(zero[-1] or 0.0)}."
    )
    across = Scale(0.0, horizon, _axis("Time since the start of the period", curve))
    return Chart(curve.name, "Scores over time", across, up, tuple(marks), said, curve.columns, size=SIZE)


@chart_of("l_quality_over_time")
def l_quality_chart(curve: Curve) -> Chart:
    """How well the scores in force rank, over the period."""
    x, y, low, high = _values(curve, "time", "l_quality", "low", "high")
    seen = [v for v in (*y, *low, *high) if v is not None]
    least = min(0.0, *seen)
    horizon = float(curve.facts["horizon"])
    marks = (Rule(y=0.0), Text(horizon, 0.0, "random order", anchor="end", dy=-5), Band(x, low, high), Line(x, y))
    said = f"L-quality of the scores in force over the period, with {percent(curve.confidence)} bands."
    across = Scale(0.0, horizon, _axis("Time since the start of the period", curve))
    up = Scale(least, 1.0, "L-quality (2 AUC − 1)")
    found = "" if y[-1] is None else f"L-quality {significant(y[-1])} at the end of the period"
    return Chart(curve.name, "Ranking over time", across, up, marks, said, curve.columns, size=SIZE, finding=found)


@chart_of("detection")
def detection_chart(curve: Curve) -> Chart:
    """The share of outcomes caught at least so far ahead."""
    x, y, low, high = _values(curve, "ahead", "caught", "low", "high")
    half = float(curve.facts["median"] or 0.0)
    told = in_units(significant(half), str(curve.facts.get("time_unit", "")))
    marks: list[Mark] = [Band(x, low, high), Line(x, y)]
    if y[0]:
        level = float(np.interp(half, np.array(x, dtype=float), np.array(y, dtype=float)))
        marks.append(Point(half, level, 0, "ring", 5))
        # The words stand where there is room for them.
        left = half > float(curve.facts["horizon"]) / 2
        anchor, dx, dy = ("end", -9, 20) if left else ("start", 9, -6)
        marks.append(Text(half, level, f"half: {told} ahead", "ink", anchor=anchor, dx=dx, dy=dy))
    said = f"{percent(y[0] or 0.0)} of the outcomes are caught; half of these at least {told} ahead."
    across = Scale(0.0, float(curve.facts["horizon"]), _axis("Time ahead of the outcome, at least", curve))
    up = Scale(0.0, 1.0, "Share of outcomes caught", "share")
    return Chart(curve.name, "Detection", across, up, tuple(marks), said, curve.columns, size=SIZE, finding=said[:-1])
