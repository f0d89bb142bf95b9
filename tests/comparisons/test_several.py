"""Several models at once, and what a measure rests on: what is drawn and what is said agree, and too few is said where it is so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy

RNG = np.random.default_rng(1)
N = 1200
Y = (RNG.random(N) < 0.3).astype(int)
Z = RNG.normal(size=N) + 1.2 * Y
GOOD = 1 / (1 + np.exp(-(Z + 0.3 * RNG.normal(size=N) - 1)))
POOR = 1 / (1 + np.exp(-(Z + 1.0 * RNG.normal(size=N) - 1)))
CORRECTIONS = ("bonferroni", "holm", "benjamini-hochberg", "none")


def several(seed: int = 11, models: int = 5, n: int = 400) -> dict[str, Any]:
    """Models from good to poor on the same rows, some pairs of which are close."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    z = rng.normal(size=n) + 1.2 * y
    scores = {f"m{i}": 1 / (1 + np.exp(-(z + rng.normal(size=n) * (0.3 + 0.35 * i) - 0.6))) for i in range(models)}
    return {"target": y, "score": scores}


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("over", ["pairs", "everything"])
def test_what_is_drawn_and_what_is_said_agree(correction: str, over: str) -> None:
    """Word, interval and p-value of every pair are one, in the table, the frame, JSON, and the pair by itself."""
    measures = ["auc", "accuracy", "brier", "f1"]
    c = sy.compare(**several(), measures=measures, correction=correction, over=over)
    told, frame = c.to_dict()["differences"], c.frame().to_dict("records")
    words = set()
    for r, document, row in zip(c.table(), told, frame, strict=True):
        d = r.difference
        clear = d.low > 0 or d.high < 0
        assert clear == (r.verdict in {"better", "worse"}) == (d.p_value < 0.05)
        assert d.p_value == r.p_corrected and d.p_value >= r.p_alone - 1e-12
        assert (d.verdict, r.verdict) == (document["verdict"], row["verdict"])
        assert (d.low, d.high, d.p_value) == tuple(document[k] for k in ("low", "high", "p_value"))
        assert (d.low, d.high, d.p_value) == tuple(row[k] for k in ("low", "high", "p_value"))
        assert d == c.difference(d.measure, d.first, d.second)
        back = c.difference(d.measure, d.second, d.first)
        assert (back.low, back.high, back.p_value) == (-d.high, -d.low, d.p_value)
        words.add(r.verdict)
    assert words >= {"worse", "no clear difference"}


def test_a_pair_by_itself_is_asked_for_by_name() -> None:
    c = sy.compare(**several(), measures=["auc", "accuracy"])
    changed = 0
    for r in c.table():
        d, alone = r.difference, c.difference(r.difference.measure, r.difference.first, r.difference.second, alone=True)
        assert alone.value == d.value and alone.low >= d.low and alone.high <= d.high
        assert alone.p_value <= d.p_value and (alone.p_value < 0.05) == (alone.low > 0 or alone.high < 0)
        changed += alone.verdict != d.verdict
    assert changed > 0
    assert "10 pairs at once (Bonferroni)" in c.table()[0].difference.method and "at once" not in alone.method
    assert any("for 10 pairs at once" in s for s in c.sentences()) and "for 10 pairs at once" in c.chart().title


def test_intervals_are_those_of_the_methods_at_the_corrected_confidence() -> None:
    """Bonferroni's intervals by another way: the uncorrected comparison at 1 − α / m."""
    rows = several(models=4)
    c = sy.compare(**rows, measures=["auc", "brier", "recall"])
    one = sy.compare(**rows, measures=["auc", "brier", "recall"], correction="none", confidence=1 - 0.05 / 6)
    for a, b in zip(c.table(), one.table(), strict=True):
        assert (a.difference.low, a.difference.high) == pytest.approx((b.difference.low, b.difference.high), abs=1e-9)
        assert a.p_corrected == pytest.approx(min(1.0, 6 * b.difference.p_value), rel=1e-3)


