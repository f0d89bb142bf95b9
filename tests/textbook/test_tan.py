"""Printed examples of Tan, Steinbach, Kumar, Introduction to Data Mining, chapter 4, model evaluation.

Its costs are in test_tan_cost.py; the comparison of two models is in test_comparisons.py.
"""

from __future__ import annotations

import random
from math import comb, sqrt
from typing import Any

import pytest

import steelyard as sy

from . import printed
from .reading import exactly, matrix_of, rounds_to, trapezoids, two_by_two


@pytest.fixture(scope="module")
def ten() -> Any:
    """The ten scored instances, three of them tied at .85."""
    scores = [row[0] for row in printed.TEN_WITH_TIES]
    return sy.evaluate(target=[row[1] for row in printed.TEN_WITH_TIES], score=scores, positive="+")


def roc_points(evaluation: Any) -> list[tuple[float, float]]:
    """The points (FPR, TPR), from (0, 0) to (1, 1)."""
    columns = evaluation.curve("roc").columns
    return sorted(zip(columns["fpr"], columns["tpr"], strict=True))


# --- accuracy and its limits -----------------------------------------------------------------------------------------


def test_always_class_0() -> None:
    """Printed 9990/10000 = 99.9 per cent; right. It finds no class 1, and its precision does not exist."""
    e = two_by_two([[0, 10], [0, 9990]])
    assert float(e["accuracy"]) == exactly(0.999)
    assert float(e["recall"]) == 0
    assert not e["precision"].defined
    assert e["precision"].value is None
    assert e["precision"].reason
    rows = sy.evaluate(target=[1] * 10 + [0] * 9990, prediction=[0] * 10000, positive=1)
    assert float(rows["accuracy"]) == exactly(0.999)


@pytest.mark.parametrize(("matrix", "accuracy"), [(printed.COST_M1, 0.8), (printed.COST_M2, 0.9)], ids=["M1", "M2"])
def test_cost_example_accuracy(matrix: printed.Matrix, accuracy: float) -> None:
    """Printed 80 and 90 per cent; right. The models had different test instances: 190 and 295 positives."""
    e = two_by_two(matrix)
    assert float(e["accuracy"]) == exactly(accuracy)
    assert e["accuracy"].n == 500
    assert float(e["prevalence"]) == exactly({0.8: 190, 0.9: 295}[accuracy] / 500)


# --- identities ------------------------------------------------------------------------------------------------------

MATRICES: list[printed.Matrix] = [
    [[6, 3], [2, 9]],
    printed.COST_M1,
    printed.COST_M2,
    printed.CARD,
    printed.SWISS_BIKES,
    [[1, 9], [1, 89]],
]


@pytest.mark.parametrize("matrix", MATRICES, ids=str)
def test_f_measure_identities(matrix: printed.Matrix) -> None:
    """Printed F = 2rp/(r+p) = 2a/(2a+b+c) = 2/(1/r+1/p); right."""
    (a, b), (c, _) = matrix
    e = two_by_two(matrix)
    r, p = float(e["recall"]), float(e["precision"])
    assert float(e["f1"]) == exactly(2 * r * p / (r + p))
    assert float(e["f1"]) == exactly(2 * a / (2 * a + b + c))
    assert float(e["f1"]) == exactly(2 / (1 / r + 1 / p))


@pytest.mark.parametrize("matrix", MATRICES, ids=str)
@pytest.mark.parametrize(
    ("weights", "name"),
    [((1, 1, 0, 0), "recall"), ((1, 0, 1, 0), "precision"), ((2, 1, 1, 0), "f1"), ((1, 1, 1, 1), "accuracy")],
)
def test_weighted_accuracy_has_the_others_as_special_cases(
    matrix: printed.Matrix, weights: tuple[float, float, float, float], name: str
) -> None:
    """Printed (w1 a + w4 d)/(w1 a + w2 b + w3 c + w4 d); right."""
    e = two_by_two(matrix)
    assert float(e.measure("weighted_accuracy", weights=weights)) == exactly(float(e[name]))


def test_weighted_accuracy_formula() -> None:
    """Printed (w1 a + w4 d)/(w1 a + w2 b + w3 c + w4 d); right."""
    e = two_by_two([[6, 3], [2, 9]])
    weighted = e.measure("weighted_accuracy", weights=(5, 7, 11, 13))
    assert float(weighted) == exactly((5 * 6 + 13 * 9) / (5 * 6 + 7 * 3 + 11 * 2 + 13 * 9))


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9])
def test_random_classifier_lies_on_the_diagonal(p: float) -> None:
    """Printed TPR = p n+/n+ = p and FPR = p n-/n- = p; right."""
    e = two_by_two([[round(40 * p), round(40 * (1 - p))], [round(60 * p), round(60 * (1 - p))]])
    assert float(e["recall"]) == exactly(p)
    assert float(e["fpr"]) == exactly(p)
    assert float(e["youden"]) == exactly(0)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9])
