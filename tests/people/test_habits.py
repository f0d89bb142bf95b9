"""Habits from other libraries and from books: taken as they are meant, or led on from by a sentence."""

import numpy as np
import pandas as pd
import pytest

import steelyard as sy


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    p = rng.random(400)
    return pd.DataFrame({"y": (rng.random(400) < p).astype(int), "p": p})


def test_models_are_compared_by_their_probability_matrices(rows):
    old, new = rows.p.to_numpy(), rows.p.to_numpy() ** 2
    matrices = {"old": np.column_stack([1 - old, old]), "new": pd.DataFrame({0: 1 - new, 1: new})}
    told = sy.compare(target=rows.y, score=matrices).difference("log_loss", "old", "new")
    assert (
        told.value
        == sy.compare(target=rows.y, score={"old": old, "new": new}).difference("log_loss", "old", "new").value
    )
    words = np.array(["left", "stayed"])[rows.y]
    with pytest.raises(sy.errors.UsageError, match="nothing says whose") as refused:
        sy.compare(target=words, score={"old": matrices["old"], "new": matrices["old"]}, positive="left")
    assert 'levels=["left", "stayed"]' in refused.value.hint
    counted = pd.crosstab(words, np.where(old < 0.5, "left", "stayed"))
    by_rows = sy.evaluate(target=words, prediction=np.where(old < 0.5, "left", "stayed"), positive="left")
    assert sy.evaluate(confusion=counted, positive="left")["F1"] == by_rows["f1"]


def test_names_are_read_as_books_write_them(rows):
    e = sy.evaluate(rows, target="y", score="p")
    for written, name in (
        ("AUC", "auc"),
        ("ROC index", "auc"),
        ("F1-measure", "f1"),
        ("Average class accuracy", "average_class_accuracy"),
        ("TPR", "recall"),
    ):
        assert e[written] == e[name] and written in e
    assert dict(e.items()) == dict(e) and e.items()[0][0] == e.measures[0]
    for cell in ("tp", "f++", "FN"):
        with pytest.raises(sy.errors.UnknownMeasure) as refused:
            e[cell]
        assert "a cell of the confusion matrix" in refused.value.hint


def test_habits_of_other_libraries_lead_on(rows):
    e = sy.evaluate(rows, target="y", score="p")
    for asked, led in (
        (lambda: sy.auc, 'e["auc"]'),
        (lambda: sy.roc_curve, 'e.chart("roc")'),
        (lambda: sy.evalute, 'did you mean "evaluate"?'),
        (lambda: e.roc, 'e.curve("roc")'),
        (lambda: e.plot, 'e.chart("roc")'),
    ):
        with pytest.raises(AttributeError) as refused:
            asked()
        assert led in str(refused.value)
    for call, led in (
        (lambda: sy.evaluate(rows.y, rows.p), "evaluate(target=..., score=...)"),
        (lambda: sy.compare({"old": object()}, rows[["p"]], rows.y), "sy.compare(target=y, score="),
        (lambda: sy.evaluate_model({"old": object()}, rows[["p"]], rows.y), "sy.compare(target=y, score="),
    ):
        with pytest.raises(sy.errors.UsageError) as refused:
            call()
        assert led in refused.value.hint
