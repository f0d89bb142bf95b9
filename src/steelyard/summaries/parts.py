"""A part of the rows, laid out like the whole: over its levels, and in its buckets of units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.moments import ORDERS
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores
from steelyard.summaries.units import Units


def like_whole(part: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence of a part as if it had been counted together with all other rows.

    It may never have met some levels of the whole, and few units of its own may have been kept apart more finely.
    """
    return {k: _joined(_over(v, whole[k]), whole[k].units) for k, v in part.items()}


def _over(part: Any, whole: Any) -> Any:
    return part.over(whole.levels) if isinstance(part, Confusion | Scores) else part


def _joined(part: Any, whole: Units | None) -> Any:
    """The same summary with buckets of units joined until they are those of the whole."""
    if part.units is None or whole is None or part.units.bits <= whole.bits:
        return part
    bits = whole.bits
    if isinstance(part, Residuals):
        targets, sizes = (
            None if kept is None else replace(kept, units=kept.units.fewer(bits))
            for kept in (part.unit_targets, part.unit_sizes)
        )
        return replace(part, units=_moments(part.units, bits), unit_targets=targets, unit_sizes=sizes)
    found = replace(part, units=part.units.fewer(bits))
    if isinstance(found, ClassScores):
        return replace(found, tables=tuple(_joined(t, whole) for t in found.tables))
    if isinstance(found, Confusion) and found.amounts is not None and found.amounts.units is not None:
        return replace(found, amounts=replace(found.amounts, units=found.amounts.units.fewer(bits)))
    return found


def _moments(units: Units, bits: int) -> Units:
    """Sums of powers add; the centre that they lie about is the same in every bucket."""
    k = len(ORDERS)
    out = units.fewer(bits)
    out.table[:, k : k + 2] = units.table[0, k : k + 2]
    return out
