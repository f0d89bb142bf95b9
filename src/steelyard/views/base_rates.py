"""How early four simple models warn, against the share of positives: Q₀ as it is, and Q between random and perfect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from steelyard.arguments.allowed import Span
from steelyard.charts.marks import Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.palette import DASHES
from steelyard.charts.scales import Scale
from steelyard.views.figures import didactic
from steelyard.words import percent, significant

POINTS = 200
LEAST = -2.0
"""Where the axis of Q ends: it falls without end as the base rate goes to 0 or 1."""
Curve = Callable[[float], float | None]
Q0: dict[str, Curve] = {
    "perfect": lambda b: b,
    "always positive": lambda b: 2 * b - 1,
    "always negative": lambda b: 0.0,
    "random": lambda b: b * (2 * b - 1),
}
Q: dict[str, Curve] = {
    "perfect": lambda b: 1.0,
    "always positive": lambda b: (2 * b - 1) / (2 * b) if b else None,
    "always negative": lambda b: (1 - 2 * b) / (2 * (1 - b)) if b < 1 else None,
    "random": lambda b: 0.0,
}
Rate = Annotated[float, Span(0, 1)] | None


@didactic
def q0(base_rate: Rate = None) -> Chart:
    """Q₀ of four simple models at every base rate b: b, 2b − 1, 0 and b(2b − 1).

    Steingold, Wherry, Piatetsky-Shapiro, Measuring Real-Time Predictive Models (2001), figure 1.
    """
    return _chart("q0", "Q₀ of simple models against the base rate", "Q₀", Q0, -1.0, base_rate)


@didactic
def q(base_rate: Rate = None) -> Chart:
    """Q of the same models: Q₀ laid so that random is 0 and perfect 1, (Q₀ − b(2b − 1)) / 2b(1 − b).

    Steingold, Wherry, Piatetsky-Shapiro, Measuring Real-Time Predictive Models (2001), figure 2.
    """
    return _chart("q", "Q of simple models against the base rate", "Q", Q, LEAST, base_rate)


def _chart(name: str, title: str, axis: str, models: dict[str, Curve], foot: float, rate: float | None) -> Chart:
    xs = [i / POINTS for i in range(POINTS + 1)]
    marks: list[Mark] = [] if rate is None else [Rule(x=rate, colour="ink")]
    columns: dict[str, list[float | None]] = {"base_rate": [*xs]}
    for i, (model, f) in enumerate(models.items()):
        ys = [None if (v := f(x)) is None or v < foot else v for x in xs]
        columns[model.replace(" ", "_")] = [f(x) for x in xs]
        marks.append(Line(xs, ys, i, 2, DASHES[i]))
    said = f"{title}: {', '.join(models)}."
    if rate is not None:
        there = {model: f(rate) for model, f in models.items()}
        told = ", ".join(f"{m} {'n/a' if v is None else significant(v)}" for m, v in there.items())
        said = f"{said} At a base rate of {percent(rate)}: {told}."
        marks += [Point(rate, v, i, size=4.5) for i, v in enumerate(there.values()) if v is not None and v >= foot]
        side = "start" if rate < 0.5 else "end"
        marks.append(Text(rate, 1.1, f"b = {percent(rate)}", "ink", side, True, 6 if rate < 0.5 else -6, 12))
    legend = tuple((model, i) for i, model in enumerate(models))
    across, up = Scale(0.0, 1.0, "Base rate b", "share"), Scale(foot, 1.1, axis)
    return Chart(name, title, across, up, tuple(marks), said, columns, legend, (520.0, 400.0))
