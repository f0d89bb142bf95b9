"""Whether a column has changed, word for word."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Estimate
from steelyard.verdicts.stability import CHANGED, ORDER, STABILITY, changed, light, not_shown_small


def test_the_decision_is_the_rule_as_it_is_written():
    levels = (0.0, 0.05, 0.0999, 0.1, 0.15, 0.2499, 0.25, 0.4)
    for corrected, low, limit, p in itertools.product(levels, levels, levels, (0.0, 0.0499, 0.05, 0.5)):
        if not low <= limit <= corrected:
            continue
        x = Estimate("stability_index", corrected, low, 1.0)
        if p >= 0.05 or limit == 0:
            right = "ok"
        elif low >= 0.1 and corrected >= 0.25:
            right = "alarm"
        elif corrected >= 0.1:
            right = "warn"
        else:
            right = "shift-negligible"
        assert changed(x, limit, p, 0.05).word == right
        few = "alarm" if p < 0.05 and low > 0.25 else "insufficient"
        assert changed(x, limit, p, 0.05, "few rows").word == few


@pytest.mark.parametrize(
    ("x", "limit", "p", "short", "reason"),
    [
        (
            (0.3, 0.26, 0.4),
            0.2,
            0.01,
            "",
            "the index, less what chance brings, is 0.30, its whole interval lies above 0.25",
        ),
        (
            (0.3, 0.12, 0.4),
            0.2,
            0.01,
            "",
            "the index, less what chance brings, is 0.30, at least 0.25, its whole interval",
        ),
        (
            (0.2, 0.12, 0.4),
            0.2,
            0.01,
            "",
            "the index, less what chance brings, is 0.20, at least 0.1, and the change is",
        ),
        (
            (0.02, 0.01, 0.04),
            0.01,
            0.01,
            "",
            "the change is more than chance (p = 0.010), but the index, less what chance",
        ),
        (
            (0.02, 0.01, 0.04),
            0.01,
            0.2,
            "",
            "the samples do not differ more than chance explains (p = 0.20, level 0.05)",
        ),
        ((0.02, 0.01, 0.04), 0.0, 0.01, "", "with what chance brings taken off, the index may be 0"),
        ((0.02, 0.01, 0.04), 0.0, 0.01, "few rows", "few rows"),
        ((3, 2, 4), 2.2, 1e-6, "few rows", "few as the rows are, the whole interval of the index lies above 0.25"),
    ],
)
def test_the_reason_is_told(x, limit, p, short, reason):
    v = changed(Estimate("index", *x), limit, p, 0.05, short)
    assert v.reason.startswith(reason)
    assert v.bound == 0.1


def test_the_classic_light_includes_its_limits():
    assert [light(x) for x in (0.0, 0.0999, 0.1, 0.25, 0.2501)] == ["stable", "stable", "look", "look", "act"]


def test_small_is_only_what_is_shown_to_be_small():
    assert not_shown_small("shift-negligible", Estimate("index", 0.05, 0.01, 0.1))
    assert not not_shown_small("shift-negligible", Estimate("index", 0.05, 0.01, 0.099))
    assert not not_shown_small("ok", Estimate("index", 0.05, 0.01, 0.2))
    assert not not_shown_small("shift-negligible", Estimate("index", 0.05))


def test_every_word_has_its_place():
    assert set(ORDER) == set(STABILITY.words)
    assert set(CHANGED) < set(ORDER)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_wider_interval_is_never_worse(a, b, more):
    low, value = sorted((a, b))
    words = [changed(Estimate("i", value, x, 2.0), value, 0.001, 0.05).word for x in (low, low - more)]
    assert ORDER.index(words[1]) >= ORDER.index(words[0])
