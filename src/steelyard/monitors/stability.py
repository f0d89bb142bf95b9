"""Whether a column is still distributed as it was: the stability index with its interval and its decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.arguments.allowed import INSIDE, confidence_of, taken
from steelyard.arguments.annotated import as_annotated
from steelyard.engines.arrays import ArrayRows
from steelyard.errors import UsageError
from steelyard.files.as_json import AsJson
from steelyard.monitors import law
from steelyard.monitors.assessed import CHI_SQUARE, Assessed
from steelyard.monitors.bins import Bins, special_values
from steelyard.monitors.distances import Samples, measure_distances
from steelyard.monitors.laid import Pair
from steelyard.monitors.noted import notes_of
from steelyard.monitors.saved import is_saved, load_bins, may_be_windows
from steelyard.monitors.sheets import (
    Sheet,
    count_reference,
    count_sheet,
    counts_as_bins,
    counts_in,
    is_counts,
    is_table,
    open_sheet,
)
from steelyard.monitors.sides import CURRENT, REFERENCE, of_files, of_side
from steelyard.monitors.tested import Cell, Tested
from steelyard.monitors.uncounted import no_level_twice
from steelyard.results import Array, Estimate, make_frame
from steelyard.summaries.bin_counts import BinCounts
from steelyard.verdicts.alarm import INSUFFICIENT, OK
from steelyard.verdicts.stability import ADVICE, STABILITY, changed, light, not_shown_small
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import ToldInSentences
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.monitors.many import Stabilities
    from steelyard.monitors.samples import SampleStabilities

METHOD = "noncentral χ², inverted"
Sides = Sequence[tuple[Any, Any]]
"""What weighs the rows of the reference and of the current sample, and what their units are."""


@dataclass(frozen=True, slots=True)
class Stability(AsJson, ToldInSentences):
    """The stability index of one column, corrected for sample sizes, with its interval, a p-value and a decision."""

    left_out: ClassVar[tuple[str, ...]] = ("samples",)
    told_too: ClassVar[tuple[str, ...]] = ("cells", "sentences")
    as_text: ClassVar[str] = "stability.stability_text"
    as_verdict: ClassVar[str] = "foremost.stability_conclusion"

    column: str
    index: float
    """Σ (p − q) ln(p / q) of the cells as they were tested."""
    corrected: Estimate
    """The index less what chance alone brings, max(0, index − s (B − 1)) with s = 1/N + 1/M, and its interval."""
    limit: float
    """The lower limit of the index, one-sided at the confidence."""
    p_value: float
    statistic: float | None
    freedom: int
    test: str
    decision: str
    """"ok", "shift-negligible", "warn", "alarm" or "insufficient"."""
    reason: str
    classic_index: float
    """The index of all cells as they are, with nothing merged."""
    classic: str
    """The classic traffic light, "stable", "look" or "act", which knows nothing of sample sizes."""
    reference_rows: int
    current_rows: int
    sizes: tuple[float, float]
    """Effective numbers of rows, after weights and units."""
    confidence: float
    alpha: float
    notes: tuple[str, ...] = ()
    adjusted: float | None = None
    """The p-value after the correction for many columns, where there are many."""
    bins: Bins = field(default_factory=Bins, repr=False)
    current: BinCounts | None = field(default=None, repr=False)
    samples: Samples | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> Verdict:
        """Whether the column has changed: the decision, what it rests on, and what to do."""
        facts = {"bound": 0.0, "reason": self.reason, "advice": ADVICE[self.decision]}
        return self.in_words(STABILITY(self.decision, self.corrected, **facts))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells as they were tested, worked out when asked for: a monitor holds very many of these, and shows few."""
        if self.current is None:
            return ()
        return tuple(Tested.of(self.bins, self.current).cells(self.bins))

    @property
    def distances(self) -> dict[str, Estimate]:
        """Kolmogorov–Smirnov, Wasserstein, Jensen–Shannon and χ² by name, worked out when asked for."""
        return measure_distances(self)

    def __float__(self) -> float:
        return self.index

    def chart(self) -> Chart:
        """Both distributions side by side, with the parts of the index."""
        from steelyard.views.stability_bars import stability_chart

        return stability_chart(self)

    def frame(self) -> Any:
        """One row a cell."""
        return make_frame({k: [getattr(c, k) for c in self.cells] for k in Cell.__dataclass_fields__})

    def judged(self, adjusted: float) -> Stability:
        """The same numbers, decided with a p-value that is corrected for many columns."""
        if self.freedom == 0:
            return replace(self, adjusted=adjusted)
        short = law.shortage(*self.sizes, self.freedom, self.freedom + 1)
        verdict = changed(self.corrected, self.limit, adjusted, self.alpha, short)
        decision, reason = _seen(self.bins, verdict.word, verdict.reason)
        return replace(self, adjusted=adjusted, decision=decision, reason=reason)

    @property
    def open(self) -> bool:
        """Whether a change that looks too small to matter may be larger, as far as its interval says."""
        return not_shown_small(self.decision, self.corrected)


