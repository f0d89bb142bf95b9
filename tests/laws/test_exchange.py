"""Swapping the classes and stretching the scores: which numbers change places, and which stay."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.measures.measure import catalogue
from steelyard.summaries.confusion import Outcomes

from .law import law
from .reading import Numbers, check_same, read
from .samples import samples

PARTNERS = {
    "recall": "specificity",
    "precision": "npv",
    "fpr": "fnr",
    "precision_at_prevalence": "npv_at_prevalence",
}
"""What one class calls the first, the other calls the second (at a prevalence of one half)."""
EVEN = {"youden", "weighted_accuracy"}
"""Measures of one class that treat both alike by their own formula."""


def _only(numbers: Numbers, names: Any) -> Numbers:
    return {k: v for k, v in numbers.items() if k[0] in names and not k[2]}


@given(data=st.data())
@settings(max_examples=20)
def test_the_other_class_exchanges_partners_and_leaves_the_rest(data: Any) -> None:
    sample = data.draw(samples("labels"))
    assume(len(sample.levels) == 2)
    first, second = (read(sample.evaluate(positive=v), intervals=True) for v in sample.levels)
    whole = [name for name, m in catalogue().items() if Outcomes not in m.reads]
    if sample.settings["profit"].levels is None:
        # Told by outcomes, a payoff changes its meaning with the positive level.
        whole = [name for name in whole if name not in {"profit", "cost"}]
    check_same(_only(first, whole), _only(second, whole), ends=True)
    check_same(_only(first, EVEN), _only(second, EVEN))
    pairs = PARTNERS | {v: k for k, v in PARTNERS.items()}
    exchanged = {(pairs[k[0]], *k[1:]): v for k, v in _only(second, pairs).items()}
    # Resampled tables are drawn in the order of the cells, so only values are alike there.
    check_same(_only(first, pairs), exchanged)
    drawn = {k for k, v in _only(first, pairs).items() if "replicates" in v.method}
    check_same(
        {k: v for k, v in _only(first, pairs).items() if k not in drawn},
        {k: v for k, v in exchanged.items() if k not in drawn},
        ends=True,
    )


@given(data=st.data())
@settings(max_examples=20)
def test_the_other_class_with_scores_negated_is_the_same_ranking(data: Any) -> None:
    sample = data.draw(samples("scores"))
    other = next(v for v in sample.levels if v != sample.settings["positive"])
    mirrored = sample.with_columns(score=[-s for s in sample.columns["score"]])
    names = ("auc", "gini", "l_quality", "ks")
    a, b = (_only(read(e), names) for e in (sample.evaluate(), mirrored.evaluate(positive=other)))
    assert a
    check_same(a, b)
    ends = [_only(read(e, intervals=True), ("auc",)) for e in (sample.evaluate(), mirrored.evaluate(positive=other))]
    check_same(*ends, ends=True)


@given(data=st.data())
@settings(max_examples=20)
def test_the_other_class_with_scores_taken_from_one_is_as_well_calibrated(data: Any) -> None:
    # Multiples of a sixteenth, whose distance to one is exact.
    sample = data.draw(samples("scores", manners=("tied",)))
    sixteenths = [round(s * 12 + 2) / 16 for s in sample.columns["score"]]
    sample = sample.with_columns(score=sixteenths)
    other = next(v for v in sample.levels if v != sample.settings["positive"])
    mirrored = sample.with_columns(score=[1 - s for s in sixteenths])
    names = ("brier", "log_loss", "brier_uncertainty", "calibration_slope")
    a, b = read(sample.evaluate(), intervals=True), read(mirrored.evaluate(positive=other), intervals=True)
    check_same(_only(a, names[:2]), _only(b, names[:2]), ends=True)
    check_same(_only(a, names), _only(b, names), tolerance=1e-6)
    x, y = a["calibration_intercept", None, ""].value, b["calibration_intercept", None, ""].value
    assert (x is None) == (y is None)
    assert x is None or y is None or x == pytest.approx(-y, abs=1e-9)


@given(data=st.data())
@settings(max_examples=20)
def test_only_the_order_of_scores_matters_to_a_ranking(data: Any) -> None:
    sample = data.draw(samples("scores"))
    distinct = sorted({s + 0.0 for s in sample.columns["score"]})
    scores = st.lists(
        st.floats(-1e9, 1e9).map(lambda x: x + 0.0), min_size=len(distinct), max_size=len(distinct), unique=True
    )
    to = dict(zip(distinct, sorted(data.draw(scores)), strict=True))
    stretched = sample.with_columns(score=[to[s + 0.0] for s in sample.columns["score"]])
    ranking = [name for name, m in catalogue().items() if m.question == "ranking"]
    a, b = (
        {k: v for k, v in read(e.evaluate(), intervals=True).items() if k[0] in ranking} for e in (sample, stretched)
    )
    assert a
    check_same(a, b, ends=True)


@law(scores=20, classes=5)
def test_a_threshold_is_a_prediction(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind))
    e = sample.evaluate()
    if kind == "scores":
        positive, threshold = sample.settings["positive"], sample.settings["threshold"]
        other = next(v for v in sample.levels if v != positive)
        predicted = [positive if s >= threshold else other for s in sample.columns["score"]]
        settings = {"levels": sample.levels, "positive": positive, "kind": "labels"}
    else:
        # The first of equally high classes.
        predicted = [sample.levels[row.index(max(row))] for row in sample.columns["score"]]
        settings = {"levels": sample.levels, "kind": "labels"}
        assume(len(sample.levels) > 2)
    labels = type(sample)("labels", {"target": sample.columns["target"], "prediction": predicted}, settings)
    a, b = read(labels.evaluate(), intervals=True), read(e, intervals=True)
    check_same(a, {k: b[k] for k in a}, ends=kind == "classes")
