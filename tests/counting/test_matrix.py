"""A matrix that somebody else counted: whose each row is must be said, and everything follows that order."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy

PRINTED = [[150, 40], [60, 250]]
COSTS = [[-1, 100], [1, 0]]


def test_a_bare_matrix_never_guesses() -> None:
    for said in ({}, {"positive": 1}, {"positive": 0}):
        with pytest.raises(sy.errors.BadLevels, match="Nothing says whose each row") as found:
            sy.evaluate(confusion=[[6, 3], [2, 9]], **said)
        assert 'layout="positive first"' in found.value.hint


def test_the_layout_of_books_is_said_in_one_word() -> None:
    e = sy.evaluate(confusion=[[6, 3], [2, 9]], layout="positive first")
    assert e["recall"].value == pytest.approx(6 / 9)
    f = sy.evaluate(confusion=[[9, 2], [3, 6]], layout="negative first")
    assert {m: e[m].value for m in e.measures} == {m: f[m].value for m in f.measures}
    named = sy.evaluate(confusion=[[6, 3], [2, 9]], levels=["spam", "ham"], layout="positive first")
    assert named.positive == "spam" and named["recall"].value == e["recall"].value


@pytest.mark.parametrize(
    "given",
    [
        {"levels": [1, 0], "positive": 1},
        {"levels": [1, 0]},
        {"levels": [True, False]},
        {"layout": "positive first"},
        {"levels": ["+", "-"], "positive": "+"},
    ],
)
def test_costs_follow_the_order_that_was_said(given: dict[str, Any]) -> None:
    right = 150 * -1 + 40 * 100 + 60 * 1
    m = sy.evaluate(confusion=PRINTED, **given)
    assert m.cost(sy.Cost(COSTS)).value == m.measure("cost", payoff=sy.Cost(COSTS)).value == right
    assert m.cost(sy.Cost(COSTS, layout="positive first")).value == right
    assert m.cost(sy.Cost([[0, 1], [100, -1]], layout="negative first")).value == right
    assert m.cost(sy.Cost(COSTS, levels=m.levels)).value == right
    assert sy.evaluate(confusion=PRINTED, **given, cost=sy.Cost(COSTS)).cost().value == right


def test_a_bare_cost_is_refused_where_nobody_said_an_order() -> None:
    rows = {"target": [0, 1, 1, 0], "score": [0.1, 0.2, 0.9, 0.6]}
    e = sy.evaluate(**rows)
    calls = [
        lambda: e.cost(sy.Cost([[0, 1], [5, 0]])),
        lambda: e.measure("cost", payoff=sy.Cost([[0, 1], [5, 0]])),
        lambda: e.best_threshold(sy.Cost([[0, 1], [5, 0]])),
        lambda: sy.evaluate(**rows, profit=sy.Cost([[0, 1], [5, 0]])),
    ]
    for call in calls:
        with pytest.raises(sy.errors.BadPayoff, match="Nothing says whose each row of the cost matrix is"):
            call()
    said = sy.evaluate(**rows, levels=[0, 1])
    assert said.cost(sy.Cost([[0, 1], [5, 0]])).value == e.cost(sy.Cost(fp=1, fn=5)).value


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(sy.errors.BadLevels, match="makes 1 the positive level"):
        sy.evaluate(confusion=PRINTED, levels=[1, 0], positive=0, layout="positive first")
    with pytest.raises(sy.errors.UsageError, match="Both profit= and cost="):
        sy.evaluate(confusion=PRINTED, levels=[1, 0], profit=sy.Profit(tp=1), cost=sy.Cost(fp=1))
    with pytest.raises(sy.errors.UsageError, match="too large to be counts"):
        sy.evaluate(confusion=[[1e308] * 2] * 2, levels=[1, 0])


def by_name(target: Any, prediction: Any, **options: Any) -> pd.DataFrame:
    return pd.crosstab(pd.Series(target), pd.Series(prediction), **options)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=30))
def test_a_matrix_by_name_is_that_of_its_rows(rows: list[tuple[str, str]]) -> None:
    """As pandas counts it, or as a mapping of mappings; a level that one side never names has a row or column of zeros."""
    target, prediction = (list(side) for side in zip(*rows, strict=True))
    wanted = sy.evaluate(target=target, prediction=prediction, levels=list("abc")).confusion
    counted = by_name(target, prediction)
    told = {t: {p: rows.count((t, p)) for p in dict.fromkeys(prediction)} for t in dict.fromkeys(target)}
    for matrix in (counted, told):
        found = sy.evaluate(confusion=matrix, levels=list("abc")).confusion
        assert found.counts.tolist() == wanted.counts.tolist() and found.levels == wanted.levels
        if set(target) & set(prediction) and len({*target, *prediction}) != 2:
            own = sy.evaluate(confusion=matrix)
            assert own["accuracy"].value == wanted.correct / len(rows)


def test_a_frame_whose_names_are_no_levels_is_read_by_its_places() -> None:
    frame = pd.DataFrame([[6, 3], [2, 9]], index=["really yes", "really no"], columns=["said yes", "said no"])
    for said in ({"layout": "positive first"}, {"levels": ["yes", "no"], "positive": "yes"}):
        assert sy.evaluate(confusion=frame, **said)["recall"].value == 6 / 9
    assert sy.evaluate(confusion=pd.DataFrame([[6, 3], [2, 9]]), layout="positive first")["recall"].value == 6 / 9


@pytest.mark.parametrize(
    ("matrix", "said", "sentence"),
    [
        (by_name(list("aabb"), list("abbb")), {"layout": "positive first"}, 'are named, "a", "b", and layout='),
        (
            by_name(list("aabb"), list("abbb"), margins=True),
            {"positive": "a"},
            'the sums of its rows and columns, called "All"',
        ),
        (by_name(list("aa"), list("bc")), {}, 'are called "a", its columns "b", "c": these are not its levels'),
        (pd.DataFrame([[6, 3], [2, 9]], index=["a", "a"], columns=["a", "b"]), {}, "these are not its levels"),
        ({"a": {"a": 3}, "b": 2}, {}, "holds counts by predicted level for each actual level"),
        ({"a": {"a": "many"}, "b": {"b": 1}}, {"positive": "a"}, "must be square, with counts"),
        ({}, {}, "must be square, with counts"),
    ],
)
def test_what_a_matrix_by_name_may_not_be(matrix: Any, said: Any, sentence: str) -> None:
    with pytest.raises(sy.errors.UsageError, match=re.escape(sentence)) as refused:
        sy.evaluate(confusion=matrix, **said)
    assert refused.value.hint
