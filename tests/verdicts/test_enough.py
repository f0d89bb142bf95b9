"""Thirty cases of what a number rests on, and the words where there are fewer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Estimate
from steelyard.verdicts.enough import FEW, FEW_UNITS, CaseCount, classes_in, fewest_apart, lacking, sides_of, too_few


def test_thirty_are_enough_and_what_the_last_bits_leave_over_is_not_looked_at():
    assert FEW == 30
    assert FEW_UNITS == 10
    assert not CaseCount(30, "row").short
    assert not CaseCount(30 - 1e-9, "row").short
    assert CaseCount(29.99, "row").short
    assert CaseCount(30 - 2e-6, "row").short
    assert CaseCount(9, "unit", FEW_UNITS).short
    assert not CaseCount(10, "unit", FEW_UNITS).short


@pytest.mark.parametrize(
    ("cases", "text"),
    [
        (CaseCount(1, "real positive"), "1 real positive"),
        (CaseCount(0, "real positive"), "0 real positives"),
        (CaseCount(12.34, "row"), "12.3 rows"),
        (CaseCount(2, "row called positive"), "2 rows called positive"),
        (CaseCount(1, "row called positive"), "1 row called positive"),
        (CaseCount(5, "customer without the outcome"), "5 customers without the outcome"),
    ],
)
def test_cases_are_told_in_words(cases, text):
    assert str(cases) == text


def test_the_first_that_are_too_few_are_named():
    assert too_few(sides_of(12, 3)) == "12 real positives, and 30 are needed"
    assert too_few(sides_of(30, 1)) == "1 real negative, and 30 are needed"
    assert too_few([CaseCount(9, "unit", 10)]) == "9 units, and 10 are needed"
    assert too_few(sides_of(30, 30)) == ""
    assert too_few([]) == ""
    assert lacking(sides_of(30, 3)) == CaseCount(3, "real negative")
    assert lacking(sides_of(30, 30)) is None


def test_classes_are_counted_as_weights_count():
    assert classes_in(Estimate("prevalence", 0.5, n=10)) == (5, 5)
    assert classes_in(Estimate("prevalence", 0.5, n=10, n_eff=4)) == (2, 2)
    assert classes_in(Estimate("prevalence", None, n=10)) is None


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_more_cases_never_turn_enough_into_too_few(n, more):
    if not CaseCount(n, "row").short:
        assert too_few([CaseCount(n + more, "row")]) == ""


def test_the_fewest_apart_are_the_first_of_which_luck_brings_as_many_as_seldom():
    for alpha in (0.5, 0.25, 0.125, 0.1, 0.05, 0.01, 2.0**-20):
        k = fewest_apart(alpha)
        assert 2 * 0.5**k <= alpha < 2 * 0.5 ** (k - 1)
