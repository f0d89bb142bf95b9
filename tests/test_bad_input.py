"""Bad input gets a sentence: what came, what is allowed, what to do; and nothing half-written is left behind."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.errors import SteelyardError

from .bad_input import CASES as BEFORE
from .bad_input_drawn import DRAWN
from .bad_input_in_use import IN_USE
from .bad_input_tables import TABLES

CASES = {**BEFORE, **IN_USE, **DRAWN, **TABLES}

APPROVED = Path(__file__).parent / "approved" / "messages.txt"
INTERNAL = re.compile(
    r"narwhals|duckdb|polars|numpy|_duckdb|\bnw\b|Traceback|NoneType|score\d|\bufunc|KeyError|\w+Exception|class_scores"
    r"|residuals|site-packages|0x[0-9a-f]{6}|\bNone\b|\bself\b"
)


def _told(case: Callable[[Path], Any], folder: Path) -> SteelyardError:
    with pytest.raises(SteelyardError) as found:
        case(folder)
    return found.value


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_and_a_hint(name: str, tmp_path: Path) -> None:
    kind, prepare, case = CASES[name]
    folder = tmp_path / "here"
    folder.mkdir()
    prepare(folder)
    before = {path: path.stat().st_mtime_ns for path in sorted(tmp_path.rglob("*"))}
    found = _told(case, folder)
    assert type(found).__name__ == kind
    assert {path: path.stat().st_mtime_ns for path in sorted(tmp_path.rglob("*"))} == before
    # A sentence or two, with a full stop, in words that a user of the library knows.
    assert re.fullmatch(r'["“A-Z0-9/].*[.?]|\w+=.*\.', found.message, flags=re.DOTALL), found.message
    assert found.message[-1] == "."
    assert "  " not in found.message
    assert not INTERNAL.search(found.message.replace(str(tmp_path), "")), found.message
    assert found.hint
    assert found.hint[-1] in ".?"
    assert str(found) == f"{found.message}\nHint: {found.hint}"


def test_the_messages_are_approved(tmp_path: Path) -> None:
    """Read as prose and approved; to approve a change: APPROVE=1 pytest tests/test_bad_input.py."""
    lines = []
    for i, (name, (_, prepare, case)) in enumerate(CASES.items()):
        folder = tmp_path / str(i)
        folder.mkdir()
        prepare(folder)
        found = _told(case, folder)
        text = f"{found.message}\n    Hint: {found.hint}".replace(str(folder), "DIR")
        lines.append(f"# {name}\n{type(found).__name__}: {text}\n")
    said = "\n".join(lines)
    if os.environ.get("APPROVE"):
        APPROVED.write_text(said, encoding="utf-8")
    assert said == APPROVED.read_text(encoding="utf-8")


def test_scores_that_are_no_probabilities() -> None:
    """What needs only an order still comes; what needs probabilities says why not."""
    e = sy.evaluate(target=[1, 0, 1, 0, 1, 0], score=[2.0, -1.0, 3.0, 0.5, -0.7, 0.1], threshold=0.0)
    for name in ("auc", "gini", "ks", "average_precision", "lift", "accuracy", "recall", "brier_uncertainty"):
        assert e[name].defined, name
    for name in (
        "brier",
        "log_loss",
        "ece",
        "brier_reliability",
        "brier_resolution",
        "calibration_slope",
        "calibration_intercept",
    ):
        assert not e[name].defined, name
        assert e[name].reason
        assert str(e[name]).startswith("n/a (")
        assert math.isnan(float(e[name]))
    several = sy.evaluate(target=["a", "b", "a", "b"], score={"a": [2.0, -1.0, 3.0, 0.5], "b": [0.1, 0.2, 0.3, 0.4]})
    assert several["auc", "a"].defined
    assert not several["log_loss"].defined
    assert not several["brier"].defined


def test_no_calibration_curve_without_probabilities() -> None:
    e = sy.evaluate(target=[1, 0, 1, 0], score=[2.0, -1.0, 3.0, 0.5])
    with pytest.raises(SteelyardError):
        e.curve("calibration")


def test_probabilities_of_exactly_zero_and_one() -> None:
    e = sy.evaluate(target=[1, 0, 1, 0], score=[1.0, 0.0, 0.0, 0.5])
    assert e["brier"].defined
    assert e["ece"].defined
    assert not e["log_loss"].defined
    assert "infinite" in e["log_loss"].reason
    assert not e["calibration_slope"].defined
