"""Whether one model is of any use, at the edges and as laws."""

from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.results import Estimate
from steelyard.verdicts.enough import CaseCount, sides_of
from steelyard.verdicts.usefulness import (
    ADVICE,
    HARMFUL,
    NOT_KNOWN,
    NOT_SHOWN,
    TOO_FEW,
    USEFUL,
    lean,
    left_over,
    side,
    usefulness,
)

from .drawn import NUMBERS, estimates, mirrored, widened


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.51, 0.8, USEFUL),
        (0.5, 0.8, NOT_SHOWN),  # touching is not leaving out
        (0.2, 0.5, NOT_SHOWN),
        (0.2, 0.49, HARMFUL),
        (0.4, 0.6, NOT_SHOWN),
        (None, None, TOO_FEW),
        (0.6, None, TOO_FEW),  # one end alone decides nothing
        (None, 0.4, TOO_FEW),
    ],
)
def test_the_whole_interval_decides(low, high, word):
    v = usefulness(Estimate("auc", 0.5, low, high), 0.5, "chance", sides_of(30, 30))
    assert (v.word, v.bound, v.against, v.cases) == (word, 0.5, "chance", None)
    assert v.advice == ADVICE[word].format(than="chance", mistake="a wrong column")


def test_too_few_cases_withhold_the_word_whatever_the_interval():
    v = usefulness(Estimate("auc", 0.9, 0.8, 1.0), 0.5, "chance", sides_of(29, 100))
    assert (v.word, v.reason) == (TOO_FEW, "29 real positives, and 30 are needed")
    assert v.cases == CaseCount(29, "real positive")
    assert not v.known


def test_a_missing_interval_says_why():
    assert usefulness(Estimate("auc", 0.9), 0.5, "chance").reason == "the interval is not known"
    assert usefulness(Estimate("auc", 0.9, reason="one row"), 0.5, "chance").reason == "one row"


def test_what_is_not_defined_is_not_known():
    v = usefulness(Estimate("auc", None, reason="no positives"), 0.5, "chance")
    assert (v.word, v.reason, v.known) == (NOT_KNOWN, "no positives", False)


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.1, 1, "too high"),
        (-1, -0.1, "too low"),
        (0.01, 0.02, "too high"),
        (-0.02, -0.01, "too low"),
        (0, 1, "no clear lean"),
        (-1, 1, "no clear lean"),
        (None, None, NOT_KNOWN),
    ],
)
def test_errors_lean_where_the_interval_leaves_out_zero(low, high, word):
    assert lean(Estimate("bias", 0.5, low, high)).word == word


def test_errors_that_are_not_defined_do_not_lean():
    assert lean(Estimate("bias", None, 0.1, 0.2)).word == NOT_KNOWN


@given(estimates(), NUMBERS)
def test_mirrored_estimates_say_the_opposite(x, neutral):
    assert side(mirrored(x), -neutral) == -side(x, neutral)
    words = {USEFUL: HARMFUL, HARMFUL: USEFUL, NOT_SHOWN: NOT_SHOWN}
    assert usefulness(mirrored(x), -neutral, "").word == words[usefulness(x, neutral, "").word]


@given(estimates(), NUMBERS, st.floats(0, 5))
def test_a_wider_interval_never_says_more(x, neutral, more):
    before, after = usefulness(x, neutral, ""), usefulness(widened(x, more), neutral, "")
    assert after.word in {before.word, NOT_SHOWN}


@given(estimates(), NUMBERS, st.text())
def test_nothing_but_the_estimate_counts(x, neutral, name):
    other = x.renamed(measure=name, segment=name, method=name, note=name)
    assert usefulness(x, neutral, "").word == usefulness(other, neutral, "").word


# Of an evaluation -----------------------------------------------------------------------------------------------------


def test_scores_tell_more_than_labels_made_from_them():
    y = [1, 0] * 50
    e = sy.evaluate(target=y, score=[0.8 * v + 0.1 * (i % 3) for i, v in enumerate(y)])
    assert (e.verdict.word, e.verdict.rests_on, e.verdict.bound) == (USEFUL, (e["auc"],), 0.5)
    labels = sy.evaluate(target=y, prediction=y)
    assert (labels.verdict.word, labels.verdict.rests_on[0].measure) == (USEFUL, "kappa")
    numbers = sy.evaluate(target=[float(i) for i in range(50)], prediction=[float(i) for i in range(50)])
    assert (numbers.verdict.rests_on[0].measure, numbers.verdict.against) == ("r2", "always saying the mean")
    three = sy.evaluate(target=list("abc") * 20, prediction=list("abc") * 20)
    assert three.verdict.against == "guessing"


def test_one_number_may_be_asked():
    e = sy.evaluate(target=[float(i) for i in range(50)], prediction=[float(i) + 1 + i % 2 for i in range(50)])
    assert e.verdict_on("bias").word == "too high"
    assert e.verdict_on("mae") is None


def test_where_nothing_can_be_told_that_is_said():
    e = sy.evaluate(target=[1, 1, 1], score=[0.1, 0.9, 0.3], levels=[0, 1], positive=1)
    assert e.verdict.word == NOT_KNOWN
    assert e.verdict.reason


@given(st.lists(estimates(), max_size=4), st.floats(-2, 2).map(lambda x: round(x, 3)))
def test_what_is_left_over_is_the_part_that_is_then_furthest_off(parts, whole):
    sure = {x for x in parts if not x.low <= whole <= x.high and abs(x.value - whole) > abs(whole)}
    found = left_over(parts, whole)
    assert (found is None) == (not sure)
    assert found is None or abs(found.value - whole) == max(abs(x.value - whole) for x in sure)


@given(estimates(), st.floats(-2, 2), st.integers(2, 40))
def test_of_many_looks_the_limits_are_stretched_about_the_value(x, neutral, looks):
    wider = NormalDist().inv_cdf(1 - 0.025 / looks) / NormalDist().inv_cdf(0.975)
    low, high = x.value - wider * (x.value - x.low), x.value + wider * (x.high - x.value)
    assert side(x, neutral, looks) == (low > neutral) - (high < neutral)
    assert abs(side(x, neutral, looks)) <= abs(side(x, neutral))
