"""The ways to read a measure: of one level against the rest, averaged over levels or classes, undefined for one of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.measure import find
from steelyard.measures.ways import OfLevel, OfWhole, OverLevels, reason_of
from steelyard.results import Average, Ratio, Share
from steelyard.summaries.confusion import Confusion

from . import plain

LEVELS = ("a", "b", "c")
COUNTS = [[5, 1, 0], [2, 3, 1], [0, 1, 8]]
ROWS = [(t, s, float(n)) for t, row in zip(LEVELS, COUNTS) for s, n in zip(LEVELS, row)]
TABLE = Confusion.of(COUNTS, levels=LEVELS)


@pytest.mark.parametrize("name", ["recall", "precision", "f1", "npv", "lr_positive", "youden"])
def test_of_a_level_and_averaged(name: str) -> None:
    m, each = find(name), {v: plain.of_level(ROWS, v)[name] for v in LEVELS}
    values = [x for x in each.values() if x is not None]
    actual = {v: sum(w for t, _, w in ROWS if t == v) for v in LEVELS}
    for v, wanted in each.items():
        assert float(OfLevel(m, {}, v)(TABLE).value) == pytest.approx(wanted)
    assert float(OverLevels(m, {}, "macro")(TABLE).value) == pytest.approx(sum(values) / 3)
    weighted = sum(actual[v] * x for v, x in each.items() if x is not None) / sum(actual.values())
    assert float(OverLevels(m, {}, "weighted")(TABLE).value) == pytest.approx(weighted)
    pooled = [sum(x) for x in zip(*[plain.cells(ROWS, v) for v in LEVELS])]
    one = [(True, True, pooled[0]), (True, False, pooled[1]), (False, True, pooled[2]), (False, False, pooled[3])]
    assert float(OverLevels(m, {}, "micro")(TABLE).value) == pytest.approx(plain.of_level(one, True)[name])


def test_many_tables_at_once_are_averaged_each() -> None:
    stacked = TABLE.replicate(np.stack([np.array(COUNTS, dtype=float), np.array(COUNTS[::-1], dtype=float)]))
    other = Confusion.of(COUNTS[::-1], levels=LEVELS)
    for how in ("macro", "weighted", "micro"):
        way = OverLevels(find("f1"), {}, how)
        assert np.asarray(way(stacked).value) == pytest.approx([float(way(t).value) for t in (TABLE, other)])
    assert float(OfWhole(find("kappa"), {})(TABLE).value) == pytest.approx(plain.of_labels(ROWS, LEVELS)["kappa"])


def test_a_level_for_which_it_is_undefined_is_named() -> None:
    silent = Confusion.of([[5, 0, 1], [2, 0, 1], [0, 0, 0]], levels=LEVELS)
    macro = OverLevels(find("recall"), {}, "macro")(silent)
    assert math.isnan(float(macro.value)) and macro.empty == "no real positives (level 'c')"
    weighted = OverLevels(find("recall"), {}, "weighted")(silent)
    assert float(weighted.value) == pytest.approx((6 * 5 / 6 + 0) / 9), "a level without rows has no say"
    unsaid = OverLevels(find("precision"), {}, "weighted")(silent)
    assert math.isnan(float(unsaid.value)) and unsaid.empty == "nothing was predicted positive (level 'b')"


def test_the_reason_of_an_average_is_that_of_its_first_share_without_rows() -> None:
    fine, lost = Share(1, 2, empty="fine"), Share(0, 0, empty="lost")
    assert reason_of(Average((fine, lost), (0.5, 0.5), empty="none")) == "lost"
    assert reason_of(Average((fine, fine), (0.5, 0.5), empty="none")) == "none"
    assert reason_of(Ratio(0.0, 0.0, "no rows")) == "no rows"


def test_classes_are_averaged_by_their_own_tables() -> None:
    target = ["a", "a", "b", "b", "c", "c", "c"]
    score = {
        "a": [0.6, 0.2, 0.3, 0.2, 0.3, 0.1, 0.5],
        "b": [0.3, 0.4, 0.5, 0.3, 0.4, 0.2, 0.1],
        "c": [0.1, 0.4, 0.2, 0.5, 0.3, 0.7, 0.4],
    }
    e = sy.evaluate(target=target, score=score)
    each = {v: plain.auc([(t == v, s, 1.0) for t, s in zip(target, score[v])]) for v in LEVELS}
    values = [x for x in each.values() if x is not None]
    assert e["auc", "macro"].value == pytest.approx(sum(values) / 3)
    assert e["auc", "weighted"].value == pytest.approx((2 * values[0] + 2 * values[1] + 3 * values[2]) / 7)
    slope = e["calibration_slope", "macro"]
    assert (slope.value is None and "(level 'a')" in slope.reason) or slope.value is not None
    lost = sy.evaluate(target=["a", "b"], score={"a": [0.6, 0.2], "b": [0.3, 0.5], "c": [0.1, 0.3]})["auc", "macro"]
    assert lost.value is None and lost.reason == "needs at least one positive and one negative (level 'c')"
