"""Where it fails: every level of every column against all other rows, corrected for the number of looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.charts.marks import Chart, Mark, Point, Rule
from steelyard.charts.scales import Scale, wide_enough
from steelyard.comparisons.independent import difference
from steelyard.comparisons.simultaneous import CORRECTIONS, corrected_p, error_rates
from steelyard.errors import UsageError, listing
from steelyard.files.as_json import json_value
from steelyard.measures.measure import find, leading
from steelyard.results import Difference, make_frame
from steelyard.verdicts.choice import somewhere
from steelyard.verdicts.comparison import WORSE, beyond_chance
from steelyard.verdicts.verdict import Verdict
from steelyard.views.tables import SmallTable
from steelyard.views.told import Told
from steelyard.words import bracketed, count, estimate_parts, p_told, percent, quoted, significant, some_names, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

SHOWN = 12
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Slice:
    """One level of one column against the rest."""

    column: str
    level: str
    rows: float
    share: float
    difference: Difference
    p_corrected: float | None
    """The p-value for all looks at once; the interval of the difference is for all of them too."""

    @property
    def clear(self) -> bool:
        """Whether it differs, many looks considered."""
        return beyond_chance(self.p_corrected, self.difference.confidence)


@dataclass(frozen=True, slots=True)
class Slices(Told):
    """All slices that were looked at, those first that are most clearly worse."""

    as_verdict: ClassVar[str] = "foremost.slices_conclusion"

    measure: str
    rows: tuple[Slice, ...]
    left_out: tuple[str, ...] = ()
    """Columns that were not looked at, each with the reason."""

    def __str__(self) -> str:
        return "\n".join(self.told)

    @property
    def verdict(self) -> Verdict:
        """Whether it does clearly worse somewhere."""
        return self.in_words(somewhere([s.difference for s in self.rows if s.clear], len(self.rows)))

    @property
    def noun(self) -> str:
        """What the measure is called in a sentence."""
        return find(self.measure).noun if self.measure else ""

    @property
    def told(self) -> list[str]:
        """What was found, and what was not looked at."""
        return [*self.sentences(), *([self.unseen] if self.unseen else [])]

    @property
    def unseen(self) -> str:
        """Which columns have too many values for slices, in a sentence; empty where none has."""
        found = [x.rsplit(": ", 1) for x in self.left_out if not x.endswith(": 1 level")]
        told = some_names([f"{name} ({levels})" for name, levels in found], 3)
        return f"Not looked at: {told}. Cut numbers into a few ranges to see them." if found else ""

    def sentences(self) -> list[str]:
        """What was found, in words."""
        columns = len({s.column for s in self.rows})
        if not self.rows:
            return ["No column divides the rows into a few groups, so there are no slices to look at."]
        looked = f"Looked at {len(self.rows)} slices of {columns} column{'' if columns == 1 else 's'}"
        worse = [s for s in self.rows if s.clear and s.difference.verdict == WORSE]
        if not worse:
            return [f"{looked}: none is clearly worse than the rest, {len(self.rows)} looks considered."]
        out = [f"{looked}; {len(worse)} {'is' if len(worse) == 1 else 'are'} clearly worse than the rest."]
        for s in worse[:3]:
            d = s.difference
            assert d.value is not None
            assert d.low is not None
            assert d.high is not None
            ends = sorted((abs(d.low), abs(d.high)))
            value, low, high = estimate_parts(abs(d.value), ends[0], ends[1])
            side = "lower" if d.value < 0 else "higher"
            where = f"{visible(s.column)} is {quoted(s.level)}"
            out.append(
                f"Where {where} ({percent(s.share)} of rows), {self.noun} is {value} {side} {bracketed(low, high)}."
            )
        return out

    def table(self) -> SmallTable:
        """The first few slices, with the difference to the rest."""
        head = ("column", "level", "rows", f"{self.noun} there", "rest", "difference", "p, corrected")
        rows: list[tuple[str, ...]] = []
        for s in self.rows[:SHOWN]:
            d = s.difference
            there, rest = ("n/a" if v is None else significant(v) for v in d.values)
            p = "" if s.p_corrected is None else p_told(s.p_corrected).removeprefix("p ").removeprefix("= ")
            rows.append((visible(s.column), visible(s.level), count(s.rows), there, rest, str(d), p))
        return SmallTable(
            f"{self.noun[:1].upper()}{self.noun[1:]} in slices, against all other rows", head, "llrrrlr", rows
        )

    def columns(self) -> dict[str, list[Any]]:
        """Every slice that was looked at, one value of each column a slice."""
        told = ("value", "low", "high", "p_value", "verdict")
        out: dict[str, list[Any]] = {
            name: [getattr(s, name) for s in self.rows] for name in ("column", "level", "rows", "share")
        }
        out |= {
            f"{self.measure}_{where}": [s.difference.values[i] for s in self.rows]
            for i, where in enumerate(("there", "rest"))
        }
        out |= {
            ("difference" if name == "value" else name): [getattr(s.difference, name) for s in self.rows]
            for name in told
        }
        return out | {"p_corrected": [s.p_corrected for s in self.rows]}

    def frame(self) -> Any:
        """One row a slice, as a frame of whichever library is installed."""
        return make_frame(self.columns())

    def chart(self) -> Chart:
        """Differences as dots on their intervals, their size by the share of rows."""
        shown = [s for s in self.rows[:SHOWN] if s.difference.value is not None]
        marks: list[Mark] = [Rule(x=0.0)]
        values = [0.0]
        for i, s in enumerate(shown):
            d = s.difference
            assert d.value is not None
            size = 3.0 + 6.0 * s.share**0.5
            marks.append(Point(d.value, float(i), 0 if s.clear else "quiet", "circle", size, d.low, d.high))
            values += [v for v in (d.value, d.low, d.high) if v is not None]
        names = tuple(f"{visible(s.column)} = {visible(s.level)}" for s in shown) or ("no slices",)
        columns: dict[str, list[Any]] = {
            "slice": list(names),
            "difference": [s.difference.value for s in shown],
            "low": [s.difference.low for s in shown],
            "high": [s.difference.high for s in shown],
            "rows": [s.rows for s in shown],
        }
        up = Scale(len(names) - 0.5, -0.5, "", "names", names)
        across = wide_enough(values, f"Difference in {self.noun or 'the measure'} to all other rows")
        legend = (("no clear difference", "quiet"), ("clearly different", 0))
        size = (640.0, max(140.0, 100 + 27.0 * len(names)))
        said = " ".join(self.sentences())
        worst = [s for s in shown if s.clear and s.difference.verdict == WORSE]
        title = (
            f"Worst where {visible(worst[0].column)} is {quoted(worst[0].level)}" if worst else "Nowhere clearly worse"
        )
        return Chart("slices", title, across, up, tuple(marks), said, columns, legend, size)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "measure": self.measure,
            "sentences": self.sentences(),
            "left_out": list(self.left_out),
            "rows": json_value(self.rows),
        }


def slices_of(
    parts: Mapping[str, Mapping[str, Evaluation]],
    measure: str | None = None,
    left_out: tuple[str, ...] = (),
    correction: str = "bonferroni",
) -> Slices:
    """Compare every level of every column with the sum of its other levels, corrected for the number of them."""
    if correction not in CORRECTIONS:
        message = f"There is no correction {listing([correction])}."
        raise UsageError(message, f"Choose one of {listing(CORRECTIONS)}.")
    found: list[Slice] = []
    asked: list[Callable[..., Difference]] = []
    name = measure
    for column, levels in parts.items():
        if len(levels) < 2:
            continue
        total = sum(float(e.rows) for e in levels.values())
        for level, e in levels.items():
            name = name or next(n for n in leading("slice") if n in e.measures)
            rest = reduce(lambda a, b: a.plus(b, twice=True), [f for other, f in levels.items() if other != level])
            asked.append(partial(difference, e, rest, name, names=(f"{column} = {level}", "the rest")))
            told = asked[-1](confidence=CONFIDENCE)
            found.append(Slice(column, level, float(e.rows), e.rows / total, told, None))
    p_values = [s.difference.p_value for s in found]
    rates = error_rates(p_values, len(found), 1 - CONFIDENCE, correction)
    rows = [
        replace(s, difference=asked[i](confidence=1 - rates[i]).renamed(confidence=CONFIDENCE), p_corrected=p)
        for i, (s, p) in enumerate(zip(found, corrected_p(p_values, len(found), correction), strict=True))
    ]
    rows.sort(key=_order)
    return Slices(find(name).name if name else "", tuple(rows), left_out)


def _order(part: Slice) -> tuple[Any, ...]:
    worse = part.difference.verdict == WORSE
    return (
        not (part.clear and worse),
        part.p_corrected if part.p_corrected is not None else 2.0,
        -part.share,
        part.column,
        part.level,
    )
