"""Rankings worked out by hand."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.measures import ranking
from steelyard.measures.flagged import cumulative
from steelyard.summaries.scores import Scores

#             −    +    −    +    +    −
SCORES = [0.1, 0.3, 0.3, 0.5, 0.9, 0.9]
TRUTH = [0, 1, 0, 1, 1, 0]
TIED = Scores.of(SCORES, TRUTH, positive=1)


def test_pairs_counted_one_by_one() -> None:
    pairs = [(p > n) + (p == n) / 2 for p in (0.3, 0.5, 0.9) for n in (0.1, 0.3, 0.9)]
    assert float(ranking.auc(TIED).value) == pytest.approx(sum(pairs) / 9)
    assert float(ranking.gini(TIED).value) == pytest.approx(2 * sum(pairs) / 9 - 1)


def test_a_tie_is_one_step() -> None:
    """From the top: one of each at 0.9, a positive, one of each at 0.3, a negative."""
    tp, fp = cumulative(TIED)
    assert tp.tolist() == [0, 1, 2, 3, 3]
    assert fp.tolist() == [0, 1, 1, 2, 3]
    assert float(ranking.ks(TIED).value) == pytest.approx(1 / 3)
    assert float(ranking.average_precision(TIED).value) == pytest.approx((1 / 2 + 2 / 3 + 3 / 5) / 3)


def test_gain_inside_a_tie_is_in_proportion() -> None:
    # The first sixth of the rows is half of the tie at 0.9, which holds one positive.
    assert float(ranking.capture(TIED, depth=1 / 6).value) == pytest.approx(0.5 / 3)
    assert float(ranking.capture(TIED, depth=0.5).value) == pytest.approx(2 / 3)
    assert float(ranking.lift(TIED, depth=0.5).value) == pytest.approx((2 / 3) / 0.5)
    assert float(ranking.capture(TIED, depth=1.0).value) == 1.0


def test_the_area_up_to_a_false_positive_rate() -> None:
    # A triangle to (1/3, 1/3), a rise to (1/3, 2/3), then half way to (2/3, 1): at 1/2 the height is 5/6.
    wanted = (1 / 3) * (1 / 3) / 2 + (1 / 6) * (2 / 3 + 5 / 6) / 2
    assert float(ranking.partial_auc(TIED, fpr=0.5).value) == pytest.approx(wanted)
    assert float(ranking.partial_auc(TIED, fpr=1.0).value) == pytest.approx(float(ranking.auc(TIED).value))


def test_one_class_has_no_ranking() -> None:
    e = sy.evaluate(target=[0, 0], score=[0.1, 0.2], levels=[0, 1])
    assert str(e["auc"]) == "n/a (needs at least one positive and one negative)"
    assert str(e["average_precision"]) == "n/a (no real positives)"
