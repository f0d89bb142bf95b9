"""Curves as charts: one builder for each curve, and several curves of one kind in one chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard.charts.findings import FINDINGS, worth
from steelyard.charts.marks import Band, Bar, Chart, Colour, Line, Mark, Point, Rule, Text
from steelyard.charts.palette import DASHES, SERIES
from steelyard.charts.scales import Scale, wide_enough
from steelyard.results import Curve
from steelyard.words import closed, percent, quoted, shortest, visible

MOST_DRAWN = 2000
STEPS = 100
"""Steps of so few scores can be seen; more of them are a line."""
NAMED = 22
"""Letters of a name before a number in a legend."""
HIGH = 7.0
"""Lifts of which the line at one lies so low that no word has room below it."""
Builder = Callable[[Curve], Chart]
_builders: dict[str, Builder] = {}


def chart_of(name: str) -> Callable[[Builder], Builder]:
    """Mark a function of a curve as the one that draws curves of this name."""

    def mark(function: Builder) -> Builder:
        _builders[name] = function
        return function

    return mark


def classes(curve: Curve) -> tuple[tuple[str, Colour], ...]:
    """The legend of both classes, by the name of the one that is looked for where it has one."""
    positive = curve.facts.get("positive")
    named = isinstance(positive, str)
    return ((visible(positive) if named else "positives", 0), ("all others" if named else "negatives", "quiet"))


def share(title: str) -> Scale:
    """A scale from 0 to 100%."""
    return Scale(0.0, 1.0, title, "share")


def curve_chart(curve: Curve) -> Chart:
    """The chart of any curve; one without a builder of its own gets a plain line with its band."""
    return _builders.get(curve.name, _plain)(drawable(curve))


def drawable(curve: Curve) -> Curve:
    """A curve of no more points than an eye can tell apart, evenly along it; one asked exactly may have millions."""
    n = len(curve)
    if n <= MOST_DRAWN:
        return curve
    keep = sorted({round(i * (n - 1) / (MOST_DRAWN - 1)) for i in range(MOST_DRAWN)})
    return replace(curve, columns={k: [v[i] for i in keep] for k, v in curve.columns.items()})


def _columns(curve: Curve, *names: str) -> list[list[float | None]]:
    return [list(curve.columns[n]) for n in names]


def _band(curve: Curve, x: list[float | None]) -> Band:
    low, high = _columns(curve, "low", "high")
    return Band(x, low, high)


def _current(curve: Curve, x: str, y: str) -> list[Mark]:
    """A ring at the threshold in force, or a point with its name at each threshold that was asked for."""
    asked: Sequence[float] | None = curve.facts.get("marked")
    force: float | None = curve.facts.get("threshold")
    cuts = curve.columns.get("threshold", ())
    out: list[Mark] = []
    for at in asked if asked is not None else [] if force is None else [force]:
        # The last cut that still flags no more than the threshold does.
        place = max((i for i, t in enumerate(cuts) if t is None or t >= at), default=None)
        across, up = (None, None) if place is None else (curve.columns[x][place], curve.columns[y][place])
        if across is None or up is None:
            continue
        if asked is None:
            out.append(Point(across, up, "ink", "ring", 5.5))
        else:
            out += [Point(across, up, "ink", "diamond", 5.5), Text(across, up, shortest(at), "ink", dx=9, dy=14)]
    return out


def _said(curve: Curve, what: str, where: str = "point") -> str:
    positive = curve.facts.get("positive")
    of = f" of {quoted(positive)}" if positive is not None else ""
    return f"{what}{of}, {len(curve):,} points, with {percent(curve.confidence)} intervals at each {where}."


def _drawn(
    curve: Curve, title: str, axes: tuple[Scale, Scale], marks: Sequence[Mark], said: str, read: str, **more: Any
) -> Chart:
    """The chart of a curve, with what is seen on it and what a pointer reads."""
    finding = FINDINGS.get(curve.name, worth)(curve)
    return Chart(curve.name, title, *axes, tuple(marks), said, curve.columns, finding=finding, read=read, **more)


def _plain(curve: Curve) -> Chart:
    names = [n for n in curve.columns if n not in {"low", "high"}]
    x, y = names[0], names[1] if len(names) > 1 else names[0]
    xs, ys = _columns(curve, x, y)
    marks: list[Mark] = []
    if "low" in curve.columns:
        marks.append(_band(curve, xs))
    marks.append(Line(xs, ys))
    return Chart(curve.name, curve.name, wide_enough(xs, x), wide_enough(ys, y), tuple(marks), columns=curve.columns)


@chart_of("roc")
def roc(curve: Curve) -> Chart:
    """True positive rate against false positive rate."""
    x, y, low, high = _columns(curve, "fpr", "tpr", "low", "high")
    marks: list[Mark] = [Line([0, 1], [0, 1], "quiet", 1, "4 4"), Band(x, low, high), Line(x, y)]
    marks += _current(curve, "fpr", "tpr")
    axes, said = (
        (share("False positive rate"), share("True positive rate")),
        _said(curve, "ROC curve", "false positive rate"),
    )
    return _drawn(curve, "ROC curve", axes, marks, said, "fpr tpr low high", live="fpr tpr")


@chart_of("pr")
def pr(curve: Curve) -> Chart:
    """Precision against recall."""
    x, y, low, high = _columns(curve, "recall", "precision", "low", "high")
    marks: list[Mark] = [Band(x, low, high), Line(x, y)]
    if curve.facts.get("prevalence") is not None:
        base = float(curve.facts["prevalence"])
        # Below the line, or above it where there is no room below; the curve ends at the right.
        marks = [Rule(y=base), *marks, Text(0.0, base, "no model", dx=6, dy=15 if base > 0.1 else -5)]
    marks += _current(curve, "recall", "precision")
    axes, said = (share("Recall"), share("Precision")), _said(curve, "Precision against recall", "recall")
    return _drawn(curve, "Precision and recall", axes, marks, said, "recall precision low high", live="tpr precision")


@chart_of("gain")
def gain(curve: Curve) -> Chart:
    """Share of positives found against share of rows flagged, with chance and perfection."""
    x, y, low, high = _columns(curve, "depth", "capture", "low", "high")
    marks: list[Mark] = [Line([0, 1], [0, 1], "quiet", 1, "4 4")]
    if curve.facts.get("prevalence"):
        base = float(curve.facts["prevalence"])
        marks.append(Line([0, base, 1], [0, 1, 1], "quiet", 1))
        marks.append(Text(1.0, 1.0, "perfect", anchor="end", dy=-5))
    # At the foot, where neither curve nor ring comes.
    marks += [Band(x, low, high), Line(x, y), Text(0.5, 0.5, "at random", dx=8, dy=14)]
    marks += _current(curve, "depth", "capture")
    axes, said = (share("Share of rows flagged"), share("Share of positives found")), _said(curve, "Cumulative gain")
    return _drawn(curve, "Cumulative gain", axes, marks, said, "depth capture low high", live="depth tpr")


@chart_of("lift")
def lift(curve: Curve) -> Chart:
    """How many times more positives than a random pick."""
    x, y, low, high = _columns(curve, "depth", "lift", "low", "high")
    # The first few rows may hold any number of positives; their band opens, and is drawn from where it comes near the curve.
    top = max((v for v in y if v is not None), default=1.0)
    seen = max((v for v in high if v is not None and v <= 1.4 * top), default=top) * 1.04
    ends = [None if v is None or v > seen else v for v in high]
    marks: list[Mark] = [Rule(y=1.0), Band(x, low, ends), Line(x, y), _at_random(seen)]
    marks += _current(curve, "depth", "lift")
    axes = share("Share of rows flagged"), Scale(0.0, seen, "Times as many as at random")
    return _drawn(curve, "Lift", axes, marks, _said(curve, "Lift"), "depth lift low high", live="depth lift")


def _at_random(seen: float) -> Text:
    """The name of the line at one: below it, and above where that leaves no room over the axis."""
    if seen > HIGH:
        return Text(1.0, 1.0, "at random", anchor="end", dy=-11)
    return Text(0.0, 1.0, "at random", dx=6, dy=15)


@chart_of("ks")
def ks(curve: Curve) -> Chart:
    """Cumulative shares of both classes up to each score, and where the gap between them is widest."""
    cuts, a, b, gap = _columns(curve, "threshold", "below_positive", "below_negative", "gap")
    x = [v for v in cuts if v is not None][::-1]
    ends = (min(x, default=0.0), max(x, default=1.0))
    # Below a threshold lie the rows up to the next lower score, so each share belongs to that one, and the last is all.
    steps = [
        [share for share, cut in zip(column, [*cuts[1:], None], strict=True) if cut is not None][::-1]
        for column in (a, b)
    ]
    tints: tuple[Colour, ...] = (0, "quiet")
    few = len(x) <= STEPS
    marks: list[Mark] = []
    for rising, tint in zip(steps[::-1], tints[::-1], strict=True):
        marks.append(Line([ends[0], *x], [0.0, *rising], tint, 2, step=few))
    sizes = [abs(g) if g is not None and v is not None else -1.0 for g, v in zip(gap, cuts, strict=True)]
    best = sizes.index(max(sizes))
    if cuts[best] is not None:
        at, first, second = float(cuts[best] or 0), float(a[best] or 0), float(b[best] or 0)
        marks.append(Line([at, at], [first, second], "ink", 2))
    across = Scale(ends[0], ends[1] if ends[1] > ends[0] else ends[0] + 1.0, "Score")
    up = share("Share with this score or a lower one")
    said = _said(curve, "Kolmogorov–Smirnov: shares of positives and negatives up to each score")
    title, read = "Separation (Kolmogorov–Smirnov)", "threshold below_positive below_negative"
    return _drawn(curve, title, (across, up), marks, said, read, live="threshold", legend=classes(curve))


@chart_of("calibration")
def calibration(curve: Curve) -> Chart:
    """Share of positives against the probability that was said, with how often each was said."""
    x, y, low, high, rows = _columns(curve, "score", "observed", "low", "high", "rows")
    most = max((r for r in rows if r), default=1.0) or 1.0
    bars: list[Mark] = [
        Bar(max(float(s or 0) - 0.03, 0), min(float(s or 0) + 0.03, 1), 0.0, 0.18 * float(r or 0) / most, "quiet", 0.35)
        for s, r in zip(x, rows, strict=True)
    ]
    spans: list[Mark] = [
        Line([s, s], [a, b], 0, 2) for s, a, b in zip(x, low, high, strict=True) if None not in (s, a, b)
    ]
    dots: list[Mark] = [
        Point(float(s), float(o), 0) for s, o in zip(x, y, strict=True) if s is not None and o is not None
    ]
    marks = (*bars, Line([0, 1], [0, 1], "quiet", 1, "4 4"), *spans, Line(x, y, 0, 1), *dots)
    axes = share("Probability that was said"), share("Share that was positive")
    said = _said(curve, "Calibration in ten bins, grey bars tell how many rows each holds")
    return _drawn(curve, "Calibration", axes, marks, said, "score observed low high", live="threshold")


@chart_of("scores")
def scores(curve: Curve) -> Chart:
    """How the scores of each class are spread."""
    left, right, mine, other = _columns(curve, "from", "to", "positive", "negative")
    room = 1.3 if curve.facts.get("rates") else 1.08
    top = max((v for v in (*mine, *other) if v is not None), default=1.0) * room or 1.0
    bars: list[Mark] = [
        Bar(float(a or 0), float(b or 0), 0.0, float(v or 0), "quiet", 0.45)
        for a, b, v in zip(left, right, other, strict=True)
        if v
    ]
    # Positives as an outline of steps, which stays clear where the two overlap, also on dark paper.
    xs: list[float | None] = [left[0] if left else 0.0]
    ys: list[float | None] = [0.0]
    for a, b, v in zip(left, right, mine, strict=True):
        xs += [a, b]
        ys += [v, v]
    xs.append(right[-1] if right else 1.0)
    ys.append(0.0)
    bars.append(Band(xs, [0.0] * len(xs), ys, 0, 0.25))
    bars.append(Line(xs, ys, 0, 2))
    bars += _cut(curve, top)
    ends = (float(left[0] or 0), float(right[-1] or 1)) if left else (0.0, 1.0)
    across, up = Scale(*ends, "Score"), Scale(0.0, top, "Share of class", "share")
    said, more = _said(curve, "Distribution of scores, positives against negatives"), {"legend": classes(curve)}
    return _drawn(
        curve, "Scores by class", (across, up), bars, said, "from positive negative", live="threshold", **more
    )


def _cut(curve: Curve, top: float) -> list[Mark]:
    """A rule at the threshold in force, and on its sides the shares of each class that lie there."""
    at, rates = curve.facts.get("threshold"), curve.facts.get("rates")
    if at is None:
        return []
    out: list[Mark] = [Rule(x=at, colour="ink")]
    if rates is not None:
        found, alarms = rates
        for side, anchor, shares in (
            (-7, "end", ("FN", 1 - found, "TN", 1 - alarms)),
            (7, "start", ("TP", found, "FP", alarms)),
        ):
            mine, first, other, second = shares
            out.append(Text(at, top, f"{mine} {percent(first)}", 0, anchor, True, side, 14))
            out.append(Text(at, top, f"{other} {percent(second)}", "quiet", anchor, True, side, 30))
    return out


def _money(curve: Curve) -> Chart:
    kind = curve.name
    x, y, low, high = _columns(curve, "depth", kind, "low", "high")
    up = wide_enough([*low, *high], f"{kind.capitalize()}, total", zero=True)
    sign = -1 if kind == "cost" else 1
    told = [(sign * v, i) for i, v in enumerate(y) if v is not None]
    marks: list[Mark] = [Band(x, low, high), Line(x, y)]
    if told:
        best = max(told, key=lambda pair: (pair[0], -pair[1]))[1]
        at, value = float(x[best] or 0), float(y[best] or 0)
        marks.append(Point(at, value, 0, "diamond", 6))
        side, dx = ("start", 10) if at < 0.8 else ("end", -10)
        marks.append(Text(at, value, "best", 0, side, True, dx=dx, dy=-4))
    marks += _current(curve, "depth", kind)
    axes, title = (share("Share of rows flagged"), up), f"{kind.capitalize()} by share flagged"
    said = _said(curve, f"{kind.capitalize()} against share of rows flagged; the diamond marks the best")
    return _drawn(curve, title, axes, marks, said, f"depth {kind} low high", live=f"depth {kind}")


chart_of("profit")(_money)
chart_of("cost")(_money)


@chart_of("cost_curve")
def cost_curve(curve: Curve) -> Chart:
    """Normalised expected cost against the skew of costs and prevalence."""
    x, y, trivial = _columns(curve, "skew", "cost", "trivial")
    marks: list[Mark] = [Line(x, trivial, "quiet", 1, "4 4")]
    if "low" in curve.columns:
        marks.append(_band(curve, x))
    marks.append(Line(x, y))
    marks.append(Text(0.5, 0.5, "better policy without a model", anchor="middle", dy=-6))
    across = share("Weight of positives (prevalence × gain)")
    up = Scale(0.0, 0.55, "Normalised expected cost")
    read = "skew cost" + (" low high" if "low" in curve.columns else "")
    return _drawn(curve, "Cost curve", (across, up), marks, _said(curve, "Cost curve", "skew"), read)


def _short(name: str) -> str:
    """A name that leaves room for the number behind it, which the end of a long one would push out."""
    return name if len(name) <= NAMED else closed(f"{name[: NAMED - 1]}…")


def overlay(curves: Mapping[str, Curve], like: Chart) -> Chart:
    """Several curves of one kind in one chart, at most five in colour and the rest in grey, each named at its end."""
    marks: list[Mark] = [m for m in like.marks if isinstance(m, Line) and m.colour == "quiet"]
    legend = []
    x, y = [name for name in next(iter(curves.values())).columns if name != "threshold"][:2]
    for i, (name, c) in enumerate(curves.items()):
        xs, ys = _columns(c, x, y)
        coloured = i < SERIES
        marks.append(Line(xs, ys, i if coloured else "quiet", 2 if coloured else 1, DASHES[i] if coloured else ""))
        if coloured:
            told = c.facts.get("auc")
            legend.append((f"{_short(str(name))} {told}" if told else str(name), i))
    columns: dict[str, Sequence[Any]] = {
        "curve": [name for name, c in curves.items() for _ in range(len(c))],
        x: [v for c in curves.values() for v in c.columns[x]],
        y: [v for c in curves.values() for v in c.columns[y]],
    }
    said = f"{like.title.removesuffix(' curve')} of {', '.join(map(str, curves))}."
    height = like.size[1] + 20.0 * max(0, (len(legend) - 1) // 2)
    size = (like.size[0], height)
    return Chart(like.name, like.title, like.x, like.y, tuple(marks), said, columns, tuple(legend), size)
