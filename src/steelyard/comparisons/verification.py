"""Whether rows with a label speak for those without, and the correction where they do not (verification bias).

Where labels are missing by what was predicted, and by nothing else, rows of like score have like outcomes: each labelled row then
stands for as many rows of its group as have no label. That is weighting by the inverse probability of a label, and with groups by
prediction the estimate of Begg and Greenes. Nothing in the data can tell whether labels are missing by outcome as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.errors import NotAvailable
from steelyard.results import Array, Number
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import Summary
from steelyard.summaries.units import Units
from steelyard.summaries.unlabelled import WITH, WITHOUT, Unlabelled
from steelyard.wording import either, option
from steelyard.words import count, quoted, significant

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

CORRECTION = "inverse probability of a label (Begg and Greenes)"
MOST_GROUPS = 20
LEAST_LABELS = 5
"""A group with fewer labels is joined to its neighbour."""
BY_CHANCE = 0.01
HIGHER = "specificity is told too high and recall too low"
"""Groups without labels are out of reach where chance would leave them so less often than this."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Rows with and without a target side by side."""

    missing: int
    rows: int
    typical: tuple[str, str]
    """The middle prediction without and with a target, or the commonest predicted level."""
    lower: bool | None
    """Whether rows without a target are predicted lower; None for levels."""
    p_value: float | None
    beyond: int
    """Rows in groups of which none has a label: no correction can speak for them."""
    where: str

    @property
    def alike(self) -> bool:
        """Whether nothing speaks against one distribution of predictions."""
        return self.p_value is None or self.p_value >= BY_CHANCE

    @property
    def correctable(self) -> bool:
        """Whether all kinds of rows have labels, so that the labelled can stand for the others."""
        return self.beyond == 0

    def sentences(self, corrected: str = "", *, scores: bool = True) -> list[str]:
        """What it means for the numbers; for those of scores, in which direction they are off."""
        were = f"{count(self.missing)} of {count(self.rows)} rows have no target and were left out"
        if self.alike:
            few = "too few of them to compare" if self.p_value is None else "they were predicted like the others"
            return [f"{were}; {few}. Whether targets are missing by outcome cannot be seen here."]
        middle = f"{self.typical[0]} against {self.typical[1]} in the middle"
        if self.lower is None:
            middle = f"most often {self.typical[0]} against {self.typical[1]}"
        out = [f"{were}, and they were predicted differently ({middle}): the numbers hold for rows with a target only."]
        if self.lower is not None and scores:
            said = "recall is told too high and specificity too low" if self.lower else HIGHER
            out.append(f"For all rows {said}, and the AUC is off as well.")
        if self.correctable:
            out.append(
                f'Corrected, {corrected}: missing="inverse_probability" tells every number so.' if corrected else ""
            )
        else:
            out.append(
                f"No correction can mend that: {self.where} there are {count(self.beyond)} rows and no target. "
                "Learn the outcome of a random part of them."
            )
        return [text for text in out if text]


def verification(unlabelled: Unlabelled) -> Verification:
    """Compare what was predicted for rows without a target with those that have one.

    χ² of the two columns over at most 20 even groups of the prediction.

    >>> v = verification(Unlabelled.of_levels(("no", "yes"), [[900, 100], [50, 600]]))
    >>> v.alike, v.correctable, v.typical
    (False, True, ('"no"', '"yes"'))
    """
    group = _groups(unlabelled)
    table = _by_group(group, unlabelled)
    beyond = table[:, WITH] == 0
    where = ""
    if unlabelled.cells is not None:
        typical = tuple(significant(_middle(unlabelled, side)) for side in (WITHOUT, WITH))
        lower: bool | None = _middle(unlabelled, WITHOUT) < _middle(unlabelled, WITH)
        lost = beyond[group]
        if lost.any():
            ends = float(unlabelled.cells.low[lost].min()), float(unlabelled.cells.high[lost].max())
            where = f"between {significant(ends[0])} and {significant(ends[1])}"
    else:
        typical = tuple(
            quoted(unlabelled.levels[int(np.argmax(unlabelled.table[:, side]))]) for side in (WITHOUT, WITH)
        )
        lower = None
        where = "where it says " + ", ".join(quoted(unlabelled.levels[i]) for i in np.flatnonzero(beyond[group]))
    p, lost_rows = _p_value(_by_group(_even_groups(unlabelled), unlabelled)), round(float(table[beyond].sum()))
    return Verification(unlabelled.missing, unlabelled.rows, (typical[0], typical[1]), lower, p, lost_rows, where)


