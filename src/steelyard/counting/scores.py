"""Counting one score: distinct scores where rows are few, cells of the grid where they are many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.counting.rules import (
    WHOLE,
    CountingRules,
    Evidence,
    by_segment,
    choose_bits,
    clean,
    few,
    found_levels,
    positive_of,
    require_both,
)
from steelyard.rows.language import Rows, Table
from steelyard.summaries.amounts import check_finite
from steelyard.summaries.cells import Cells
from steelyard.summaries.score_requests import read_cells, read_unit_cells, score_tally, unit_score_tally
from steelyard.summaries.scores import Scores


def score_table(rows: Rows, role: str, plan: CountingRules) -> Table:
    """Distinct scores where rows are few or exactness is asked for, else cells of the grid."""
    rounded = rows.rounds(role)

    def ask(*, exact: bool) -> Table:
        request = score_tally(
            role,
            exact=exact,
            weighting=plan.weighting,
            segmented=rows.has("segment"),
            cuts=plan.cuts,
            beside=plan.beside,
            labels=plan.labels,
            amounts=len(plan.amounts),
            rounded=rounded,
        )
        return clean(rows.tally(request), plan)

    known = getattr(rows, "length", None)
    if known is None and not plan.exact:
        table = ask(exact=False)
        # Whoever has answered knows by now, rows that were left out among them.
        known = getattr(rows, "length", None)
        if not few(int(table["rows"].sum()) if known is None else known):
            return table
    return ask(exact=plan.exact or known is None or few(known))


def scores_of(
    rows: Rows, role: str, levels: tuple[Any, ...], positive: object, plan: CountingRules, table: Table
) -> dict[Any, Scores]:
    """The score table of the whole and of each segment, from the answer of an engine."""
    out = {
        name: Scores(
            read_cells(part, levels, plan.weighting, exact=plan.exact, cuts=plan.cuts, amounts=len(plan.amounts)),
            levels,
            positive,
            plan.weighting,
            amounts=plan.amounts,
        )
        for name, part in by_segment(table).items()
    }
    return _with_units(rows, role, out, plan)


def _with_units(rows: Rows, role: str, out: dict[Any, Scores], plan: CountingRules) -> dict[Any, Scores]:
    """The same tables with one kept for every bucket of units, where rows name their unit."""
    bits = choose_bits(rows, plan)
    if bits is not None:
        request = unit_score_tally(
            role,
            bits,
            weighting=plan.weighting,
            segmented=rows.has("segment"),
            beside=plan.beside,
            labels=plan.labels,
            amounts=len(plan.amounts),
        )
        for name, part in by_segment(clean(rows.tally(request), plan)).items():
            units, codes = read_unit_cells(part, out[name].levels, plan.weighting, bits, len(plan.amounts))
            out[name] = replace(out[name], units=units, unit_codes=codes)
    return out


def _fast_scores(rows: Rows, plan: CountingRules) -> tuple[tuple[Any, ...], Cells] | None:
    """The finished table of an engine that knows the shape, with the levels that occur in it."""
    if not hasattr(rows, "score_cells") or rows.rounds("score"):
        return None
    known = getattr(rows, "length", None)
    exact = plan.exact or (known is not None and few(known))
    request = score_tally(
        "score", exact=exact, weighting=plan.weighting, segmented=False, cuts=plan.cuts, amounts=len(plan.amounts)
    )
    found = rows.score_cells(request)
    if found is None:
        return None
    # Some engines only know that there are very many rows; unweighted counts tell exactly.
    n = known if known is not None and plan.weighting != "none" else int(found.counts[:, : len(found.levels)].sum())
    if few(n) and not exact:
        return None
    occur = [i for i in range(len(found.levels)) if found.counts[:, i].any()]
    levels = found_levels(plan, np.array([found.levels[i] for i in occur], dtype=object))
    blocks = found.counts.shape[1] // len(found.levels)
    counts = found.counts
    if list(levels) != found.levels:
        counts = np.zeros((len(found.low), len(levels) * blocks))
        for block in range(blocks):
            for i in occur:
                at = block * len(levels) + levels.index(found.levels[i])
                counts[:, at] = found.counts[:, block * len(found.levels) + i]
    if plan.amounts:
        check_finite(counts)
    cells = Cells(found.low, found.high, counts, n, not exact, plan.exact, plan.cuts)
    return levels, cells


def count_scores(rows: Rows, plan: CountingRules) -> Evidence:
    """One score, two levels."""
    if rows.has("prediction"):
        plan.labels = ("target", "prediction")
    fast = None if rows.has("prediction") else _fast_scores(rows, plan)
    if fast is None:
        table = score_table(rows, "score", plan)
        levels = found_levels(plan, table["level"])
    else:
        levels, cells = fast
    if len(levels) > 2:
        require_both(levels, plan.positive, plan)
    if len(levels) < 2 and plan.levels is None and (plan.positive is None or plan.positive in levels):
        require_both(levels, plan.positive, plan)
    positive = positive_of(levels, plan, two=True)
    both = require_both(levels, positive, plan)
    if fast is not None:
        whole = {WHOLE: Scores(cells, levels, positive, plan.weighting, amounts=plan.amounts).over(both)}
        return {name: {"scores": s} for name, s in _with_units(rows, "score", whole, plan).items()}
    return {name: {"scores": s} for name, s in scores_of(rows, "score", both, positive, plan, table).items()}
