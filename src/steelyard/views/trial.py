"""A trial in sentences, in tables, and in plain text of 80 columns."""

from __future__ import annotations

from typing import Any

from steelyard.views.layout import WIDTH, fit, table, table_width, wrap
from steelyard.views.tables import Table
from steelyard.words import count, estimate_parts, estimate_text, percent, quoted, significant, visible

INDENT = "  "
NOT_VALID = "not valid here"
KINDS = {"0/1": "a yes or no", "count": "a count", "number": "a number"}
FORBIDDEN = {"blocked by the sample ratio", "not comparable"}


# Sentences ------------------------------------------------------------------------------------------------------------


def trial_sentences(t: Any) -> list[str]:
    """The verdict, its reasons, then design, sample ratio, effect, power, looks, bands and money."""
    parts = (_verdict, _design, _ratio, _effect, _spread, _power, looks_sentences, uplift_sentences, _money)
    return [said for part in parts for said in part(t)]


def _verdict(t: Any) -> list[str]:
    names = f"{quoted(t.design.treated)} against {quoted(t.design.control)}"
    return [f"Verdict: {t.verdict} ({names}; a {t.design.direction} outcome counts as good).", *t.reasons, *_caution(t)]


def _caution(t: Any) -> list[str]:
    return ["Nothing below may be read as the effect of the treatment."] if t.verdict in FORBIDDEN else []


def _design(t: Any) -> list[str]:
    d = t.design
    periods = f", {count(d.periods)} periods" if d.periods else ""
    units = f"{count(d.units)} units, " if d.units is not None else ""
    out = [
        f"Unit of analysis: {d.unit}, because {d.because}.",
        f"The outcome is {KINDS[d.kind]}; {units}{count(d.rows)} rows{periods}.",
    ]
    if d.dropped:
        out.append(f"{count(d.dropped)} rows with missing values were left out.")
    if d.others:
        out.append(f"{count(d.others)} rows of other groups were left out.")
    for b in t.balances:
        said = (
            f"Before the trial the {b.name} differs between the arms by {estimate_text(b.estimate)} standard deviations"
        )
        if b.beyond_chance:
            out.append(f"{said}: more than 0.1 and more than chance gives; the groups are not exchangeable.")
        elif b.flagged:
            out.append(f"{said}: more than 0.1, though chance may give it.")
        else:
            out.append(f"{said}.")
    return out


def _ratio(t: Any) -> list[str]:
    if t.ratio is None:
        return ["Sample ratio: not checked, since the number of exposed units was not given."]
    return [f"Sample ratio: {t.ratio}."]


def _effect(t: Any) -> list[str]:
    m, e = t.primary, t.effect
    if e.value is None:
        return [f"Effect: n/a ({e.reason})."]
    one, other = (significant(v) if v is not None else "n/a" for v in e.values)
    if e.measure == "share":
        one, other = (percent(float(f"{v:.3g}")) for v in e.values)
    p = "" if e.p_value is None else f", p {_p(e.p_value)}"
    per = "period" if t.design.analysis == "period" else "unit and period" if t.design.repeated else "unit"
    told = "no interval" if e.low is None else f"{percent(t.confidence)} interval"
    return [
        f"Effect: {one} per {per} against {other} in the control, a difference of {e} ({m.name}, {told}{p})."
        + ("" if m.valid else f" It is {NOT_VALID}: {m.why}.")
    ]


def _spread(t: Any) -> list[str]:
    out = []
    if t.dispersion is not None and t.dispersion.verdict != "as much":
        word = t.dispersion.verdict
        more = "so methods that take events for independent are not valid here"
        less = "by capped capacity, smoothing, chosen periods or luck, so results by period look surer than they may be"
        tail = more if word == "more" else less
        p = _p(t.dispersion.p_over if word == "more" else t.dispersion.p_under)
        factor = significant(t.dispersion.factor)
        out.append(f"The periods vary {word} than independent events would (dispersion {factor}, p {p}), {tail}.")
    if t.neighbours is not None and t.neighbours.alike:
        r = significant(t.neighbours.correlation, 2)
        out.append(
            f"Neighbouring periods are alike (correlation {r} of {t.neighbours.of}, p {_p(t.neighbours.p_value)}): "
            "there are fewer independent ones than it seems."
        )
    if any(m.unshown for m in t.methods) and t.primary.valid and t.design.analysis == "period":
        out.append(
            "Nothing shows that periods are independent of each other, so the method that decides allows for neighbours that are "
            "alike (a correlation of up to 0.6). Where each period has new units, drawn at random, say that they are independent."
        )
    return out


def _power(t: Any) -> list[str]:
    out = []
    if_so = " if periods are independent" if t.careful is not None else ""
    for i, plan in enumerate(t.plans):
        basis = "the spread seen within the arms" if i == 0 else "Poisson's spread"
        out.append(f"Power: by {basis}, a trial of this size sees effects from {_from(plan)} with 80% chance{if_so}.")
    if t.careful is not None:
        basis = "the spread of the differences"
        out.append(f"Power: by {basis}, the method that decides sees effects from {_from(t.careful)} with 80% chance.")
    return out


def _from(plan: Any) -> str:
    known = plan.relative is not None and plan.relative < 1
    part = f" ({percent(round(plan.relative, 3))} of the control's)" if known else ""
    return f"{significant(plan.effect)}{part}"


