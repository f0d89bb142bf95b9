"""Two ROC curves that cross: where each is better, by how much, and at which costs that matters.

Ranges of false positive rates are found on the rows at hand, so the critical value holds for every range at once: it is that of
the largest studentized difference of partial areas over all ranges between the points of a grid, among resampled tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.charts.marks import Chart
from steelyard.comparisons.independent import NORMAL
from steelyard.comparisons.paths import SMALL, Path, merged, path_of, pieces_of
from steelyard.errors import LengthsDiffer, NotAvailable, UsageError
from steelyard.files.as_json import AsJson
from steelyard.intervals.bands import MOST_POINTS, plain, thin
from steelyard.intervals.bootstrap import SEED, replicates
from steelyard.intervals.by_unit import FEWEST
from steelyard.intervals.within_folds import table_within
from steelyard.measures.flagged import rates
from steelyard.results import Array, Curve, Difference, Level
from steelyard.rows import grid
from steelyard.summaries.scores import Scores, scores_of
from steelyard.summaries.units import MOST, Units
from steelyard.verdicts.comparison import CLEAR, judged
from steelyard.wording import option
from steelyard.worth.hull import require_both
from steelyard.worth.regions import Regions, regions

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

NARROW = 0.02
"""Ranges narrower than this share of all false positive rates are told with their neighbours."""
GRID = np.linspace(0.0, 1.0, 41)
"""Ranges between these places set the critical value."""
POINTS = np.linspace(0.0, 1.0, 101)
"""The band is given at these."""
CHOSEN = "ranges were found on the same rows; the critical value holds for all ranges at once"


@dataclass(frozen=True, slots=True)
class Range:
    """False positive rates between which one curve is higher, and the difference of the areas under both there."""

    low: float
    high: float
    who: str | None
    """The better one; none where the curves are the same."""
    difference: Difference
    """Partial area of the first less that of the second."""
    clear: bool


@dataclass(frozen=True, slots=True)
class Crossing(AsJson):
    """Where each of two ROC curves is better."""

    left_out: ClassVar[tuple[str, ...]] = ("curves",)

    names: tuple[str, str]
    ranges: tuple[Range, ...]
    gap: Curve
    """The difference of true positive rates at every false positive rate, with a pointwise band."""
    curves: tuple[Curve, Curve]
    dominant: str | None
    """The one that is nowhere lower, if there is one."""
    paired: bool
    confidence: float
    method: str
    regions: Regions | None
    """Who is cheaper at which costs."""
    note: str = ""

    def sentences(self) -> list[str]:
        """What was found, in plain sentences."""
        from steelyard.views.crossing import crossing_sentences

        return crossing_sentences(self)

    def chart(self) -> Chart:
        """Both curves, and who is better where."""
        from steelyard.views.crossing import crossing_chart

        return crossing_chart(self)

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return AsJson.to_dict(self) | {"text": str(self)}


def crossings(
    one: Evaluation | Scores,
    other: Evaluation | Scores,
    names: tuple[str, str] = ("first", "second"),
    *,
    confidence: float = 0.95,
    prevalence: float | None = None,
    narrow: float = NARROW,
) -> Crossing:
    """Ranges of false positive rates in which each of two models finds more positives.

    Evaluations (or their score tables) of the same units are compared as pairs, any others as independent. Ranges end where
    the curves cross, those narrower than `narrow` are told with their neighbours; the difference in a range is
    ∫ (TPR₁ − TPR₂) dFPR. Costs are compared at `prevalence`, that of the rows unless it is given.

    >>> sure = Scores.of([0.1, 0.3, 0.4, 0.5, 0.2, 0.9], [0, 0, 0, 0, 1, 1], positive=1)
    >>> wide = Scores.of([0.1, 0.2, 0.3, 0.9, 0.7, 0.8], [0, 0, 0, 0, 1, 1], positive=1)
    >>> found = crossings(sure, wide, ("sure", "wide"))
    >>> [(r.low, r.high, r.who, r.difference.value, r.clear) for r in found.ranges]
    [(0.0, 0.25, 'sure', 0.125, False), (0.25, 0.75, 'wide', -0.25, False), (0.75, 1.0, None, 0.0, False)]
    """
    if names[0] == names[1]:
        message = f'Two models are compared, and both are called "{names[0]}".'
        raise UsageError(message, "Give each a name of its own.")
    confidence = confidence_of(confidence)
    if not 0 <= narrow < 1:
        message = f"A narrow range is a share of all false positive rates, and {narrow} came."
        raise UsageError(message, "0.02 is usual, 0 keeps every crossing.")
    tables = [_table(x, name) for x, name in zip((one, other), names, strict=True)]
    first, second = (path_of(t) for t in tables)
    paired = _same_rows(*tables)
    spread = _Spread.of(tables, paired=paired)
    pieces = pieces_of(first, second)
    signs = {s for _, _, s in pieces if s}
    dominant = None if len(signs) != 1 else names[0] if signs == {1} else names[1]
    critical = spread.critical(confidence)
    method = f"bootstrap over {'the same units' if paired else 'cells, independent'} ({len(spread.draws):,} replicates)"
    facts: dict[str, Any] = {"confidence": confidence, "n": tuple(float(t.rows) for t in tables)}
    facts["method"] = f"{method}, all ranges at once"
    ends = merged(pieces, first, second, narrow)
    found = tuple(_range(stretch, first, second, spread, critical, names, **facts) for stretch in ends)
    notes = [CHOSEN] if found else []
    if any(t.units is not None and len(t.units.ids) < FEWEST for t in tables):
        notes.append(f"fewer than {FEWEST} units: the intervals are rough")
    if not all(t.cells.sharp for t in tables):
        notes.append("scores were joined in cells, inside which the curves are straight")
    worth = None
    try:
        worth = regions(dict(zip(names, tables, strict=True)), prevalence=prevalence, confidence=confidence)
    except UsageError as problem:
        if prevalence is not None:
            raise
        notes.append(f"costs are not compared: {problem.message} {problem.hint}")
    return Crossing(
        names,
        found,
        spread.band(first, second, confidence, method),
        (_curve(first), _curve(second)),
        dominant,
        paired,
        confidence,
        method,
        worth,
        "; ".join(notes),
    )


def row_crossings(
    target: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    names: tuple[str, str] = ("first", "second"),
    *,
    positive: Level = 1,
    **options: Any,
) -> Crossing:
    """The same from the rows themselves, which are taken as the units; `options` as for `crossings`.

    >>> y = [0, 0, 0, 0, 1, 1]
    >>> row_crossings(y, [0.1, 0.3, 0.4, 0.5, 0.2, 0.9], [0.1, 0.2, 0.3, 0.9, 0.7, 0.8]).paired
    True
    """
    truth = np.asarray(target)
    columns = [np.asarray(x, dtype=np.float64) for x in (first, second)]
    if {len(truth)} != {len(x) for x in columns}:
        message = f"Target and scores differ in length: {len(truth):,}, {len(columns[0]):,} and {len(columns[1]):,}."
        raise LengthsDiffer(message, "Pass one score of each model for each row.")
    # Rows beyond the number of buckets are joined at random, the same ones for both models.
    bucket = np.random.default_rng(SEED).permutation(len(truth)) % MOST
    e, f = (_by_row(truth, x, bucket, positive) for x in columns)
    return crossings(e, f, names, **options)


def _by_row(truth: npt.NDArray[Any], scores: Array, bucket: npt.NDArray[np.int64], positive: Level) -> Scores:
    table = Scores.of(scores.tolist(), truth.tolist(), positive)
    codes, place = np.unique(grid.encode(scores + 0.0, grid.COARSE), return_inverse=True)
    level = np.array([table.levels.index(t) for t in truth.tolist()], dtype=np.int64)
    ids = np.unique(bucket)
    counts = np.zeros((len(ids), len(codes), len(table.levels)))
    np.add.at(counts, (np.searchsorted(ids, bucket), place, level), 1.0)
    return replace(table, units=Units(ids.astype(np.int64), counts, bits=9), unit_codes=codes.astype(np.int64))


def _table(evidence: Evaluation | Scores, name: str) -> Scores:
    table = scores_of(evidence)
    if table is None:
        message = f'ROC curves need scores, and "{name}" has none.'
        raise NotAvailable(message, f"Pass {option('score', ...)} to evaluate.")
    within = None if table is evidence else table_within(evidence)
    table = within[0] if within else table
    require_both(table, f'The ROC curve of "{name}"')
    return table


def _same_rows(one: Scores, other: Scores) -> bool:
    """Whether both tables were counted over the same units, bucket by bucket."""
    if one.units is None or other.units is None or one.units.bits != other.units.bits or one.levels != other.levels:
        return False
    if not np.array_equal(one.units.ids, other.units.ids):
        return False
    return bool(np.allclose(one.by_bucket(), other.by_bucket(), rtol=1e-9, atol=1e-9))


def _curve(path: Path) -> Curve:
    columns = {"fpr": path.x, "tpr": path.y}
    keep = thin(len(path.x), MOST_POINTS)
    return Curve("roc", {k: plain(v[keep]) for k, v in columns.items()})


# How far off ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class _Spread:
    """The difference of two curves in resampled tables: areas from the left end, and heights."""

    draws: Array
    heights: Array

    @classmethod
    def of(cls, tables: Sequence[Scores], *, paired: bool) -> _Spread:
        areas: list[Array] = []
        heights: list[Array] = []
        rng = np.random.default_rng(SEED)
        for sign, table in zip((1.0, -1.0), tables, strict=True):
            made = replicates(table)
            tpr, fpr = rates(made.copies)
            paths = [Path(x, y) for x, y in zip(fpr, tpr, strict=True)]
            # Copies of both tables have the same weights of units; shuffled, they know nothing of each other.
            order = np.arange(len(paths)) if paired else rng.permutation(len(paths))
            areas.append(sign * np.stack([paths[i].until(GRID) for i in order]))
            heights.append(sign * np.stack([paths[i].after(POINTS) for i in order]))
        size = min(len(x) for x in areas)
        return cls(areas[0][:size] + areas[1][:size], heights[0][:size] + heights[1][:size])

    def error(self, low: float, high: float) -> float:
        """The standard error of the difference of partial areas between two places."""
        at = []
        for x in (low, high):
            i = min(int(np.searchsorted(GRID, x, side="right")) - 1, len(GRID) - 2)
            share = (x - GRID[i]) / (GRID[i + 1] - GRID[i])
            at.append((1 - share) * self.draws[:, i] + share * self.draws[:, i + 1])
        return float((at[1] - at[0]).std(ddof=1))

    def critical(self, confidence: float) -> float:
        """What the largest studentized difference over all ranges of the grid exceeds too seldom."""
        i, j = np.triu_indices(len(GRID), 1)
        parts = self.draws[:, j] - self.draws[:, i]
        error = parts.std(axis=0, ddof=1)
        used = error > SMALL
        if not used.any():
            return NORMAL.inv_cdf(0.5 + confidence / 2)
        away = np.abs(parts[:, used] - parts[:, used].mean(axis=0)) / error[used]
        return float(np.quantile(away.max(axis=1), confidence))

    def band(self, a: Path, b: Path, confidence: float, method: str) -> Curve:
        """The difference of heights with a pointwise band."""
        value = a.after(POINTS) - b.after(POINTS)
        half = NORMAL.inv_cdf(0.5 + confidence / 2) * self.heights.std(axis=0, ddof=1)
        columns = {
            "fpr": POINTS,
            "difference": value,
            "low": np.maximum(value - half, -1),
            "high": np.minimum(value + half, 1),
        }
        return Curve("roc_difference", {k: plain(v) for k, v in columns.items()}, confidence, f"{method}, pointwise")


def _range(
    ends: tuple[float, float], a: Path, b: Path, spread: _Spread, critical: float, names: tuple[str, str], **facts: Any
) -> Range:
    low, high = ends
    parts = [float(np.diff(path.until(np.array(ends)))[0]) for path in (a, b)]
    value = parts[0] - parts[1]
    value = 0.0 if abs(value) <= SMALL else value
    half = critical * spread.error(low, high)
    limits = max(value - half, low - high), min(value + half, high - low)
    told = {"value": value, "values": (parts[0], parts[1]), "options": {"from_fpr": low, "to_fpr": high}, **facts}
    difference = judged("partial_auc", names, "higher", limits, **told)
    who = None if value == 0 else names[0 if value > 0 else 1]
    return Range(low, high, who, difference, value != 0 and difference.verdict in CLEAR)
