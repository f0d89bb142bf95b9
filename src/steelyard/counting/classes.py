"""Counting one score for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from steelyard.counting.rules import (
    MOST_LEVELS,
    CountingRules,
    Evidence,
    as_labels,
    by_segment,
    choose_bits,
    clean,
    positive_of,
)
from steelyard.counting.scores import score_table, scores_of
from steelyard.errors import BadLevels, listing
from steelyard.rows.language import Rows, Table
from steelyard.summaries.class_scores import ClassScores, class_role, rank_tally, read_rank_units, read_ranks
from steelyard.summaries.label_requests import read_confusion, with_units
from steelyard.summaries.summary import occurring, sort_levels
from steelyard.wording import option


def count_classes(rows: Rows, classes: Sequence[Any], plan: CountingRules) -> Evidence:
    """One score for each class."""
    levels = tuple(classes)
    if len(levels) > MOST_LEVELS:
        message = f"There are scores for {len(levels):,} classes, and at most {MOST_LEVELS:,} can be told apart."
        raise BadLevels(message, "Join rare classes first.")
    plan.levels = levels
    positive = None if plan.positive is None else positive_of(levels, plan, two=False)
    worth = None if plan.decide is None else plan.decide(levels, positive)

    def ask(bits: int | None) -> Table:
        how: dict[str, Any] = {"weighting": plan.weighting, "segmented": rows.has("segment"), "amounts": plan.amounts}
        return clean(rows.tally(rank_tally(levels, bits=bits, worth=worth, **how)), plan)

    table = ask(None)
    plan.unsummed = round(float(table["unsummed"].sum()))
    extra = [v for v in sort_levels(occurring(table["level"])) if v not in levels]
    if extra:
        message = f"The target has levels without a score: {listing(extra)}; there are scores for {listing(levels)}."
        raise BadLevels(message, f"Add their columns to {option('score', {...: ...})}.")
    if plan.dropped:
        # A row without one score is left out of every class's table.
        plan.beside = tuple(class_role(i) for i in range(len(levels)))
    bits = choose_bits(rows, plan)
    # Amounts belong to decisions, and are kept beside the matrix alone.
    plain = replace(plan, amounts=())
    columns = []
    for i, level in enumerate(levels):
        columns.append(scores_of(rows, class_role(i), levels, level, plain, score_table(rows, class_role(i), plain)))
    out: Evidence = {}
    for name, part in by_segment(table).items():
        ranks, brier = read_ranks(part, len(levels), plan.weighting)
        out[name] = {
            "class_scores": ClassScores(tuple(c[name] for c in columns), ranks, brier),
            "confusion": read_confusion(as_labels(part, levels), levels, positive, plan.weighting, plan.amounts),
        }
    if bits is not None:
        for name, part in by_segment(ask(bits)).items():
            by_rank = read_rank_units(part, len(levels), plan.weighting, bits)
            by_label = with_units(out[name]["confusion"], as_labels(part, levels), plan.weighting, bits)
            out[name]["class_scores"] = replace(out[name]["class_scores"], units=by_rank)
            out[name]["confusion"] = by_label
    return out
