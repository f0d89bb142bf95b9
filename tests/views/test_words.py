"""Numbers and names as they are printed."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Estimate
from steelyard.words import (
    closed,
    count,
    digits_for,
    estimate_parts,
    estimate_text,
    number,
    percent,
    quoted,
    shortest,
    significant,
    visible,
)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.871234, 0.866, 0.876, "0.8712 [0.8660, 0.8760]"),
        (2 / 3, 0.354, 0.879, "0.67 [0.35, 0.88]"),
        (0.5, 0.5, 0.5, "0.500 [0.500, 0.500]"),
        (1 / 3, 0.33333333333333326, 0.3333333333333334, "0.333 [0.333, 0.333]"),
        (-1234.5678, -1300.1, -1170.9, "−1,235 [−1,300, −1,171]"),
        (1234567.0, 1000000.0, 1500000.0, "1,234,567 [1,000,000, 1,500,000]"),
        (3.7, 0.9, 250.0, "3.7 [0.9, 250.0]"),
        (0.2, -5.0, 5.3, "0.2 [−5.0, 5.3]"),
        (0.0004, -5.0, 5.3, "0.00040 [−5.0, 5.3]"),
        (1.2e-07, 1.0e-07, 1.4e-07, "1.20e-07 [1.00e-07, 1.40e-07]"),
        (1.2e-07, 0.0, 0.003, "1.2e-07 [0.0000, 0.0030]"),
        (0.0, 0.0, 0.003, "0.0000 [0.0000, 0.0030]"),
        (3.0, 1.0, math.inf, "3.00 [1.00, infinite]"),
        (-3.0, -math.inf, 1.0, "−3.00 [−infinite, 1.00]"),
        (1e300, 0.9e300, 1.1e300, "1.000e+300 [9.000e+299, 1.100e+300]"),
        (12.5, None, None, "12.5"),
    ],
)
def test_estimates(value, low, high, text):
    assert estimate_text(Estimate("x", value, low, high)) == text


def test_an_undefined_estimate_says_why():
    assert estimate_text(Estimate("recall", None, reason="no real positives")) == "n/a (no real positives)"


@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_no_value_but_zero_is_printed_as_zero(value, below, above):
    told, low, high = estimate_parts(value, value - below, value + above)
    assert value == 0 or re.search("[1-9]", told), told
    for text in (told, low, high):
        assert "-" not in text.replace("e-", ""), "a true minus sign"
        assert "nan" not in text


@given(st.floats(0, 1), st.floats(1e-4, 0.3), st.floats(1e-4, 0.3))
def test_rounding_stays_within_the_second_digit_of_the_half_width(value, below, above):
    told, _, _ = estimate_parts(value, value - below, value + above)
    half = (below + above) / 2
    assert abs(float(told.replace(",", "").replace("−", "-")) - value) <= half / 10


def test_digits_stop_at_the_second_of_the_half_width():
    assert [digits_for(h) for h in (0.0123, 0.99, 4.2, 31.0, 0.0, math.inf)] == [3, 2, 1, 0, 3, 3]


def test_numbers():
    assert number(-0.0001, 3) == "0.000"
    assert number(1234.5, 1) == "1,234.5"
    assert number(math.nan) == "n/a"
    assert significant(0.000123456) == "0.000123"
    assert significant(-1.234e-9) == "−1.23e-09"
    assert significant(0) == "0"
    assert shortest(0.1 + 0.2) == "0.3"
    assert count(1567.0) == "1,567"
    assert count(12.345) == "12.3"
    assert [percent(p) for p in (0, 1, 0.95, 0.078, 0.00012, 0.999)] == [
        "0%",
        "100%",
        "95%",
        "7.8%",
        "0.012%",
        "99.90%",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("spam", "spam"),
        (1, "1"),
        (False, "False"),
        ("two\nlines", "two\\nlines"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202eevil", "\\u202eevil"),
        ("日本", "日本"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("\ud800", "\\ud800"),
    ],
)
def test_names_are_shown_and_never_obeyed(name, text):
    assert visible(name) == text


def test_only_text_is_quoted():
    assert [quoted(v) for v in ("1", 1, True)] == ['"1"', "1", "True"]


# ---- shares, and names of any script


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_share_that_is_not_nothing_or_all_is_never_told_as_that(part: int, rest: int) -> None:
    told = percent(part / (part + rest))
    assert told not in {"0%", "100%"} and float(told.strip("<>%")) > 0
    if told[0] not in "<>":
        # Two digits at least: off by no more than half of the second.
        share = 100 * part / (part + rest)
        assert abs(float(told[:-1]) - share) <= 0.06 * min(share, 100 - share) + 1e-9


@given(st.text("ab 7.,[]\u05d0\u05d1\u0627\u0644\u2068\u2069\u202e"))
def test_what_runs_from_right_to_left_is_set_apart_once_and_closed(name: str) -> None:
    told = visible(name)
    assert visible(told) == told and closed(told) == told
    depth = 0
    for c in told:
        depth += {"\u2068": 1, "\u2069": -1}.get(c, 0)
        assert 0 <= depth <= 1
        assert depth == 1 or c not in "\u05d0\u05d1\u0627\u0644"
    assert "\u202e" not in told