def _by_group(group: Any, unlabelled: Unlabelled) -> Array:
    """Rows without and with a target in each group."""
    table = np.zeros((int(group.max(initial=-1)) + 1, 2))
    np.add.at(table, group, unlabelled.table)
    return table


def _middle(unlabelled: Unlabelled, side: int) -> float:
    assert unlabelled.cells is not None
    total = np.cumsum(unlabelled.table[:, side])
    return float(unlabelled.cells.middle[int(np.searchsorted(total, total[-1] / 2))])


def _p_value(table: Array) -> float | None:
    """Of χ² over the groups; None where no group can be expected to hold five of either kind."""
    from scipy.special import chdtrc

    sides = table.sum(axis=0)
    expected = np.outer(table.sum(axis=1), sides) / max(float(sides.sum()), 1.0)
    fair = expected.min(axis=1) >= LEAST_LABELS
    if fair.sum() < len(table):
        # Groups too small to be judged alone are judged together.
        rest = [table[~fair].sum(axis=0)] if (~fair).any() else []
        table = np.array([*table[fair], *rest])
        expected = np.outer(table.sum(axis=1), sides) / max(float(sides.sum()), 1.0)
    if len(table) < 2 or expected.min() < 1:
        return None
    return float(chdtrc(len(table) - 1, float(((table - expected) ** 2 / expected).sum())))


# Groups -----------------------------------------------------------------------------------------------------------


