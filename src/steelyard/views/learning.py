"""A learning curve in words, a table and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.charts.marks import Band, Chart, Line, Mark, Point, Text
from steelyard.charts.palette import DASHES
from steelyard.charts.scales import Scale, wide_enough
from steelyard.designs.design import many
from steelyard.errors import NotAvailable
from steelyard.measures.measure import find
from steelyard.results import Estimate
from steelyard.views.experiment import experiment_notes, number
from steelyard.views.layout import WIDTH, blocks_text, noted, wrap, wrapped
from steelyard.views.tables import SmallTable
from steelyard.views.text import table_lines
from steelyard.views.verdict import verdict_lines
from steelyard.words import bracketed, count, digits_for, estimate_parts, percent, visible
from steelyard.words import number as decimal

if TYPE_CHECKING:
    from steelyard.experiments.learning import LearningCurve

AHEAD = 2.0
"""The law is drawn on to so many times the rows."""


def learning_table(curve: LearningCurve, model: str) -> SmallTable:
    """The values on training and test rows at each size."""
    rows: list[tuple[str, ...]] = []
    found = zip(curve.sizes, curve.estimates(model, train=True), curve.estimates(model), strict=True)
    for size, learnt, tested in found:
        rows.append((count(size), number(learnt), number(tested)))
    noun = find(curve.measure).noun
    title = f"{visible(model)}, {noun}" if len(curve.models) > 1 else f"{noun} of {visible(model)}"
    return SmallTable(title, ("training rows", "on training rows", "on test rows"), "rll", rows)


def learning_sentences(curve: LearningCurve, model: str) -> list[str]:
    """What more rows would bring, and whether the model learns too little or too much by heart."""
    out = []
    try:
        law, gain, why = curve.law(model), curve.gain(model), curve.no_law(model)
    except NotAvailable as problem:
        return [problem.message]
    most = curve.sizes[-1]
    better = find(curve.measure).better
    if why:
        out.append(f"{visible(model)}: {why}.")
    else:
        assert gain.value is not None
        low, high = _ends(gain)
        known = low is not None and high is not None
        decimals = digits_for((high - low) / 2) if low is not None and high is not None else 3
        value = decimal(abs(gain.value), decimals) if known else estimate_parts(abs(gain.value), None, None)[0]
        way = "raise" if gain.value > 0 else "lower"
        said = f"about {value}"
        if low is not None and high is not None:
            # The interval first: how a curve goes on beyond its rows is known by and large.
            ends = bracketed(decimal(low, decimals), decimal(high, decimals))
            said = f"{ends} ({percent(curve.confidence)} interval), about {value}"
        good = "" if (gain.value > 0) == (better == "higher") else ", which is worse"
        out.append(
            f"{visible(model)}: doubling the data to {count(2 * most)} training rows would {way} "
            f"{find(curve.measure).noun} by {said}{good}."
        )
        out.append(f"That weighs all power laws that fit; the nearest alone is {law.text}.")
    learnt, tested = curve.estimates(model, train=True)[-1], curve.estimates(model)[-1]
    if learnt.value is not None and tested.value is not None:
        gap = tested.value - learnt.value if better == "lower" else learnt.value - tested.value
        shown = estimate_parts(abs(gap), None, None)[0]
        if gap > 0:
            out.append(f"With {count(most)} rows it does better by {shown} on rows it learnt from than on new ones.")
    return out


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    """The ends of an interval as sizes of a step in the direction of the value."""
    if estimate.low is None or estimate.high is None:
        return None, None
    return (estimate.low, estimate.high) if (estimate.value or 0.0) >= 0 else (-estimate.high, -estimate.low)


def headline(curve: LearningCurve) -> str:
    """What was run, in one line."""
    x = curve.experiment
    (data, facts), cell = next(iter(x.plan["data"].items())), x.cells[0]
    repeats = len({(f.repeat, f.fold) for f in cell.folds})
    tested = round(float(np.mean([f.test for f in cell.folds])))
    return (
        f"Learning curve on {visible(data)} ({many(facts['rows'], 'row')}): {_sizes(curve.sizes)}, "
        f"{many(repeats, 'repeat')}, {many(tested, 'test row')}{' each' if repeats != 1 else ''}"
    )


def _sizes(sizes: Sequence[int]) -> str:
    if len(sizes) == 1:
        return f"1 size of {many(sizes[0], 'row')}"
    return f"{len(sizes)} sizes from {count(sizes[0])} to {many(sizes[-1], 'row')}"


def learning_title(curve: LearningCurve) -> str:
    """The title of a report."""
    return f"Learning curve of {', '.join(curve.models)}"


def learning_text(curve: LearningCurve) -> str:
    """The curve as plain text, 80 columns wide."""
    blocks = [verdict_lines(curve.verdict), wrap(headline(curve), WIDTH, "", "  ")]
    for model in curve.models:
        blocks.append(table_lines(learning_table(curve, model)))
        blocks.append(wrapped(learning_sentences(curve, model)))
    # What one repeat shows has no spread to make an interval of.
    said = ""
    if any(e.low is not None for m in curve.models for e in curve.estimates(m)):
        said = f"Intervals are {percent(curve.confidence)}: corrected resampled t over the repeats, which share their rows."
    blocks.append(wrap(said, WIDTH, "", "  ") if said else [])
    blocks.append(noted(experiment_notes(curve.experiment)))
    return blocks_text(blocks)


def learning_document(curve: LearningCurve) -> dict[str, Any]:
    """Every number and sentence as plain JSON values."""
    laws: dict[str, dict[str, Any]] = {}
    for model in curve.models:
        try:
            law, gain, why = curve.law(model), curve.gain(model), curve.no_law(model)
        except NotAvailable as problem:
            laws[model] = {"reason": problem.message}
            continue
        if why:
            laws[model] = {"reason": why}
            continue
        laws[model] = {"law": law.text, "a": law.a, "b": law.b, "c": law.c, "doubling": gain.to_dict()}
    return {
        "title": learning_title(curve),
        "experiment": curve.experiment.name,
        "headline": headline(curve),
        "measure": curve.measure,
        "rows": curve.rows_as_dicts(),
        "laws": laws,
        "sentences": {m: learning_sentences(curve, m) for m in curve.models},
        "notes": experiment_notes(curve.experiment),
    }


def learning_chart(curve: LearningCurve, *models: str) -> Chart:
    """Test curves with bands, training curves dashed where there is one model, and the law drawn on beyond the rows."""
    chosen = list(models) or curve.models
    marks: list[Mark] = []
    seen: list[float] = []
    xs = [float(s) for s in curve.sizes]
    ahead = AHEAD * xs[-1]
    legend: list[tuple[str, int]] = []
    columns: dict[str, list[Any]] = {k: [] for k in ("model", "part", "rows", "estimate", "low", "high")}
    for i, model in enumerate(chosen):
        parts = (("test", i), ("train", i + 1)) if len(chosen) == 1 else (("test", i),)
        for part, colour in parts:
            found = curve.estimates(model, train=part == "train")
            lows, highs = [x.low for x in found], [x.high for x in found]
            ys = [x.value for x in found]
            marks.append(Band(xs, lows, highs, colour, 0.22 if len(chosen) == 1 else 0.12))
            name = visible(model) if len(chosen) > 1 else f"{part}ing rows" if part == "train" else "test rows"
            marks.append(Line(xs, ys, colour, 2, DASHES[colour % len(DASHES)]))
            marks += [Point(a, b, colour, size=3) for a, b in zip(xs, ys, strict=True) if b is not None]
            seen += [v for v in (*ys, *lows, *highs) if v is not None]
            legend.append((name, colour))
            for row in zip([model] * len(xs), [part] * len(xs), curve.sizes, ys, lows, highs, strict=True):
                for key, value in zip(columns, row, strict=True):
                    columns[key].append(value)
        # Side by side at the end, so that no interval hides another.
        marks += _law(curve, model, i, xs[-1], ahead * 0.985 ** (len(chosen) - 1 - i), seen)
    ticks = tuple((s, count(s)) for s in (*xs, ahead)) if len(xs) < 9 else ()
    wide = ahead / xs[0] > 20
    across = Scale(xs[0], ahead * 1.02, "Training rows", "log" if wide else "number", labels=ticks if wide else ())
    of = f" of {visible(chosen[0])}" if len(chosen) == 1 else ""
    title = f"Learning curve: {find(curve.measure).noun}{of}"
    said = " ".join(s for m in chosen for s in learning_sentences(curve, m))
    up = wide_enough(seen, find(curve.measure).noun)
    state = curve.verdict.state if curve.verdict.known else "whether more rows would help is not known"
    more: dict[str, Any] = {"size": (620.0, 380.0), "finding": f"{state[:1].upper()}{state[1:]}"}
    return Chart("learning", title, across, up, tuple(marks), said, columns, tuple(legend), **more)


def _law(curve: LearningCurve, model: str, colour: int, last: float, ahead: float, seen: list[float]) -> list[Mark]:
    """The law from the last size on, as a dotted line that ends in the expected value with its interval."""
    try:
        law, x = curve.laws(model), curve.at(ahead, model)
        if curve.no_law(model):
            return []
    except NotAvailable:
        return []
    steps = np.geomspace(last, ahead, 20).tolist()
    ys = [float(law.at(n)) for n in steps]
    seen += [v for v in (x.value, x.low, x.high) if v is not None]
    marks: list[Mark] = [Line(steps, ys, colour, 2, "1 4")]
    if x.low is not None and x.high is not None:
        marks.append(Line([ahead] * 2, [x.low, x.high], colour, 2))
    marks.append(Point(ahead, ys[-1], colour, "ring", 4))
    marks.append(Text(ahead, ys[-1], estimate_parts(ys[-1], x.low, x.high)[0], colour, "end", dx=-8, dy=-8))
    return marks
