"""Whether a requirement is met, at the edges and as laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.results import Estimate
from steelyard.verdicts.gate import ADVICE, Bound, judge

from .drawn import NUMBERS, estimates, mirrored, widened


def told(x, limit, on="interval"):
    v = judge(x, limit, on)
    assert (v.bound, v.against, v.advice) == (limit.bound, limit.needed, ADVICE[v.word])
    return v.word, v.reason


@pytest.mark.parametrize(
    ("low", "high", "limit", "state"),
    [
        (0.8, 0.9, Bound(0.8), "met"),
        (0.8, 0.9, Bound(0.8, strict=True), "not shown"),
        (0.79, 0.9, Bound(0.8), "not shown"),
        (0.7, 0.8, Bound(0.8), "not shown"),
        (0.7, 0.8, Bound(0.8, strict=True), "failed"),
        (0.7, 0.79, Bound(0.8), "failed"),
        (0.01, 0.05, Bound(0.05, upper=True), "met"),
        (0.01, 0.05, Bound(0.05, upper=True, strict=True), "not shown"),
        (0.04, 0.06, Bound(0.05, upper=True), "not shown"),
        (0.06, 0.07, Bound(0.05, upper=True), "failed"),
    ],
)
def test_the_whole_interval_decides(low, high, limit, state):
    x = Estimate("auc", (low + high) / 2, low, high)
    assert told(x, limit) == (state, "")
    point = "met" if limit.holds((low + high) / 2) else "failed"
    assert told(x, limit, "point") == (point, "")


def test_what_a_grid_may_hide_is_taken_off():
    x = Estimate("auc", 0.85, 0.8001, 0.9, bound=0.0002)
    assert told(x, Bound(0.8)) == ("not shown", "scores were counted on a grid")
    assert told(x, Bound(0.7999)) == ("met", "")
    low = Estimate("ece", 0.04, 0.03, 0.0499, bound=0.0002)
    assert told(low, Bound(0.05, upper=True)) == ("not shown", "scores were counted on a grid")
    assert told(low, Bound(0.0502, upper=True)) == ("met", "")
    # The far end is taken off as well: what may be hidden leaves a failure open.
    assert told(Estimate("auc", 0.78, 0.7, 0.7999, bound=0.0002), Bound(0.8)) == ("not shown", "")
    assert told(Estimate("ece", 0.06, 0.0501, 0.07, bound=0.0002), Bound(0.05, upper=True)) == ("not shown", "")


def test_without_an_interval_nothing_is_shown():
    x = Estimate("max_error", 3.0, note="the largest error seen says little")
    assert told(x, Bound(5, upper=True)) == ("not shown", "it has no interval: the largest error seen says little")
    assert told(x, Bound(5, upper=True), "point") == ("met", "")
    assert told(Estimate("auc", None, reason="one class"), Bound(0.5), "point") == ("undefined", "one class")


def test_one_end_alone_shows_nothing():
    assert told(Estimate("auc", 0.9, 0.85, None), Bound(0.8)) == ("not shown", "it has no interval")
    assert told(Estimate("auc", 0.9, None, 0.95), Bound(0.8)) == ("not shown", "it has no interval")


def test_a_limit_is_told_in_words():
    assert [Bound(0.8, *x).side for x in ((False, False), (False, True), (True, False), (True, True))] == [
        ">=",
        ">",
        "<=",
        "<",
    ]
    assert Bound(0.8, upper=True).needed == "at most 0.8"
    assert Bound(0.8, strict=True).needed == "above 0.8"


def test_the_last_bits_do_not_decide():
    assert Bound(0.3).holds(0.1 + 0.2)
    assert Bound(0.3, upper=True).holds(0.1 + 0.2)
    assert Bound(3e6).holds(3e6 - 1e-6)
    assert not Bound(0.3, upper=True, strict=True).holds(0.1 + 0.2)


@given(estimates(), NUMBERS, st.booleans())
def test_mirrored_estimates_say_the_same_of_the_mirrored_bound(x, bound, strict):
    assert (
        judge(x, Bound(bound, strict=strict)).word == judge(mirrored(x), Bound(-bound, upper=True, strict=strict)).word
    )


@given(estimates(), NUMBERS, st.booleans(), st.floats(0, 5))
def test_a_wider_interval_never_shows_more(x, bound, upper, more):
    before, after = judge(x, Bound(bound, upper)).word, judge(widened(x, more), Bound(bound, upper)).word
    assert after in {before, "not shown"}


@given(estimates(), NUMBERS, st.floats(0, 5))
def test_a_stricter_bound_is_met_no_sooner(x, bound, more):
    if judge(x, Bound(bound + more)).word == "met":
        assert judge(x, Bound(bound)).word == "met"


@given(estimates(), NUMBERS)
def test_what_is_met_by_the_interval_is_met_by_the_value(x, bound):
    if judge(x, Bound(bound)).good:
        assert judge(x, Bound(bound), "point").good
    if judge(x, Bound(bound)).bad:
        assert judge(x, Bound(bound), "point").bad


def test_several_requirements_are_as_bad_as_the_worst_of_them():
    e = sy.evaluate(target=[1, 0] * 200, score=[0.9, 0.1, 0.4, 0.6] * 100)
    with pytest.raises(AssertionError) as told:
        sy.check(e, ["auc >= 0.5", "recall >= 0.99", "precision >= 0.49"])
    v = told.value.outcome.verdict
    assert (v.word, v.tone, v.advice) == ("failed", "bad", ADVICE["failed"])
    assert v.sentence == "1 of 3 requirements met; not recall, precision."
    assert [r.text[:22] for r in v.reasons] == ["recall: failed: 0.500 ", "precision: not shown: "]
    fine = sy.check(e, ["auc >= 0.5"]).verdict
    assert (fine.word, fine.tone, fine.sentence) == ("met", "good", "1 of 1 requirements met.")
