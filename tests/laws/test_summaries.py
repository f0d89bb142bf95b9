"""Every kind of summary keeps the same promises: adding, saving, weights, segments, units, the bootstrap, every engine.

A kind is found by its file. One that is counted beside another is held to these laws as it is; one with rows of its own
gets a line in ROLES.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.intervals.bootstrap import percentile_interval, replicates
from steelyard.intervals.method import Question
from steelyard.measures.measure import Measure, catalogue
from steelyard.summaries.summary import kinds
from steelyard.summaries.sums import Sums
from steelyard.summaries.within_folds import WithinFolds

from ..engines.forms import TABLES, VALUES, Col, evaluate
from ..engines.served import PLACES

ROLES: dict[str, dict[str, Any]] = {
    "confusion": {"target": "truth", "prediction": "label"},
    "scores": {"target": "truth", "score": "score"},
    "class_scores": {"target": "kind", "score": {"a": "a", "b": "b", "c": "c"}},
    "residuals": {"target": "amount", "prediction": "predicted"},
}
MADE = {WithinFolds.kind}
"""Kinds that are made of others and not counted."""
COUNTED = [kind for kind in kinds() if kind not in MADE]
WEIGHTS: dict[str, dict[str, Any]] = {
    "none": {},
    "frequency": {"weight": "copies", "weights": "frequency"},
    "sampling": {"weight": "weight", "weights": "sampling"},
}


def table(seed: int, n: int = 48) -> dict[str, Any]:
    """Rows for every kind, with ties; scores lie in cells of their own, also where units are kept apart."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    score = np.clip(rng.integers(1, 6, n) + 2 * truth, 1, 7) / 8
    kind = rng.choice(["a", "b", "c"], n)
    votes = rng.integers(1, 4, (3, n)) + np.array([2 * (kind == k) for k in "abc"])
    amount = rng.integers(1, 30, n) / 4
    columns = {"truth": truth, "label": np.where(rng.random(n) < 0.7, truth, 1 - truth), "score": score, "kind": kind}
    columns |= dict(zip("abc", votes / 8, strict=True))
    columns |= {"amount": amount, "predicted": np.maximum(amount + rng.integers(-4, 5, n) / 4, 0.25)}
    columns |= {"copies": rng.integers(1, 4, n), "weight": rng.choice([0.5, 1.0, 2.5], n)}
    # Every level, in every segment and whichever unit is left out.
    columns |= {"unit": np.arange(n) % 12, "region": rng.choice(["north", "south"], n)}
    for name, levels in (("truth", (0, 1)), ("kind", ("a", "b", "c"))):
        columns[name][: 2 * len(levels)] = list(levels) * 2
    return columns


def roles_of(kind: str) -> dict[str, Any]:
    found = kinds()[kind]
    return ROLES[found.beside if issubclass(found, Sums) else kind]


def counted(kind: str, columns: dict[str, Any], **roles: Any) -> Any:
    return sy.evaluate(columns, **roles_of(kind), **roles).evidence[kind]


def some(columns: dict[str, Any], places: Any) -> dict[str, Any]:
    return {name: x[places] for name, x in columns.items()}


def readers(summary: Any) -> list[tuple[str, Any]]:
    """Every measure of the whole that reads this kind."""

    def reader(m: Measure) -> Any:
        if type(summary) in m.reads:
            return m
        return lambda s: m(s.outcomes(s.positive))

    one = type(summary).one_level if summary.kind == "confusion" else None
    found = [m for m in catalogue().values() if "payoff" not in m.options and {type(summary), one} & set(m.reads)]
    return [(m.name, reader(m)) for m in found]


def values(summary: Any) -> dict[str, float]:
    return {name: float(read(summary).value) for name, read in readers(summary)}


def check_alike(a: dict[str, float], b: dict[str, float]) -> None:
    assert a.keys() == b.keys()
    for name, x in a.items():
        assert math.isclose(x, b[name], rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(x) and math.isnan(b[name])), name


def test_every_kind_is_held_to_these_laws() -> None:
    found = kinds()
    beside = {k for k, kind in found.items() if issubclass(kind, Sums) and kind.beside in ROLES}
    assert set(found) == set(ROLES) | beside | MADE, "say in ROLES which rows a new kind is counted from"


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("kind", COUNTED)
def test_parts_add_in_any_order_to_the_whole(kind: str, weighting: str) -> None:
    columns, roles = table(1), WEIGHTS[weighting]
    declared = {"levels": [0, 1]} if kind in {"confusion", "scores"} else {}
    a, b, c = (counted(kind, some(columns, part), **roles, **declared) for part in np.split(np.arange(48), [17, 30]))
    whole = counted(kind, columns, **roles, **declared)
    for found in ((a + b) + c, a + (b + c), c + b + a, sum([a, b, c])):
        assert found.rows == whole.rows and found.weighting == whole.weighting
        assert math.isclose(float(found.total), float(whole.total)) and math.isclose(found.effective, whole.effective)
        check_alike(values(found), values(whole))
    assert 0 + a is a


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("kind", COUNTED)
def test_what_was_saved_comes_back_the_same(kind: str, weighting: str) -> None:
    summary = counted(kind, table(2), unit="unit", **WEIGHTS[weighting])
    back = kinds()[kind].from_dict(json.loads(json.dumps(summary.to_dict())))
    assert back == summary and back.units == summary.units
    check_alike(values(back), values(summary))