def assess(bins: Bins, current: BinCounts, confidence: float = 0.95, alpha: float = 0.05) -> Stability:
    """The stability of counts in bins, of which the reference's are stored with the bins.

    index / s follows a noncentral χ² with B − 1 degrees of freedom and noncentrality (true index) / s, s = 1/N + 1/M; by unit as
    many degrees of freedom are left as the units say.

    >>> import numpy as np
    >>> bins = Bins("risk", "levels", levels=("low", "high")).with_counts(BinCounts(np.array([500.0, 500, 0, 0]), 1000, 1000))
    >>> s = assess(bins, BinCounts(np.array([700.0, 300, 0, 0]), 1000, 1000))
    >>> round(s.index, 3), s.decision, str(s.corrected)
    (0.169, 'warn', '0.167 [0.105, 0.249]')
    """
    return assess_each([(bins, current)], confidence, alpha)[0]


def assess_each(pairs: Sequence[Pair], confidence: float = 0.95, alpha: float = 0.05) -> list[Stability]:
    """The stability of many samples, each in its bins, worked out in one pass."""
    found = Assessed.of(pairs, confidence)
    return [stability_at(found, i, alpha) for i in range(len(pairs))]


def stability_at(found: Assessed, i: int, alpha: float, adjusted: float | None = None) -> Stability:
    """One of many that were worked out together, decided with a p-value that is corrected for many columns where there is one."""
    (bins, current), (n, m), df = found.pairs[i], found.laid.sizes[i].tolist(), int(found.laid.cells[i]) - 1
    table = found.laid.apart.get(i)
    assert bins.reference is not None
    numbers = (found.index, found.corrected, found.low, found.high, found.limit, found.p_value, found.whole)
    index, corrected, low, high, limit, p, whole = (float(x[i]) for x in numbers)
    told = Estimate("stability_index", corrected, low, high, found.confidence, METHOD, n=float(current.rows), n_eff=m)
    if df == 0 and (table is None or int(((table.all_then > 0) | (table.all_now > 0)).sum()) == 1):
        decision, reason = OK, "every row of both samples lies in the same cell"
    else:
        chance = p if adjusted is None or df == 0 else adjusted
        verdict = changed(told, limit, chance, alpha, law.shortage(n, m, df, df + 1))
        decision, reason = verdict.word, verdict.reason
    return Stability(
        bins.column,
        index,
        told,
        limit,
        p,
        float(found.statistic[i]) if df > 0 else None,
        df,
        found.tests.get(i, CHI_SQUARE) if df > 0 else "no test: there is one cell",
        *_seen(bins, decision, reason),
        whole,
        light(whole),
        bins.reference.rows,
        current.rows,
        (n, m),
        found.confidence,
        alpha,
        tuple(notes_of(bins, current, table, n, m, halved=bool(found.halved[i]))),
        adjusted,
        bins=bins,
        current=current,
    )


def _seen(bins: Bins, verdict: str, reason: str) -> tuple[str, str]:
    """A decision that nothing has changed only where a change could be seen."""
    blind = no_level_twice(bins) if verdict == OK else ""
    return (INSUFFICIENT, blind) if blind else (verdict, reason)


# The front door -------------------------------------------------------------------------------------------------------


