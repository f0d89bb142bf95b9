"""The sum of two evaluations: what must be alike, and the evidence of both sets of rows."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

from steelyard.errors import CannotAdd
from steelyard.rows.roles import shared_facts
from steelyard.summaries.alike import same_rows
from steelyard.summaries.segments import Segments, names_of
from steelyard.wording import either, option


def sums_of(evaluation: Any, other: Any, *, twice: bool) -> dict[str, Any]:
    """What the sum of two evaluations has that the first has not: the evidence of both, of their segments and other parts."""
    kept = [{k for k, v in x.evidence.items() if v.word} for x in (evaluation, other)]
    if kept[0] != kept[1] or evaluation.threshold != other.threshold:
        message = "These evaluations cannot be added: they hold different kinds of evidence or other thresholds."
        raise CannotAdd(message, "Evaluate both parts in the same way.")
    facts = shared_facts(evaluation.facts, other.facts)
    # What was counted beside and is in one part only, a file of former days perhaps, says nothing of the sum.
    evidence = {k: v + other.evidence[k] for k, v in evaluation.evidence.items() if k in other.evidence}
    if evaluation.payoff != other.payoff:
        message = "These evaluations cannot be added: outcomes are worth something else in one than in the other."
        raise CannotAdd(message, f"Evaluate both parts with the same {option('profit')}.")
    if not twice and same_rows(evaluation.evidence, other.evidence):
        message = f"Both evaluations hold exactly the same {evaluation.rows:,} rows, which would count twice."
        hint = f"Leave one of them out; if both are meant, say so: {either('e.plus(f, twice=True)', option('twice', True))}."
        raise CannotAdd(message, hint)
    apart = [part.unlabelled for part in (evaluation, other) if part.unlabelled is not None]
    chosen = None
    if evaluation.validation is not None and other.validation is not None:
        chosen = evaluation.validation.plus(other.validation, twice=True)
    return {
        "evidence": evidence,
        "segments": _segments(evaluation, other, evidence),
        "facts": facts,
        "validation": chosen,
        "unlabelled": reduce(add, apart) if apart else None,
    }


def _segments(evaluation: Any, other: Any, evidence: dict[str, Any]) -> Segments[Any]:
    """Each segment with the rows of both, named and laid out like the whole, as if all rows had been counted together."""
    parts = dict(evaluation.segments.by_key)
    for key, part in other.segments.by_key.items():
        parts[key] = parts[key].plus(part, twice=True) if key in parts else part
    for key, name in names_of(parts).items():
        laid = {k: v.like(evidence[k]) for k, v in parts[key].evidence.items() if k in evidence}
        parts[key] = replace(parts[key], segment=name, evidence=laid)
    return Segments(parts)
