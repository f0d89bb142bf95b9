"""Several samples of one column against one reference: each with its decision, and all of them bin by bin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.arguments.annotated import as_annotated
from steelyard.errors import UnknownSegment, UsageError, listing, nearest
from steelyard.monitors import law
from steelyard.monitors.never_seen import gathered
from steelyard.tables.tabulation import Cell, Tabulation
from steelyard.views.told import Told
from steelyard.wording import Code, option

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.monitors.stability import Stability


class SampleStabilities(Told, Mapping[str, "Stability"]):
    """The stability of several samples by name; `table()` has counts, shares and parts of the index, bin by bin."""

    as_text: ClassVar[str] = "stability.samples_text"

    def __init__(self, found: Mapping[str, Stability]) -> None:
        self.found: dict[str, Stability] = dict(found)

    @as_annotated()
    def __getitem__(self, name: str) -> Stability:
        if name not in self.found:
            message = f"There is no sample {listing([name])}; there are {listing(self.found)}."
            raise UnknownSegment(message, nearest(name, self.found) or "Name one of these.")
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def table(self) -> Tabulation:
        """A row a bin as it was counted, with nothing merged: rows and share of every sample and its part of the index."""
        sides = {name: gathered(s.bins, s.current) for name, s in self.found.items() if s.current is not None}
        names = list(dict.fromkeys(n for _, _, cells in sides.values() for n in cells))
        before = {n: float(x) for then, _, cells in sides.values() for n, x in zip(cells, then.counts, strict=True)}
        now = {k: dict(zip(cells, map(float, x.counts), strict=True)) for k, (_, x, cells) in sides.items()}
        kept = [n for n in names if before.get(n) or any(counts.get(n) for counts in now.values())]
        total = sum(before.values())
        cells: dict[str, Sequence[Cell]] = {"bin": [*kept, "total"]}
        cells["reference"] = [*(before.get(n, 0.0) for n in kept), total]
        cells["reference_share"] = [*(before.get(n, 0.0) / total for n in kept), 1.0]
        forms = {"reference": "count", "reference_share": "percent"}
        for name, (then, current, own) in sides.items():
            found, _ = law.index_parts(then.counts, current.counts)
            parts, rows = dict(zip(own, map(float, found), strict=True)), float(current.counts.sum())
            counts = [now[name].get(n, 0.0) for n in kept]
            cells[name] = [*counts, rows]
            cells[f"{name}_share"] = [*(n / rows for n in counts), 1.0]
            cells[f"{name}_part"] = [*(parts.get(n, 0.0) for n in kept), sum(parts.values())]
            forms |= {name: "count", f"{name}_share": "percent", f"{name}_part": "fine"}
        note = "Parts: (p − q) ln(p / q) of the shares; their sum is the stability index."
        return Tabulation("samples", "Stability of several samples, by bin", cells, note, forms=forms)

    def chart(self) -> Chart:
        """The reference and every sample as bars, bin by bin, with the parts of the index."""
        from steelyard.views.stability_bars import samples_chart

        return samples_chart(self)

    def frame(self) -> Any:
        """The table as a frame."""
        return self.table().frame()

    def sentences(self) -> list[str]:
        """What is to be said of each sample."""
        return [f"{name}: {s.sentences()[0]}" for name, s in self.found.items()]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return {"samples": {name: s.to_dict() for name, s in self.found.items()}, "table": self.table().to_dict()}


def several(assess: Callable[[Any], Any], samples: Any, current: Any) -> SampleStabilities:
    """Each sample held against the reference; refused where there is none, or where no one column is meant."""
    if samples is not None and current is not None:
        message = f"Both a current sample and {option('samples')} were given."
        raise UsageError(message, "Give one of them.")
    if not samples:
        message = "There is no current sample to hold against the reference."
        raise UsageError(message, f"Pass one, or several by name: {option('samples', Code('{...}'))}.")
    for name in samples:
        if str(name) in {"bin", "reference"}:
            message = f'A sample cannot be called "{name}": the table has a column of that name.'
            raise UsageError(message, "Call it otherwise, for example by its month.")
    found = {str(name): assess(sample) for name, sample in samples.items()}
    if not all(hasattr(s, "bins") and hasattr(s, "index") for s in found.values()):
        message = "Several samples are set side by side for one column, and none was named."
        raise UsageError(message, f"Name one: {option('column', ...)}")
    return SampleStabilities(found)
