"""A trial in sentences, in tables, and in plain text of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steelyard.results import Estimate
from steelyard.verdicts.comparison import NOT_KNOWN, UNCLEAR
from steelyard.verdicts.trial import AS_MUCH, FORBIDDEN, LEAST, MOST, SPREAD_MORE
from steelyard.views.layout import WIDTH, fit, table, table_width, wrap
from steelyard.views.tables import SmallTable
from steelyard.views.tabulations import laid_out
from steelyard.views.text import table_lines
from steelyard.views.verdict import verdict_lines
from steelyard.words import (
    bracketed,
    count,
    estimate_parts,
    estimate_text,
    in_prose,
    p_told,
    percent,
    quoted,
    significant,
    visible,
)

if TYPE_CHECKING:
    from steelyard.results import Difference
    from steelyard.trials.planning import TrialPlan
    from steelyard.trials.trial import Trial

INDENT = "  "
NOT_VALID = "not valid here"
KINDS = {"0/1": "a yes or no", "count": "a count", "number": "a number"}
ADJUSTED = "CUPED by unit"
MOST_PERIODS = 14
"""So many periods are told one by one; all of them are in t.table()."""
MOST_TOLD = 1_000_000
"""Beyond it, by how much evidence is overwhelming tells nobody more."""


# Sentences ------------------------------------------------------------------------------------------------------------


def trial_sentences(trial: Trial) -> list[str]:
    """The verdict, its reasons, then design, sample ratio, effect, power, looks, bands and money."""
    parts = (_verdict, _design, _ratio, _effect, _spread, _power, looks_sentences, uplift_sentences, _money)
    return [said for part in parts for said in part(trial)]


def _verdict(trial: Trial) -> list[str]:
    names = f"{quoted(trial.design.treated)} against {quoted(trial.design.control)}"
    return [
        f"Verdict: {trial.verdict} ({names}; a {trial.design.direction} outcome counts as good).",
        *trial.reasons,
        *_caution(trial),
    ]


def _caution(trial: Trial) -> list[str]:
    return ["Nothing below may be read as the effect of the treatment."] if trial.verdict in FORBIDDEN else []


def _design(trial: Trial) -> list[str]:
    d = trial.design
    periods = f", {count(d.periods)} periods" if d.periods else ""
    units = f"{count(d.units)} units, " if d.units is not None else ""
    out = [
        f"Unit of analysis: {d.unit}, because {d.because}.",
        f"The outcome is {KINDS[d.kind]}; {units}{count(d.rows)} rows{periods}.",
    ]
    if d.lacking:
        told = [f"period {visible(name)} has no row of {quoted(arm)}" for name, arm in d.lacking[:3]]
        more = f", and {count(len(d.lacking) - 3)} more are like that" if len(d.lacking) > 3 else ""
        lacks = f"A period lacks an arm: {', '.join(told)}{more}"
        out.append(f"{lacks}. It is left out wherever the arms are compared in pairs.")
    if d.scaled:
        out.append("The exposed units are not known, so counts are compared by the planned shares of the arms.")
    if d.dropped:
        out.append(f"{count(d.dropped)} rows with missing values were left out.")
    if d.others:
        out.append(f"{count(d.others)} rows of other groups were left out.")
    for b in trial.balances:
        apart = f"{estimate_text(b.estimate)} standard deviations"
        said = f"Before the trial the {b.name} differs between the arms by {apart}"
        if b.beyond_chance:
            out.append(f"{said}: more than 0.1 and more than chance gives; the groups are not exchangeable.")
        elif b.flagged:
            out.append(f"{said}: more than 0.1, though chance may give it.")
        else:
            out.append(f"{said}.")
    return out


def _ratio(trial: Trial) -> list[str]:
    if trial.ratio is None:
        return ["Sample ratio: not checked, since the number of exposed units was not given."]
    if not trial.ratio.checked:
        return [
            f"Sample ratio: {trial.ratio}. To have it checked, say which shares were planned: {plan_words(trial.ratio.arms)}, or "
            'planned="equal" (--planned equal).'
        ]
    return [f"Sample ratio: {trial.ratio}."]


def plan_words(arms: tuple[Any, ...]) -> str:
    """How the planned shares of these arms are said, in Python and on the command line.

    >>> print(plan_words(("hold", "call")))
    planned={'hold': ..., 'call': ...} (--planned hold=...,call=...)
    """
    python = ", ".join(f"{a!r}: ..." for a in arms)
    return f"planned={{{python}}} (--planned {','.join(f'{visible(a)}=...' for a in arms)})"


def _effect(trial: Trial) -> list[str]:
    m, e = trial.primary, trial.effect
    if e.value is None:
        return [f"Effect: n/a ({e.reason})."]
    one, other = arms_text(trial)
    apart = points(e) if in_shares(trial) else str(e)
    if e.caution and e.caution not in apart:
        apart += f" ({e.caution})"
    told = "no interval" if e.low is None else f"{percent(trial.confidence)} interval"
    said = f"{one} {per_what(trial)} against {other} in the control, a difference of {apart} ({m.name}, {told}"
    if trial.verdict in FORBIDDEN:
        return [f"What happened to the two groups, which is not the effect: {said})."]
    p = "" if e.p_value is None else f", {p_told(e.p_value)}"
    adjusted = " Both are adjusted for the values from before the start." if m.name == ADJUSTED else ""
    return [f"Effect: {said}{p}).{adjusted}" + ("" if m.valid else f" It is {NOT_VALID}: {m.why}.")]


def in_shares(trial: Trial) -> bool:
    """Whether the effect is a difference of shares."""
    return trial.effect.measure == "share" or (trial.design.kind == "0/1" and trial.primary.unit in {"unit", "row"})


def arms_text(trial: Trial) -> tuple[str, str]:
    """What came of the treated and of the control, as it is told."""
    shares, (one, other) = in_shares(trial), trial.effect.values

    def told(v: float | None) -> str:
        return "n/a" if v is None else percent(float(f"{v:.3g}")) if shares else significant(v)

    return told(one), told(other)


def effect_text(trial: Trial) -> str:
    """How far the arms are apart, in a sentence."""
    e, by = trial.effect, 100.0 if in_shares(trial) else 1.0
    value, low, high = (None if v is None else by * v for v in (e.value, e.low, e.high))
    return in_prose(Estimate(e.measure, value, low, high)) + (" points" if in_shares(trial) else f" {per_what(trial)}")


def points(difference: Difference) -> str:
    """A difference of shares in percentage points.

    >>> from steelyard.results import Difference
    >>> points(Difference("share", value=-0.036, low=-0.048, high=-0.024))
    '−3.6 percentage points [−4.8, −2.4]'
    """
    ends = [None if v is None else 100 * v for v in (difference.low, difference.high)]
    value, low, high = estimate_parts(100 * float(difference), ends[0], ends[1])
    return f"{value} percentage points {bracketed(low, high)}".rstrip()


def per_what(trial: Trial) -> str:
    """For whom and how long the outcome is told, such as "per unit", or "per 1,000 exposed and period"."""
    d, p = trial.design, trial.periods
    if d.analysis != "period":
        return "per unit and period" if d.repeated else "per unit"
    if p is None or p.even:
        return "per period"
    return f"per {count(p.level)} exposed and period" if p.known else "per period in arms of equal size"


def _spread(trial: Trial) -> list[str]:
    out = []
    if trial.dispersion is not None and trial.dispersion.verdict != AS_MUCH:
        word = trial.dispersion.verdict
        more = "so methods that take events for independent are not valid here"
        less = "by capped capacity, smoothing, chosen periods or luck, so results by period look surer than they may be"
        tail = more if word == SPREAD_MORE else less
        p = p_told(trial.dispersion.p_over if word == SPREAD_MORE else trial.dispersion.p_under)
        factor = significant(trial.dispersion.factor)
        out.append(f"The periods vary {word} than independent events would (dispersion {factor}, {p}), {tail}.")
    if trial.neighbours is not None and trial.neighbours.alike:
        r = significant(trial.neighbours.correlation, 2)
        out.append(
            f"Neighbouring periods are alike (correlation {r} of {trial.neighbours.of}, {p_told(trial.neighbours.p_value)}): "
            "there are fewer independent ones than it seems."
        )
    if any(m.unshown for m in trial.methods) and trial.primary.valid and trial.design.analysis == "period":
        n = trial.neighbours
        ruled = ""
        if n is not None:
            ruled = f" ({count(n.periods)} periods leave open a correlation of neighbours of up to {n.highest:.2f})"
        out.append(
            f"Nothing shows that periods are independent of each other{ruled}, so a method decides that does not need it: it holds "
            "for any correlation of neighbours up to 0.6. Where each period has new units, drawn at random, say that they are "
            "independent."
        )
    return out


def _power(trial: Trial) -> list[str]:
    """One sentence: what the method that decides can see, and then what it could if more were known."""
    if trial.verdict in FORBIDDEN:
        return []
    seen = [_from(plan) for plan in trial.plans]
    if trial.careful is not None:
        rest = f" If periods were independent, it would be {_either(seen)}." if seen else ""
        return [f"Power: effects from {_from(trial.careful)} are seen with 80% chance by {trial.primary.name}.{rest}"]
    if not seen:
        return []
    after = ", less what the time before explains," if trial.primary.name == ADJUSTED else ""
    poisson = f" (from {seen[1]} if they varied as independent events do)" if len(seen) > 1 else ""
    sees = f"a trial of this size sees effects from {seen[0]} with 80% chance{poisson}"
    return [f"Power: by the spread within the arms{after} {sees}."]


def _either(seen: list[str]) -> str:
    if len(seen) == 1:
        return seen[0]
    return f"{seen[0]} by the spread within the arms, or {seen[1]} by that of independent events"


def _from(plan: TrialPlan) -> str:
    share = plan.relative
    part = f" ({percent(round(share, 3))} of the control's)" if share is not None and share < 1 else ""
    return f"{significant(plan.effect)}{part}"


def looks_sentences(trial: Trial) -> list[str]:
    """What may be said however often one looks, or why nothing may."""
    if trial.looks is None:
        return [f"Looking at any time: {trial.looks_why}."]
    x = trial.looks
    first = "" if x.first_clear is None or len(x.looks) < 2 else f", first after {visible(x.first_clear)}"
    word = f"clear{first}" if x.clear else "no evidence that holds at any time"
    ends = f", {x.estimates[-1]}" if x.estimates else ""
    top = max(x.e_values)
    most = significant(top) if top < MOST_TOLD else f"above {MOST_TOLD:,}"
    told = f", {x.note}" if x.note else ""
    return [f"Looking at any time: {word} (largest e-value {most}, {p_told(x.p_value)}{ends}; {x.name}{told})."]


def uplift_sentences(trial: Trial) -> list[str]:
    """Whether acting helps most where the score is high."""
    u = trial.uplift
    if u is None:
        return [f"What acting does by score is not told: {trial.uplift_why}."] if trial.uplift_why else []
    words = {
        MOST: "Acting helps most where the score is high",
        LEAST: "Acting helps most where the score is low, not where it is high",
        UNCLEAR: "Whether acting helps more where the score is high is not clear",
        NOT_KNOWN: "Whether acting helps more where the score is high cannot be said",
    }
    return [
        f"{words[u.verdict]}{_halves(trial, u.contrast)}.",
        f"Qini coefficient {estimate_text(u.qini_coefficient)} (0 is acting at random); area under the uplift curve "
        f"{estimate_text(u.auuc)}.",
    ]


def _halves(trial: Trial, difference: Difference) -> str:
    """The gain in either half of the scores, and how far they are apart."""
    upper, lower = difference.values
    if difference.value is None or upper is None or lower is None:
        return ""
    share = trial.design.kind == "0/1"
    one, other = (significant(100 * v if share else v) for v in (upper, lower))
    halves = f"{one}{' percentage points' if share else ''} in the upper half of the scores and {other} in the lower"
    return f": the gain is {halves}, a difference of {points(difference) if share else difference}"


def _money(trial: Trial) -> list[str]:
    m = trial.money
    if m is None:
        return []
    return [f"Money: {estimate_text(m.each)} per {m.per}, {estimate_text(m.total)} {money_whole(trial)}."]


def money_whole(trial: Trial) -> str:
    """For how many the money is told in all."""
    m = trial.money
    if m is None or trial.design.scaled:
        return "in all"
    what = {"period": "treated periods"}.get(m.per, "exposed in all periods" if "exposed" in m.per else "treated")
    return f"in all for {count(m.treated)} {what}"


# Text -----------------------------------------------------------------------------------------------------------------


def trial_text(trial: Trial) -> str:
    """The whole trial in 80 columns."""
    lines = [*verdict_lines(trial.verdict), ""]
    for said in trial_sentences(trial):
        lines += wrap(said, WIDTH, "", INDENT)
    if trial.periods is not None and len(trial.periods.names) <= MOST_PERIODS:
        lines += ["", *table_lines(laid_out(trial.table()))]
    lines += ["", *_laid(methods_table(trial))]
    lines += [line for text in method_notes(trial) for line in wrap(text, WIDTH, INDENT, INDENT + INDENT)]
    if trial.uplift is not None:
        lines += ["", *_bands_text(bands_table(trial))]
    return "\n".join(lines)


def methods_table(trial: Trial) -> SmallTable:
    """The sensitivity table: every method with the unit it takes for independent, and where it is not valid."""
    head: tuple[str, ...] = ("method", "unit", "effect", f"{percent(trial.confidence)} interval", "p", "")
    rows: list[tuple[str, ...]] = []
    for m in trial.methods:
        e = m.effect
        value, interval, p = "n/a", "", ""
        if e.value is not None:
            value, low, high = estimate_parts(e.value, e.low, e.high)
            interval = bracketed(low, high)
            value = f"× {value}" if m.ratio else value
        if e.p_value is not None and trial.verdict not in FORBIDDEN:
            p = "< 0.0001" if e.p_value < 0.0001 else f"{e.p_value:.4f}"
        mark = "decides" if m is trial.decides else "" if m.valid else NOT_VALID
        rows.append((m.name, m.unit, value, interval, p, mark))
    title = "Every method (treated less control; × treated over control)"
    if trial.verdict in FORBIDDEN:
        title = "What happened, by every method (treated less control; × treated over control)"
    return SmallTable(title, head, "llrlrl", rows)


def method_notes(trial: Trial) -> list[str]:
    """Why methods are not valid here, and what else is to be known of them; methods with the same reason together."""
    why: dict[str, list[str]] = {}
    for m in trial.methods:
        own = (m.effect.note, m.effect.caution) if m.valid else (f"{NOT_VALID}: {m.why}",)
        for text in filter(None, own):
            why.setdefault(text, []).append(m.name)
    out = []
    for text, names in why.items():
        rest = [m.name for m in trial.methods if m.name not in names]
        whom = f"All but {rest[0]}" if len(rest) == 1 and len(names) > 2 else ", ".join(names)
        out.append(f"{whom}: {text}.")
    p = trial.periods
    if p is not None and p.per is None and not p.even and p.known and any(m.unit == "period" for m in trial.methods):
        out.append(f"Differences by period are told for {count(p.level)} exposed units.")
    return out


def bands_table(trial: Trial) -> SmallTable:
    """The gain in every band of the score."""
    assert trial.uplift is not None
    interval = f"{percent(trial.confidence)} interval"
    head: tuple[str, ...] = ("band", "scores", "treated", "control", "gain", interval, "")
    rows: list[tuple[str, ...]] = []
    for b in trial.uplift.bands:
        e = b.effect
        value, low, high = ("n/a", "", "") if e.value is None else estimate_parts(e.value, e.low, e.high)
        span = f"{significant(b.low)} to {significant(b.high)}"
        said = bracketed(low, high)
        rows.append((str(b.number), span, count(e.n[0]), count(e.n[1]), value, said, e.caution or e.reason))
    title, align = "Gain by score band, highest scores first (above 0 is good)", "llrrrll"
    if not any(row[-1] for row in rows):
        head, align, rows = head[:-1], align[:-1], [row[:-1] for row in rows]
    return SmallTable(title, head, align, rows)


def _bands_text(table: SmallTable) -> list[str]:
    """The bands in 80 columns: what a band rests on is told below, since there is no room beside it."""
    if len(table.head) < 7:
        return _laid(table)
    rows = [(*row[:-2], f"{row[-2]} *" if row[-1] else row[-2]) for row in table.rows]
    why: dict[str, list[str]] = {}
    for row in table.rows:
        if row[-1]:
            why.setdefault(row[-1], []).append(row[0])
    told = "; ".join(f"band {', '.join(bands)} {text}" for text, bands in why.items())
    return [
        *_laid(SmallTable(table.title, table.head[:-1], table.align[:-1], rows)),
        *wrap(f"* {told}.", WIDTH, INDENT, INDENT + INDENT),
    ]


def _laid(shown: SmallTable) -> list[str]:
    head, rows, align = shown.head, shown.rows, shown.align
    if head[1] == "unit" and table_width(head, rows) > WIDTH - len(INDENT):
        # The names of the methods tell the unit as well.
        head, rows, align = (head[0], *head[2:]), [(row[0], *row[2:]) for row in rows], "lrlrl"
    return [shown.title, *(fit(INDENT + line, WIDTH) for line in table(head, rows, align))]
