"""The gate in Python."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import UsageError
from steelyard.gates.check import NotMet

Y = np.arange(400) % 2
GOOD = sy.evaluate(target=Y, score=np.where(Y == 1, 0.55, 0.45) + np.linspace(-0.1, 0.1, 400))
POOR = sy.evaluate(target=Y, score=np.linspace(0, 1, 400))


def test_what_is_met_comes_back() -> None:
    outcome = sy.check(GOOD, ["auc >= 0.6", "recall >= 0.5"], champion=POOR)
    assert outcome.passed
    assert len(outcome) == 4


def test_what_is_not_met_is_an_assertion_that_reads_like_a_report() -> None:
    with pytest.raises(AssertionError) as said:
        sy.check(POOR, ["auc >= 0.8", "recall >= 0.01"], champion=GOOD, margin=0.01)
    text = str(said.value)
    assert text.startswith("3 of 4 requirements are not met.")
    assert "failed: 0.502 [0.442, 0.563], needed at least 0.8" in text
    assert isinstance(said.value, NotMet)
    assert said.value.outcome.met == 1
    assert str(pickle.loads(pickle.dumps(said.value))) == text


def test_what_cannot_be_meant_is_refused_and_not_failed() -> None:
    for wrong in ({}, {"requirements": "auc > good"}, {"requirements": ["auc >= 0.5"], "champion": 3}):
        with pytest.raises(UsageError):
            sy.check(GOOD, **wrong)