def test_random_classifier_has_area_one_half(p: float) -> None:
    """Printed: random guess, area .5; right. Each instance is both called and not called, with weights p and 1 - p."""
    targets = [1, 1, 0, 0, 0]
    e = sy.evaluate(
        target=targets * 2, score=[1.0] * 5 + [0.0] * 5, positive=1, weight=[p] * 5 + [1 - p] * 5, weights="sampling"
    )
    assert float(e["recall"]) == exactly(p)
    assert float(e["fpr"]) == exactly(p)
    assert float(e["auc"]) == exactly(0.5)


# --- the ROC curve ---------------------------------------------------------------------------------------------------


def test_roc_construction_has_one_column_per_distinct_score(ten: Any) -> None:
    """Printed: eleven columns, three of them for the tied .85. Right are nine, with (TP, FP) = (3, 3) at .85."""
    right = {0.25: (5, 5), 0.43: (4, 5), 0.53: (4, 4), 0.76: (3, 4), 0.85: (3, 3), 0.87: (2, 1), 0.93: (2, 0)}
    right |= {0.95: (1, 0), 1.00: (0, 0)}
    for threshold, (tp, fp) in right.items():
        assert matrix_of(ten.at(threshold=threshold), ["+", "-"]) == [[tp, 5 - tp], [fp, 5 - fp]]
    points = roc_points(ten)
    assert points == [exactly((fp / 5, tp / 5)) for tp, fp in sorted(right.values(), key=lambda x: (x[1], x[0]))]


def test_roc_construction_where_the_print_is_right_and_where_not(ten: Any) -> None:
    """Printed columns (3, 2) and (3, 1) at .85 split tied instances; the other nine columns are right."""
    wrong = []
    for threshold, tp, fp in printed.TEN_WITH_TIES_COLUMNS:
        e = ten.at(threshold=threshold)
        if (float(e["recall"]), float(e["fpr"])) != exactly((tp / 5, fp / 5)):
            wrong.append((threshold, tp, fp))
    assert wrong == [(0.85, 3, 2), (0.85, 3, 1)]
    points = roc_points(ten)
    for _, tp, fp in wrong:
        assert all(point != exactly((fp / 5, tp / 5)) for point in points)


def test_roc_construction_area(ten: Any) -> None:
    """Not printed: .56 with ties at one half. The printed columns would give .60, the rows in listed order .52."""
    assert float(ten["auc"]) == exactly(14 / 25)
    printed_points = sorted((fp / 5, tp / 5) for _, tp, fp in printed.TEN_WITH_TIES_COLUMNS)
    assert trapezoids(printed_points) == exactly(0.60)


def test_roc_construction_does_not_depend_on_row_order(ten: Any) -> None:
    """Splitting ties makes the area a matter of row order, .52 to .60; one step per score does not."""
    rows = list(printed.TEN_WITH_TIES)
    dealer = random.Random(4)
    for _ in range(10):
        dealer.shuffle(rows)
        e = sy.evaluate(target=[row[1] for row in rows], score=[row[0] for row in rows], positive="+")
        assert float(e["auc"]) == float(ten["auc"])
        assert roc_points(e) == roc_points(ten)


def test_roc_corners(ten: Any) -> None:
    """Printed: (0, 0) calls everything negative, (1, 1) everything positive; right."""
    points = roc_points(ten)
    assert points[0] == (0, 0)
    assert points[-1] == (1, 1)
    assert matrix_of(ten.at(threshold=0.96), ["+", "-"]) == [[0, 5], [0, 5]]
    assert matrix_of(ten.at(threshold=0.25), ["+", "-"]) == [[5, 0], [5, 0]]


def test_roc_ideal_model_and_its_opposite() -> None:
    """Printed: TPR 1 at FPR 0 is ideal, area 1; below the diagonal the prediction is opposite. Both right."""
    targets = [1, 1, 1, 0, 0]
    ideal = sy.evaluate(target=targets, score=[0.9, 0.8, 0.7, 0.2, 0.1], positive=1)
    assert float(ideal["auc"]) == 1
    assert (0, 1) in roc_points(ideal)
    opposite = sy.evaluate(target=targets, score=[0.1, 0.2, 0.3, 0.8, 0.9], positive=1)
    assert float(opposite["auc"]) == 0
    assert (1, 0) in roc_points(opposite)


# --- an interval for accuracy ----------------------------------------------------------------------------------------


