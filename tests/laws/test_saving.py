"""What is saved comes back the same, through JSON that holds no NaN."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import steelyard as sy
from steelyard.results import Curve, Estimate

from .law import law
from .reading import curves_of, grid_beyond, read
from .samples import KINDS, samples

LIMITS = st.sampled_from((10**6, 8))


def through_json(data: Any) -> Any:
    """As it comes back from a file."""
    return json.loads(json.dumps(data, allow_nan=False))


@law(labels=15, scores=20, classes=10, numbers=15)
def test_a_summary_comes_back_equal(kind: str, data: Any) -> None:
    limit = data.draw(LIMITS)
    weights = data.draw(st.sampled_from((None, "sampling", "frequency")))
    sample = data.draw(samples(kind, weights=weights, units=data.draw(st.sampled_from((0, 5))), least=10))
    with grid_beyond(limit):
        e = sample.evaluate()
        for summary in e.summaries.values():
            back = type(summary).from_dict(through_json(summary.to_dict()))
            assert back == summary
            assert through_json(back.to_dict()) == through_json(summary.to_dict())
            assert back + summary == summary + back


@law(labels=6, scores=12, classes=3, numbers=6)
def test_an_evaluation_comes_back_with_the_same_numbers(kind: str, data: Any) -> None:
    limit = data.draw(LIMITS)
    weights = data.draw(st.sampled_from((None, "sampling")))
    sample = data.draw(samples(kind, least=14, most=18, weights=weights, units=14, segments=2))
    with grid_beyond(limit):
        e = sample.evaluate(confidence=0.9)
        back = sy.Evaluation.from_dict(through_json(e.to_dict()))
        assert back == e
        assert (back.threshold, back.confidence, back.rows) == (e.threshold, e.confidence, e.rows)
        # Exactly: floats pass through JSON without a loss.
        assert read(back, intervals=True) == read(e, intervals=True)


@law(labels=6, scores=10, classes=2, numbers=6)
def test_an_estimate_comes_back_equal(kind: str, data: Any) -> None:
    for x in read(data.draw(samples(kind)).evaluate(), intervals=True).values():
        assert Estimate.from_dict(through_json(x.to_dict())) == x


@given(data=st.data())
@settings(max_examples=10)
def test_a_curve_comes_back_equal(data: Any) -> None:
    e = data.draw(samples("scores")).evaluate()
    for curve in curves_of(e):
        assert Curve.from_dict(through_json(curve.to_dict())) == curve


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_file_comes_back_equal_and_leaves_nothing_beside_it(kind: str, data: Any, tmp_path: Path) -> None:
    e = data.draw(samples(kind, segments=2)).evaluate()
    path = tmp_path / "march.json"
    e.save(path)
    assert sy.load(path) == e
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
