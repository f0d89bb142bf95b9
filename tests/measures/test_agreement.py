"""Labels worked out by hand."""

from __future__ import annotations

import math

import pytest

import steelyard as sy
from steelyard.measures import agreement, rates
from steelyard.summaries.confusion import Confusion, Outcomes

THREE = Confusion.of([[5, 1, 0], [2, 3, 1], [0, 0, 8]], levels=("a", "b", "c"))
"""Six a, six b, eight c; 16 of 20 right."""


def test_three_levels_by_hand() -> None:
    assert float(agreement.accuracy(THREE).value) == 16 / 20
    recalls = (5 / 6, 3 / 6, 8 / 8)
    assert float(agreement.average_class_accuracy(THREE).value) == pytest.approx(sum(recalls) / 3)
    assert float(agreement.average_class_accuracy_hm(THREE).value) == pytest.approx(3 / (6 / 5 + 2 + 1))
    chance = (6 * 7 + 6 * 4 + 8 * 9) / 400
    assert float(agreement.kappa(THREE).value) == pytest.approx((0.8 - chance) / (1 - chance))
    # Gorodkin: (c N − Σ t p) / √(N² − Σ p²) √(N² − Σ t²)
    top = 16 * 20 - (6 * 7 + 6 * 4 + 8 * 9)
    bottom = math.sqrt(400 - (49 + 16 + 81)) * math.sqrt(400 - (36 + 36 + 64))
    assert float(agreement.mcc(THREE).value) == pytest.approx(top / bottom)


def test_one_level_against_the_rest_by_hand() -> None:
    o = THREE.outcomes("b")
    assert (o.tp, o.fn, o.fp, o.tn) == (3, 3, 1, 13)
    assert float(agreement.f1(o).value) == pytest.approx(2 * 3 / (2 * 3 + 3 + 1))
    assert float(agreement.f_beta(o, beta=2).value) == pytest.approx(5 * 3 / (5 * 3 + 4 * 3 + 1))
    assert float(rates.youden(o).value) == pytest.approx(3 / 6 + 13 / 14 - 1)
    assert float(rates.lr_positive(o).value) == pytest.approx((3 / 6) / (1 / 14))
    assert float(rates.lr_negative(o).value) == pytest.approx((3 / 6) / (13 / 14))


def test_jaccard_by_hand_and_as_scikit_learn_has_it() -> None:
    from sklearn.metrics import jaccard_score

    assert float(agreement.jaccard(THREE.outcomes("b")).value) == 3 / (3 + 3 + 1)
    target = [v for v, row in zip("abc", THREE.counts, strict=True) for n in row for _ in range(int(n))]
    said = [w for row in THREE.counts for w, n in zip("abc", row, strict=True) for _ in range(int(n))]
    e = sy.evaluate(target=target, prediction=said)
    for average in ("macro", "micro", "weighted"):
        assert e["jaccard", average].value == pytest.approx(jaccard_score(target, said, average=average))
    for level, wanted in zip("abc", jaccard_score(target, said, average=None), strict=True):
        assert e["iou", level].value == pytest.approx(wanted)
    assert e["threat_score", "a"].n == 8, "the rows that are a or called so"


def test_distances_between_ordered_levels() -> None:
    """One miss by two steps costs kappa_quadratic four times one by a single step."""
    near = Confusion.of([[3, 1, 0], [0, 4, 0], [0, 0, 4]], levels=(1, 2, 3))
    far = Confusion.of([[3, 0, 1], [0, 4, 0], [0, 0, 4]], levels=(1, 2, 3))
    # Disagreement seen over that of chance: margins 4, 4, 4 and 3, 5, 4 (near) or 3, 4, 5 (far).
    chance_near = (4 * (5 + 4 * 4) + 4 * (3 + 4) + 4 * (4 * 3 + 5)) / 12
    chance_far = (4 * (4 + 4 * 5) + 4 * (3 + 5) + 4 * (4 * 3 + 4)) / 12
    assert float(agreement.kappa_quadratic(near).value) == pytest.approx(1 - 1 / chance_near)
    assert float(agreement.kappa_quadratic(far).value) == pytest.approx(1 - 4 / chance_far)


def test_bayes_rule_for_another_prevalence() -> None:
    o = Outcomes(tp=90, fn=10, fp=5, tn=95)
    assert float(rates.precision_at_prevalence(o, prevalence=0.01).value) == pytest.approx(0.009 / (0.009 + 0.0495))
    assert float(rates.npv_at_prevalence(o, prevalence=0.01).value) == pytest.approx(0.9405 / (0.9405 + 0.001))


def test_weights_that_are_no_whole_numbers_leave_no_crumbs() -> None:
    """Four tenths less two, less one, less one is not zero in floating point, but no rows are no rows."""
    target, prediction = ["a", "a", "a", "b"], ["a", "a", "b", "a"]
    e = sy.evaluate(target=target, prediction=prediction, weight=[0.1] * 4, positive="a")
    assert e["specificity"].value == 0.0
    assert e["npv"].value == 0.0
    assert e["specificity", "macro"].value == pytest.approx((0 + 2 / 3) / 2)
    e = sy.evaluate(target=target, prediction=target, weight=[0.1, 0.2, 0.4, 0.7], positive="a")
    assert [e[name].value for name in ("error_rate", "fpr", "fnr")] == [0.0, 0.0, 0.0]
    e = sy.evaluate(target=target, prediction=prediction, weight=[0.1] * 4, positive="a")
    high = e["specificity"].high
    assert high is not None and high > 0.5, "one row says little"


@pytest.mark.parametrize(
    ("counts", "name", "reason"),
    [
        ([[0, 0], [2, 3]], "recall", "no real positives"),
        ([[2, 3], [0, 0]], "specificity", "no real negatives"),
        ([[0, 3], [0, 2]], "precision", "nothing was predicted positive"),
        ([[3, 0], [2, 0]], "npv", "nothing was predicted negative"),
        ([[3, 2], [0, 2]], "lr_positive", "no false positives, or one class has no rows"),
        ([[3, 0], [2, 0]], "mcc", "only one level occurs, or only one is predicted"),
        ([[3, 0], [0, 0]], "kappa", "one level alone: agreement by chance is already complete"),
    ],
)
def test_what_does_not_exist_says_why(counts: list[list[int]], name: str, reason: str) -> None:
    x = sy.evaluate(confusion=counts, levels=["yes", "no"], positive="yes")[name]
    assert x.value is None
    assert str(x) == f"n/a ({reason})"
