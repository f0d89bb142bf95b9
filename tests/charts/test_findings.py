"""What stands above a curve is what a table of the same rows says."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy


def test_few_rows_are_told_at_cuts_that_exist() -> None:
    """Two of twelve rows are 17 %: nothing can be said of the first 20 % but along a line that no cut lies on."""
    e = sy.evaluate(target=[1, 1, 1, 1] + [0] * 8, score=np.arange(12, 0, -1) / 12)
    assert e.chart("gain").heading == "The top 17% hold 50% of positives"
    assert e.chart("lift").heading == "The top 8% hold 3.0 times as many as chance"


def test_many_rows_are_told_at_a_fifth_and_a_tenth() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(3_001) < 0.2
    e = sy.evaluate(target=y.astype(int), score=rng.normal(size=3_001) + y)
    assert e.chart("gain").heading.startswith("The top 20% hold ")
    assert e.chart("lift").heading.startswith("The top 10% hold ")


def test_rows_of_one_score_are_not_divided() -> None:
    e = sy.evaluate(target=[1, 0] * 50, score=[0.7] * 100)
    assert "top" not in e.chart("gain").heading


@pytest.mark.parametrize(("positives", "below"), [(400, True), (20, False)])
def test_the_name_of_chance_lies_where_it_has_room(positives: int, below: bool) -> None:
    """Beside a lift of fifty the line at one lies on the axis, and a word below it would lie on the axis' own."""
    y = np.arange(1_000) < positives
    chart = sy.evaluate(target=y.astype(int), score=1 - np.arange(1_000) / 1_000).chart("lift")
    name = next(m for m in chart.marks if getattr(m, "text", "") == "at random")
    assert (name.dy > 0) == below


def test_a_long_name_does_not_push_its_number_out_of_a_legend() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.4
    names = ("model of October with all columns that there are", "old")
    c = sy.compare(target=y.astype(int), score={n: rng.normal(size=400) + y for n in names})
    first, second = (text for text, _ in c.chart("roc").legend)
    assert first.startswith("model of October with… 0.") and first.endswith("]") and second.startswith("old 0.")
