"""The harmonic mean against the arithmetic one: where they agree, and to which of two numbers they lean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from steelyard.arguments.allowed import Words
from steelyard.charts.marks import Bar, Chart, Line, Mark, Text
from steelyard.charts.palette import SHADES
from steelyard.charts.scales import Scale
from steelyard.views.figures import didactic

HIGHEST, STEP = 100.0, 10.0
LEVELS = (20.0, 40.0, 60.0, 80.0)
MEANS: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "harmonic": lambda a, b: 2 * a * b / (a + b) if a + b else 0.0,
}


@didactic
def means(of: Annotated[str, Words("both", "arithmetic", "harmonic")] = "both") -> Chart:
    """Both means of A and B from 0 to 100 as lines of one level; or one of them as a surface, told in numbers.

    (A + B) / 2, and 2 / (1/A + 1/B), which stays near the smaller of the two.
    """
    return _levels() if of == "both" else _surface(of)


def _levels() -> Chart:
    marks: list[Mark] = [Line([0, HIGHEST], [0, HIGHEST], "grid", 1)]
    columns: dict[str, list[Any]] = {"mean": [], "level": [], "a": [], "b": []}
    for level in LEVELS:
        rest = max(2 * level - HIGHEST, 0.0)
        straight = [rest, min(2 * level, HIGHEST)]
        # A hyperbola, (a - level/2) (b - level/2) = (level/2)²: as many points where it falls as where it is flat.
        half, furthest = level / 2, HIGHEST - level / 2
        bent = [half + furthest * (half / furthest) ** (2 * i / 40) for i in range(40, -1, -1)]
        paths = {
            "arithmetic": (straight, straight[::-1]),
            "harmonic": (bent, [level * a / (2 * a - level) for a in bent]),
        }
        for name, (a, b) in paths.items():
            columns["mean"] += [name] * len(a)
            columns["level"] += [level] * len(a)
            columns["a"] += a
            columns["b"] += b
        marks.append(Line(*paths["arithmetic"], "quiet", 1.5, "4 4"))
        marks.append(Line(*paths["harmonic"], 0, 2))
        marks.append(Text(level, level, f"{level:g}", "ink", bold=True, dx=5, dy=-5))
    said = (
        "Lines along which a mean of A and B is 20, 40, 60 and 80. Both agree where A and B are equal; elsewhere the harmonic "
        "mean needs more of both to come as high, since it stays near the smaller one."
    )
    legend = (("harmonic mean", 0), ("arithmetic mean", "quiet"))
    return _chart("Lines of one mean of A and B", marks, said, columns, legend)


def _surface(of: str) -> Chart:
    places = [STEP * i + STEP / 2 for i in range(int(HIGHEST / STEP))]
    marks: list[Mark] = []
    columns: dict[str, list[Any]] = {"a": [], "b": [], of: []}
    for a in places:
        for b in places:
            value = MEANS[of](a, b)
            shade = f"shade{min(int(value / HIGHEST * len(SHADES)), len(SHADES) - 1)}"
            half = STEP / 2 - 0.3
            marks.append(Bar(a - half, a + half, b - half, b + half, shade, 1.0, f"{value:.0f}"))
            for key, cell in zip(columns, (a, b, value), strict=True):
                columns[key].append(cell)
    said = f"The {of} mean of A and B in the middle of each of {len(marks)} cells."
    return _chart(f"The {of} mean of A and B", marks, said, columns, ())


def _chart(
    title: str,
    marks: Sequence[Mark],
    said: str,
    columns: dict[str, list[Any]],
    legend: tuple[tuple[str, int | str], ...],
) -> Chart:
    across, up = Scale(0.0, HIGHEST, "A"), Scale(0.0, HIGHEST, "B")
    return Chart("means", title, across, up, tuple(marks), said, columns, legend, (460.0, 440.0), grid=bool(legend))
