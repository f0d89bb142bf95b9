"""A trial in plain text of 80 columns, in sentences, and in pictures."""

from __future__ import annotations

import math
from typing import Any

from steelyard.charts.marks import Band, Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale
from steelyard.views.layout import WIDTH, fit, table, table_width, wrap
from steelyard.words import count, estimate_parts, estimate_text, percent, quoted, significant, visible

INDENT = "  "
NOT_VALID = "not valid here"
KINDS = {"0/1": "a yes or no", "count": "a count", "number": "a number"}
MOST_PERIODS = 400
FEW_PERIODS = 30
FORBIDDEN = {"blocked by the sample ratio", "not comparable"}


# Sentences ------------------------------------------------------------------------------------------------------------


def trial_sentences(t: Any) -> list[str]:
    """The verdict, its reasons, then design, sample ratio, effect, power, looks, bands and money."""
    parts = (_verdict, _design, _ratio, _effect, _spread, _power, _looks, _uplift, _money)
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
    level = percent(t.confidence)
    return [
        f"Effect: {one} per {per} against {other} in the control, a difference of {e} ({m.name}, {level} interval{p})."
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
    elif t.design.analysis == "period" and t.design.periods < FEW_PERIODS:
        out.append(
            f"{count(t.design.periods)} periods are too few to show that they are independent of each other, which all methods by "
            "period but the slow waves take for granted."
        )
    return out


def _power(t: Any) -> list[str]:
    out = []
    for i, plan in enumerate(t.plans):
        part = (
            ""
            if plan.relative is None or plan.relative >= 1
            else f" ({percent(round(plan.relative, 3))} of the control's)"
        )
        basis = "the spread seen within the arms" if i == 0 else "Poisson's spread"
        out.append(
            f"Power: by {basis}, a trial of this size sees effects from {significant(plan.effect)}{part} with 80% chance."
        )
    return out


def _looks(t: Any) -> list[str]:
    if t.looks is None:
        return [f"Looking at any time: {t.looks_why}."]
    x = t.looks
    first = "" if x.first_clear is None or len(x.looks) < 2 else f", first after {visible(x.first_clear)}"
    word = f"clear{first}" if x.clear else "no evidence that holds at any time"
    ends = f", {x.estimates[-1]}" if x.estimates else ""
    top = max(x.e_values)
    return [f"Looking at any time: {word} (largest e-value {significant(top)}, p {_p(x.p_value)}{ends}; {x.name})."]


def _uplift(t: Any) -> list[str]:
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
    lines += ["", *_table(t)]
    if t.uplift is not None:
        lines += ["", *_bands(t)]
    return "\n".join(lines)


def _table(t: Any) -> list[str]:
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
    lines = ["Every method (treated less control; × treated over control)"]
    align = "llrlrl"
    if table_width(head, rows) > WIDTH - len(INDENT):
        # The names of the methods tell the unit as well.
        head, rows, align = (head[0], *head[2:]), [(row[0], *row[2:]) for row in rows], "lrlrl"
    lines += [fit(INDENT + line, WIDTH) for line in table(head, rows, align)]
    why: dict[str, list[str]] = {}
    for m in t.methods:
        for text in filter(None, ("" if m.valid else f"{NOT_VALID}: {m.why}", m.effect.note if m.valid else "")):
            why.setdefault(text, []).append(m.name)
    for text, names in why.items():
        lines += wrap(f"{', '.join(names)}: {text}.", WIDTH, INDENT, INDENT + INDENT)
    return lines


def _bands(t: Any) -> list[str]:
    head = ("band", "scores", "treated", "control", "gain", f"{percent(t.confidence)} interval")
    rows = []
    for b in t.uplift.bands:
        e = b.effect
        value, low, high = ("n/a", "", "") if e.value is None else estimate_parts(e.value, e.low, e.high)
        span = f"{significant(b.low)} to {significant(b.high)}"
        rows.append((str(b.number), span, count(e.n[0]), count(e.n[1]), value, f"{low} to {high}" if low else ""))
    lines = ["Gain by score band, highest scores first (above 0 is good)"]
    return lines + [fit(INDENT + line, WIDTH) for line in table(head, rows, "llrrrl")]


# Pictures -------------------------------------------------------------------------------------------------------------


def trial_charts(t: Any) -> dict[str, Chart]:
    """Those pictures for which there is something to show."""
    out = {"effect": effect_chart(t)}
    if t.periods is not None and 1 < len(t.periods.names) <= MOST_PERIODS:
        out["periods"] = periods_chart(t)
    if t.looks is not None and len(t.looks.looks) > 1:
        out["looks"] = looks_chart(t)
    if t.uplift is not None:
        out |= {"bands": bands_chart(t), "uplift": curve_chart(t, "uplift"), "qini": curve_chart(t, "qini")}
    return out


def _room(values: list[float], none: float = 0.0) -> tuple[float, float]:
    """Ends of a scale with a little space around the values."""
    low, high = min([*values, none]), max([*values, none])
    space = 0.06 * ((high - low) or 1.0)
    return low - space, high + space


def effect_chart(t: Any) -> Chart:
    """A forest of all methods: the relative effect of each with its interval, pale where the method is not valid here."""
    shown: list[Any] = [(m, *_relative(m)) for m in t.methods if m.effect.value is not None]
    shown = [row for row in shown if row[1] is not None][::-1]
    ends = [v for _, *three in shown for v in three if v is not None and math.isfinite(v)]
    low, high = _room(ends)
    marks: list[Mark] = [Rule(x=0.0)]
    for i, (m, value, a, b) in enumerate(shown):
        colour = "quiet" if not m.valid else 1 if m.primary else 0
        left, right = (None, None) if a is None or b is None else (max(a, low), min(b, high))
        marks.append(Point(value, float(i), colour, "diamond" if m.primary else "circle", 5.0, left, right))
        if not m.valid:
            marks.append(Text(high, float(i), NOT_VALID, "quiet", "end", dy=-7))
    across = Scale(low, high, f"Outcome of {visible(t.design.treated)} against the control", "share")
    up = Scale(-0.6, len(shown) - 0.4, "", "names", tuple(m.name for m, *_ in shown))
    columns = {
        "method": [m.name for m, *_ in shown],
        "relative": [r[1] for r in shown],
        "low": [r[2] for r in shown],
        "high": [r[3] for r in shown],
        "valid": [r[0].valid for r in shown],
    }
    said = f"{trial_sentences(t)[0]} The relative effect by {len(shown)} methods."
    size = (680.0, 110.0 + 27.0 * len(shown))
    return Chart("effect", f"Effect by method: {t.verdict}", across, up, tuple(marks), said, columns, size=size)


def _relative(m: Any) -> tuple[float | None, float | None, float | None]:
    """Value and ends as a part of the control's outcome, so that differences and ratios stand on one scale."""
    e = m.effect
    parts = (e.value, e.low, e.high)
    if m.ratio:
        found = [None if v is None else v - 1 for v in parts]
    else:
        base = e.values[1]
        if not base:
            return None, None, None
        found = [None if v is None else v / abs(base) for v in parts]
    return found[0], found[1], found[2]


def periods_chart(t: Any) -> Chart:
    """The outcome of both arms, period by period."""
    p, d = t.periods, t.design
    xs = [float(i + 1) for i in range(len(p.names))]
    rows = []
    for i in (1, 0):
        values = p.counts[i] if p.exposed is None or d.analysis == "period" else p.counts[i] / p.exposed[i]
        rows.append([None if math.isnan(v) else float(v) for v in values])
    ys = [v for row in rows for v in row if v is not None]
    low, high = _room(ys, min(ys))
    names = (visible(d.treated), visible(d.control))
    marks: list[Mark] = [Line(xs, row, i, 2.2) for i, row in enumerate(rows)]
    for i, row in enumerate(rows):
        known = [v for v in row if v is not None]
        marks.append(Rule(y=sum(known) / len(known), colour=i))
        marks += [Point(x, v, i, size=3.5) for x, v in zip(xs, row, strict=True) if v is not None]
    step = max(1, math.ceil(len(xs) / 12))
    labels = tuple((x, visible(n)) for x, n in list(zip(xs, p.names, strict=True))[::step])
    across = Scale(0.5, len(xs) + 0.5, "Period", labels=labels)
    what = "Events" if d.analysis == "period" and d.kind != "number" else "Mean outcome"
    columns: dict[str, Any] = {"period": [str(n) for n in p.names], names[0]: rows[0], names[1]: rows[1]}
    said = f"The outcome of both arms in {len(xs)} periods; dashed lines are the means."
    legend = ((names[0], 0), (names[1], 1))
    return Chart(
        "periods",
        "Outcome by period",
        across,
        Scale(low, high, what),
        tuple(marks),
        said,
        columns,
        legend,
        (640.0, 340.0),
    )


def looks_chart(t: Any) -> Chart:
    """The evidence after every look, with the line above which it is enough."""
    x = t.looks
    floor, top = 1e-3, 1e6
    xs = [float(i + 1) for i in range(len(x.looks))]
    ys = [min(max(e, floor), top) for e in x.e_values]
    need = 1 / (1 - x.confidence)
    up = Scale(min(*ys, 0.1) / 2, max(*ys, need) * 2, "e-value", "log")
    marks: list[Mark] = [
        Rule(y=need),
        Rule(y=1.0, dash="1 4"),
        Line(xs, ys, 0, 2.4),
        Text(
            xs[-1],
            need,
            f"enough at any time ({count(round(need, 1))})",
            "quiet",
            "end",
            dy=14 if ys[-1] > need else -6,
        ),
    ]
    across = Scale(1.0, max(xs[-1], 2.0), "Look")
    columns: dict[str, Any] = {"look": [str(v) for v in x.looks], "e_value": list(x.e_values)}
    said = _looks(t)[0]
    return Chart(
        "looks", "Evidence that holds at every look", across, up, tuple(marks), said, columns, size=(560.0, 340.0)
    )


def bands_chart(t: Any) -> Chart:
    """The gain in every score band with its interval."""
    bands = [b for b in t.uplift.bands if b.effect.value is not None][::-1]
    ends = [v for b in bands for v in (b.effect.value, b.effect.low, b.effect.high) if v is not None]
    low, high = _room(ends)
    marks: list[Mark] = [Rule(x=0.0)]
    for i, b in enumerate(bands):
        marks.append(Point(b.effect.value, float(i), 0, size=5.0, low=b.effect.low, high=b.effect.high))
    names = tuple(f"{significant(b.low)} to {significant(b.high)}" for b in bands)
    across = Scale(low, high, "Gain from acting (above 0 is good)")
    up = Scale(-0.6, len(bands) - 0.4, "Score", "names", names)
    columns = {"band": [b.number for b in bands]} | {
        part: [getattr(b.effect, part) for b in bands] for part in ("value", "low", "high")
    }
    size = (600.0, 110.0 + 27.0 * len(bands))
    return Chart("bands", "Gain by score band", across, up, tuple(marks), _uplift(t)[0], columns, size=size)


def curve_chart(t: Any, name: str) -> Chart:
    """The uplift or Qini curve with its band, beside acting at random."""
    curve = t.uplift.uplift if name == "uplift" else t.uplift.qini
    c = {k: list(v) for k, v in curve.columns.items()}
    ends = [*c["low"], *c["high"], *c[name]]
    low, high = _room(ends)
    last = c[name][-1]
    marks: list[Mark] = [
        Rule(y=0.0),
        Band(c["share"], c["low"], c["high"], 0),
        Line([0.0, 1.0], [0.0, last], "quiet", 1.5, "4 3"),
        Line(c["share"], c[name], 0, 2.5),
    ]
    titles = {"uplift": "Uplift curve: gain per unit of all", "qini": "Qini curve: gain per treated unit"}
    across = Scale(0.0, 1.0, "Share acted on, highest scores first", "share")
    up = Scale(low, high, "Gain")
    said = _uplift(t)[1]
    legend = (("by score", 0), ("at random", "quiet"))
    return Chart(name, titles[name], across, up, tuple(marks), said, c, legend, (560.0, 380.0))