def test_equivalence_is_corrected_too() -> None:
    """Nineteen models that are worse than the control by exactly the margin are hardly ever all called equivalent."""
    rng = np.random.default_rng(5)
    n, models, margin, found = 400, 20, 0.05, 0
    for _ in range(25):
        right = rng.random((n, models)) < np.r_[0.85, np.full(models - 1, 0.80)]
        y = np.ones(n, dtype=int)
        y[0] = 0
        labels = {f"m{i}": np.where(right[:, i], y, 1 - y) for i in range(models)}
        c = sy.compare(target=y, prediction=labels, measures="accuracy", margin=margin, control="m0", positive=1)
        found += any(r.verdict.startswith("equivalent") for r in c.table())
    assert found <= 2


# ---- what a measure rests on


def rare(n: int = 2000, positives: int = 20) -> dict[str, Any]:
    rng = np.random.default_rng(4)
    y = np.r_[np.ones(positives, dtype=int), np.zeros(n - positives, dtype=int)]
    good = np.where(rng.random(n) < 0.02, 1 - y, y)
    poor = np.where(rng.random(n) < 0.35, 1 - y, y)
    return {"target": y, "prediction": {"good": good, "poor": poor}}


def test_too_few_counts_what_the_measure_rests_on() -> None:
    c = sy.compare(**rare(), measures=["accuracy", "specificity", "f1", "kappa"])
    words = {m: c.difference(m, "good", "poor") for m in ("accuracy", "specificity", "recall", "f1", "kappa")}
    assert words["accuracy"].verdict == "better" and words["accuracy"].p_value < 1e-50
    assert words["specificity"].verdict == "better" and words["accuracy"].caution == ""
    for name in ("f1", "kappa"):
        assert words[name].verdict == "too few cases to say"
        assert words[name].caution == "rests on 20 real positives"
        assert "20 real positives, and 30 are needed" in words[name].note
    apart = sy.compare({n: sy.evaluate(target=rare()["target"], prediction=p) for n, p in rare()["prediction"].items()})
    assert apart.difference("accuracy", "good", "poor").verdict == "better"
    recall = apart.difference("recall", "good", "poor")
    assert recall.verdict == "too few cases to say" and recall.caution == "rests on 20 real positives"


def test_few_rows_that_tell_two_models_apart_are_too_few() -> None:
    y = np.arange(2000) % 2
    for wrong, word in ((1, "too few cases to say"), (5, "too few cases to say"), (6, "better"), (12, "better")):
        labels = {"a": y, "b": np.where(np.arange(2000) < wrong, 1 - y, y)}
        d = sy.compare(target=y, prediction=labels).difference("accuracy", "a", "b")
        assert d.verdict == word, wrong
        assert ("them apart" in d.caution) == (word != "better")


@pytest.mark.parametrize("measure", ["auc", "accuracy", "brier", "f1", "kappa", "mcc", "ks", "recall", "log_loss"])
def test_one_unit_and_few_units_are_said_to_be(measure: str) -> None:
    for units, low in ((1, None), (3, "an interval")):
        c = sy.compare(target=Y, score={"a": GOOD, "b": POOR}, unit=np.arange(N) % units)
        d = c.difference(measure, "a", "b")
        assert d.verdict == "too few cases to say" and (d.low is None) == (low is None)
        told = f"{units} unit{'' if units == 1 else 's'}"
        assert d.caution == f"rests on {told}"
        if units == 1:
            assert d.p_value is None and "there is one unit only, so the spread between units is not known" in d.note


@pytest.mark.parametrize("measure", ["rmse", "r2", "mae"])
def test_one_unit_is_said_to_be_of_numbers_too(measure: str) -> None:
    t = np.linspace(0, 1, 60)
    c = sy.compare(target=t, prediction={"a": t + 0.1, "b": 0.7 * t}, unit=np.zeros(60, dtype=int))
    d = c.difference(measure, "a", "b")
    assert (d.low, d.p_value, d.verdict) == (None, None, "too few cases to say") and "one unit only" in d.note
