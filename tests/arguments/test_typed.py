"""Numbers as people type them: read as meant, or refused; never ten times too large."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.arguments.allowed import confidence_of
from steelyard.arguments.typed import number_of, numbers_of, whole_number_of
from steelyard.errors import UsageError

MEANT = {
    "0.8": 0.8, ".8": 0.8, "5.": 5, "0,8": 0.8, ",8": 0.8, "1,5": 1.5, "2,5%": 0.025, "2.5 %": 0.025, "10 %": 0.1, "1e3": 1000,
    "1,5e3": 1500, "1_000": 1000, "1 000": 1000, "1\u202f000,5": 1000.5, "1'000.5": 1000.5, "1’000": 1000,
    "1,234,567": 1234567, "1.234.567": 1234567, "1,234.5": 1234.5, "1.234,5": 1234.5, "−5": -5, "+5": 5, " 7 ": 7, "0,500": 0.5,
    "1234,567": 1234.567, "1,50": 1.5, "7%": 0.07, "0.1%": 0.001, "-1,234.5": -1234.5, "00": 0,
}  # fmt: skip
REFUSED = (
    "", " ", "x", "1.2.3", "1,2,3", "1,500", "12,345", "2,500%", "-1,000", "1,500e2", "1__0", "1_0", "_1", "1_", "10 00", "1 0",
    "1 000'000", "12,34,567", "1.234.56", "1,234,56", "0,1,2", "1,234.567.8", "5%%", "%", "%5", "1e", "1e5.5", "nan", "inf",
    "-inf", "1e999", "0x10", "٣", "½", "²", "1/2", "5 percent", "1-2", "--5", "+-5", "1e-", ".", ",", "-", "1;5", "$5", "5€",
)  # fmt: skip


@pytest.mark.parametrize("text", MEANT)
def test_what_can_be_meant_in_one_way_is_read(text: str) -> None:
    assert number_of(text) == MEANT[text]


@pytest.mark.parametrize("text", REFUSED)
def test_everything_else_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(UsageError) as found:
        number_of(text, "The margin")
    assert found.value.message.startswith("The margin: ") and found.value.message.endswith(".")
    assert found.value.hint.startswith("Write ")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_as_programs_print_it_is_that_number(x: float) -> None:
    assert number_of(repr(x)) == x
    assert math.isclose(number_of(f"{x!r}%"), x / 100, rel_tol=1e-15, abs_tol=1e-320)


@given(st.integers(-(10**15), 10**15), st.integers(0, 99), st.sampled_from((" ", "_", "'", ",", ".")))
def test_thousands_and_decimals_are_told_apart_or_refused(whole: int, cents: int, sign: str) -> None:
    """However it is grouped, the answer is the number or a refusal, and never another number."""
    point = "," if sign == "." else "."
    value = float(f"{whole}.{cents:02d}")
    assert number_of(f"{whole:,}".replace(",", sign) + f"{point}{cents:02d}") == value
    assert number_of(f"{whole}.{cents:02d}") == number_of(f"{whole},{cents:02d}") == value
    try:
        assert number_of(f"{whole:,}".replace(",", sign)) == whole or (sign == "." and 1000 <= abs(whole) < 10**6)
    except UsageError:
        assert sign == "," and 1000 <= abs(whole) < 10**6


@given(st.text(alphabet="0123456789.,_'% eE+-", max_size=12))
def test_no_text_is_read_as_more_than_its_digits(text: str) -> None:
    """A comma or point that is taken for a sign of thousands stands before three digits each time."""
    try:
        found = number_of(text)
    except UsageError:
        return
    assert math.isfinite(found)
    digits = "".join(c for c in text.split("e")[0].split("E")[0] if c.isdigit())
    power = text.lower().partition("e")[2].rstrip(" %")
    assert abs(found) <= float(f"{digits or 0}e{power or 0}") * (1 + 1e-12)


def test_whole_numbers_have_no_decimals() -> None:
    assert whole_number_of("1 000") == whole_number_of("1e3") == 1000
    for text in ("1.5", "1,5", "50%"):
        with pytest.raises(UsageError, match="whole number"):
            whole_number_of(text)


@pytest.mark.parametrize("nothing", [5e-324, 1e-300, 1e-17])
def test_a_confidence_of_nothing_is_refused(nothing: float) -> None:
    with pytest.raises(UsageError, match="is none"):
        confidence_of(nothing)
    assert confidence_of(1e-12) == 1e-12


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("10,20,31", [10, 20, 31]),
        ("2,5; 10", [2.5, 10]),
        ("1, 500", [1, 500]),
        ("1500", [1500]),
        ("10%,50%", [0.1, 0.5]),
    ],
)
def test_several_numbers_are_divided_at_commas_or_semicolons(text: str, meant: list[float]) -> None:
    assert numbers_of(text, "--sizes") == meant


@pytest.mark.parametrize(
    "text", ["1,500", "12,500", "1,500,3,000", "1,000,000", "20,10", "7,5,10,5", "10,,20", "", ",", "a,b"]
)
def test_commas_that_may_be_others_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as found:
        numbers_of(text, "--sizes")
    assert found.value.message.startswith("--sizes") and found.value.hint.startswith("Write ")
