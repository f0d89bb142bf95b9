"""Windows that were counted elsewhere: held against the model, and put beside those that are counted here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from steelyard.errors import SteelyardError
from steelyard.files.writing import sealed, unpacked_bytes
from steelyard.monitors.monitor import monitor
from steelyard.monitors.windowed import BROKEN, CountedWindow, Windows
from steelyard.monitors.windows import instant_of
from steelyard.serve import statements as sql
from steelyard.serve.counting import KEPT, counted_window
from steelyard.serve.declared import DeclaredModel
from steelyard.serve.problems import Problem
from steelyard.serve.received import AHEAD
from steelyard.serve.soundness import digest_of
from steelyard.serve.store import Session
from steelyard.serve.taking import Taken, stream_of, windows_of
from steelyard.serve.writer import passed
from steelyard.words import count

MOST_UNPACKED = 128 << 20
ELSEWHERE = "sent, counted from "
"""How the source of such a window begins."""


def given_windows(
    told: Sequence[Mapping[str, Any]], model: DeclaredModel, version: str, now: datetime
) -> list[CountedWindow]:
    """Windows as they were sent, each one of the model's and against its baseline; all of them can be judged."""
    base = model.baseline
    if base is None:
        raise Problem(409, "no_baseline", f'The model "{model.name}" has no baseline yet.', "Send one with the model.")
    if unpacked_bytes({"windows": told}) > MOST_UNPACKED:
        detail = f"These windows would unpack to more than {MOST_UNPACKED >> 20} MiB."
        raise Problem(413, "decoded", detail, "Send fewer at once.")
    found = [_one(place, data, model, version, now) for place, data in enumerate(told, 1)]
    try:
        monitor(Windows(found), reference=base, now=now.isoformat(), **model.judged_by())
    except SteelyardError as problem:
        raise Problem(422, "window", str(problem.message), str(problem.hint)) from None
    except BROKEN:
        raise Problem(422, "window", "What was counted of these windows cannot be judged.", RECOUNT) from None
    return found


RECOUNT = "Count it again with sy.windows against the baseline of the model, and send the file."


def _one(place: int, data: Mapping[str, Any], model: DeclaredModel, version: str, now: datetime) -> CountedWindow:
    plain = {k: v for k, v in data.items() if k != "seal"}
    if not plain or json.loads(sealed(plain))["seal"] != data.get("seal"):
        raise Problem(422, "seal", f"The window in place {place} was changed after it was saved.", RECOUNT)
    try:
        w = CountedWindow.from_dict(plain)
    except SteelyardError as problem:
        raise Problem(422, "window", str(problem.message), str(problem.hint)) from None
    except BROKEN:
        raise Problem(422, "window", f"What stands in place {place} is no saved window.", RECOUNT) from None
    assert model.baseline is not None
    if w.baseline != model.baseline.hash:
        detail = f"The window {w.name} was counted against another baseline than that of the model."
        raise Problem(409, "baseline", detail, "Count it against the baseline that GET …/baseline gives.")
    start, stop = instant_of(w.window.start), instant_of(w.window.end)
    starts, known = windows_of(np.array([start]), model)
    if int(starts[0]) != start or known[start][0] != stop:
        detail = f"{w.window.start.isoformat()} to {w.window.end.isoformat()} is no window of this model."
        raise Problem(
            422, "window", detail, f"Its windows are of one {model.asked['window']} in {model.asked['zone']}."
        )
    if w.window.start > now + AHEAD:
        raise Problem(422, "future", f"The window {w.name} lies in the future.", "Look at the clock that counted it.")
    ends = [x for x in (w.summary.first, w.summary.last) if x is not None]
    if any(not start <= x < stop for x in ends) or (w.summary.latest or 0) > instant_of(now + AHEAD):
        detail = f"The window {w.name} has rows or labels of another time."
        raise Problem(422, "window", detail, RECOUNT)
    like = counted_window(model, version, known[start][1], (start, stop))
    return replace(like, summary=w.summary, until=w.until, source=f"{ELSEWHERE}{w.source}"[:300])


def put_windows(
    session: Session, model: DeclaredModel, version: str, found: Sequence[CountedWindow], now: int
) -> Taken:
    """Keep windows; one that is there already with the same counts changes nothing, with others it is a revision."""
    stream, out = stream_of(session, model.name, version), Taken()
    for w in found:
        _put(session, stream, w, now, out)
    passed("windows given")
    return out


def _put(session: Session, stream: int, window: CountedWindow, now: int, out: Taken) -> None:
    start, stop = instant_of(window.window.start), instant_of(window.window.end)
    known, revision = session.one(sql.WINDOW, stream, start), 1
    if known is not None:
        before = None if known[11] is None else CountedWindow.from_dict(json.loads(bytes(known[11])))
        if known[9] is None or before is None or not before.source.startswith(ELSEWHERE):
            detail = f"Rows of the window {window.name} came here and were counted here."
            raise Problem(409, "rows_here", detail, "Send a window, or its rows, and not both.")
        same = replace(before, until=window.until, source=window.source) == window
        out.duplicates += int(same)
        out.replaced += int(not same)
        if same:
            return
        session.do(sql.ADD_HISTORY, stream, start, int(known[4]), now, bytes(known[11]))
        revision = int(known[4]) + 1
        session.do(sql.TRIM_HISTORY, stream, start, revision - 1 - KEPT)
    else:
        out.accepted += 1
    body = sealed(window.to_dict()).encode()
    facts = (revision, window.rows, window.labelled, window.baseline, now, digest_of(body), body)
    session.do(sql.PUT_WINDOW, stream, start, stop, window.name, *facts)


def told_of(out: Taken) -> str:
    """What is put down of it."""
    return f"{count(out.accepted)} windows, {count(out.replaced)} counted anew, {count(out.duplicates)} as they were"