@pytest.mark.parametrize("kind", COUNTED)
def test_a_frequency_is_so_many_copies(kind: str) -> None:
    columns = table(3)
    often = some(columns, np.repeat(np.arange(48), columns["copies"]))
    weighed, repeated = counted(kind, columns, **WEIGHTS["frequency"]), counted(kind, often)
    check_alike(values(weighed), values(repeated))
    once = counted(kind, columns, unit="unit")
    thrice = once.copies(3)
    assert thrice.rows == 3 * once.rows and np.allclose(thrice.bucket_sizes(), 3 * once.bucket_sizes())
    totals = {"sse"}
    check_alike(*({k: v for k, v in values(x).items() if k not in totals} for x in (thrice, once)))
    check_alike(values(thrice), values(once + once + once))


@pytest.mark.parametrize("kind", COUNTED)
def test_only_proportions_of_sampling_weights_matter(kind: str) -> None:
    columns = table(4)
    one = counted(kind, columns, **WEIGHTS["sampling"])
    many = counted(kind, {**columns, "weight": 7 * columns["weight"]}, **WEIGHTS["sampling"])
    totals = {"sse"}
    check_alike(*({k: v for k, v in values(x).items() if k not in totals} for x in (one, many)))
    assert math.isclose(one.effective, many.effective)
    kish = columns["weight"].sum() ** 2 / (columns["weight"] ** 2).sum()
    assert math.isclose(one.effective, kish, rel_tol=1e-9)


@pytest.mark.parametrize("kind", COUNTED)
def test_segments_are_counted_as_if_alone_and_add_up(kind: str) -> None:
    columns = table(5)
    e = sy.evaluate(columns, **roles_of(kind), segment="region", unit="unit")
    for region, part in e.segments.items():
        alone = counted(kind, some(columns, columns["region"] == region), unit="unit")
        check_alike(values(part.evidence[kind]), values(alone))
        assert part.evidence[kind].like(e.evidence[kind]).rows == alone.rows
    check_alike(values(sum(part.evidence[kind] for part in e.segments.values())), values(e.evidence[kind]))


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("kind", COUNTED)
def test_leaving_out_a_bucket_is_counting_without_its_units(kind: str, weighting: str) -> None:
    columns, roles = table(6), WEIGHTS[weighting]
    summary = counted(kind, columns, unit="unit", **roles)
    _, copies, buckets = summary.left_out()
    assert buckets == 12 and math.isclose(float(summary.bucket_sizes().sum()), float(summary.total))
    kept = {name: np.asarray(read(copies).value) for name, read in readers(summary)}
    kept = {name: x for name, x in kept.items() if x.ndim}
    assert kept
    for unit in range(12):
        place = summary.units.ids.tolist().index(_bucket(unit))
        without = values(counted(kind, some(columns, columns["unit"] != unit), **roles))
        for name, x in kept.items():
            assert math.isclose(x[place], without[name], rel_tol=1e-9, abs_tol=1e-9), (name, unit)
    fewer = summary.joined(2)
    assert len(fewer.units.ids) <= 4 and math.isclose(float(fewer.bucket_sizes().sum()), float(summary.total))


def _bucket(unit: int) -> int:
    alone = sy.evaluate(target=[0.5, 2.5], prediction=[1.0, 2.0], unit=[unit, unit])
    return int(alone.evidence["residuals"].units.ids[0])


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("kind", COUNTED)
def test_copies_of_the_bootstrap_lie_about_the_table_or_it_is_said_why_not(kind: str, weighting: str) -> None:
    summary = counted(kind, table(7), **WEIGHTS[weighting])
    drawn = summary.drawn(2.0, 200)
    if drawn is None:
        name, read = readers(summary)[0]
        found = percentile_interval(Question(catalogue()[name], summary, read, 0.95))
        assert found.low is None and "nothing can be drawn" in found.note
        return
    made = replicates(summary)
    mean, centre = made.copies.counts.mean(axis=0), made.centre.counts
    assert np.allclose(mean.sum(), centre.sum(), rtol=0.05)
    assert np.abs(mean - centre).max() < 0.15 * centre.sum()


FORMS = [*VALUES, *(name for name in TABLES if name not in PLACES)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", COUNTED)
def test_every_engine_counts_the_same(kind: str, form: str, tmp_path: Path) -> None:
    columns = table(8)
    roles = {**roles_of(kind), "weight": "weight", "unit": "unit", "segment": "region"}
    wanted = sy.evaluate(columns, **roles, weights="sampling")
    held = {"truth": "int", "label": "int", "kind": "text", "unit": "int", "region": "text", "copies": "int"}
    given = {name: Col(held.get(name, "float"), x.tolist()) for name, x in columns.items()}
    found = evaluate(form, given, tmp_path, roles, weights="sampling")
    assert found.evidence[kind] == wanted.evidence[kind]
    assert found.evidence[kind].units == wanted.evidence[kind].units
    for name, part in wanted.segments.items():
        assert found.segments[name].evidence[kind] == part.evidence[kind]
