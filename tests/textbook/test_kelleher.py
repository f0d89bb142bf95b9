"""Printed examples of Kelleher, Mac Namee, D'Arcy, Fundamentals of Machine Learning for Predictive Data Analytics.

They are those of chapter 8, evaluation. Its profits have a file of their own; stability index and control group are not here yet.
"""

from __future__ import annotations

from functools import reduce
from math import sqrt
from operator import add
from statistics import mean, stdev
from typing import Any

import pytest

import steelyard as sy
from steelyard.intervals.placements import delong

from . import printed
from .reading import counted, exactly, matrix_of, rounds_to, trapezoids

SPAM_HAM = ["spam", "ham"]


@pytest.fixture(scope="module")
def spam() -> Any:
    """The twenty scored e-mails at threshold 0.5."""
    targets = [row[1] for row in printed.SPAM]
    scores = [row[2] for row in printed.SPAM]
    return sy.evaluate(target=targets, score=scores, positive="spam", threshold=0.5)


@pytest.fixture(scope="module")
def bacteria() -> Any:
    """The thirty bacteria, four species."""
    return sy.evaluate(target=[row[1] for row in printed.BACTERIA], prediction=[row[2] for row in printed.BACTERIA])


def regression(column: int) -> Any:
    targets = [row[1] for row in printed.REGRESSION]
    return sy.evaluate(target=targets, prediction=[row[column] for row in printed.REGRESSION])


@pytest.fixture(scope="module")
def linear() -> Any:
    return regression(2)


@pytest.fixture(scope="module")
def knn() -> Any:
    return regression(4)


# --- x-rays: five folds that add up ----------------------------------------------------------------------------------


@pytest.mark.parametrize("fold", range(5))
def test_xray_accuracy_of_each_fold(fold: int) -> None:
    """Printed 81, 88, 82, 85, 84 per cent; all right."""
    e = counted(printed.XRAY_FOLDS[fold], printed.XRAY_LEVELS, "lateral")
    assert float(e["accuracy"]) == exactly(int(printed.XRAY_FOLD_ACCURACY[fold]) / 100)
    assert e["accuracy"].n == 100


def test_xray_folds_add_up_to_the_overall_matrix() -> None:
    """Printed 237 45 / 35 183 and 84 per cent; both right. The overall accuracy is the mean of equal folds."""
    folds = [counted(fold, printed.XRAY_LEVELS, "lateral") for fold in printed.XRAY_FOLDS]
    overall = reduce(add, folds)
    assert matrix_of(overall, printed.XRAY_LEVELS) == printed.XRAY_OVERALL
    assert float(overall["accuracy"]) == exactly(0.84)
    accuracies = [float(fold["accuracy"]) for fold in folds]
    assert mean(accuracies) == exactly(0.84)
    assert stdev(accuracies) == pytest.approx(0.0274, abs=5e-5)


def test_xray_overall_accuracy_has_a_wilson_interval() -> None:
    """Not printed: 0.8053 to 0.8695 at 95 per cent."""
    accuracy = counted(printed.XRAY_OVERALL, printed.XRAY_LEVELS, "lateral")["accuracy"]
    assert (accuracy.low, accuracy.high) == pytest.approx((0.8052918208363085, 0.8695236276498359), rel=1e-9)
    assert accuracy.confidence == 0.95
    assert "wilson" in accuracy.method.lower()


def test_xray_class_accuracy_is_plain_accuracy() -> None:
    """The column is headed "Class Accuracy" but holds accuracy; the average class accuracy is 0.839938, not 0.84."""
    e = counted(printed.XRAY_OVERALL, printed.XRAY_LEVELS, "lateral")
    assert float(e["average_class_accuracy"]) == exactly(4303 / 5123)
    assert float(e["average_class_accuracy_hm"]) == exactly(14457 / 17212)
    assert rounds_to(e["average_class_accuracy"], "0.839938")
    assert rounds_to(e["average_class_accuracy_hm"], "0.839937")
    assert float(e["average_class_accuracy"]) != float(e["accuracy"])


# --- e-mails: one threshold ------------------------------------------------------------------------------------------


