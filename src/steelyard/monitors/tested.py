"""The cells of a column as they are tested: what both samples have in each, and which of them are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.monitors import law
from steelyard.monitors.bins import Bins
from steelyard.monitors.never_seen import as_if_new, gathered
from steelyard.results import Array
from steelyard.summaries.bin_counts import BinCounts


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as it was tested: counts (of effective rows) and shares of both samples, and its part of the index."""

    name: str
    reference: float
    current: float
    reference_share: float
    current_share: float
    part: float


@dataclass(frozen=True, slots=True)
class Tested:
    """Counts of both samples, and how their cells are joined for the test."""

    counts: tuple[BinCounts, BinCounts]
    """Of the reference and now, with what was never seen in one cell."""
    names: Sequence[str]
    sizes: tuple[float, float]
    """Effective numbers of rows."""
    all_then: Array
    all_now: Array
    spread: Array
    groups: Sequence[Sequence[int]]
    then: Array
    now: Array

    @classmethod
    def of(cls, bins: Bins, current: BinCounts) -> Tested:
        """As the reference's counts, stored with the bins, and the current ones want it."""
        then, now, names = gathered(bins, current)
        n, m = then.effective(), now.effective()
        a, b = then.counts / then.total * n, now.counts / now.total * m
        a, spread = as_if_new(bins, a, b)
        groups = law.merged(a, b, bins.ordinary, ordered=bins.kind == "numbers")
        return cls((then, now), names, (n, m), a, b, spread, groups, law.joined(a, groups), law.joined(b, groups))

    def cells(self, bins: Bins) -> list[Cell]:
        """Each with its name, its shares and its part of the index."""
        parts = law.index_parts(self.then, self.now)[0]
        n, m = float(self.then.sum()), float(self.now.sum())
        out = []
        for group, then, now, part in zip(self.groups, self.then, self.now, parts, strict=True):
            found = (float(then), float(now), float(then) / n, float(now) / m, float(part))
            out.append(Cell(_name(group, self.names, bins.kind), *found))
        return out


def _name(group: Sequence[int], names: Sequence[str], kind: str) -> str:
    if len(group) == 1:
        return names[group[0]]
    if kind == "numbers":
        return _span(names[group[0]], names[group[-1]])
    return " or ".join(names[k] for k in group) if len(group) <= 3 else f"{len(group)} rare levels"


def _span(first: str, last: str) -> str:
    """Neighbouring intervals as one: from the lower edge of the first to the upper edge of the last."""
    low = "" if first.startswith("up to ") else first.split(" to ")[0]
    high = "" if last.startswith("above ") else last.split(" to ")[-1].removeprefix("up to ")
    return f"{low} to {high}" if low and high else f"up to {high}" if high else f"above {low}" if low else "all values"
