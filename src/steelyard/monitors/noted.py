"""What is to be said beside a stability index: cells that were merged, values never seen, rows that tell less than they are."""

from __future__ import annotations

from steelyard.monitors.bins import Bins
from steelyard.monitors.tested import Tested
from steelyard.monitors.uncounted import why_not
from steelyard.summaries.bin_counts import BinCounts
from steelyard.words import count, percent, quoted, shortest


def notes_of(bins: Bins, current: BinCounts, table: Tested | None, n: float, m: float, *, halved: bool) -> list[str]:
    """What is to be said of the cells and the rows, in sentences; without a `table` the cells were tested as they are."""
    out = []
    size = bins.size if table is None else len(table.names)
    if table is not None:
        groups = table.groups
        before = size - len(set(range(bins.ordinary, size)).difference(*groups))
        if len(groups) < before:
            into = "one" if len(groups) == 1 else str(len(groups))
            out.append(f"{before} cells were merged to {into}, so that at least 5 rows are to be expected in each.")
    if halved:
        out.append("A cell is empty in one sample: for the index ½ was added to every count of both.")
    blind = why_not(bins)
    if blind:
        out.append(f"{blind[0].upper()}{blind[1:]}.")
    out += _unseen(bins, current, told=size > bins.missing + 1)
    for name, rows, worth in (("reference", bins.reference, n), ("current sample", current, m)):
        if rows is not None and worth < 0.995 * rows.rows:
            out.append(f"The {rows.rows:,} rows of the {name} tell as much as {count(round(worth))} independent ones.")
    if n < 10 * m:
        out.append(
            "The reference is less than ten times the current sample; compared with many windows, its own chance error "
            "recurs in each."
        )
    return out


def _unseen(bins: Bins, current: BinCounts, *, told: bool) -> list[str]:
    """What the current sample has and the reference never had, where that is a cell of its own."""
    if not current.unseen or not told:
        return []
    if bins.kind == "levels":
        named = ", ".join(quoted(v) for v in current.unseen[:5])
        return [f"New levels, which the reference does not have: {named}{', …' if len(current.unseen) > 5 else ''}."]
    new = current.counts[bins.missing + 1 :]
    span = " to ".join(dict.fromkeys(shortest(float(v)) for v in current.unseen))
    ends = " to ".join(dict.fromkeys(shortest(v) for v in bins.ends))
    where = f"the reference has {'only ' if len(bins.known) == 1 else ''}{ends}"
    share = percent(float(new.sum()) / current.total)
    return [f"Numbers that the reference never had: {span}, in {share} of the rows ({where})."]
