"""Designs of the printed examples: hold-outs of Kelleher, Mac Namee, D'Arcy, and their five folds of x-rays."""

from __future__ import annotations

from functools import reduce
from operator import add
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.designs.folds import KFold, StoredFolds
from steelyard.designs.holdout import Holdout

from . import printed
from .reading import counted, exactly, matrix_of, rounds_to

ROWS = 500
"""Five folds of a hundred x-rays."""


@pytest.mark.parametrize("parts", [(50, 20, 30), (40, 20, 40)], ids=str)
@pytest.mark.parametrize("stratify", [False, True])
def test_the_printed_holdouts_divide_all_rows(parts: tuple[int, int, int], stratify: bool) -> None:
    """Printed as training : validation : test, 50:20:30 and 40:20:40; each makes a hundred."""
    _, validation, test = parts
    assert sum(parts) == 100
    split = next(Holdout(test / 100, validation / 100, stratify).splits(100, np.arange(100) % 2))
    assert (len(split.train), len(split.validation), len(split.test)) == parts
    assert sorted(np.concatenate([split.train, split.validation, split.test]).tolist()) == list(range(100))


def rows_of(fold: printed.Matrix) -> list[tuple[str, str]]:
    """The hundred rows that a matrix counts: actual and predicted level."""
    levels = printed.XRAY_LEVELS
    return [(levels[i], levels[j]) for i in (0, 1) for j in (0, 1) for _ in range(fold[i][j])]


def test_only_one_matrix_completes_each_printed_first_row() -> None:
    """The page lost its second rows; a hundred rows a fold and the printed accuracies leave one of each."""
    for fold, accuracy in zip(printed.XRAY_FOLDS, printed.XRAY_FOLD_ACCURACY):
        (tp, fn), second = fold
        possible = [[fp, 100 - tp - fn - fp] for fp in range(101 - tp - fn) if 100 - fn - fp == int(accuracy)]
        assert possible == [second]


def test_the_folds_of_the_xrays_add_up() -> None:
    """The rows of all folds in one table, divided again by their stored fold: 237 45 / 35 183, accuracy 84 per cent."""
    rows = [(fold, *row) for fold, matrix in enumerate(printed.XRAY_FOLDS) for row in rows_of(matrix)]
    rows = [rows[i] for i in np.random.default_rng(0).permutation(ROWS)]
    actual, predicted = (np.array([row[i] for row in rows]) for i in (1, 2))
    found: list[Any] = []
    for split in StoredFolds("fold").splits(ROWS, data={"fold": [row[0] for row in rows]}):
        assert (len(split.train), len(split.test)) == (400, 100)
        e = sy.evaluate(target=actual[split.test], prediction=predicted[split.test], positive="lateral")
        assert matrix_of(e, printed.XRAY_LEVELS) == printed.XRAY_FOLDS[split.fold]
        assert float(e["accuracy"]) == exactly(int(printed.XRAY_FOLD_ACCURACY[split.fold]) / 100)
        found.append(e)
    overall = reduce(add, found)
    assert matrix_of(overall, printed.XRAY_LEVELS) == printed.XRAY_OVERALL == [[237, 45], [35, 183]]
    accuracy = overall["accuracy"]
    assert float(accuracy) == exactly(0.84) and accuracy.n == ROWS
    assert rounds_to(accuracy.low, "0.8053") and rounds_to(accuracy.high, "0.8695")
    assert "wilson" in accuracy.method.lower()
    accuracies = [float(e["accuracy"]) for e in found]
    assert mean(accuracies) == exactly(0.84)
    assert rounds_to(stdev(accuracies), "0.0274")
    assert rounds_to(overall["average_class_accuracy"], "0.839938")
    assert rounds_to(overall["average_class_accuracy_hm"], "0.839937")


def test_matrices_counted_by_hand_add_up_as_well() -> None:
    overall = reduce(add, (counted(fold, printed.XRAY_LEVELS, "lateral") for fold in printed.XRAY_FOLDS))
    assert matrix_of(overall, printed.XRAY_LEVELS) == printed.XRAY_OVERALL


def test_five_folds_of_the_xrays_have_a_hundred_rows_each() -> None:
    levels = ["lateral"] * 282 + ["frontal"] * 218
    for split in KFold(5, stratify=True).splits(ROWS, levels):
        assert len(split.test) == 100
        assert sum(levels[i] == "lateral" for i in split.test) in {56, 57}
