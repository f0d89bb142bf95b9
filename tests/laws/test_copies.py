"""Order, copies and weights of rows: what may change a number and what may not."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from steelyard.measures.measure import catalogue

from .law import law
from .reading import but_totals, check_same, few_replicates, is_total, read
from .samples import samples

ROUNDING = 1e-5
"""Intervals differ by more than values when sums are added in another order: some rest on a numeric derivative."""


@law(labels=8, scores=15, classes=3, numbers=8)
def test_the_order_of_rows_does_not_matter(kind: str, data: Any) -> None:
    weights = data.draw(st.sampled_from((None, "sampling")))
    sample = data.draw(samples(kind, weights=weights))
    shuffled = sample.take(data.draw(st.permutations(range(len(sample)))))
    a, b = sample.evaluate(), shuffled.evaluate()
    assert a.evidence == b.evidence
    check_same(read(a, intervals=True), read(b, intervals=True), ends=True, tolerance=ROUNDING)


@law(labels=6, scores=12, classes=2, numbers=5)
def test_every_row_four_times_changes_no_value_and_widens_no_interval(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, least=3, most=12))
    once, often = sample.evaluate(), sample.take([*range(len(sample))] * 4).evaluate()
    with few_replicates(300):
        a, b = read(once, intervals=True), read(often, intervals=True)
    check_same(but_totals(once, a), but_totals(often, b))
    for key, x in a.items():
        y = b[key]
        if is_total(once, key):
            assert x.value is not None and y.value == pytest.approx(4 * x.value), key
        elif x.low is not None and x.high is not None:
            assert y.low is not None and y.high is not None, f"{key}: {y.note}"
            # Four times the rows halve an interval; where it was drawn by chance, about so.
            drawn = "replicates" in x.method or "classes" in x.method
            least, most = catalogue()[key[0]].range
            if drawn and (x.low == least or x.high == most or math.isinf(most)):
                # Cut off at an end, or with an upper end that nothing holds back, its length is a matter of chance.
                continue
            slack = 0.1 if drawn else 1e-6
            assert y.high - y.low <= (x.high - x.low) * (1 + slack) + 1e-7, f"{key}: {x} and copied {y} ({x.method})"


@law(labels=6, scores=10, classes=3, numbers=5)
def test_rows_repeated_within_their_units_change_nothing(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, least=16, most=22, units=14))
    once, twice = sample.evaluate(), sample.take([*range(len(sample))] * 2).evaluate()
    a, b = (but_totals(once, read(e, intervals=True)) for e in (once, twice))
    check_same(a, b, ends=True, tolerance=ROUNDING)


@law(labels=8, scores=12, classes=3, numbers=6)
def test_a_frequency_weight_is_so_many_copies(kind: str, data: Any) -> None:
    units = data.draw(st.sampled_from((0, 14)))
    sample = data.draw(samples(kind, weights="frequency", units=units, least=2 if not units else 14))
    copies = sample.take([i for i, k in enumerate(sample.columns["weight"]) for _ in range(k)]).without("weight")
    a, b = read(sample.evaluate(), intervals=True), read(copies.evaluate(), intervals=True)
    check_same(a, b, ends=True, tolerance=ROUNDING)
    for key, x in a.items():
        assert x.n == b[key].n, key


@law(labels=8, scores=12, classes=3, numbers=6)
def test_sampling_weights_have_no_unit(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, weights="sampling"))
    factor = data.draw(st.sampled_from((2.0**-30, 0.5, 3.0, 2.0**30)))
    scaled = sample.with_columns(weight=[w * factor for w in sample.columns["weight"]])
    e, f = sample.evaluate(), scaled.evaluate()
    a, b = (but_totals(e, read(x, intervals=True)) for x in (e, f))
    check_same(a, b, ends=True, tolerance=ROUNDING)
    for key, x in a.items():
        assert x.n_eff == pytest.approx(b[key].n_eff), key
        assert x.n_eff is None or x.n_eff <= len(sample) * (1 + 1e-9), f"{key}: {x.n_eff} of {len(sample)} rows count"


@law(labels=5, scores=8, classes=2, numbers=4)
def test_equal_sampling_weights_are_no_weights(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind))
    weighted = sample.with_columns(weight=[0.25] * len(sample))
    e, f = sample.evaluate(), weighted.evaluate(weights="sampling")
    a, b = (but_totals(e, read(x, intervals=True)) for x in (e, f))
    check_same(a, b, ends=True, tolerance=ROUNDING)


@law(labels=6, scores=10, classes=3, numbers=6)
def test_a_quarter_of_four_copies_is_the_rows_themselves(kind: str, data: Any) -> None:
    sample = data.draw(samples(kind, least=3, most=12, weights=data.draw(st.sampled_from((None, "sampling")))))
    once, often = sample.evaluate(), sample.take([*range(len(sample))] * 4).evaluate()
    quarter = replace(often, evidence={k: v.copies(0.25) for k, v in often.evidence.items()})
    assert quarter.rows == once.rows
    with few_replicates(100):
        check_same(read(once, intervals=True), read(quarter, intervals=True), ends=True, tolerance=ROUNDING)
