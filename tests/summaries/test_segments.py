"""Segments are told apart by what the column holds, type and value; each is found by its name and by its value."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import steelyard as sy
from steelyard.counting.rules import segments_apart
from steelyard.errors import BadLevels, UnknownSegment
from steelyard.summaries.segments import Segments, key_of, level_names, names_of

ALIKE: list[Any] = [1, "1", True, "True", 1.5, "1.5", None, "(missing)", "(no value)", "1 (number)", '"1"', '"', 0, "0"]
values = st.one_of(
    st.sampled_from(ALIKE), st.text(max_size=4), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, width=32)
)


def _family(value: Any) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__


def _apart(drawn: list[Any]) -> list[Any]:
    """Without what Python takes for the same: a truth value beside its number."""
    seen: dict[Any, str] = {}
    return [v for v in drawn if seen.setdefault(v, _family(v)) == _family(v)]


@given(st.lists(values, max_size=12))
def test_every_value_has_a_name_of_its_own_and_is_found_by_it(drawn: list[Any]) -> None:
    keys = {key_of(v): i for i, v in enumerate(drawn)}
    parts = Segments(keys)
    assert len(parts) == len(keys) == len(set(parts))
    assert [parts[name] for name in parts] == list(parts.values())
    assert sorted(parts.values()) == sorted(keys.values())
    names = names_of(keys)
    for (truth, v), i in keys.items():
        # By value too, unless a text is what another part is called.
        if not isinstance(v, str) or (v not in parts.keys_by_name or names[truth, v] == v):
            assert parts[v] == i


@given(st.lists(values.filter(lambda v: v == v), min_size=1, max_size=10).map(_apart), st.randoms())
def test_no_segment_is_lost_whatever_the_column_holds(drawn: list[Any], r: Any) -> None:
    column = [*drawn, *drawn]
    truth = [r.randint(0, 1) for _ in column]
    truth[:2] = [0, 1]
    score = [r.random() for _ in column]
    e = sy.evaluate(target=truth, score=score, segment=column)
    wanted: dict[Any, int] = {}
    for v in column:
        gap = isinstance(v, float) and abs(v) == float("inf")
        wanted[key_of(None if gap else v)] = wanted.get(key_of(None if gap else v), 0) + 1
    assert {key: part.rows for key, part in e.segments.by_key.items()} == wanted
    assert sy.Evaluation.from_dict(e.to_dict()) == e
    told = e.frame(["auc"])
    assert set(told["segment"].dropna()) == set(e.segments) and len(told) == len(wanted) + 1


def _columns(segment: list[Any]) -> dict[str, Any]:
    n = len(segment)
    return {"target": [i % 2 for i in range(n)], "score": [i * 7 % 10 / 10 for i in range(n)], "segment": segment}


def test_what_is_written_alike_stays_two_everywhere(tmp_path: Path) -> None:
    e = sy.evaluate(**_columns([1, "1", 1.5, "1.5", None, "(missing)"] * 20))
    names = ["(no value)", "1 (number)", "1.5 (number)", '"(missing)"', '"1"', '"1.5"']
    assert list(e.segments) == names
    assert all(part.rows == 20 for part in e.segments.values())
    assert e.segments["1"].segment == '"1"' and e.segments[1].segment == "1 (number)"
    assert e.segments[None].segment == "(no value)" and e.segments["(missing)"].segment == '"(missing)"'
    e.save(tmp_path / "e.json")
    assert sy.load(tmp_path / "e.json") == e
    assert list(e.plus(sy.load(tmp_path / "e.json"), twice=True).segments) == names
    e.report(tmp_path / "e.html")
    page = (tmp_path / "e.html").read_text(encoding="utf-8")
    for name in ("(no value)", "1 (number)", "&quot;1&quot;"):
        assert name in page
    for name in names:
        assert name in e.text()


def test_days_with_other_types_are_added_without_mixing_them() -> None:
    number, text = (sy.evaluate(**_columns(column)) for column in ([1, 2] * 20, ["1", "2"] * 20))
    both = number.plus(text, twice=True)
    assert {name: part.rows for name, part in both.segments.items()} == {
        "1 (number)": 20,
        "2 (number)": 20,
        '"1"': 20,
        '"2"': 20,
    }
    assert [part.segment for part in both.segments.values()] == list(both.segments)


def test_segments_are_asked_for_as_before_where_nothing_else_is_written_so() -> None:
    e = sy.evaluate(**_columns([1, 2.5, None, "north"] * 20))
    assert list(e.segments) == ["(missing)", "1", "2.5", "north"]
    assert e.segments["1"] is e.segments[1] is e.segments[1.0]
    assert e.segments["(missing)"] is e.segments[None]
    assert "1" in e.segments and "2" not in e.segments and e.segments.get("2") is None
    with pytest.raises(UnknownSegment, match='There is no segment "nroth"; there are "\\(missing\\)", "1"') as told:
        e.segments["nroth"]
    assert "north" in told.value.hint and isinstance(told.value, KeyError)


def test_segments_are_taken_in_one_order_whatever_order_a_database_answers_in() -> None:
    found = ["south", 2.5, None, True, 1, "north", 1, None]
    for _ in range(len(found)):
        found.append(found.pop(0))
        apart = segments_apart({"segment": np.array(found, dtype=object), "place": np.arange(8)})
        assert list(apart) == [key_of(v) for v in (None, True, 1, 2.5, "north", "south")]
        for key, part in apart.items():
            assert part["place"].tolist() == [i for i, v in enumerate(found) if key_of(v) == key]


def test_numbers_come_in_their_order() -> None:
    assert list(sy.evaluate(**_columns([10, 9, 2, 100] * 10)).segments) == ["2", "9", "10", "100"]


@pytest.mark.parametrize("pair", [(True, 1), (False, 0), (b"a", "a"), (Decimal(2), True)])
def test_what_cannot_be_told_apart_is_refused(pair: tuple[Any, Any]) -> None:
    if pair == (Decimal(2), True):
        assert len(sy.evaluate(**_columns([*pair] * 20)).segments) == 2
        return
    with pytest.raises(BadLevels, match="which cannot be told apart when it is written"):
        sy.evaluate(**_columns([*pair] * 20))


def test_levels_that_are_written_alike_are_told_apart() -> None:
    truth = [1, "1", 2, "macro"] * 20
    guess = [1, "1", 2, 2] * 20
    e = sy.evaluate(target=truth, prediction=guess)
    assert level_names(e.levels) == ["1 (number)", "2", '"1"', "macro"]
    rows = e.frame(["recall"])
    assert rows["level"].tolist() == ["1 (number)", "2", '"1"', "macro", "micro", "weighted"]
    assert e["recall", "macro"].value == 0.0 and e["recall", 1].value == e["recall", "1"].value == 1.0
    assert "1 (number)" in e.text()
