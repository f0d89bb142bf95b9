"""Tables of where a model fails: levels taken for one another, errors along the prediction, gaps, the top of the rows."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy


def numbers(rng: np.random.Generator, lean: float, n: int = 2000) -> sy.Evaluation:
    hat = rng.uniform(0, 100, n)
    return sy.evaluate(target=hat - lean * (hat - 50) / 50 + rng.normal(0, 5, n), prediction=hat)


def test_a_lean_along_the_prediction_is_told_where_the_mean_of_all_hides_it(rng: np.random.Generator) -> None:
    e = numbers(rng, 6.0)
    assert e.verdict_on("bias").word == "no clear lean"
    t = e.table("error_along_prediction")
    words = t.cells["verdict"]
    assert words[0] == "too low" and words[-1] == "too high" and "no clear lean" in words
    assert "Clearly too high in" in t.note and "Clearly too low in" in t.note
    for x, word in zip(t.cells["mean_error"], words, strict=True):
        assert (word == "no clear lean") == (x.low <= 0 <= x.high)


def test_without_a_lean_none_is_found_more_often_than_promised(rng: np.random.Generator) -> None:
    found = sum(
        set(numbers(rng, 0.0, 400).table("error_along_prediction").cells["verdict"]) != {"no clear lean"}
        for _ in range(60)
    )
    assert found <= 9, "5% of 60 are 3"


def test_quantiles_of_errors_hold_the_true_ones(rng: np.random.Generator) -> None:
    held = 0
    for _ in range(100):
        error = rng.normal(0, 1, 300)
        e = sy.evaluate(target=np.zeros(300) + np.arange(300) % 7, prediction=np.arange(300) % 7 + error)
        x = e.table("error_quantiles").cells["error"][3]
        held += x.low <= 0.6744897501960817 <= x.high
    assert held >= 88
    few = sy.evaluate(target=[1.0, 2.0, 3.0], prediction=[1.5, 2.0, 2.0]).table("error_quantiles").cells["error"]
    assert few[0].low is None and "too few rows" in few[0].note


def test_which_level_is_taken_for_which() -> None:
    truth = ["a"] * 10 + ["b"] * 10 + ["c"] * 10
    said = ["a"] * 6 + ["b"] * 4 + ["b"] * 9 + ["c"] + ["c"] * 10
    t = sy.evaluate(target=truth, prediction=said).table("confusions")
    assert list(zip(t.cells["actual"], t.cells["predicted"], t.cells["rows"], strict=True)) == [
        ("a", "b", 4),
        ("b", "c", 1),
    ]
    assert t.note.startswith("a is most often taken for b: 4 of 10.") and "80%" in t.note
    assert t.cells["of_the_actual"][0].value == 0.4
    none = sy.evaluate(target=truth, prediction=truth).table("confusions")
    assert len(none) == 0 and none.note == "No row was given a wrong level."


def test_gaps_between_alike_segments_are_seldom_called_gaps(rng: np.random.Generator) -> None:
    words = []
    for _ in range(20):
        y = rng.random(800) < 0.4
        e = sy.evaluate(
            target=y, score=y + rng.normal(0, 1, 800), threshold=0.5, segment=rng.choice(list("abcdef"), 800)
        )
        words += e.table("gaps").cells["verdict"]
    assert words.count("a gap") <= 0.1 * len(words)
    y = rng.random(4000) < 0.4
    where = rng.choice(["good", "bad"], 4000)
    e = sy.evaluate(target=y, score=np.where(where == "good", y, 0) + rng.normal(0, 1, 4000), segment=where)
    t = e.table("gaps")
    assert (t.cells["highest"][0], t.cells["lowest"][0], t.cells["verdict"][0]) == ("good", "bad", "a gap")


def test_the_top_of_the_rows_is_never_more_than_was_asked_for(rng: np.random.Generator) -> None:
    y = rng.random(1000) < 0.3
    e = sy.evaluate(target=y, score=np.round(y + rng.normal(0, 1, 1000), 1), profit=sy.Profit(tp=3, fp=-1))
    t = e.table("cuts", shares=[0.001, 0.01, 0.5, 1.0])
    for share, rows, threshold in zip(t.cells["top"], t.cells["rows"], t.cells["threshold"], strict=True):
        assert rows <= 1000 * share
        assert (threshold is None) == (rows == 0)
        if threshold is not None:
            assert e.at(threshold)["predicted_positive_rate"].value * 1000 == pytest.approx(rows)
    assert t.cells["rows"][-1] == 1000
    assert t.cells["profit"][-1].value == e.at(t.cells["threshold"][-1])["profit"].value
    with pytest.raises(sy.errors.UsageError, match="shares between 0 and 1"):
        e.table("cuts", shares=[2])
