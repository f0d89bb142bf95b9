"""What remains of the rows of a window of time: all that a monitor asks of it. Windows add, and their size is bounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

from steelyard.errors import CannotAdd
from steelyard.summaries.bin_counts import BinCounts
from steelyard.summaries.cells import Cells
from steelyard.summaries.label_times import LabelTimes
from steelyard.summaries.losses import Losses
from steelyard.summaries.scores import Scores
from steelyard.summaries.segments import Key, key_of
from steelyard.summaries.summary import Summary, kinds, packed_tightly, sort_levels

CELLS, SEEN = 2048, 1024
"""Cells of scores with labels, and of scores of all rows."""
SEGMENT_CELLS, SEGMENT_MESH = 256, 7
"""The same for each segment, and the steps per octave of its grid, as a power of two: one for all, however many rows it has."""
NAMED = 4
"""Values that are kept by name."""
READABLE = 48
"""Arrays up to this length are saved as plain lists."""


@dataclass(frozen=True)
class Some:
    """How many rows hold a value that is strange, and a few such values: the first in order, of fractions the two ends.

    >>> Some.of({"b": 1, "a": 2}) + Some()
    Some(count=3, values=('a', 'b'))
    >>> Some.of({0.5: 1, 2.5: 1, 1.5: 1}).values
    (0.5, 2.5)
    """

    count: int = 0
    values: tuple[Any, ...] = ()

    @classmethod
    def of(cls, counts: Mapping[Any, int]) -> Some:
        """From how many rows hold each value."""
        return cls(sum(counts.values()), _a_few(counts))

    def __add__(self, other: Some) -> Some:
        return Some(self.count + other.count, _a_few((*self.values, *other.values)))


def _a_few(values: Iterable[Any]) -> tuple[Any, ...]:
    there = sort_levels(values)
    parts = [v for v in there if isinstance(v, float)]
    return sort_levels([*[v for v in there if not isinstance(v, float)][:NAMED], *parts[:1], *parts[-1:]])


@dataclass(frozen=True, eq=False)
class WindowSummary(Summary):
    """The rows of a window counted against a baseline; `WindowSummary()` is one without rows.

    >>> WindowSummary() + WindowSummary(rows=3, said={True: 3.0}) == WindowSummary(rows=3, said={True: 3.0})
    True
    """

    rows: int = 0
    labelled: int = 0
    evidence: Mapping[str, Summary] = field(default_factory=dict)
    """What `evaluate` counts of the rows with a label; nothing where the target of some cannot be read."""
    why: str = ""
    """Why there is no evidence although there are labels."""
    columns: Mapping[str, BinCounts] = field(default_factory=dict)
    """Outputs and features, counted into the bins of the baseline."""
    losses: Mapping[str, Losses] = field(default_factory=dict)
    """Sums of every loss that is a mean over rows with a label."""
    kept: Mapping[str, Mapping[str, Summary]] = field(default_factory=dict)
    """What ordinary gauges keep of the rows, by their kind."""
    times: LabelTimes | None = None
    """When rows came, and when the labels of each outcome; None where no outcome is watched."""
    seen: Cells | None = None
    """The scores of all rows, with a label or without."""
    said: Mapping[Any, float] = field(default_factory=dict)
    """The weight of rows without a label, by what was predicted of them."""
    odd: Some = field(default_factory=Some)
    """Targets that are no level, or no number."""
    present: Mapping[str, int] = field(default_factory=dict)
    """How many rows have a value of each output."""
    beyond: Mapping[str, Some] = field(default_factory=dict)
    """Scores that were chances in the baseline, and are none."""
    first: int | None = None
    """The instant of the first row."""
    last: int | None = None
    latest: int | None = None
    """The instant of the last row or label."""
    dated: bool = True
    """Whether all rows came at a midnight, as dates without an hour do."""
    segments: Mapping[Key, WindowSummary] = field(default_factory=dict)
    """Rows, labels and evidence of each segment that is watched."""
    exact: bool = False
    """Whether every distinct score is kept, however many there are."""

    @cached_property
    def told(self) -> dict[Any, Any]:
        """What was said of it before, by who asked and how: counts do not change, so that it is not worked out again."""
        return {}

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __add__(self, other: Any) -> WindowSummary:
        if not isinstance(other, WindowSummary):
            return NotImplemented
        if not (self.rows and other.rows):
            return self if self.rows else other
        _same_questions(self, other)
        odd, exact = self.odd + other.odd, self.exact and other.exact
        whole = bool(self.evidence and other.evidence)
        evidence = _added(self.evidence, other.evidence)
        # What one part alone has beside, a file of former days perhaps, says nothing of the sum.
        evidence = {k: x for k, x in evidence.items() if not whole or (k in self.evidence and k in other.evidence)}
        evidence = {} if odd.count else evidence
        times = None if self.times is None or other.times is None else self.times + other.times
        seen = None if self.seen is None or other.seen is None else self.seen + other.seen
        return WindowSummary(
            self.rows + other.rows,
            self.labelled + other.labelled,
            evidence,
            "" if evidence or odd.count else min(filter(None, (self.why, other.why)), default=""),
            _added(self.columns, other.columns),
            {} if odd.count else _added(self.losses, other.losses),
            {k: _added(self.kept[k], other.kept[k]) for k in self.kept if k in other.kept},
            times,
            seen,
            _added(self.said, other.said),
            odd,
            _added(self.present, other.present),
            _added(self.beyond, other.beyond),
            _end(min, self.first, other.first),
            _end(max, self.last, other.last),
            _end(max, self.latest, other.latest),
            self.dated and other.dated,
            {k: x.without_evidence() if odd.count else x for k, x in _added(self.segments, other.segments).items()},
            exact,
        ).bounded()

    def bounded(self, most: int = CELLS) -> WindowSummary:
        """The same counts in a bounded number of cells, unless all are to be kept."""
        if self.exact:
            return self
        held = {f.name: getattr(self, f.name) for f in fields(self)}
        held["evidence"] = {k: s.bounded(most) for k, s in self.evidence.items()}
        held["times"] = None if self.times is None else self.times.bounded()
        held["seen"] = None if self.seen is None else self.seen.bounded(SEEN)
        held["segments"] = {k: s.as_segment() for k, s in self.segments.items()}
        return WindowSummary(**held)

    def as_segment(self) -> WindowSummary:
        """The same counts as one segment keeps them: on a grid that is the same for all."""
        return replace(self, evidence={k: _gridded(x).bounded(SEGMENT_CELLS) for k, x in self.evidence.items()})

    def without_evidence(self) -> WindowSummary:
        """Rows and labels alone."""
        return replace(self, evidence={})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WindowSummary):
            return False
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self))

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        out: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        for name in ("evidence", "columns", "losses"):
            out[name] = {k: x.to_dict() for k, x in getattr(self, name).items()}
        out["kept"] = {kind: {k: x.to_dict() for k, x in held.items()} for kind, held in self.kept.items()}
        for name in ("times", "seen"):
            held = getattr(self, name)
            out[name] = None if held is None else held.to_dict()
        out |= {"said": [[k, x] for k, x in self.said.items()], "present": dict(self.present)}
        out |= {"odd": _listed(self.odd), "beyond": {k: _listed(x) for k, x in self.beyond.items()}}
        if self.segments:
            out["segments"] = [x._of_segment(value) for (_, value), x in self.segments.items()]
        found: dict[str, Any] = packed_tightly(out, READABLE)
        return found

    def _of_segment(self, value: Any) -> dict[str, Any]:
        evidence = {name: x.to_dict() for name, x in self.evidence.items()}
        return {"value": value, "rows": self.rows, "labelled": self.labelled, "evidence": evidence}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WindowSummary:
        """Read back what `to_dict` wrote."""

        def summaries(held: Mapping[str, Any]) -> dict[str, Summary]:
            return {k: kinds()[x["kind"]].from_dict(x) for k, x in held.items()}

        def some(held: Any) -> Some:
            return Some(int(held[0]), tuple(held[1]))

        return cls(
            **{name: data[name] for name in _PLAIN},
            evidence=summaries(data["evidence"]),
            columns={k: BinCounts.from_dict(x) for k, x in data["columns"].items()},
            losses={k: Losses(**x) for k, x in data["losses"].items()},
            kept={kind: summaries(x) for kind, x in data["kept"].items()},
            times=None if data["times"] is None else LabelTimes.from_dict(data["times"]),
            seen=None if data["seen"] is None else Cells.from_dict(data["seen"]),
            said={k: float(x) for k, x in data["said"]},
            present=dict(data["present"]),
            odd=some(data["odd"]),
            beyond={k: some(x) for k, x in data["beyond"].items()},
            segments={
                key_of(x["value"]): cls(x["rows"], x["labelled"], summaries(x["evidence"]))
                for x in data.get("segments", ())
            },
        )


_PLAIN = ("rows", "labelled", "why", "first", "last", "latest", "dated", "exact")


def _listed(some: Some) -> list[Any]:
    return [some.count, list(some.values)]


def _added(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> dict[Any, Any]:
    """What either has, added where both have it."""
    return {k: a[k] + b[k] if k in a and k in b else a[k] if k in a else b[k] for k in (*a, *b)}


def _gridded(found: Summary) -> Any:
    return replace(found, cells=found.cells.on_grid().on_mesh(SEGMENT_MESH)) if isinstance(found, Scores) else found


def _end(pick: Any, a: int | None, b: int | None) -> int | None:
    there = [x for x in (a, b) if x is not None]
    return pick(there) if there else None


def _same_questions(a: WindowSummary, b: WindowSummary) -> None:
    """Refuse windows that were asked other questions: their sum would answer none."""
    for one, other, what in ((a.columns, b.columns, "columns"), (a.present, b.present, "outputs")):
        if set(one) != set(other):
            message = f"These windows cannot be added: other {what} were counted in one than in the other."
            raise CannotAdd(message, "Count both against the same baseline.")
