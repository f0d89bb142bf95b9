"""Printed examples of Witschel, Martin, Maschinelles Lernen – Evaluierung."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import steelyard as sy

from . import printed
from .reading import amounts, exactly, matrix_of, on_one_line, policies_of, rounds_to, two_by_two


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


LETTERS = sy.Cost(**amounts(printed.SWISS_BIKES_COST), relative=True)


def test_swiss_bikes_cost() -> None:
    """Asked, not printed: 12 x -39 + 67 = -401 francs; the letters earn 401."""
    e = two_by_two(printed.SWISS_BIKES)
    assert float(e.cost(LETTERS)) == exactly(-401)
    assert 12 * -39 + 67 == -401
    assert float(e.profit(LETTERS)) == exactly(401)
    # Forty francs earned and one paid, told apart.
    assert sy.Cost(tp="1 - 40", fp=1, relative=True) == LETTERS
    assert sy.Profit(tp=39, fp=-1, relative=True).as_cost() == LETTERS


def test_swiss_bikes_policies_without_a_model() -> None:
    """Not printed: a letter to everybody -1080, to the 32 who come -1248, to nobody 0."""
    found = two_by_two(printed.SWISS_BIKES).cost(LETTERS)
    assert policies_of(found) == {
        "flag everybody": exactly(32 * -39 + 168),
        "flag nobody": 0,
        "at random": exactly(79 / 200 * -1080),
        "perfect": exactly(32 * -39),
    }
    assert policies_of(found)["flag everybody"] == exactly(-1080)
    assert policies_of(found)["perfect"] == exactly(-1248)


def test_swiss_bikes_amounts_are_relative_to_doing_nothing() -> None:
    """A customer who gets no letter is worth nothing on the page, whether he would come or not; the result says so."""
    found = two_by_two(printed.SWISS_BIKES).cost(LETTERS)
    assert found.reference == "relative to doing nothing"
    assert "relative to doing nothing" in on_one_line(found)
    assert float(found.policy("flag nobody").advantage) == exactly(401)


def test_swiss_bikes_break_even_is_one_in_forty() -> None:
    """Not printed: write where the chance of a check is above 1/40, for 1 franc is risked to earn 39."""
    found = two_by_two(printed.SWISS_BIKES).cost(LETTERS)
    assert found.break_even == exactly(1 / 40)
    assert found.rule == "act where the probability is above 0.025"
    # Thirty-two of 200 come, 16 per cent: everybody is above break-even before any model is asked.
    assert float(two_by_two(printed.SWISS_BIKES)["prevalence"]) == exactly(0.16)
    assert found.break_even < 0.16


def test_swiss_bikes_are_better_off_writing_to_everybody() -> None:
    """Not printed: the classifier's -401 is worse than the -1080 of a letter to everybody; the text says so."""
    e = two_by_two(printed.SWISS_BIKES, profit=LETTERS)
    ahead = e.worth.policy("flag everybody").advantage
    assert float(ahead) == exactly(-679)
    assert ahead.high < 0
    verdict = "That is worse than flagging everybody, the best policy without a model, by 679"
    assert verdict in on_one_line(e.worth)
    assert verdict in on_one_line(e.text())
    # Not even as many letters at random would have earned clearly less.
    assert e.worth.policy("at random").advantage.low < 0 < e.worth.policy("at random").advantage.high


def test_swiss_bikes_errors_are_the_zero_one_cost() -> None:
    """Printed: the cost matrix 0 1 / 1 0 is the error rate; it counts 87 errors of 200."""
    e = two_by_two(printed.SWISS_BIKES)
    found = e.cost(sy.Cost(fn=1, fp=1))
    assert sy.Cost(**amounts(printed.ERROR_COST)) == sy.Cost(fn=1, fp=1)
    assert float(found) == exactly(20 + 67)
    assert float(found.per_case) == exactly(float(e["error_rate"]))
    assert found.break_even == exactly(0.5)
    # As errors count, sending no letter at all has only 32.
    assert policies_of(found)["flag nobody"] == exactly(32)
