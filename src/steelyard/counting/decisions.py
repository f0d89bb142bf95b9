"""Counting decisions made row by row: flag where flagging is expected to earn more."""

from __future__ import annotations

from typing import Any

from steelyard.counting.rules import CountingRules, Evidence, as_labels, by_segment, choose_bits, clean
from steelyard.errors import NotAvailable
from steelyard.results import Array
from steelyard.rows.language import Rows
from steelyard.summaries.amounts import value_of
from steelyard.summaries.label_requests import label_tally, read_confusion, with_units
from steelyard.wording import either

NO_PROBABILITIES = "Expected profit needs probabilities, and some scores lie outside [0, 1]."
NO_PROBABILITIES_HINT = (
    "Pass probabilities as the score, or choose a threshold on the "
    f"data: {either('best_threshold(profit)', 'steelyard threshold')}."
)


def count_decisions(rows: Rows, plan: CountingRules, evidence: Evidence) -> Evidence:
    """The labels that the highest expected profit makes of one probability: act iff p · gain > (1 − p) · cost."""
    scores = evidence[None]["scores"]
    if not scores.probabilities:
        raise NotAvailable(NO_PROBABILITIES, NO_PROBABILITIES_HINT)
    assert plan.decide is not None
    levels, positive = scores.levels, scores.positive
    place = levels.index(positive)
    table = plan.decide(levels, positive)
    segmented = rows.has("segment")

    def ask(bits: int | None) -> Any:
        request = label_tally(plan.weighting, segmented=segmented, bits=bits, amounts=len(plan.amounts))
        by = {k: v for k, v in request.by.items() if k not in {"label", "state"}}
        by["state"] = lambda r: r.state(scores=("score",), labels=("target",))
        by["best"] = lambda r: _decision(r, table, place)
        return clean(rows.tally(type(request)(by, request.sums)), plan)

    for name, part in by_segment(ask(None)).items():
        labelled = as_labels(part, levels)
        evidence[name]["confusion"] = read_confusion(labelled, levels, positive, plan.weighting, plan.amounts)
    bits = choose_bits(rows, plan)
    if bits is not None:
        for name, part in by_segment(ask(bits)).items():
            found = evidence[name]["confusion"]
            evidence[name]["confusion"] = with_units(found, as_labels(part, levels), plan.weighting, bits)
    return evidence


def _decision(row: Any, table: Array, place: int) -> Any:
    p = row.value("score")
    gain = value_of(row, table[:, place, place] - table[:, place, 1 - place])
    loss = value_of(row, table[:, 1 - place, 1 - place] - table[:, 1 - place, place])
    return row.chain([(p * gain > (1.0 - p) * loss, place)], 1 - place)
