"""Counts of levels: they add, have a zero, and come back from JSON."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.summaries.levels import Levels

WORDS = st.lists(st.sampled_from(["spam", "ham", "eggs", "", "✓"]), max_size=30)


@given(WORDS, WORDS, WORDS)
def test_they_add(a, b, c):
    x, y, z = map(Levels.of, (a, b, c))
    assert x + (y + z) == (x + y) + z == Levels.of(a + b + c)
    assert x + y == y + x
    assert x + Levels.zero() == x == Levels.zero() + x


@given(WORDS)
def test_they_come_back_from_json(a):
    x = Levels.of(a)
    assert Levels.from_dict(json.loads(json.dumps(x.to_dict()))) == x


@pytest.mark.parametrize("how", [{"score": [0.1, 0.9, 0.4]}, {"prediction": [0, 1, 1]}])
def test_an_evaluation_knows_those_of_its_target(how):
    e = sy.evaluate(target=[0, 1, 0], **how)
    assert e.target_levels == Levels((0, 1), np.array([2.0, 1.0]), 3)