def test_fifty_tosses_of_a_coin() -> None:
    """Printed P(X = 20) = .0419, mean 25, variance 12.5; all right.

    The 2**50 sequences of heads and tails are the instances, as whole-number weights.
    """
    heads = list(range(51))
    ways = [comb(50, k) for k in heads]
    twenty = sy.evaluate(
        target=[int(k == 20) for k in heads], prediction=[1] * 51, positive=1, weight=ways, weights="frequency"
    )
    assert float(twenty["prevalence"]) == exactly(comb(50, 20) / 2**50)
    assert rounds_to(twenty["prevalence"], "0.0419")
    spread = sy.evaluate(
        target=[25.0] * 51, prediction=[float(k) for k in heads], weight=ways, weights="frequency", kind="continuous"
    )
    assert float(spread["bias"]) == exactly(0)
    assert float(spread["mse"]) == exactly(12.5)


RIGHT_LIMITS = {
    50: (0.6696289406777458, 0.8875624998422389),
    100: (0.7111708344068411, 0.8666330666689674),
    500: (0.762710894694826, 0.8327145010282426),
    1000: (0.7740810353518653, 0.8236229095568015),
    5000: (0.7886843227480311, 0.8108550560849346),
}


def accuracy_of(correct: int, n: int, confidence: float = 0.95) -> Any:
    """The accuracy of a model that is right on so many of n instances."""
    half = n // 2
    wrong = n - correct
    return two_by_two([[half - wrong, wrong], [0, n - half]], confidence=confidence)["accuracy"]


@pytest.mark.parametrize("n", list(printed.ACCURACY_LIMITS))
def test_interval_for_accuracy_of_80_per_cent(n: int) -> None:
    """Printed .670-.888, .711-.866, .763-.833, .774-.824, .789-.811.

    All right but the upper limit at N = 100: .86663 rounds to .867, which the page's own call-out (86.7 per cent) has.
    """
    accuracy = accuracy_of(n * 8 // 10, n)
    assert (accuracy.low, accuracy.high) == pytest.approx(RIGHT_LIMITS[n], rel=1e-9)
    assert "wilson" in accuracy.method.lower()
    low, high = printed.ACCURACY_LIMITS[n]
    assert rounds_to(accuracy.low, low)
    assert rounds_to(accuracy.high, high) == (n != 100)


def test_interval_for_accuracy_call_out() -> None:
    """Printed 71.1 and 86.7 per cent for 80 right of 100; both right."""
    accuracy = accuracy_of(80, 100)
    assert rounds_to(100 * accuracy.low, "71.1")
    assert rounds_to(100 * accuracy.high, "86.7")
    assert rounds_to(accuracy.high, "0.867")


def test_interval_formula_needs_z_before_the_root() -> None:
    """Printed without Z before the root: N = 100 would give .749-.829, against the page's own table. Right has it."""
    z, n, acc = 1.96, 100, 0.8
    root = sqrt(z**2 + 4 * n * acc - 4 * n * acc**2)
    without = [(2 * n * acc + z**2 + sign * root) / (2 * (n + z**2)) for sign in (-1, 1)]
    assert rounds_to(without[0], "0.749")
    assert rounds_to(without[1], "0.829")
    accuracy = accuracy_of(80, 100)
    assert not rounds_to(accuracy.low, "0.749")
    assert not rounds_to(accuracy.high, "0.829")


@pytest.mark.parametrize(
    ("confidence", "right"), [(0.99, "2.5758"), (0.98, "2.3263"), (0.95, "1.9600"), (0.90, "1.6449")]
)
def test_normal_quantiles(confidence: float, right: str) -> None:
    """Printed 2.58, 2.33, 1.96, 1.65. The last is 1.6449, which rounds to 1.64."""
    accuracy = accuracy_of(80, 100, confidence)
    # At a limit p of the score interval, |acc - p| is Z standard deviations of Bin(N, p)/N.
    z = (accuracy.value - accuracy.low) / sqrt(accuracy.low * (1 - accuracy.low) / 100)
    assert rounds_to(z, right)
    assert rounds_to(z, printed.NORMAL_QUANTILES[confidence]) == (confidence != 0.90)
    assert confidence != 0.90 or rounds_to(z, "1.64")


def test_85_per_cent_of_30_is_no_count() -> None:
    """Printed: M1 has accuracy 85 per cent on 30 instances, which is 25.5 of them; 25 gives 83.3, 26 gives 86.7.

    M2, 75 per cent on 5000, is 3750 of them.
    """
    assert not any(rounds_to(accuracy_of(correct, 30), "0.85") for correct in range(15, 31))
    assert rounds_to(accuracy_of(25, 30), "0.833")
    assert rounds_to(accuracy_of(26, 30), "0.867")
    assert float(accuracy_of(3750, 5000)) == exactly(0.75)
