"""Perfect is best: no prediction beats the target itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from steelyard.measures.measure import catalogue

from .law import law
from .reading import read
from .samples import KINDS, Sample, samples


def perfect(sample: Sample) -> Sample:
    """The same targets, predicted without an error."""
    target = sample.columns["target"]
    if sample.kind in {"labels", "numbers"}:
        return sample.with_columns(prediction=target)
    if sample.kind == "scores":
        scores = [float(t == sample.settings["positive"]) for t in target]
        settings = {**sample.settings, "threshold": 0.5}
        return Sample("scores", {**sample.columns, "score": scores}, settings)
    return sample.with_columns(score=[tuple(float(t == v) for v in sample.levels) for t in target])


BADNESS = {"higher": lambda x: -x, "lower": lambda x: x, "zero": abs}


@law(labels=20, scores=30, classes=6, numbers=30)
def test_no_prediction_beats_the_target(kind: str, data: Any) -> None:
    weights = data.draw(st.sampled_from((None, "lopsided")))
    sample = data.draw(samples(kind, weights=weights))
    best, other = read(perfect(sample).evaluate()), read(sample.evaluate())
    assert best.keys() == other.keys()
    for key, x in best.items():
        m, y = catalogue()[key[0]], other[key]
        if "payoff" in m.options:
            # What outcomes are worth is for people to say, and may reward mistakes.
            continue
        if m.better and x.value is not None and y.value is not None:
            badness = BADNESS[m.better]
            assert badness(x.value) <= badness(y.value) + 1e-9 * max(abs(x.value), 1.0), (
                f"{key}: {x.value} and {y.value}"
            )


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_end_of_the_range_is_reached(kind: str) -> None:
    """With all levels present a perfect prediction is at the good end, but for measures that cannot get there."""
    short = {
        "partial_auc": "at best the false positive rate that it stops at",
        "capture": "at best the depth over the share of positives",
        "lift": "no finite best",
        "response_ratio": "no finite best",
        "lr_positive": "no finite best",
        "brier_resolution": "at best the uncertainty",
        "calibration_slope": "has no best end; certain scores have no log-odds",
        "calibration_intercept": "certain scores have no log-odds",
    }
    columns: dict[str, Any] = {"target": ["a", "b", "c", "a"], "prediction": ["a"] * 4, "score": [(0.2, 0.4, 0.4)] * 4}
    settings: dict[str, Any] = {"levels": ("a", "b", "c")}
    if kind == "scores":
        columns = {"target": [1, 0, 0, 1], "score": [0.5] * 4}
        settings = {"levels": (0, 1), "positive": 1}
    if kind == "numbers":
        columns, settings = {"target": [1.0, 2.5, 4.0], "prediction": [0.0] * 3}, {"kind": "continuous"}
    columns.pop({"labels": "score", "classes": "prediction"}.get(kind, ""), None)
    for (name, level, options), x in read(perfect(Sample(kind, columns, settings)).evaluate()).items():
        m = catalogue()[name]
        end = {"higher": m.range[1], "lower": m.range[0], "zero": 0.0}.get(m.better)
        if end is not None and name not in short and "weights" not in options:
            assert x.value == pytest.approx(end, abs=1e-12), f"{name} at {level} with {options}: {x}"
