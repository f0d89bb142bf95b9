"""Whether acting helps, at the edges and as laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Difference, Estimate
from steelyard.verdicts.trial import (
    ADVICE,
    BLOCKED,
    HARMS,
    HELPS,
    LESS,
    MORE,
    NOT_COMPARABLE,
    UNCLEAR,
    Answer,
    chosen,
    effect,
    flagged,
    not_by_chance,
    spread,
    unlike,
    where_it_helps,
    wrong_sizes,
)

from .drawn import differences, mirrored, widened


def answer(low, high, value=None, measure="mean", **more):
    value = (low + high) / 2 if value is None and low is not None else value
    facts = {k: more.pop(k) for k in ("p_value", "n") if k in more}
    return Answer(
        "t", more.pop("unit", "period"), Difference(measure, value=value, low=low, high=high, **facts), **more
    )


@pytest.mark.parametrize(("low", "high", "side"), [(-2, -1, -1), (-2, 0, 0), (-1, 1, 0), (0, 2, 0), (1, 2, 1)])
def test_the_side_of_a_difference(low, high, side):
    assert answer(low, high).side == side
    assert answer(low + 1, high + 1, measure="rate_ratio").side == side


def test_without_an_interval_the_p_value_tells_the_side():
    assert answer(None, None, -1.0, p_value=0.05).side == -1
    assert answer(None, None, 1.0, p_value=0.05).side == 1
    assert answer(None, None, 1.0, p_value=0.06).side == 0
    assert answer(None, None, 1.0).side == 0
    assert answer(None, None, None, p_value=0.01).side == 0
    assert answer(1.0, None, 1.5, p_value=0.01).side == 1


def test_the_lean_is_that_of_the_value():
    assert [answer(-9, 9, v).lean for v in (-1.0, 0.0, 1.0)] == [-1, 0, 1]
    assert [answer(-9, 9, v, "odds_ratio").lean for v in (0.5, 1.0, 2.0)] == [-1, 0, 1]
    assert answer(None, None).lean == 0


@pytest.mark.parametrize(
    ("low", "high", "direction", "word"),
    [
        (-2, -1, "lower", HELPS),
        (-2, -1, "higher", HARMS),
        (1, 2, "lower", HARMS),
        (1, 2, "higher", HELPS),
        (-1, 1, "lower", UNCLEAR),
        (-1, 0, "lower", UNCLEAR),
    ],
)
def test_the_interval_decides(low, high, direction, word):
    v = effect(answer(low, high), direction)
    assert (v.word, v.reason, v.advice, v.bound) == (word, "", ADVICE[word], 0.0)


@pytest.mark.parametrize(
    ("low", "high", "value", "word"),
    [(-2, -1, None, LESS), (1, 2, None, MORE), (-1, 1, 0.5, UNCLEAR), (-1, 1, 0.0, UNCLEAR)],
)
def test_a_method_that_is_not_valid_decides_nothing(low, high, value, word):
    v = effect(answer(low, high, value, valid=False, why="too few events"), "lower")
    assert (v.word, v.reason) == (word, "The method that decides, t, is not valid here: too few events.")


def test_what_is_clear_only_if_periods_are_independent_leans():
    primary, plain = answer(-2, 1, p_value=0.2), answer(-2, -1, p_value=0.01)
    v = effect(primary, "lower", by_unit=False, plain=plain)
    assert v.word == LESS
    assert v.reason == (
        "Clear if periods are independent of each other (t: p = 0.010), which nothing shows; not clear if neighbours may be "
        "alike (t: p = 0.20)."
    )
    assert effect(primary, "lower", plain=answer(-2, 1)).word == UNCLEAR
    assert effect(answer(-2, -1), "lower", plain=plain).word == HELPS


def test_events_must_say_the_same():
    exact = answer(0.5, 1.5, measure="rate_ratio", unit="event")
    v = effect(answer(-2, -1), "lower", by_unit=False, events=exact)
    assert v.word == LESS
    assert v.reason == (
        "Clear by periods (t: no p-value), not by single events (t: no p-value): the answer depends on the unit of analysis."
    )
    other = effect(answer(-1, 1), "lower", by_unit=False, events=answer(2.0, 3.0, measure="rate_ratio", unit="event"))
    assert (other.word, other.reason.partition(",")[0]) == (MORE, "Clear by single events (t: no p-value)")
    agree = effect(answer(-2, -1), "lower", by_unit=False, events=answer(0.2, 0.8, measure="rate_ratio"))
    assert (agree.word, agree.reason) == (HELPS, "")


def test_both_doubts_are_told():
    v = effect(
        answer(-2, 1), "lower", plain=answer(-2, -1), events=answer(0.5, 1.5, measure="rate_ratio", unit="event")
    )
    assert (v.word, len(v.reason.splitlines())) == (LESS, 2)


def test_arms_without_any_spread():
    def flat(n, by_unit=True, value=-1.0):
        v = effect(answer(None, None, value, valid=False, why="flat", n=(n, n)), "lower", flat=True, by_unit=by_unit)
        return v.word, v.reason

    assert flat(5) == (
        HELPS,
        "Within each arm all outcomes are the same, and the arms differ: a random draw of the arms would part such units by "
        "chance with p = 0.0079.",
    )
    assert flat(5, value=1.0)[0] == HARMS
    assert flat(2)[0] == LESS
    assert "the 4 units alone do not rule out chance" in flat(2)[1]
    assert flat(2, value=1.0)[0] == MORE
    assert flat(50, by_unit=False)[0] == LESS
    assert "the periods alone do not rule out chance" in flat(50, by_unit=False)[1]
    assert flat(5, value=0.0)[0] == UNCLEAR


def test_what_forbids_a_verdict():
    assert chosen(None) is chosen(" Random ") is None
    assert chosen("by the salesman").word == NOT_COMPARABLE
    assert chosen("by the salesman").reason.startswith(
        "The groups are not exchangeable: by the salesman. The difference may"
    )
    assert (wrong_sizes("60 and 40").word, wrong_sizes("60 and 40").reason.splitlines()[0]) == (
        BLOCKED,
        "The sizes of the arms are not those planned: 60 and 40.",
    )
    told = unlike([("score", Estimate("d", 0.5, 0.4, 0.6)), ("age", Estimate("d", 0.3, 0.2, 0.4))])
    assert told.word == NOT_COMPARABLE
    assert (
        told.reason.splitlines()[1]
        == "The groups are not exchangeable: the age differs by 0.30 [0.20, 0.40] standard deviations."
    )
    assert len(told.reason.splitlines()) == 3


def test_the_levels_at_which_arms_are_not_as_planned():
    assert not_by_chance(0.0004) and not not_by_chance(0.0005) and not not_by_chance(None)
    assert not_by_chance(0.0001, 4) and not not_by_chance(0.0001, 5)
    assert [flagged(Estimate("d", v)) for v in (0.1, 0.101, -0.2, None)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.1, 0.2, "most where the score is high"),
        (0.0, 0.2, "no clear difference"),
        (-0.2, 0.0, "no clear difference"),
        (-0.2, -0.1, "most where the score is low"),
        (None, None, "not known"),
        (0.1, None, "not known"),
    ],
)
def test_where_it_helps(low, high, word):
    v = where_it_helps(Difference("gain", value=0.1, low=low, high=high))
    assert (v.word, v.bound) == (word, 0.0)


def test_the_spread_of_periods():
    assert [spread(*p) for p in ((0.049, 0.5), (0.05, 0.5), (0.5, 0.049), (0.5, 0.05))] == [
        "more",
        "as much",
        "less",
        "as much",
    ]


@given(differences(), st.sampled_from(["lower", "higher"]))
def test_mirrored_effects_say_the_opposite(d, direction):
    here, there = (effect(Answer("t", "unit", x), direction).word for x in (d, mirrored(d)))
    assert there == {HELPS: HARMS, HARMS: HELPS}.get(here, here)


@given(differences(), st.floats(0, 5))
def test_a_wider_interval_never_says_more(d, more):
    before, after = (effect(Answer("t", "unit", x), "lower").word for x in (d, widened(d, more)))
    assert after in {before, UNCLEAR}


@given(differences(), differences(), differences())
def test_a_doubt_never_turns_into_a_decision(primary, plain, events):
    alone = effect(Answer("t", "period", primary), "lower").word
    doubted = effect(
        Answer("t", "period", primary), "lower", plain=Answer("w", "period", plain), events=Answer("e", "event", events)
    )
    assert doubted.word in {alone, LESS, MORE}
