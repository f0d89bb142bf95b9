"""The stability of many columns at once: each table read once, false discoveries kept in check, ranked by effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.arguments.annotated import as_annotated
from steelyard.comparisons.step_down import benjamini_hochberg
from steelyard.errors import UnknownColumn, UsageError, listing, nearest
from steelyard.monitors.bins import Bins
from steelyard.monitors.saved import ManyBins
from steelyard.monitors.sheets import (
    Sheet,
    column_kinds,
    common_columns,
    count_reference,
    count_sheet,
    is_table,
    keys_in,
    open_sheet,
)
from steelyard.monitors.sides import CURRENT, REFERENCE, of_side
from steelyard.monitors.stability import Stability, as_mapping, assess_each
from steelyard.monitors.uncounted import why_not
from steelyard.results import make_frame
from steelyard.verdicts.stability import ADVICE, CHANGED, ORDER, STABILITY
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import ToldInSentences
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart


@dataclass(frozen=True, slots=True)
class Stabilities(ToldInSentences):
    """The stability of several columns, the largest effect first; a decision counts the columns that were looked at.

    p-values are corrected by Benjamini and Hochberg, so that of the columns that are called changed at most a share of
    alpha, on average, has not changed.
    """

    as_text: ClassVar[str] = "stability.many_text"
    as_verdict: ClassVar[str] = "foremost.columns_conclusion"

    results: tuple[Stability, ...]
    alpha: float
    left_out: tuple[str, ...] = ()
    """Columns that could not be compared, each with the reason in words."""

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Stability]:
        return iter(self.results)

    @as_annotated()
    def __getitem__(self, column: str) -> Stability:
        for s in self.results:
            if s.column == column:
                return s
        names = self.columns
        message = f"There is no column {listing([column])} among those compared: {listing(names)}."
        raise UnknownColumn(message, nearest(str(column), names) or "Name one of these.")

    @property
    def columns(self) -> list[str]:
        """The names, the largest effect first."""
        return [s.column for s in self.results]

    @property
    def decision(self) -> str:
        """The worst decision of any column."""
        return min((s.decision for s in self.results), key=ORDER.index)

    @property
    def verdict(self) -> Verdict:
        """Whether any column has changed: the worst decision, what it rests on, and what to do."""
        worst = next(s for s in self.results if s.decision == self.decision)
        facts = {"bound": 0.0, "against": worst.column, "reason": worst.reason, "looks": len(self.results)}
        return self.in_words(STABILITY(self.decision, worst.corrected, advice=ADVICE[self.decision], **facts))

    @property
    def changed(self) -> list[str]:
        """The columns of which a change is shown, negligible ones included."""
        return [s.column for s in self.results if s.decision in CHANGED]

    @property
    def bins(self) -> ManyBins:
        """The bins of every column with the counts of the reference: to be saved, or passed as the reference of later rows."""
        return ManyBins({s.column: s.bins for s in self.results})

    def chart(self) -> Chart:
        """The corrected indices with their intervals, the largest on top."""
        from steelyard.views.stability import many_chart

        return many_chart(self)

    def frame(self) -> Any:
        """One row a column."""
        return make_frame(
            {
                "column": self.columns,
                "decision": [s.decision for s in self.results],
                "index": [s.index for s in self.results],
                "corrected": [s.corrected.value for s in self.results],
                "low": [s.corrected.low for s in self.results],
                "high": [s.corrected.high for s in self.results],
                "p_value": [s.p_value for s in self.results],
                "adjusted": [s.adjusted for s in self.results],
                "uncorrected_light": [s.classic for s in self.results],
                "reference_rows": [s.reference_rows for s in self.results],
                "current_rows": [s.current_rows for s in self.results],
                "reason": [s.reason for s in self.results],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return {
            "decision": self.decision,
            "verdict": self.verdict.to_dict(),
            "alpha": self.alpha,
            "columns": [s.to_dict() for s in self.results],
            "left_out": list(self.left_out),
            "sentences": self.sentences(),
        }


def ranked(found: Sequence[Stability], alpha: float, left_out: Sequence[str] = ()) -> Stabilities:
    """Results of several columns together: p-values corrected for their number, the largest effect first.

    adjusted (i) = min over j ≥ i of n / j · p (j), over all columns with a test: those with few rows may raise an alarm too
    """
    adjusted = benjamini_hochberg({s.column: s.p_value if s.freedom else None for s in found})
    judged = []
    for s in found:
        p = adjusted[s.column]
        judged.append(s if p is None else s.judged(p))
    judged.sort(key=lambda s: (-float(s.corrected), -s.limit, -s.index, s.column))
    return Stabilities(tuple(judged), alpha, tuple(left_out))


def measure_many(
    reference: object,
    current: object,
    columns: Sequence[str] | None,
    bins: object,
    special: tuple[Any, ...],
    sides: Sequence[tuple[Any, Any]],
    confidence: float,
    alpha: float,
) -> Stabilities:
    """The stability of named columns, or of all that both tables have; `sides` are weight and unit of each table."""
    if not is_table(current):
        message = "Several columns need tables, and the current sample is none."
        hint = f"Pass frames, paths or mappings of columns; or one array and no {option('columns')}."
        raise UsageError(message, hint)
    saved = as_mapping(reference) or as_mapping(bins)
    left_out: list[str] = []
    if saved is not None:
        names = list(saved) if columns is None else list(columns)
        unknown = [name for name in names if name not in saved]
        if unknown:
            message = f"There are no saved bins of {listing(unknown)}."
            raise UsageError(message, f"Saved are {listing(saved)}.")
        made = {name: saved[name] for name in names}
        if as_mapping(reference) is None and reference is not None:
            with of_side(REFERENCE):
                then = open_sheet(reference, names, *sides[0])
                made = {name: made[name].recounted(counts) for name, counts in count_sheet(then, made).items()}
    elif is_table(reference):
        names, left_out = _shared(reference, current, columns, sides)
        with of_side(REFERENCE):
            then = open_sheet(reference, names, *sides[0])
        with of_side(CURRENT):
            now = open_sheet(current, names, *sides[1])
        names, odd = _alike(then, now)
        left_out += odd
        with of_side(REFERENCE):
            made = count_reference(open_sheet(reference, names, *sides[0]) if odd else then, bins, special)
        if columns is None:
            made, blind = countable(made)
            names, left_out = list(made), left_out + blind
    else:
        message = "Several columns need tables, and the reference is none."
        raise UsageError(message, "Pass two tables, or saved bins by column and one table.")
    with of_side(CURRENT):
        now = open_sheet(current, names, *sides[1])
        counted = count_sheet(now, made)
    pairs = [(b, counted[name]) for name, b in made.items()]
    return ranked(assess_each(pairs, confidence, alpha), alpha, left_out)


def _shared(
    reference: object, current: object, columns: Sequence[str] | None, sides: Sequence[tuple[Any, Any]]
) -> tuple[list[str], list[str]]:
    """The columns to compare, and in words those that only one table has or that hold points in time."""
    if columns is not None:
        if not columns:
            message = "An empty list of columns was given."
            raise UsageError(message, f"Name at least one, or leave {option('columns')} out for all.")
        return list(dict.fromkeys(columns)), []
    now = {name: is_time for name, is_time in column_kinds(current).items() if name not in sides[1]}
    then = open_sheet(reference, None, *sides[0])
    names, lone = common_columns(then, {name: is_time for name, is_time in now.items() if not is_time})
    keys = [name for name in names if name in {*keys_in(reference), *keys_in(current)}]
    names = [name for name in names if name not in keys]
    out = [f'"{name}": only one of the tables has it' for name in lone if name not in now or not now[name]]
    out += [f'"{name}": labels are found by it' for name in keys]
    return names, out + [f'"{name}": points in time move on by themselves' for name in then.times]


def countable(made: Mapping[str, Bins]) -> tuple[dict[str, Bins], list[str]]:
    """The bins in which a change could be seen, and in words the columns in which it could not."""
    why = {name: why_not(b) for name, b in made.items()}
    if all(why.values()):
        message = "There is no column in which a change could be seen."
        raise UsageError(message, "; ".join(f'"{name}": {reason}' for name, reason in why.items()) + ".")
    return {name: b for name, b in made.items() if not why[name]}, [f'"{k}": {v}' for k, v in why.items() if v]


def _alike(then: Sheet, now: Sheet) -> tuple[list[str], list[str]]:
    """The columns that hold the same kind of values in both tables, and in words those that do not."""
    kinds = {True: "numbers", False: "levels"}
    same, other = [], []
    for name in then.names:
        a, b = then.numeric(name), now.numeric(name)
        if a == b:
            same.append(name)
        else:
            other.append(f'"{name}": it holds {kinds[a]} in the reference and {kinds[b]} now')
    if not same:
        message = "No column holds the same kind of values in both tables."
        raise UsageError(message, "Look at how the tables were made: " + "; ".join(other) + ".")
    return same, other
