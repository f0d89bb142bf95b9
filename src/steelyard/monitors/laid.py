"""Counts of many samples laid on one another: the cells of each as they are tested, in one row of an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.monitors import law
from steelyard.monitors.bins import Bins
from steelyard.monitors.tested import Tested
from steelyard.results import Array, Codes
from steelyard.summaries.bin_counts import BinCounts

Pair = tuple[Bins, BinCounts]
"""Bins with the counts of the reference, and those of a sample."""


@dataclass(frozen=True, slots=True)
class Laid:
    """Effective counts of both samples by table and cell; a table with fewer cells than others has empty ones at its end."""

    then: Array
    now: Array
    sizes: Array
    """Effective numbers of rows of both samples, by table."""
    cells: Codes
    """How many cells each table has, as they are tested."""
    apart: dict[int, Tested]
    """The tables that are not plain: cells were joined, rows of a unit are alike, or values came that were never seen."""

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> Laid:
        """Of many pairs; those that share their bins are laid out together."""
        together: dict[int, list[int]] = {}
        for i, (bins, _) in enumerate(pairs):
            together.setdefault(id(bins), []).append(i)
        wide = max((bins.size for bins, _ in pairs), default=0)
        many = len(pairs)
        then, now = np.zeros((many, wide)), np.zeros((many, wide))
        found = cls(then, now, np.zeros((many, 2)), np.zeros(many, np.int64), {})
        for places in together.values():
            held = pairs[places[0]][0]
            plain = found._lay(held, [pairs[i][1] for i in places], np.array(places))
            for i in (i for i, is_plain in zip(places, plain, strict=True) if not is_plain):
                found._put(i, Tested.of(*pairs[i]))
        return found

    def _lay(self, bins: Bins, samples: Sequence[BinCounts], places: Codes) -> Sequence[bool]:
        """Lay out the samples whose cells are tested as they are, and tell which these are."""
        reference = bins.reference
        none = [False] * len(samples)
        if reference is None or reference.buckets is not None or bins.rarer or not reference.effective():
            return none
        if any(len(x.counts) != bins.size for x in samples):
            return none
        counts, first, ordinary = np.stack([x.counts for x in samples]), bins.missing + 1, bins.ordinary
        squares = np.array([x.squares for x in samples])
        total = counts.sum(axis=1)
        plain = np.array([x.buckets is None for x in samples]) & (total > 0) & (squares > 0)
        a, b = reference.counts[None], counts
        if bins.kind == "numbers" and bins.ends:
            # What lies beyond the ends of a continuous column is rare, and is looked at one by one.
            new = counts[:, first:].sum(axis=1)
            plain &= (new == 0) & (not reference.counts[first:].any())
            a, b = a[:, :first], b[:, :first]
        elif bins.alone:
            plain &= counts[:, first] == 0
        if not plain.any():
            return none
        with np.errstate(divide="ignore", invalid="ignore"):
            m = total**2 / squares
            b = b / total[:, None] * m[:, None]
        n = reference.effective()
        a = np.broadcast_to(a / reference.total * n, b.shape)
        plain &= law.as_they_are(a, b, ordinary)
        size = b.shape[1]
        kept = places[plain]
        self.then[kept, :size], self.now[kept, :size] = a[plain], b[plain]
        self.sizes[kept] = np.column_stack([np.full(len(kept), n), m[plain]])
        self.cells[kept] = ordinary + ((a + b)[plain][:, ordinary:] > 0).sum(axis=1)
        return list(plain)

    def _put(self, i: int, table: Tested) -> None:
        size = len(table.groups)
        self.apart[i] = table
        self.then[i, :size], self.now[i, :size] = table.then, table.now
        self.sizes[i], self.cells[i] = table.sizes, size

    @property
    def calmed(self) -> Array:
        """What each part of an index is worth where the counts of the reference spread more than counts do."""
        out = np.ones_like(self.then)
        for i, table in self.apart.items():
            wide = table.spread.tolist()
            if table.groups and max(wide) != 1.0:
                spread = [max(wide[k] for k in group) for group in table.groups]
                out[i, : len(spread)] = law.calming(table.then, table.now, spread)
        return out
