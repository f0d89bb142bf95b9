"""A trial in pictures: the effect by every method, the periods, the looks, bands and curves of uplift."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Band, Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale
from steelyard.verdicts.trial import FORBIDDEN
from steelyard.views.trial import NOT_VALID, effect_text, looks_sentences, per_what, trial_sentences, uplift_sentences
from steelyard.words import bracketed, count, estimate_parts, in_prose, significant, visible

if TYPE_CHECKING:
    from steelyard.trials.methods import Method
    from steelyard.trials.trial import Trial

MOST_PERIODS = 400


def trial_charts(trial: Trial) -> dict[str, Chart]:
    """Those pictures for which there is something to show."""
    out = {"effect": effect_chart(trial)}
    if trial.periods is not None and 1 < len(trial.periods.names) <= MOST_PERIODS:
        out["periods"] = periods_chart(trial)
    if trial.looks is not None and len(trial.looks.looks) > 1:
        out["looks"] = looks_chart(trial)
    if trial.uplift is not None:
        out |= {"bands": bands_chart(trial), "uplift": curve_chart(trial, "uplift"), "qini": curve_chart(trial, "qini")}
    return out


def _room(values: list[float], none: float = 0.0) -> tuple[float, float]:
    """Ends of a scale with a little space around the values."""
    low, high = min([*values, none]), max([*values, none])
    space = 0.06 * ((high - low) or 1.0)
    return low - space, high + space


def effect_chart(trial: Trial) -> Chart:
    """A forest of all methods: the relative effect of each with its interval; the one that decides has the colour."""
    shown: list[Any] = [(m, *_relative(m)) for m in trial.methods if m.effect.value is not None]
    shown = [row for row in shown if row[1] is not None][::-1]
    ends = [v for _, *three in shown for v in three if v is not None and math.isfinite(v)]
    low, high = _room(ends)
    marks: list[Mark] = [Rule(x=0.0)]
    for i, (m, value, a, b) in enumerate(shown):
        decides = m is trial.decides
        colour: int | str = 0 if decides else "quiet"
        left, right = (None, None) if a is None or b is None else (max(a, low), min(b, high))
        marks.append(Point(value, float(i), colour, "diamond" if decides else "circle", 5.0, left, right))
        if not m.valid:
            marks.append(Text(high, float(i), NOT_VALID, "quiet", "end", dy=-7))
    across = Scale(low, high, f"Relative difference of {visible(trial.design.treated)} from the control", "share")
    up = Scale(-0.6, len(shown) - 0.4, "", "names", tuple(m.name for m, *_ in shown))
    names = ("method", "relative", "low", "high", "valid")
    told = [(m.name, *three, m.valid) for m, *three in shown]
    columns = {name: [row[i] for row in told] for i, name in enumerate(names)}
    what = "difference" if trial.verdict in FORBIDDEN else "effect"
    said = f"{trial_sentences(trial)[0]} The relative {what} by {len(shown)} methods."
    more: dict[str, Any] = {"size": (680.0, 110.0 + 27.0 * len(shown)), "finding": _relative_finding(trial)}
    return Chart("effect", f"Relative {what} by method", across, up, tuple(marks), said, columns, **more)


def _relative_finding(trial: Trial) -> str:
    """The verdict, and the relative effect by the method that decides, as it is drawn."""
    decides = trial.decides
    value, low, high = (None, None, None) if decides is None else _relative(decides)
    if value is None:
        return _finding(trial)
    scaled = [None if v is None or not math.isfinite(v) else 100 * v for v in (value, low, high)]
    told, *ends = estimate_parts(100 * value, scaled[1], scaled[2])
    limits = f" {bracketed(*ends)}" if ends[0] else ""
    return f"{_finding(trial).partition(':')[0]}: {told}%{limits} against the control"


def _finding(trial: Trial) -> str:
    """The verdict and how far the arms are apart."""
    state = trial.verdict.state
    apart = "" if trial.effect.value is None else f": {effect_text(trial)}"
    return f"{state[:1].upper()}{state[1:]}{apart}"


def _relative(method: Method) -> tuple[float | None, float | None, float | None]:
    """Value and ends as a part of the control's outcome, so that differences and ratios stand on one scale."""
    e = method.effect
    parts = (e.value, e.low, e.high)
    if method.ratio:
        found = [None if v is None else v - 1 for v in parts]
    else:
        base = e.values[1]
        if not base:
            return None, None, None
        found = [None if v is None else v / abs(base) for v in parts]
    return found[0], found[1], found[2]


