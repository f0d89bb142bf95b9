"""What summaries of fixed rows answer stands where it was approved: whoever moves a sum sees which, and by how much.

The laws say that parts add and that counts are those of the rows; this says that nothing else moved unseen. A new kind of summary
is asked all it can answer without being told of here.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.results import Ratio, Share
from steelyard.summaries.alike import coincidence, fingerprint
from steelyard.summaries.thresholds import labels_at
from steelyard.summaries.within_folds import WithinFolds

from ..approving import check_approved, digest
from ..laws.reading import grid_beyond
from ..laws.test_summaries import ROLES, WEIGHTS, table

GIVEN: dict[str, Any] = {
    "factor": 3.0, "bits": 2, "most": 5, "times": 1.5, "threshold": 0.4, "power": 1.5, "place": 0, "which": (0,),
    "levels": (0, 1, 2, "a", "b", "c", "d"), "centre": np.array([1.5, 0.25]), "shares": np.linspace(0.5, 1.5, 12),
    "prior": 2.0, "share": Share(30.0, 40.0), "reading": Share(30.0, 40.0), "squares": Share(35.0, 60.0), "average": "macro",
    "sides": ("yes", "no", "row"), "value": 0.0,
    "read": lambda s: Ratio((s.counts * np.arange(s.counts.size).reshape(s.counts.shape)).sum(), 1.0),
}  # fmt: skip
"""What is said to questions that need to be told something."""
UNASKED = {"from_dict", "of", "to_dict", "zero", "stacked"}
"""Summaries made anew, which the laws hold to what they were made from."""
HOW: dict[str, dict[str, Any]] = {
    "plain": {},
    "frequency": WEIGHTS["frequency"],
    "units": {"unit": "unit"},
    "sampling by unit": WEIGHTS["sampling"] | {"unit": "unit"},
}
EDGES: dict[str, Callable[[Any], Any]] = {
    "grid": lambda x: x,
    "numbers in one cell": lambda x: 1e6 + x / 1e3,
    "no numbers but zero": lambda x: x * 0,
    "numbers near nothing": lambda x: x * 1e-60,
}
"""Numbers on the grid, far away, all the same, and hardly there."""
WORTH = {"value": {"amount": "amount", "copies": "copies"}}


def answers(x: Any) -> Iterator[str]:
    """A line for everything that can be asked of an object, and for what it is made of."""
    kind = type(x)
    for name in sorted(n for n in dir(kind) if not n.startswith("_") and n not in UNASKED):
        found = getattr(x, name)
        if callable(found):
            told = inspect.signature(found).parameters
            if not all(k in GIVEN or p.default is not p.empty for k, p in told.items()):
                continue
            try:
                found = found(**{k: GIVEN[k] for k in told if k in GIVEN})
                found = list(found) if isinstance(found, Iterator) else found
            except (
                AssertionError,
                TypeError,
                ValueError,
                LookupError,
                AttributeError,
                RuntimeError,
                StopIteration,
            ) as why:
                yield f"{kind.__name__}.{name}: none, {type(why).__name__}"
                continue
        yield f"{kind.__name__}.{name}: {digest(found)}"
        if (
            dataclasses.is_dataclass(found)
            and type(found).__module__.startswith("steelyard")
            and not callable(getattr(x, name))
        ):
            yield from answers(found)


def evidence(kind: str, how: str) -> dict[str, Any]:
    columns = table(9, 96)
    worth = {} if kind == "residuals" else WORTH
    if how in EDGES:
        columns |= {name: EDGES[how](columns[name]) for name in ("amount", "predicted")}
        worth |= {} if how == "grid" else {"unit": "unit"}
        with grid_beyond(10):
            return dict(sy.evaluate(columns, **ROLES[kind], **worth).evidence)
    if how.startswith("folds"):
        roles = ROLES[kind] | (WEIGHTS["sampling"] if how == "folds, sampling" else {})
        parts = [{name: x[np.arange(96) % 4 == fold] for name, x in columns.items()} for fold in range(4)]
        return {WithinFolds.kind: sum(WithinFolds.of(sy.evaluate(part, **roles).evidence) for part in parts)}
    return dict(sy.evaluate(columns, **ROLES[kind], **worth, **HOW[how]).evidence)


def lines(kind: str, how: str) -> list[str]:
    found = evidence(kind, how)
    out = [line for summary in found.values() for line in answers(summary)]
    if WithinFolds.kind in found:
        return out + [line for order in found[WithinFolds.kind].orders for line in answers(order)]
    out += [f"fingerprint: {digest(fingerprint(found))}", f"coincidence: {digest(coincidence(found))}"]
    if kind == "scores":
        on_the_grid = labels_at(found["scores"], 0.3)
        out += answers(on_the_grid)
        out += [f"labels at {t}: {digest(labels_at(found['scores'], t))}" for t in (0.25, 0.5)]
    return out


CASES = [(kind, how) for kind in ROLES for how in (*HOW, *(("grid",) if kind != "confusion" else ()))]
CASES += [("residuals", how) for how in EDGES if how != "grid"]
CASES += [(kind, how) for kind in ("scores", "class_scores", "residuals") for how in ("folds", "folds, sampling")]


@pytest.mark.parametrize(("kind", "how"), CASES)
def test_answers_stand_where_they_were_approved(kind: str, how: str) -> None:
    name = f"{kind} {how}.txt".replace(",", "").replace(" ", "_")
    check_approved(f"summaries/{name}", lines(kind, how))
