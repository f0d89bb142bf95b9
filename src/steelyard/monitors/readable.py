"""Whether what came can be read at all: a target or a score that nobody can use is an alarm of its own, not a gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.monitors.gauges import Gauge, gauge
from steelyard.monitors.labels import span_text
from steelyard.monitors.signals import Signal
from steelyard.summaries.summary import sort_levels
from steelyard.verdicts import alarm as verdicts
from steelyard.words import count, quoted, significant

if TYPE_CHECKING:
    from steelyard.monitors.judging import Watch
    from steelyard.summaries.window import WindowSummary

LABELLING = "labels"
SHOWN = 3
"""Values that are named."""


class Readable(Gauge):
    """Whether something can be read at all; told only where something is wrong."""

    called = "can be read"
    of_model = False
    against = False
    axis = "can be read"

    def names(self, run: Watch) -> list[str]:
        """One, whether it is told or not: no column may be called like it."""
        return [self.kind]

    def share(self, run: Watch) -> int:
        """What cannot be read is no matter of chance."""
        return 0

    def in_a_row(self, name: str, run: Watch) -> int:
        """What cannot be read is no matter of chance."""
        return 1

    def wrong(self, run: Watch) -> list[list[str]]:
        """Of every window what cannot be read."""
        raise NotImplementedError

    def judge(self, run: Watch, before: Sequence[Sequence[Signal]]) -> list[list[Signal]]:
        """An alarm with what cannot be read; nothing where all can in all windows."""
        found = self.wrong(run)
        if not any(found):
            return [[] for _ in run.parts]
        out = []
        for part, why in zip(run.parts, found, strict=True):
            waits = self.waits and not part.labelled
            verdict, clears = verdicts.readable(why, rows=bool(part.rows), waits=waits)
            out.append([Signal(self.kind, self.kind, verdict.word, verdict.reason, clears=clears)])
        return out

    def value_text(self, signal: Signal) -> str:
        """Yes or no."""
        return "n/a" if signal.state == verdicts.NODATA else "no" if signal.state == verdicts.ALARM else "yes"


@gauge
class Labelling(Readable):
    """The target: levels that the reference has, and labels that are there in time."""

    kind = LABELLING
    about = "labelling"
    place = 1
    waits = True
    title = "Whether the target can be read"

    def wrong(self, run: Watch) -> list[list[str]]:
        """Values that are no levels, and labels that should be in."""
        absent = _absent(run)
        return [
            [*unread_target(run, part), *([why] if why else [])] for part, why in zip(run.parts, absent, strict=True)
        ]


@gauge
class Reading(Readable):
    """Scores, and features that were there."""

    kind = "reading"
    about = "values"
    place = 2
    title = "Whether scores and features can be read"

    def wrong(self, run: Watch) -> list[list[str]]:
        """Scores that are none, and columns that have gone."""
        gone = [f"the column {quoted(name)}, which the reference has, is not there" for name in run.vanished]
        return [[*_scores(part), *gone] for part in run.parts]


def _some(values: Iterable[Any]) -> str:
    told = sort_levels(set(values))
    names = [significant(v) if isinstance(v, float) else quoted(v) for v in told[:SHOWN]]
    return ", ".join(dict.fromkeys(names)) + (", …" if len(told) > SHOWN else "")


def unread_target(run: Watch, part: WindowSummary) -> list[str]:
    """Targets that are none, in words; nothing where all can be read."""
    e = run.baseline.evaluation
    if e is None or not part.odd.count:
        return []
    what = "which is no number" if e.residuals is not None else "which is no level of the reference"
    rows = f"in {count(part.odd.count)} of {count(part.labelled)} rows"
    return [f'the target "{run.target}" holds {_some(part.odd.values)}, {what}, {rows}']


def _scores(part: WindowSummary) -> list[str]:
    """Scores that are none: missing in every row, or no chances any more where those of the reference were."""
    out = []
    for name, there in part.present.items():
        off = part.beyond.get(name)
        if not there:
            out.append(f'"{name}" is missing in every row')
        elif off is not None and off.count:
            held = f"{_some(off.values)} in {count(off.count)} of {count(part.rows)} rows"
            out.append(f'the score "{name}" was a chance from 0 to 1 in the reference, and is {held}')
    return out


def _absent(run: Watch) -> list[str]:
    """Of every window why it is strange that no label is in; empty where it is not."""
    later = False
    out = [""] * len(run.parts)
    for i in reversed(range(len(run.parts))):
        part, held = run.parts[i], run.labels[i]
        if run.target is None or not part.rows:
            continue
        if part.labelled:
            later = later or held.mature
            continue
        if run.wait is not None and run.now >= run.windows[i].end + run.wait:
            out[i] = f"no row has a label, although {span_text(run.wait)} have passed since the window ended"
        elif later:
            out[i] = "no row has a label, although those of a later window are in"
    return out
