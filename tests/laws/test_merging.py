"""Summaries add: in any order, in any grouping, to the summary of all rows together."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

from hypothesis import strategies as st

from .law import law
from .reading import check_same, grid_beyond, read
from .samples import Sample, halves, samples

EXACT, GRID = 10**6, 5
LIMITS = st.sampled_from((EXACT, GRID))


def _draw(data: Any, kind: str, limit: int, **more: Any) -> Sample:
    near = {"scores": ("near", "tied"), "classes": ("near", "tied"), "numbers": ("near", "less near", "plain")}
    manners = near.get(kind) if limit == GRID else None
    return data.draw(samples(kind, least=4, most=12, manners=manners, **more))


@law(labels=15, scores=25, classes=5, numbers=25)
def test_halves_add_to_the_whole(kind: str, data: Any) -> None:
    limit = data.draw(LIMITS)
    weights = data.draw(st.sampled_from((None, "sampling", "frequency")))
    sample = _draw(data, kind, limit, weights=weights)
    first, second = halves(sample, data.draw(st.integers(1, len(sample) - 1)))
    with grid_beyond(limit):
        whole, a, b = sample.evaluate(), first.evaluate(), second.evaluate()
        assert (a + b).evidence == whole.evidence
        assert (b + a).evidence == whole.evidence
        check_same(read(a + b), read(whole))
        check_same(read(b + a), read(whole))


@law(labels=10, scores=15, classes=4, numbers=15)
def test_grouping_does_not_matter(kind: str, data: Any) -> None:
    limit = data.draw(LIMITS)
    sample = _draw(data, kind, limit)
    first, rest = halves(sample, data.draw(st.integers(1, len(sample) - 2)))
    second, third = halves(rest, data.draw(st.integers(1, len(rest) - 1)))
    with grid_beyond(limit):
        a, b, c = first.evaluate(), second.evaluate(), third.evaluate()
        left, right = (a + b) + c, a + (b + c)
        assert left.evidence == right.evidence
        check_same(read(left), read(right))


@law(labels=5, scores=8, classes=2, numbers=4)
def test_halves_by_unit_add_to_the_whole_with_its_intervals(kind: str, data: Any) -> None:
    limit = data.draw(LIMITS)
    near = (
        {"numbers": ("near", "less near", "plain", "offset")}.get(kind, ("near", "tied")) if kind != "labels" else None
    )
    sample = data.draw(samples(kind, least=16, most=24, units=14, manners=near))
    first, second = halves(sample, data.draw(st.integers(1, len(sample) - 1)))
    with grid_beyond(limit):
        whole, parts = sample.evaluate(), first.evaluate() + second.evaluate()
        assert parts.evidence == whole.evidence
        a, b = read(parts, intervals=True), read(whole, intervals=True)
        check_same(a, b, ends=True, tolerance=1e-6)


@law(labels=10, scores=10, classes=5, numbers=10)
def test_adding_nothing_changes_nothing(kind: str, data: Any) -> None:
    for summary in data.draw(samples(kind)).evaluate().evidence.values():
        zero = getattr(type(summary), "zero", None)
        if zero is not None:
            assert zero() + summary == summary
            assert summary + zero() == summary


@law(labels=8, scores=12, classes=3, numbers=12)
def test_segments_add_to_the_whole(kind: str, data: Any) -> None:
    limit = data.draw(LIMITS)
    sample = _draw(data, kind, limit, segments=3, units=data.draw(st.sampled_from((0, 5))))
    with grid_beyond(limit):
        whole = sample.evaluate()
        assert sum(part.rows for part in whole.segments.values()) == whole.rows
        total = reduce(add, whole.segments.values())
        assert total.evidence == whole.evidence
        check_same(read(total), read(whole))


@law(labels=6, scores=10, classes=3, numbers=10)
def test_a_segment_is_the_evaluation_of_its_rows(kind: str, data: Any) -> None:
    # Segments of one size: beside much larger numbers, small ones lose digits.
    manners = ("plain", "tiny", "huge", "offset") if kind == "numbers" else None
    sample = data.draw(samples(kind, segments=2, manners=manners))
    whole = sample.evaluate()
    names = sample.columns["segment"]
    for name in set(names):
        rows = sample.take([i for i, s in enumerate(names) if s == name]).without("segment")
        check_same(read(whole.segments[name]), read(rows.evaluate()))
