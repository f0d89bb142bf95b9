"""Every number of fixed rows, what the grid leaves open of it and why there is none stand where they were approved.

Definitions are held beside this, row by row (`plain.py`); this says that nothing moved unseen at the edges: without errors, where
all rows are told the same, with scores that are no probabilities, with a class that never comes, with five rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import pytest

import steelyard as sy
from steelyard.measures.curves import curves
from steelyard.measures.measure import Measure, catalogue, complement

from ..approving import check_approved, digest
from ..intervals.test_approved import ROLES, WEIGHTS, at_the_edge, table
from ..laws.reading import curves_of, grid_beyond, read

Columns = dict[str, Any]
EDGES: dict[str, Callable[[Columns], Columns]] = {
    "plain": lambda columns: columns,
    "perfect": lambda columns: at_the_edge(columns, "perfect"),
    "alike": lambda columns: at_the_edge(columns, "alike"),
    "wrong": lambda columns: columns | {"score": 1 - columns["score"], "predicted": -columns["predicted"]},
    "odds": lambda columns: columns | {"score": 3 * columns["score"] - 1, "a": 4 * columns["a"]},
    "certain": lambda columns: columns | {"score": columns["score"].round(0), "amount": columns["predicted"] * 0 + 7},
    "five rows": lambda columns: {name: x[:5] for name, x in columns.items()},
    "sampling by unit": lambda columns: columns,
    "grid": lambda columns: columns,
}


TOLD = {"documentation", "sentence", "question", "title", "told", "leads"}
"""Facts that are words for people, which others read."""


def told(e: sy.Evaluation) -> Iterator[str]:
    for key, x in read(e).items():
        rest = " ".join(filter(None, (x.reason, x.note)))
        yield f"{key}: {x.value} within {x.bound} of {x.n} {rest}".rstrip()
    for level in e.levels if e.class_scores is not None else (None,) if e.scores is not None else ():
        for c in curves_of(e, level):
            yield from (f"curve {c.name} {level} {column}: {digest(x)}" for column, x in c.columns.items())


@pytest.mark.parametrize("how", EDGES)
@pytest.mark.parametrize("kind", ROLES)
def test_numbers_stand_where_they_were_approved(kind: str, how: str) -> None:
    columns = EDGES[how](table(96))
    by = WEIGHTS.get(how, {})
    if how != "grid":
        found = list(told(sy.evaluate(columns, **ROLES[kind], **by)))
    else:
        with grid_beyond(10):
            found = list(told(sy.evaluate(columns, **ROLES[kind])))
    check_approved(f"measures/{kind} {how}.txt".replace(" ", "_"), found)


def test_facts_stand_where_they_were_approved() -> None:
    def facts(m: Measure) -> Iterator[tuple[str, Any]]:
        said = {f.name for f in fields(m)} | {n for n in dir(Measure) if not n.startswith("_")}
        for name in sorted(said):
            if not callable(x := getattr(m, name)) and not isinstance(x, type | dict):
                yield name, x
        yield "complement", getattr(complement(m), "name", None)

    found = [
        f"{name} {fact}: {digest(x)}" for name, m in catalogue().items() for fact, x in facts(m) if fact not in TOLD
    ]
    check_approved("measures/facts.txt", found)


def test_every_curve_is_among_them() -> None:
    e = sy.evaluate(table(96), **ROLES["scores"])
    assert {c.name for c in curves_of(e)} == set(curves())
