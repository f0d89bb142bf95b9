"""An estimate is a number to whoever counts with it."""

from __future__ import annotations

import copy
import json
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.errors import UndefinedCompared
from steelyard.results import Difference, Estimate

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
KINDS = (
    lambda v: Estimate("auc", v, reason="" if v is not None else "no real positives"),
    lambda v: Difference("auc", value=v, reason="" if v is not None else "no real positives"),
)
OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "== a plain one": lambda a, b: a == float(b),
    "!= a plain one": lambda a, b: float(a) != b,
    "round": lambda a, b: round(a, 2) + round(b),
    "format": lambda a, b: f"{a:.3f} {b:+.1e} {a:8.2%}",
    "int": lambda a, b: (int(a), math.floor(b), abs(a), -b, bool(a)),
    "sorted": lambda a, b: [float(v) for v in sorted([a, b, 0.5])],
    "max": lambda a, b: float(max(a, b, 0.5)),
    "sum": lambda a, b: sum([a, b]),
    "array": lambda a, b: np.array([a, b]).tolist(),
    "mean": lambda a, b: float(np.mean([a, b])),
    "NumPy": lambda a, b: (np.float64(0.25) * a, (np.arange(3) * b).tolist(), bool(np.float64(0.25) < a)),
    "JSON": lambda a, b: json.dumps({"a": a, "b": [b]}),
    "pandas": lambda a, b: pd.Series([a, b]).tolist(),
    "hash": lambda a, b: (hash(a), {a: 1}[float(a)], hash(b)),
}


@pytest.mark.parametrize("kind", KINDS, ids=["estimate", "difference"])
@pytest.mark.parametrize("name", OPERATIONS)
@given(a=NUMBERS, b=NUMBERS)
def test_it_counts_as_its_value_does(kind, name: str, a: float, b: float) -> None:
    assert OPERATIONS[name](kind(a), kind(b)) == OPERATIONS[name](a, b)


@pytest.mark.parametrize("kind", KINDS, ids=["estimate", "difference"])
def test_an_undefined_one_is_not_a_number_and_keeps_its_reason(kind) -> None:
    none = kind(None)
    assert math.isnan(float(none))
    assert np.isnan(np.array([none, kind(0.5)])).tolist() == [True, False]
    assert none.reason == "no real positives"
    assert none == kind(None)
    for ask in ("<", "<=", ">", ">="):
        for a, b in ((none, 0.8), (0.8, none), (none, kind(0.8)), (kind(0.8), none)):
            with pytest.warns(UndefinedCompared, match=r"auc is undefined \(no real positives\)"):
                assert not OPERATIONS[ask](a, b)


@pytest.mark.parametrize("value", [0.25, None])
@pytest.mark.parametrize("kind", KINDS, ids=["estimate", "difference"])
def test_copies_are_the_same_number(kind, value: float | None) -> None:
    one = kind(value)
    for other in (
        copy.copy(one),
        copy.deepcopy(one),
        pickle.loads(pickle.dumps(one)),
        one.renamed(),
        type(one).from_dict(one.to_dict()),
    ):
        assert other == one
        assert hash(other) == hash(one)
        assert (other != one) is False
        assert str(other) == str(one)
        assert np.array_equal(float(other), float(one), equal_nan=True)
    assert kind(value) != one.renamed(method="another")


def test_an_assertion_that_fails_tells_value_interval_and_rows() -> None:
    e = sy.evaluate(target=[1, 1, 1, 0, 0, 0] * 10, score=[0.9, 0.3, 0.8, 0.4, 0.6, 0.1] * 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert e["auc"] >= 0.5
    told = repr(e["auc"])
    assert str(e["auc"]) in told
    assert "60 rows" in told
    assert len(told) < 400


def test_metrics_of_an_evaluation_make_a_plain_dictionary() -> None:
    e = sy.evaluate(target=[0, 0, 1], prediction=[0, 0, 0])
    told = {name: float(e[name]) for name in e.measures}
    assert math.isnan(told["precision"])
    assert told["recall"] == 0.0


def test_an_evaluation_is_a_collection_of_its_numbers() -> None:
    e = sy.evaluate(target=[1, 1, 0, 0, 0], score=[0.9, 0.3, 0.4, 0.2, 0.1])
    assert list(e) == e.measures == e._ipython_key_completions_()
    assert "auc" in e
    assert "roc_auc" in e
    assert "rmse" not in e
    assert 7 not in e
    assert dict(e) == {name: e[name] for name in e.measures}
    assert pickle.loads(pickle.dumps(e)) == copy.deepcopy(e) == e
