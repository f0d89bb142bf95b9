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
from steelyard.rows.language import Rows, ScoreCells, SortedCells, Table
from steelyard.summaries.amounts import check_counts
from steelyard.summaries.cells import Cells
from steelyard.summaries.score_requests import read_cells, read_unit_cells, score_tally, unit_score_tally
from steelyard.summaries.scores import Scores
from steelyard.summaries.segments import Key, key_of, order_of
from steelyard.summaries.sparse import spared


def _asked_for(rows: Rows, plan: CountingRules) -> dict[str, Any]:
    """What every request for scores says, of all rows or by unit."""
    told = {"weighting": plan.weighting, "beside": plan.beside, "labels": plan.labels, "amounts": len(plan.amounts)}
    return {"segmented": rows.has("segment"), **told}


def score_table(rows: Rows, role: str, plan: CountingRules) -> Table:
    """Distinct scores where rows are few or exactness is asked for, else cells of the grid."""
    rounded = rows.rounds(role)

    def ask(*, exact: bool) -> Table:
        request = score_tally(role, exact=exact, cuts=plan.cuts, rounded=rounded, **_asked_for(rows, plan))
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
        request = unit_score_tally(role, bits, **_asked_for(rows, plan))
        for name, part in by_segment(clean(rows.tally(request), plan)).items():
            units, codes = read_unit_cells(part, out[name].levels, plan.weighting, bits, len(plan.amounts))
            out[name] = replace(out[name], units=units, unit_codes=codes)
    return out


def _fast_scores(rows: Any, plan: CountingRules) -> tuple[tuple[Any, ...], dict[Key | None, Cells]] | None:
    """The finished tables of an engine that knows the shape, of the whole and of each segment, with the levels that occur."""
    if not hasattr(rows, "score_cells") or rows.rounds("score"):
        return None
    known = getattr(rows, "length", None)
    exact = plan.exact or (known is not None and few(known))
    segmented = rows.has("segment")
    if segmented and (exact or not hasattr(rows, "apart")):
        return None
    request = score_tally(
        "score", exact=exact, weighting=plan.weighting, segmented=False, cuts=plan.cuts, amounts=len(plan.amounts)
    )
    whole = rows.without("segment") if segmented else rows
    found = whole.score_cells(request)
    apart = rows.apart("segment") if segmented and found is not None else {}
    if found is None or apart is None:
        return None
    by_key = {key_of(v): part for v, part in apart.items()}
    parts = {WHOLE: whole} | {key: by_key[key] for key in sorted(by_key, key=order_of)}
    tables = {key: found if part is whole else part.score_cells(request) for key, part in parts.items()}
    if any(table is None for table in tables.values()):
        return None
    # Some engines only know that there are very many rows; unweighted counts tell exactly.
    n = known if known is not None and plan.weighting != "none" else int(found.rows_by_level.sum())
    if few(n) and not exact:
        return None
    occur = [level for level, n in zip(found.levels, found.rows_by_level, strict=True) if n]
    levels = found_levels(plan, np.array(occur, dtype=object))
    return levels, {
        key: _laid_over(table, levels, n if key is WHOLE else parts[key].length, plan, exact=exact)
        for key, table in tables.items()
    }


def _laid_over(table: ScoreCells, levels: tuple[Any, ...], rows: int, plan: CountingRules, *, exact: bool) -> Cells:
    """An engine's finished table over these levels."""
    if isinstance(table, SortedCells) and list(levels) == table.levels:
        return Cells.of_sorted(table, rows, exact=plan.exact, cuts=plan.cuts)
    counts = table.counts
    if list(levels) != table.levels:
        blocks = counts.shape[1] // len(table.levels)
        counts = np.zeros((len(table.low), len(levels) * blocks))
        for block in range(blocks):
            for i, level in enumerate(table.levels):
                if level in levels:
                    counts[:, block * len(levels) + levels.index(level)] = table.counts[
                        :, block * len(table.levels) + i
                    ]
    if plan.amounts:
        check_counts(counts, len(levels), len(plan.amounts), plan.weighting)
    return Cells(table.low, table.high, spared(counts), rows, not exact, plan.exact, plan.cuts)


def count_scores(rows: Rows, plan: CountingRules) -> Evidence:
    """One score, two levels."""
    if rows.has("prediction"):
        plan.labels = ("target", "prediction")
    fast = None if rows.has("prediction") else _fast_scores(rows, plan)
    if fast is None:
        table = score_table(rows, "score", plan)
        levels = found_levels(plan, table["level"])
    else:
        levels, tables = fast
    if len(levels) > 2:
        require_both(levels, plan.positive, plan)
    if len(levels) < 2 and plan.levels is None and (plan.positive is None or plan.positive in levels):
        require_both(levels, plan.positive, plan)
    positive = positive_of(levels, plan, two=True)
    both = require_both(levels, positive, plan)
    if fast is not None:
        made = {
            key: Scores(cells, levels, positive, plan.weighting, amounts=plan.amounts).over(both)
            for key, cells in tables.items()
        }
        return {name: {"scores": s} for name, s in _with_units(rows, "score", made, plan).items()}
    return {name: {"scores": s} for name, s in scores_of(rows, "score", both, positive, plan, table).items()}
