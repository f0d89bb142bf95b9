"""Every measure is what its plain definition says: on drawn rows, with weights, and with each unit left out in turn."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.measure import catalogue, find
from steelyard.results import Mean, Reading
from steelyard.summaries.confusion import Confusion, Outcomes

from . import plain

KINDS = ("labels", "scores", "classes", "numbers")
SEEDS = range(6)
WEIGHTS = (None, "frequency", "sampling")
LEVELS = ("a", "b", "c")


def drawn(kind: str, rng: np.random.Generator, n: int, weights: str | None) -> tuple[plain.Rows, dict[str, Any]]:
    """Rows with many ties, and what to say of them to `evaluate`."""
    weight = {None: np.ones(n), "frequency": rng.integers(1, 4, n), "sampling": rng.choice([0.1, 0.5, 1.0, 3.7], n)}
    w = weight[weights].astype(float).tolist()
    given: dict[str, Any] = {} if weights is None else {"weight": w, "weights": weights}
    if kind == "numbers":
        t = rng.integers(0 if rng.random() < 0.5 else 1, 9, n) / 2
        m = t + rng.integers(-4, 5, n) / 4
        m = np.where(m > 0, m, 0.25) if rng.random() < 0.7 else m
        given |= {"target": t, "prediction": m, "kind": "continuous"}
        return list(zip(t.tolist(), m.tolist(), w)), given
    if kind == "scores":
        p = rng.integers(1, 20, n) / 20
        y = (rng.random(n) < p).astype(int)
        y[:2] = 0, 1
        given |= {"target": y, "score": p, "positive": 1}
        return list(zip(y.tolist(), p.tolist(), w)), given
    t = [LEVELS[i] for i in rng.integers(0, 3, n)]
    if kind == "labels":
        said = [v if rng.random() < 0.6 else LEVELS[rng.integers(0, 3)] for v in t]
        given |= {"target": t, "prediction": said, "levels": LEVELS}
        return list(zip(t, said, w)), given
    t[:3] = LEVELS
    x = rng.integers(1, 5, (n, 3)).astype(float)
    x /= x.sum(axis=1, keepdims=True)
    given |= {"target": t, "score": {v: x[:, i] for i, v in enumerate(LEVELS)}}
    return list(zip(t, x.tolist(), w)), given


def truths(kind: str, rows: plain.Rows) -> dict[tuple[str, Any], float | None]:
    """The numbers of rows as the plain definitions have them, by name and level."""
    if kind == "labels":
        out = {(name, None): x for name, x in plain.of_labels(rows, LEVELS).items()}
        return out | {(name, v): x for v in LEVELS for name, x in plain.of_level(rows, v).items()}
    if kind == "classes":
        return {(name, None): x for name, x in plain.of_classes(rows, LEVELS).items()}
    found = plain.of_scores(rows) if kind == "scores" else plain.of_numbers(rows)
    return {(name, None): x for name, x in found.items()}


def asked(text: str) -> tuple[str, dict[str, Any]]:
    """A name and its options, from "lift depth=0.5"."""
    name, *options = text.split(" ")
    return name, {k: ast.literal_eval(v) for k, v in (o.split("=") for o in options)}


def reading(e: sy.Evaluation, text: str, level: Any) -> Reading:
    name, options = asked(text)
    m = find(name)
    if level is not None:
        assert e.confusion is not None
        return m(e.confusion.outcomes(level), **options)
    return m(next(s for kind, s in e.summaries.items() if kind in m.reads), **options)


def check(found: Reading, wanted: float | None, said: str) -> None:
    value = float(found.value)
    if wanted is None:
        assert math.isnan(value) and found.empty, said
    else:
        assert value == pytest.approx(wanted, rel=1e-9, abs=1e-10), said


def cases(weights: str | None, kind: str) -> Iterator[tuple[plain.Rows, dict[str, Any]]]:
    for seed in SEEDS:
        rng = np.random.default_rng([seed, KINDS.index(kind), WEIGHTS.index(weights)])
        yield drawn(kind, rng, int(rng.integers(4, 26)), weights)


def test_every_measure_of_the_house_is_defined_plainly() -> None:
    rng = np.random.default_rng(0)
    known = {asked(name)[0] for kind in KINDS for name, _ in truths(kind, drawn(kind, rng, 9, None)[0])}
    house = {name for name, m in catalogue().items() if m.function.__module__.startswith("steelyard.")}
    apart = {"profit", "cost", "calibration_slope", "calibration_intercept"}
    assert known | apart == house, "profit and cost in test_money.py, what is fitted below"


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_measure_is_what_its_plain_definition_says(kind: str, weights: str | None) -> None:
    for rows, given in cases(weights, kind):
        e = sy.evaluate(**given)
        for (name, level), wanted in truths(kind, rows).items():
            check(reading(e, name, level), wanted, f"{name} of {level}: {rows}")


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_proportions_of_weights_matter(kind: str) -> None:
    for rows, given in cases("sampling", kind):
        e = sy.evaluate(**given | {"weight": [w / 1024 for w in given["weight"]]})
        for (name, level), wanted in truths(kind, rows).items():
            if name != "sse":
                check(reading(e, name, level), wanted, f"{name} of {level}: {rows}")


@pytest.mark.parametrize("slope", [True, False])
def test_a_fitted_slope_or_intercept_has_the_greatest_likelihood(slope: bool) -> None:
    name = "calibration_slope" if slope else "calibration_intercept"
    for weights in (None, "sampling"):
        for rows, given in list(cases(weights, "scores"))[:4]:
            found = reading(sy.evaluate(**given), name, None)
            low = [p for y, p, _ in rows if not y]
            high = [p for y, p, _ in rows if y]
            if slope and (max(low) <= min(high) or max(high) <= min(low)):
                assert math.isnan(float(found.value)), rows
            else:
                wanted = plain.fitted(rows, slope=slope)[1 if slope else 0]
                assert float(found.value) == pytest.approx(wanted, abs=1e-6), rows


@pytest.mark.parametrize("kind", KINDS)
def test_without_each_unit_it_is_that_of_the_other_rows(kind: str) -> None:
    """All at once, on a leading axis: as the intervals by unit and the bootstrap read a measure."""
    rng = np.random.default_rng([5, KINDS.index(kind)])
    rows, given = drawn(kind, rng, 14, None)
    unit = [i // 2 for i in range(14)]
    e = sy.evaluate(**given, unit=unit)
    others = [truths(kind, [r for r, u in zip(rows, unit) if u != left]) for left in range(7)]
    for name, level in truths(kind, rows):
        if asked(name)[0] in ("median_ae", "max_error", "rae"):
            continue  # Not of sums: left_out has no table of sizes for every bucket.
        m, options = find(asked(name)[0]), asked(name)[1]
        summary = next(s for k, s in e.summaries.items() if k in (m.reads if level is None else (Confusion,)))
        _, without, many = summary.left_out()
        found = m(without if level is None else without.outcomes(level), **options).value
        wanted = [x[name, level] for x in others]
        assert many == 7
        told = sorted(math.inf if math.isnan(x) else x for x in np.broadcast_to(found, 7))
        assert told == pytest.approx(sorted(math.inf if x is None else x for x in wanted), abs=1e-9), name


def spread(values: list[float], rows: plain.Rows) -> float:
    w = [v for _, _, v in rows]
    mean = math.fsum(a * b for a, b in zip(w, values)) / math.fsum(w)
    return math.sqrt(math.fsum(a * (b - mean) ** 2 for a, b in zip(w, values)) / math.fsum(w))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_mean_over_rows_knows_their_spread(weights: str | None) -> None:
    """What one row alone has is its value, so the spread of a mean is that of the numbers of single rows."""
    seen = set()
    for kind in ("scores", "classes", "numbers"):
        for rows, given in cases(weights, kind):
            e = sy.evaluate(**given)
            single = [truths(kind, [(*row[:2], 1.0)]) for row in rows]
            for name, level in truths(kind, rows):
                found = reading(e, name, level)
                if isinstance(found, Mean) and not math.isnan(float(found.value)):
                    values = [x[name, level] for x in single]
                    factor = float(found.factor)
                    assert None not in values
                    # A sum counts all rows, a single row but one.
                    wanted = spread([float(x) for x in values if x is not None], rows) * (
                        factor / 0.5 if name == "sse" else 1
                    )
                    assert float(found.deviation) == pytest.approx(wanted, rel=1e-7, abs=1e-7), (name, rows)
                    seen.add(name)
    assert seen >= {"brier", "log_loss", "mse", "mae", "bias", "pinball quantile=0.9", "gamma_deviance", "sse", "mape"}


def test_outcomes_may_be_many_tables_at_once() -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 4, (30, 4)).astype(float)
    table = Outcomes(*counts.T)
    for name, m in catalogue().items():
        if Outcomes in m.reads:
            alone = [float(m(Outcomes(*row)).value) for row in counts]
            assert np.allclose(np.broadcast_to(m(table).value, 30), alone, equal_nan=True), name
