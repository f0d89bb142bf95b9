"""Two ROC curves that cross, in sentences and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Bar, Chart, Line, Mark, Rule
from steelyard.charts.palette import DASHES
from steelyard.charts.scales import Scale
from steelyard.views.regions import sentence
from steelyard.words import bracketed, estimate_parts, percent, visible

if TYPE_CHECKING:
    from steelyard.comparisons.crossing import Crossing, Range


MOST_UNCLEAR = 4
"""Ranges without a clear difference that are told one by one."""


def crossing_sentences(found: Crossing) -> list[str]:
    """Who is better where, by how much, whether that is clear, and at which costs it matters."""
    first, second = (visible(n) for n in found.names)
    if all(r.who is None for r in found.ranges):
        out = [f"The ROC curves of {first} and {second} are the same."]
    elif found.dominant is not None:
        other = second if found.dominant == found.names[0] else first
        out = [f"The ROC curve of {visible(found.dominant)} is nowhere below that of {other}."]
    elif len([r for r in found.ranges if r.who is not None]) == 1:
        who = next(visible(r.who) for r in found.ranges if r.who is not None)
        out = [f"The ROC curve of {who} is higher but for narrow stretches."]
    else:
        out = [f"The ROC curves of {first} and {second} cross."]
    told = [r for r in found.ranges if r.who is not None]
    clear = [r for r in told if r.clear]
    # Many narrow ranges in which nothing is shown are told by their number; each is among .ranges, and in the picture.
    many = len(told) - len(clear) > MOST_UNCLEAR
    if told and not clear:
        out.append(f"{f'None of {len(told)} ranges' if many else 'No range'} shows a clear difference.")
    out += [_range(r) for r in (clear if many else told)]
    if many and clear:
        out.append(f"{len(told) - len(clear)} other ranges show no clear difference.")
    if found.regions is not None:
        out.append(sentence(found.regions))
    return out


def _range(bounds: Range) -> str:
    d = bounds.difference
    assert d.value is not None
    assert d.low is not None
    assert d.high is not None
    # Told in favour of the better one.
    told = (d.value, d.low, d.high) if d.value > 0 else (-d.value, -d.high, -d.low)
    value, low, high = estimate_parts(*told)
    clear = "" if bounds.clear else ", no clear difference"
    return (
        f"At false positive rates from {percent(bounds.low)} to {percent(bounds.high)} {visible(bounds.who)} finds more "
        f"positives: its area there is larger by {value} {bracketed(low, high)}{clear}."
    )


def crossing_chart(found: Crossing) -> Chart:
    """Both curves over stripes in the colour of the better one, strong where the difference is clear."""
    marks: list[Mark] = []
    for r in found.ranges:
        if r.who is not None:
            colour = found.names.index(r.who)
            marks.append(Bar(r.low, r.high, 0.0, 1.0, colour, 0.2 if r.clear else 0.07))
    marks += [Rule(x=r.low, colour="grid") for r in found.ranges[1:]]
    marks.append(Line([0.0, 1.0], [0.0, 1.0], "quiet", 1.0, "3 3"))
    columns: dict[str, list[Any]] = {"model": [], "fpr": [], "tpr": []}
    for i, (name, curve) in enumerate(zip(found.names, found.curves, strict=True)):
        x, y = list(curve.columns["fpr"]), list(curve.columns["tpr"])
        marks.append(Line(x, y, i, 2.2, DASHES[i]))
        columns["model"] += [name] * len(x)
        columns["fpr"] += x
        columns["tpr"] += y
    legend = tuple((visible(name), i) for i, name in enumerate(found.names))
    across, up = (Scale(0.0, 1.0, title, "share") for title in ("False positive rate", "True positive rate"))
    said = " ".join(crossing_sentences(found))
    title = "Where each ROC curve is higher"
    return Chart("crossing", title, across, up, tuple(marks), said, columns, legend, (520.0, 440.0))