def _even_groups(unlabelled: Unlabelled) -> Any:
    """The group of every cell, of about equally many rows whether labelled or not: what a fair test is made on."""
    if unlabelled.cells is None:
        return np.arange(len(unlabelled.levels))
    every = unlabelled.table.sum(axis=1)
    most = int(np.clip(unlabelled.table.sum(axis=0).min() // (2 * LEAST_LABELS), 1, MOST_GROUPS))
    total = np.cumsum(every)
    group = np.minimum((total - every / 2) / total[-1] * most, most - 1).astype(np.int64)
    return np.unique(group, return_inverse=True)[1]


def _groups(unlabelled: Unlabelled) -> Any:
    """The group of every cell within which labels are missing evenly: cut where their share changes, then by score.

    A rule such as "all rows above 0.5 are looked at" is a jump, and a group across it would mix two kinds of rows.
    """
    if unlabelled.cells is None:
        return np.arange(len(unlabelled.levels))
    rows, labels = (np.r_[0.0, np.cumsum(x)] for x in (unlabelled.table.sum(axis=1), unlabelled.table[:, WITH]))
    cuts = sorted({0, len(unlabelled.table), *_jumps(rows, labels, 0, len(unlabelled.table))})
    edges = [0]
    for first, last in pairwise(cuts):
        inside = labels[last] - labels[first]
        parts = int(np.clip(inside // (2 * LEAST_LABELS), 1, MOST_GROUPS))
        # By labels and by rows, so that no group has one row in a thousand or a thousand rows with one label.
        mass = (rows - rows[first]) / max(rows[last] - rows[first], 1.0) + (labels - labels[first]) / max(inside, 1.0)
        places = np.searchsorted(mass[first : last + 1], np.arange(1, parts) * mass[last] / parts) + first
        edges += sorted({*places.tolist(), last} - {first})
    edges = sorted(set(edges))
    group = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    return _joined(_by_group(group, unlabelled))[group]


def _jumps(rows: Array, labels: Array, first: int, last: int, depth: int = 6) -> Iterator[int]:
    """Where the share of labelled rows changes: cut in two wherever the likelihood gains more than chance would give it."""
    if last - first < 2 or depth == 0:
        return

    def fit(n: Number, k: Number) -> Any:
        p = np.clip(k / np.maximum(n, 1.0), 1e-12, 1 - 1e-12)
        return k * np.log(p) + (n - k) * np.log1p(-p)

    at = np.arange(first + 1, last)
    left = fit(rows[at] - rows[first], labels[at] - labels[first])
    right = fit(rows[last] - rows[at], labels[last] - labels[at])
    gain = left + right - fit(rows[last] - rows[first], labels[last] - labels[first])
    best = int(np.argmax(gain))
    if float(gain[best]) > math.log(max(float(rows[-1]), 2.0)) + 3:
        cut = int(at[best])
        yield cut
        yield from _jumps(rows, labels, first, cut, depth - 1)
        yield from _jumps(rows, labels, cut, last, depth - 1)


def _joined(table: Array) -> Any:
    """For every group in order the one that it becomes part of: none is left with a few labels, or without any by chance."""
    runs: list[list[int]] = []
    for i in range(len(table)):
        empty = table[i, WITH] == 0
        if (
            runs
            and (table[runs[-1], WITH].sum() == 0) == empty
            and (empty or table[runs[-1], WITH].sum() < LEAST_LABELS)
        ):
            runs[-1].append(i)
        else:
            runs.append([i])
    kept: list[list[int]] = []
    for run in runs:
        if kept and (_by_chance(table, run, kept[-1]) or _by_chance(table, kept[-1], run)):
            kept[-1] += run
        else:
            kept.append(run)
    out = np.zeros(len(table), dtype=np.int64)
    for place, run in enumerate(kept):
        out[run] = place
    return out


def _by_chance(table: Array, run: list[int], beside: list[int]) -> bool:
    """Whether a group has so few labels that it is told by its neighbour, which has some."""
    mine, other = table[run].sum(axis=0), table[beside].sum(axis=0)
    if other[WITH] == 0:
        return False
    if mine[WITH] == 0:
        rate = float(other[WITH] / other.sum())
        return bool((1 - rate) ** float(mine.sum()) > BY_CHANCE)
    return bool(mine[WITH] < LEAST_LABELS)


# The correction -------------------------------------------------------------------------------------------------------


def check_reach(unlabelled: Unlabelled | None, *, amounts: bool = False) -> Verification:
    """Refuse a correction where there is nothing to correct, rows of which nothing is known, or amounts of the rows' own."""
    if unlabelled is None:
        message = "There are no rows without a target, so there is nothing to correct for."
        raise NotAvailable(message, "Evaluate the table in which targets are missing, with all its predictions.")
    found = verification(unlabelled)
    if not found.correctable:
        message = f"{count(found.beyond)} rows cannot be spoken for: {found.where} no row has a target."
        hint = f"Learn the outcome of a random part of them, or say {option('missing', 'drop')} and mind the note."
        raise NotAvailable(message, hint)
    if amounts:
        message = "Amounts of the rows' own cannot be corrected for rows without a target."
        hint = f"Leave out {option('value')}, or give amounts by outcome{either(': Profit(tp=..., fp=...)', '')}."
        raise NotAvailable(message, hint)
    return found


def _times(unlabelled: Unlabelled) -> tuple[Any, Array]:
    """The group of every cell or level, and for how many rows one labelled row of each group stands."""
    group = _groups(unlabelled)
    table = _by_group(group, unlabelled)
    return group, table.sum(axis=1) / table[:, WITH]


def weighed_scores(scores: Scores, unlabelled: Unlabelled) -> Scores:
    """The score table in which each labelled row stands for its group: counts times N / n, their squares times (N / n)²."""
    check_reach(unlabelled, amounts=bool(scores.amounts))
    assert unlabelled.cells is not None
    group, times = _times(unlabelled)
    place = np.clip(np.searchsorted(unlabelled.cells.low, scores.cells.low, side="right") - 1, 0, len(group) - 1)
    factor = times[group[place]][:, None]
    k = len(scores.levels)
    own = scores.cells.counts[:, :k]
    squares = scores.cells.counts[:, k : 2 * k] if scores.weighting == "sampling" else own
    cells = replace(scores.cells, kept=np.concatenate([own * factor, squares * factor**2], axis=1))
    units = scores.units
    if units is not None:
        stacked = scores.by_unit()
        assert stacked is not None
        # A coarse cell may hold two groups: it gets the factor of its rows on average.
        code = np.searchsorted(stacked.cells.low, scores.cells.low, side="right") - 1
        weight, old = np.zeros(len(stacked.cells.low)), np.zeros(len(stacked.cells.low))
        np.add.at(weight, code, (own * factor).sum(axis=1))
        np.add.at(old, code, own.sum(axis=1))
        mean = weight / np.where(old > 0, old, 1.0)
        units = Units(units.ids, units.table * mean[None, :, None], units.bits)
    return replace(scores, cells=cells, weighting="sampling", units=units)


def weighed_labels(confusion: Confusion, unlabelled: Unlabelled) -> Confusion:
    """The matrix in which each labelled row stands for all rows with its predicted level.

    >>> u = Unlabelled.of_levels((0, 1), [[900, 100], [0, 50]])
    >>> weighed_labels(Confusion.of([[90, 10], [10, 40]], (0, 1), 1), u).counts.tolist()
    [[900.0, 10.0], [100.0, 40.0]]

    Begg, Greenes, Assessment of diagnostic tests when disease verification is subject to selection bias, Biometrics 39 (1983).
    """
    check_reach(unlabelled, amounts=confusion.amounts is not None)
    _, times = _times(unlabelled)
    factor = np.array([times[unlabelled.levels.index(v)] if v in unlabelled.levels else 1.0 for v in confusion.levels])
    squares = confusion.counts if confusion.squares is None else confusion.squares
    units = None if confusion.units is None else replace(confusion.units, table=confusion.units.table * factor)
    return replace(
        confusion, counts=confusion.counts * factor, squares=squares * factor**2, weighting="sampling", units=units
    )


def corrected(evaluation: Evaluation) -> dict[str, Any]:
    """Evidence and facts of an evaluation whose labelled rows stand for those of like prediction without a target."""
    found, u = check_reach(evaluation.unlabelled), evaluation.unlabelled
    only, scores, labels = set(evaluation.evidence), evaluation.kept(Scores), evaluation.kept(Confusion)
    if u is not None and scores is not None and only == {Scores.kind}:
        evidence: dict[str, Summary] = {Scores.kind: weighed_scores(scores, u)}
    elif u is not None and labels is not None and only == {Confusion.kind} and u.cells is None:
        evidence = {Confusion.kind: weighed_labels(labels, u)}
    else:
        message = "The correction for rows without a target knows one score, or predicted labels, and there is something else."
        hint = f"Say {option('missing', 'drop')}, and mind the note on how the rows that were left out differ."
        raise NotAvailable(message, hint)
    if evaluation.segments:
        message = "The correction for rows without a target is made for all rows together, and segments were asked for."
        raise NotAvailable(message, f"Evaluate without {option('segment')}, or each segment's rows alone.")
    told = f"{CORRECTION}: {count(found.rows - found.missing)} rows with a target stand for {count(found.rows)}"
    return {"evidence": evidence, "facts": {**evaluation.facts, "weights": "sampling", "corrected": told}}
