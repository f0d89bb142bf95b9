"""What every number promises: it lies in its range and in its interval, or says why it does not exist."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.measures.measure import catalogue
from steelyard.results import Estimate

from .law import law
from .reading import curves_of, grid_beyond, read
from .samples import Sample, samples

HOPELESS = st.sampled_from((0.0, 1.0, -1.0, 1e-200, -1e200, 1e308, 5e-324))
"""Numbers whose squares are too large or too small for a float."""


def test_every_measure_is_reached() -> None:
    """A measure of a new kind of summary needs a new kind of sample, or no law would see it."""
    target, labels = [0, 1, 1, 0], ["a", "b", "b", "a"]
    seen = [
        sy.evaluate(target=target, score=[0.1, 0.2, 0.9, 0.4], profit=sy.Profit(tp=5, fp=-2)),
        sy.evaluate(target=target, score=[0.1, 0.2, 0.9, 0.4], profit=sy.Cost(fn=5, fp=2)),
        sy.evaluate(target=labels, score={"a": [0.1, 0.2, 0.9, 0.4], "b": [0.9, 0.8, 0.1, 0.6]}),
        sy.evaluate(target=target, prediction=[0.1, 2.0, 3.0, 4.0], kind="continuous"),
    ]
    assert {name for e in seen for name in e.measures} == set(catalogue())


def check_promises(x: Estimate) -> None:
    """Finite and inside the range, the interval around it, or a reason; and JSON can hold it."""
    least, most = catalogue()[x.measure].range
    said = f"{x.measure} at level {x.level!r}: {x.low!r} ≤ {x.value!r} ≤ {x.high!r} ({x.method})"
    json.dumps(x.to_dict(), allow_nan=False)
    if x.value is None:
        assert x.reason, said
        assert x.low is None and x.high is None, said
        return
    assert math.isfinite(x.value), said
    assert least <= x.value <= most, f"{said}, outside {least} to {most}"
    assert x.method, f"{said}: an interval is named, or its absence"
    assert math.isfinite(x.bound) and x.bound >= 0, f"{said}: bound {x.bound}"
    assert (x.low is None) == (x.high is None), said
    if x.low is None or x.high is None:
        assert x.note, f"{said}: no interval, and no word why"
        return
    assert math.isfinite(x.low) and math.isfinite(x.high), said
    assert least <= x.low <= x.value <= x.high <= most, said


@law(labels=20, scores=30, classes=6, numbers=20)
def test_a_number_is_in_its_range_and_its_interval_or_says_why_not(kind: str, data: Any) -> None:
    weights = data.draw(st.sampled_from((None, "lopsided")))
    sample = data.draw(samples(kind, weights=weights))
    e = sample.evaluate()
    for x in read(e, intervals=True).values():
        check_promises(x)
    json.dumps(e.to_dict(), allow_nan=False)


@law(labels=6, scores=10, classes=3, numbers=6)
def test_the_same_by_units_and_on_the_grid(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, least=20, most=30, units=15))
    with grid_beyond(16):
        for x in read(sample.evaluate(), intervals=True).values():
            check_promises(x)


@given(st.lists(st.tuples(HOPELESS, HOPELESS), min_size=2, max_size=5))
@example([(1e200, -1e200), (0.0, 0.0)])
def test_numbers_whose_squares_do_not_exist_are_refused_or_undefined(rows: list[tuple[float, float]]) -> None:
    target, prediction = zip(*rows, strict=True)
    sample = Sample("numbers", {"target": target, "prediction": prediction}, {"kind": "continuous"})
    try:
        e = sample.evaluate()
    except sy.errors.InputError:
        return
    json.dumps(e.to_dict(), allow_nan=False)
    for x in read(e, intervals=True).values():
        check_promises(x)


@law(scores=20, classes=8)
def test_a_curve_has_points_and_no_nan(kind: str, data: Any) -> None:
    e = data.draw(samples(kind)).evaluate()
    for level in [None] if e.scores is not None else e.levels:
        for curve in curves_of(e, level):
            json.dumps(curve.to_dict(), allow_nan=False)
            assert len({len(column) for column in curve.columns.values()}) == 1
            ends = zip(curve.columns["low"], curve.columns["high"], strict=True)
            assert all(low is None or high is None or low <= high for low, high in ends), curve.name
