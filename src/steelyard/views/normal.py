"""The normal curve with the area that an interval leaves inside and outside."""

from __future__ import annotations

from statistics import NormalDist

from steelyard.arguments.annotated import Confidence
from steelyard.charts.marks import Band, Chart, Line, Mark, Text
from steelyard.charts.scales import Scale
from steelyard.views.figures import didactic
from steelyard.words import number, percent

POINTS = 160


@didactic
def normal(confidence: Confidence = 0.95) -> Chart:
    """The standard normal density, the area 1 − α between ±z in the middle and α/2 in each tail."""
    law = NormalDist()
    z, tail = law.inv_cdf(0.5 + confidence / 2), (1 - confidence) / 2
    end = max(4.0, 1.25 * z)
    xs = [-end + 2 * end * i / POINTS for i in range(POINTS + 1)]
    inside = [-z, *(x for x in xs if -z < x < z), z]
    top = law.pdf(0.0)
    marks: list[Mark] = [Band(inside, [0.0] * len(inside), [law.pdf(x) for x in inside], 0, 0.3)]
    for side in (-1.0, 1.0):
        beyond = sorted([side * z, *(x for x in xs if side * x > z)])
        marks.append(Band(beyond, [0.0] * len(beyond), [law.pdf(x) for x in beyond], "quiet", 0.55))
        anchor = "start" if side > 0 else "end"
        high = max(top * 0.4, 1.05 * law.pdf(z))
        marks.append(Line([side * z, side * z], [0.0, high], "ink", 1, "3 3"))
        marks.append(Text(side * z, high, f"α/2 = {percent(tail)}", "quiet", anchor, True, 8 * side))
    marks.append(Line(xs, [law.pdf(x) for x in xs], "ink", 2))
    # A narrow part has no room for its own words.
    narrow = z < 1.2
    marks.append(Text(0.0, top * (1.08 if narrow else 0.42), f"1 − α = {percent(confidence)}", "ink", "middle", True))
    ends = tuple((v, number(v, 2)) for v in ((-z, z) if z < 1 else (-z, 0.0, z)))
    said = (
        f"The standard normal distribution: {percent(confidence)} lie between {number(-z, 2)} and {number(z, 2)}, "
        f"{percent(tail)} beyond each end."
    )
    title = f"Normal distribution, 1 − α = {percent(confidence)}"
    across = Scale(-end, end, "Standard deviations from the mean", labels=ends)
    up = Scale(0.0, top * 1.2, "Density", labels=((0.0, "0"),))
    columns = {"z": xs, "density": [law.pdf(x) for x in xs]}
    return Chart("normal", title, across, up, tuple(marks), said, columns, size=(520.0, 300.0))