def periods_chart(trial: Trial) -> Chart:
    """The outcome of both arms, period by period."""
    p, d = trial.periods, trial.design
    assert p is not None
    xs = [float(i + 1) for i in range(len(p.names))]
    rows = []
    for i in (1, 0):
        by_period = p.counts[i] if p.even or p.exposed is None else p.counts[i] / p.exposed[i] * p.level
        values = by_period if p.exposed is None or d.analysis == "period" else p.counts[i] / p.exposed[i]
        rows.append([None if math.isnan(v) else float(v) for v in values])
    ys = [v for row in rows for v in row if v is not None]
    low, high = _room(ys, min(ys))
    names = (visible(d.treated), visible(d.control))
    marks: list[Mark] = [Line(xs, row, i, 2.2, label=names[i]) for i, row in enumerate(rows)]
    for i, row in enumerate(rows):
        known = [v for v in row if v is not None]
        marks.append(Rule(y=sum(known) / len(known), colour=i))
        marks += [Point(x, v, i, size=3.5) for x, v in zip(xs, row, strict=True) if v is not None]
    step = max(1, math.ceil(len(xs) / 12))
    labels = tuple((x, visible(n)) for x, n in list(zip(xs, p.names, strict=True))[::step])
    across = Scale(0.5, len(xs) + 0.5, "Period", labels=labels)
    what = "Events" if d.analysis == "period" and d.kind != "number" else "Mean outcome"
    if d.analysis == "period" and not p.even:
        what = f"{'Events' if d.kind != 'number' else 'Outcome'} {per_what(trial).removesuffix(' and period')}"
    columns: dict[str, Any] = {"period": [str(n) for n in p.names], names[0]: rows[0], names[1]: rows[1]}
    said = f"The outcome of both arms in {len(xs)} periods; dashed lines are the means."
    means = [sum(known) / len(known) for row in rows if (known := [v for v in row if v is not None])]
    found = f"{names[0]} {significant(means[0])} on average, {names[1]} {significant(means[1])}"
    more: dict[str, Any] = {"size": (640.0, 340.0), "finding": found}
    return Chart("periods", "Outcome by period", across, Scale(low, high, what), tuple(marks), said, columns, **more)


def looks_chart(trial: Trial) -> Chart:
    """The evidence after every look, with the line above which it is enough."""
    x = trial.looks
    assert x is not None
    floor, top = 1e-3, 1e6
    xs = [float(i + 1) for i in range(len(x.looks))]
    ys = [min(max(e, floor), top) for e in x.e_values]
    need = 1 / (1 - x.confidence)
    up = Scale(min(*ys, 0.1) / 2, max(*ys, need) * 2, "e-value", "log")
    enough = f"enough at any time ({count(round(need, 1))})"
    marks: list[Mark] = [Rule(y=need), Rule(y=1.0, dash="1 4"), Line(xs, ys, 0, 2.4)]
    marks.append(Text(xs[-1], need, enough, "quiet", "end", dy=14 if ys[-1] > need else -6))
    across = Scale(1.0, max(xs[-1], 2.0), "Look")
    columns: dict[str, Any] = {"look": [str(v) for v in x.looks], "e_value": list(x.e_values)}
    said, title = looks_sentences(trial)[0], "Evidence that holds at every look"
    more: dict[str, Any] = {"size": (560.0, 340.0), "finding": said.partition(": ")[2].partition(" (")[0].capitalize()}
    return Chart("looks", title, across, up, tuple(marks), said, columns, **more)


def bands_chart(trial: Trial) -> Chart:
    """The gain in every score band with its interval."""
    assert trial.uplift is not None
    bands = [b for b in trial.uplift.bands if b.effect.value is not None][::-1]
    ends = [v for b in bands for v in (b.effect.value, b.effect.low, b.effect.high) if v is not None]
    low, high = _room(ends)
    marks: list[Mark] = [Rule(x=0.0)]
    for i, b in enumerate(bands):
        marks.append(Point(float(b.effect), float(i), 0, size=5.0, low=b.effect.low, high=b.effect.high))
    names = tuple(f"{significant(b.low)} to {significant(b.high)}" for b in bands)
    across = Scale(low, high, "Gain from acting (above 0 is good)")
    up = Scale(-0.6, len(bands) - 0.4, "Score", "names", names)
    columns = {"band": [b.number for b in bands]}
    columns |= {part: [getattr(b.effect, part) for b in bands] for part in ("value", "low", "high")}
    size = (600.0, 110.0 + 27.0 * len(bands))
    said = uplift_sentences(trial)[0]
    found = said.partition(":")[0].removesuffix(".")
    return Chart("bands", "Gain by score band", across, up, tuple(marks), said, columns, size=size, finding=found)


def curve_chart(trial: Trial, name: str) -> Chart:
    """The uplift or Qini curve with its band, beside acting at random."""
    assert trial.uplift is not None
    curve = trial.uplift.uplift if name == "uplift" else trial.uplift.qini
    c = {k: list(v) for k, v in curve.columns.items()}
    ends = [v for part in ("low", "high", name) for v in c[part] if v is not None]
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
    said = uplift_sentences(trial)[1]
    legend = (("by score", 0), ("at random", "quiet"))
    u = trial.uplift
    found = f"Area {in_prose(u.auuc)}" if name == "uplift" else f"Qini coefficient {in_prose(u.qini_coefficient)}"
    return Chart(name, titles[name], across, up, tuple(marks), said, c, legend, (560.0, 380.0), finding=found)
