"""Saved parts add to the evaluation of all rows: every kind of evidence, any order, any grouping, through files."""

from __future__ import annotations

import random
from functools import reduce
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import steelyard as sy
from steelyard.saved.adding import add_saved

from ..engines.alike import alike
from .law import law
from .reading import check_same, grid_beyond, read
from .samples import Sample, samples

EXACT, GRID = 10**6, 5
MANNERS = {"scores": ("near", "tied"), "classes": ("near", "tied"), "numbers": ("less near", "plain", "offset")}


def _days(sample: Sample, most: int, data: Any) -> list[Sample]:
    """The rows on the days that are drawn for them, days without rows left out."""
    days = data.draw(st.lists(st.integers(0, most - 1), min_size=len(sample), max_size=len(sample)))
    return [sample.take([i for i, d in enumerate(days) if d == day]) for day in sorted(set(days))]


def _saved_sum(parts: list[sy.Evaluation], order: list[int]) -> sy.Evaluation:
    with TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{i}.json") for i in range(len(parts))]
        for part, file in zip(parts, files, strict=True):
            part.save(file)
        found = add_saved([files[i] for i in order], twice=True).result
        assert isinstance(found, sy.Evaluation)
        return found


@law(labels=6, scores=8, classes=2, numbers=6)
def test_saved_days_add_to_the_whole(kind: str, data: Any) -> None:
    limit = data.draw(st.sampled_from((EXACT, GRID)))
    weights = data.draw(st.sampled_from((None, "sampling", "frequency")))
    # A small segment of many rows is on the grid where all were counted at once, and still exact in a sum of small days.
    units, segments = (
        data.draw(st.sampled_from((0, 14))),
        data.draw(st.sampled_from((0, 2) if limit == EXACT else (0,))),
    )
    shape = {"weights": weights, "units": units, "segments": segments, "manners": MANNERS.get(kind)}
    sample = data.draw(samples(kind, least=8, most=24, **shape))
    days = _days(sample, 5, data)
    order = data.draw(st.permutations(range(len(days))))
    with grid_beyond(limit):
        parts, whole = [day.evaluate() for day in days], sample.evaluate()
        total = _saved_sum(parts, list(order))
        alike(total, whole, moved=True)
        other = reduce(lambda a, b: b + a, parts)
        alike(other, whole, moved=True)


@law(labels=2, scores=3, classes=1, numbers=2)
def test_intervals_of_the_sum_are_those_of_the_whole(kind: str, data: Any) -> None:
    weights, units = data.draw(st.sampled_from(((None, 0), ("sampling", 0), (None, 14))))
    sample = data.draw(samples(kind, least=16, most=24, weights=weights, units=units, manners=MANNERS.get(kind)))
    days = _days(sample, 3, data)
    total = _saved_sum([day.evaluate() for day in days], list(range(len(days))))
    check_same(read(total, intervals=True), read(sample.evaluate(), intervals=True), ends=True, tolerance=1e-6)


@law(scores=10)
def test_validation_rows_add_as_well(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, least=8, most=20, segments=2))
    apart = [i % 2 == 1 for i in range(len(sample))]
    marked = sample.with_columns(validation=apart)
    # Every day has rows of both kinds.
    cut = data.draw(st.integers(1, len(sample) // 2 - 1)) * 2
    places = range(len(sample))
    parts = [marked.take(places[:cut]), marked.take(places[cut:])]
    total, whole = _saved_sum([p.evaluate() for p in parts], [1, 0]), marked.evaluate()
    alike(total, whole)
    assert total.validation is not None and whole.validation is not None
    alike(total.validation, whole.validation)


@law(scores=12, classes=4, numbers=8)
def test_exact_and_gridded_days_add(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, least=8, most=20, manners=MANNERS[kind]))
    middle = data.draw(st.integers(1, len(sample) - 1))
    places = range(len(sample))
    with grid_beyond(GRID):
        exact = sample.take(places[:middle]).evaluate(exact=True)
        rest = sample.take(places[middle:]).evaluate()
        whole = sample.evaluate()
        for order in ([0, 1], [1, 0]):
            total = _saved_sum([exact, rest], order)
            alike(total, whole)
        both = _saved_sum([exact, sample.take(places[middle:]).evaluate(exact=True)], [1, 0])
        alike(both, sample.evaluate(exact=True))


def test_levels_and_segments_that_one_day_lacks_are_there_in_the_sum() -> None:
    rng = random.Random(3)
    rows = [(rng.choice("abc"), rng.choice("abc"), rng.choice("ns")) for _ in range(60)]
    first = [r for r in rows if "c" not in r[:2] and r[2] == "n"]
    second = [r for r in rows if r not in first]

    def told(part: list[tuple[str, str, str]]) -> sy.Evaluation:
        target, prediction, segment = zip(*part, strict=True)
        return sy.evaluate(target=target, prediction=prediction, segment=segment, positive="a")

    for parts in ((first, second), (second, first)):
        total = told(list(parts[0])) + told(list(parts[1]))
        alike(total, told(first + second))
        assert [e.levels for e in total.segments.values()] == [("a", "b", "c")] * 2


@pytest.mark.parametrize("skewed", [False, True])
def test_distances_by_unit_follow_the_mean_wherever_days_lie(skewed: bool) -> None:
    """The interval of rae by unit is that of leaving out each unit in truth, and the same in a sum of days that move."""
    rng = np.random.default_rng(8)
    days, units = 12, rng.integers(0, 200, (12, 150))
    target = (rng.lognormal(0, 1, units.shape) if skewed else rng.normal(size=units.shape)) + np.arange(days)[:, None]
    guess = target + rng.normal(0, 0.5, units.shape) + 0.3 * (units % 7 - 3)
    parts = [sy.evaluate(target=t, prediction=g, unit=u) for t, g, u in zip(target, guess, units, strict=True)]
    flat = {"target": target.ravel(), "prediction": guess.ravel(), "unit": units.ravel()}
    whole, total = sy.evaluate(**flat), reduce(add, parts)
    by_segment = sy.evaluate(**flat, segment=np.repeat(np.arange(days), units.shape[1]))
    for e in (total, by_segment):
        for end in ("low", "value", "high"):
            assert getattr(e["rae"], end) == pytest.approx(getattr(whole["rae"], end), rel=1e-9)
    t, e = flat["target"], np.abs(flat["prediction"] - flat["target"])
    left = []
    for u in np.unique(flat["unit"]):
        kept = flat["unit"] != u
        left.append(e[kept].sum() / np.abs(t[kept] - t[kept].mean()).sum())
    error = np.sqrt((len(left) - 1) / len(left) * ((np.array(left) - np.mean(left)) ** 2).sum())
    found = whole["rae"]
    assert (found.high - found.low) / 2 == pytest.approx(1.972 * error, rel=0.05)
