"""The certified bound: on the grid a value is no further from the exact one than it says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy

from .law import law
from .reading import Numbers, check_same, grid_beyond, read
from .samples import samples

LIMIT = 6
NEAR = {"scores": ("near",), "classes": ("near",), "numbers": ("near", "less near")}


def check_bound(exact: Numbers, binned: Numbers) -> None:
    """Every binned value lies within its bound of the exact one; no value on the grid is no claim."""
    assert exact.keys() == binned.keys()
    for key, x in binned.items():
        true = exact[key].value
        if x.value is not None and true is not None:
            off = abs(x.value - true)
            assert off <= x.bound + 1e-12 * max(1.0, abs(true)), (
                f"{key}: {x.value} for {true}, off {off}, bound {x.bound}"
            )


@law(scores=40, classes=8, numbers=40)
def test_a_value_on_the_grid_is_within_its_bound(kind: str, data: Any) -> None:
    weights = data.draw(st.sampled_from((None, "lopsided")))
    sample = data.draw(samples(kind, least=LIMIT + 1, weights=weights, manners=NEAR[kind]))
    exact = sample.evaluate()
    with grid_beyond(LIMIT):
        binned = sample.evaluate()
        check_bound(read(exact), read(binned))


@given(data=st.data())
@settings(max_examples=40)
def test_a_threshold_that_cuts_a_cell_is_within_its_bound(data: Any) -> None:
    sample = data.draw(samples("scores", least=LIMIT + 1, manners=("near",)))
    exact = sample.evaluate(threshold=0.5)
    cut = data.draw(st.sampled_from(sorted(set(sample.columns["score"]))))
    with grid_beyond(LIMIT):
        binned = sample.evaluate(threshold=0.5)
        check_bound(read(exact.at(cut)), read(binned.at(cut)))


@law(scores=12, classes=3, numbers=12)
def test_few_distinct_values_are_exact_at_any_size(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, least=LIMIT + 1, manners=("tied",) if kind != "numbers" else ("quarters",)))
    exact = read(sample.evaluate())
    with grid_beyond(LIMIT):
        binned = read(sample.evaluate())
    check_same(exact, binned)
    assert not any(x.bound for x in binned.values())


@law(scores=12, classes=3, numbers=12)
def test_asking_for_exactness_gives_it(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, least=LIMIT + 1, manners=NEAR[kind]))
    exact = read(sample.evaluate())
    with grid_beyond(LIMIT):
        asked = read(sample.evaluate(exact=True))
    check_same(exact, asked)
    assert not any(x.bound for x in asked.values())


@given(data=st.data())
@settings(max_examples=20)
def test_the_threshold_given_at_counting_is_exact(data: Any) -> None:
    sample = data.draw(samples("scores", least=LIMIT + 1, manners=("near",)))
    cut = data.draw(st.sampled_from(sorted(set(sample.columns["score"]))))
    exact = sample.evaluate(threshold=cut)
    with grid_beyond(LIMIT):
        binned = sample.evaluate(threshold=cut)
    assert exact.confusion is not None and binned.confusion is not None
    assert exact.confusion.counts.tolist() == binned.confusion.counts.tolist()
    assert binned.confusion.uncertain == (0.0, 0.0)


STEP = 2.0**-17
WORST: dict[str, tuple[dict[str, Any], float | None]] = {
    # A negative above twenty positives, all in one cell: taken together they have the precision of the last.
    "average_precision": (
        {
            "target": [0] + [1] * 20 + [0] * 3,
            "score": [0.3 + STEP] + [0.3 + STEP / 32 * i for i in range(20)] + [0.1] * 3,
        },
        None,
    ),
    # An edge of a bin cuts the cell, and its rows pull both bins apart.
    "ece": (
        {"target": [1] * 10 + [0] * 6, "score": [0.3 - STEP] + [0.3 + STEP / 2] * 3 + [0.27] * 6 + [0.37] * 6},
        None,
    ),
    # The median lies between a cell of one value and one of two.
    "median_ae": (
        {"target": [0.0] * 8, "prediction": [1.0] * 4 + [2.0, 2.0 + 2.0**-13] * 2, "kind": "continuous"},
        None,
    ),
    # All targets share a cell, so that their distance from the mean is within the grid alone.
    "rae": ({"target": [3.3, 3.3 + STEP, 3.3 + 3 * STEP, 3.3] * 2, "prediction": [1.0, 2.0, 3.0, 4.0] * 2}, None),
    # The threshold cuts the cell that holds all negatives: at worst none of them is left.
    "lr_negative": ({"target": [1, 0, 0, 1] * 2, "score": [0.1, 0.3 + STEP, 0.3 - STEP / 4, 0.9] * 2}, 0.3),
}


@pytest.mark.parametrize("name", list(WORST))
def test_the_worst_that_a_cell_can_hide(name: str) -> None:
    given, cut = WORST[name]
    exact = sy.evaluate(**given)
    with grid_beyond(LIMIT):
        binned = sy.evaluate(**given)
        a, b = (e if cut is None else e.at(cut) for e in (exact, binned))
        assert a.evidence != b.evidence
        check_bound({(name, None, ""): a[name]}, {(name, None, ""): b[name]})