def looks_sentences(t: Any) -> list[str]:
    """What may be said however often one looks, or why nothing may."""
    if t.looks is None:
        return [f"Looking at any time: {t.looks_why}."]
    x = t.looks
    first = "" if x.first_clear is None or len(x.looks) < 2 else f", first after {visible(x.first_clear)}"
    word = f"clear{first}" if x.clear else "no evidence that holds at any time"
    ends = f", {x.estimates[-1]}" if x.estimates else ""
    top = max(x.e_values)
    told = f", {x.note}" if x.note else ""
    return [
        f"Looking at any time: {word} (largest e-value {significant(top)}, p {_p(x.p_value)}{ends}; {x.name}{told})."
    ]


def uplift_sentences(t: Any) -> list[str]:
    """Whether acting helps most where the score is high."""
    u = t.uplift
    if u is None:
        return []
    words = {
        "most where the score is high": "Acting helps most where the score is high",
        "most where the score is low": "Acting helps most where the score is low, not where it is high",
        "no clear difference": "Whether acting helps more where the score is high is not clear",
        "not known": "Whether acting helps more where the score is high cannot be said",
    }
    halves = "" if u.contrast.value is None else f": upper half of the scores less lower half {u.contrast}"
    return [
        f"{words[u.verdict]}{halves}.",
        f"Qini coefficient {estimate_text(u.qini_coefficient)} (0 is acting at random); area under the uplift curve "
        f"{estimate_text(u.auuc)}.",
    ]


def _money(t: Any) -> list[str]:
    m = t.money
    if m is None:
        return []
    periods = " periods" if m.per == "period" else ""
    made = f"Money: {estimate_text(m.each)} per {m.per}, {estimate_text(m.total)} in all for {count(m.treated)} treated{periods}."
    return [made]


def _p(p: float) -> str:
    return f"= {significant(p, 2)}" if p >= 0.0001 else "< 0.0001"


# Text -----------------------------------------------------------------------------------------------------------------


def trial_text(t: Any) -> str:
    """The whole trial in 80 columns."""
    lines: list[str] = []
    for said in trial_sentences(t):
        lines += wrap(said, WIDTH, "", INDENT)
    lines += ["", *_laid(methods_table(t))]
    lines += [line for text in method_notes(t) for line in wrap(text, WIDTH, INDENT, INDENT + INDENT)]
    if t.uplift is not None:
        lines += ["", *_laid(bands_table(t))]
    return "\n".join(lines)


def methods_table(t: Any) -> Table:
    """The sensitivity table: every method with the unit it takes for independent, and where it is not valid."""
    head: tuple[str, ...] = ("method", "unit", "effect", f"{percent(t.confidence)} interval", "p", "")
    rows: list[tuple[str, ...]] = []
    for m in t.methods:
        e = m.effect
        value, interval, p = "n/a", "", ""
        if e.value is not None:
            value, low, high = estimate_parts(e.value, e.low, e.high)
            interval = f"{low} to {high}" if low else ""
            value = f"× {value}" if m.ratio else value
        if e.p_value is not None:
            p = "< 0.0001" if e.p_value < 0.0001 else f"{e.p_value:.4f}"
        mark = "decides" if m.primary and m.valid else "" if m.valid else NOT_VALID
        rows.append((m.name, m.unit, value, interval, p, mark))
    return Table("Every method (treated less control; × treated over control)", head, "llrlrl", rows)


def method_notes(t: Any) -> list[str]:
    """Why methods are not valid here, and what else is to be known of them; methods with the same reason together."""
    why: dict[str, list[str]] = {}
    for m in t.methods:
        for text in filter(None, ("" if m.valid else f"{NOT_VALID}: {m.why}", m.effect.note if m.valid else "")):
            why.setdefault(text, []).append(m.name)
    out = []
    for text, names in why.items():
        rest = [m.name for m in t.methods if m.name not in names]
        whom = f"All but {rest[0]}" if len(rest) == 1 and len(names) > 2 else ", ".join(names)
        out.append(f"{whom}: {text}.")
    return out


def bands_table(t: Any) -> Table:
    """The gain in every band of the score."""
    head = ("band", "scores", "treated", "control", "gain", f"{percent(t.confidence)} interval")
    rows: list[tuple[str, ...]] = []
    for b in t.uplift.bands:
        e = b.effect
        value, low, high = ("n/a", "", "") if e.value is None else estimate_parts(e.value, e.low, e.high)
        span = f"{significant(b.low)} to {significant(b.high)}"
        rows.append((str(b.number), span, count(e.n[0]), count(e.n[1]), value, f"{low} to {high}" if low else ""))
    return Table("Gain by score band, highest scores first (above 0 is good)", head, "llrrrl", rows)


def _laid(t: Table) -> list[str]:
    head, rows, align = t.head, t.rows, t.align
    if head[1] == "unit" and table_width(head, rows) > WIDTH - len(INDENT):
        # The names of the methods tell the unit as well.
        head, rows, align = (head[0], *head[2:]), [(row[0], *row[2:]) for row in rows], "lrlrl"
    return [t.title, *(fit(INDENT + line, WIDTH) for line in table(head, rows, align))]
