"""Scores in force over the period, L-quality and its sum, and two models compared customer by customer."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from steelyard.early_warning.comparison import compare_timeliness
from steelyard.early_warning.timeliness import timeliness
from steelyard.errors import NotAvailable, UnknownMeasure, UsageError

from .events_at_random import HORIZON, draw

NAMES = {"unit": "who", "time": "day", "score": "p", "outcome": "left", "horizon": HORIZON}


def in_force(drawn: dict[str, Any], moment: float, early: float) -> np.ndarray:
    found = []
    for who in drawn["told"]["who"]:
        rows = zip(*(drawn["events"][k] for k in ("who", "day", "p")), strict=True)
        known = [(d, p) for w, d, p in rows if w == who and d <= moment]
        found.append(max(known)[1] if known else early)
    return np.array(found)


def test_l_quality_is_twice_the_area_less_one_of_the_scores_in_force() -> None:
    drawn = draw(np.random.default_rng(2), 50)
    t = timeliness(drawn["events"], outcomes=drawn["told"], **NAMES)
    left = drawn["told"]["left"]
    moments = [0.0, 5.0, 12.5, 31.0]
    found = t.l_quality(moments)
    right = [2 * roc_auc_score(left, in_force(drawn, m, left.mean())) - 1 for m in moments]
    assert [float(p) for p in found.parts] == pytest.approx(right, abs=1e-12)
    assert float(found.total) == pytest.approx(sum(right), abs=1e-12)
    assert float(found.mean) == pytest.approx(np.mean(right), abs=1e-12)
    assert found.total.low < float(found.total) < found.total.high
    assert "Sum of L-quality at 4 moments" in str(found)


def test_the_sum_of_l_quality_is_blind_to_scale_and_q_is_not() -> None:
    drawn = draw(np.random.default_rng(3), 50)
    half = drawn["events"] | {"p": drawn["events"]["p"] / 2}
    one, two = (timeliness(e, outcomes=drawn["told"], before="zero", **NAMES) for e in (drawn["events"], half))
    moments = np.linspace(0, HORIZON, 11).tolist()
    assert float(one.l_quality(moments).total) == pytest.approx(float(two.l_quality(moments).total))
    assert float(one.q) != pytest.approx(float(two.q), abs=1e-3)


def test_the_interval_of_a_mean_l_quality_covers() -> None:
    rng = np.random.default_rng(1)
    hits, d = 0, 0.8
    truth = 2 * NormalDist().cdf(d / 2**0.5) - 1
    for _ in range(200):
        left = (np.arange(150) < 40).astype(int)
        z = rng.normal(size=150) + d * left
        score = 1 / (1 + np.exp(-z))
        t = timeliness(unit=np.arange(150), time=np.zeros(150), score=score, outcome=left, horizon=1)
        x = t.l_quality([0.5]).mean
        hits += x.low <= truth <= x.high
    assert 0.9 * 200 <= hits <= 0.995 * 200


def test_curves_over_time_are_means_of_scores_in_force() -> None:
    drawn = draw(np.random.default_rng(4), 40)
    t = timeliness(drawn["events"], outcomes=drawn["told"], before=0.25, **NAMES)
    moments = [0.0, 7.0, 31.0]
    c = t.curve("scores", moments).columns
    left = drawn["told"]["left"]
    for i, m in enumerate(moments):
        scores = in_force(drawn, m, 0.25)
        for word, cls in (("positives", 1), ("negatives", 0)):
            assert c[word][i] == pytest.approx(scores[left == cls].mean())
            assert c[f"{word}_low"][i] <= c[word][i] <= c[f"{word}_high"][i]
    for name in ("scores", "l_quality"):
        assert len(t.curve(name)) == 41
        assert t.chart(name).svg().startswith("<svg")
    with pytest.raises(UnknownMeasure, match="no curve"):
        t.curve("roc")
    with pytest.raises(UsageError, match="from 0 to the horizon"):
        t.l_quality([40])


def pair(seed: int, lift: float, n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    drawn = draw(rng, n)
    left = drawn["told"]["left"][drawn["events"]["who"]]
    p = drawn["events"]["p"]
    better = np.clip(p + lift * np.where(left == 1, 1, -1) * rng.random(len(p)), 0, 1)
    options = NAMES | {"outcomes": drawn["told"], "value": "worth"}
    return timeliness(drawn["events"] | {"p": better}, **options), timeliness(drawn["events"], **options)


@pytest.mark.parametrize("measure", ["q", "q0", "value_q"])
def test_a_difference_is_the_difference_and_turns_round(measure: str) -> None:
    clear = [compare_timeliness(*models, measure).verdict for models in (pair(1, 0.9), pair(1, 0.9)[::-1])]
    assert clear == ["better", "worse"]
    first, second = pair(1, 0.2)
    d, back = compare_timeliness(first, second, measure), compare_timeliness(second, first, measure)
    assert float(d) == pytest.approx(float(first[measure]) - float(second[measure]), abs=1e-12)
    assert (back.low, back.high) == pytest.approx((-d.high, -d.low), abs=1e-12)
    # One is clearly higher, and still lower than never to warn.
    assert d.verdict == back.verdict == 'neither beats "always negative"'
    assert d.p_value == pytest.approx(back.p_value, abs=1e-12)
    assert d.p_value < 0.05
    # Paired: narrower than either number alone.
    assert d.high - d.low < 0.7 * (first[measure].high - first[measure].low)


def test_the_p_value_is_the_level_at_which_the_interval_reaches_zero() -> None:
    rng = np.random.default_rng(6)
    rows = {"unit": np.arange(90), "time": np.zeros(90), "outcome": (np.arange(90) < 20).astype(int), "horizon": 1}
    for _ in range(5):
        first, second = (timeliness(score=rng.random(90), **rows) for _ in range(2))
        p = compare_timeliness(first, second).p_value
        assert 1e-6 < p < 1
        at = compare_timeliness(*(replace(t, confidence=1 - p) for t in (first, second)))
        assert min(abs(at.low), abs(at.high)) == pytest.approx(0, abs=1e-6)


def test_equal_models_differ_by_nothing_and_errors_at_five_per_cent() -> None:
    first, _ = pair(2, 0.1)
    same = compare_timeliness(first, first)
    assert float(same) == 0
    assert same.verdict == "no clear difference"
    wrong = 0
    rng = np.random.default_rng(9)
    left = (np.arange(300) < 60).astype(int)
    for _ in range(200):
        rows = {"unit": np.arange(300), "time": np.zeros(300), "outcome": left, "horizon": 1}
        base = rng.random(300)
        scores = (np.clip(base + rng.normal(0, 0.1, 300), 0, 1) for _ in range(2))
        one, two = (timeliness(score=s, **rows) for s in scores)
        wrong += compare_timeliness(one, two).verdict != "no clear difference"
    assert wrong <= 20


def test_what_cannot_be_compared() -> None:
    first, second = pair(3, 0.1, 60)
    with pytest.raises(UsageError, match="same way"):
        compare_timeliness(first.with_before("zero"), second)
    other, _ = pair(3, 0.1, 61)
    with pytest.raises(UsageError, match="different customers"):
        compare_timeliness(first, other)
    with pytest.raises(NotAvailable, match="one by one"):
        compare_timeliness(first.plus(first, twice=True), second)
    changed, _ = pair(4, 0.1, 60)
    with pytest.raises(UsageError, match="one outcome"):
        compare_timeliness(first, changed)
    with pytest.raises(UsageError, match="no"):
        compare_timeliness(first, second, "auc")
