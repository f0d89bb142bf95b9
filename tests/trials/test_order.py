"""Periods keep their order whatever they are called, and are refused where their names do not tell it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy
from steelyard.errors import InputError
from steelyard.trials.order import places

START = date(2023, 11, 6)
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def week(i: int) -> tuple[int, int, int]:
    """Year, week and day of the i-th week."""
    return tuple((START + timedelta(weeks=i)).isocalendar())  # type: ignore[return-value]


SPELLINGS: dict[str, Callable[[int], Any]] = {
    "numbers": lambda i: i,
    "numbers as text": lambda i: str(i - 3),
    "W2": lambda i: f"W{i + 1}",
    "w02": lambda i: f"w{i + 1:02d}",
    "week 2 of 40": lambda i: f"Week {i + 1} of 40",
    "with a sign": lambda i: f"t{i - 5:+d}" if i != 5 else "t0",
    "dates": lambda i: START + timedelta(weeks=i),
    "dates as text": lambda i: str(START + timedelta(weeks=i)),
    "dates without zeros": lambda i: "{0.year}-{0.month}-{0.day}".format(START + timedelta(weeks=i)),
    "weeks of a year": lambda i: f"{week(i)[0]}-W{week(i)[1]}",
    "the year last": lambda i: f"W{week(i)[1]} {week(i)[0]}",
    "days first": lambda i: f"{START + timedelta(weeks=i):%d.%m.%Y}",
    "months first": lambda i: f"{START + timedelta(weeks=i):%m/%d/%Y}",
    "months in words": lambda i: f"{MONTHS[i % 12]} {2023 + i // 12}",
    "quarters": lambda i: f"{2000 + i // 4}-Q{i % 4 + 1}",
    "letters": lambda i: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i],
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@settings(deadline=None, max_examples=25)
@given(st.integers(2, 26), st.randoms(use_true_random=False))
def test_names_are_put_into_the_order_of_what_they_name(spelling: str, many: int, random: Any) -> None:
    wanted = [
        SPELLINGS[spelling](i) for i in range(max(many, 20) if "first" in spelling or "sign" in spelling else many)
    ]
    mixed = list(wanted)
    random.shuffle(mixed)
    assert [mixed[i] for i in places(mixed)] == wanted


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from(sorted(SPELLINGS)))
def test_another_spelling_of_the_periods_leaves_the_verdict(seed: int, spelling: str) -> None:
    rng = np.random.default_rng(seed)
    weeks, arm = 20, 60
    when = np.repeat(np.arange(weeks), 2 * arm)
    group = np.tile(np.repeat(["a", "b"], arm), weeks)
    wave = 0.2 + 0.1 * np.sin(np.arange(weeks) / 3) + 0.02 * rng.normal(size=weeks).cumsum()
    outcome = (rng.random(len(when)) < wave[when].clip(0.01, 0.9) + 0.05 * (group == "a")).astype(int)
    shuffle = rng.permutation(len(when))

    def told(names: Callable[[int], Any]) -> Any:
        called = np.array([names(i) for i in range(weeks)], dtype=object)
        t = sy.trial(group=group[shuffle], control="b", outcome=outcome[shuffle], period=called[when][shuffle])
        return t.effect.to_dict() | {"verdict": str(t.verdict)}

    assert told(SPELLINGS[spelling]) == told(SPELLINGS["numbers"])


@pytest.mark.parametrize(
    "names",
    [
        ["before", "during", "after"],
        ["pre1", "pre2", "post1"],
        ["Nov", "Dec", "Jan"],
        ["W1 24", "W2 24", "W1 25"],
        ["01/02/2024", "02/02/2024", "03/04/2024"],
        ["1a2", "2a1", "1a1"],
        ["2024-W05", "2024-02", "2024-W06"],
    ],
)
def test_names_that_do_not_tell_their_order_are_refused(names: list[str]) -> None:
    with pytest.raises(InputError, match="cannot be told by their names") as told:
        places(names)
    assert "Number the periods" in told.value.hint


def test_one_period_under_two_names_is_refused() -> None:
    with pytest.raises(InputError, match=r'"W0?2", "W0?2" are at one place'):
        places(["W1", "W02", "W2"])
