"""Scores of many classes worked out by hand."""

from __future__ import annotations

import math
from itertools import permutations

import pytest

import steelyard as sy
from steelyard.measures.measure import find
from steelyard.summaries.class_scores import ClassScores

TARGET = ["a", "a", "b", "b", "c", "c"]
SCORE = {
    "a": [0.6, 0.4, 0.3, 0.2, 0.3, 0.1],
    "b": [0.3, 0.4, 0.5, 0.3, 0.4, 0.2],
    "c": [0.1, 0.2, 0.2, 0.5, 0.3, 0.7],
}


def test_every_pair_of_classes_counted() -> None:
    e = sy.evaluate(target=TARGET, score=SCORE)

    def area(i: str, j: str) -> float:
        mine = [s for s, t in zip(SCORE[i], TARGET, strict=True) if t == i]
        theirs = [s for s, t in zip(SCORE[i], TARGET, strict=True) if t == j]
        return sum((x > y) + (x == y) / 2 for x in mine for y in theirs) / 4

    wanted = sum(area(i, j) for i, j in permutations("abc", 2)) / 6
    assert e["hand_till_auc"].value == pytest.approx(wanted)


def test_a_tie_at_the_border_counts_by_its_chance() -> None:
    e = sy.evaluate(target=TARGET, score=SCORE)
    # Ranks of the true class: 1; 1 with one tie; 1; 2; 2 with one tie; 1.
    assert e.measure("top_k_accuracy", k=1).value == pytest.approx((1 + 0.5 + 1 + 0 + 0 + 1) / 6)
    assert e.measure("top_k_accuracy", k=2).value == pytest.approx((1 + 1 + 1 + 1 + 0.5 + 1) / 6)
    assert e.measure("top_k_accuracy", k=3).value == 1.0


def test_the_squared_distance_is_over_all_classes() -> None:
    e = sy.evaluate(target=["a", "b"], score={"a": [0.7, 0.2], "b": [0.2, 0.5], "c": [0.1, 0.3]})
    wanted = ((0.3**2 + 0.2**2 + 0.1**2) + (0.2**2 + 0.5**2 + 0.3**2)) / 2
    assert e["brier"].value == pytest.approx(wanted)


def test_the_first_of_equally_high_classes_is_predicted() -> None:
    e = sy.evaluate(target=["b"] * 3, score={"a": [0.5, 0.1, 0.4], "b": [0.5, 0.4, 0.2], "c": [0.0, 0.4, 0.4]})
    assert e.confusion is not None
    assert e.confusion.counts.tolist() == [[0, 0, 0], [2, 1, 0], [0, 0, 0]]


def test_intervals_follow_units_with_many_classes_too() -> None:
    """The same person fifty times is one person."""
    people = 12
    target = [TARGET[i % 6] for i in range(people)]
    score = {k: [v[i % 6] for i in range(people)] for k, v in SCORE.items()}
    once = sy.evaluate(target=target, score=score, unit=list(range(people)))
    often = sy.evaluate(target=target * 50, score={k: v * 50 for k, v in score.items()}, unit=list(range(people)) * 50)
    for name in ("accuracy", "hand_till_auc", "brier", "top_k_accuracy"):
        a, b = once[name], often[name]
        assert (a.low, a.high) == (pytest.approx(b.low), pytest.approx(b.high)), f"{name}: {a} and {b} ({b.method})"


def test_one_class_alone_has_no_pairs() -> None:
    one = ClassScores.of({"a": [0.7, 0.2]}, ["a", "a"])
    assert math.isnan(float(find("hand_till_auc")(one).value))
    e = sy.evaluate(target=["a", "b"], score={"a": [0.7, 0.2], "b": [0.2, 0.5], "c": [0.1, 0.3]})
    assert str(e["hand_till_auc"]) == "n/a (a class has no rows)"
