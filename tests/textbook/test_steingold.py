"""Lift quality and the gain curve, after Steingold, Wherry, Piatetsky-Shapiro, Measuring Real-Time Predictive Models.

CPH(p) is the share of all targets among the first fraction p of the list by decreasing score: the gain curve.
The paper's timeliness measures are in test_timeliness.py.
"""

from __future__ import annotations

from typing import Any

import pytest

import steelyard as sy

from . import printed
from .reading import exactly, rounds_to, trapezoids

EXAMPLES: dict[str, tuple[list[int], list[float], float]] = {
    "twenty e-mails": ([int(r[1] == "spam") for r in printed.SPAM], [r[2] for r in printed.SPAM], 59 / 99),
    "ten rows without ties": (
        [int(r[1] == "+") for r in printed.TEN_WITHOUT_TIES],
        [r[0] for r in printed.TEN_WITHOUT_TIES],
        0.75,
    ),
    "ten rows with ties": (
        [int(r[1] == "+") for r in printed.TEN_WITH_TIES],
        [r[0] for r in printed.TEN_WITH_TIES],
        0.12,
    ),
}


def evaluation(name: str) -> Any:
    targets, scores, _ = EXAMPLES[name]
    return sy.evaluate(target=targets, score=scores, positive=1)


def area_under_gain(e: Any) -> float:
    gain = e.curve("gain").columns
    points = sorted({(0.0, 0.0), *zip(gain["depth"], gain["capture"], strict=True)})
    return trapezoids(points)


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_l_quality_is_twice_the_area_less_one(name: str) -> None:
    """L-quality = Gini = 2 AUC - 1: .595960, .75 and .12."""
    e = evaluation(name)
    assert float(e["l_quality"]) == exactly(EXAMPLES[name][2])
    assert float(e["l_quality"]) == exactly(2 * float(e["auc"]) - 1)
    assert float(e["l_quality"]) == exactly(float(e["gini"]))


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_l_quality_from_the_gain_curve(name: str) -> None:
    """Its definition: (S(M) - S(R))/(S(P) - S(R)), S the area under CPH, 1/2 at random and 1 - b/2 when perfect."""
    e = evaluation(name)
    b = float(e["prevalence"])
    assert float(e["l_quality"]) == exactly((area_under_gain(e) - 1 / 2) / (1 - b / 2 - 1 / 2))


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_area_under_gain_is_b_half_plus_auc(name: str) -> None:
    """The area under CPH is b/2 + (1 - b) AUC, as the gain curve's x is b TPR + (1 - b) FPR."""
    e = evaluation(name)
    b = float(e["prevalence"])
    assert area_under_gain(e) == exactly(b / 2 + (1 - b) * float(e["auc"]))


@pytest.mark.parametrize("name", ["twenty e-mails", "ten rows without ties"])
def test_l_quality_by_counting_down_the_list(name: str) -> None:
    """((2 sum H(k) - P)/(P n) - 1)/(1 - b) with H(k) targets among the first k of n; the same when nothing is tied."""
    targets, scores, right = EXAMPLES[name]
    assert by_counting(targets, scores) == exactly(right)
    assert float(evaluation(name)["l_quality"]) == exactly(by_counting(targets, scores))


def test_l_quality_with_ties_does_not_depend_on_the_list_order() -> None:
    """Counting down the listed order of tied rows gives .04; right is .12."""
    targets, scores, _ = EXAMPLES["ten rows with ties"]
    assert by_counting(targets, scores) == exactly(0.04)
    assert float(evaluation("ten rows with ties")["l_quality"]) == exactly(0.12)


def by_counting(targets: list[int], scores: list[float]) -> float:
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    n, positives = len(targets), sum(targets)
    found = [sum(targets[i] for i in order[: k + 1]) for k in range(n)]
    return ((2 * sum(found) - positives) / (positives * n) - 1) / (1 - positives / n)


def test_l_quality_is_not_the_mean_lift() -> None:
    """Summing Lift(p) itself instead of CPH(p), another reading of the name, gives .631454 on the e-mails."""
    e = evaluation("twenty e-mails")
    lift = e.curve("lift").columns
    lifts = [value for depth, value in zip(lift["depth"], lift["lift"], strict=True) if depth > 0]
    assert len(lifts) == 20
    perfect = sum(min(k / 9, 1) / (k / 20) for k in range(1, 21))
    by_lift = (sum(lifts) - 20) / (perfect - 20)
    assert rounds_to(by_lift, "0.631454")
    assert float(e["l_quality"]) != exactly(by_lift)


def test_l_quality_of_a_perfect_and_of_a_constant_model() -> None:
    """1 when perfect, 0 at random."""
    targets = [1, 1, 0, 0, 0, 0]
    assert float(sy.evaluate(target=targets, score=[6, 5, 4, 3, 2, 1], positive=1)["l_quality"]) == exactly(1)
    assert float(sy.evaluate(target=targets, score=[0.3] * 6, positive=1)["l_quality"]) == exactly(0)


def test_lift_is_cph_over_p() -> None:
    """Lift(p) = CPH(p)/p: 21 per cent of the targets in the first 5 per cent is a lift of 4.2."""
    first, rest = [1] * 21 + [0] * 79, [1] * 79 + [0] * 1821
    scores = [1 - i / 4000 for i in range(2000)]
    e = sy.evaluate(target=first + rest, score=scores, positive=1)
    assert float(e.measure("capture", depth=0.05)) == exactly(0.21)
    assert float(e.measure("lift", depth=0.05)) == exactly(4.2)
