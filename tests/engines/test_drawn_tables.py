"""Tables drawn at random, in every form and counted by every engine, against an answer in plain Python.

As many are drawn as STEELYARD_FUZZ says.
"""

from __future__ import annotations

import datetime as dt
import os
import random
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy

from . import forms, served
from .forms import FORMS, Col, evaluate

TABLES = int(os.environ.get("STEELYARD_FUZZ", "24"))
WHOLE = {
    f"{u}int{bits}": (0 if u else -(2 ** (bits - 1)), 2 ** (bits - (not u)) - 1)
    for u in ("", "u")
    for bits in (8, 16, 32, 64)
}
WORDS = ["a", "B", "b", "Zoë", "李", "a b", "q'\"", "naïve", "x\ty", "-", "1st"]
LOOK_ALIKES = ["1", "True", "1.5", "(missing)", "None", "nan", "2024-03-01", '"1"', "1 (number)", "(no value)"]
BYTES = [b"a", b"\xff", b"\xfe\xff", "Zoë".encode(), b"a\\xFF", b"\x00", b"caf\xe9", b"caf\xe8"]
MIXED: list[Any] = [1, "1", True, "True", 1.5, "1.5", "(missing)", 2**60, "x", -7, 0, "0", Decimal("2.25"), "2.25"]
IN_MEMORY = ("lists", "arrays", "pandas series", "dictionary", "pandas classic")
"""Forms whose columns may hold anything."""
HERE = tuple(form for form in FORMS if isinstance(form, str) and form not in served.PLACES)


def _values(r: random.Random, kind: str) -> list[Any]:
    """Different values of one kind to choose from, the extreme ones among them."""
    if kind in WHOLE:
        low, high = WHOLE[kind]
        near = r.randint(low, high)
        return list({low, high, near, min(near + 1, high), r.randint(low, high), max(low, -1), 1})
    if kind == "mixed":
        found = r.sample(MIXED, 6)
        # Python itself takes these for one value, so that they are refused together.
        return [v for v in found if v is not True or 1 not in [x for x in found if x is not True]]
    return {
        "bool": [True, False],
        "float": [0.1, -2.5, 1e300, 3.0, 5e-324],
        "text": r.sample(WORDS, 5),
        "category": r.sample(WORDS + LOOK_ALIKES, 5),
        "look-alikes": r.sample(LOOK_ALIKES, 5),
        "bytes": r.sample(BYTES, 5),
        "decimal": [Decimal("0.1"), Decimal("-3"), Decimal("99999999999999.9999"), Decimal("2.5000")],
        "date": [dt.date(2024, 3, 1), dt.date(1970, 1, 1), dt.date(9999, 12, 31)],
    }[kind]


SCORES = (*WHOLE, "float")
KINDS = (*WHOLE, "bool", "text", "category", "look-alikes", "bytes", "decimal", "date", "mixed")


def _plain(value: Any) -> Any:
    """A value as a level, from scratch: whole numbers whole, days as text, bytes as text or codes."""
    if isinstance(value, Decimal):
        if value == int(value):
            return int(value)
        return float(value) if Decimal(repr(float(value))) == value else format(value.normalize(), "f")
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, bytes):
        text = value.decode("utf-8", "ignore")
        if text.encode() == value and "\\" not in text:
            return text
        return "".join(chr(b) if 32 <= b < 127 and chr(b) not in "\\'\"" else f"\\x{b:02X}" for b in value)
    return value


def _key(value: Any) -> tuple[str, Any]:
    plain = _plain(value)
    return "number" if type(plain) in (int, float) else type(plain).__name__, plain


def _column(r: random.Random, kind: str, n: int, most: int, gaps: float) -> Col:
    known = _values(r, kind)
    values = r.sample(known, min(most, len(known)))
    drawn = [*values, *r.choices(values, k=n)][:n]
    r.shuffle(drawn)
    return Col("text" if kind == "look-alikes" else kind, [None if r.random() < gaps else v for v in drawn])


def _csv_keeps(*columns: Col) -> bool:
    """Whether a file without types tells these values from others."""
    words = {v for c in columns for v in c.values if isinstance(v, str)}
    kinds = {c.kind for c in columns}
    return not kinds & {"bytes", "decimal", "mixed", "bool"} and not words & {*LOOK_ALIKES, "x\ty"}


