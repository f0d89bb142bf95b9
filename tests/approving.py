"""Numbers of fixed rows that somebody has read and approved, and what it means that they have not moved.

STEELYARD_APPROVE=1 writes them down anew, to be read like code.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

APPROVED = Path(__file__).resolve().parent / "approved"
NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)(?![\w.])")


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
    elif isinstance(x, set | frozenset):
        yield from numbers_in(sorted(x, key=repr))
    elif isinstance(x, Mapping):
        yield from numbers_in(list(x.items()))
    elif isinstance(x, Iterable):
        for part in x:
            yield from numbers_in(part)


def digest(x: Any) -> str:
    """How many numbers and how many of them are finite, their sizes together, and their sum with a weight for every place."""
    found = np.array(list(numbers_in(x)))
    sound = np.where(np.isfinite(found), found, 0.0)
    place = np.cos(np.arange(1.0, len(found) + 1))
    return f"{len(found)} {np.isfinite(found).sum()} {np.abs(sound).sum():.9g} {sound @ place:.9g}"


def check_approved(name: str, found: list[str]) -> None:
    """Every line is as it was approved, its numbers to seven digits of the largest in the line.

    What has come since, such as a new measure, is approved when the others are written down the next time.
    """
    path = APPROVED / name
    if os.environ.get("STEELYARD_APPROVE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(found) + "\n", encoding="utf-8")
    wanted = path.read_text(encoding="utf-8").splitlines()
    known = {line.partition(": ")[0] for line in wanted}
    found = [line for line in found if line.partition(": ")[0] in known]
    assert [NUMBER.sub("", line) for line in found] == [NUMBER.sub("", line) for line in wanted]
    for new, old in zip(found, wanted):
        now, before = ([float(x) for x in NUMBER.findall(line.partition(": ")[2])] for line in (new, old))
        size = max((abs(x) for x in before if math.isfinite(x)), default=0.0)
        same = all(
            a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-7 * size + 1e-9 for a, b in zip(now, before)
        )
        assert same, f"was {old}, is {new}; read it, then STEELYARD_APPROVE=1 if the change is meant"
