"""Printed formulas and examples of the study notes on model evaluation."""

from __future__ import annotations

from typing import Any

import pytest

import steelyard as sy

from . import printed
from .reading import counted, exactly, rounds_to, trapezoids, two_by_two

MATRICES: list[printed.Matrix] = [[[6, 3], [2, 9]], printed.CARD, printed.SWISS_BIKES, printed.COST_M2]


@pytest.mark.parametrize("matrix", MATRICES, ids=str)
def test_formulas_of_accuracy_precision_recall_f(matrix: printed.Matrix) -> None:
    """Printed formulas; all right."""
    (tp, fn), (fp, tn) = matrix
    e = two_by_two(matrix)
    assert float(e["accuracy"]) == exactly((tp + tn) / (tp + tn + fp + fn))
    assert float(e["precision"]) == exactly(tp / (tp + fp))
    assert float(e["recall"]) == exactly(tp / (tp + fn))
    assert float(e["f1"]) == exactly(2 * tp / (2 * tp + fn + fp))


def test_weighted_accuracy_weights_in_order() -> None:
    """Printed denominator w1 TP + w2 TN + w3 FP + w4 FN, which swaps two weights; right is w2 FN and w4 TN.

    On 6 3 / 2 9 with weights 2, 1, 1, 0 the printed one gives .5217; right is .7059, which is F1.
    """
    (tp, fn), (fp, tn) = [[6, 3], [2, 9]]
    e = two_by_two([[tp, fn], [fp, tn]])
    as_printed = 2 * tp / (2 * tp + 1 * tn + 1 * fp + 0 * fn)
    assert rounds_to(as_printed, "0.5217")
    right = e.measure("weighted_accuracy", weights=(2, 1, 1, 0))
    assert float(right) == exactly(12 / 17)
    assert rounds_to(right, "0.7059")


def test_weighted_accuracy_never_exceeds_one() -> None:
    """On 6 3 / 2 9 with weights 1, 0, 0, 5 the printed formula gives 2.43; right is 1: no error has a weight."""
    (tp, fn), (fp, tn) = [[6, 3], [2, 9]]
    as_printed = (tp + 5 * tn) / (tp + 0 * tn + 0 * fp + 5 * fn)
    assert rounds_to(as_printed, "2.43")
    right = two_by_two([[tp, fn], [fp, tn]]).measure("weighted_accuracy", weights=(1, 0, 0, 5))
    assert float(right) == exactly(1)


def test_roc_axes() -> None:
    """Printed: TPR on x and FPR on y, and at each threshold "TPR and TNR"; right is FPR on x, TPR on y.

    A good model is then above the diagonal, in the upper left corner where the notes have it too.
    """
    scores = [row[2] for row in printed.SPAM]
    e = sy.evaluate(target=[row[1] for row in printed.SPAM], score=scores, positive="spam")
    columns = e.curve("roc").columns
    assert {"fpr", "tpr"} <= set(columns)
    assert "tnr" not in columns
    points = list(zip(columns["fpr"], columns["tpr"], strict=True))
    assert any(point == exactly((2 / 11, 6 / 9)) for point in points)
    area = trapezoids(sorted(points))
    assert area == exactly(float(e["auc"]))
    assert area > 0.5


def campaign() -> Any:
    """Fifty scored cases, ten positives, four of them among the first ten."""
    targets = [1, 0, 1, 0, 0, 1, 0, 0, 1, 0] + [1, 0, 0, 0, 0, 0, 0] * 5 + [1, 0, 0, 0, 0]
    assert (len(targets), sum(targets)) == (50, 10)
    return sy.evaluate(target=targets, score=[(100 - i) / 100 for i in range(50)], positive=1)


def test_lift_of_40_per_cent_at_20_per_cent() -> None:
    """Printed: 40 per cent of the positives at 20 per cent support; lift(.20) = .40/.20 = 2."""
    e = campaign()
    assert float(e.measure("capture", depth=0.2)) == exactly(0.4)
    assert float(e.measure("lift", depth=0.2)) == exactly(2)


def test_cumulative_chart_with_tpr_on_y_is_a_gain_curve() -> None:
    """Printed as "cumulative lift chart"; with TPR on y it is the gain curve, and lift is TPR over support."""
    e = campaign()
    gain = e.curve("gain").columns
    capture = dict(zip([round(depth, 9) for depth in gain["depth"]], gain["capture"], strict=True))
    assert capture[0.2] == exactly(0.4)
    assert capture[1.0] == exactly(1)
    lift = e.curve("lift").columns
    for depth, value in zip(lift["depth"], lift["lift"], strict=True):
        if depth > 0:
            assert value == exactly(capture[round(depth, 9)] / depth)


def test_least_support_for_a_wanted_recall() -> None:
    """Printed: for 40 per cent of the positives select at least 20 per cent. Here the fourth positive is ninth: 18."""
    gain = campaign().curve("gain").columns
    reached = [d for d, c in zip(gain["depth"], gain["capture"], strict=True) if c >= 0.4 - 1e-12]
    assert min(reached) == exactly(0.18)


THREE = [[50, 3, 2], [4, 30, 6], [1, 5, 19]]


def test_multiclass_accuracy_is_the_diagonal() -> None:
    """Printed (TPA + TPB + TPC)/N; right."""
    e = counted(THREE, ["A", "B", "C"])
    assert float(e["accuracy"]) == exactly((50 + 30 + 19) / 120)


@pytest.mark.parametrize(("level", "tn", "fp"), [("A", 60, 5), ("B", 72, 8), ("C", 87, 8)])
def test_multiclass_level_has_true_negatives(level: str, tn: int, fp: int) -> None:
    """Printed "TN does not exist"; it holds for the whole matrix, each level against the rest has them."""
    e = counted(THREE, ["A", "B", "C"])
    assert float(e["specificity", level]) == exactly(tn / (tn + fp))
