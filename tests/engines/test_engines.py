"""One test, every form of table: the same evidence, to the last row."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy

from .alike import alike
from .forms import EVERYWHERE, FORMS, Col, Table, cents, date, evaluate

N = 90
BIG = 2**60


def _table() -> Table:
    """A bit of everything; no value is missing."""
    r = random.Random(20)
    score = [r.choice((0.0, -0.0, 1.0, 0.5, 0.25, r.random(), r.random() ** 9, 1 - r.random() ** 9)) for _ in range(N)]
    truth = [int(r.random() < 0.2 + 0.6 * s) for s in score]
    kind = [r.choice("abc") for _ in range(N)]
    guess = [k if r.random() < 0.7 else r.choice("abc") for k in kind]
    amount = [r.choice((0.0, -0.0, r.gauss(50, 20), 1e9 + r.random())) for _ in range(N)]
    return {
        "truth": Col("int", truth),
        "small": Col("small", truth),
        "truth as float": Col("float", [float(t) for t in truth]),
        "truth as bool": Col("bool", [bool(t) for t in truth]),
        "word": Col("text", ["spam" if t else "ham" for t in truth]),
        "big": Col("int", [BIG + 1 if t else BIG for t in truth]),
        "bigger": Col("unsigned", [2**64 - 1 if t else 2**64 - 2 for t in truth]),
        "share": Col("decimal", [cents(1.5 if t else 0.07) for t in truth]),
        "score": Col("float", score),
        "logit": Col("float", [r.choice((-1.0, 1.0)) * 10 ** r.uniform(-15, 15) for _ in range(N)]),
        "score32": Col("float32", [float(np.float32(r.random())) for _ in range(N)]),
        "score in cents": Col("decimal", [cents(s) for s in score]),
        "yes": Col("bool", [s >= 0.5 for s in score]),
        "kind": Col("category", kind),
        "guess": Col("text", guess),
        "guess by word": Col("text", ["spam" if s >= 0.4 else "ham" for s in score]),
        "big guess": Col("int", [BIG + 1 if s >= 0.4 else BIG for s in score]),
        "grade": Col("int", [r.randrange(-3, 4) for _ in range(N)]),
        "grade guess": Col("int", [r.randrange(-3, 4) for _ in range(N)]),
        **{f"p_{k}": Col("float", [r.choice((0.2, r.random())) for _ in range(N)]) for k in "abc"},
        "amount": Col("float", amount),
        "forecast": Col("float", [a + r.gauss(0, 5) for a in amount]),
        "price": Col("decimal", [cents(abs(a)) for a in amount]),
        "weight": Col("float", [r.choice((0.1, 1.0, r.expovariate(1.0) + 0.01)) for _ in range(N)]),
        "copies": Col("int", [r.randrange(1, 5) for _ in range(N)]),
        "customer": Col("int", [r.choice((7, -7, BIG + 1, r.randrange(40), -r.randrange(2**62))) for _ in range(N)]),
        "hash": Col("unsigned", [r.choice((2**64 - 1, r.randrange(2**64))) for _ in range(N)]),
        "name": Col(
            "text", [r.choice(("Ana", "Zoë", "李", "o'Neil", 'a "b"', "𝔘", f"n{r.randrange(50)}")) for _ in range(N)]
        ),
        "account": Col("float", [r.choice((7.0, 2.5, -3.0, 1 / 3, 1e-7, 1e17)) for _ in range(N)]),
        "contract": Col("decimal", [cents(r.choice((7, 2.5, -3))) for _ in range(N)]),
        "day": Col("date", [date(r.randrange(1, 4)) for _ in range(N)]),
        "region": Col("category", [r.choice(("north", "south", "Ünder")) for _ in range(N)]),
        "band": Col("float", [r.choice((1.0, 2.5, -3.0)) for _ in range(N)]),
    }


TABLE = _table()

QUESTIONS: dict[str, dict[str, Any]] = {
    "scores": {"target": "truth", "score": "score"},
    "scores, labels": {"target": "truth", "score": "score", "prediction": "small"},
    "scores, floats as truth": {"target": "truth as float", "score": "score"},
    "scores, booleans": {"target": "truth as bool", "score": "yes"},
    "scores, words": {"target": "word", "score": "score", "positive": "spam"},
    "scores, large numbers": {"target": "big", "score": "score", "positive": BIG + 1},
    "scores, unsigned numbers": {"target": "bigger", "score": "score", "positive": 2**64 - 1},
    "scores, decimals": {"target": "share", "score": "score in cents", "positive": 1.5},
    "scores, logits": {"target": "truth", "score": "logit", "threshold": 0.0},
    "scores, 32 bits": {"target": "truth", "score": "score32", "threshold": 0.7},
    "labels": {"target": "kind", "prediction": "guess"},
    "labels, words": {"target": "word", "prediction": "guess by word", "positive": "spam"},
    "labels, booleans": {"target": "truth as bool", "prediction": "yes"},
    "labels, large numbers": {"target": "big", "prediction": "big guess", "positive": BIG + 1},
    "labels, whole numbers": {"target": "grade", "prediction": "grade guess"},
    "classes": {"target": "kind", "score": {"a": "p_a", "b": "p_b", "c": "p_c"}},
    "numbers": {"target": "amount", "prediction": "forecast"},
    "numbers, decimals": {"target": "price", "prediction": "forecast"},
}

OPTIONS = ("positive", "weights", "threshold", "confidence", "missing", "exact", "kind", "levels")


def _ask(form: str, table: Table, folder: Path, call: dict[str, Any]) -> sy.Evaluation:
    roles = {k: v for k, v in call.items() if k not in OPTIONS}
    return evaluate(form, table, folder, roles, **{k: v for k, v in call.items() if k in OPTIONS})


_reference: dict[str, sy.Evaluation] = {}


def _wanted(call: dict[str, Any], limit: str = "") -> sy.Evaluation:
    key = limit + repr(sorted(call.items(), key=lambda item: item[0]))
    if key not in _reference:
        _reference[key] = _ask("lists", TABLE, Path(), call)
    return _reference[key]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("form", EVERYWHERE, indirect=True)
def test_every_form_gives_the_same_evidence(form: str, question: str, tmp_path: Path) -> None:
    alike(_ask(form, TABLE, tmp_path, QUESTIONS[question]), _wanted(QUESTIONS[question]))


@pytest.mark.parametrize("question", ["scores", "labels", "classes", "numbers"])
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_weights_units_and_segments(form: str, question: str, tmp_path: Path) -> None:
    for by in (
        {"weight": "weight"},
        {"weight": "copies", "weights": "frequency"},
        {"unit": "customer", "weight": "weight"},
        {"unit": "name", "segment": "region"},
        {"unit": "customer", "segment": "day", "weight": "copies", "weights": "frequency"},
    ):
        call = QUESTIONS[question] | by
        alike(_ask(form, TABLE, tmp_path, call), _wanted(call))


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_units_and_segments_of_any_type(form: str, tmp_path: Path) -> None:
    for unit in ("hash", "account", "contract", "region", "day", "truth as bool", "small"):
        call = QUESTIONS["labels"] | {"unit": unit}
        alike(_ask(form, TABLE, tmp_path, call), _wanted(call))
    for segment in ("band", "truth as bool", "big", "bigger", "contract", "name"):
        call = QUESTIONS["scores"] | {"segment": segment}
        alike(_ask(form, TABLE, tmp_path, call), _wanted(call))


@pytest.mark.parametrize("question", ["scores", "classes", "numbers"])
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_beyond_the_exact_limit(form: str, question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 40)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 40)
    for by in ({}, {"weight": "weight"}, {"segment": "region", "unit": "name"}):
        call = QUESTIONS[question] | by
        alike(_ask(form, TABLE, tmp_path, call), _wanted(call, "beyond"))
    logits = QUESTIONS["scores, logits"] | {"threshold": 0.3}
    alike(_ask(form, TABLE, tmp_path, logits), _wanted(logits, "beyond"))