@as_annotated()
def stability(
    reference: object,
    current: object = None,
    column: str | None = None,
    *,
    samples: Mapping[str, object] | None = None,
    bins: object = 10,
    special: Sequence[Any] = (),
    weight: object = None,
    unit: object = None,
    confidence: float = 0.95,
    alpha: float = 0.05,
    columns: Sequence[str] | None = None,
) -> Stability | Stabilities | SampleStabilities:
    """Whether a column, or every column that two tables share, is distributed as in the reference.

    Both may be arrays, frames, relations, paths or counts by level; the reference may also be `Bins`, a mapping
    of columns to them, or the path to which their save wrote. Windows that were counted (`sy.windows`, or their files) are
    held against their baseline. With arrays, `weight` and `unit` are pairs of arrays. `samples` are several
    current ones of one column by name, told side by side: `stability(january, samples={"june": j, "july": k}, column="p")`.

    >>> original = {"durionis": 7, "ficulneus": 7, "fructosus": 11, "pseudo.": 5}
    >>> s = stability(original, {"durionis": 12, "ficulneus": 9, "fructosus": 14, "pseudo.": 25})
    >>> round(s.index, 3), s.classic, s.decision
    (0.331, 'act', 'insufficient')
    """
    confidence, alpha = confidence_of(confidence), float(taken("alpha", alpha, INSIDE, "0.05 is usual."))
    special = special_values(special)
    if column is not None and columns is not None:
        message = f"Both {option('column')} and {option('columns')} were given."
        raise UsageError(message, "Name one column, or a list of columns.")
    if may_be_windows(current):
        from steelyard.monitors.seen_before import stability_of_windows

        names = [column] if column is not None else columns
        if (found := stability_of_windows(reference, current, names, confidence, alpha)) is not None:
            return found
    if samples is not None or current is None:
        from steelyard.monitors.samples import several

        shared: dict[str, Any] = {"bins": bins, "special": special, "weight": weight, "unit": unit}
        shared |= {"confidence": confidence, "alpha": alpha, "columns": columns}
        return several(partial(stability, reference, column=column, **shared), samples, current)
    if is_saved(reference):
        reference = load_bins(reference)
    if isinstance(bins, Bins):
        reference = bins if reference is None else reference
        column = column or bins.column or None
    if isinstance(reference, Bins):
        bins, column = reference, column or reference.column or None
    if is_counts(reference) or is_counts(current):
        rows = {"weight": weight, "unit": unit, "bins": None if isinstance(bins, Bins | int) else bins}
        for name, given in rows.items():
            if given is not None:
                message = f"Counts by level have no rows any more, and {option(name)} came."
                raise UsageError(message, f"Leave {option(name)} out, or pass the rows.")
        made, counted = _from_counts(reference, current, column)
        return assess(made, counted, confidence, alpha)
    sides = [(pick(weight, k), pick(unit, k)) for k in (0, 1)]
    with of_files(reference, current):
        if columns is not None or (column is None and is_table(current)):
            from steelyard.monitors.many import measure_many

            return measure_many(reference, current, columns, bins, special, sides, confidence, alpha)
        made, counted, numbers = _counted(reference, current, column, bins, special, sides)
        return replace(assess(made, counted, confidence, alpha), samples=numbers)


def _counted(
    reference: object, current: object, column: str | None, bins: object, special: tuple[Any, ...], sides: Sides
) -> tuple[Bins, BinCounts, Samples | None]:
    """The bins of one column with the counts of the reference, the counts of the current rows, and the numbers of both."""
    names = None if column is None else [column]
    then: Sheet | None = None
    if not isinstance(reference, Bins):
        with of_side(REFERENCE):
            then = open_sheet(reference, names, *sides[0])
            if isinstance(bins, Bins):
                made = bins.recounted(count_sheet(then, {then.names[0]: bins})[then.names[0]])
            else:
                made = count_reference(then, bins, special)[then.names[0]]
    else:
        made = reference
    with of_side(CURRENT):
        now = open_sheet(current, names, *sides[1])
        counted = count_sheet(now, {now.names[0]: made})[now.names[0]]
    made = replace(made, column=column or made.column)
    return made, counted, _samples(then, now, made)


def pick(value: object, side: int) -> Any:
    """What belongs to one of the two samples: one name for both, or a pair."""
    return value[side] if isinstance(value, tuple | list) and len(value) == 2 else value


def _from_counts(reference: object, current: object, column: str | None) -> tuple[Bins, BinCounts]:
    if isinstance(reference, Bins) and is_counts(current):
        return reference, counts_in(reference, current)
    if is_counts(reference) and is_counts(current):
        return counts_as_bins(reference, current, column or "")
    message = "One sample is a mapping of levels to counts, and the other is not."
    raise UsageError(message, "Pass counts for both, or values for both.")


def _samples(then: Sheet | None, now: Sheet, bins: Bins) -> Samples | None:
    """The numbers themselves, where both samples are in memory."""
    if then is None or bins.kind != "numbers":
        return None
    found: list[tuple[Array, Array | None]] = []
    for sheet in (then, now):
        if not isinstance(sheet.rows, ArrayRows):
            return None
        column = sheet.rows.columns[sheet.roles[sheet.names[0]]]
        place = bins.place(column)
        keep = (place < bins.ordinary) | (place > bins.missing)
        weight = sheet.rows.columns["weight"].numbers()[keep] if sheet.weighted else None
        found.append((column.numbers()[keep], weight))
    return Samples(found[0][0], found[1][0], found[0][1], found[1][1])


def as_mapping(bins: object) -> Mapping[str, Bins] | None:
    """Saved bins of many columns, where that is what came."""
    if isinstance(bins, Mapping) and bins and all(isinstance(b, Bins) for b in bins.values()):
        return bins
    return None
