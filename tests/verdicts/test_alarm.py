"""Whether a window rings, at the edges and as laws."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Difference, Estimate
from steelyard.verdicts.alarm import (
    ADVICE,
    ALARM,
    ALARMS,
    WARN,
    above_limit,
    added_up,
    against_reference,
    alarm,
    as_many,
    as_usual,
    of_column,
    readable,
    ruled_out,
    shown_to,
    silent,
    worst,
)

from .drawn import differences, mirrored, widened


def difference(low, high, value=None):
    return Difference("auc", value=(low + high) / 2 if value is None else value, low=low, high=high)


@pytest.mark.parametrize(
    ("low", "high", "word", "reason"),
    [
        (-0.2, -0.11, "alarm", "worse by more than the margin of 10%"),
        (-0.2, -0.1, "warn", "worse, but not shown to exceed the margin of 10%"),
        (-0.2, -0.01, "warn", "worse, but not shown to exceed the margin of 10%"),
        (-0.2, 0.0, "ok", ""),
        (-0.1, 0.1, "ok", ""),
        (0.0, 0.1, "ok", ""),
        (0.01, 0.1, "ok", "better"),
    ],
)
def test_a_window_is_held_against_the_reference(low, high, word, reason):
    verdict, _ = against_reference(difference(low, high), -1.0, 0.1, "higher")
    assert (verdict.word, verdict.reason, verdict.margin, verdict.bound) == (word, reason, 0.1, 0.0)
    assert verdict.advice == ADVICE[word]
    turned, _ = against_reference(difference(-high, -low), 1.0, 0.1, "lower")
    assert (turned.word, turned.reason) == (word, reason)


@pytest.mark.parametrize(
    ("low", "high", "value", "clears"),
    [
        (-0.2, -0.11, -0.15, (False, False)),
        (-0.2, -0.01, -0.081, (False, False)),
        (-0.2, -0.01, -0.079, (False, True)),  # nearer than 0.8 of the margin
        (-0.2, 0.0, -0.1, (True, True)),
    ],
)
def test_when_an_alarm_may_end(low, high, value, clears):
    assert against_reference(difference(low, high, value), 1.0, 0.1, "higher")[1] == clears
    assert against_reference(difference(-high, -low, -value), 1.0, 0.1, "lower")[1] == clears


@pytest.mark.parametrize(("low", "word"), [(0.5, "ok"), (0.51, "warn"), (0.6, "warn"), (0.61, "alarm")])
def test_a_mean_that_is_followed(low, word):
    verdict = above_limit(Estimate("brier", 0.7, low, 0.9), 0.5, 0.1)
    assert (verdict.word, verdict.bound, verdict.margin) == (word, 0.5, 0.1)


@pytest.mark.parametrize(
    ("total", "word", "calm"),
    [(0, "ok", True), (4.9, "ok", True), (5, "ok", False), (10, "ok", False), (10.1, "alarm", False)],
)
def test_a_sum_rings_above_its_limit_and_ends_at_half_of_it(total, word, calm):
    verdict, clears = added_up(Estimate("brier", 0.2), total, 10)
    assert (verdict.word, clears) == (word, (calm, calm))


@pytest.mark.parametrize(
    ("rows", "word", "clears", "tail"),
    [
        (91, "ok", (True, True), "to be expected"),
        (109, "ok", (True, True), "to be expected"),
        (90, "warn", (False, True), ": fewer than usual"),
        (110, "warn", (False, True), ": more than usual"),
        (50, "warn", (False, True), ": fewer than usual"),
        (49, "alarm", (False, False), ": far fewer than usual"),
        (200, "warn", (False, True), ": more than usual"),
        (201, "alarm", (False, False), ": far more than usual"),
    ],
)
def test_as_many_rows_as_usual(rows, word, clears, tail):
    verdict, found = as_many(rows, (90.1, 100.0, 109.9), whole=True)
    assert (verdict.word, found) == (word, clears)
    assert verdict.reason == f"{rows} rows, where 91 to 109 were to be expected{tail.removeprefix('to be expected')}"


def test_a_window_that_is_not_over_may_still_fill():
    assert as_many(10, (90, 100, 110), whole=False)[0].word == "immature"
    assert as_many(300, (90, 100, 110), whole=False)[0].word == "alarm"
    assert as_many(100, (90, 100, 110), whole=False)[0].word == "ok"
    assert as_many(90, (90, 100, 110), whole=False)[0].word == "ok"


def test_no_rows():
    assert silent(1, 1, 100.0, 0.01)[0].reason == "no rows came, as at times in the reference"
    assert silent(1, 0, 3.0, 0.01)[0].reason == "no rows came, which may happen by chance where 3 are usual"
    for middle in (100.0, None):
        verdict, clears = silent(2, 1, middle, 0.01)
        assert (verdict.word, verdict.reason, clears) == ("alarm", "no rows came", (False, False))
    assert silent(1, 0, 3.0, 0.01)[0].word == silent(1, 1, None, 0.01)[0].word == "nodata"


def test_what_cannot_be_read():
    assert readable(["a", "b"], rows=True, waits=True)[0].reason == "a; b"
    told = [(v.word, c) for v, c in (readable(why, rows=rows, waits=waits) for why, rows, waits in (
        (["a"], True, False), (["a"], False, False), ([], False, True), ([], True, True), ([], True, False)
    ))]  # fmt: skip
    assert told == [
        ("alarm", (False, False)),
        ("nodata", (False, False)),
        ("nodata", (True, True)),
        ("immature", (True, True)),
        ("ok", (True, True)),
    ]


@pytest.mark.parametrize(
    ("decision", "index", "word", "clears"),
    [
        ("ok", 0.5, "ok", (True, True)),
        ("shift-negligible", 0.07, "ok", (True, True)),
        ("shift-negligible", 0.08, "ok", (False, True)),
        ("warn", 0.19, "warn", (False, True)),
        ("alarm", 0.2, "alarm", (False, False)),
        ("insufficient", 0.3, "insufficient", (False, False)),
    ],
)
def test_a_column_and_its_alarm(decision, index, word, clears):
    verdict, found = of_column(decision, Estimate("stability_index", index, 0.0, 1.0))
    assert (verdict.word, found) == (word, clears)


def test_on_such_days():
    assert as_usual("ok", 0.001, 0.01)
    assert as_usual("shift-negligible", 0.001, 0.01)
    assert not as_usual("warn", 0.5, 0.01)
    assert not as_usual("alarm", 0.5, 0.01)
    assert not as_usual("insufficient", 0.001, 0.01)
    assert as_usual("insufficient", 0.01, 0.01)


def test_labels_rule_out_what_was_expected():
    assert ruled_out(Estimate("accuracy", 0.5, 0.4, 0.6), (0.7, 0.9))
    assert ruled_out(Estimate("accuracy", 0.5, 0.4, 0.6), (0.3, 0.1))
    assert not ruled_out(Estimate("accuracy", 0.5, 0.4, 0.6), (0.6, 0.9))
    assert not ruled_out(Estimate("accuracy", 0.5, 0.4, 0.6), (0.1, 0.4))
    for ends in ((None, None), (0.4, None), (None, 0.6)):
        assert not ruled_out(Estimate("accuracy", 0.5, *ends), (0.7, 0.9))


def test_what_an_alarm_of_a_severity_sees():
    for state in ("immature", "insufficient", "nodata"):
        assert shown_to("alarm", state, (True, True)) == state
    assert [shown_to(s, "alarm", (False, False)) for s in ("warn", "alarm")] == ["high", "high"]
    assert [shown_to(s, "warn", (False, True)) for s in ("warn", "alarm")] == ["high", "low"]
    assert [shown_to(s, "ok", (True, False)) for s in ("warn", "alarm")] == ["low", "between"]


def test_the_worst_of_states():
    order = ["alarm", "warn", "nodata", "ok", "insufficient", "immature"]
    assert set(order) == set(ALARMS.words)
    for some in itertools.combinations(order, 3):
        assert worst(reversed(some)) == some[0]
    assert worst([]) == "insufficient"


GRAVER = ["ok", "warn", "alarm"]


@given(differences(), st.floats(0.1, 2), st.floats(0, 1), st.floats(0, 5))
def test_a_wider_interval_never_rings_louder(d, base, margin, more):
    words = [against_reference(x, base, margin, "higher")[0].word for x in (d, widened(d, more))]
    assert GRAVER.index(words[1]) <= GRAVER.index(words[0])


@given(differences(), st.floats(0.1, 2), st.floats(0, 1), st.floats(0, 5))
def test_a_wider_margin_never_rings_louder(d, base, margin, more):
    words = [against_reference(d, base, m, "higher")[0].word for m in (margin, margin + more)]
    assert GRAVER.index(words[1]) <= GRAVER.index(words[0])


@given(differences(), st.floats(0.1, 2), st.floats(0, 1))
def test_mirrored_differences_say_the_same_of_a_loss(d, base, margin):
    (here, clears), (there, same) = (
        against_reference(d, base, margin, "higher"),
        against_reference(mirrored(d), base, margin, "lower"),
    )
    assert (here.word, clears) == (there.word, same)


@given(differences(), st.floats(0.1, 2), st.floats(0, 1))
def test_an_alarm_that_rings_does_not_end_at_once(d, base, margin):
    verdict, (warning, alarm) = against_reference(d, base, margin, "higher")
    assert warning == (verdict.word == "ok")
    assert not (verdict.word == "alarm" and alarm)


def test_the_margin_is_a_share_of_the_reference():
    for base in (0.5, -0.5, 4.0):
        verdict, _ = against_reference(Difference("mae", value=-0.3, low=-0.4, high=-0.2), base, 0.1, "higher")
        assert verdict.margin == pytest.approx(0.1 * abs(base))
        assert verdict.word == ("alarm" if 0.1 * abs(base) < 0.2 else "warn")


@pytest.mark.parametrize(
    ("about", "advice"),
    [
        (["model", "data"], ADVICE[ALARM]),
        (["data"], "Find out why; do not retrain for this alone."),
        (["delivery"], "Find out why another number of rows comes, and whether some are lost."),
        (["data", "values"], "Mend what sends values that cannot be read; nothing is known of these rows until then."),
    ],
)
def test_to_retrain_is_advised_only_where_the_model_is_worse(about, advice):
    assert alarm(ALARM, about=about).advice == advice
    assert alarm(WARN, about=about).advice == ADVICE[WARN]
