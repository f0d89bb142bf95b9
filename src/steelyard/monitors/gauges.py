"""What gives signals: one class for each kind, with all that is known of it; a file that holds one is found by being there."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steelyard.evaluate import evaluate
from steelyard.evaluation import Evaluation
from steelyard.files.marking import marking_modules
from steelyard.monitors.signals import Signal, at_level, gap, held
from steelyard.verdicts.alarm import IMMATURE, INSUFFICIENT, NODATA
from steelyard.verdicts.enough import CaseCount, too_few
from steelyard.words import bracketed, estimate_parts

if TYPE_CHECKING:
    from steelyard.monitors.judging import Watch
    from steelyard.monitors.result import Monitor
    from steelyard.monitors.stream import Stream, Values
    from steelyard.views.tables import SmallTable

_gauges: dict[str, Gauge] = {}


class Gauge:
    """What gives the signals of one kind, and answers for them: what it asks of rows, how it is judged, how it is told.

    An ordinary one says `of_rows`: a truth value of each row, whose share is watched, or a number, whose mean is. That of a window
    is held against that of the reference, by the interval of the difference and the margin. Others say `names` and `judge`.
    """

    kind: ClassVar[str] = ""
    """Its word in frames and saved files, and the name of its signal where there is but one."""
    called: ClassVar[str] = ""
    """What tables call it, its kind where nothing is said."""
    question: ClassVar[str] = ""
    """The heading of its section on the page; without one it has none."""
    anchor: ClassVar[str] = ""
    """Where the section is, its kind where nothing is said."""
    needs: ClassVar[str] = ""
    """What the section says where nothing of it is watched; without it there is no section then."""
    place: ClassVar[int] = 8
    """Where its signals stand among those of a window; those before are judged before."""
    of_model: ClassVar[bool] = True
    """Whether calm says something of the model; that rows came, or can be read, does not."""
    about: ClassVar[str] = "data"
    """Which part of a model's life it is about: "data", "scores", "model", "labelling", "values" or "delivery"."""
    waits: ClassVar[bool] = False
    """Whether it waits for labels."""
    dated: ClassVar[bool] = True
    """Whether the delays of labels tell when a window of it should be judged at the latest."""
    better: ClassVar[str] = "lower"
    """Which end is better, "higher" or "lower"."""
    against: ClassVar[bool] = True
    """Whether it is told and drawn against a value of the reference."""
    title: ClassVar[str] = "{name} over time"
    """The title of its chart; {name} is that of the signal, {period} how long customers are followed."""
    axis: ClassVar[str] = "{name}"
    """What its chart shows upright."""
    least: ClassVar[float | None] = None
    """Where the chart begins at zero, the least value that it reaches."""
    limits: ClassVar[tuple[tuple[float, str], ...]] = ()
    """Levels that are drawn where it is not held against the reference, and their words."""

    # What it asks of rows --------------------------------------------------------------------------------------------
    def of_rows(self, rows: Stream) -> Values | None:
        """A truth value or a number of each row; None where these rows do not tell, or where it is judged in another way."""
        return None

    def kept(self, rows: Stream) -> Evaluation | None:
        """What is counted of rows, and kept of those of the reference: only sums."""
        found = self.of_rows(rows)
        if found is None:
            return None
        r = rows.roles
        facts: dict[str, Any] = {"weight": rows.column(r.weight), "unit": rows.column(r.unit)}
        if found.dtype.kind == "b":
            return evaluate(target=found, prediction=found, positive=True, levels=[False, True], **facts)
        return evaluate(target=np.zeros(rows.rows), prediction=found, kind="continuous", **facts)

    # How it is judged ------------------------------------------------------------------------------------------------
    def names(self, run: Watch) -> list[str]:
        """The names of its signals in a run; none where it cannot be watched."""
        return [self.kind] if self.kind in run.baseline.kept else []

    def share(self, run: Watch) -> int:
        """How many signals the budget counts for it; many columns that share one level are one."""
        return len(self.names(run))

    def in_a_row(self, name: str, run: Watch) -> int:
        """So many windows in a row fire its alarm; looks at any time need no second one."""
        return run.consecutive if run.mode == "windows" else 1

    def judge(self, run: Watch, before: Sequence[Sequence[Signal]]) -> list[list[Signal]]:
        """The signals of every window; `before` has those of gauges that stand before it."""
        silent = self.silent(run)
        return [self.window(run, i) if silent and part.rows else list(silent) for i, part in enumerate(run.parts)]

    def silent(self, run: Watch) -> list[Signal]:
        """Its signals in a window without rows."""
        return [Signal(name, self.kind, NODATA, "no rows came") for name in self.names(run)]

    def window(self, run: Watch, i: int) -> list[Signal]:
        """Its signals in one window that has rows."""
        reference, labels, alpha = run.baseline.kept[self.kind], run.labels[i], run.level(i)
        name = "prevalence" if reference.residuals is None else "bias"
        evidence = run.parts[i].kept.get(self.kind)
        if evidence is None:
            return [Signal(self.kind, self.kind, INSUFFICIENT, "these rows do not tell", alpha=alpha)]
        found = Evaluation(evidence, reference.threshold, facts=reference.facts)
        value, base = (e.measure(name).renamed(measure=self.kind) for e in (found, reference))
        facts: dict[str, Any] = {"value": value, "reference": base.value, "alpha": alpha}
        few = too_few([CaseCount(e.rows, "row") for e in (found, reference)])
        if few or (self.waits and not labels.mature):
            word, why = (INSUFFICIENT, few) if few else (IMMATURE, labels.reason)
            return [Signal(self.kind, self.kind, word, why, **facts)]
        d = gap(found, at_level(reference, alpha), name, None, alpha)
        if d.low is None:
            return [Signal(self.kind, self.kind, INSUFFICIENT, d.note or "no interval", difference=d, **facts)]
        return [held(self.kind, self.kind, d, run.margin, self.better, **facts)]

    # How it is told --------------------------------------------------------------------------------------------------
    def value_text(self, signal: Signal) -> str:
        """A value with its interval; one told without labels is marked."""
        x = signal.value
        if x is None or x.value is None:
            return "n/a"
        value, low, high = estimate_parts(x.value, x.low, x.high)
        early = signal.state == IMMATURE and not signal.estimated
        return f"{'≈ ' if signal.estimated else ''}{value} {bracketed(low, high)}".rstrip() + (
            " so far" if early else ""
        )

    def edge(self, monitor: Monitor, name: str, base: float) -> float:
        """Where the margin ends that the reference's value leaves."""
        return base + (1 if self.better == "lower" else -1) * monitor.margin * abs(base)

    def sentences(self, monitor: Monitor) -> list[str]:
        """What else is to be said of it."""
        return []

    def remarks(self, run: Watch) -> list[str]:
        """What a note is to say of what it cannot watch."""
        return []

    def tables(self, monitor: Monitor, most: int | None) -> list[SmallTable]:
        """Tables of its own, of at most so many windows."""
        return []


def gauge(cls: type[Gauge]) -> type[Gauge]:
    """Mark a class as one whose signals are watched."""
    _gauges[cls.kind] = cls()
    return cls


@cache
def _load() -> None:
    """Import the files of this room that mark a gauge, and no others."""
    for module in marking_modules("steelyard.monitors", "@gauge"):
        importlib.import_module(module)


def gauges() -> dict[str, Gauge]:
    """Every gauge by its kind, in the order in which windows tell of them.

    >>> list(gauges())
    ['volume', 'labels', 'reading', 'performance', 'by segment', 'timeliness', 'output', 'feature']
    """
    _load()
    return dict(sorted(_gauges.items(), key=lambda item: (item[1].place, item[0])))