def test_spam_matrix_at_one_half(spam: Any) -> None:
    """Printed 6 3 / 2 9; right. Its accuracy, not printed, is .75."""
    assert matrix_of(spam, SPAM_HAM) == [[6, 3], [2, 9]]
    assert float(spam["accuracy"]) == exactly(0.75)
    assert spam.threshold == 0.5


def test_spam_twenty_outcomes(spam: Any) -> None:
    """Printed: TN, FN, FP or TP beside each of the twenty rows; all right."""
    outcomes = [row[3] for row in printed.SPAM]
    assert matrix_of(spam, SPAM_HAM) == [[outcomes.count(x) for x in pair] for pair in (("TP", "FN"), ("FP", "TN"))]
    for _, target, score, outcome, _ in printed.SPAM:
        assert outcome[1] == ("P" if score >= 0.5 else "N")
        assert (outcome[0] == "T") == ((target == "spam") == (score >= 0.5))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("recall", 6 / 9, "0.667"),
        ("specificity", 9 / 11, "0.818"),
        ("fpr", 2 / 11, "0.182"),
        ("fnr", 3 / 9, "0.333"),
        ("precision", 6 / 8, "0.75"),
        ("f1", 12 / 17, "0.706"),
    ],
)
def test_spam_rates_precision_recall_f1(spam: Any, name: str, value: float, text: str) -> None:
    """Printed TPR .667, TNR .818, FPR .182, FNR .333, precision .75, F1 .706; all right."""
    assert float(spam[name]) == exactly(value)
    assert rounds_to(spam[name], text)
    by_hand = counted([[6, 3], [2, 9]], SPAM_HAM, "spam")
    assert float(by_hand[name]) == exactly(value)


def test_spam_rates_sum_to_one(spam: Any) -> None:
    """Printed TPR + FNR = 1 and TNR + FPR = 1; right."""
    assert float(spam["recall"]) + float(spam["fnr"]) == exactly(1)
    assert float(spam["specificity"]) + float(spam["fpr"]) == exactly(1)


# --- churn and pay-day loans: average class accuracy ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matrix", "accuracy", "recall", "average"),
    [(printed.CHURN_KNN, 0.91, 1 / 10, 0.55), (printed.CHURN_NAIVE_BAYES, 0.78, 8 / 10, 71 / 90)],
    ids=["k-NN", "naive Bayes"],
)
def test_churn_accuracy_and_recall(matrix: printed.Matrix, accuracy: float, recall: float, average: float) -> None:
    """Printed accuracy 91 and 78 per cent, recall 1/10 and 8/10; all right. The arithmetic average is not printed."""
    e = counted(matrix, printed.CHURN_LEVELS, "churn")
    assert float(e["accuracy"]) == exactly(accuracy)
    assert float(e["recall"]) == exactly(recall)
    assert float(e["average_class_accuracy"]) == exactly(average)


def test_churn_knn_harmonic_mean() -> None:
    """Printed 1/5.5 = 18.2 per cent; right."""
    e = counted(printed.CHURN_KNN, printed.CHURN_LEVELS, "churn")
    assert float(e["average_class_accuracy_hm"]) == exactly(2 / 11)
    assert rounds_to(100 * float(e["average_class_accuracy_hm"]), "18.2")


def test_churn_naive_bayes_harmonic_mean() -> None:
    """Printed 1/1.268 = 78.873 per cent. The result is right, 56/71; the step shown, 1/1.268, would be 78.864."""
    value = float(counted(printed.CHURN_NAIVE_BAYES, printed.CHURN_LEVELS, "churn")["average_class_accuracy_hm"])
    assert value == exactly(56 / 71)
    assert rounds_to(100 * value, "78.873")
    assert not rounds_to(100 / 1.268, "78.873")


@pytest.mark.parametrize(
    ("matrix", "value", "text"),
    [(printed.PAYDAY_KNN, 57 / 68, "83.824"), (printed.PAYDAY_TREE, 1591 / 1970, "80.761")],
    ids=["k-NN", "tree"],
)
def test_payday_loans_harmonic_mean(matrix: printed.Matrix, value: float, text: str) -> None:
    """Printed 83.824 per cent for k-NN and 80.761 for the tree; both right."""
    e = counted(matrix, printed.PAYDAY_LEVELS, "good")
    assert float(e["average_class_accuracy_hm"]) == exactly(value)
    assert rounds_to(100 * float(e["average_class_accuracy_hm"]), text)


