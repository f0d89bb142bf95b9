"""From rows to summaries: which requests each kind of prediction needs, and how the answers are checked and laid out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from steelyard.errors import BadLevels, BadWeight, EmptyTable, MissingValues, NotNumeric, listing
from steelyard.rows import BAD_WEIGHT, GOOD, STATE_WORDS, Rows, Table, Tally
from steelyard.summaries.cells import Cells
from steelyard.summaries.class_scores import ClassScores, class_role, rank_tally, read_rank_units, read_ranks
from steelyard.summaries.confusion import Confusion, label_tally, read_confusion, read_confusion_units
from steelyard.summaries.residuals import (
    PARTS,
    Residuals,
    mean_tally,
    moment_tally,
    read_moments,
    read_unit_moments,
    size_tally,
)
from steelyard.summaries.scores import Scores, read_cells, read_unit_cells, score_tally, unit_score_tally
from steelyard.summaries.summary import EXACT_ROWS, sort_levels
from steelyard.summaries.units import BITS, MOST

MOST_LEVELS = 1000
WHOLE = None
Evidence = dict[str | None, dict[str, Any]]


@dataclass(slots=True)
class Plan:
    """How to count: weights, exactness, what to do with missing values, declared levels."""

    weighting: str = "none"
    exact: bool = False
    drop: bool = False
    levels: tuple[Any, ...] | None = None
    positive: Any = None
    cuts: tuple[float, ...] = ()
    beside: tuple[str, ...] = ()
    labels: tuple[str, ...] = ("target",)
    dropped: dict[str, int] = field(default_factory=dict)


def clean(table: Table, plan: Plan) -> Table:
    """Rows that can be used; the others are refused, or counted and left out."""
    state = table["state"].astype(np.int64)
    bad = state != GOOD
    if bad.any():
        counts = {int(s): int(table["rows"][state == s].sum()) for s in np.unique(state[bad])}
        words = [f"{n:,} with {STATE_WORDS[s]}" for s, n in counts.items()]
        total = int(table["rows"].sum())
        if BAD_WEIGHT in counts:
            n = counts[BAD_WEIGHT]
            message = f"Of {total:,} rows, {n:,} {'has' if n == 1 else 'have'} {STATE_WORDS[BAD_WEIGHT]}."
            raise BadWeight(message, "Weights must be above zero; leave out rows that should not count.")
        if not plan.drop:
            message = f"Of {total:,} rows, some cannot be used: {', '.join(words)}."
            hint = 'Mend them, or leave them out with missing="drop" (--missing drop); they are then counted in the result.'
            raise MissingValues(message, hint)
        plan.dropped = {STATE_WORDS[s]: n for s, n in counts.items()}
    good = {k: v[~bad] for k, v in table.items()}
    if not int(good["rows"].sum()):
        what = "no rows" if not bad.any() else "no rows left once those with missing values are dropped"
        message = f"The table has {what}."
        raise EmptyTable(message, "At least one row is needed.")
    return good


def by_segment(table: Table) -> dict[str | None, Table]:
    """The whole table, and one for each segment where there are any."""
    out: dict[str | None, Table] = {WHOLE: table}
    if "segment" in table:
        names = np.array(["(missing)" if v is None else str(v) for v in table["segment"].tolist()], dtype=object)
        for name in sorted(set(names.tolist())):
            out[name] = {k: v[names == name] for k, v in table.items()}
    return out


def found_levels(plan: Plan, *columns: Any) -> tuple[Any, ...]:
    """The levels that occur, or the declared ones; far too many are refused."""
    found = sort_levels(v for column in columns for v in column.tolist())
    if plan.levels is not None:
        extra = [v for v in found if v not in plan.levels]
        if extra:
            message = (
                f"The data hold levels that were not declared: {listing(extra)}; declared: {listing(plan.levels)}."
            )
            raise BadLevels(message, "Add them to levels=, or mend the data.")
        return plan.levels
    if len(found) > MOST_LEVELS:
        message = f"The target has {len(found):,} levels, and at most {MOST_LEVELS:,} can be told apart."
        hint = 'Join rare levels first; for a quantity say kind="continuous", and in place of an identifier name another column.'
        raise BadLevels(message, hint)
    return found


def positive_of(levels: tuple[Any, ...], plan: Plan, *, two: bool) -> Any:
    """The positive level: given, or 1 and True speaking for themselves; never guessed."""
    if plan.positive is not None:
        matches = [v for v in levels if v == plan.positive]
        if not matches and plan.levels is None:
            message = f"The positive level {listing([plan.positive])} does not occur; the target has {listing(levels)}."
            hint = "Name one of these levels; if this is one part of a larger table, declare levels=[...] as well."
            if any(str(v) == str(plan.positive) for v in levels):
                hint = "The text looks the same but the type differs: pass the level as it is in the data."
            raise BadLevels(message, hint)
        return matches[0] if matches else plan.positive
    if len(levels) <= 2 and set(levels) <= {0, 1}:
        return next((v for v in levels if v == 1), True if levels and isinstance(levels[0], bool) else 1)
    if two or len(levels) == 2:
        message = f"Which level is the positive one? The target has {listing(levels)}."
        raise BadLevels(message, f"Say so: positive={levels[-1]!r}, for example (--positive {levels[-1]}).")
    return None


def require_both(levels: tuple[Any, ...], positive: Any, plan: Plan) -> tuple[Any, ...]:
    """Two levels for a score; one class alone is refused unless the levels were declared."""
    if len(levels) > 2:
        message = f"One score tells two levels apart, and the target has {len(levels):,}: {listing(levels)}."
        raise BadLevels(message, "Pass one score for each level, score={level: column, ...}, or join the levels first.")
    if len(levels) < 2 and plan.levels is None:
        message = f"The target has one level only: {listing(levels)}."
        hint = "Both classes are needed to judge a score; if this is one part of a larger table, declare levels=[...]."
        raise BadLevels(message, hint)
    if positive not in levels:
        levels = sort_levels([*levels, positive])
    return levels


def choose_bits(rows: Rows) -> int | None:
    """How finely units are kept apart: the most buckets that stay within the limit."""
    if not rows.has("unit"):
        return None
    ids = np.unique(rows.tally(Tally({"bucket": lambda r: r.bucket("unit")}))["bucket"].astype(np.int64))
    bits = BITS
    while len(np.unique(ids >> (BITS - bits))) > MOST:
        bits -= 1
    return bits


def _score_table(rows: Rows, role: str, plan: Plan) -> Table:
    """Distinct scores where rows are few or exactness is asked for, else cells of the grid."""

    def ask(*, exact: bool) -> Table:
        request = score_tally(
            role,
            exact=exact,
            weighting=plan.weighting,
            segmented=rows.has("segment"),
            cuts=plan.cuts,
            beside=plan.beside,
            labels=plan.labels,
        )
        return clean(rows.tally(request), plan)

    known = getattr(rows, "length", None)
    if known is None and not plan.exact:
        table = ask(exact=False)
        if int(table["rows"].sum()) > EXACT_ROWS:
            return table
    return ask(exact=plan.exact or known is None or known <= EXACT_ROWS)


def _scores(
    rows: Rows, role: str, levels: tuple[Any, ...], positive: Any, plan: Plan, table: Table
) -> dict[Any, Scores]:
    out = {
        name: Scores(
            read_cells(part, levels, plan.weighting, exact=plan.exact, cuts=plan.cuts), levels, positive, plan.weighting
        )
        for name, part in by_segment(table).items()
    }
    return _with_units(rows, role, out, plan)


def _with_units(rows: Rows, role: str, out: dict[Any, Scores], plan: Plan) -> dict[Any, Scores]:
    """The same tables with one kept for every bucket of units, where rows name their unit."""
    bits = choose_bits(rows)
    if bits is not None:
        request = unit_score_tally(
            role, bits, weighting=plan.weighting, segmented=rows.has("segment"), beside=plan.beside, labels=plan.labels
        )
        for name, part in by_segment(clean(rows.tally(request), plan)).items():
            units, codes = read_unit_cells(part, out[name].levels, plan.weighting, bits)
            out[name] = replace(out[name], units=units, unit_codes=codes)
    return out


def _fast_scores(rows: Rows, plan: Plan) -> tuple[tuple[Any, ...], Cells] | None:
    """The finished table of an engine that knows the shape, with the levels that occur in it."""
    if not hasattr(rows, "score_cells"):
        return None
    known = getattr(rows, "length", None)
    exact = plan.exact or (known is not None and known <= EXACT_ROWS)
    request = score_tally("score", exact=exact, weighting=plan.weighting, segmented=False, cuts=plan.cuts)
    found = rows.score_cells(request)
    if found is None:
        return None
    # Some engines only know that there are very many rows; unweighted counts tell exactly.
    n = known if known is not None and plan.weighting != "none" else int(found.counts.sum())
    if n <= EXACT_ROWS and not exact:
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
    if plan.weighting == "frequency":
        counts = counts[:, : len(levels)]
    cells = Cells(found.low, found.high, counts, n, not exact, plan.exact, plan.cuts)
    return levels, cells


def count_scores(rows: Rows, plan: Plan) -> Evidence:
    """One score, two levels."""
    if rows.has("prediction"):
        plan.labels = ("target", "prediction")
    fast = None if rows.has("prediction") else _fast_scores(rows, plan)
    if fast is None:
        table = _score_table(rows, "score", plan)
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
        whole = {WHOLE: Scores(cells, levels, positive, plan.weighting).over(both)}
        return {name: {"scores": s} for name, s in _with_units(rows, "score", whole, plan).items()}
    return {name: {"scores": s} for name, s in _scores(rows, "score", both, positive, plan, table).items()}


def count_labels(rows: Rows, plan: Plan) -> Evidence:
    """Predicted labels of any number of levels."""
    segmented = rows.has("segment")
    table = clean(rows.tally(label_tally(plan.weighting, segmented=segmented, beside=plan.beside)), plan)
    levels = found_levels(plan, table["level"], table["label"])
    actual, predicted = set(table["level"].tolist()), set(table["label"].tolist())
    if not actual & predicted and plan.levels is None and levels != (0, 1):
        message = f"No predicted level occurs in the target: it has {listing(sort_levels(actual))}, "
        message += f"predicted were {listing(sort_levels(predicted))}."
        raise BadLevels(message, "Write both columns with the same levels; if this is meant, declare levels=[...].")
    if len(levels) < 2 and plan.levels is None and set(levels) != {0} and set(levels) != {1}:
        message = f"Target and prediction have one level only: {listing(levels)}."
        raise BadLevels(message, "If this is one part of a larger table, declare levels=[...].")
    positive = positive_of(levels, plan, two=False)
    if positive is not None and positive not in levels:
        levels = sort_levels([*levels, positive])
    if len(levels) == 1:
        other = not positive if isinstance(positive, bool) else 0
        levels = sort_levels([*levels, other])
    out: Evidence = {
        name: {"confusion": read_confusion(part, levels, positive, plan.weighting)}
        for name, part in by_segment(table).items()
    }
    bits = choose_bits(rows)
    if bits is not None:
        request = label_tally(plan.weighting, segmented=segmented, bits=bits, beside=plan.beside)
        for name, part in by_segment(clean(rows.tally(request), plan)).items():
            confusion = out[name]["confusion"]
            assert isinstance(confusion, Confusion)
            units = read_confusion_units(part, levels, plan.weighting, bits)
            out[name]["confusion"] = replace(confusion, units=units)
    return out


def _with_labels(table: Table, levels: tuple[Any, ...]) -> Table:
    """The table with the level of the best score as the predicted one."""
    label = np.empty(len(table["best"]), dtype=object)
    label[:] = [levels[int(b)] for b in table["best"].tolist()]
    return {**table, "label": label}


def count_classes(rows: Rows, classes: Sequence[Any], plan: Plan) -> Evidence:
    """One score for each class."""
    levels = tuple(classes)
    if len(levels) > MOST_LEVELS:
        message = f"There are scores for {len(levels):,} classes, and at most {MOST_LEVELS:,} can be told apart."
        raise BadLevels(message, "Join rare classes first.")
    plan.levels = levels
    table = clean(rows.tally(rank_tally(levels, weighting=plan.weighting, segmented=rows.has("segment"))), plan)
    extra = [v for v in sort_levels(table["level"].tolist()) if v not in levels]
    if extra:
        message = f"The target has levels without a score: {listing(extra)}; there are scores for {listing(levels)}."
        raise BadLevels(message, "Add their columns to score={level: column, ...}.")
    if plan.dropped:
        # A row without one score is left out of every class's table.
        plan.beside = tuple(class_role(i) for i in range(len(levels)))
    columns = []
    for i, level in enumerate(levels):
        columns.append(_scores(rows, class_role(i), levels, level, plan, _score_table(rows, class_role(i), plan)))
    out: Evidence = {}
    for name, part in by_segment(table).items():
        ranks, brier = read_ranks(part, len(levels), plan.weighting)
        out[name] = {
            "class_scores": ClassScores(tuple(c[name] for c in columns), ranks, brier),
            "confusion": read_confusion(_with_labels(part, levels), levels, plan.positive, plan.weighting),
        }
    bits = choose_bits(rows)
    if bits is not None:
        request = rank_tally(levels, weighting=plan.weighting, segmented=rows.has("segment"), bits=bits)
        for name, part in by_segment(clean(rows.tally(request), plan)).items():
            by_rank = read_rank_units(part, len(levels), plan.weighting, bits)
            by_label = read_confusion_units(_with_labels(part, levels), levels, plan.weighting, bits)
            out[name]["class_scores"] = replace(out[name]["class_scores"], units=by_rank)
            out[name]["confusion"] = replace(out[name]["confusion"], units=by_label)
    return out


def count_numbers(rows: Rows, plan: Plan, *, labels: bool = True) -> Evidence | None:
    """Continuous predictions; None where every value turns out to be 0 or 1, which are labels."""
    segmented = rows.has("segment")
    means = clean(rows.tally(mean_tally(plan.weighting, segmented=segmented)), plan)
    n = int(means["rows"].sum())
    if labels and float(means["binary"].sum()) == n:
        return None
    centres = _centres(means, plan)
    exact = plan.exact or n <= EXACT_ROWS
    tables = {
        which: _apart(
            clean(rows.tally(size_tally(which, exact=exact, weighting=plan.weighting, segmented=segmented)), plan)
        )
        for which in ("sizes", "targets")
    }
    weighting = "none" if plan.weighting == "none" else "frequency"
    found: dict[str | None, Residuals] = {}
    with np.errstate(over="ignore", invalid="ignore"):
        sums = clean(rows.tally(moment_tally(centres, plan.weighting, segmented=segmented)), plan)
    if not all(np.isfinite(v.astype(np.float64)).all() for k, v in sums.items() if k not in {"state", "segment"}):
        message = "The numbers are too large, or targets too near zero, to add up their fourth powers."
        raise NotNumeric(message, "Express target and prediction in another unit, for example in millions.")
    for name, part in _apart(sums).items():
        cells = {k: read_cells(t[name], (0,), weighting, exact=plan.exact) for k, t in tables.items()}
        parts = np.array([float(part[p].sum()) for p in PARTS])
        largest, rows_here = float(part["largest"].max()), int(part["rows"].sum())
        moments = read_moments(part, _centre_of(centres, part))
        found[name] = Residuals(moments, parts, largest, cells["sizes"], cells["targets"], rows_here, plan.weighting)
    bits = choose_bits(rows)
    if bits is not None:
        request = moment_tally(centres, plan.weighting, segmented=segmented, bits=bits)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = clean(rows.tally(request), plan)
        for name, part in _apart(sums).items():
            found[name] = replace(found[name], units=read_unit_moments(part, _centre_of(centres, part), bits))
    # Summaries add: the whole is the sum of its segments, each counted about its own mean so that no digit is lost.
    whole = reduce(add, found.values())
    out: Evidence = {WHOLE: {"residuals": whole}}
    return out | {name: {"residuals": r} for name, r in found.items() if name is not WHOLE}


def _apart(table: Table) -> dict[str | None, Table]:
    """One table for each segment; the whole table where there are none."""
    parts = by_segment(table)
    return {k: v for k, v in parts.items() if k is not WHOLE} if len(parts) > 1 else parts


def _centres(means: Table, plan: Plan) -> dict[Any, tuple[float, float]]:
    """Means of target and error for each segment, under None for all rows."""
    weight = means["rows" if plan.weighting == "none" else "weight"].astype(np.float64)

    def centre(pick: Any) -> tuple[float, float]:
        total = float(weight[pick].sum())
        return float(means["target"][pick].sum()) / total, float(means["error"][pick].sum()) / total

    out = {None: centre(slice(None))}
    for level in set(means["segment"].tolist()) - {None} if "segment" in means else ():
        out[level] = centre(np.array([v == level for v in means["segment"].tolist()]))
    return out


def _centre_of(centres: dict[Any, tuple[float, float]], part: Table) -> tuple[float, float]:
    level = part["segment"][0] if "segment" in part else None
    return centres.get(level, centres[None])
