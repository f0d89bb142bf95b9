"""An evaluation as one JSON document: every number, every sentence, stable keys; never NaN."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steelyard.views import story
from steelyard.views.sentences import sentences

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

SCHEMA = 1
"""Raised when a key changes its meaning or goes away; new keys may come at any time."""


def evaluation_document(evaluation: Evaluation) -> dict[str, Any]:
    """All that is known, as plain JSON values."""
    confusion, worth = evaluation.confusion, evaluation.worth
    found: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            "source": evaluation.facts.get("source"),
            "evidence": list(evaluation.evidence),
            "rows": evaluation.rows,
            "levels": list(evaluation.levels),
            "positive": evaluation.positive,
            "threshold": None if "confusion" in evaluation.evidence else evaluation.threshold,
            "confidence": evaluation.confidence,
            "segments": list(evaluation.segments),
            "facts": {k: v for k, v in evaluation.facts.items() if k not in {"at", "source"}},
            "sentences": [{"about": s.about, "text": s.text} for s in sentences(evaluation)],
            "verdict": evaluation.verdict.to_dict(),
            "notes": story.notes(evaluation, story.groups(evaluation)),
            "confusion": None
            if confusion is None
            else {"levels": list(confusion.levels), "counts": confusion.counts.tolist()},
            "numbers": evaluation.rows_as_dicts(),
            "worth": None if worth is None else worth.to_dict(),
        }
    )
    return found


def plain(value: object) -> Any:
    """Without what JSON cannot say: numbers that are not finite become null, and their text still tells."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value