# --- e-mails: every threshold ----------------------------------------------------------------------------------------


def test_spam_matrix_at_three_quarters(spam: Any) -> None:
    """Printed 5 5 / 1 10, which is 21 e-mails; right is 4 5 / 1 10, and the page's own TPR there is 4/9 = .444."""
    e = spam.at(threshold=0.75)
    assert matrix_of(e, SPAM_HAM) == [[4, 5], [1, 10]]
    assert matrix_of(e, SPAM_HAM) != [[5, 5], [1, 10]]
    assert rounds_to(e["recall"], "0.444")


def test_spam_matrix_at_one_quarter(spam: Any) -> None:
    """Printed 7 2 / 4 7; right."""
    assert matrix_of(spam.at(threshold=0.25), SPAM_HAM) == [[7, 2], [4, 7]]


@pytest.mark.parametrize("column", range(5))
def test_spam_hundred_predicted_labels(spam: Any, column: int) -> None:
    """Printed: the label of each of twenty e-mails at five thresholds; all 100 are score >= threshold."""
    threshold = printed.THRESHOLDS[column]
    labels = [row[4].split()[column] for row in printed.SPAM]
    scores = [row[2] for row in printed.SPAM]
    # The printed labels as the truth: the thresholded scores must repeat every one of them.
    assert float(sy.evaluate(target=labels, score=scores, positive="spam", threshold=threshold)["accuracy"]) == 1
    from_labels = sy.evaluate(target=[row[1] for row in printed.SPAM], prediction=labels, positive="spam")
    assert matrix_of(from_labels, SPAM_HAM) == matrix_of(spam.at(threshold=threshold), SPAM_HAM)


@pytest.mark.parametrize(
    ("name", "values", "texts"),
    [
        ("error_rate", (6 / 20, 6 / 20, 5 / 20, 6 / 20, 7 / 20), "0.300 0.300 0.250 0.300 0.350"),
        ("recall", (9 / 9, 7 / 9, 6 / 9, 4 / 9, 2 / 9), "1.000 0.778 0.667 0.444 0.222"),
        ("specificity", (5 / 11, 7 / 11, 9 / 11, 10 / 11, 11 / 11), "0.455 0.636 0.818 0.909 1.000"),
        ("fpr", (6 / 11, 4 / 11, 2 / 11, 1 / 11, 0 / 11), "0.545 0.364 0.182 0.091 0.000"),
        ("fnr", (0 / 9, 2 / 9, 3 / 9, 5 / 9, 7 / 9), "0.000 0.222 0.333 0.556 0.778"),
    ],
)
def test_spam_rates_at_five_thresholds(spam: Any, name: str, values: tuple[float, ...], texts: str) -> None:
    """Printed: misclassification rate, TPR, TNR, FPR, FNR at .10 .25 .50 .75 .90; all 25 right."""
    for threshold, value, text in zip(printed.THRESHOLDS, values, texts.split(), strict=True):
        estimate = spam.at(threshold=threshold)[name]
        assert float(estimate) == exactly(value)
        assert rounds_to(estimate, text)


def test_spam_recall_falls_and_specificity_rises_with_the_threshold(spam: Any) -> None:
    """Printed as a note under the table; right."""
    at = [spam.at(threshold=threshold) for threshold in printed.THRESHOLDS]
    recalls = [float(e["recall"]) for e in at]
    specificities = [float(e["specificity"]) for e in at]
    assert recalls == sorted(recalls, reverse=True)
    assert specificities == sorted(specificities)


@pytest.mark.parametrize(
    ("threshold", "fpr", "tpr"), [(0.25, 4 / 11, 7 / 9), (0.5, 2 / 11, 6 / 9), (0.75, 1 / 11, 4 / 9)]
)
def test_spam_points_in_roc_space(spam: Any, threshold: float, fpr: float, tpr: float) -> None:
    """A figure without figures: (.3636, .7778), (.1818, .6667), (.0909, .4444)."""
    e = spam.at(threshold=threshold)
    assert (float(e["fpr"]), float(e["recall"])) == exactly((fpr, tpr))
    curve = spam.curve("roc").columns
    points = list(zip(curve["fpr"], curve["tpr"], strict=True))
    assert any(point == exactly((fpr, tpr)) for point in points)


