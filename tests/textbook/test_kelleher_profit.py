"""The pay-day loans of Kelleher, Mac Namee, D'Arcy, Fundamentals of Machine Learning for Predictive Data Analytics.

Chapter 8 sets two confusion matrices beside a profit matrix; the model with the better labels earns less.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.measures.money import worth

from . import printed
from .reading import amounts, counted, exactly, matrix_of, on_one_line, policies_of

GOOD_BAD = printed.PAYDAY_LEVELS
LOANS = sy.Profit(**amounts(printed.PAYDAY_PROFIT))
MODELS = pytest.mark.parametrize(
    ("matrix", "parts", "profit"),
    [
        (printed.PAYDAY_KNN, printed.PAYDAY_KNN_PROFIT, 560),
        (printed.PAYDAY_TREE, printed.PAYDAY_TREE_PROFIT, 1540),
    ],
    ids=["k-NN", "tree"],
)


def loans(matrix: printed.Matrix, **options: Any) -> Any:
    return counted(matrix, GOOD_BAD, "good", **options)


@MODELS
def test_overall_profit(matrix: printed.Matrix, parts: printed.Matrix, profit: int) -> None:
    """Printed 560 for k-NN and 1 540 for the tree; both right."""
    e = loans(matrix)
    assert float(e.profit(LOANS)) == exactly(profit)
    assert float(e.measure("profit", payoff=LOANS)) == exactly(profit)
    assert float(e.cost(LOANS)) == exactly(-profit)
    assert float(e.profit(LOANS).per_case) == exactly(profit / 100)
    assert sum(map(sum, parts)) == profit


@MODELS
def test_profit_of_each_outcome(matrix: printed.Matrix, parts: printed.Matrix, profit: int) -> None:
    """Printed 7 980 -420 / -7 000 0 and 6 020 -2 380 / -2 100 0; all eight right."""
    e = loans(matrix)
    found, _ = worth(e.confusion, LOANS)
    order = [list(e.confusion.levels).index(level) for level in GOOD_BAD]
    assert [[float(found[i, j]) for j in order] for i in order] == parts
    # Each alone, the other three worth nothing; correct refusals are worth nothing anyway.
    alone = [float(e.profit(sy.Profit(**{name: x}))) for name, x in amounts(printed.PAYDAY_PROFIT).items() if x]
    assert alone == [exactly(x) for row in parts for x in row if x]
    assert sum(alone) == exactly(profit)


@MODELS
def test_profit_from_the_rows(matrix: printed.Matrix, parts: printed.Matrix, profit: int) -> None:
    """A hundred loans one by one, with labels or with a score of 0 or 1, earn the same."""
    pairs = [
        (real, said)
        for real, row in zip(GOOD_BAD, matrix, strict=True)
        for said, n in zip(GOOD_BAD, row, strict=True)
        for _ in range(n)
    ]
    targets, labels = [real for real, _ in pairs], [said for _, said in pairs]
    e = sy.evaluate(target=targets, prediction=labels, positive="good", profit=LOANS)
    assert matrix_of(e, GOOD_BAD) == matrix
    assert float(e.worth) == exactly(sum(printed.PAYDAY_PROFIT[GOOD_BAD.index(r)][GOOD_BAD.index(s)] for r, s in pairs))
    scored = sy.evaluate(target=targets, score=[float(s == "good") for s in labels], positive="good", profit=LOANS)
    assert float(scored["profit"]) == exactly(profit)


@MODELS
def test_profit_matrix_in_every_form(
    matrix: printed.Matrix, parts: printed.Matrix, profit: int, tmp_path: Path
) -> None:
    """The printed table as keywords, nested by level, as an array, in a TOML and in a CSV file."""
    nested = {
        real: dict(zip(GOOD_BAD, row, strict=True)) for real, row in zip(GOOD_BAD, printed.PAYDAY_PROFIT, strict=True)
    }
    toml, csv = tmp_path / "profit.toml", tmp_path / "profit.csv"
    toml.write_text("[profit]\ntp = 140\nfn = -140\nfp = -700\ntn = 0\n", encoding="utf-8")
    csv.write_text("profit,good,bad\ngood,140,-140\nbad,-700,0\n", encoding="utf-8")
    forms = [LOANS, sy.Profit(nested), sy.Profit(printed.PAYDAY_PROFIT, levels=GOOD_BAD), sy.Profit(toml)]
    for form in [*forms, sy.Profit(csv), LOANS.as_cost()]:
        assert float(loans(matrix).profit(form)) == exactly(profit)


def test_the_tree_earns_more_and_is_right_less_often() -> None:
    """Printed: 83.824 per cent against 80.761 in average class accuracy, 560 against 1 540 in profit; right."""
    knn, tree = loans(printed.PAYDAY_KNN), loans(printed.PAYDAY_TREE)
    for name in ("accuracy", "average_class_accuracy_hm"):
        assert float(knn[name]) > float(tree[name])
    assert float(tree.profit(LOANS)) - float(knn.profit(LOANS)) == exactly(980)


def test_a_hundred_loans_do_not_tell_which_earns_more() -> None:
    """Not printed: each of the two profits lies well inside the interval of the other."""
    knn, tree = (loans(matrix).profit(LOANS) for matrix in (printed.PAYDAY_KNN, printed.PAYDAY_TREE))
    assert knn.low < 0 < tree.value < knn.high
    assert tree.low < 0 < knn.value < tree.high
    assert "bootstrap" in knn.method


@MODELS
def test_policies_without_a_model(matrix: printed.Matrix, parts: printed.Matrix, profit: int) -> None:
    """Not printed: lending to all costs 19 600, to nobody 8 400 (good customers sent away); perfect earns 8 400."""
    found = loans(matrix).profit(LOANS)
    lent = sum(row[0] for row in matrix) / 100
    assert policies_of(found) == {
        "flag everybody": exactly(60 * 140 - 40 * 700),
        "flag nobody": exactly(60 * -140),
        "at random": exactly(lent * -19600 + (1 - lent) * -8400),
        "perfect": exactly(60 * 140),
    }
    assert float(found.policy("flag nobody").advantage) == exactly(profit + 8400)
    assert found.policy("flag nobody").advantage.low > 0
    assert "That is better than flagging nobody, the best policy without a model" in on_one_line(found)


def test_break_even_is_five_in_seven() -> None:
    """Not printed: lend where the chance of a good loan is above 700/(280 + 700) = 5/7."""
    found = loans(printed.PAYDAY_TREE).profit(LOANS)
    assert found.break_even == exactly(5 / 7)
    p = found.break_even
    (tp, fn), (fp, tn) = printed.PAYDAY_PROFIT
    assert p * tp + (1 - p) * fp == exactly(p * fn + (1 - p) * tn)


@MODELS
def test_the_profit_matrix_is_absolute(matrix: printed.Matrix, parts: printed.Matrix, profit: int) -> None:
    """A good customer sent away is booked as -140; against lending to nobody both models earn 8 400 more than printed."""
    assert LOANS.reference == "absolute"
    against = LOANS.relative_to_nothing()
    assert against == sy.Profit(tp=280, fp=-700, relative=True)
    found = loans(matrix).profit(against)
    assert float(found) == exactly(profit + 8400)
    assert policies_of(found)["flag nobody"] == 0
    assert "relative to doing nothing" in on_one_line(found)
