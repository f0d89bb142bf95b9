"""All 240 items of the five texts: each with the one call that does it, and what comes out; the count of what works is printed."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from . import examples

TABLE = Path(__file__).with_name("items.tsv")
ITEMS = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
KEPT = "kept: "
"""How an item begins that is kept otherwise, with the reason in the place of the call."""
ASKED = [item for item in ITEMS if item["call"] and not item["call"].startswith(KEPT)]
NAMES: dict[str, Any] = vars(examples)


def agrees(found: Any, expected: Any) -> bool:
    """Numbers to the digits that are printed, text where it is found in it, lists one by one."""
    if isinstance(expected, str):
        return expected in " ".join(str(found).split())
    if isinstance(expected, bool):
        return bool(found) is expected
    if isinstance(expected, list | tuple):
        listed = list(found)
        return len(listed) == len(expected) and all(map(agrees, listed, expected))
    if isinstance(expected, int) and not isinstance(found, float | np.floating):
        return bool(found == expected)
    # The right value has all digits, a printed one three.
    return bool(abs(float(found) - float(expected)) <= 1.001e-3 * max(1.0, abs(float(expected))))


@pytest.mark.parametrize("item", ASKED, ids=lambda item: f"{item['section']}, {item['item']}"[:70])
def test_one_call_does_it(item: dict[str, str]) -> None:
    found, expected = eval(item["call"], NAMES), eval(item["expected"], NAMES)
    assert agrees(found, expected), f"{item['call']}\n  is {str(found)[:400]}\n  and not {expected}"


def parts_of(expected: Any) -> list[Any]:
    return [x for y in expected for x in parts_of(y)] if isinstance(expected, list | tuple) else [expected]


def says_something(expected: Any) -> bool:
    """Whether there is a number in it, or a sentence; that something is there, or true, would be no lesson."""
    parts = parts_of(expected.tolist() if isinstance(expected, np.ndarray) else expected)
    numbers = [x for x in parts if isinstance(x, int | float | np.number) and not isinstance(x, bool)]
    return bool(numbers) or any(isinstance(x, str) and (len(x.split()) >= 3 or "0." in x) for x in parts)


@pytest.mark.parametrize("item", ASKED, ids=lambda item: f"{item['section']}, {item['item']}"[:70])
def test_an_item_has_a_number_or_a_sentence(item: dict[str, str]) -> None:
    assert says_something(eval(item["expected"], NAMES)), item["expected"]


def test_no_two_items_are_one() -> None:
    asked = [(item["call"], item["expected"]) for item in ASKED]
    assert sorted({x for x in asked if asked.count(x) > 1}) == []


def test_the_count_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    kept = [item for item in ITEMS if item["call"].startswith(KEPT)]
    missing = [item for item in ITEMS if not item["call"]]
    with capsys.disabled():
        print(f"\n{len(ITEMS)} items of five texts: {len(ASKED)} by one call, {len(kept)} kept otherwise")
    assert len(ITEMS) == 240
    assert not missing, [f"{item['section']}: {item['item']}" for item in missing]
