"""The cost examples of Tan, Steinbach, Kumar, Introduction to Data Mining, chapter 4, model evaluation."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.errors import BadPayoff

from . import printed
from .reading import amounts, exactly, on_one_line, policies_of, rounds_to, two_by_two

COSTS = sy.Cost(**amounts(printed.COST_MATRIX))
MODELS = pytest.mark.parametrize(
    ("matrix", "accuracy", "cost", "treat_all"),
    [(printed.COST_M1, 80, 3910, 120), (printed.COST_M2, 90, 4255, -90)],
    ids=["M1", "M2"],
)
WHOLE = st.integers(0, 400)
MATRICES = st.tuples(st.tuples(WHOLE, WHOLE), st.tuples(WHOLE, WHOLE)).map(lambda m: [list(row) for row in m])
AMOUNT = st.integers(-200, 200)


# --- two models and their costs --------------------------------------------------------------------------------------


@MODELS
def test_cost_and_accuracy(matrix: printed.Matrix, accuracy: int, cost: int, treat_all: int) -> None:
    """Printed: M1 80 per cent and 3910, M2 90 per cent and 4255; all four right."""
    e = two_by_two(matrix)
    assert rounds_to(100 * float(e["accuracy"]), str(accuracy))
    assert float(e["accuracy"]) == exactly(accuracy / 100)
    assert float(e.cost(COSTS)) == exactly(cost)
    assert float(e.profit(COSTS)) == exactly(-cost)
    (a, b), (c, _) = matrix
    parts = [float(e.cost(sy.Cost(**{name: x}))) for name, x in (("tp", -1), ("fn", 100), ("fp", 1))]
    assert parts == [exactly(-a), exactly(100 * b), exactly(c)]


def test_the_more_accurate_model_costs_more() -> None:
    """Printed as the lesson of the example; right as far as it goes, on two different sets of instances."""
    m1, m2 = two_by_two(printed.COST_M1), two_by_two(printed.COST_M2)
    assert float(m2["accuracy"]) > float(m1["accuracy"])
    assert float(m2.cost(COSTS)) > float(m1.cost(COSTS))
    # 345 apart, each inside the interval of the other.
    assert m1.cost(COSTS).low < 4255 < m1.cost(COSTS).high
    assert m2.cost(COSTS).low < 3910 < m2.cost(COSTS).high


@pytest.mark.parametrize(
    ("column", "accuracy", "cost", "matrix"),
    [((40, 250), 80, 3910, printed.COST_M1), ((45, 200), 90, 4255, printed.COST_M2)],
    ids=["M1", "M2"],
)
def test_one_matrix_completes_the_page(
    column: tuple[int, int], accuracy: int, cost: int, matrix: printed.Matrix
) -> None:
    """The first columns are lost. With costs -1 100 / 1 0 one matrix has the printed cost and exactly that accuracy.

    If the accuracy was rounded to a whole per cent several have, and the same one alone has 500 instances.
    """
    b, d = column
    # 3910 is less than 40 x 100: a positive that is found must cost less than nothing.
    assert cost < 100 * b
    found = []
    for a in range(2001):
        c = cost - 100 * b + a
        if c >= 0 and rounds_to(Fraction(100 * (a + d), a + b + c + d), str(accuracy)):
            found.append([[a, b], [c, d]])
    exact = [m for m in found if Fraction(m[0][0] + d, sum(map(sum, m))) == Fraction(accuracy, 100)]
    assert exact == [matrix]
    assert len(found) > 1
    assert [m for m in found if sum(map(sum, m)) == 500] == [matrix]
    assert float(two_by_two(matrix).cost(COSTS)) == exactly(cost)


def test_the_models_were_not_tested_on_the_same_instances() -> None:
    """M1 has 190 positives of 500 and M2 295: no set of 500 instances has both."""
    positives = [sum(matrix[0]) for matrix in (printed.COST_M1, printed.COST_M2)]
    assert positives == [190, 295]
    for matrix, n in zip((printed.COST_M1, printed.COST_M2), positives, strict=True):
        e = two_by_two(matrix)
        assert float(e["prevalence"]) * e.rows == exactly(n)
        assert e.rows == 500


# --- what is not on the page: a policy without a model is better ------------------------------------------------------


@MODELS
def test_treating_all_costs_less(matrix: printed.Matrix, accuracy: int, cost: int, treat_all: int) -> None:
    """Not printed: calling every instance + costs 120 on the instances of M1 and -90 on those of M2."""
    found = two_by_two(matrix).cost(COSTS)
    positives, negatives = sum(matrix[0]), sum(matrix[1])
    assert policies_of(found)["flag everybody"] == exactly(treat_all)
    assert treat_all == negatives - positives
    assert policies_of(found)["flag nobody"] == exactly(100 * positives)
    assert policies_of(found)["perfect"] == exactly(-positives)
    # The model and the policy are right on the same rows: the difference has an interval of its own.
    ahead = found.policy("flag everybody").advantage
    assert float(ahead) == exactly(treat_all - cost)
    assert ahead.high < 0


@MODELS
def test_treating_all_is_the_same_as_a_matrix_with_one_column(
    matrix: printed.Matrix, accuracy: int, cost: int, treat_all: int
) -> None:
    """The cost of a model that calls every instance +."""
    always = two_by_two([[sum(matrix[0]), 0], [sum(matrix[1]), 0]])
    assert float(always.cost(COSTS)) == exactly(treat_all)
    assert "the same as flagging everybody" in on_one_line(always.cost(COSTS))


@MODELS
def test_the_text_says_so(matrix: printed.Matrix, accuracy: int, cost: int, treat_all: int) -> None:
    """Who asks for the cost is told that the model loses to no model; also in the text of the whole evaluation."""
    verdict = "That is worse than flagging everybody, the best policy without a model"
    told = on_one_line(two_by_two(matrix).cost(COSTS))
    assert f"The cost of 500 rows is {cost:,}" in told
    assert verdict in told
    assert "leave the model and do that instead" in told
    assert verdict in on_one_line(two_by_two(matrix, profit=COSTS).text())
    assert verdict in on_one_line(two_by_two(matrix, profit=COSTS.as_profit()).text())


def test_break_even_is_one_in_a_hundred_and_two() -> None:
    """Not printed: call + where the chance of + is above 1/(101 + 1), hence flagging everybody."""
    found = two_by_two(printed.COST_M1).cost(COSTS)
    assert found.break_even == exactly(1 / 102)


# --- cost and accuracy -----------------------------------------------------------------------------------------------


@given(MATRICES, AMOUNT, AMOUNT)
@example(printed.COST_M1, 0, 1)
def test_cost_by_accuracy_alone(matrix: printed.Matrix, p: int, q: int) -> None:
    """Printed Cost = N[q - (q - p) Accuracy] where both errors cost q and both right answers p; right."""
    n = sum(map(sum, matrix))
    assume(n > 0 and p != q)
    e = two_by_two(matrix)
    found = e.cost(sy.Cost(tp=p, tn=p, fn=q, fp=q))
    scale = max(abs(p), abs(q))
    assert float(found) == pytest.approx(n * (q - (q - p) * float(e["accuracy"])), rel=1e-12, abs=1e-11 * n * scale)
    assert float(found) == pytest.approx(
        p * (matrix[0][0] + matrix[1][1]) + q * (matrix[0][1] + matrix[1][0]), rel=1e-12, abs=1e-11 * n * scale
    )


@given(MATRICES, MATRICES, AMOUNT, st.integers(1, 200))
def test_cost_falls_as_accuracy_rises(one: printed.Matrix, other: printed.Matrix, p: int, more: int) -> None:
    """Printed "accuracy is proportional to cost"; right is: the cost of a case is q less (q - p) times the accuracy.

    It is a straight line that falls where errors cost more than right answers (q > p), so both order models alike.
    """
    assume(sum(map(sum, one)) > 0 and sum(map(sum, other)) > 0)
    same = sy.Cost(tp=p, tn=p, fn=p + more, fp=p + more)
    right = [Fraction(m[0][0] + m[1][1], sum(map(sum, m))) for m in (one, other)]
    assume(right[0] != right[1])
    costs = [float(two_by_two(m).cost(same).per_case) for m in (one, other)]
    assert (right[0] > right[1]) == (costs[0] < costs[1])
    assert costs[1] - costs[0] == pytest.approx(more * float(right[0] - right[1]), rel=1e-9, abs=1e-9)


def test_cost_is_not_proportional_to_accuracy() -> None:
    """Twice the accuracy is not twice the cost: at 40 and 80 per cent right, one an error, 60 and 20 in a hundred."""
    errors = sy.Cost(**amounts(printed.ERROR_COST))
    few, many = ([[20, 30], [30, 20]], [[40, 10], [10, 40]])
    assert [float(two_by_two(m)["accuracy"]) for m in (few, many)] == [exactly(0.4), exactly(0.8)]
    assert [float(two_by_two(m).cost(errors)) for m in (few, many)] == [exactly(60), exactly(20)]


def test_equal_costs_make_every_decision_equal() -> None:
    """With q = p the formula says Cost = N q whatever is predicted; such a cost is refused."""
    with pytest.raises(BadPayoff, match="every decision equal"):
        sy.Cost(tp=3, tn=3, fn=3, fp=3)


@given(st.tuples(*[st.integers(1, 400)] * 4))
def test_weighted_accuracy_of_any_matrix(counts: Any) -> None:
    """Printed: weights 1 1 0 0 are recall, 1 0 1 0 precision, 2 1 1 0 F, 1 1 1 1 accuracy; all right."""
    a, b, c, d = counts
    e = two_by_two([[a, b], [c, d]])
    cases = {(1, 1, 0, 0): "recall", (1, 0, 1, 0): "precision", (2, 1, 1, 0): "f1", (1, 1, 1, 1): "accuracy"}
    for weights, name in cases.items():
        w1, w2, w3, w4 = weights
        found = float(e.measure("weighted_accuracy", weights=weights))
        assert found == exactly(float(e[name]))
        assert found == exactly((w1 * a + w4 * d) / (w1 * a + w2 * b + w3 * c + w4 * d))