def test_spam_roc_index_of_the_full_curve(spam: Any) -> None:
    """Not printed: 79/99 = .797980, with Gini and L-quality 59/99."""
    assert float(spam["auc"]) == exactly(79 / 99)
    assert float(spam["roc_index"]) == exactly(79 / 99)
    assert float(spam["gini"]) == exactly(59 / 99)
    assert float(spam["l_quality"]) == exactly(59 / 99)
    assert rounds_to(spam["auc"], "0.797980")
    assert rounds_to(spam["gini"], "0.595960")


def test_spam_roc_index_is_the_trapezoid_sum_over_the_curve(spam: Any) -> None:
    """The printed sum holds on the whole curve from (0, 0) to (1, 1)."""
    curve = spam.curve("roc").columns
    points = sorted(zip(curve["fpr"], curve["tpr"], strict=True))
    assert points[0] == (0, 0)
    assert points[-1] == (1, 1)
    assert trapezoids(points) == exactly(79 / 99)


def test_spam_roc_index_needs_every_threshold_and_both_ends(spam: Any) -> None:
    """The printed sum over the five printed thresholds alone: .373737, with both ends .828283; right is .797980.

    In increasing order of threshold, as the table stands, the sum is negative.
    """
    at = [spam.at(threshold=threshold) for threshold in sorted(printed.THRESHOLDS, reverse=True)]
    points = [(float(e["fpr"]), float(e["recall"])) for e in at]
    assert trapezoids(points) == exactly(37 / 99)
    assert trapezoids(points[::-1]) == exactly(-37 / 99)
    assert trapezoids([(0.0, 0.0), *points, (1.0, 1.0)]) == exactly(82 / 99)
    assert float(spam["auc"]) < 82 / 99


def test_spam_kolmogorov_smirnov(spam: Any) -> None:
    """Not printed: 19/33 = .575758, the gap at score .676."""
    assert float(spam["ks"]) == exactly(19 / 33)
    assert rounds_to(spam["ks"], "0.575758")
    assert spam.ks_threshold == 0.676
    e = spam.at(threshold=0.676)
    assert float(e["recall"]) - float(e["fpr"]) == exactly(19 / 33)


def test_spam_roc_index_has_a_delong_interval(spam: Any) -> None:
    """Not printed: DeLong standard error .10395."""
    auc = spam["auc"]
    assert "delong" in auc.method.lower()
    assert 0 <= auc.low < 79 / 99 < auc.high <= 1
    assert delong(spam.scores).error == exactly(0.1039471976338419)


# --- bacteria: four levels -------------------------------------------------------------------------------------------


def test_bacteria_matrix(bacteria: Any) -> None:
    """Printed 5 0 2 0 / 0 6 1 0 / 0 1 10 0 / 0 0 2 3; right."""
    expected = [[5, 0, 2, 0], [0, 6, 1, 0], [0, 1, 10, 0], [0, 0, 2, 3]]
    assert matrix_of(bacteria, printed.BACTERIA_LEVELS) == expected


@pytest.mark.parametrize(
    ("level", "recall", "precision", "recall_text", "precision_text"),
    [
        ("durionis", 5 / 7, 5 / 5, "0.714", "1.000"),
        ("ficulneus", 6 / 7, 6 / 7, "0.857", "0.857"),
        ("fructosus", 10 / 11, 10 / 15, "0.909", "0.667"),
        ("pseudo.", 3 / 5, 3 / 3, "0.600", "1.000"),
    ],
)
def test_bacteria_recall_and_precision(
    bacteria: Any, level: str, recall: float, precision: float, recall_text: str, precision_text: str
) -> None:
    """Printed recalls .714 .857 .909 .600 and precisions 1.000 .857 .667 1.000; all right."""
    assert float(bacteria["recall", level]) == exactly(recall)
    assert float(bacteria["precision", level]) == exactly(precision)
    assert rounds_to(bacteria["recall", level], recall_text)
    assert rounds_to(bacteria["precision", level], precision_text)


def test_bacteria_harmonic_mean(bacteria: Any) -> None:
    """Printed 1/1.333 = 75.000 per cent; exactly .75. From the rounded recalls on the page it would be .749878."""
    assert float(bacteria["average_class_accuracy_hm"]) == exactly(0.75)
    assert 4 / sum(1 / recall for recall in (0.714, 0.857, 0.909, 0.600)) == pytest.approx(0.749878, abs=5e-7)


