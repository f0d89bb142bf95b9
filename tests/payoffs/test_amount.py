"""Amounts: what is written reads back, adds up like arithmetic does, and what cannot be meant gets a sentence."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from steelyard.errors import BadPayoff
from steelyard.payoffs.amount import Amount, amount, entry

NAMES = ("value", "fee", "class", "µ", "list price", "Über_3", "e5", "in")


def sample(rng: np.random.Generator, depth: int = 3) -> tuple[str, Any]:
    """A random sum of numbers and names, and the function of a row that Python makes of it."""
    if depth == 0 or rng.random() < 0.2:
        if rng.random() < 0.5:
            x = float(rng.choice([3.0, 0.25, 1e-3, 2e5, 7.0]))
            return repr(x) if x != 7 else "7", lambda _: x
        name = str(rng.choice(NAMES))
        return (f"`{name}`" if " " in name or rng.random() < 0.3 else name), lambda row: row[name]
    (a, f), (b, g) = sample(rng, depth - 1), sample(rng, depth - 1)
    kind = rng.integers(0, 5)
    if kind == 0:
        return f"({a} + {b})", lambda row: f(row) + g(row)
    if kind == 1:
        return f"({a} - {b})", lambda row: f(row) - g(row)
    if kind == 2:
        return f"-({a})", lambda row: -f(row)
    if kind == 3:
        return f"1.5 * ({a})", lambda row: 1.5 * f(row)
    return f"({a}) / 4e0", lambda row: f(row) / 4


def test_an_expression_is_worth_what_arithmetic_makes_of_it() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        text, of = sample(rng)
        found = amount(text)
        row = {name: float(np.round(rng.normal(0, 10), 2)) for name in NAMES}
        assert found.at(row) == pytest.approx(of(row), rel=1e-12, abs=1e-8)
        assert amount(found.to_json()) == found
        assert amount(str(found)).at(row) == pytest.approx(found.at(row), rel=1e-10, abs=1e-8)


def test_numbers_of_every_kind() -> None:
    for x in (140, 140.0, "140", " 140 ", np.float32(140), np.int64(140), Decimal("140.0"), "1.4e2", "(140)"):
        assert amount(x) == Amount(140.0)
    assert math.copysign(1.0, amount(-0.0).constant) == 1.0
    assert amount("0 * value") == amount("value - value") == Amount()
    assert amount(Amount(3.0)) == Amount(3.0)


def test_amounts_add_and_multiply() -> None:
    a, b = amount("2 * fee - 5"), amount("0.5 * value - 2 * fee")
    assert a.plus(b) == amount("0.5 * value - 5")
    assert a.plus(b, -2.0) == amount("6 * fee - value - 5")
    assert a.times(-1.0) == amount("5 - 2 * fee")
    assert a.plus(b).names == ("value",)


def test_as_people_read_it() -> None:
    assert str(amount("-value + 3")) == "-value + 3"
    assert str(amount("fee - value - 3")) == "fee - value - 3"
    assert str(amount("`list price` * 0.1")) == "0.1 * `list price`"
    assert str(Amount()) == "0"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "value ** 2",
        "value * value",
        "1 / value",
        "value / 0",
        "value // 2",
        "1,000",
        "1 000",
        "5 %",
        "f(value)",
        "value.real",
        "value[0]",
        "1 if value else 2",
        "value > 3",
        "not value",
        "2value",
        "`value",
        "'text'",
        "1e400 * value",
        "1e308 * 10 * value",
        "1e308 + 1e308",
        "9" * 400 + " * value",
        "-" * 100_000 + "value",
        "(" * 500 + "value" + ")" * 500,
        "1 +\n2",
        "value\0",
        "3j",
    ],
)
def test_what_is_no_sum_of_amounts_is_refused(text: str) -> None:
    with pytest.raises(BadPayoff, match="The amount for tp cannot be read") as found:
        amount(text, "tp")
    assert "0.9 * value - 5" in found.value.hint


@pytest.mark.parametrize("value", [None, True, math.nan, math.inf, "nan", "-inf", 10**400, [1], object(), 1j, "1e400"])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(BadPayoff, match=r"The amount for fp must be a finite number, and .* came"):
        amount(value, "fp")


def test_ranges() -> None:
    low, high = Amount(100.0), Amount(180.0)
    for x in ((100, 180), [100, 180], "100..180", "100 .. 180", (180, 100), "180..100", ("100", 180.0)):
        assert entry(x, "tp") == (low, high)
    assert entry("-5..-1", "fp") == (Amount(-5.0), Amount(-1.0))
    assert entry("0.5..1.5", "fp") == (Amount(0.5), Amount(1.5))
    assert entry((7, 7), "tp") == Amount(7.0)
    assert entry("0.1 * fee..0.2 * fee + 1", "tp") == (amount("0.1 * fee"), amount("0.2 * fee + 1"))
    for x in ((1,), (1, 2, 3), []):
        with pytest.raises(BadPayoff, match=f"range for tp must have two ends, and {len(x)} came"):
            entry(x, "tp")
    with pytest.raises(BadPayoff, match="The amount for tp"):
        entry("100..", "tp")
    with pytest.raises(BadPayoff, match="The amount for tp"):
        entry((0, None), "tp")
