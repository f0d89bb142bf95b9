"""Slices: found where a model fails, and not found where it does not."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.comparisons.step_down import holm

from ..simulating import draws, no_more_often


def table(rng: np.random.Generator, n: int, *, bad: bool) -> pd.DataFrame:
    x = rng.normal(size=n)
    age = rng.choice(["young", "middle", "old"], n)
    noise = np.where((age == "young") & bad, 4.0, 0.7)
    y = (rng.random(n) < 1 / (1 + np.exp(-(2 * x - 1)))).astype(int)
    return pd.DataFrame(
        {
            "y": y,
            "p": 1 / (1 + np.exp(-(2 * x + rng.normal(size=n) * noise - 1))),
            "age": age,
            "region": rng.choice(["north", "south", "east", "west"], n),
            "id": np.arange(n),
            "one": 1,
        }
    )


def test_the_slice_on_which_it_fails_is_found() -> None:
    found = sy.slices(table(np.random.default_rng(1), 4000, bad=True), target="y", score="p")
    first = found.rows[0]
    assert (first.column, first.level, first.difference.verdict, first.clear) == ("age", "young", "worse", True)
    assert {s.column for s in found.rows} == {"age", "region"}
    assert found.left_out == ("id: 4,000 levels", "one: 1 level")
    assert 'Where age is "young"' in " ".join(found.sentences())
    json.dumps(found.to_dict(), allow_nan=False)
    assert len(found.table().rows) == 7 and found.chart().svg()


def test_what_was_not_looked_at_is_said_before_all_is_well() -> None:
    rows = table(np.random.default_rng(4), 600, bad=False)
    found, whole = (sy.slices(rows.drop(columns=drop), target="y", score="p") for drop in (["one"], ["one", "id"]))
    said = "Not looked at: id (600 levels). Cut numbers into a few ranges to see them."
    assert said in str(found) and [r.text for r in found.verdict.reasons] == [said]
    assert found.verdict.next_step == "Look at these too, where they may matter."
    assert not whole.unseen and whole.verdict.next_step.startswith("Nothing to do")


def test_the_difference_is_that_to_the_other_rows() -> None:
    rows = table(np.random.default_rng(2), 1500, bad=True)
    found = sy.slices(rows, ["age"], target="y", score="p", measure="brier")
    for s in found.rows:
        mine = rows[rows["age"] == s.level]
        rest = rows[rows["age"] != s.level]
        a, b = (float(((part["p"] - part["y"]) ** 2).mean()) for part in (mine, rest))
        assert s.difference.value == pytest.approx(a - b)
        assert s.rows == len(mine)


def test_many_looks_raise_few_false_alarms() -> None:
    """Of tables without any bad slice, in few is one called clear: 5% at 95% confidence."""
    rng, tables = np.random.default_rng(3), draws(80, 25)
    alarms = sum(
        any(s.clear for s in sy.slices(table(rng, 600, bad=False), target="y", score="p").rows) for _ in range(tables)
    )
    assert no_more_often(alarms, tables, 0.05)


def test_holm_against_its_definition() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        p = rng.random(6)
        order = np.argsort(p)
        want = np.empty(6)
        running = 0.0
        for rank, i in enumerate(order):
            running = max(running, min(1.0, (6 - rank) * p[i]))
            want[i] = running
        assert holm(p.tolist()) == pytest.approx(want.tolist())


def test_slices_need_a_table() -> None:
    with pytest.raises(sy.errors.UsageError, match="in a table"):
        sy.slices(None, target=[1, 0], score=[0.5, 0.2])
