"""Answers of a database about the rows of one window, read as what is counted of rows: scores, labels, losses and times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.counting.rules import WHOLE, few
from steelyard.counting.scores import count_scores
from steelyard.evaluation import Evaluation
from steelyard.monitors.sequential import losses, row_loss
from steelyard.results import Array, Codes, Flags
from steelyard.rows import grid
from steelyard.rows.language import GOOD, Table, Tally
from steelyard.summaries.cells import Cells
from steelyard.summaries.losses import Losses
from steelyard.summaries.scores import Scores
from steelyard.summaries.window import CELLS, SEEN, Some


class AnsweredRows:
    """Rows of which the answer to the one request that is made of them is known already."""

    engine = "answered"

    def __init__(self, answer: Table, roles: tuple[str, ...], length: int) -> None:
        self.answer: Table = answer
        self.roles: tuple[str, ...] = roles
        self.length: int = length

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        return role in self.roles

    def kind(self, role: str) -> str:
        """What a column holds does not matter any more."""
        return "other"

    def rounds(self, role: str) -> bool:
        """What floats leave was not asked for."""
        return False

    def tally(self, request: Tally) -> Table:
        """The answer."""
        return self.answer

    def only(self, role: str, level: object, *, other: bool = False) -> AnsweredRows:
        """Rows that were counted cannot be picked any more."""
        raise NotImplementedError


def scores_in(table: Table, levels: tuple[Any, ...], plan: Any, mesh: int | None) -> Scores:
    """The scores of rows with a label, from an answer by level; on the mesh on which they were asked for."""
    mine = {name: x[table["level"] >= 0] for name, x in table.items()}
    names = np.empty(len(levels), dtype=object)
    names[:] = levels
    mine["level"] = names[mine["level"].astype(np.int64)]
    rows = int(mine["rows"].sum())
    roles = ("target", "score") if plan.weighting == "none" else ("target", "score", "weight")
    found: Scores = count_scores(AnsweredRows(mine, roles, rows), plan)[WHOLE]["scores"]
    return found if mesh is None else replace(found, cells=_known(replace(found.cells, mesh=mesh)))


def _known(cells: Cells) -> Cells:
    """The same cells as they are without a grid, where each holds one value and rows are few."""
    if not cells.sharp or not few(cells.rows):
        return cells
    return Cells.of(cells.low, cells.counts, cells.rows, cuts=cells.cuts)


@dataclass(frozen=True)
class Scored:
    """The scores of a window as they were answered: one by one, or in the cells of a mesh."""

    table: Table
    mesh: int | None
    apart: Table | None = None
    """The same by segment, where segments are watched."""

    @classmethod
    def of(cls, table: Table, mesh: int | None) -> Scored:
        """From an answer, whose segments are put together for the whole."""
        return cls(_together(table), mesh, table) if "segment" in table else cls(table, mesh)

    @cached_property
    def seen(self) -> Cells:
        """The scores of all rows, with a label or without."""
        return self._cells(self.table["fine"] > 0, 1)

    @property
    def tables(self) -> list[tuple[Cells, int]]:
        """The scores of all rows and of those with a label, and how many cells are kept of each."""
        used = (self.table["level"] >= 0) & (self.table["state"] == GOOD)
        return [(self.seen, SEEN), *([(self._cells(used, 2), CELLS)] if used.any() else [])]

    @property
    def rough(self) -> bool:
        """Whether a finer mesh could keep more."""
        if self.mesh is None:
            return False
        return any(
            c.gridded and len(c.low) <= most and (self.mesh < grid.FINE or few(c.rows)) for c, most in self.tables
        )

    def _cells(self, used: Flags, parts: int) -> Cells:
        rows = self.table["rows"][used].astype(np.float64)
        if self.mesh is None:
            found, place = np.unique(self.table["score"][used].astype(np.float64), return_inverse=True)
            return Cells.of(found, _added(place, rows, len(found)), int(rows.sum()))
        keys = self.table["cell"][used] * parts + self.table["cut0"][used] * (parts - 1)
        found, place = np.unique(keys, return_inverse=True)
        low, high = np.full(len(found), np.inf), np.full(len(found), -np.inf)
        np.minimum.at(low, place, self.table["low"][used])
        np.maximum.at(high, place, self.table["high"][used])
        return _known(Cells(low, high, _added(place, rows, len(found)), int(rows.sum()), gridded=True, mesh=self.mesh))

    def said(self, threshold: float) -> Flags:
        """Whether the scores reach the threshold."""
        return np.asarray(self.table["score"] >= threshold if self.mesh is None else self.table["cut0"] > 0)

    @property
    def beyond(self) -> Some:
        """Scores that are no chances."""
        if self.mesh is None:
            low = high = np.asarray(self.table["score"], dtype=np.float64)
            off = (low < 0) | (low > 1)
        else:
            low, high = self.table["low"], self.table["high"]
            off = (low < 0) | (self.table["over"] > 0)
        off = off & (self.table["fine"] > 0)
        ends = dict.fromkeys([float(low[off].min()), float(high[off].max())] if off.any() else [], 0)
        return replace(Some.of(ends), count=int(self.table["rows"][off].sum()))


def _together(table: Table) -> Table:
    """The answer without its segments: extremes of what differs in nothing else, and sums."""
    keys = [table[name] for name in ("fine", "state", "level", "score", "cell", "cut0", "over") if name in table]
    order = np.lexsort(keys)
    new = np.any([x[order][1:] != x[order][:-1] for x in keys], axis=0)
    starts = np.flatnonzero(np.r_[True, new])
    ways = {"low": np.minimum, "high": np.maximum} | dict.fromkeys(("rows", "weight", "weight2", "x", "xx"), np.add)
    laid = {name: x[order] for name, x in table.items() if name != "segment"}
    return {name: ways[name].reduceat(x, starts) if name in ways else x[starts] for name, x in laid.items()}


def _added(place: Codes, rows: Array, size: int) -> Array:
    out: Array = np.bincount(place, rows, size).astype(np.float64)[:, None]
    return out


def losses_of_scores(
    table: Table, evaluation: Evaluation, levels: tuple[Any, ...], weighted: bool
) -> dict[str, Losses]:
    """Sums of every loss that is a mean over rows: of each distinct score, or over the cells of a grid.

    Within a cell a loss is taken for the parabola through its values at both ends and in the middle, of which the sums of x and
    x² tell the sum.
    """
    assert evaluation.scores is not None
    used = (table["level"] >= 0) & (table["state"] == GOOD)
    mine = {name: x[used].astype(np.float64) for name, x in table.items()}
    y = np.array([level == evaluation.positive for level in levels], dtype=np.float64)[mine["level"].astype(np.int64)]
    w = mine["weight"] if weighted else mine["rows"]
    squares = mine["weight2"] if weighted else mine["rows"]
    cut = 0.5 if evaluation.threshold is None else evaluation.threshold
    out = {}
    for name, m in losses("scores", probabilities=evaluation.scores.probabilities).items():
        if "score" in mine:
            lost = row_loss(m, y, mine["score"], cut)
            sums = [w * lost**k for k in (1, 2)]
        else:
            low, high = mine["low"], mine["high"]
            middle, half = low + (high - low) / 2, np.where(high > low, (high - low) / 2, 1.0)
            first = (mine["x"] - middle * w) / half
            second = (mine["xx"] - 2 * middle * mine["x"] + middle**2 * w) / half**2
            ends = [row_loss(m, y, x, cut) for x in (low, middle, high)]
            sums = []
            for k in (1, 2):
                a, b, c = (x**k for x in ends)
                sums.append(np.where(high > low, b * w + (c - a) / 2 * first + (a + c - 2 * b) / 2 * second, b * w))
        out[name] = Losses(float(w.sum()), float(squares.sum()), *(float(x.sum()) for x in sums))
    return out


def losses_of_labels(table: Table, weighted: bool) -> dict[str, Losses]:
    """Sums of every loss of labels that is a mean over rows."""
    used = (table["state"] == GOOD) & (table["there"] > 0)
    w = table["weight" if weighted else "rows"][used].astype(np.float64)
    squares = table["weight2" if weighted else "rows"][used].astype(np.float64)
    out = {}
    for name, m in losses("labels").items():
        lost = row_loss(m, table["level"][used], table["label"][used])
        out[name] = Losses(float(w.sum()), float(squares.sum()), float((w * lost).sum()), float((w * lost**2).sum()))
    return out
