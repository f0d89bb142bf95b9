"""steelyard against the frozen answers of scikit-learn, SciPy, statsmodels and definitions written out by brute force.

The answers are files (freeze.py made them), so nothing but the library itself is needed here.
"""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

import steelyard as sy
from steelyard.intervals.placements import delong

THEMES = ("labels", "scores", "calibration", "multiclass", "continuous", "intervals")
ROLES = ("target", "prediction", "score", "weight")
TOLERANCE = 1e-12  # iterative fits carry their own, see "tolerance" in the case

Case = dict[str, Any]


@functools.cache
def _book(theme: str) -> dict[str, Any]:
    path = Path(__file__).parent / "answers" / f"{theme}.json"
    book: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return book


CASES = [pytest.param(theme, case, id=f"{theme}: {case['name']}") for theme in THEMES for case in _book(theme)["cases"]]


@functools.cache
def _evaluation(theme: str, data: str | None, call: str) -> Any:
    """One evaluation serves all the cases with the same data and call."""
    given = json.loads(call)
    if data is not None:
        columns = _book(theme)["data"][data]
        for role in ROLES:
            name = given.get(role)
            if isinstance(name, dict):
                given[role] = {level: columns[column] for level, column in name.items()}
            elif name is not None:
                given[role] = columns[name]
    return sy.evaluate(**given)


def _evaluate(theme: str, case: Case) -> Any:
    return _evaluation(theme, case["data"], json.dumps(case["call"]))


def _estimate(evaluation: Any, case: Case) -> Any:
    measure, level, options = case["measure"], case["level"], dict(case["options"])
    if "weights" in options:
        options["weights"] = tuple(options["weights"])
    if options and level is not None:
        return evaluation.measure(measure, level=level, **options)
    if options:
        return evaluation.measure(measure, **options)
    return evaluation[measure] if level is None else evaluation[measure, level]


def _near(got: float | None, expected: float, tolerance: float) -> bool:
    return got is not None and math.isclose(got, expected, rel_tol=tolerance, abs_tol=min(tolerance, 1e-8))


def _standard_error(estimate: Any) -> Any:
    """The standard error behind an interval; methods that say logit or Fisher are read on their own scale."""
    z = NormalDist().inv_cdf(0.5 + estimate.confidence / 2)
    value, method = estimate.value, estimate.method.lower()
    if "logit" in method:
        width = math.log(estimate.high / (1 - estimate.high)) - math.log(estimate.low / (1 - estimate.low))
        return width / (2 * z) * value * (1 - value)
    return (estimate.high - estimate.low) / (2 * z)


def _check_curve(curve: Any, expected: dict[str, list[float | None]]) -> None:
    """Same thresholds, same points; a point above every score may say infinity or nothing, or be left off."""
    columns = [name for name in expected if name != "threshold"]

    def finite(table: dict[str, list[Any]]) -> list[tuple[float, ...]]:
        rows = zip(table["threshold"], *(table[name] for name in columns), strict=True)
        return sorted(row for row in rows if row[0] is not None and math.isfinite(row[0]))

    got, wanted = finite(curve.columns), finite(expected)
    assert len(got) == len(wanted)
    for mine, theirs in zip(got, wanted, strict=True):
        assert all(_near(a, b, TOLERANCE) for a, b in zip(mine, theirs, strict=True)), (mine, theirs)


@pytest.mark.parametrize(("theme", "case"), CASES)
def test_agrees(theme: str, case: Case) -> None:
    """One frozen answer."""
    evaluation = _evaluate(theme, case)
    expected, part = case["expected"], case["part"]
    tolerance = case.get("tolerance", TOLERANCE)
    if part == "curve":
        _check_curve(evaluation.curve(case["measure"]), expected)
        return
    if part == "delong":
        area = delong(evaluation.scores)
        assert (area.from_positives, area.from_negatives) == pytest.approx(expected, rel=tolerance)
        return
    estimate = _estimate(evaluation, case)
    said = f"{case['program']} {case['version']} says {expected}"
    if part == "interval":
        got = (estimate.low, estimate.high)
        near = all(_near(a, b, tolerance) for a, b in zip(got, expected, strict=True))
        assert near, f"got {got} by {estimate.method}, {said}"
        return
    number = _standard_error(estimate) if part == "se" else getattr(estimate, part)
    assert _near(number, expected, tolerance), f"got {number} ({estimate.reason or estimate.method}), {said}"


def test_answers_are_many_and_named() -> None:
    """No theme is empty, no name stands for two cases, and every case names who answered."""
    for theme in THEMES:
        cases = _book(theme)["cases"]
        assert cases
        assert max(Counter(case["name"] for case in cases).values()) == 1
        assert all(case["program"] and case["version"] for case in cases)


@pytest.mark.parametrize("theme", THEMES)
def test_programs_agree_with_each_other(theme: str) -> None:
    """Where two programs were asked one question they gave one answer, so a frozen slip of ours would show."""
    answers: dict[str, list[Case]] = {}
    for case in _book(theme)["cases"]:
        question = [case[key] for key in ("data", "call", "measure", "options", "level", "part")]
        answers.setdefault(json.dumps(question), []).append(case)
    for first, *others in answers.values():
        for other in others:
            both = [pair if isinstance(pair, list) else [pair] for pair in (first["expected"], other["expected"])]
            assert all(_near(a, b, TOLERANCE) for a, b in zip(*both, strict=True)), (first["name"], other["name"])