def test_bacteria_other_measures(bacteria: Any) -> None:
    """Not printed: accuracy .8, kappa .716981, macro F1 .802427, arithmetic average class accuracy .770130."""
    assert float(bacteria["accuracy"]) == exactly(0.8)
    assert float(bacteria["kappa"]) == exactly(38 / 53)
    assert float(bacteria["f1", "macro"]) == exactly(3505 / 4368)
    assert float(bacteria["average_class_accuracy"]) == exactly(593 / 770)
    assert float(bacteria["recall", "macro"]) == exactly(593 / 770)
    assert float(bacteria["recall", "micro"]) == exactly(0.8)
    assert float(bacteria["recall", "weighted"]) == exactly(0.8)


# --- a continuous target ---------------------------------------------------------------------------------------------


def test_regression_errors_are_prediction_minus_target(linear: Any, knn: Any) -> None:
    """Printed: sixty errors; 43 are those of the printed predictions, 17 differ by .001 (made before rounding).

    The formulas above the table have target - prediction; the columns, and our bias, prediction - target.
    """
    differing = []
    for error, prediction in ((3, 2), (5, 4)):
        gaps = {row[0]: abs(row[error] - (row[prediction] - row[1])) for row in printed.REGRESSION}
        assert all(gap < 1e-9 or gap == pytest.approx(0.001, abs=1e-9) for gap in gaps.values())
        differing.append([row for row, gap in gaps.items() if gap > 1e-9])
    assert differing == [[10, 21, 23, 26, 28, 29, 30], [7, 15, 16, 17, 18, 22, 23, 26, 29, 30]]
    assert float(linear["bias"]) == exactly(6689 / 30000)
    assert float(knn["bias"]) == exactly(10819 / 30000)


def test_regression_linear_mse_rmse_mae(linear: Any) -> None:
    """Printed 1.905, 1.380, .975; all right."""
    assert float(linear["mse"]) == exactly(57154663 / 30e6)
    assert float(linear["rmse"]) == exactly(sqrt(57154663 / 30e6))
    assert float(linear["mae"]) == exactly(5851 / 6000)
    for name, text in (("mse", "1.905"), ("rmse", "1.380"), ("mae", "0.975")):
        assert rounds_to(linear[name], text)


def test_regression_knn_mse_rmse_mae(knn: Any) -> None:
    """Printed 4.394, 2.096, 1.750; all right, the last on the rounding edge: it is exactly 1.7495."""
    assert float(knn["mse"]) == exactly(131816399 / 30e6)
    assert float(knn["rmse"]) == exactly(sqrt(131816399 / 30e6))
    assert float(knn["mae"]) == exactly(1.7495)
    for name, text in (("mse", "4.394"), ("rmse", "2.096"), ("mae", "1.750")):
        assert rounds_to(knn[name], text)


def test_regression_sum_of_squared_errors_has_a_half(linear: Any, knn: Any) -> None:
    """The formula has one half before the sum, so MSE is twice it over n."""
    assert float(linear["sse"]) == exactly(57154663 / 2e6)
    assert float(knn["sse"]) == exactly(131816399 / 2e6)
    assert float(linear["mse"]) == exactly(2 * float(linear["sse"]) / 30)


def test_regression_linear_r2(linear: Any) -> None:
    """Printed .889; right is .912, by the page's own formula and its own MSE."""
    assert float(linear["r2"]) == exactly(0.9116475257190745)
    assert rounds_to(linear["r2"], "0.912")
    assert not rounds_to(linear["r2"], "0.889")


def test_regression_knn_r2(knn: Any) -> None:
    """Printed .776; right is .796. The printed one compares with the spread of the predictions, not of the targets."""
    assert float(knn["r2"]) == exactly(0.7962317614845928)
    assert rounds_to(knn["r2"], "0.796")
    assert not rounds_to(knn["r2"], "0.776")
    middle = mean(row[1] for row in printed.REGRESSION)
    spread = sum((row[4] - middle) ** 2 for row in printed.REGRESSION)
    assert rounds_to(1 - 2 * float(knn["sse"]) / spread, "0.776")
