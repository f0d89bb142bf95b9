"""Schedules follow their formulas, and growing parts hold the smaller ones."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.designs.bootstrap import Bootstrap
from steelyard.designs.design import Design
from steelyard.designs.folds import KFold, NestedFolds
from steelyard.designs.holdout import Holdout, RepeatedHoldout
from steelyard.designs.schedules import Growing, arithmetic, geometric, sizes_of
from steelyard.designs.strata import spread
from steelyard.errors import UsageError


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 200), st.integers(1, 150), st.integers(1, 2000), st.one_of(st.none(), st.integers(1, 1500)))
def test_arithmetic_sizes_follow_the_formula(start: int, step: int, most: int, stop: int | None) -> None:
    limit = most if stop is None else min(most, stop)
    if start > limit or (stop is not None and stop < start):
        with pytest.raises(UsageError):
            arithmetic(start, step, stop).sizes(most)
        return
    sizes = arithmetic(start, step, stop).sizes(most)
    expected = [start + i * step for i in range(2000) if start + i * step <= limit]
    assert list(sizes[: len(expected)]) == expected
    assert list(sizes[len(expected) :]) == ([limit] if expected[-1] < 0.9 * limit else [])
    assert sizes[-1] >= 0.9 * limit


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 200), st.floats(1.01, 5), st.integers(200, 5000))
def test_geometric_sizes_follow_the_formula(start: int, ratio: float, most: int) -> None:
    sizes = geometric(start, ratio).sizes(most)
    formula, i = set(), 0
    while start * ratio**i < most + 0.5:
        formula, i = formula | {min(round(start * ratio**i), most)}, i + 1
    assert set(sizes) - {most} == formula - {most}
    assert all(a < b for a, b in pairwise(sizes))
    assert sizes[0] == start and 0.9 * most <= sizes[-1] <= most


def test_a_ratio_close_to_one_takes_every_size_in_no_time() -> None:
    assert geometric(1, 1 + 1e-9).sizes(300) == tuple(range(1, 301))


def test_sizes_come_in_many_forms() -> None:
    assert sizes_of([40, 10, 10], 80) == (10, 40)
    assert sizes_of(np.array([10, 20]), 80) == sizes_of(range(10, 21, 10), 80) == (10, 20)
    assert sizes_of([0.001, 1.0], 80) == (1, 80)
    assert sizes_of([1], 80) == (1,)
    assert sizes_of(geometric(10, 2), 80) == (10, 20, 40, 80)
    assert str(geometric(10, 2, 500)) == "from 10 rows, 2 times as many, up to 500"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([90], "The largest size is 90 rows, and there are 80 rows to learn from."),
        ([], "The list of sizes is empty."),
        ([0], "A size is a number of rows, or a share above 0 and up to 1, and 0 came."),
        ([1.5], "A size is a number of rows, or a share above 0 and up to 1, and 1.5 came."),
        ([True], "A size is a number of rows, or a share above 0 and up to 1, and True came."),
        ("all", "Sizes are a schedule or a list of numbers, and an object of the type str came."),
        (7, "Sizes are a schedule or a list of numbers, and an object of the type int came."),
        (geometric(100, 2), "The first size is 100 rows, and there are 80 rows to learn from."),
    ],
)
def test_sizes_that_cannot_be_meant(given: Any, said: str) -> None:
    with pytest.raises(UsageError) as problem:
        sizes_of(given, 80)
    assert problem.value.message == said


def test_schedules_that_would_not_grow() -> None:
    for wrong in (
        lambda: geometric(10, 1),
        lambda: arithmetic(10, 0),
        lambda: arithmetic(0, 1),
        lambda: geometric(9, 2, 5),
    ):
        with pytest.raises(UsageError):
            wrong()


DESIGNS: list[Design] = [
    *(Holdout(0.3, 0.2), KFold(3, repeats=2), KFold(3, stratify=True), RepeatedHoldout(0.2, 3, stratify=True)),
    Bootstrap(3),
]


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("sizes", [[5, 10, 20], geometric(4, 2), [0.1, 0.5, 1.0]], ids=str)
def test_larger_parts_hold_the_smaller_ones(design: Design, sizes: Any) -> None:
    y = np.arange(60) % 3
    grown = list(Growing(design, sizes).splits(60, y))
    plain = [s for s in design.splits(60, y) if s.label != "apparent"]
    most = min(len(s.train) for s in plain)
    expected = sizes_of(sizes, most)
    assert len(grown) == len(plain) * len(expected)
    for i, base in enumerate(plain):
        mine = grown[i * len(expected) : (i + 1) * len(expected)]
        assert [len(s.train) for s in mine] == list(expected)
        assert [s.inner for s in mine] == list(range(len(expected)))
        assert {(s.repeat, s.fold) for s in mine} == {(base.repeat, base.fold)}
        assert all(s.test.tolist() == base.test.tolist() for s in mine)
        assert all(s.validation.tolist() == base.validation.tolist() for s in mine)
        for small, large in pairwise(mine):
            assert large.train[: len(small.train)].tolist() == small.train.tolist()
        times = np.bincount(mine[-1].train, minlength=60)
        assert (times <= np.bincount(base.train, minlength=60)).all()
        assert mine[0].name == f"{base.name}, {expected[0]} rows"
    assert grown == list(Growing(design, sizes).splits(60, y))
    assert len({tuple(s.train.tolist()) for s in grown if s.inner == 0}) == len(plain)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=5), st.integers(0, 99))
def test_every_beginning_of_a_stratified_order_has_the_shares_of_the_whole(counts: list[int], seed: int) -> None:
    codes = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    order = spread(codes, np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(codes)))
    shares = np.array(counts) / len(codes)
    have = np.cumsum(codes[order][:, None] == np.arange(len(counts)), axis=0)
    off = np.abs(have - np.arange(1, len(codes) + 1)[:, None] * shares)
    assert (off <= 0.5 + shares * len(counts) / 2 + 1e-9).all()


def test_growing_a_stratified_design_keeps_the_shares() -> None:
    y = np.array(["rare"] * 20 + ["common"] * 180)
    for split in Growing(KFold(4, stratify=True), [10, 20, 50, 150]).splits(200, y):
        assert abs(np.count_nonzero(y[split.train] == "rare") - len(split.train) / 10) <= 0.6 + 1e-9


def test_what_cannot_grow() -> None:
    with pytest.raises(UsageError, match="divisions inside divisions"):
        list(Growing(NestedFolds(3), [2]).splits(12))
    with pytest.raises(UsageError, match="the type str came"):
        Growing("kfold", [2])  # type: ignore[arg-type]
    assert Growing(KFold(3, group="who"), [2]).names == ("who",)
    assert str(Growing(KFold(3), [20, 0.5])) == "3 folds, learning from 20, 50% rows"
