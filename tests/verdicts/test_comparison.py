"""Which of two is better, at the edges and as laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Difference
from steelyard.verdicts.comparison import (
    ADVICE,
    BETTER,
    EQUIVALENT,
    NO_SIDE,
    NOT_KNOWN,
    TOO_FEW,
    UNCLEAR,
    WORSE,
    alike,
    beyond_chance,
    by_chance,
    compared,
    likeliest,
    neither_beats,
    turned,
    verdict_word,
    wording,
)

from .drawn import differences, widened


def difference(low, high, value=0.0):
    return Difference("auc", "a", "b", value, low, high)


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.001, 0.02, BETTER),
        (0.0, 0.02, UNCLEAR),  # touching zero
        (-0.02, 0.0, UNCLEAR),
        (-0.02, -0.001, WORSE),
        (-0.01, 0.01, UNCLEAR),
        (0.0, 0.0, UNCLEAR),
        (None, None, NOT_KNOWN),
        (0.01, None, NOT_KNOWN),
        (None, -0.01, NOT_KNOWN),
    ],
)
def test_the_interval_decides(low, high, word):
    v = compared(difference(low, high), "higher")
    assert (v.word, v.bound, v.margin, wording(v)) == (word, 0.0, None, word)
    assert v.advice == ADVICE.get(word, "")


def test_errors_are_better_low():
    assert compared(difference(0.01, 0.02), "lower").word == WORSE
    assert compared(difference(-0.02, -0.01), "lower").word == BETTER


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (-0.004, 0.006, EQUIVALENT),
        (0.001, 0.006, EQUIVALENT),  # clear, and too small to matter
        (-0.01, 0.006, UNCLEAR),  # touching the margin
        (-0.006, 0.01, UNCLEAR),
        (0.001, 0.01, BETTER),
        (-0.01, -0.001, WORSE),
        (0.02, 0.03, BETTER),
    ],
)
def test_inside_the_margin_two_are_equivalent(low, high, word):
    v = compared(difference(low, high), "higher", margin=0.01)
    assert (v.word, v.margin) == (word, 0.01)
    assert wording(v) == ("equivalent within 0.01" if word == EQUIVALENT else word)


def test_what_comes_before_the_interval():
    d = difference(0.01, 0.02)
    assert compared(d, "").word == NO_SIDE
    assert compared(d, "zero", short="9 rows").word == NO_SIDE
    few = compared(d, "higher", short="9 rows, and 30 are needed", looks=3)
    assert (few.word, few.reason, few.looks) == (TOO_FEW, "9 rows, and 30 are needed", 3)
    none = compared(Difference("auc", reason="no positives"), "higher", short="9 rows")
    assert (none.word, none.reason) == (NOT_KNOWN, "no positives")


def test_words_alone():
    assert verdict_word((0.1, 0.2), "higher", few=True) == TOO_FEW
    assert verdict_word((0.1, 0.2), "zero", few=True) == ""


def test_p_values_where_there_is_no_interval():
    assert beyond_chance(0.05, 0.95)
    assert not beyond_chance(0.051, 0.95)
    assert not beyond_chance(None, 0.95)
    assert by_chance(0.01, 0.95, ahead=False) == WORSE
    assert by_chance(0.01, 0.95, ahead=False, better="lower") == BETTER
    assert by_chance(0.01, 0.95, ahead=True, better="") == ""
    assert by_chance(0.06, 0.95, ahead=True) == UNCLEAR


@pytest.mark.parametrize(
    ("chances", "luck", "least", "word"),
    [
        ((0.96, 0.02, 0.02), None, 1.0, "lower"),
        ((0.02, 0.95, 0.03), None, 1.0, "practically alike"),
        ((0.02, 0.02, 0.96), 0.05, 0.01, "higher"),
        ((0.02, 0.02, 0.96), 0.06, 0.01, UNCLEAR),
        ((0.3, 0.3, 0.4), None, 0.0, UNCLEAR),
        ((None, None, None), None, 0.0, TOO_FEW),
        ((0.0, 0.0, 1.0), 0.01, 0.06, TOO_FEW),
        ((0.0, 0.0, 1.0), 0.01, 0.05, "higher"),
    ],
)
def test_chances(chances, luck, least, word):
    assert likeliest(chances, 0.95, luck, least) == word


def test_neither_is_called_better_where_none_beats_what_needs_no_data():
    assert neither_beats([0.2, None], 0.2, "always") == 'neither beats "always"'
    assert neither_beats([0.2, 0.2 + 2e-9], 0.2, "always") == ""


def test_seen_from_the_other_side():
    d = Difference("auc", "a", "b", 0.02, 0.01, 0.03, statistic=2.0, verdict=BETTER, values=(0.8, 0.78), n=(10, 20))
    back = turned(d)
    assert (back.first, back.second, back.value, back.low, back.high) == ("b", "a", -0.02, -0.03, -0.01)
    assert (back.statistic, back.verdict, back.values, back.n) == (-2.0, WORSE, (0.78, 0.8), (20, 10))
    assert turned(back) == d
    assert turned(Difference("auc", verdict="not known")).verdict == "not known"


def test_two_that_nothing_tells_apart():
    assert alike(difference(0.0, 0.0))
    assert alike(difference(None, None))
    assert not alike(difference(-0.1, 0.1))
    assert not alike(difference(0.1, 0.1, 0.1))


@given(differences(), st.sampled_from(["higher", "lower"]), st.sampled_from([None, 0.5, 1.5]))
def test_mirrored_differences_say_the_opposite(d, better, margin):
    here, there = compared(d, better, margin).word, compared(turned(d), better, margin).word
    assert there == {BETTER: WORSE, WORSE: BETTER}.get(here, here)


@given(differences(), st.floats(0, 5))
def test_a_wider_interval_never_says_more(d, more):
    before, after = compared(d, "higher").word, compared(widened(d, more), "higher").word
    assert after in {before, UNCLEAR}
    if compared(d, "higher", 0.5).word != EQUIVALENT:
        assert compared(widened(d, more), "higher", 0.5).word != EQUIVALENT


@given(differences(), st.text())
def test_nothing_but_the_interval_counts(d, name):
    other = d.renamed(measure=name, first=name, method=name, p_value=0.5, verdict=name)
    assert compared(d, "higher").word == compared(other, "higher").word


def test_luck_may_be_as_frequent_as_the_confidence_leaves_open() -> None:
    assert likeliest((0.0, 0.0, 1.0), 0.5, luck=0.5, least=0.5) == "higher"
    assert likeliest((0.0, 0.0, 1.0), 0.5, luck=0.5, least=0.51) == TOO_FEW
