"""Averages over many levels of labels: whether their intervals hold the truth, and what they say where they cannot."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.intervals.levels import kinds, tallies
from steelyard.measures.measure import find
from steelyard.measures.ways import OverLevels
from steelyard.results import Array
from steelyard.summaries.confusion import Confusion

from ..simulating import draws, no_less_often

NUMBERS = [
    ("average_class_accuracy", None),
    ("average_class_accuracy_hm", None),
    *((name, how) for name in ("precision", "f1", "npv", "jaccard", "lr_negative") for how in ("macro", "weighted")),
    ("recall", "macro"),
    ("weighted_accuracy", "weighted"),
]


def chances(levels: int, right: float, *, falling: bool) -> Array:
    """Of every cell: right with one chance, else any level at random."""
    size = 1.0 / (np.arange(levels) + 5.0) if falling else np.ones(levels)
    return np.asarray((size / size.sum())[:, None] * (np.eye(levels) * right + (1 - right) / levels))


def evaluated(counts: Array) -> sy.Evaluation:
    return sy.evaluate(confusion=counts, levels=[f"level {i:03d}" for i in range(len(counts))])


@pytest.mark.parametrize(
    ("levels", "rows", "right", "falling"),
    [(100, 5000, 0.7, False), (50, 1000, 0.7, False), (20, 1000, 0.9, True), (30, 3000, 0.4, True)],
)
def test_averages_over_many_levels_hold_the_truth(levels: int, rows: int, right: float, *, falling: bool) -> None:
    cells = chances(levels, right, falling=falling)
    whole, drawn, held = evaluated(cells * 1e9), draws(400, 60), dict.fromkeys(NUMBERS, 0)
    truth = {(name, how): whole.measure(name, how).value for name, how in NUMBERS}
    told = dict.fromkeys(NUMBERS, 0)
    for i in range(drawn):
        found = evaluated(np.random.default_rng([levels, i]).multinomial(rows, cells.ravel()).reshape(cells.shape))
        for name, how in NUMBERS:
            x = found.measure(name, how)
            if x.low is not None and x.high is not None:
                told[name, how] += 1
                held[name, how] += x.low <= truth[name, how] <= x.high
    assert min(told.values()) > drawn / 2
    short = {asked: n for asked, n in held.items() if not no_less_often(n, told[asked], 0.935)}
    assert short == {}


@pytest.mark.parametrize("how", ["macro", "weighted"])
def test_the_spread_is_that_of_draws(how: str) -> None:
    cells = chances(40, 0.6, falling=True)
    rng = np.random.default_rng(4)
    tables = [rng.multinomial(4000, cells.ravel()).reshape(cells.shape) for _ in range(120)]
    for name in ("f1", "precision", "npv"):
        found = [evaluated(t).measure(name, how) for t in tables]
        widths = [x.high - x.low for x in found]
        assert np.mean(widths) == pytest.approx(2 * 1.96 * np.std([x.value for x in found]), rel=0.15)


def test_tallies_are_read_as_their_table_is() -> None:
    counts = np.random.default_rng(1).integers(1, 9, (5, 5)).astype(np.float64)
    table = Confusion.of(counts, levels=tuple("abcde"))
    for name in ("f1", "npv", "lr_negative", "weighted_accuracy"):
        for how in ("macro", "weighted"):
            read = OverLevels(find(name), find(name).with_defaults({}), how)
            assert float(read(tallies(table.levels, counts)).value) == pytest.approx(float(read(table).value))


def test_rows_lent_take_no_rows_from_a_level() -> None:
    counts = np.diag([9.0, 5.0, 0.0, 1.0]) + 1.0
    lent = kinds(Confusion.of(counts, levels=tuple("abcd"))).lent
    assert (lent.hits + lent.misses).tolist() == pytest.approx(counts.sum(axis=1).tolist())


def test_a_harmonic_mean_with_a_level_never_found_says_what_one_row_would_do() -> None:
    counts = np.eye(30) * 20.0 + 1.0
    counts[7, 7], counts[7, 8] = 0.0, 21.0
    x = evaluated(counts)["average_class_accuracy_hm"]
    assert x.value == 0.0
    assert x.caution.startswith('one row more of "level 007" moves it by ')
    assert x.low == 0.0
    assert x.high > 0.3


def test_a_mean_that_cannot_vary_has_no_width() -> None:
    x = evaluated(np.eye(10) * 20.0 + 1.0)["prevalence", "macro"]
    assert x.high - x.low < 1e-9


def test_a_perfect_model_keeps_a_width() -> None:
    found = evaluated(np.eye(10) * 20.0)
    for name in ("recall", "precision", "f1", "youden", "npv"):
        x = found[name, "macro"]
        assert x.low < 0.9995
        assert x.high == 1.0
    x = found["lr_negative", "macro"]
    assert x.low == 0.0
    assert 0.001 < x.high < 0.2
