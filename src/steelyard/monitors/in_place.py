"""Windows counted where their rows live: what a database answers, laid out as what the rows themselves would give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.counting.labels import count_labels
from steelyard.counting.matrix import levels_of
from steelyard.counting.rules import WHOLE, CountingRules, few
from steelyard.monitors.answered import (
    AnsweredRows,
    Scored,
    losses_of_labels,
    losses_of_scores,
    scores_in,
)
from steelyard.monitors.delays import groups_of
from steelyard.monitors.gauges import Gauge, gauges
from steelyard.monitors.segmented import by_segment
from steelyard.monitors.sheets import refuse_weights
from steelyard.monitors.stream import StreamRoles
from steelyard.monitors.summed import STRANGE, Counting
from steelyard.monitors.window_rows import LATER, ODD, UNLABELLED, WindowRows
from steelyard.rows import grid
from steelyard.rows.language import Table
from steelyard.sources.tables import NUMBERS, TIMES
from steelyard.sources.tables import Table as SqlTable
from steelyard.summaries.cells import Cells
from steelyard.summaries.label_times import HOUR, MINUTE, MOST, NEVER, STEPS, LabelTimes
from steelyard.summaries.losses import Losses
from steelyard.summaries.segments import Key
from steelyard.summaries.window import SEGMENT_MESH, Some, WindowSummary

SPARE = 1.2
"""Windows with so many times the cells that are kept differ little enough that others have more than are kept, too."""
TRIED = 5
"""Windows that are looked at to find one with rows, which tells how finely the others are to be asked for."""


def counts_in_place(table: SqlTable, roles: StreamRoles, counting: Counting) -> bool:
    """Whether all that windows hold of these columns is a sum that the database can make.

    Not so: units, scores of all levels, predicted numbers, and what gauges of your own look at row by row.
    """
    e, kinds = counting.baseline.evaluation, table.kinds
    kind = {name: kinds[table.names[name]] for name in roles.named if name in table.names}
    if len(kind) < len(roles.named) or roles.unit is not None or isinstance(roles.score, Mapping):
        return False
    if (roles.score is not None and roles.prediction is not None) or (e is not None and e.residuals is not None):
        return False
    if any(type(g).of_rows is not Gauge.of_rows or type(g).kept is not Gauge.kept for g in gauges().values()):
        return False
    moments = {roles.time, roles.label_time} - {None}
    numbers = {roles.score, roles.weight} - {None}
    others = set(kind) - moments - numbers
    bins = {**counting.baseline.outputs, **counting.baseline.features}
    # What was a number once and is text now is told by those who count rows.
    if any((b.kind == "numbers") != (kind[name] in NUMBERS) for name, b in bins.items()):
        return False
    return (
        all(kind[str(name)] in TIMES for name in moments)
        and all(kind[str(name)] in NUMBERS for name in numbers)
        and not any(kind[name] in (*TIMES, "other") for name in others)
    )


@dataclass(frozen=True)
class InPlace:
    """Some windows, and how their rows are counted."""

    rows: WindowRows
    counting: Counting

    def summaries(self, which: Sequence[int], many: int) -> list[WindowSummary]:
        """The summaries of these windows, of about so many rows in all."""
        step, mesh = (1, None) if self.counting.exact or few(many) else self._fineness(which, many)
        rows = self.rows.read_once(None if self.counting.exact else step, mesh, many)
        when = self._when(step, rows)
        if not when:
            return [WindowSummary() for _ in which]
        for table, _ in when.values():
            refuse_weights(int(table["wrong"].sum()) if "wrong" in table else 0)
        r = self.rows.roles
        scored = {} if r.score is None else self._scored(mesh, rows)
        labels = self.rows.predicted() if r.prediction is not None and self._judged else {}
        strange = any((x.table["level"] == ODD).any() for x in scored.values() if self._judged)
        odd = self.rows.odd_targets() if strange else {}
        columns = rows.columns()
        return [
            self._summary(*when[w], scored.get(w), labels.get(w), odd.get(w), columns.get(w, {}))
            if w in when
            else WindowSummary()
            for w in which
        ]

    @cached_property
    def _judged(self) -> bool:
        """Whether there are labels to hold predictions against."""
        return self.rows.roles.target is not None and self.rows.evaluation is not None

    # How finely -------------------------------------------------------------------------------------------------------
    def _fineness(self, which: Sequence[int], many: int) -> tuple[int, int | None]:
        """The unit of time and the mesh of scores to ask for: one finer than what a window in the middle needs in the end."""
        exact = few(many // max(1, len(which)))
        middle = sorted(which, key=lambda i: abs(i - which[len(which) // 2]))[:TRIED]
        for w in middle:
            rows = self.rows.some([w])
            when = self._when(1 if exact else 10 * MINUTE, rows)
            if w not in when:
                continue
            times = when[w][1]
            step = 1 if times is None else STEPS[max(0, STEPS.index(times.bounded().step) - 1)]
            if rows.roles.score is None:
                return step, None
            meshes = [_finer(c, most) for c, most in self._scored(None if exact else grid.FINE, rows)[w].tables]
            mesh = max((m for m in meshes if m is not None), default=None) if None not in meshes else None
            return step, mesh if mesh is None or not rows.segments else max(mesh, SEGMENT_MESH)
        return HOUR, 8

    def _when(self, step: int, rows: WindowRows) -> dict[int, tuple[Table, LabelTimes | None]]:
        """When rows and labels came, in units of time in which they are more entries than are kept, or in the finest."""
        groups, timed = groups_of(rows.evaluation, rows.roles), rows.roles.label_time is not None
        found: dict[int, tuple[Table, LabelTimes | None]] = {}
        for w, table in rows.when(step).items():
            times = None
            if rows.roles.target is not None:
                group, time, many = (table[name].astype(np.int64) for name in ("group", "time", "rows"))
                known = np.where(table["known"] == LATER, NEVER, table["known"].astype(np.int64))
                times = LabelTimes(groups, group, time, known, many, timed, step).joined()
            found[w] = (table, times)
        rough = [w for w, (_, x) in found.items() if step > 1 and x is not None and len(x.many) <= MOST]
        return found | (self._when(STEPS[STEPS.index(step) - 1], rows.some(rough)) if rough else {})

    def _scored(self, mesh: int | None, rows: WindowRows) -> dict[int, Scored]:
        """Scores of all rows and of those with a label, on a mesh on which there are more cells than are kept, or one by one."""
        found = {w: Scored.of(table, mesh) for w, table in rows.scored(mesh).items()}
        rough = [w for w, x in found.items() if x.rough]
        return found | (self._scored(grid.FINE if mesh != grid.FINE else None, rows.some(rough)) if rough else {})

    # What it makes of a window ----------------------------------------------------------------------------------------
    def _summary(
        self,
        when: Table,
        times: LabelTimes | None,
        scored: Scored | None,
        labels: Table | None,
        odd: Table | None,
        columns: Any,
    ) -> WindowSummary:
        r, e, probable = self.rows.roles, self.rows.evaluation, self._probable
        rows, last = int(when["rows"].sum()), int(when["last"].max())
        strange = (
            Some() if odd is None else Some.of(dict(zip(odd["level"].tolist(), odd["rows"].tolist(), strict=True)))
        )
        evidence: dict[str, Any] = {}
        losses: dict[str, Losses] = {}
        why, said = "", dict[Any, float]()
        plan, weighted = self._plan, r.weight is not None
        table = labels if scored is None else scored.table
        if e is not None and self._judged and table is not None:
            there = table["level"] >= 0 if scored is not None else table["there"] > 0
            if labels is not None:
                known = set(self.rows.levels)
                told = zip(labels["level"][there].tolist(), labels["rows"][there].tolist(), strict=True)
                held = _added((level, n) for level, n in told if level not in known)
                strange = Some.of({level: int(n) for level, n in held.items()})
            if there.any() and not strange.count:
                evidence, why = self._evidence(table, there, plan, scored)
                if evidence and scored is not None:
                    losses = losses_of_scores(table, e, self.rows.levels, weighted=weighted)
                elif evidence:
                    losses = losses_of_labels(table, weighted=weighted)
            # Without a score nothing was said.
            left = ~there if scored is None else (table["level"] == UNLABELLED) & (table["fine"] > 0)
            weight = table["weight" if weighted else "rows"][left].astype(np.float64).tolist()
            names = table["label"][left].tolist() if scored is None else scored.said(self.rows.threshold)[left].tolist()
            said = _added((k, w) for k, w in zip(names, weight, strict=True) if k is not None)
        return WindowSummary(
            rows,
            rows if times is None else times.labelled,
            evidence,
            why,
            {name: counts for name, (counts, _) in columns.items()},
            losses,
            {},
            times,
            None if scored is None else scored.seen,
            said,
            strange,
            {name: columns[name][1] for name in r.outputs},
            {str(r.score): scored.beyond} if scored is not None and probable else {},
            int(when["first"].min()),
            last,
            max(last, int(when["late"].max())) if "late" in when else last,
            not when["hours"].any(),
            self._segments(labels if scored is None else scored.apart, scored, plan, counted=not strange.count),
            self.counting.exact,
        ).bounded()

    def _segments(
        self, table: Table | None, scored: Scored | None, plan: CountingRules, *, counted: bool
    ) -> dict[Key, WindowSummary]:
        keys, evidence = self.rows.segments, dict[int, Any]()
        if table is None or not keys:
            return {}
        place = table["segment"].astype(np.int64)
        held = table["level"] != UNLABELLED if scored is not None else table["there"] > 0
        judged = held & (place >= 0) & self._judged & counted
        for i in np.unique(place[judged]).tolist():
            mine = {name: x[judged & (place == i)] for name, x in table.items() if name != "segment"}
            there = np.ones(len(mine["rows"]), dtype=np.bool_)
            part = None if scored is None else Scored(mine, scored.mesh)
            evidence[i] = self._evidence(mine, there, plan, part)[0]
        rows, labelled = (
            np.bincount(place[x], table["rows"][x], len(keys)).astype(np.int64)
            for x in (place >= 0, (place >= 0) & held)
        )
        return by_segment(keys, rows, labelled, evidence)

    def _evidence(self, table: Table, there: Any, plan: CountingRules, scored: Scored | None) -> tuple[Any, str]:
        mine = {name: x[there] for name, x in table.items()}
        try:
            if scored is not None:
                return {"scores": scores_in(mine, self.rows.levels, plan, scored.mesh)}, ""
            roles = ("target", "prediction", *(("weight",) if plan.weighting != "none" else ()))
            return count_labels(AnsweredRows(mine, roles, int(mine["rows"].sum())), plan)[WHOLE], ""
        except STRANGE as problem:
            return {}, problem.message.rstrip(".")

    @property
    def _plan(self) -> CountingRules:
        asked = self.counting.options
        return CountingRules(
            self.rows.weighting,
            self.counting.exact,
            asked["missing"] != "refuse",
            levels_of(asked.get("levels")),
            asked["positive"],
            (float(asked["threshold"]),),
        )

    @property
    def _probable(self) -> bool:
        """Whether the scores of the reference were chances."""
        e = self.rows.evaluation
        return e is not None and e.scores is not None and e.scores.probabilities


def _finer(cells: Cells, most: int) -> int | None:
    """The mesh to ask others for where these cells are too many: on it they clearly are more than are kept; None where they fit."""
    kept = cells.bounded(most)
    if not kept.gridded:
        return None
    finer = len(cells.on_grid().on_mesh(kept.mesh + 1).low)
    return min(grid.FINE, kept.mesh + (1 if finer > SPARE * most else 2))


def _added(pairs: Iterable[tuple[Any, float]]) -> dict[Any, float]:
    out: dict[Any, float] = {}
    for key, n in pairs:
        out[key] = out.get(key, 0.0) + n
    return out
