"""A curve that leaves the house: named columns of points, and how they are drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.arguments.annotated import as_annotated
from steelyard.results.frames import make_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from steelyard.charts.marks import Chart


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of a curve as named columns, with a band where one exists.

    >>> Curve("roc", {"fpr": [0.0, 1.0], "tpr": [0.0, 1.0]}).columns["tpr"]
    [0.0, 1.0]
    """

    name: str
    columns: Mapping[str, Sequence[float | None]]
    confidence: float = 0.95
    method: str = ""
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What a picture of it tells beside the points: the threshold in force, the share of positives, the area."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def frame(self) -> Any:
        """The points as a frame of whichever library is installed (pandas, Polars, PyArrow)."""
        return make_frame({k: list(v) for k, v in self.columns.items()})

    def __str__(self) -> str:
        return f"The curve {self.name}, {len(self):,} points: {', '.join(self.columns)}"

    def __repr__(self) -> str:
        return f"<Curve {self.name}: {len(self):,} points of {', '.join(self.columns)[:200]}>"

    def chart(self) -> Chart:
        """As a chart: marks over two scales."""
        from steelyard.charts.curves import curve_chart

        return curve_chart(self)

    def svg(self) -> str:
        """As SVG that needs nothing else."""
        return self.chart().svg()

    @as_annotated()
    def png(self, path: str | os.PathLike[str] | None = None, scale: float = 2.0) -> bytes:
        """As PNG; written to a file where one is named."""
        return self.chart().png(path, scale)

    def vega(self) -> dict[str, Any]:
        """As a Vega-Lite dictionary."""
        return self.chart().vega()

    def plot(self, ax: Axes | None = None) -> Any:
        """Into matplotlib axes, one's own or new ones."""
        return self.chart().plot(ax)

    def _repr_html_(self) -> str:
        return str(self.chart()._repr_html_())

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self) | {"facts": dict(self.facts), "columns": {k: list(v) for k, v in self.columns.items()}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Curve:
        """Read back what `to_dict` wrote."""
        return cls(**data)
