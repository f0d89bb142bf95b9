"""Which column plays which part: target, prediction, score, weight, value, unit, segment, validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.errors import CannotAdd, UsageError
from steelyard.wording import either, option

SECOND = "second segment"
"""The role of a column that is crossed with that of segments."""


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
    target: object,
    score: object = None,
    prediction: object = None,
    weight: object = None,
    unit: object = None,
    segment: object = None,
    value: object = None,
    validation: object = None,
    needed: Sequence[str] = (),
    named: bool = False,
) -> Roles:
    """Sort the arguments of a call into roles; what cannot be meant is refused. `named` where columns have names."""
    if target is None:
        message = "No target was given."
        hint = f"Name the column{either(' (or pass the values)', '')} of what really happened: {option('target', ...)}"
        raise UsageError(message, hint)
    if score is None and prediction is None:
        message = "Neither a score nor a prediction was given."
        raise UsageError(
            message,
            f"Pass {option('score', ...)} (numbers, higher means more likely "
            f"positive) or {option('prediction', ...)} (labels or numbers).",
        )
    columns: dict[str, Any] = {"target": target}
    classes: tuple[Any, ...] = ()
    if isinstance(score, Mapping):
        if len(score) < 2:
            message = "One score for each class needs at least two classes."
            raise UsageError(message, f"Pass {option('score', {...: ...})} with all levels, or a single column.")
        classes = tuple(score)
        columns |= {f"score{i}": column for i, column in enumerate(score.values())}
    elif score is not None:
        columns["score"] = score
    segments, segment_names = _segments(segment, named=named)
    columns |= segments
    others = {"prediction": prediction, "weight": weight, "unit": unit, "validation": validation}
    columns |= {role: given for role, given in others.items() if given is not None}
    amounts = _amounts(value, needed)
    columns |= {f"value{i}": column for i, column in enumerate(amounts.values())}
    names = {role: value for role, value in columns.items() if isinstance(value, str)} | segment_names
    return Roles(columns, classes, names, tuple(amounts))


def _segments(given: object, *, named: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """A column of segments, or two that are crossed: names in a list, or values by name; and names that values go by."""
    if given is None:
        return {}, {}
    if isinstance(given, Mapping):
        columns, names = list(given.values()), [str(name) for name in given]
    elif named and isinstance(given, list | tuple) and given and all(isinstance(v, str) for v in given):
        columns, names = list(given), []
    else:
        return {"segment": given}, {}
    if not 1 <= len(columns) <= 2:
        message = f"Segments of {len(columns)} columns were asked for, and at most two can be crossed."
        raise UsageError(message, f"""Name one or two: {option("segment", ["region", "device"])}.""")
    return dict(zip(("segment", SECOND), columns, strict=False)), dict(zip(("segment", SECOND), names, strict=False))


def segment_title(facts: Mapping[str, Any]) -> str:
    """What the segments are of: one column, or two that are crossed.

    >>> segment_title({"roles": {"segment": "region", SECOND: "device"}}), segment_title({})
    ('region × device', 'segment')
    """
    roles: Mapping[str, str] = facts.get("roles") or {}
    return " × ".join(roles[r] for r in ("segment", SECOND) if r in roles) or "segment"


def _amounts(value: object, needed: Sequence[str]) -> dict[str, Any]:
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


def refuse_beside(why: str, given: Mapping[str, object], instead: str) -> None:
    """Refuse what belongs to rows where there are none."""
    for name, value in given.items():
        if value is not None:
            message = f"{why}, and {option(name)} came."
            raise UsageError(message, f"Leave {option(name)} out, {instead}.")


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
            hint = "They look like different models or targets; if a column was renamed, say so: "
            hint += f"""{either('e.renamed(score="p")', option("renamed", True))}."""
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
