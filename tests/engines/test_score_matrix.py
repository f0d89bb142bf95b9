"""A matrix of scores, rows × levels, is what models return: its columns are told apart by levels=[...]."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError

RNG = np.random.default_rng(4)
SCORES = RNG.dirichlet((1.0, 1.0, 1.0), 90)
TARGET = RNG.choice(["a", "b", "c"], 90)
TWO = np.column_stack([1 - SCORES[:, 0], SCORES[:, 0]])
ZEROS = RNG.integers(0, 2, 90)


def _torch(values: Any) -> Any:
    return pytest.importorskip("torch").tensor(values)


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, _torch])
def test_a_matrix_is_a_mapping_of_its_columns(form: Any) -> None:
    wanted = sy.evaluate(target=TARGET, score={v: SCORES[:, i] for i, v in enumerate("abc")})
    assert sy.evaluate(target=TARGET, score=form(SCORES), levels=["a", "b", "c"]) == wanted
    second = sy.evaluate(target=ZEROS, score=TWO[:, 1], levels=[0, 1])
    assert sy.evaluate(target=ZEROS, score=form(TWO), levels=[0, 1]) == second
    assert sy.evaluate(target=ZEROS, score=form(TWO[:, 1:]), levels=[0, 1]) == second


def test_two_scores_that_are_no_shares_keep_both_columns() -> None:
    e = sy.evaluate(target=ZEROS, score=np.log(TWO + 0.01) * 3, levels=[0, 1])
    assert e.class_scores is not None
    assert e["accuracy"].value == np.mean((TWO[:, 1] > TWO[:, 0]) == ZEROS)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"score": SCORES}, 'levels=\\["a", "b", "c"\\]'),
        ({"score": TWO}, "score=p\\[:, 1\\]"),
        ({"score": SCORES, "levels": ["a", "b"]}, "3 columns, and 2 different levels"),
        ({"score": SCORES, "levels": ["a", "b", "b"]}, "a list of different values"),
        ({"score": [[0.1, 0.9], [0.2]], "levels": [0, 1]}, "different lengths"),
        ({"score": [["x", "y"]] * 90, "levels": ["a", "b"]}, "holds text"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SteelyardError, match=words):
        sy.evaluate(target=TARGET, **given)
