"""Whether what came can be read at all: a target or a score that nobody can use is an alarm of its own, not a gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from steelyard.designs.columns import is_missing
from steelyard.evaluation import Evaluation
from steelyard.monitors.labels import Labels, span_text
from steelyard.monitors.signals import LABELLING, READING, Signal
from steelyard.monitors.stream import Stream, Values
from steelyard.monitors.windows import Window
from steelyard.summaries.summary import sort_levels
from steelyard.verdicts import alarm as verdicts
from steelyard.words import count, quoted, significant

SHOWN = 3
"""Values that are named."""


def readings(
    parts: Sequence[Stream],
    made: Sequence[Window],
    labels: Sequence[Labels],
    e: Evaluation | None,
    waits: tuple[timedelta | None, datetime],
    vanished: Sequence[str] = (),
) -> list[list[Signal]]:
    """Of every window whether its labels, and its scores and features, can be read; nothing where all of them always can.

    `waits` are how long labels are waited for, and the moment of the run.
    """
    absent = _absent(parts, made, labels, *waits)
    gone = [f"the column {quoted(name)}, which the reference has, is not there" for name in vanished]
    target = [[*_target(part, e), *([why] if why else [])] for part, why in zip(parts, absent, strict=True)]
    rest = [[*_scores(part, e), *gone] for part in parts]
    told = [_signals(LABELLING, target, parts), _signals(READING, rest, parts)]
    return [list(here) for here in zip(*(x for x in told if x), strict=True)] or [[] for _ in parts]


def _signals(name: str, found: Sequence[Sequence[str]], parts: Sequence[Stream]) -> list[Signal]:
    if not any(found):
        return []
    out = []
    for part, why in zip(parts, found, strict=True):
        waits = name == LABELLING and not part.labelled.any()
        verdict, clears = verdicts.readable(why, rows=bool(part.rows), waits=waits)
        out.append(Signal(name, name, verdict.word, verdict.reason, clears=clears))
    return out


def _some(values: Any) -> str:
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


def _is_number(value: Any) -> bool:
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
