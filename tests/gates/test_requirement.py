"""Requirements as people write them, and evaluations held against them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import NotAvailable, SteelyardError, UnknownMeasure, UsageError
from steelyard.gates.requirement import outcome_of, requirement_of, subject_of
from steelyard.results import Estimate
from steelyard.verdicts.gate import Bound
from steelyard.views.gate import number_text, outcome_text
from steelyard.views.layout import width_of


def evaluated(n: int = 400, apart: float = 1.5, seed: int = 1, **more: Any) -> Any:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return sy.evaluate(target=y, score=1 / (1 + np.exp(-rng.normal(apart * (y - 0.5), 1))), **more)


@pytest.fixture(scope="module")
def flowers() -> Any:
    rng = np.random.default_rng(2)
    names = np.array(["setosa", "a >= b", "]@0.5 >= 1", "7"])
    truth = rng.integers(0, 4, 400)
    return sy.evaluate(target=names[truth], prediction=names[np.where(rng.random(400) < 0.7, truth, 0)])


# ---- reading


@pytest.mark.parametrize(
    ("text", "subject", "bound", "needed"),
    [
        ("auc >= 0.80", "auc", 0.8, "at least 0.80"),
        ("  roc_auc>=.8 ", "auc", 0.8, "at least .8"),
        ("auc ≥ 80%", "auc", 0.8, "at least 80%"),
        ("auc > 80 %", "auc", 0.8, "above 80%"),
        ("ece <= 0.05", "ece", 0.05, "at most 0.05"),
        ("ece ≤ 5e-2", "ece", 0.05, "at most 5e-2"),
        ("rmse < 1,250.5", "rmse", 1250.5, "below 1,250.5"),
        ("profit >= -1_000", "profit", -1000, "at least -1_000"),
        ("profit >= −3", "profit", -3, "at least −3"),
        ("bias >= -.5", "bias", -0.5, "at least -.5"),
        ("sensitivity@0.5 >= 0.6", "recall@0.5", 0.6, "at least 0.6"),
        ("recall @ 30% >= 60%", "recall@0.3", 0.6, "at least 60%"),
        ("recall[fructosus] >= 0.7", "recall[fructosus]", 0.7, "at least 0.7"),
        ("recall[macro] >= .7", "recall[macro]", 0.7, "at least .7"),
        ("recall[a >= b] >= .7", "recall[a >= b]", 0.7, "at least .7"),
        ("recall[]@0.5 >= 1]@.25 >= .7", "recall[]@0.5 >= 1]@0.25", 0.7, "at least .7"),
        ("capture(depth=5%) >= 0.1", "capture(depth=0.05)", 0.1, "at least 0.1"),
        ("profit(per=case) >= 0", "profit(per=case)", 0, "at least 0"),
        ("top_k(k=3) >= 0.1", "top_k_accuracy(k=3)", 0.1, "at least 0.1"),
        ("lr+ >= 2", "lr_positive", 2, "at least 2"),
    ],
)
def test_requirements_are_read(text: str, subject: str, bound: float, needed: str) -> None:
    r = requirement_of(text)
    assert (str(r.subject), r.limit.needed, str(r)) == (subject, needed, text.strip())
    assert r.limit.bound == pytest.approx(bound, abs=1e-15)
    assert subject_of(str(r.subject)) == r.subject, "what is told can be typed again"


@pytest.mark.parametrize(
    "text",
    [
        "", "auc", ">= 0.8", "auc 0.8", "auc = 0.8", "auc == 0.8", "auc => 0.8", "auc >= 0.8 and recall >= 0.5",
        "0.8 <= auc <= 0.9", "recall[a >= 0.5", "capture(depth=(1)) >= 0.5",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(text: str) -> None:
    with pytest.raises(UsageError, match="cannot be read") as found:
        requirement_of(text)
    assert "'auc >= 0.80'" in found.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "auc >= ", "auc >= high", "auc >= .", "auc >= nan", "auc >= inf", "auc >= 0.8 0.9", "recall@high >= 0.5",
        "auc >= 0.8.1", "auc >= 0,8,1", "profit >= 1e999", "profit >= ²", "recall@1,500 >= 0.5", "ece(bins=1.2.3) <= 1",
    ],
)  # fmt: skip
def test_what_is_no_number_or_may_be_two_is_said(text: str) -> None:
    with pytest.raises(UsageError, match=r"cannot be read as a number|may mean|too large") as found:
        requirement_of(text)
    assert "Write" in found.value.hint


@pytest.mark.parametrize(
    ("text", "bound"),
    [("auc >= 0,8", 0.8), ("auc >= 80 %", 0.8), ("auc >= 1,00", 1), ("profit >= 1 000", 1000), ("profit >= 1e3", 1000)],
)
def test_bounds_are_read_as_people_write_them(text: str, bound: float) -> None:
    assert requirement_of(text).limit.bound == bound


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("aucc >= 0.8", 'no measure called "aucc"', 'Did you mean "auc"?'),
        ("auc >= 80", "can never be met: auc is never above 1", "80%"),
        ("auc > 1", "can never be met", "another bound"),
        ("rmse <= -1", "rmse is never below 0", "another bound"),
        ("auc@0.5 >= 0.8", "does not depend on a threshold", "Leave it out"),
        ("capture(depht=5%) >= 0.8", 'no option "depht"', 'Did you mean "depth"?'),
        ("capture(depth) >= 0.8", '"depth" is not an option', "capture(depth=5%)"),
        ("capture(depth=deep) >= 0.8", 'must be a number from 1e-9 to 1, and "deep" came', "measures capture"),
        ("capture(depth=5) >= 0.8", "must be a number from 1e-9 to 1, and 5 came", "measures capture"),
        ("ece(bins=0) <= 0.8", "must be a whole number from 1 to 10,000, and 0 came", "measures ece"),
        ("f_beta(beta=-1) >= 0.8", "must be a number, 0 or more, and -1.0 came", "measures f_beta"),
        ("profit(per=row) >= 0.8", 'must be "total" or "case", and "row" came', "measures profit"),
        ("profit(payoff=3) >= 0.8", "is not an option", "number"),
        ("weighted_accuracy(weights=2) >= 0.8", "must be 4 numbers", "measures weighted_accuracy"),
    ],
)
def test_what_cannot_be_meant_is_said(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as found:
        requirement_of(text)
    assert message in found.value.message
    assert hint in found.value.hint


# ---- judging


def test_results_are_those_of_the_evaluation() -> None:
    e = evaluated(profit=sy.Profit(tp=5, fp=-4))
    texts = ["auc >= 0.7", "recall@0.3 >= 0.9", "recall >= 0.1", "profit > 0", "ece <= 0.0001", "accuracy >= 99%"]
    outcome = outcome_of(e, texts)
    numbers = [e["auc"], e.at(0.3)["recall"], e["recall"], e["profit"], e["ece"], e["accuracy"]]
    assert [r.number.value for r in outcome.results] == [x.value for x in numbers]
    for r, x in zip(outcome.results, numbers):
        assert r.number.low <= x.low <= x.high <= r.number.high, "the gate's ends are the wider ones"
        near = r.number.high if r.limit.upper else r.number.low
        assert r.met == r.limit.holds(near), r
    assert [r.requirement for r in outcome.results] == texts
    assert not outcome.passed
    assert not outcome
    assert outcome_of(e, "auc >= 0.5").passed
    assert outcome_of(e, [requirement_of("auc >= 0.5")]).passed


def test_points_are_compared_only_when_it_is_asked_for() -> None:
    e = evaluated()
    bound = round(e["auc"].value - 0.001, 6)
    text = f"auc >= {bound}"
    assert outcome_of(e, text).results[0].state == "not shown"
    outcome = outcome_of(e, text, on="point")
    assert outcome.passed
    assert outcome.notes == ("Values were compared and not intervals: luck may decide.",)
    with pytest.raises(UsageError, match='on="points" is not a choice'):
        outcome_of(e, text, on="points")


def test_levels_are_found_by_what_they_are_called(flowers: Any) -> None:
    for level in flowers.levels:
        (result,) = outcome_of(flowers, f"recall[{level}] >= 0.1").results
        assert (result.number.value, result.number.n) == (flowers["recall", level].value, flowers["recall", level].n)
    assert outcome_of(flowers, "f1[macro] >= 0.1").results[0].number == flowers["f1", "macro"]
    # A mean of shares has limits of its own in a gate, the same under both of its names.
    both = [
        outcome_of(flowers, f"{name} >= 0.1").results[0].number for name in ("recall[macro]", "average_class_accuracy")
    ]
    assert (both[0].low, both[0].high, both[0].method) == (both[1].low, both[1].high, both[1].method)
    e = evaluated()
    assert outcome_of(e, "recall[0] >= 0.1").results[0].number.value == e["recall", 0].value, "levels may be numbers"


def test_what_is_undefined_fails_with_its_reason() -> None:
    e = sy.evaluate(target=[1, 0] * 40, prediction=[0] * 80)
    for on in ("interval", "point"):
        outcome = outcome_of(e, ["precision >= 0", "recall <= 0.5"], on=on)
        assert [r.state for r in outcome.results] == ["undefined", "met"]
        assert outcome.results[0].message == "undefined: nothing was predicted positive, needed at least 0"
    json.dumps(outcome.to_dict(), allow_nan=False)


def test_questions_that_cannot_be_answered_are_refused(flowers: Any) -> None:
    e = evaluated()
    labels = sy.evaluate(target=[1, 0] * 40, prediction=[0, 1] * 40)
    refused: list[tuple[Any, Any, type[SteelyardError], str, str]] = [
        (flowers, "recall >= 0.5", NotAvailable, "belongs to one level", "'recall[7]' or 'recall[macro]'"),
        (flowers, "recall[setose] >= 0.5", NotAvailable, 'a level "setose", and there are', 'Did you mean "setosa"?'),
        (flowers, "auc >= 0.5", NotAvailable, "needs one score for two levels", '"accuracy"'),
        (labels, "recall@0.5 >= 0.5", NotAvailable, "A threshold needs scores", "score="),
        (e, "rmse <= 3", NotAvailable, "needs a continuous target", '"auc"'),
        (e, "profit >= 0", NotAvailable, "what outcomes are worth", "Profit("),
        (e, "xyzzy >= 0", UnknownMeasure, "no measure called", "measures"),
        (e, [], UsageError, "Nothing was required", "'auc >= 0.80'"),
    ]
    for one, text, kind, message, hint in refused:
        with pytest.raises(kind) as found:
            outcome_of(one, text)
        assert message in found.value.message
        assert hint in found.value.hint, found.value.hint


def test_a_model_exactly_at_the_bound_passes_as_rarely_as_it_should() -> None:
    """Binormal scores with an area of exactly 0.8 against 'auc >= 0.8': at most 2.5%."""
    rng = np.random.default_rng(11)
    apart = math.sqrt(2) * 0.8416212335729143
    passed = shown = 0
    for _ in range(150):
        y = np.arange(300) % 2
        e = sy.evaluate(target=y, score=rng.normal(apart * y, 1))
        passed += outcome_of(e, "auc >= 0.8").passed
        shown += outcome_of(e, "auc >= 0.7").passed
    assert passed / 150 <= 0.04, passed
    assert shown / 150 > 0.9, "a good model is not kept out"


# ---- telling


def test_the_text_fits_and_counts(flowers: Any) -> None:
    long = "recall[a rather long name of a level 日本語の名前 that does not fit]"
    e = sy.evaluate(target=[long[7:-1], "b", "c"] * 40, prediction=["b", "b", "c"] * 40)
    outcome = outcome_of(e, [f"{long} >= 0.1", "accuracy >= 0.1", f"precision{long[6:]} >= 0.1"])
    text = str(outcome)
    lines = text.splitlines()
    assert all(width_of(line) <= 80 for line in lines), text
    assert lines[-1] == "1 of 3 met"
    assert lines[0].startswith("✗ recall[a rather")
    assert "failed: 0.000 [0.000, 0.088], needed at least 0.1" in lines[0]
    assert sum(line.startswith(("✓", "✗")) for line in lines) == 3
    starts = {
        next(i for i, c in enumerate(line) if line[i:].startswith(w))
        for line in lines
        for w in ("met:", "failed:")
        if w in line
    }
    assert len(starts) <= 2, "aligned, wide letters taking two columns"
    letters = outcome_text(outcome, letters=True)
    assert letters.splitlines()[0].startswith("no recall")
    assert not set("✓✗−…") & set(letters)


def test_ends_are_told_so_that_the_side_is_seen() -> None:
    limit = Bound(0.8, said="0.80")
    assert number_text(Estimate("auc", 0.81, 0.78, 0.84), limit) == "0.810 [0.780, 0.840]"
    assert number_text(Estimate("auc", 0.8712, 0.79996, 0.92), limit) == "0.87120 [0.79996, 0.92000]"
    assert number_text(Estimate("auc", 0.8712, 0.80004, 0.92), limit) == "0.871 [0.800, 0.920]"
    rng = np.random.default_rng(3)
    for _ in range(300):
        low, value, high = sorted(0.8 + rng.normal(0, 10.0 ** rng.integers(-6, 0), 3))
        told = number_text(Estimate("x", value, low, high), limit).replace("−", "-")
        read = [float(part) for part in told.replace("[", "").replace("]", "").replace(",", "").split()]
        assert [limit.holds(v) for v in read] == [limit.holds(v) for v in (value, low, high)], told


def test_an_outcome_as_json_and_as_a_frame() -> None:
    outcome = outcome_of(evaluated(), ["auc >= 0.6", "recall >= 0.99"])
    data = json.loads(json.dumps(outcome.to_dict(), allow_nan=False))
    assert (data["passed"], data["met"], data["of"], data["on"]) == (False, 1, 2, "interval")
    first, second = data["results"]
    assert (first["met"], first["state"], first["side"], first["bound"]) == (True, "met", ">=", 0.6)
    assert first["estimate"]["value"] == outcome.results[0].number.value
    assert (first["difference"], second["state"]) == (None, "failed")
    assert second["message"] == outcome.results[1].message
    assert str(outcome.results[1]) == f"recall: {second['message']}"
    frame = outcome.frame()
    assert list(frame["state"]) == ["met", "failed"]
    assert len(outcome) == len(frame) == 2
