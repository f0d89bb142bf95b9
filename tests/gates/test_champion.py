"""No worse than the champion: margins in the sense of better, what is compared, what is refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.comparisons.independent import difference
from steelyard.errors import SteelyardError
from steelyard.gates.requirement import outcome_of


def evaluated(n: int = 500, apart: float = 1.5, seed: int = 1, **more: Any) -> Any:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return sy.evaluate(target=y, score=1 / (1 + np.exp(-rng.normal(apart * (y - 0.5), 1))), **more)


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any]:
    return evaluated(900, 1.5, 1), evaluated(700, 1.5, 2)


def test_a_margin_is_kept_in_the_sense_of_better(pair: tuple[Any, Any]) -> None:
    e, f = pair
    for name in ("auc", "brier", "recall", "fnr", "log_loss"):
        d = outcome_of(e, [], f, 9.0, compare=[name]).results[0].number
        usual = difference(e, f, name)
        assert d.low <= usual.low <= usual.value == d.value <= usual.high <= d.high, (
            "the gate's ends are the wider ones"
        )
        # How much worse the challenger may still be, as far as the interval says.
        worst = -d.low if sy.catalogue()[name].better == "higher" else d.high
        assert worst > 0, "these two are not told apart"
        for factor, state in ((1.01, "met"), (0.99, "not shown"), (0.0, "not shown")):
            (result,) = outcome_of(e, [], f, worst * factor, compare=[name]).results
            assert (result.state, result.met) == (state, state == "met"), name
            assert result.number == d
            assert result.against


def test_clearly_worse_is_failed_and_clearly_better_needs_no_margin() -> None:
    good, bad = evaluated(900, 2.5, 1), evaluated(900, 0.5, 2)
    down = outcome_of(bad, [], good, 0.01, compare=["auc", "brier", "recall"])
    assert [r.state for r in down.results] == ["failed"] * 3
    assert [r.limit.needed for r in down.results] == ["at least −0.01", "at most 0.01", "at least −0.01"]
    up = outcome_of(good, [], bad, compare=["auc", "brier"])
    assert up.passed
    assert up.notes[0].startswith("No margin was given for auc, brier, so the challenger must be shown to be no worse")
    assert outcome_of(bad, [], good, 0.01, compare=["auc"], on="point").results[0].state == "failed"
    assert outcome_of(bad, [], good, 0.9, compare=["auc"], on="point").passed


def test_what_is_required_is_compared_and_the_default_beside_it(pair: tuple[Any, Any]) -> None:
    e, f = pair
    wanted = ["recall@0.3 >= 0.1", "recall@0.3 <= 1", "prevalence <= 0.9", "accuracy >= 0.1"]
    outcome = outcome_of(e, wanted, f, {"auc": 0.2, "recall@0.3": 0.3, "accuracy": 0.1})
    named = [r.subject for r in outcome.results if r.against]
    assert named == ["recall@0.3 − champion", "accuracy − champion", "auc − champion"]
    assert [r.limit.bound for r in outcome.results if r.against] == [-0.3, -0.1, -0.2]
    assert "prevalence is required and not compared: it has no better and worse." in outcome.notes
    assert outcome.results[4].number.values == (e.at(0.3)["recall"].value, f.at(0.3)["recall"].value)
    named = [r.subject for r in outcome_of(e, ["recall >= 0.1"], f, 0.1, compare=["brier"]).results if r.against]
    assert named == ["recall − champion", "brier − champion"]


def test_the_default_is_what_both_can_answer() -> None:
    rng = np.random.default_rng(4)
    t = rng.normal(5, 2, 80)
    numbers = sy.evaluate(target=t, prediction=t + rng.normal(0, 1, 80))
    y = rng.integers(0, 3, 90)
    names = np.array(list("abc"))
    labels = sy.evaluate(target=names[y], prediction=names[rng.integers(0, 3, 90)])
    shares = rng.dirichlet((1, 1, 1), 90)
    classes = sy.evaluate(target=names[y], score={x: shares[:, i] for i, x in enumerate("abc")})
    two = evaluated(90)
    plain = sy.evaluate(target=[0, 1] * 40, prediction=[0, 0, 1, 1] * 20)
    expected = [
        (numbers, numbers, "rmse"),
        (labels, labels, "accuracy"),
        (classes, classes, "hand_till_auc"),
        (two, two, "auc"),
        (two, plain, "accuracy"),
    ]
    for e, f, name in expected:
        (result,) = outcome_of(e, [], f, 5).results
        assert result.number.measure == name


def test_margins_may_be_typed(pair: tuple[Any, Any]) -> None:
    e, f = pair
    compare = ["auc", "recall@0.3", "recall[0]", "brier"]

    def bounds(margin: Any) -> list[float]:
        return [r.limit.bound for r in outcome_of(e, [], f, margin, compare=compare).results]

    assert bounds("1%") == [-0.01, -0.01, -0.01, 0.01]
    assert bounds(["0.05", "roc_auc=2%"]) == [-0.02, -0.05, -0.05, 0.05]
    assert bounds(["recall=0.1", "brier = .002", "auc=0", "recall@0.3=0.2"][:3]) == [0, -0.1, -0.1, 0.002]
    assert bounds(["0.05", "recall[0]=0.3"]) == [-0.05, -0.05, -0.3, 0.05]
    assert bounds({"sensitivity@30%": 0.1}) == [0, -0.1, 0, 0]


def test_notes_say_how_to_read_it(pair: tuple[Any, Any]) -> None:
    e, f = pair
    decided = (
        "Decided by Gaffke's bound (auc), wider than the intervals elsewhere: "
        "what just misses its bound passes in at most 2.5% of samples."
    )
    assert outcome_of(e, [], f, 0.1).notes == (decided,)
    assert outcome_of(e, [], e, 0.1).notes == (
        "Both were evaluated on 900 rows: if these are the same rows, a paired comparison is sharper.",
        decided,
    )
    apart = outcome_of(e, ["recall >= 0.1"], f.at(0.3), 0.1)
    assert "Each is told at its own threshold: 0.5 for the challenger, 0.3 for the champion" in apart.notes[0]
    assert "'recall@0.5' compares both at one" in apart.notes[0]
    assert len(outcome_of(e, ["recall@0.5 >= 0.1"], f.at(0.3), 0.1).notes) == 1


def test_profit_is_compared_per_case(pair: tuple[Any, Any]) -> None:
    e, f = (replace(x, payoff=sy.Profit(tp=5, fp=-4)) for x in pair)
    result = outcome_of(e, ["profit >= 0"], f, 1.0).results[1]
    assert result.subject == "profit per case − champion"
    assert result.number.value == pytest.approx(e["profit"].value / 900 - f["profit"].value / 700)


def test_what_is_undefined_fails() -> None:
    e = sy.evaluate(target=[1, 0] * 50, prediction=[0] * 100)
    f = sy.evaluate(target=[1, 0] * 40, prediction=[1, 0] * 40)
    (result,) = outcome_of(e, [], f, 1, compare=["precision"]).results
    assert result.state == "undefined"
    assert result.message == "undefined: challenger: nothing was predicted positive, needed at least −1"
    json.dumps(result.to_dict(), allow_nan=False)


def test_bad_margins_and_champions_get_a_sentence(pair: tuple[Any, Any]) -> None:
    e, f = pair
    numbers = sy.evaluate(target=[1.5, 2.5, 3.5], prediction=[1.0, 2.0, 3.0])
    labels = sy.evaluate(target=[1, 0] * 40, prediction=[1, 1, 0, 0] * 20)
    other = sy.evaluate(target=["x", "y"] * 40, prediction=["x", "y"] * 40, positive="x")
    turned = sy.evaluate(target=[1, 0] * 40, score=[0.2, 0.6] * 40, positive=0)
    refused: list[tuple[Any, dict[str, Any], str, str]] = [
        (f, {"margin": -0.1}, "how much worse the challenger may be, and −0.1 came", "0 or more"),
        (f, {"margin": math.nan}, "and nan came", "how much worse"),
        (f, {"margin": "brier=-1", "compare": ["brier"]}, '−1 came for "brier"', "0 or more"),
        (f, {"margin": "a lot"}, 'The margin "a lot" cannot be read', "auc=0.01"),
        (f, {"margin": "=0.1"}, 'The margin "=0.1" cannot be read', "auc=0.01"),
        (f, {"margin": "recall=0.1"}, '"recall" came, which is not compared; compared: "auc"', 'compare=["recall"]'),
        (f, {"margin": "acu=0.1"}, 'no measure called "acu"', "auc"),
        (f, {"margin": ["0.1", "0.2"]}, "Two margins for all measures came: 0.1 and 0.2", "auc=0.01"),
        (f, {"margin": ["auc=0.1", "roc_auc=0.2"]}, 'Two margins for "auc" came', "one of them"),
        (f, {"compare": ["prevalence"]}, "it has no better and worse", "two bounds"),
        (f, {"compare": ["calibration_intercept"]}, "it is best at zero", "two bounds"),
        (f, {"compare": ["acu"]}, 'no measure called "acu"', "auc"),
        (f, {"compare": ["auc >= 0.8"]}, "cannot be read as the name of a number", "'recall@0.5'"),
        (None, {"margin": 0.1}, "no champion", "against=..."),
        (None, {"compare": ["auc"]}, "no champion", "against=..."),
        (
            numbers,
            {},
            "the challenger evaluation is about levels, the champion evaluation about numbers",
            "same target",
        ),
        (other, {}, 'The levels differ: 0, 1 in the challenger evaluation, "x", "y" in the champion', "same target"),
        (turned, {}, "The positive level differs: 1 in the challenger evaluation, 0 in the champion", "same positive"),
        (labels, {"compare": ["auc"]}, "The champion evaluation cannot answer this", "Both can answer"),
        (labels, {"compare": ["recall@0.3"]}, "A threshold needs scores", "score="),
    ]
    for champion, options, message, hint in refused:
        with pytest.raises(SteelyardError) as found:
            outcome_of(e, [] if champion is not None else ["auc >= 0.1"], champion, **options)
        assert message in found.value.message, found.value.message
        assert hint in found.value.hint, found.value.hint
        assert found.value.exit_code == 2


def test_a_challenger_that_is_worse_by_the_margin_passes_as_rarely_as_it_should() -> None:
    """True areas 0.80 and 0.85 with a margin of 0.05 pass in at most 2.5% of builds; equal ones mostly do."""
    rng = np.random.default_rng(21)
    apart = {0.8: 1.1902322, 0.85: 1.4657382}

    def drawn(area: float, n: int) -> Any:
        y = np.arange(n) % 2
        return sy.evaluate(target=y, score=rng.normal(apart[area] * y, 1))

    worse = equal = 0
    for i in range(120):
        champion = drawn(0.85, 800)
        worse += outcome_of(drawn(0.8, 600), [], champion, 0.05).passed
        equal += i < 40 and outcome_of(drawn(0.85, 600), [], champion, 0.08).passed
    assert worse / 120 <= 0.04, worse
    assert equal / 40 > 0.9, equal
