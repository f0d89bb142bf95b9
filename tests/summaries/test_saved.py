"""A summary that was saved is believed only if it can have been counted."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import UnreadableSource
from steelyard.summaries.believing import believed_levels, believed_order, believed_rows, believed_table
from steelyard.summaries.summary import READABLE, kinds, pack, unpack

ROWS = {
    "y": [0, 1, 1, 0, 1, 0],
    "p": [0.1, 0.4, 0.4, 0.6, 0.9, 0.2],
    "t": [1.0, 2.0, 4.0, 3.0, 2.5, 0.5],
    "m": [1.5, 2.0, 3.0, 3.0, 2.0, 1.0],
}


def saved(kind: str) -> dict[str, Any]:
    roles = {"scores": {"target": "y", "score": "p"}, "confusion": {"target": "y", "prediction": "y"}}
    e = sy.evaluate(ROWS, **roles.get(kind, {"target": "t", "prediction": "m"}))
    data: dict[str, Any] = json.loads(json.dumps(e.evidence[kind].to_dict()))
    assert kinds()[kind].from_dict(copy.deepcopy(data)) == e.evidence[kind]
    return data


CHANGES: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("scores", lambda d: d["cells"]["low"]["values"].reverse()),
    ("scores", lambda d: d["cells"].update(rows=7)),
    ("scores", lambda d: d["cells"].update(rows=-1)),
    ("scores", lambda d: d["cells"].update(rows=6.0)),
    ("scores", lambda d: d.update(positive=5)),
    ("scores", lambda d: d.update(levels=[1, 1])),
    ("scores", lambda d: d.update(levels=[0, 1, 2])),
    ("scores", lambda d: d.update(weighting="heavy")),
    ("scores", lambda d: d["cells"]["counts"]["values"].__setitem__(0, -1)),
    ("confusion", lambda d: d.update(rows=5)),
    ("confusion", lambda d: d["counts"]["values"].__setitem__(0, float("nan"))),
    ("residuals", lambda d: d.update(rows=1 << 61)),
    ("deviances", lambda d: d["names"].reverse()),
    ("deviances", lambda d: d["names"].append("more")),
    ("deviances", lambda d: d.update(weighting="sampling")),
]


@pytest.mark.parametrize(("kind", "change"), CHANGES)
def test_what_cannot_have_been_counted_is_refused(kind: str, change: Callable[[dict[str, Any]], Any]) -> None:
    data = saved(kind)
    change(data)
    with pytest.raises((UnreadableSource, ValueError)):
        kinds()[kind].from_dict(data)


def test_what_can_have_been_counted_is_believed() -> None:
    one = np.ones(3)
    assert believed_rows(3, one) == 3 and believed_rows(0, 0 * one) == 0 and believed_rows(5, one, "sampling") == 5
    assert believed_rows(3, one * (1 + 1e-12)) == 3
    for rows, counts, weighting in (
        (0, one, "sampling"),
        (4, one, "none"),
        (True, one, "none"),
        (1 << 60, None, "none"),
    ):
        with pytest.raises(UnreadableSource):
            believed_rows(rows, counts, weighting)
    assert believed_levels([0, False, "0"]) == (0, False, "0") and believed_levels(["a", "b"], "b") == ("a", "b")
    assert believed_table(np.zeros((2, 3)), 2, 3).shape == (2, 3)
    low = np.array([1.0, 1.0, 2.0])
    believed_order(low, low, np.array([0.1, 0.2, 0.0]))
    for rest in (None, np.array([0.2, 0.1, 0.0]), np.array([0.1, 0.1, 0.0])):
        with pytest.raises(UnreadableSource):
            believed_order(low, low, rest)
    for ends in ((low[2:], low[:1]), (low[:1], low[1:]), (np.array([1.0, np.inf]),) * 2, (np.zeros((1, 1)),) * 2):
        with pytest.raises(UnreadableSource):
            believed_order(*ends)
    believed_order(np.array([1.0, 3.0]), np.array([2.0, 3.0]))


@pytest.mark.parametrize("size", [0, 3, READABLE, READABLE + 1])
@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_arrays_come_back_to_the_last_digit(size: int, kind: Any) -> None:
    array = (np.arange(size) * 0.1).astype(kind).reshape(-1, 1)
    data = json.loads(json.dumps(pack(array)))
    assert ("packed" in data) == (size > READABLE)
    back = unpack(data, kind)
    assert back.dtype == kind and back.shape == array.shape and (back == array).all()
    assert pack(None) is None and unpack(None) is None
    if size == 3 and kind is np.float64:
        assert [type(v) for v in pack(np.array([1.0, 0.5, 2.0**53]))["values"]] == [int, float, float]
    if size > READABLE:
        with pytest.raises(ValueError, match="size"):
            unpack({**data, "shape": [size - 1, 1]}, kind)
