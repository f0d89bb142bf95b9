"""The front door: evaluate(); composes the rooms, computes nothing itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.counting import WHOLE, Evidence, Plan, count_classes, count_labels, count_numbers, count_scores
from steelyard.errors import BadLevels, UsageError, listing
from steelyard.evaluation import Evaluation
from steelyard.roles import Roles, assign
from steelyard.rows import Rows
from steelyard.sources.recognise import open_rows
from steelyard.summaries.confusion import Confusion

FEW_WHOLE_NUMBERS = 50
"""Whole numbers with at most this many distinct values are taken as labels; more of them need kind=."""


def evaluate(
    data: Any = None,
    *,
    target: Any = None,
    score: Any = None,
    prediction: Any = None,
    positive: Any = None,
    weight: Any = None,
    weights: str = "sampling",
    unit: Any = None,
    segment: Any = None,
    threshold: Any = 0.5,
    confidence: Any = 0.95,
    missing: str = "refuse",
    exact: bool = False,
    kind: str | None = None,
    confusion: Any = None,
    levels: Sequence[Any] | None = None,
) -> Evaluation:
    """Evaluate predictions: every measure they allow, each with its interval.

    With `data` (a path, a glob, or any frame) the roles are column names; without, they are the values themselves.
    `score` is one column for two levels, or a mapping of level to column for more; `prediction` holds labels or numbers.

    >>> e = evaluate(target=[1, 1, 1, 0, 0, 0], score=[0.9, 0.8, 0.3, 0.4, 0.2, 0.1])
    >>> round(e["auc"].value, 3), e["recall"].method
    (0.889, 'Wilson')
    """
    _check_choice("missing", missing, ("refuse", "drop"))
    _check_choice("weights", weights, ("sampling", "frequency"))
    _check_choice("kind", kind, (None, "labels", "continuous"))
    if not isinstance(confidence, int | float) or not 0 < confidence < 1:
        message = f"The confidence must be a number between 0 and 1, and {listing([confidence])} came."
        raise UsageError(message, "0.95 is usual.")
    if not isinstance(threshold, int | float | np.number) or not np.isfinite(threshold):
        message = f"The threshold must be a finite number, and {listing([threshold])} came."
        raise UsageError(message, "A row is positive if and only if its score is at least the threshold.")
    if confusion is not None:
        return _from_matrix(confusion, levels, positive, confidence)
    roles = assign(target=target, score=score, prediction=prediction, weight=weight, unit=unit, segment=segment)
    rows = open_rows(data, roles.columns)
    plan = Plan(
        weighting=weights if weight is not None else "none",
        exact=exact,
        drop=missing == "drop",
        levels=tuple(levels) if levels is not None else None,
        positive=positive,
        cuts=(float(threshold),),
    )
    evidence = _count(rows, roles, plan, kind)
    source = (
        str(data) if isinstance(data, str | os.PathLike) else (type(data).__name__ if data is not None else "arrays")
    )
    facts = {
        "source": source,
        "roles": roles.names,
        "dropped": plan.dropped,
        "engine": rows.engine,
        "weights": plan.weighting,
    }
    cut = float(threshold) if "scores" in evidence[WHOLE] else None
    if cut is not None:
        facts["threshold"] = "default" if threshold == 0.5 else "given"
    parts = {
        name: Evaluation(found, cut, confidence, dict(facts), name)
        for name, found in evidence.items()
        if name is not WHOLE
    }
    return Evaluation(evidence[WHOLE], cut, confidence, facts, None, {str(k): v for k, v in parts.items()})


def _count(rows: Rows, roles: Roles, plan: Plan, kind: str | None) -> Evidence:
    if roles.question == "classes":
        return count_classes(rows, roles.classes, plan)
    if roles.question == "scores":
        evidence = count_scores(rows, plan)
        if rows.has("prediction"):
            # Labels that came with the scores are kept as they are, not made again at some threshold.
            scores = evidence[WHOLE]["scores"]
            given = replace(plan, levels=scores.levels, positive=scores.positive, beside=("score",))
            for name, found in count_labels(rows, given).items():
                evidence[name] |= found
        return evidence
    kinds = {rows.kind("target"), rows.kind("prediction")}
    numeric = kinds <= {"int", "float"}
    if kind == "continuous" or (kind is None and numeric and "float" in kinds):
        counted = count_numbers(rows, plan) if kind is None else count_numbers(rows, plan, labels=False)
        if counted is not None:
            return counted
    evidence = count_labels(rows, plan)
    found = evidence[WHOLE]["confusion"]
    if kind is None and numeric and len(found.levels) > FEW_WHOLE_NUMBERS:
        message = f"Target and prediction are whole numbers with {len(found.levels):,} distinct values."
        raise BadLevels(message, 'They may be labels or quantities: say kind="labels" or kind="continuous".')
    return evidence


def _check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        message = f"{name}={listing([value])} is not a choice."
        raise UsageError(message, f"Allowed: {listing(v for v in allowed if v is not None)}.")


def _from_matrix(matrix: Any, levels: Sequence[Any] | None, positive: Any, confidence: float) -> Evaluation:
    try:
        counts = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        counts = np.full(1, np.nan)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any() or not np.isfinite(counts).all():
        message = "A confusion matrix must be square, with counts that are not negative."
        raise UsageError(message, "Rows are actual levels, columns predicted levels, in the same order.")
    names = tuple(levels) if levels is not None else tuple(range(len(counts)))
    if len(names) != len(counts) or len(set(names)) != len(names):
        message = f"The matrix has {len(counts)} levels, and the names given are {listing(names)}."
        raise UsageError(message, "Give each level one name: levels=[...].")
    if positive is None and set(names) == {0, 1}:
        positive = 1
    if positive is None and len(names) == 2:
        message = f"Which level is the positive one? The matrix has {listing(names)}."
        raise BadLevels(message, f"Say so: positive={names[0]!r}, for example.")
    if positive is not None and positive not in names:
        message = f"The positive level {listing([positive])} is not among {listing(names)}."
        raise BadLevels(message, "Name one of these levels.")
    found = Confusion.of(counts, names, positive)
    return Evaluation({"confusion": found}, None, confidence, {"source": "a confusion matrix", "weights": "none"})
