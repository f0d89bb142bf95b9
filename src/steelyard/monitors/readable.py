"""Whether what came can be read at all: a target or a score that nobody can use is an alarm of its own, not a gap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.designs.columns import is_missing
from steelyard.evaluation import Evaluation
from steelyard.monitors.gauges import Gauge, gauge
from steelyard.monitors.labels import Labels, span_text
from steelyard.monitors.signals import Signal
from steelyard.monitors.stream import Stream, Values
from steelyard.monitors.windows import Window
from steelyard.summaries.summary import sort_levels
from steelyard.verdicts import alarm as verdicts
from steelyard.words import count, quoted, significant

if TYPE_CHECKING:
    from steelyard.monitors.judging import Watch

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
            waits = self.waits and not part.labelled.any()
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
    place = 1
    waits = True
    title = "Whether the target can be read"

    def wrong(self, run: Watch) -> list[list[str]]:
        """Values that are no levels, and labels that should be in."""
        absent = _absent(run.parts, run.windows, run.labels, run.wait, run.now)
        e = run.baseline.evaluation
        return [[*_target(part, e), *([why] if why else [])] for part, why in zip(run.parts, absent, strict=True)]


@gauge
class Reading(Readable):
    """Scores, and features that were there."""

    kind = "reading"
    place = 2
    title = "Whether scores and features can be read"

    def wrong(self, run: Watch) -> list[list[str]]:
        """Scores that are none, and columns that have gone."""
        gone = [f"the column {quoted(name)}, which the reference has, is not there" for name in run.vanished]
        return [[*_scores(part, run.baseline.evaluation), *gone] for part in run.parts]


def _some(values: Iterable[Any]) -> str:
    told = sort_levels(set(values))
    names = [significant(v) if isinstance(v, float) else quoted(v) for v in told[:SHOWN]]
    return ", ".join(dict.fromkeys(names)) + (", …" if len(told) > SHOWN else "")


def _target(part: Stream, e: Evaluation | None) -> list[str]:
    name = part.roles.target
    if name is None or e is None or not part.labelled.any():
        return []
    truth = part.columns[name][part.labelled]
    if e.residuals is not None:
        odd = [v for v in _plain(truth) if not _is_number(v)]
        what = "which is no number"
    else:
        known = set(e.levels or ())
        odd = [v for v in _plain(truth) if v not in known]
        what = "which is no level of the reference"
    if not odd:
        return []
    return [f'the target "{name}" holds {_some(odd)}, {what}, in {count(len(odd))} of {count(len(truth))} rows']


def _plain(values: Values) -> list[Any]:
    """Values as Python has them; whole numbers that were held as decimals are whole."""
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in values.tolist()]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _scores(part: Stream, e: Evaluation | None) -> list[str]:
    """Scores that are none: missing in every row, or no chances any more where those of the reference were."""
    out = []
    score = part.roles.score
    names = list(score.values()) if isinstance(score, Mapping) else [] if score is None else [score]
    chances = isinstance(score, Mapping) or (e is not None and e.scores is not None and e.scores.probabilities)
    for name in dict.fromkeys([*names, *([part.roles.prediction] if part.roles.prediction else [])]):
        values = part.columns[name]
        if _all_gone(values):
            out.append(f'"{name}" is missing in every row')
        elif name in names and chances and values.dtype.kind in "fiu":
            off = np.isfinite(values) & ((values < 0) | (values > 1))
            if off.any():
                held = f"{_some(values[off].tolist())} in {count(int(off.sum()))} of {count(part.rows)} rows"
                out.append(f'the score "{name}" was a chance from 0 to 1 in the reference, and is {held}')
    return out


def _all_gone(values: Values) -> bool:
    if values.dtype.kind == "f":
        return not np.isfinite(values).any()
    return values.dtype.kind == "O" and all(is_missing(v) for v in values.tolist())


def _absent(
    parts: Sequence[Stream], made: Sequence[Window], labels: Sequence[Labels], wait: timedelta | None, now: datetime
) -> list[str]:
    """Of every window why it is strange that no label is in; empty where it is not."""
    later = False
    out = [""] * len(parts)
    for i in reversed(range(len(parts))):
        part, held = parts[i], labels[i]
        if part.roles.target is None or not part.rows:
            continue
        if part.labelled.any():
            later = later or held.mature
            continue
        if wait is not None and now >= made[i].end + wait:
            out[i] = f"no row has a label, although {span_text(wait)} have passed since the window ended"
        elif later:
            out[i] = "no row has a label, although those of a later window are in"
    return out
