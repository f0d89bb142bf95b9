"""What is asked of rows that live in a database, by window: a few answers of which each is one scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from steelyard.engines.binned import Intervals
from steelyard.engines.by_window import ByWindow, WindowedColumns
from steelyard.engines.frames import FrameRows
from steelyard.engines.read_once import MISSING, GroupsAsked, ReadOnce, ScoresAsked, Times, Unread, read_once
from steelyard.monitors.bins import Bins
from steelyard.monitors.delays import groups_of
from steelyard.monitors.placing import at_midnight, instants, place, rounded
from steelyard.monitors.segmented import watched_keys
from steelyard.monitors.sheets import unseen
from steelyard.monitors.stream import StreamRoles
from steelyard.monitors.summed import Counting
from steelyard.monitors.windows import DAY, Instants, ZoneOffsets
from steelyard.rows.language import Table, Tally, Term
from steelyard.sources.file_columns import NEVER, ColumnsAsked, FileColumns
from steelyard.summaries.asking import weight_sums
from steelyard.summaries.bin_counts import BinCounts, a_few
from steelyard.summaries.label_requests import label_tally
from steelyard.summaries.segments import Key

ODD, UNLABELLED = -1.0, -2.0
"""In place of a level: a target that is none of those of the reference, and a row without a label."""
LATER = 2.0**62
"""When a label came in that never did."""
COLUMNS = 50
"""Columns that are counted at once."""
COMPILED = 1 << 20
"""From so many rows on compiled loops are worth their loading."""


@dataclass(frozen=True)
class HowTimed:
    """How moments become windows: their edges, the clock of the zone, and which moments were read from that clock."""

    edges: Instants
    clock: ZoneOffsets
    local: frozenset[str]
    """The roles of times that came without a zone."""
    until: int | None

    def instants(self, r: Any, role: str) -> Any:
        """Moments as instants."""
        return instants(r, role, self.clock if role in self.local else None)


def _window(r: Any) -> Any:
    return r.value("window")


def _time(r: Any) -> Any:
    return r.value("moment")


def _late(r: Any) -> Any:
    """When the label came in; one without a time was there when its row came."""
    return r.value("late")


def _score(r: Any) -> Any:
    return r.value("score") + 0.0


def _among(r: Any, which: Sequence[int]) -> Any:
    """Whether a row is in one of some windows."""
    starts = [i for i in which if i - 1 not in set(which)]
    ends = [i for i in which if i + 1 not in set(which)]
    found = [(_window(r) >= float(a)) & (_window(r) <= float(b)) for a, b in zip(starts, ends, strict=True)]
    out = found[0]
    for more in found[1:]:
        out = out | more
    return out


class WindowRows:
    """The rows of some windows, with the roles of a stream; outputs and features are named by their places."""

    def __init__(
        self,
        around: Callable[..., FrameRows],
        roles: StreamRoles,
        counting: Counting,
        timed: HowTimed,
        which: Sequence[int],
        files: FileColumns | None = None,
    ) -> None:
        self.around: Callable[..., FrameRows] = around
        """All rows of some windows and a few near them: a database finds a stretch of time without reading what lies beyond."""
        self.roles: StreamRoles = roles
        self.timed: HowTimed = timed
        base = counting.baseline
        self.bins: dict[str, Bins] = {**base.outputs, **base.features}
        self.evaluation = base.evaluation
        self.levels: tuple[Any, ...] = tuple((self.evaluation.levels if self.evaluation is not None else None) or ())
        self.segments: list[Key] = [] if roles.segment is None else watched_keys(self.evaluation)
        self.weighting = "sampling" if roles.weight is not None else "none"
        self.which: Sequence[int] = which
        self.rows: FrameRows = self._placed(which)
        self.files: FileColumns | None = files
        """Where the rows stand, if a column of theirs can be read without a database."""
        self.once: ReadOnce | None = None
        self.read_as: tuple[int | None, int | None] = None, None
        """What was counted in one reading, and the unit of time and the mesh of scores in which."""

    def _placed(self, which: Sequence[int], *, read: bool = False) -> FrameRows:
        """The rows of some windows, with their moments and the place of their window; to be read, without that, and others too."""
        roles, timed, rows = self.roles, self.timed, self.around(which, read=read)
        rows = rows.placed("moment", timed.instants(rows, "time"))
        late = rows.value("moment")
        if roles.label_time is not None:
            late = rows.chain([(rows.absent("label_time"), late)], timed.instants(rows, "label_time"))
        rows = rows.placed("late", late)
        if not read:
            rows = rows.placed("window", place(rows, rows.value("moment"), timed.edges))
            rows = rows.where(_among(rows, which))
        return rows if timed.until is None else rows.where(rows.value("moment") <= float(timed.until))

    def some(self, which: Sequence[int]) -> WindowRows:
        """The rows of fewer windows."""
        out = copy(self)
        out.rows, out.which, out.once = self._placed(which), which, None
        return out

    def read_once(self, step: int | None, mesh: int | None, many: int) -> WindowRows:
        """The same rows, read once for all that is asked of them, where compiled loops do that faster than the database groups.

        Without a step only numbers are counted so, and all moments and scores asked for one by one.
        """
        if many <= COMPILED:
            return self
        r, clock, times, scores = self._placed(self.which, read=True), self.timed.clock, None, None
        if step is not None:
            times = Times(step, self._groups(r), clock.changes, clock.offsets, DAY, LATER)
        if step is not None and self.roles.score is not None:
            level = None if self.roles.target is None else self.level(r)
            segment = self.segment(r) if self.segments else None
            scores = ScoresAsked(mesh, self.threshold, level, segment, UNLABELLED)
        out, held = copy(self), {f"column{i}": b for i, b in enumerate(self.bins.values())}
        texts = {role: known_levels(b) for role, b in held.items() if b.kind == "levels" and r.kind(role) == "text"}
        span = min(self.which), max(self.which)
        asked = r, self.timed.edges, span, times, scores, self._numbers(), texts
        try:
            out.once = read_once(*asked, lambda names: self._of_files(names, span, texts))
        except Unread:
            out.once = read_once(*asked)
        out.read_as = step, mesh
        return out

    def _groups(self, r: Any) -> GroupsAsked:
        e = self.evaluation
        if self.roles.target is None:
            return GroupsAsked()
        if e is None or e.positive is None or self.roles.score is None or self.roles.prediction is not None:
            return GroupsAsked(self.group(r))
        return GroupsAsked(positive=self.levels.index(e.positive))

    def _numbers(self) -> dict[str, Intervals]:
        held = enumerate(self.bins.values())
        return {f"column{i}": b.intervals for i, b in held if b.kind == "numbers"}

    def _of_files(
        self, names: Sequence[str], span: tuple[int, int], texts: Mapping[str, Sequence[str]]
    ) -> Iterator[list[Any]] | None:
        """The columns that are asked for under these names, read from files themselves; None where a database works one out."""
        if self.files is None or "group" in names:
            return None
        places = {role: {text: i for i, text in enumerate(held)} for role, held in texts.items() if held}
        if "level" in names:
            places["target"] = {level: i for i, level in enumerate(self.levels)}
        if "segment" in names:
            places["segment"] = {value: i for i, (_, value) in enumerate(self.segments) if value is not None}
        late = ["label_time"] if self.roles.label_time is not None and {"late", "level"} & {*names} else []
        numbers = [name.removeprefix("column ") for name in names if name == "score" or name.startswith("column ")]
        edges = self.timed.edges
        between = int(edges[span[0]]) - DAY, int(edges[span[1] + 1]) + DAY
        found = self.files.read(ColumnsAsked(["time", *late], numbers, places, "time", between))
        return None if found is None else ([told[name] for name in names] for told in map(self._named, found))

    def _named(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch of files under the names of what is asked; as `_placed`, `level` and `segment` have it."""
        timed, until, out = self.timed, self.timed.until, dict[str, Any]()
        local = timed.local if timed.clock.offsets.any() else ()
        when = {
            role: timed.clock.universal(batch[role]) if role in local else batch[role]
            for role in ("time", "label_time")
            if role in batch
        }
        out["late"] = out["time"] = when["time"]
        if "label_time" in when:
            out["late"] = np.where(batch["label_time"] == NEVER, when["time"], when["label_time"])
        if "target" in batch:
            # What stands for a row without any level and one with another is the other way round here.
            out["level"] = np.where(batch["target"] < 0, int(ODD + UNLABELLED) - batch["target"], batch["target"])
            if until is not None and self.roles.label_time is not None:
                out["level"][out["late"] > until] = int(UNLABELLED)
        if "segment" in batch:
            gap = next((i for i, (_, value) in enumerate(self.segments) if value is None), -1)
            out["segment"] = np.where(batch["segment"] == MISSING, gap, np.maximum(batch["segment"], -1))
        if until is not None:
            # Rows that came later lie in no window.
            out["time"] = np.where(out["time"] > until, np.iinfo(np.int64).max, out["time"])
        return out | {
            f"{what}{role}": x
            for what in ("", "column ", "level ")
            for role, x in batch.items()
            if what + role not in out
        }

    # Terms of the row language ----------------------------------------------------------------------------------------
    def labelled(self, r: Any) -> Any:
        """Whether a row has a label, as far as that is known."""
        there, until = ~r.absent("target"), self.timed.until
        return there if self.roles.label_time is None or until is None else there & (_late(r) <= float(until))

    def level(self, r: Any) -> Any:
        """The place of the target among the levels."""
        cases = [(r.is_level("target", level), float(i)) for i, level in enumerate(self.levels)]
        return r.chain([(~self.labelled(r), UNLABELLED), *cases], ODD)

    @property
    def threshold(self) -> float:
        """From which score on a row is said to be positive."""
        e = self.evaluation
        return 0.5 if e is None or e.threshold is None else e.threshold

    def said(self, r: Any) -> Any:
        """Whether the score reaches the threshold; databases hold NaN to be larger than any."""
        x = r.value("score")
        return (x >= self.threshold) & ~x.is_nan()

    def segment(self, r: Any) -> Any:
        """The place of the segment among those that are watched; −1 where a row lies in none."""
        held: dict[Any, float] = {value: float(i) for i, (_, value) in enumerate(self.segments) if value is not None}
        found = r.lookup("segment", held, -1.0)
        gap = next((float(i) for i, (_, value) in enumerate(self.segments) if value is None), -1.0)
        return r.chain([(r.absent("segment"), gap)], found)

    def _apart(self) -> dict[str, Term]:
        return {"segment": self.segment} if self.segments else {}

    def group(self, r: Any) -> Any:
        """The outcome of a row by its place among the groups of `label_times`."""
        e, groups = self.evaluation, groups_of(self.evaluation, self.roles)
        many, none = float(len(groups)), (~self.labelled(r), -1.0)
        if e is None or not groups:
            return r.chain([none], many)
        if e.positive is not None:
            yes = r.is_level("target", e.positive)
            said = self.said(r) if self.roles.prediction is None else r.is_level("prediction", e.positive)
            return r.chain([none, (yes & said, 0.0), (yes, 1.0), (said, 2.0)], 3.0)
        cases: list[tuple[Any, float]] = []
        for i, level in enumerate(self.levels):
            mine = r.is_level("target", level)
            cases += [(mine & r.is_level("prediction", level), 2.0 * i), (mine, 2.0 * i + 1)]
        return r.chain([none, *cases], many)

    # What is asked ----------------------------------------------------------------------------------------------------
    def when(self, step: int) -> dict[int, Table]:
        """When rows came and when their labels, rounded down to a unit; and how many have a weight that is none."""
        if self.once is not None and self.once.times is not None and self.read_as[0] == step:
            return apart(self.once.times)
        by: dict[str, Term] = {"window": _window}
        highs: dict[str, Term] = {"last": _time}
        sums: dict[str, Term] = {"hours": lambda r: r.flag(~at_midnight(r, _time(r), self.timed.clock))}
        if self.roles.weight is not None:
            sums["wrong"] = lambda r: r.chain([((r.value("weight") >= 0.0) & (r.value("weight") < np.inf), 0.0)], 1.0)
        if self.roles.target is not None:
            by["group"] = self.group
            by["time"] = lambda r: rounded(r, _time(r), step)
            by["known"] = lambda r: r.chain([(self.labelled(r), rounded(r, _late(r), step))], LATER)
            highs["late"] = lambda r: r.chain([(self.labelled(r), _late(r))], _time(r))
        return apart(self.rows.tally(Tally(by, sums, {"first": _time}, highs)))

    def scored(self, mesh: int | None) -> dict[int, Table]:
        """Scores by level: each distinct one, or those in each cell of a grid of so many steps per octave."""
        if self.once is not None and self.once.scores is not None and self.read_as[1] == mesh:
            return apart(self.once.scores)
        by: dict[str, Term] = {
            "window": _window,
            "fine": lambda r: r.chain([(r.absolute(r.value("score")) < np.inf, 1.0)], 0.0),
            "state": lambda r: r.state(scores=("score",)),
            "level": self.level if self.roles.target is not None else lambda r: r.number(UNLABELLED),
            **self._apart(),
        }
        weigh = weight_sums(self.weighting)
        if mesh is None:
            return apart(self.rows.tally(Tally(by | {"score": _score}, weigh)))
        by["cell"] = lambda r: r.cell(r.value("score"), mesh, -int(LATER))
        by["cut0"] = lambda r: r.flag(self.said(r))
        by["over"] = lambda r: r.flag(r.value("score") > 1.0)
        x: Term = _score if self.weighting == "none" else lambda r: r.value("weight") * _score(r)
        powers: dict[str, Term] = {"x": x, "xx": lambda r: x(r) * _score(r)}
        return apart(self.rows.tally(Tally(by, weigh | powers, {"low": _score}, {"high": _score})))

    def predicted(self) -> dict[int, Table]:
        """Labels by prediction."""
        asked = label_tally(self.weighting, segmented=False)
        more: dict[str, Term] = {"window": _window, "there": lambda r: r.flag(self.labelled(r)), **self._apart()}
        return apart(self.rows.tally(Tally(more | dict(asked.by), asked.sums)))

    def odd_targets(self) -> dict[int, Table]:
        """Targets that are none of the levels."""
        odd = self.rows.where(self.level(self.rows) == ODD)
        return apart(odd.tally(Tally({"window": _window, "level": lambda r: r.level("target")})))

    def columns(self) -> dict[int, dict[str, tuple[BinCounts, int]]]:
        """Every output and feature in its bins, and how many rows have a value of it."""
        roles = {f"column{i}": name for i, name in enumerate(self.bins)}
        out = {} if self.once is None else self._looped(self.once, roles)
        told = () if self.once is None else (*self.once.numbers, *self.once.levels)
        left = [(role, name) for role, name in roles.items() if role not in told]
        for start in range(0, len(left), COLUMNS):
            for w, found in self._counted(dict(left[start : start + COLUMNS])).items():
                out.setdefault(w, {}).update(found)
        return {w: {name: found[name] for name in self.bins} for w, found in out.items()}

    def _counted(self, roles: Mapping[str, str]) -> dict[int, dict[str, tuple[BinCounts, int]]]:
        engine, new, out = WindowedColumns(self.rows), {}, dict[int, dict[str, tuple[BinCounts, int]]]()
        bins = {role: self.bins[name] for role, name in roles.items()}
        numbers = {role: x for role, x in self._numbers().items() if role in roles}
        for role, found in engine.by_window(numbers, [role for role in roles if role not in numbers]).items():
            b = bins[role]
            spot = None if role in numbers else b.lookup()
            cells = found.cell if spot is None else np.array([spot(v) for v in found.cell.tolist()], dtype=np.int64)
            if spot is None and (cells > b.missing).any():
                new[role] = numbers[role]
            for w, mine, there in _windows_of(found, cells):
                counts = np.bincount(there, mine.total, b.size).astype(np.float64)
                names = (
                    () if spot is None else unseen(b, dict(zip(mine.cell.tolist(), mine.live.tolist(), strict=True)))
                )
                rows, squares = int(mine.live.sum()), float(mine.squares.sum())
                kept = BinCounts(counts, rows, squares, self.weighting, None, names)
                out.setdefault(w, {})[roles[role]] = kept, int(mine.rows[there != b.missing].sum())
        for w, ends in (engine.new_by_window(new) if new else {}).items():
            for role, both in ends.items():
                if np.isfinite(both).all():
                    kept, present = out[w][roles[role]]
                    out[w][roles[role]] = replace(kept, unseen=a_few(set(both))), present
        return out

    def _looped(self, once: ReadOnce, roles: Mapping[str, str]) -> dict[int, dict[str, tuple[BinCounts, int]]]:
        """Numbers that were counted on the way."""
        out: dict[int, dict[str, tuple[BinCounts, int]]] = {}
        for role, cells in once.numbers.items():
            missing = self.bins[roles[role]].intervals.missing
            for w, counts, ends in zip(
                range(min(self.which), max(self.which) + 1), cells.counts, cells.extremes.tolist(), strict=True
            ):
                rows = int(counts.sum())
                if rows:
                    names = a_few(set(ends)) if np.isfinite(ends).all() else ()
                    kept = BinCounts(counts.astype(np.float64), rows, float(rows), self.weighting, None, names)
                    out.setdefault(w, {})[roles[role]] = kept, rows - int(counts[missing])
        for role, told in once.levels.items():
            b = self.bins[roles[role]]
            place = b.place([None, *known_levels(b)])
            for w, counts in enumerate(told, min(self.which)):
                rows = int(counts.sum())
                if rows:
                    laid = np.bincount(place, counts, b.size).astype(np.float64)
                    kept = BinCounts(laid, rows, float(rows), self.weighting)
                    out.setdefault(w, {})[roles[role]] = kept, rows - int(laid[b.missing])
        return out


def _windows_of(found: ByWindow, cells: Any) -> Iterator[tuple[int, ByWindow, Any]]:
    order = np.argsort(found.window, kind="stable")
    laid = {f.name: getattr(found, f.name)[order] for f in fields(found)}
    windows, starts = np.unique(laid["window"], return_index=True)
    for w, a, b in zip(windows.tolist(), starts, [*starts[1:], len(order)], strict=True):
        yield w, ByWindow(**{name: x[a:b] for name, x in laid.items()}), cells[order][a:b]


def known_levels(bins: Bins) -> list[str]:
    """Texts that have a bin of their own, or share that of rare ones."""
    return [v for v in dict.fromkeys((*bins.levels, *bins.pooled, *bins.special)) if isinstance(v, str)]


def apart(table: Table) -> dict[int, Table]:
    """One table for each window."""
    windows = table["window"].astype(np.int64)
    order = np.argsort(windows, kind="stable")
    laid = {name: values[order] for name, values in table.items() if name != "window"}
    found, starts = np.unique(windows[order], return_index=True)
    ends = [*starts[1:], len(order)]
    return {
        w: {name: values[a:b] for name, values in laid.items()}
        for w, a, b in zip(found.tolist(), starts, ends, strict=True)
    }
