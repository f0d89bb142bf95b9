"""What summaries of fixed rows answer stands where it was approved: whoever moves a sum sees which, and by how much.

The laws say that parts add and that counts are those of the rows; this says that nothing else moved unseen. A new kind of summary
is asked all it can answer without being told of here. STEELYARD_APPROVE=1 writes the numbers down anew, to be read like code.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.summaries.alike import coincidence, fingerprint
from steelyard.summaries.thresholds import labels_at
from steelyard.summaries.within_folds import WithinFolds

from ..laws.reading import grid_beyond
from ..laws.test_summaries import ROLES, WEIGHTS, table

APPROVED = Path(__file__).resolve().parents[1] / "approved" / "summaries"
GIVEN: dict[str, Any] = {
    "factor": 3.0, "bits": 2, "most": 5, "times": 1.5, "threshold": 0.4, "power": 1.5, "place": 0, "which": (0,),
    "levels": (0, 1, 2, "a", "b", "c", "d"), "centre": np.array([1.5, 0.25]), "shares": np.linspace(0.5, 1.5, 12),
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
WORTH = {"value": {"amount": "amount", "copies": "copies"}}


def numbers_in(x: Any) -> Iterator[float]:
    """All that a value holds, one number after the other; what is no number is told apart all the same."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "fiub":
        yield from x.ravel().astype(float).tolist()
    elif x is None or isinstance(x, str | bytes):
        yield -1.0 if x is None else float(zlib.crc32(x.encode() if isinstance(x, str) else x) % 1000)
    elif isinstance(x, int | float | np.number):
        yield float(x)
    elif dataclasses.is_dataclass(x) and not isinstance(x, type):
        yield from numbers_in([getattr(x, f.name) for f in dataclasses.fields(x)])
    elif isinstance(x, Mapping):
        yield from numbers_in(list(x.items()))
    elif isinstance(x, Iterable):
        for part in x:
            yield from numbers_in(part)


def digest(x: Any) -> str:
    """How many numbers, their sizes together, and their sum in which every place has a weight of its own."""
    found = np.array(list(numbers_in(x)))
    sound = np.where(np.isfinite(found), found, 0.0)
    place = np.cos(np.arange(1.0, len(found) + 1))
    return f"{len(found) - np.isfinite(found).sum()} of {len(found)}, {np.abs(sound).sum():.9g}, {sound @ place:.9g}"


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
    if how == "grid":
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
        out += [f"labels at {t}: {digest(labels_at(found['scores'], t))}" for t in (0.25, 0.5)]
    return out


def parted(line: str) -> tuple[str, str, float, float]:
    where, _, rest = line.partition(": ")
    count, *sums = rest.rsplit(", ", 2)
    return (where, count, float(sums[0]), float(sums[1])) if len(sums) == 2 else (where, rest, math.nan, math.nan)


CASES = [(kind, how) for kind in ROLES for how in (*HOW, *(("grid",) if kind != "confusion" else ()))]
CASES += [(kind, how) for kind in ("scores", "class_scores", "residuals") for how in ("folds", "folds, sampling")]


@pytest.mark.parametrize(("kind", "how"), CASES)
def test_answers_stand_where_they_were_approved(kind: str, how: str) -> None:
    path = APPROVED / f"{kind} {how}.txt".replace(",", "").replace(" ", "_")
    found = lines(kind, how)
    if os.environ.get("STEELYARD_APPROVE"):
        APPROVED.mkdir(exist_ok=True)
        path.write_text("\n".join(found) + "\n", encoding="utf-8")
    wanted = path.read_text(encoding="utf-8").splitlines()
    assert [parted(x)[:2] for x in found] == [parted(x)[:2] for x in wanted]
    for new, old in zip(found, wanted):
        (where, _, size, sum_), (_, _, size_before, sum_before) = parted(new), parted(old)
        moved = max(abs(size - size_before), abs(sum_ - sum_before))
        message = f"{where}: was {old}, is {new}; read it, then STEELYARD_APPROVE=1 if the change is meant"
        assert math.isnan(size_before) or moved <= 1e-7 * size_before + 1e-9, message