def _forms(*columns: Col) -> tuple[str, ...]:
    if any(c.kind == "mixed" for c in columns):
        return IN_MEMORY
    return tuple(form for form in HERE if form != "csv" or _csv_keeps(*columns))


def _area(rows: list[tuple[Any, float]], positive: Any) -> float | None:
    """By looking at every pair."""
    up = [s for t, s in rows if _key(t) == _key(positive)]
    down = [s for t, s in rows if _key(t) != _key(positive)]
    wins = sum((a > b) + (a == b) / 2 for a in up for b in down)
    return wins / (len(up) * len(down)) if up and down else None


def _segments(values: Any) -> dict[Any, list[int]]:
    out: dict[Any, list[int]] = {}
    for i, v in enumerate(values):
        out.setdefault(_key(v), []).append(i)
    return out


def _check_scores(r: random.Random, folder: Path) -> int:
    n = r.randint(8, 24)
    target = _column(r, r.choice(KINDS), n, 2, r.choice((0.0, 0.1)))
    segment = _column(r, r.choice(KINDS), n, 6, r.choice((0.0, 0.2)))
    kind = r.choice(SCORES)
    score = Col(kind, r.choices(_values(r, kind), k=n))
    levels = {_key(v): _plain(v) for v in target.values if v is not None}
    positive = r.choice(list(levels.values()))
    rows = [i for i in range(n) if target.values[i] is not None]
    told = [(target.values[i], score.values[i], segment.values[i]) for i in rows]
    parts = _segments([s for _, _, s in told])
    table = {"y": target, "p": score, "s": segment}
    roles = {"target": "y", "score": "p", "segment": "s"}
    every = _forms(target, segment, score) if len(levels) == 2 else ()
    for form in every:
        e = evaluate(form, table, folder, roles, positive=positive, missing="drop")
        where = (form, table)
        assert e["auc"].value == pytest.approx(_area([(t, s) for t, s, _ in told], positive)), where
        assert {_key(v): p.rows for (_, v), p in e.segments.by_key.items()} == {k: len(v) for k, v in parts.items()}, (
            where
        )
        for (_, v), p in e.segments.by_key.items():
            here = [(told[i][0], told[i][1]) for i in parts[_key(v)]]
            wanted = _area(here, positive)
            assert p["auc"].value == (None if wanted is None else pytest.approx(wanted)), (*where, v)
            assert e.segments[p.segment] is p, where
    if every:
        e.save(folder / "e.json")
        assert list(sy.load(folder / "e.json").segments.by_key) == list(e.segments.by_key)
    return len(every)


def _check_labels(r: random.Random, folder: Path) -> int:
    n, kind = r.randint(8, 24), r.choice(KINDS)
    target = _column(r, kind, n, 4, r.choice((0.0, 0.1)))
    known = [v for v in target.values if v is not None]
    if len({_key(v) for v in known}) < 2:
        return 0
    guess = Col(
        target.kind, [r.choice([v, r.choice(known)]) for v in [t if t is not None else known[0] for t in target.values]]
    )
    rows = [(t, g) for t, g in zip(target.values, guess.values, strict=True) if t is not None]
    positive = _plain(known[0])
    wanted = Counter((_key(t), _key(g)) for t, g in rows)
    if not {a for a, _ in wanted} & {b for _, b in wanted}:
        return 0
    every = _forms(target, guess)
    for form in every:
        roles = {"target": "y", "prediction": "g"}
        e = evaluate(form, {"y": target, "g": guess}, folder, roles, positive=positive, missing="drop", kind="labels")
        c = e.confusion
        assert c is not None
        names = [_key(v) for v in c.levels]
        found = {(a, b): c.counts[i, j] for i, a in enumerate(names) for j, b in enumerate(names) if c.counts[i, j]}
        assert found == wanted, (form, target, guess)
    return len(every)


@pytest.mark.parametrize("check", [_check_scores, _check_labels])
def test_every_engine_counts_what_plain_python_counts(check: Any, tmp_path: Path) -> None:
    done = 0
    for i in range(TABLES // 2):
        done += check(random.Random(f"{check.__name__} {i}"), tmp_path)
        # Of thousands of tables the connections would fill the memory.
        forms.close()
    assert done > TABLES
