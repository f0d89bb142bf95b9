"""Counting predicted labels."""

from __future__ import annotations

from steelyard.counting.rules import CountingRules, Evidence, by_segment, choose_bits, clean, found_levels, positive_of
from steelyard.errors import BadLevels, listing
from steelyard.rows.language import Rows, Table
from steelyard.summaries.label_requests import label_tally, read_confusion, with_units
from steelyard.summaries.summary import sort_levels
from steelyard.wording import option


def count_labels(rows: Rows, plan: CountingRules) -> Evidence:
    """Predicted labels of any number of levels."""

    def ask(bits: int | None) -> Table:
        segmented, amounts = rows.has("segment"), len(plan.amounts)
        request = label_tally(plan.weighting, segmented=segmented, bits=bits, beside=plan.beside, amounts=amounts)
        return clean(rows.tally(request), plan)

    table = ask(None)
    levels = found_levels(plan, table["level"], table["label"])
    actual, predicted = set(table["level"].tolist()), set(table["label"].tolist())
    if not actual & predicted and plan.levels is None and levels != (0, 1):
        message = f"No predicted level occurs in the target: it has {listing(sort_levels(actual))}, "
        message += f"predicted were {listing(sort_levels(predicted))}."
        hint = f"Write both columns with the same levels; if this is meant, declare {option('levels', [...])}."
        raise BadLevels(message, hint)
    if len(levels) < 2 and plan.levels is None and set(levels) != {0} and set(levels) != {1}:
        message = f"Target and prediction have one level only: {listing(levels)}."
        raise BadLevels(message, f"If this is one part of a larger table, declare {option('levels', [...])}.")
    positive = positive_of(levels, plan, two=False)
    if positive is not None and positive not in levels:
        levels = sort_levels([*levels, positive])
    if len(levels) == 1:
        other = not positive if isinstance(positive, bool) else 0
        levels = sort_levels([*levels, other])
    out: Evidence = {
        name: {"confusion": read_confusion(part, levels, positive, plan.weighting, plan.amounts)}
        for name, part in by_segment(table).items()
    }
    bits = choose_bits(rows, plan)
    if bits is not None:
        for name, part in by_segment(ask(bits)).items():
            out[name]["confusion"] = with_units(out[name]["confusion"], part, plan.weighting, bits)
    return out
