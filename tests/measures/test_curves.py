"""Every point of every curve, counted again from the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from steelyard.measures.curves import ORDERED, curves
from steelyard.summaries.cells import Cells
from steelyard.summaries.scores import Scores

from . import plain

ROWS = [(0, 0.1), (0, 0.3), (1, 0.3), (1, 0.55), (0, 0.55), (1, 0.55), (1, 0.9), (0, 1.0)]
S = Scores.of([p for _, p in ROWS], [y for y, _ in ROWS], positive=1)
POINTS = plain.curve([(y, p, 1.0) for y, p in ROWS])
CUTS = [math.inf, 1.0, 0.9, 0.55, 0.3, 0.1]


def columns(name: str, s: Scores = S, **options: int) -> dict[str, list[float]]:
    return {k: np.asarray(v).tolist() for k, v in curves()[name](s, **options).items()}


def test_the_curves_of_the_house() -> None:
    assert list(curves()) == ["roc", "pr", "gain", "lift", "ks", "calibration", "scores"]
    assert set(ORDERED) < set(curves())


def test_curves_of_the_order() -> None:
    tp, fp = [y for _, y in POINTS], [x for x, _ in POINTS]
    flagged = [a + b for a, b in POINTS]
    counts = {"tp": tp, "fp": fp, "tn": [4 - x for x in fp], "fn": [4 - x for x in tp]}
    assert columns("roc") == {
        "threshold": CUTS, "fpr": [x / 4 for x in fp], "tpr": [x / 4 for x in tp], "part": tp, "whole": [4.0] * 6,
        **counts,
    }  # fmt: skip
    assert columns("gain") == {
        "threshold": CUTS, "depth": [x / 8 for x in flagged], "capture": [x / 4 for x in tp], "part": tp, "whole": [4.0] * 6,
        "rows": flagged, "positives": tp,
    }  # fmt: skip
    assert columns("pr") == {
        "threshold": CUTS[1:], "recall": [x / 4 for x in tp[1:]],
        "precision": [x / n for x, n in zip(tp[1:], flagged[1:])], "part": tp[1:], "whole": flagged[1:],
        **{name: held[1:] for name, held in counts.items()},
    }  # fmt: skip
    lift = columns("lift")
    assert lift["lift"] == pytest.approx([x / 4 / (n / 8) for x, n in zip(tp[1:], flagged[1:])])
    assert lift["scale"] == pytest.approx([8 / n for n in flagged[1:]])
    assert (lift["depth"], lift["part"], lift["threshold"]) == ([x / 8 for x in flagged[1:]], tp[1:], CUTS[1:])
    assert (lift["rows"], lift["positives"]) == (flagged[1:], tp[1:])
    assert lift.keys() == {"threshold", "depth", "lift", "rows", "positives", "scale", "part", "whole"}
    assert columns("ks") == {
        "threshold": CUTS, "below_positive": [1 - x / 4 for x in tp], "below_negative": [1 - x / 4 for x in fp],
        "gap": [(a - b) / 4 for a, b in zip(tp, fp)], "part": tp, "whole": [4.0] * 6, "part2": fp, "whole2": [4.0] * 6,
        **counts,
    }  # fmt: skip


def test_the_curve_of_calibration_has_a_point_for_every_bin_with_rows() -> None:
    found = columns("calibration")
    groups = [[(0, 0.1)], [(0, 0.3), (1, 0.3)], [(1, 0.55), (0, 0.55), (1, 0.55)], [(1, 0.9), (0, 1.0)]]
    assert found["score"] == pytest.approx([sum(p for _, p in g) / len(g) for g in groups])
    assert found["observed"] == pytest.approx([sum(y for y, _ in g) / len(g) for g in groups])
    assert found["rows"] == found["whole"] == [1, 2, 3, 2]
    assert found["part"] == pytest.approx([sum(y for y, _ in g) for g in groups])


@pytest.mark.parametrize(
    ("scores", "low", "high"),
    [([0.1, 0.5, 0.9, 1.0], 0.0, 1.0), ([-2.0, 0.0, 3.0, 6.0], -2.0, 6.0), ([5.0, 5.0, 5.0, 5.0], 5.0, 6.0)],
)
def test_scores_of_each_class_stand_in_bins_of_one_width(scores: list[float], low: float, high: float) -> None:
    truth = [0, 1, 0, 1]
    found = columns("scores", Scores.of(scores, truth, positive=1), bins=40)
    width = (high - low) / 40
    assert found["from"] == pytest.approx([low + width * i for i in range(40)])
    assert found["to"] == pytest.approx([low + width * (i + 1) for i in range(40)])
    for side, name in ((1, "positive"), (0, "negative")):
        counts = [0.0] * 40
        for y, s in zip(truth, scores):
            counts[min(int((s - low) / (high - low) * 40), 39)] += y == side
        assert found[name] == pytest.approx([c / 2 for c in counts])
        assert side == 0 or found["part"] == counts
    assert found["whole"] == [2.0] * 40


def test_a_table_of_no_rows_has_empty_bins() -> None:
    empty = Scores(Cells.of(np.array([]), np.zeros((0, 2)), 0), (0, 1), 1)
    found = columns("scores", empty, bins=40)
    assert (found["from"][0], found["to"][-1], found["part"]) == (0.0, 1.0, [0.0] * 40)


def test_a_threshold_is_the_least_score_of_a_cell() -> None:
    cells = Cells(np.array([0.1, 0.4]), np.array([0.2, 0.5]), np.array([[1.0, 0.0], [2.0, 3.0]]), 6, gridded=True)
    s: Any = Scores(cells, (0, 1), 1)
    assert columns("roc", s)["threshold"] == [math.inf, 0.4, 0.1]
    assert columns("scores", s)["from"][0] == 0.0
    far: Any = Scores(Cells(np.array([-1.0, 4.0]), np.array([0.0, 7.0]), cells.counts, 6, gridded=True), (0, 1), 1)
    assert (columns("scores", far)["from"][0], columns("scores", far)["to"][-1]) == (-1.0, 7.0)


def test_levels_of_one_score_each_have_as_many_bins_as_there_may_be() -> None:
    """No spread says how wide a bin should be."""
    found = columns("scores", Scores.of([0.0] * 100 + [1.0] * 100, [0] * 100 + [1] * 100, positive=1))
    assert len(found["from"]) == 40
