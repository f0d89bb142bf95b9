"""Many at once is one by one: segments and levels read together have the numbers that each has by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import steelyard as sy
from steelyard.asking import together
from steelyard.results import Estimate

LEVELS = {"two": ["no", "yes"], "three": ["a", "b", "c"]}
WEIGHTS: dict[str, dict[str, Any]] = {
    "none": {},
    "frequency": {"weight": "copies", "weights": "frequency"},
    "sampling": {"weight": "weight", "weights": "sampling"},
}
KINDS = ("labels two", "labels three", "labels one of three", "scores", "classes", "numbers")


def table(seed: int, rows: int) -> dict[str, Any]:
    """Rows of four segments: a large one, two of some rows, and one of very few."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 3, rows)
    guess = np.where(rng.random(rows) < 0.6, code, rng.integers(0, 3, rows))
    scores = rng.dirichlet(np.ones(3), rows) + 0.4 * np.eye(3)[code]
    scores = (scores / scores.sum(axis=1, keepdims=True)).round(2)
    number = rng.gamma(2.0, 2.0, rows)
    return {
        **{f"truth {k}": np.array(names)[code % len(names)] for k, names in LEVELS.items()},
        **{f"guess {k}": np.array(names)[guess % len(names)] for k, names in LEVELS.items()},
        "score": np.clip(rng.normal(0.35 + 0.3 * (code % 2), 0.2), 0.01, 0.99).round(2),
        **{f"score {v}": scores[:, i] for i, v in enumerate(LEVELS["three"])},
        "number": number,
        "predicted": number + rng.normal(size=rows),
        "weight": rng.gamma(2.0, 0.5, rows),
        "copies": rng.integers(1, 4, rows),
        "unit": rng.integers(0, rows // 3 + 1, rows),
        "part": rng.choice(["north", "south", "west", "isle"], rows, p=[0.6, 0.2, 0.17, 0.03]),
    }


def roles(kind: str) -> dict[str, Any]:
    what, which = kind.split()[0], kind.split()[-1]
    if what == "labels":
        known = {"labels two": {"positive": "yes"}, "labels one of three": {"positive": "b"}}.get(kind, {})
        return {"target": f"truth {which}", "prediction": f"guess {which}", **known}
    if what == "scores":
        return {"target": "truth two", "score": "score", "positive": "yes"}
    if what == "classes":
        return {"target": "truth three", "score": {v: f"score {v}" for v in LEVELS["three"]}}
    return {"target": "number", "prediction": "predicted"}


def differing(a: Estimate, b: Estimate) -> Iterator[str]:
    for field in fields(Estimate):
        x, y = getattr(a, field.name), getattr(b, field.name)
        same = math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-12) if isinstance(x, float) and y is not None else x == y
        if not same:
            yield f"{a.measure} {a.level!r} {a.segment!r}: {field.name} is {x!r} together and {y!r} alone"


def numbers(e: sy.Evaluation) -> list[Estimate]:
    return [x for part in (e, *e.segments.values()) for x in part.rows_of_numbers()]


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("kind", KINDS)
def test_many_at_once_is_one_by_one(kind: str, weighting: str, unit: bool) -> None:
    # Of what cannot be laid on one another, which is most of the work, some rows must do.
    columns = table(len(kind), 240 if kind.startswith("labels") else 80)
    given = {**roles(kind), **WEIGHTS[weighting], "segment": "part", **({"unit": "unit"} if unit else {})}
    e = sy.evaluate(columns, **given)
    e.frame()
    together_found = numbers(e)
    with patch.object(together, "_alike", lambda parts: iter(())):
        fresh = replace(e, segments=e.segments.changed(replace))
        alone = numbers(fresh)
    assert len(together_found) == len(alone) > 0
    assert [words for a, b in zip(together_found, alone, strict=True) for words in differing(a, b)] == []


def test_labels_and_levels_are_really_read_together() -> None:
    e = sy.evaluate(table(1, 2000), **roles("labels three"), segment="part")
    asked = []
    with patch("steelyard.asking.answering.estimate", lambda question, **_: asked.append(question)):
        together.answer([e, *e.segments.values()])
        found = {(type(level), level) for _, _, level, _ in e._known}
        big = e.segments["north"]
        assert all(big.measure(name, level).defined for name, level in together.every_question(big))
    assert asked == []
    assert {level for _, level in found} == {None, "a", "b", "c", "macro", "micro", "weighted"}


def test_more_parts_than_are_read_at_once() -> None:
    columns = table(3, 600)
    e = sy.evaluate(columns, **roles("labels two"), segment="unit")
    with patch.object(together, "MOST", 7):
        together.answer(list(e.segments.values()))
    small = {name: part["accuracy"] for name, part in e.segments.items()}
    assert {name: x.value for name, x in small.items()} == {
        name: replace(part)["accuracy"].value for name, part in e.segments.items()
    }
