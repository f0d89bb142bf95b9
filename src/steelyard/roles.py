"""Which column plays which part: target, prediction, score, weight, value, unit, segment, validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.errors import CannotAdd, UsageError, listing

SHARES = 0.01
"""Two scores whose sum is as near to one as this are shares, if in short floats."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns (or values) by role, and the classes when there is one score for each."""

    columns: dict[str, Any]
    classes: tuple[Any, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    amounts: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """What kind of prediction this is: "classes", "scores", or "predictions" (labels or numbers)."""
        if self.classes:
            return "classes"
        return "scores" if "score" in self.columns else "predictions"


def assign(
    *,
    target: Any,
    score: Any = None,
    prediction: Any = None,
    weight: Any = None,
    unit: Any = None,
    segment: Any = None,
    value: Any = None,
    validation: Any = None,
    needed: Sequence[str] = (),
) -> Roles:
    """Sort the arguments of a call into roles; what cannot be meant is refused."""
    if target is None:
        message = "No target was given."
        raise UsageError(message, "Name the column (or pass the values) of what really happened: target=...")
    if score is None and prediction is None:
        message = "Neither a score nor a prediction was given."
        raise UsageError(
            message,
            "Pass score=... (numbers, higher means more likely positive) or prediction=... (labels or numbers).",
        )
    columns: dict[str, Any] = {"target": target}
    classes: tuple[Any, ...] = ()
    if isinstance(score, Mapping):
        if len(score) < 2:
            message = "One score for each class needs at least two classes."
            raise UsageError(message, "Pass score={level: column, ...} with all levels, or a single column.")
        classes = tuple(score)
        columns |= {f"score{i}": column for i, column in enumerate(score.values())}
    elif score is not None:
        columns["score"] = score
    others = {"prediction": prediction, "weight": weight, "unit": unit, "segment": segment, "validation": validation}
    columns |= {role: given for role, given in others.items() if given is not None}
    amounts = _amounts(value, needed)
    columns |= {f"value{i}": column for i, column in enumerate(amounts.values())}
    names = {role: value for role, value in columns.items() if isinstance(value, str)}
    return Roles(columns, classes, names, tuple(amounts))


def _amounts(value: Any, needed: Sequence[str]) -> dict[str, Any]:
    """Per-row amounts by name: given as one column, several, or a mapping; columns that a payoff names are added."""
    if value is None:
        found: dict[str, Any] = {}
    elif isinstance(value, Mapping):
        found = {str(k): v for k, v in value.items()}
    elif isinstance(value, str):
        found = {value: value}
    elif isinstance(value, list | tuple) and value and all(isinstance(v, str) for v in value):
        found = {v: v for v in value}
    else:
        found = {"value": value}
    # "value" is what the only amount answers to, whatever its column is called.
    alias = {"value"} if len(found) == 1 else set()
    return found | {name: name for name in needed if name not in found and name not in alias}


# One score for each class, side by side ------------------------------------------------------------------------------


def by_level(score: Any, levels: Sequence[Any] | None, positive: Any = None) -> Any:
    """A matrix of scores, rows × levels, as a mapping of level to column; of two the positive's column alone.

    >>> {k: v.tolist() for k, v in by_level([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], ["a", "b", "c"]).items()}
    {'a': [0.7, 0.1], 'b': [0.2, 0.8], 'c': [0.1, 0.1]}
    >>> by_level([[0.7, 0.3], [0.1, 0.9]], [0, 1]).tolist()
    [0.3, 0.9]
    """
    matrix = _matrix(score)
    if matrix is None:
        return score
    rows, columns = map(int, matrix.shape)
    if columns == 1:
        return matrix[:, 0]
    if levels is None:
        message = (
            f"The scores are a matrix of {rows:,} rows and {columns:,} columns, and nothing says whose each column is."
        )
        hint = 'Name the levels in the order of the columns: levels=["a", "b", "c"], for example.'
        if columns == 2:
            hint = "Say levels=[0, 1], in the order of the columns; or pass the positive's column alone: score=p[:, 1]."
        raise UsageError(message, hint)
    names = list(levels)
    if len(names) != columns or len(set(names)) != columns:
        message = f"The scores have {columns:,} columns, and {len(set(names)):,} different levels were named: {listing(names)}."
        raise UsageError(message, "Name one level for each column, in their order: levels=[...].")
    own = names.index(positive) if positive in names else names.index(1) if set(names) == {0, 1} else None
    if columns == 2 and own is not None and _adds_up(matrix):
        return matrix[:, own]
    return {name: matrix[:, i] for i, name in enumerate(names)}


def _matrix(score: Any) -> Any:
    """What has two dimensions, as something whose columns can be taken; None for all else."""
    if isinstance(score, list | tuple) and score and all(isinstance(v, list | tuple | np.ndarray) for v in score):
        if len({len(v) for v in score}) > 1:
            message = "The scores are lists of different lengths, so they are no matrix."
            raise UsageError(message, "Give every row one score for each level, in the order of levels=[...].")
        return np.asarray(score)
    if isinstance(score, str | Mapping) or len(getattr(score, "shape", ())) != 2:
        return None
    return score.to_numpy() if hasattr(score, "to_numpy") else score


def _adds_up(matrix: Any) -> bool:
    """Whether the two scores of every row are shares of one; else each says something of its own."""
    if getattr(getattr(matrix, "dtype", None), "kind", "f") not in "biuf":
        return False
    # What is missing is looked for later, and is no reason to take a row for anything else.
    return not bool((abs(matrix[:, 0] + matrix[:, 1] - 1.0) >= SHARES).any())


# What parts have in common -------------------------------------------------------------------------------------------


def columns_of(facts: Mapping[str, Any]) -> dict[str, str]:
    """The columns that say what was evaluated, by role; scores by class together, whatever their order."""
    names: Mapping[str, str] = facts.get("roles") or {}
    found = {role: names[role] for role in ("target", "score", "prediction") if role in names}
    classes = sorted(name for role, name in names.items() if role.startswith("score") and role != "score")
    return found | ({"scores": ", ".join(classes)} if classes else {})


def shared_columns(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The roles that two parts have in common, as a fact about their sum; columns of another model are refused.

    Values that were passed as arrays have no name, and are taken as they come.
    """
    mine, theirs = columns_of(a), columns_of(b)
    for role in mine:
        if role in theirs and mine[role] != theirs[role]:
            message = f'These evaluations cannot be added: the {role} is "{mine[role]}" in one, "{theirs[role]}" in the other.'
            hint = 'They look like different models or targets; if a column was renamed, say so: e.renamed(score="p").'
            raise CannotAdd(message, hint)
    if "roles" not in a and "roles" not in b:
        return {}
    other = b.get("roles") or {}
    return {"roles": {role: name for role, name in (a.get("roles") or {}).items() if other.get(role) == name}}


def shared_facts(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of two parts together: what is the same of both, and what was left out of either."""
    columns = shared_columns(a, b)
    dropped = dict(a.get("dropped", {}))
    dropped |= {word: dropped.get(word, 0) + n for word, n in b.get("dropped", {}).items()}
    unsummed = a.get("unsummed", 0) + b.get("unsummed", 0)
    return {k: v for k, v in a.items() if b.get(k) == v} | {"unsummed": unsummed, "dropped": dropped} | columns
