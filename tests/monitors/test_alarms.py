"""Alarms: the states against a second machine, blind windows, transitions in words."""

from __future__ import annotations

import itertools
import re

import pytest

from steelyard.errors import UsageError
from steelyard.monitors.alarms import Status, Transition, advance, follow, transitions

LETTERS = {"h": "high", "b": "between", "l": "low"}


def plainly(seen: str, need: int) -> bool:
    """Whether it fires at the end, read from the whole history by regular expressions: a second implementation."""
    firing = False
    run = ""
    for letter in seen:
        run += letter
        if not firing and re.search(f"h{{{need}}}$", run):
            firing, run = True, ""
        elif firing and re.search(f"l{{{need}}}$", run):
            firing, run = False, ""
    return firing


@pytest.mark.parametrize("need", [1, 2, 3])
def test_the_states_are_those_of_a_second_machine(need: int) -> None:
    for seen in itertools.product("hbl", repeat=7):
        states = follow([LETTERS[x] for x in seen], need)
        assert (states[-1].state in {"firing", "recovering"}) == plainly("".join(seen), need), seen
        assert need > 1 or all(s.state in {"ok", "firing"} for s in states)


def test_windows_that_cannot_be_judged_change_nothing() -> None:
    for seen in itertools.product(("high", "low", "between", "immature", "nodata"), repeat=6):
        known = [x for x in seen if x in LETTERS.values()]
        blind = follow(seen, 2)
        sighted = follow(known, 2)
        before = sighted[-1] if sighted else Status()
        assert (blind[-1].state, blind[-1].count) == (before.state, before.count)
    assert advance(Status(), "immature").told == "immature"
    assert advance(Status("firing"), "nodata").told == "firing"


def test_between_the_levels_an_alarm_stays_as_it_is() -> None:
    states = [s.state for s in follow(["high", "high", *["between"] * 5, "low", "between", "low", "low", "between"])]
    assert states == [
        "pending", "firing", *["firing"] * 5, "recovering", "firing", "recovering", "ok", "ok",
    ]  # fmt: skip


def test_transitions_tell_each_change_once() -> None:
    seen = ["low", "high", "low", "high", "high", "high", "low", "high", "low", "low"]
    names = [f"w{i}" for i in range(len(seen))]
    reasons = [f"because {i}" for i in range(len(seen))]
    found = transitions(names, follow(seen), reasons, "auc", "alarm")
    assert [(t.window, t.before, t.after) for t in found] == [
        ("w1", "ok", "pending"),
        ("w2", "pending", "ok"),
        ("w3", "ok", "pending"),
        ("w4", "pending", "firing"),
        ("w6", "firing", "recovering"),
        ("w7", "recovering", "firing"),
        ("w8", "firing", "recovering"),
        ("w9", "recovering", "ok"),
    ]
    assert [t.text for t in found[:4]] == [
        "w1: AUC, an alarm is pending: because 1.",
        "w2: AUC, an alarm that was pending did not last: because 2.",
        "w3: AUC, an alarm is pending: because 3.",
        "w4: AUC, an alarm: because 4.",
    ]
    assert Transition("w", "auc", "warn", "recovering", "firing", "").text == "w: AUC, a warning is back."
    assert found[-1].text == "w9: AUC, an alarm is over: because 9."


def test_a_number_of_windows_is_needed() -> None:
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(UsageError, match="in a row"):
            follow(["high"], wrong)
