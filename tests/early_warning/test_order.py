"""Whatever the order of events, the result is the same, and events that say when twice are counted and told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy

ROLES: dict[str, Any] = {"unit": "customer", "time": "day", "score": "p", "outcome": "left", "horizon": 10}
EVENT = st.tuples(st.integers(0, 5), st.integers(0, 10), st.integers(0, 20))


def table(events: list[tuple[int, int, int]]) -> dict[str, list[Any]]:
    """Two customers who are always there, and others of whom every second leaves."""
    rows = [(0, 0, 4), (1, 0, 9), *events]
    return {
        "customer": [c for c, *_ in rows],
        "day": [float(d) for _, d, _ in rows],
        "p": [p / 20 for *_, p in rows],
        "left": [c % 2 for c, *_ in rows],
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(EVENT, max_size=25), st.randoms(use_true_random=False))
def test_the_order_of_events_is_irrelevant_and_duplicates_are_stated(events: list[Any], chance: Any) -> None:
    given_so = table(events)
    places = list(range(len(given_so["p"])))
    chance.shuffle(places)
    mixed = {name: [values[i] for i in places] for name, values in given_so.items()}
    one, other = sy.timeliness(given_so, **ROLES), sy.timeliness(mixed, **ROLES)
    for name in ("q", "q0"):
        assert one[name].value == pytest.approx(other[name].value, abs=1e-12)
    assert one.summary.duplicates == other.summary.duplicates
    moments = list(zip(given_so["customer"], given_so["day"], strict=True))
    assert one.summary.duplicates == len(moments) - len(set(moments))
    assert ("same customer and time as another" in str(one)) == (one.summary.duplicates > 0)
