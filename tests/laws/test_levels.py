"""One level against the rest is a binary evaluation, and averages are averages of those."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy

from .law import law
from .reading import Numbers, check_same, read
from .samples import Sample, samples


def _at(numbers: Numbers, level: Any) -> Numbers:
    return {(name, None, options): x for (name, at, options), x in numbers.items() if at == level and at is not None}


def _against_the_rest(sample: Sample, level: Any) -> sy.Evaluation:
    columns: dict[str, Any] = {**sample.columns, "target": [t == level for t in sample.columns["target"]]}
    settings: dict[str, Any] = {"levels": (False, True), "positive": True}
    if sample.kind == "labels":
        columns["prediction"] = [p == level for p in sample.columns["prediction"]]
        return Sample("labels", columns, settings).evaluate()
    i = sample.levels.index(level)
    columns["score"] = [row[i] for row in sample.columns["score"]]
    return Sample("scores", columns, settings).evaluate()


@law(labels=12, classes=5)
def test_a_level_is_the_binary_evaluation_against_the_rest(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind))
    if len(sample.levels) == 2:
        return
    e = sample.evaluate(positive=None) if kind == "labels" else sample.evaluate()
    numbers = read(e, intervals=True)
    for level in sample.levels:
        mine, binary = _at(numbers, level), read(_against_the_rest(sample, level), intervals=True)
        if kind == "classes":
            # The label of a row is its best class and not a matter of one class's threshold.
            mine = {k: v for k, v in mine.items() if not sy.catalogue()[k[0]].of_labels}
        assert mine
        binary = {k: binary[k] for k in mine}
        check_same(mine, binary)
        # A table of all levels is resampled cell by cell, so its bootstrap draws differ.
        kept = {k for k, v in mine.items() if "replicates" not in v.method}
        check_same({k: mine[k] for k in kept}, {k: binary[k] for k in kept}, ends=True)


@law(labels=30, classes=8)
def test_macro_and_weighted_are_means_over_levels(kind: str, data: Any) -> None:
    weights = data.draw(st.sampled_from((None, "lopsided")))
    sample = data.draw(samples(kind, weights=weights))
    numbers = read(sample.evaluate())
    rows = dict.fromkeys(sample.levels, 0.0)
    for t, w in zip(sample.columns["target"], sample.columns.get("weight", [1.0] * len(sample)), strict=True):
        rows[t] += w
    names = [name for name, level, _ in numbers if level == "macro"]
    for name in names:
        found = {v: numbers[name, v, ""].value for v in sample.levels}
        macro = None if None in found.values() else sum(found.values()) / len(found)
        # A level without rows has no say in a mean weighted by rows.
        counted = {v: x for v, x in found.items() if rows[v]}
        total = sum(rows.values())
        weighted = None if None in counted.values() else sum(rows[v] * x for v, x in counted.items()) / total
        for how, wanted in (("macro", macro), ("weighted", weighted)):
            got = numbers[name, how, ""].value
            assert (got is None) == (wanted is None), f"{name} {how}: {got} and {wanted}"
            assert got is None or got == pytest.approx(wanted, rel=1e-9, abs=1e-12), f"{name} {how}"


@given(data=st.data())
def test_micro_averages_pool_the_counts(data: Any) -> None:
    sample = data.draw(samples("labels"))
    e = sample.evaluate()
    accuracy, k = float(e["accuracy"]), len(sample.levels)
    for name in ("recall", "precision", "f1"):
        assert e[name, "micro"].value == pytest.approx(accuracy)
    for name in ("specificity", "npv"):
        assert e[name, "micro"].value == pytest.approx(1 - (1 - accuracy) / (k - 1))
    assert e["recall", "macro"].value == pytest.approx(e["average_class_accuracy"].value)
    assert e["recall", "weighted"].value == pytest.approx(accuracy)


@given(data=st.data())
def test_hand_and_till_of_two_classes_is_the_mean_of_their_areas(data: Any) -> None:
    sample = data.draw(samples("classes"))
    e = sample.evaluate()
    if len(sample.levels) == 2:
        areas = [e["auc", v].value for v in sample.levels]
        assert e["hand_till_auc"].value == (None if None in areas else pytest.approx(sum(areas) / 2))


@given(data=st.data())
def test_one_of_all_classes_is_always_among_the_highest(data: Any) -> None:
    sample = data.draw(samples("classes"))
    e = sample.evaluate()
    values = [float(e.measure("top_k_accuracy", k=k)) for k in range(1, len(sample.levels) + 1)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(1.0)
