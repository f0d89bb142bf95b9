"""What was asked of a monitor against what its saved reference was made for: the same, less and said so, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.stream import StreamRoles
from steelyard.monitors.variation import Variation
from steelyard.monitors.volume import Volume
from steelyard.summaries.segments import Segments
from steelyard.wording import option

PARTS = ("target", "score", "prediction", "weight", "unit")
"""Columns that must play the same part as in the reference."""
THRESHOLD = 0.5


def asked_for(roles: StreamRoles, window: str, zone: str) -> dict[str, Any]:
    """What a baseline was made for, as plain JSON values."""
    parts = {name: _plain(getattr(roles, name)) for name in PARTS} | {"window": window, "zone": zone}
    return parts if roles.segment is None else parts | {"segment": roles.segment}


def _plain(part: object) -> Any:
    return {str(k): v for k, v in part.items()} if isinstance(part, Mapping) else part


def refuse_needless(roles: StreamRoles, given: Mapping[str, Any]) -> None:
    """Refuse what can change nothing: whatever is about outcomes where no outcome is watched."""
    idle = [name for name, value in given.items() if value is not None]
    if roles.target is None and idle:
        message = f"{option(idle[0])} is about how right predictions are, and no target was named."
        hint = f"Say {option('target')}, the column of what really happened, or leave {option(idle[0])} out."
        raise UsageError(message, hint)


def agreed(
    baseline: Baseline, roles: StreamRoles, options: Mapping[str, Any], window: str, zone: str, *, everything: bool
) -> tuple[Baseline, tuple[str, ...], list[str]]:
    """A saved reference as this run needs it, features that have vanished, and what is to be said of parts that are not used.

    A column in another part, another positive level, threshold or kind than the reference was counted with is refused: its sums
    cannot be counted anew.
    """
    made, notes = baseline.asked, list[str]()
    vanished: tuple[str, ...] = ()
    for name in PARTS if made else ():
        then, now = made[name], _plain(getattr(roles, name))
        if name == "target" and now is None and then is not None:
            continue
        if then != now:
            message = (
                f"The baseline ({baseline.source}) was made with {_told(name, then)}, and {_told(name, now)} came."
            )
            hint = f"Say {option(name)} as then, or make the baseline again from the reference rows."
            raise UsageError(message, hint)
    baseline, said = _segments_agreed(baseline, roles)
    notes += said
    if roles.target is None and baseline.evaluation is not None:
        notes.append("No target was named: performance, which the baseline knows, is not watched.")
        baseline = replace(baseline, evaluation=None, losses={}, timeliness=None)
    if baseline.evaluation is not None:
        _refuse_others(baseline, options)
    spared = [name for name in baseline.features if name not in roles.features]
    if spared and everything:
        vanished = tuple(spared)
    elif spared:
        notes.append(f"Not watched, since they were not asked for: {listing(spared)}, which the baseline knows too.")
    # One that is used as it was saved keeps its hash, which takes time to make of much.
    if spared:
        baseline = replace(baseline, features={k: b for k, b in baseline.features.items() if k not in spared})
    for name in roles.outputs:
        if baseline.outputs and name not in baseline.outputs:
            message = f'The baseline ({baseline.source}) does not know the output "{name}".'
            hint = f"It knows {listing(baseline.outputs)}; make it again where a column has a new name."
            raise NotAvailable(message, hint)
    if set(baseline.outputs) - set(roles.outputs):
        baseline = replace(baseline, outputs={k: b for k, b in baseline.outputs.items() if k in roles.outputs})
    if made and (made["window"], made["zone"]) != (window, zone):
        notes.append(
            f"The baseline was made with windows of {made['window']} ({made['zone']}): how such windows differ, and how many rows "
            "they have, is not used for these."
        )
        baseline = replace(baseline, variation=Variation(), volume=Volume(), quiet=0)
    return baseline, vanished, notes


def _segments_agreed(baseline: Baseline, roles: StreamRoles) -> tuple[Baseline, list[str]]:
    """The baseline with the segments that are asked for, which it must know, or without any."""
    e, then = baseline.evaluation, baseline.asked.get("segment", roles.segment)
    if roles.segment is None:
        if e is None or not e.segments:
            return baseline, []
        told = "Not watched, since they were not asked for: segments, which the baseline knows."
        return replace(baseline, evaluation=replace(e, segments=Segments())), [told]
    if e is not None and e.segments and then == roles.segment:
        return baseline, []
    knows = "without segments" if e is None or not e.segments else f"with the segments of {listing([then])}"
    message = f"The baseline ({baseline.source}) was made {knows}, and {option('segment', roles.segment)} came."
    raise UsageError(message, "Leave it out, or make the baseline again from the reference rows with these segments.")


def _told(name: str, part: object) -> str:
    if part is None:
        return f"no {name}"
    return f"the {name} {listing(part.values() if isinstance(part, Mapping) else [part])}"


def _refuse_others(baseline: Baseline, options: Mapping[str, Any]) -> None:
    e = baseline.evaluation
    assert e is not None
    kind = "continuous" if e.residuals is not None else "labels"
    held = {"positive": e.positive, "threshold": e.threshold, "kind": kind}
    again = "Leave it out, or make the reference again from rows."
    for name, then in held.items():
        now = options[name]
        if now is None or now == then:
            continue
        knows = f"has {name} {listing([then])}" if then is not None else f"has no {name}"
        message = f"The reference ({baseline.source}) {knows}, and {option(name, now)} came."
        raise UsageError(message, again)
