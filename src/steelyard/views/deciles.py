"""Gain or lift of each tenth of the rows as bars, the highest scores first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from steelyard.arguments.allowed import Span, Words
from steelyard.charts.marks import Bar, Chart, Line, Mark, Rule, Text
from steelyard.charts.scales import Scale
from steelyard.views.pictures import picture
from steelyard.words import number, percent

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

TITLES = {
    "gain": "Gain: share of all positives in each part",
    "cumulative_gain": "Cumulative gain: share of all positives so far",
    "lift": "Lift of each part",
    "cumulative_lift": "Cumulative lift: all parts so far",
}
MOST_WRITTEN = 12
CLOSE = 8
"""From so many bars on there is no room for a digit after the point."""


@picture("scores", lambda e: e.scores is not None or e.class_scores is not None, of_level=True)
def deciles(
    evaluation: Evaluation,
    show: Annotated[str, Words(*TITLES)] = "gain",
    parts: Annotated[int, Span(1, 1000, whole=True)] = 10,
    level: Any = None,
) -> Chart:
    """Bars of gain, cumulative gain, lift or cumulative lift, with their intervals, beside what chance would bring."""
    found = evaluation.deciles(parts, level).columns
    values, lows, highs = (found[f"{show}{end}"] for end in ("", "_low", "_high"))
    shares = "gain" in show
    ends = [v for v in (*values, *highs) if v is not None]
    top = 1.0 if show == "cumulative_gain" else max([1 / parts if shares else 1.0, *ends])
    marks: list[Mark] = []
    for i, (v, low, high) in enumerate(zip(values, lows, highs, strict=True), 1):
        if v is None:
            continue
        marks.append(Bar(i - 0.4, i + 0.4, 0.0, v, 0, 0.75))
        if low is not None and high is not None:
            marks.append(Line([i, i], [low, high], "ink", 1.5))
        if parts <= MOST_WRITTEN:
            words = percent(round(v, 3 if parts < CLOSE else 2)) if shares else number(v, 2)
            marks.append(Text(i, max(v, high or 0.0), words, "ink", "middle", dy=-5))
    if show == "cumulative_gain":
        marks.append(Line([0.5, float(parts)], [0.5 / parts, 1.0], "quiet", 1, "4 4"))
    else:
        marks.append(Rule(y=1 / parts if shares else 1.0))
    step = max(1, parts // 10)
    ticks = tuple((float(i), str(i)) for i in range(1, parts + 1, step))
    of = "Tenths" if parts == 10 else "Parts"
    across = Scale(0.4, parts + 0.6, f"{of} of the rows, highest scores first", labels=ticks)
    up = Scale(0.0, top * 1.12, "", "share" if shares else "number")
    told = ["n/a" if v is None else percent(v) if shares else number(v, 2) for v in values]
    said = f"{TITLES[show]}: {', '.join(told)}."
    columns = {"part": found["part"], show: values, "low": lows, "high": highs}
    first = values[0]
    part = "The top tenth" if parts == 10 else f"The first of {parts} parts"
    if first is None:
        finding = ""
    elif shares:
        finding = f"{part} holds {percent(round(first, 2))} of positives"
    else:
        finding = f"{part} holds {number(first, 1)} times as many as chance"
    more: dict[str, Any] = {"size": (560.0, 340.0), "finding": finding, "read": f"part {show} low high"}
    return Chart("deciles", TITLES[show], across, up, tuple(marks), said, columns, **more)
