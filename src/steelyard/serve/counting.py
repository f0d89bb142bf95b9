"""Counting: the rows of a window and their labels become its summary, by the same code that counts a file of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
import pyarrow as pa

from steelyard.files.writing import sealed
from steelyard.monitors.windowed import CountedWindow
from steelyard.monitors.windowing import asked_of, roles_of, windows
from steelyard.monitors.windows import Window, instant_of, moment
from steelyard.serve import statements as sql
from steelyard.serve.aside import refuse_incomplete
from steelyard.serve.declared import DeclaredModel, length_of
from steelyard.serve.parts import slices_of, window_rows
from steelyard.serve.received import ID, TIME, TYPES
from steelyard.serve.soundness import digest_of
from steelyard.serve.store import Session
from steelyard.serve.taking import labels_of
from steelyard.serve.writer import passed
from steelyard.summaries.window import WindowSummary

SOME = 50_000
"""Rows whose labels are looked up at once."""
KEPT = 20
"""Former counts of a window that are kept."""
LABEL_TIME = "label came"
"""How the moment is called at which a label came here, where labels have no time of their own."""


@dataclass(frozen=True)
class WindowRecord:
    """What the store knows of a window beside its summary."""

    start: int
    stop: int
    name: str
    came: int
    """Changes that came to it."""
    counted: int
    """Of these, how many are in its summary."""
    revision: int
    rows: int
    labelled: int
    baseline: str | None
    over: int
    """1 where it was over when it was counted."""
    closed: int | None
    """When its rows went."""
    digest: str | None
    """Of its summary, by which two counts are told apart."""

    @property
    def waits(self) -> bool:
        """Whether something came that is not in its summary."""
        return self.came > self.counted

    def to_dict(self, model: DeclaredModel) -> dict[str, Any]:
        """As plain JSON values."""
        at = {
            "start": moment(self.start).astimezone(model.zone).isoformat(),
            "end": moment(self.stop).astimezone(model.zone).isoformat(),
        }
        told = {"rows": self.rows, "labelled": self.labelled, "revision": self.revision, "baseline": self.baseline}
        closed = None if self.closed is None else moment(self.closed).isoformat()
        return {"name": self.name, **at, **told, "counted": not self.waits, "closed": closed}


def windows_known(session: Session, stream: int) -> list[WindowRecord]:
    """All windows of a stream, in order."""
    return [WindowRecord(*row) for row in session.all(sql.WINDOWS, stream)]


def joined(session: Session, model: DeclaredModel, table: pa.Table) -> pa.Table:
    """Rows with their moments as such, and with the labels that are there."""
    said = model.said
    columns: dict[str, Any] = {said.id: table[ID], said.time: table[TIME].cast(pa.timestamp("us", "UTC"))}
    columns |= {name: table[name] for name in model.columns if name in table.column_names}
    if model.target is not None:
        said_of, came = [], []
        for at in range(0, table.num_rows, SOME):
            ids = table[ID].slice(at, SOME).to_pylist()
            known = labels_of(session, model.name, ids)
            read = {text: msgspec.json.decode(text) for _, text in known.values()}
            mine = [known.get(name) for name in ids]
            told = [None if x is None else read[x[1]] for x in mine]
            said_of.append(pa.array(told, TYPES[model.labels[model.target]]))
            came.append(pa.array([None if x is None else x[0] for x in mine], pa.timestamp("us", "UTC")))
        columns[model.target] = pa.concat_arrays(said_of)
        columns[said.label_time or LABEL_TIME] = pa.concat_arrays(came)
    return pa.table(columns)


def counted_window(
    model: DeclaredModel, version: str, name: str, ends: tuple[int, int], rows: Iterable[pa.Table] = ()
) -> CountedWindow:
    """The rows of one window, each slice counted as `sy.windows` counts it, and added."""
    base = model.baseline
    assert base is not None
    window = Window(name, *(moment(x).astimezone(model.zone) for x in ends))
    late = None if model.target is None else model.said.label_time or LABEL_TIME
    asked = asked_of(base, roles_of(base, model.said.time, late))
    facts: dict[str, Any] = {"asked": asked, "source": f"{model.name} {version}", "model": f"{model.name} {version}"}
    summary = WindowSummary()
    for table in rows:
        (one,) = windows(table, time=model.said.time, baseline=base, label_time=late, missing="drop")
        summary += one.summary
    return CountedWindow(window, summary, str(base.asked["window"]), str(base.asked["zone"]), base.hash, **facts)


def count_window(session: Session, model: DeclaredModel, version: str, stream: int, start: int) -> Recount | None:
    """A window counted as of one moment; None where it is not there, or its rows are gone."""
    found = session.one(sql.WINDOW, stream, start)
    if found is None or found[9] is not None:
        return None
    refuse_incomplete(session, stream, start)
    name, stop, came = str(found[0]), int(found[1]), int(found[2])
    slices = slices_of(session, stream, start, len(model.columns))
    tables = window_rows(session, stream, start, slices)
    rows = (joined(session, model, table) for table in tables if table is not None)
    return Recount(stream, start, came, counted_window(model, version, name, (start, stop), rows))


@dataclass(frozen=True)
class Recount:
    """A window as it was just counted, and up to which change."""

    stream: int
    start: int
    came: int
    window: CountedWindow

    def write(self, session: Session, now: datetime, lateness: int) -> bool:
        """Put it in the place of the former count, which goes to the history where the window was over by then."""
        found = session.one(sql.WINDOW, self.stream, self.start)
        if found is None or found[9] is not None or int(found[3]) >= self.came:
            return False
        revision, was_over, digest, body = int(found[4]), bool(found[8]), found[10], found[11]
        w = self.window
        new = sealed(w.to_dict()).encode()
        changed = bool(digest_of(new) != digest)
        if changed and body is not None and was_over:
            session.do(sql.ADD_HISTORY, self.stream, self.start, revision, instant_of(now), bytes(body))
            session.do(sql.TRIM_HISTORY, self.stream, self.start, revision - KEPT)
            revision += 1
        over = int(instant_of(w.window.end) + lateness <= instant_of(now))
        facts = (self.came, max(1, revision), w.rows, w.labelled, w.baseline, over, digest_of(new), new)
        session.do(sql.SET_WINDOW, *facts, self.stream, self.start, self.came)
        passed("window counted")
        return changed


def microseconds(length: str | None) -> int:
    """A length of time as it is kept."""
    found = length_of(length)
    return 0 if found is None else round(found.total_seconds() * 1_000_000)
