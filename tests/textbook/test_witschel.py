"""Printed examples of Witschel, Martin, Maschinelles Lernen – Evaluierung.

The cost of the Swiss Bikes mailing has no measure here yet; its accuracy has.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import steelyard as sy

from . import printed
from .reading import exactly, matrix_of, rounds_to, two_by_two


@pytest.fixture(scope="module")
def ten() -> Any:
    """The ten instances without ties."""
    scores = [row[0] for row in printed.TEN_WITHOUT_TIES]
    return sy.evaluate(target=[row[1] for row in printed.TEN_WITHOUT_TIES], score=scores, positive="+")


CARD_VALUES = {
    "recall": 113 / 121,
    "specificity": 409 / 496,
    "precision": 113 / 200,
    "f1": 226 / 321,
    "accuracy": 522 / 617,
    "kappa": 91042 / 149657,
}


@pytest.mark.parametrize("name", list(CARD_VALUES))
def test_confusion_matrix_card(name: str) -> None:
    """Printed sensitivity .934, specificity .825, precision .565, F1 .704, accuracy .846, kappa .608.

    All six agree with one matrix, 113 8 / 87 409: the smallest that gives them, as the page's own is lost.
    """
    e = two_by_two(printed.CARD)
    assert float(e[name]) == exactly(CARD_VALUES[name])
    assert rounds_to(e[name], printed.CARD_MEASURES[name])


def test_confusion_matrix_card_sensitivity_is_recall() -> None:
    """Printed .934 under both names; right."""
    e = two_by_two(printed.CARD)
    assert float(e["sensitivity"]) == float(e["recall"])


@pytest.mark.parametrize("matrix", [printed.CARD, printed.SWISS_BIKES, [[6, 3], [2, 9]]], ids=str)
def test_error_rate_is_one_minus_accuracy(matrix: printed.Matrix) -> None:
    """Printed Fehlerrate = 1 - Genauigkeit; right."""
    e = two_by_two(matrix)
    assert float(e["error_rate"]) == exactly(1 - float(e["accuracy"]))


def test_fraud_precision_and_recall_in_words() -> None:
    """Printed precision .84 and recall .28; 21 of 25 warnings and of 75 frauds. F1, not printed: .42."""
    e = two_by_two([[21, 54], [4, 921]])
    assert float(e["precision"]) == exactly(0.84)
    assert float(e["recall"]) == exactly(0.28)
    assert float(e["f1"]) == exactly(0.42)


@pytest.mark.parametrize("row", range(10))
def test_ten_rows_without_ties_tpr_and_fpr(ten: Any, row: int) -> None:
    """Printed TPR 1/6 2/6 3/6 4/6 4/6 5/6 5/6 1 1 1 and FPR 0 0 0 0 1/4 1/4 2/4 2/4 3/4 1; all 20 right."""
    score, _, tpr, fpr = printed.TEN_WITHOUT_TIES[row]
    e = ten.at(threshold=score)
    assert float(e["recall"]) == exactly(float(Fraction(tpr)))
    assert float(e["fpr"]) == exactly(float(Fraction(fpr)))


def test_ten_rows_without_ties_curve(ten: Any) -> None:
    """The ten printed points, and (0, 0) before them."""
    columns = ten.curve("roc").columns
    points = sorted(zip(columns["fpr"], columns["tpr"], strict=True))
    right = [(Fraction(0), Fraction(0))] + [(Fraction(row[3]), Fraction(row[2])) for row in printed.TEN_WITHOUT_TIES]
    assert points == [exactly((float(fpr), float(tpr))) for fpr, tpr in right]


def test_ten_rows_without_ties_area(ten: Any) -> None:
    """Not printed: 21 of the 24 pairs are in the right order, .875."""
    assert float(ten["auc"]) == exactly(21 / 24)


def test_ten_rows_with_ties_area() -> None:
    """Not printed: .56. Walking the listed positions, as the page says, splits the three .85 and gives .52."""
    rows = printed.TEN_WITH_TIES
    e = sy.evaluate(target=[row[1] for row in rows], score=[row[0] for row in rows], positive="+")
    assert float(e["auc"]) == exactly(0.56)
    assert walk(rows) == exactly(0.52)
    # The same walk over the same rows with the tied positive listed first.
    assert walk([*rows[:3], rows[5], *rows[3:5], *rows[6:]]) == exactly(0.60)


def walk(rows: list[tuple[float, str]]) -> float:
    """The area when every position is its own threshold: each negative counts the positives listed above it."""
    classes = [row[1] for row in rows]
    above = sum(classes[:i].count("+") for i, real in enumerate(classes) if real == "-")
    return above / (classes.count("+") * classes.count("-"))


def test_swiss_bikes_accuracy() -> None:
    """Not printed: 12 20 / 67 101 has accuracy .565."""
    e = two_by_two(printed.SWISS_BIKES)
    assert float(e["accuracy"]) == exactly(0.565)
    assert matrix_of(e, ["yes", "no"]) == [[12, 20], [67, 101]]


def test_swiss_bikes_errors_are_the_zero_one_cost() -> None:
    """The 0/1 cost matrix counts errors: 87 of 200."""
    error_rate = two_by_two(printed.SWISS_BIKES)["error_rate"]
    assert float(error_rate) * error_rate.n == exactly(87)
