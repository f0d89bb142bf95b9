"""A monitor in pictures: one signal over time, with what it is held against and where alarms fired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Band, Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale, wide_enough
from steelyard.views.monitor import UNJUDGED, finding, monitor_sentences, signal_noun
from steelyard.words import percent, significant, visible

if TYPE_CHECKING:
    from steelyard.monitors.result import Monitor
    from steelyard.monitors.signals import Signal

TICKS = 7
ACROSS, UP, LETTER, LINE = 250.0, 230.0, 7.0, 13.0
"""About how many points a picture is wide and high inside, and a letter and a line of its words."""


def monitor_chart(monitor: Monitor, name: str) -> Chart:
    """One signal over time: interval, reference, margin; fired alarms filled, unjudged windows hollow, estimates alone.

    A thin line through a window whose labels are not in runs from the worst to the best that they can make of it.
    """
    series = monitor.series(name)
    g = monitor.gauges[series[0].kind]
    xs = [float(i) for i in range(len(series))]
    told = [None if s.value is None else s.value for s in series]
    ys = [None if x is None else x.value for x in told]
    lows, highs = ([None if x is None else getattr(x, end) for x in told] for end in ("low", "high"))
    stands = [w.state_of(name) for w in monitor.windows]
    marks: list[Mark] = []
    seen = [v for v in (*ys, *lows, *highs) if v is not None]
    apart = [s.estimated or s.state == "immature" for s in series]
    marks.append(Band(xs, _settled(lows, apart), _settled(highs, apart), 0, 0.2))
    lines, levels, words = _levels(monitor, series[0], max(seen, default=0.0))
    marks += lines
    seen += levels
    more, reached, told_of = _ranges(series, xs)
    marks += more
    seen += reached
    words += told_of
    for x, low, high, alone in zip(xs, lows, highs, apart, strict=True):
        # Joined to the line, what is only expected would look like a recovery.
        if alone and low is not None and high is not None:
            marks.append(Line([x, x], [low, high], 0, 1.2, "2 3"))
    if any(s.estimated for s in series):
        words.append(("hollow: expected from the scores", 0))
    marks.append(Line(xs, _settled(ys, apart), 0, 2))
    size = 3.5 if len(xs) <= 60 else 2.2
    for x, y, s, state in zip(xs, ys, series, stands, strict=True):
        if y is None:
            continue
        if state in {"alarm", "warn"} and s.state not in UNJUDGED:
            marks.append(Point(x, y, "alarm", "diamond" if state == "alarm" else "triangle", size + 2))
        else:
            marks.append(Point(x, y, 0, "ring" if s.state in UNJUDGED else "circle", size))
    told_as = {"name": signal_noun(name), "period": monitor.facts.get("period")}
    up = wide_enough(seen, g.axis.format(**told_as))
    if g.least is not None:
        up = Scale(0.0, max([*seen, g.least]) * 1.05, up.title)
    placed = _placed(monitor, name)
    deep = 1 + max((row for _, _, row, _ in placed), default=-1)
    # Words stand above everything that is drawn.
    up = Scale(up.low, up.high + (up.high - up.low) * deep * LINE / UP, up.title)
    for x, word, row, right in placed:
        marks.append(Rule(x=x, colour="alarm"))
        if word:
            side, off = ("start", 4.0) if right else ("end", -4.0)
            marks.append(Text(x, up.high, word, "alarm", side, dx=off, dy=10 + LINE * row))
    names = [w.name for w in monitor.windows]
    ticks = tuple((float(i), visible(names[i])) for i in range(0, len(names), max(1, -(-len(names) // TICKS))))
    across = Scale(-0.5, max(len(xs) - 0.5, 0.5), "", labels=ticks)
    columns: dict[str, Sequence[Any]] = {"window": names, "value": ys, "low": lows, "high": highs, "state": stands}
    legend: list[tuple[str, int | str]] = [(signal_noun(name), 0), *words]
    if any(state in {"alarm", "warn"} for state in stands):
        legend.append(("alarm or warning", "alarm"))
    title, said = visible(g.title.format(**told_as)), " ".join(monitor_sentences(monitor)[:2])
    look: dict[str, Any] = {"legend": tuple(legend), "size": (760.0, 320.0), "finding": finding(monitor, name)}
    return Chart(f"monitor {name}", title, across, up, tuple(marks), said, columns, **look)


def _placed(monitor: Monitor, name: str, most: int = 4) -> list[tuple[float, str, int, bool]]:
    """Where alarms and warnings fired, the line on which each is named so that no words meet, and whether to its right.

    Where even the last line is taken, there are no words; the shape of the point says the same.
    """
    order = {w.name: i for i, w in enumerate(monitor.windows)}
    fired: dict[int, str] = {}
    for a in monitor.alarms:
        fires = a.signal == name and a.after == "firing" and a.before != "recovering"
        if fires and fired.get(order[a.window]) != "alarm":
            fired[order[a.window]] = a.severity
    lines = {place: ACROSS * (place + 0.5) / len(monitor.windows) for place in sorted(fired)}
    out: list[tuple[float, str, int, bool]] = []
    taken: list[list[tuple[float, float]]] = [[] for _ in range(most)]
    for place, at in lines.items():
        width = LETTER * len(fired[place]) + 8
        sides = [(at, at + width), (at - width, at)]
        # Beside the line where no other line runs through the word, and inside of the picture.
        sides.sort(key=lambda s: (s[0] < 0 or s[1] > ACROSS, any(s[0] < x < s[1] for x in lines.values())))
        start, end = sides[0]
        row = next((k for k, held in enumerate(taken) if all(end <= a or b <= start for a, b in held)), None)
        if row is not None:
            taken[row].append((start, end))
        out.append((float(place), "" if row is None else fired[place], row or 0, start == at))
    return out


def _ranges(series: Sequence[Any], xs: Sequence[float]) -> tuple[list[Mark], list[float], list[tuple[str, int | str]]]:
    """Numbers of rows that were to be expected, or what missing labels can still make of a measure."""
    usual, ends = [s.usual for s in series], [(x, s.completed) for x, s in zip(xs, series, strict=True) if s.completed]
    marks: list[Mark] = []
    reached: list[float] = []
    words: list[tuple[str, int | str]] = []
    if any(usual):
        lows, highs = ([None if u is None else float(u[k]) for u in usual] for k in (0, 1))
        marks.append(Band(xs, lows, highs, "quiet", 0.15))
        reached += [v for v in (*lows, *highs) if v is not None]
        words.append(("to be expected", "quiet"))
    if ends:
        marks += [Line([x, x], list(pair), "quiet", 1.5) for x, pair in ends]
        reached += [v for _, pair in ends for v in pair]
        words.append(("worst to best with all labels in", "quiet"))
    return marks, reached, words


def _settled(values: Sequence[float | None], apart: Sequence[bool]) -> list[float | None]:
    """Values of windows whose labels are in; the others are drawn apart."""
    return [None if alone else v for v, alone in zip(values, apart, strict=True)]


def _levels(
    monitor: Monitor, signal: Signal, top: float
) -> tuple[list[Mark], list[float], list[tuple[str, int | str]]]:
    """The line of the reference and the levels from which it matters, and their words."""
    g, base = monitor.gauges[signal.kind], signal.reference
    if g.limits:
        first = g.limits[0][0]
        shown = [(v, word) for v, word in g.limits if v <= max(top, first)]
        marks: list[Mark] = [Rule(y=v) for v, _ in shown]
        # Limits that lie close together are named at opposite ends.
        ends = ((-0.4, "start"), (len(monitor) - 0.6, "end"))
        named = [(v, word, *ends[i % 2]) for i, (v, word) in enumerate(reversed(shown))]
        return [*marks, *(Text(x, v, word, anchor=side, dy=-4) for v, word, x, side in named)], [first], []
    if not g.against or base is None:
        return [], [], []
    words: list[tuple[str, int | str]] = [(f"reference {significant(base)}", "ink")]
    if not monitor.margin:
        return [Rule(y=base, colour="ink", dash="")], [base], words
    edge = g.edge(monitor, signal.name, base)
    words.append((f"margin {percent(monitor.margin)}", "quiet"))
    return [Rule(y=base, colour="ink", dash=""), Rule(y=edge)], [base, edge], words
