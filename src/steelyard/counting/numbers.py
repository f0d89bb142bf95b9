"""Counting continuous predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.counting.rules import WHOLE, CountingRules, Evidence, choose_bits, clean, few, segments_apart
from steelyard.errors import NotNumeric
from steelyard.rows.language import Rows, Table, Tally, Term
from steelyard.summaries.cells import Cells
from steelyard.summaries.error_requests import (
    mean_tally,
    moment_tally,
    prediction_tally,
    read_moments,
    read_unit_moments,
    size_tally,
    value_of,
)
from steelyard.summaries.pairs import EVERY, FINEST, MOST, Pairs, guess_level, pair_tally, read_pairs
from steelyard.summaries.residuals import PARTS, Residuals
from steelyard.summaries.score_requests import read_cells
from steelyard.summaries.segments import Key
from steelyard.summaries.summary import added
from steelyard.summaries.sums import sums_beside
from steelyard.summaries.unit_targets import UnitTargets, level_of, read_unit_targets, unit_target_tally

SMALLEST = 2.0**-230
"""Fourth powers of numbers below this, some of them smaller still, fade into zero."""
LARGEST = 2.0**240
"""Fourth powers of numbers above this, a few of them added up, are no numbers any more."""
FEW_PAIRS = 1 << 14
"""Up to so many pairs are asked for one by one."""


def count_numbers(rows: Rows, plan: CountingRules, *, labels: bool = True) -> Evidence | None:
    """Continuous predictions; None where every value turns out to be 0 or 1, which are labels."""
    segmented = rows.has("segment")
    others = sums_beside(Residuals.kind)
    asked = mean_tally(plan.weighting, segmented=segmented)
    means = clean(rows.tally(_with(asked, *(x.looked_at() for x in others))), plan)
    n = int(means["rows"].sum())
    if labels and float(means["binary"].sum()) == n:
        return None
    if plan.dropped:
        clean(rows.tally(prediction_tally()), plan)
    centres = _centres(means, plan)
    exact = plan.exact or few(n)
    tables = {
        which: _apart(
            clean(rows.tally(size_tally(which, exact=exact, weighting=plan.weighting, segmented=segmented)), plan)
        )
        for which in ("sizes", "targets")
    }
    weighting = "none" if plan.weighting == "none" else "frequency"
    found: dict[Key | None, Residuals] = {}
    bits = choose_bits(rows, plan)
    # In the same pass, where some segment is to be counted; the sums by unit add up to those of all.
    seen = _apart(means)
    beside = [x.asked(plan.weighting) for x in others if any(map(x.wanted, seen.values()))]
    asked = moment_tally(centres, plan.weighting, segmented=segmented)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = clean(rows.tally(asked if bits is not None else _with(asked, *beside)), plan)
    if not all(np.isfinite(v.astype(np.float64)).all() for k, v in sums.items() if k not in {"state", "segment"}):
        raise _too_large()
    answers = by_unit = _apart(sums)
    for name, part in answers.items():
        _check_size(float(part["largest"].max()), tables["targets"][name])
        cells = {k: read_cells(t[name], (0,), weighting, exact=plan.exact) for k, t in tables.items()}
        parts = np.array([float(part[p].sum()) for p in PARTS])
        largest, rows_here = float(part["largest"].max()), int(part["rows"].sum())
        moments = read_moments(part, _centre_of(centres, part))
        found[name] = Residuals(moments, parts, largest, cells["sizes"], cells["targets"], rows_here, plan.weighting)
    for name, pairs in _count_pairs(rows, plan, answers, found).items():
        found[name] = replace(found[name], pairs=pairs)
    if bits is not None:
        asked = moment_tally(centres, plan.weighting, segmented=segmented, bits=bits)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = clean(rows.tally(_with(asked, *beside)), plan)
        by_unit = _apart(sums)
        for name, part in by_unit.items():
            found[name] = replace(found[name], units=read_unit_moments(part, _centre_of(centres, part), bits))
        for which in ("targets", "sizes"):
            for name, kept in _count_unit_values(rows, plan, answers, found, bits, which).items():
                changes: Any = {f"unit_{which}": kept}
                found[name] = replace(found[name], **changes)
    # Summaries add: the whole is the sum of its segments, each counted about its own mean so that no digit is lost.
    out: Evidence = {}
    for name, r in found.items():
        out[name] = {x.kind: x.read(by_unit[name], seen[name], plan.weighting, bits) for x in others}
        out[name] = {Residuals.kind: r, **out[name]}
    whole = {kind: added([part[kind] for part in out.values()]) for kind in (Residuals.kind, *(x.kind for x in others))}
    return {WHOLE: whole} | {name: part for name, part in out.items() if name is not WHOLE}


def _with(request: Tally, *others: Mapping[str, Term]) -> Tally:
    """The same request with more sums."""
    return replace(request, sums={**request.sums, **dict(x for terms in others for x in terms.items())})


def _too_large() -> NotNumeric:
    message = "The numbers are too large, or targets too near zero, to add up their fourth powers."
    return NotNumeric(message, "Express target and prediction in another unit, for example in millions.")


def _check_size(error: float, targets: Table) -> None:
    """Refuse errors and spreads of targets whose fourth powers are no numbers any more, or none that differ from zero."""
    values = np.concatenate([targets[k].astype(np.float64) for k in ("score", "low", "high") if k in targets])
    spread = float(np.ptp(values)) if len(values) else 0.0
    for what, size in (("errors", error), ("differences between targets", spread)):
        if size > LARGEST:
            raise _too_large()
        if 0 < size < SMALLEST:
            message = f"The {what} are at most {size:.3g}, too small to add up their fourth powers."
            raise NotNumeric(message, "Express target and prediction in another unit, for example in millionths.")


def _count_unit_values(
    rows: Rows,
    plan: CountingRules,
    parts: Mapping[Key | None, Table],
    found: Mapping[Key | None, Residuals],
    bits: int,
    which: str,
) -> dict[Key | None, UnitTargets]:
    """Targets or sizes of errors by bucket of units, for each segment in steps of its own first width."""
    segmented = rows.has("segment")
    cells: dict[Key | None, Cells] = {name: getattr(r, which) for name, r in found.items()}
    levels = {name: level_of(c) for name, c in cells.items()}
    ends = {name: float(np.abs([c.low[0], c.high[-1]]).max()) for name, c in cells.items()}
    wide = {
        s: levels[name] for name, part in parts.items() for s in (part["segment"].tolist() if segmented else [None])
    }
    furthest = max(end * 2.0 ** -levels[name] for name, end in ends.items())
    request = unit_target_tally(value_of(which), wide, furthest, plan.weighting, segmented=segmented, bits=bits)
    answers = _apart(clean(rows.tally(request), plan))
    return {name: read_unit_targets(part, plan.weighting, levels[name], bits) for name, part in answers.items()}


def _apart(table: Table) -> dict[Key | None, Table]:
    """One table for each segment; the whole table where there are none."""
    return segments_apart(table) if "segment" in table else {WHOLE: table}


def _centres(means: Table, plan: CountingRules) -> dict[Any, tuple[float, float]]:
    """Means of target and error for each segment, under None for all rows."""
    weight = "rows" if plan.weighting == "none" else "weight"

    def centre(part: Table) -> tuple[float, float]:
        total = float(part[weight].astype(np.float64).sum())
        return float(part["target"].sum()) / total, float(part["error"].sum()) / total

    out = {None: centre(means)}
    for key, part in _apart(means).items():
        if key is not WHOLE and key[1] is not None:
            out[key[1]] = centre(part)
    return out


def _centre_of(centres: dict[Any, tuple[float, float]], part: Table) -> tuple[float, float]:
    level = part["segment"][0] if "segment" in part else None
    return centres.get(level, centres[None])


# Pairs ----------------------------------------------------------------------------------------------------------------


def _count_pairs(
    rows: Rows, plan: CountingRules, parts: Mapping[Key | None, Table], found: Mapping[Key | None, Residuals]
) -> dict[Key | None, Pairs]:
    """Predictions with their errors, for each segment at the finest level that has few enough of them.

    Where the first level turns out too coarse (few distinct values, or tails so heavy that they hide the rest) a finer one
    is asked for, and in the end every distinct pair.
    """
    segmented = rows.has("segment")
    waiting = {name: _levels(r) for name, r in found.items()}
    largest = max(r.largest for r in found.values())
    furthest = (
        largest + max(float(np.abs([r.targets.low[0], r.targets.high[-1]]).max()) for r in found.values()),
        largest,
    )
    out: dict[Key | None, Pairs] = {}
    while waiting:
        now = {name: levels.pop(0) for name, levels in waiting.items()}
        asked = {
            segment: now.get(name)
            for name, part in parts.items()
            for segment in (part["segment"].tolist() if segmented else [None])
        }
        for exact in sorted({level == EVERY for level in now.values()}):
            request = pair_tally(asked, furthest, plan.weighting, segmented=segmented, exact=exact)
            for name, part in _apart(clean(rows.tally(request), plan)).items():
                if name in now and (now[name] == EVERY) == exact:
                    pairs = read_pairs(part, plan.weighting, now[name])
                    if not waiting[name] or len(pairs) > MOST:
                        out[name] = pairs.bounded()
                        del waiting[name]
    return out


def _levels(residuals: Residuals) -> list[int]:
    """The levels at which to ask for pairs, one after the other until there are enough of them."""
    few_values = (
        residuals.sizes.sharp
        and residuals.targets.sharp
        and 2 * len(residuals.sizes.low) * len(residuals.targets.low) <= FEW_PAIRS
    )
    if residuals.rows <= FEW_PAIRS or few_values:
        return [EVERY]
    m = residuals.moments
    n, squares = float(m.n), float(m.get(0, 2))
    # Quantiles know the scale of what most rows hold, also where a few rows decide over the standard deviation.
    error = min((squares / n) ** 0.5, _rank(residuals.sizes, 0.9) / 1.6)
    both = max(float(m.get(2, 0)) + 2 * float(m.get(1, 1)) + squares, 0.0)
    prediction = min((both / n) ** 0.5, (_rank(residuals.targets, 0.95) - _rank(residuals.targets, 0.05)) / 3.3 + error)
    middle = _rank(residuals.targets, 0.5) + min(max(float(m.centre[1]), -error), error)
    ends = (middle - 3 * prediction, middle + 3 * prediction), (-3 * error, 3 * error)
    first = guess_level(*ends, 8 * MOST)
    # Every distinct pair is of no use where there are too many of them already without telling pairs apart.
    last = [] if max(len(residuals.sizes.low), len(residuals.targets.low)) > MOST else [EVERY]
    return [*sorted({first, max(first - 12, FINEST), FINEST}, reverse=True), *last]


def _rank(cells: Cells, share: float) -> float:
    """The value below which about this share of the rows lies."""
    total = np.cumsum(cells.counts[:, 0])
    return float(cells.middle[np.searchsorted(total, share * total[-1])])
