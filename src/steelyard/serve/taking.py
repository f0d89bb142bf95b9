"""Taking rows and labels in: each once, whatever is sent again, and the windows that they change marked as such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import lru_cache
from typing import Any, Literal

import msgspec
import numpy as np
import pyarrow as pa

from steelyard.monitors.windows import DAY, Instants, WindowSpan, boundaries, moment, names_of_windows
from steelyard.results import Codes
from steelyard.serve import statements as sql
from steelyard.serve.aside import taken_again
from steelyard.serve.declared import NAME, DeclaredModel, is_short
from steelyard.serve.parts import (
    SMALL,
    Pending,
    listed,
    new_part,
    opened,
    order_of,
    rows_of,
    values_of,
    without,
    write_part,
)
from steelyard.serve.problems import Problem, RowError
from steelyard.serve.received import ARM, Received
from steelyard.serve.store import Session
from steelyard.serve.writer import Apart, passed

Mode = Literal["strict", "partial"]
OnConflict = Literal["refuse", "keep", "replace", "version"]
TOLD = 100
"""Errors of rows that are told one by one."""
MOST_VERSIONS = 10
"""Versions of a model that one version may become by rows with other values, itself among them."""
SOME_DAYS = 28
"""Days whose windows are named together, where windows are no shorter than an hour."""


@dataclass
class Taken:
    """What became of the rows of a request."""

    accepted: int = 0
    duplicates: int = 0
    replaced: int = 0
    errors: list[RowError] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    """How many of the accepted went to other versions, since they have other values."""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        counts = {"accepted": self.accepted, "duplicates": self.duplicates, "replaced": self.replaced}
        return {
            **counts,
            **({"versions": self.versions} if self.versions else {}),
            "rejected": len({e.row for e in self.errors}),
            "errors": [e.to_dict() for e in self.errors[:TOLD]],
        }


def refuse_some(errors: Sequence[RowError], rows: int, status: int = 422) -> Problem:
    """The problem of a request of which every row should be taken, and some cannot be."""
    bad = len({e.row for e in errors})
    detail = f"{bad:,} of {rows:,} rows cannot be used, so that none was taken."
    told = [e.to_dict() for e in errors[:TOLD]]
    return Problem(
        status, "rows" if status == 422 else "conflict", detail, "Mend them, or send with mode=partial.", errors=told
    )


def stream_of(session: Session, model: str, version: str) -> int:
    """The number of a stream; a new one where it is the first time that it is named."""
    found = session.one(sql.STREAM, model, version)
    if found is None:
        session.do(sql.ADD_STREAM, model, version)
        found = session.one(sql.STREAM, model, version)
    assert found is not None
    return int(found[0])


# Predictions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Wanted:
    """What is to be written of one version: rows, the windows that they are of, and what they take the place of."""

    version: str
    stream: int
    rows: Received
    starts: Instants
    windows: Mapping[int, tuple[int, str]]
    replaced: Mapping[str, int]


def take_rows(
    session: Session,
    model: DeclaredModel,
    version: str,
    given: Received,
    mode: Mode = "strict",
    on_conflict: OnConflict = "refuse",
    *,
    all_new: bool = False,
) -> Taken:
    """Keep the predictions that are new; what was there already is told as such, or kept apart where all should be new."""
    out = Taken(errors=list(given.errors))
    one, left = _wanted(session, model, version, given, out, on_conflict)
    found = [one]
    while left is not None:
        name = f"{version}.{len(found) + 1}"
        if len(found) == MOST_VERSIONS or not NAME.fullmatch(name):
            detail = f"A prediction with this identifier is there with other values, in {len(found)} versions."
            out.errors += [RowError(int(p) + 1, "conflict", detail) for p in left.places]
            break
        one, left = _wanted(session, model, name, left, out, on_conflict)
        found.append(one)
    if all_new and (out.errors or out.duplicates):
        raise Apart
    if out.errors and mode == "strict":
        status = 409 if all(e.code == "conflict" for e in out.errors) else 422
        raise refuse_some(out.errors, given.sent, status)
    for one in found:
        _write(session, one)
        out.accepted += one.rows.rows - len(one.replaced)
        if one.version != version and one.rows.rows:
            out.versions[one.version] = one.rows.rows
    passed("rows taken")
    return out


def _wanted(
    session: Session, model: DeclaredModel, version: str, given: Received, out: Taken, on_conflict: OnConflict
) -> tuple[_Wanted, Received | None]:
    """What is to be written of a version, and the rows that are to become another one; nothing is written yet."""
    stream = stream_of(session, model.name, version)
    left: list[Received] = []
    if on_conflict != "version":
        given = _parted(given, _once(given, out, on_conflict), left)
    starts, windows = windows_of(given.times, model)
    late = np.isin(starts, [int(start) for start, _ in session.all(sql.CLOSED, stream)])
    if late.any():
        detail = "Its window is closed: the labels were in, and its rows are gone."
        out.errors += [RowError(int(p) + 1, "closed", detail, model.said.time) for p in given.places[late]]
        given = given.take(~late)
    fate, replaced = _fate(session, stream, given, out, on_conflict)
    given = _parted(given, fate, left)
    if on_conflict == "version":
        # What is there is known first: of rows with one identifier it may be any, in whatever order they are sent again.
        given = _parted(given, _once(given, out, on_conflict), left)
    starts = starts if len(starts) == given.rows else windows_of(given.times, model)[0]
    return _Wanted(version, stream, given, starts, windows, replaced), _together(left)


def _parted(given: Received, fate: Codes | None, left: list[Received]) -> Received:
    """The rows that are kept; those that are to become another version are left for that."""
    if fate is None:
        return given
    left += [given.take(fate == APART)] if (fate == APART).any() else []
    return given.take(fate == NEW)


def _together(found: Sequence[Received]) -> Received | None:
    if len(found) < 2:
        return next(iter(found), None)
    table = pa.concat_tables([x.table for x in found])
    return Received(table, found[0].sent, np.concatenate([x.places for x in found]))


def _write(session: Session, one: _Wanted) -> None:
    if one.replaced:
        flush(session, one.stream)
        remove(session, one.stream, one.replaced)
    for start in np.unique(one.starts).tolist():
        here = one.starts == start
        _keep(session, one.stream, start, one.rows if here.all() else one.rows.take(here))
        stop, name = one.windows[start]
        session.do(sql.TOUCH_WINDOW, one.stream, start, stop, name)


def windows_of(times: Instants, model: DeclaredModel) -> tuple[Instants, dict[int, tuple[int, str]]]:
    """The start of the window of each moment; and of each window its end and its name."""
    if not len(times):
        return times, {}
    # Some days at a time, so that a row of another year costs no more than its own days.
    days = 1 if is_short(model.span) else SOME_DAYS
    stretches = times // (days * DAY)
    starts = times.copy()
    told: dict[int, tuple[int, str]] = {}
    for stretch in np.unique(stretches).tolist():
        here = stretches == stretch
        edges, names = _named_edges(model.span, model.zone, stretch * days, days)
        place = np.searchsorted(edges, times[here], side="right") - 1
        starts[here] = edges[place]
        told |= {int(edges[i]): (int(edges[i + 1]), names[i]) for i in np.unique(place).tolist()}
    return starts, told


@lru_cache(maxsize=128)
def _named_edges(span: WindowSpan, zone: tzinfo, first: int, days: int) -> tuple[Instants, list[str]]:
    """Windows of some days, and one day more on both sides: an hour that comes twice is named so, whoever has rows."""
    edges = boundaries(span, zone, (first - 1) * DAY, (first + days + 1) * DAY)
    return edges, names_of_windows([moment(int(x)).astimezone(zone) for x in edges[:-1]], span)


def _once(given: Received, out: Taken, on_conflict: OnConflict) -> Codes | None:
    """What becomes of each row where some came twice in one request, nothing where none did. Errors are noted."""
    ids = given.ids
    if len(set(ids)) == len(ids):
        return None
    fate = np.full(len(ids), NEW)
    seen: dict[str, int] = {}
    whole = [given.table[name].to_pylist() for name in given.table.column_names]
    for i, name in enumerate(ids):
        first = seen.setdefault(name, i)
        if first == i:
            continue
        fate[i] = GONE
        if all(column[first] == column[i] for column in whole) or on_conflict == "keep":
            out.duplicates += 1
        elif on_conflict == "version":
            fate[i] = APART
        else:
            detail = f"Row {int(given.places[first]) + 1:,} of the same request has this identifier and other values."
            out.errors.append(RowError(int(given.places[i]) + 1, "conflict", detail))
    return fate


NEW, GONE, APART = 0, 1, 2
"""What becomes of a row: it is kept, it is not, or it becomes another version."""


def _fate(
    session: Session, stream: int, given: Received, out: Taken, on_conflict: OnConflict
) -> tuple[Codes | None, dict[str, int]]:
    """What becomes of each row, nothing where all are new; and the part of each that is replaced. Errors are noted."""
    ids = given.ids
    known: dict[str, int] = dict(session.all(sql.KNOWN_KEYS, listed(ids), stream)) if ids else {}
    known = taken_again(session, stream, known) if known else known
    pending = _pending(session, stream)
    if not known:
        return None, {}
    fate = np.full(len(ids), NEW)
    before: dict[str, tuple[object, ...]] = {}
    for part in set(known.values()):
        if part in pending:
            for table in pending[part].tables:
                before |= rows_of(table, known)
            continue
        before |= rows_of(opened(session, part), known)
    mine = [i for i, name in enumerate(ids) if name in known]
    replaced: dict[str, int] = {}
    for i, row in zip(mine, values_of(given.table.take(pa.array(mine))), strict=True):
        name = ids[i]
        if row == before.get(name) or on_conflict == "keep":
            fate[i], out.duplicates = GONE, out.duplicates + 1
        elif on_conflict == "refuse":
            fate[i] = GONE
            detail = "A prediction with this identifier is there already, with other values."
            out.errors.append(RowError(int(given.places[i]) + 1, "conflict", detail))
        elif on_conflict == "version":
            fate[i] = APART
        else:
            replaced[name] = known[name]
    out.replaced += len(replaced)
    return fate, replaced


def remove(session: Session, stream: int, known: Mapping[str, int]) -> int:
    """Take rows out again, by their part; the windows that they were in are marked."""
    gone = 0
    for part in sorted(set(known.values())):
        found = session.one(sql.PART, part)
        if found is not None:
            gone += without(session, part, {name for name, at in known.items() if at == part})
            session.do(sql.TOUCH_WINDOW, stream, found[1], found[1], "")
    session.do(sql.MOVE_KEYS, stream, listed(sorted(known)))
    return gone


def _keep(session: Session, stream: int, start: int, held: Received) -> None:
    ids = held.ids
    order = order_of(ids) if len(ids) > 1 else np.zeros(1, dtype=np.int64)
    name = f"part {stream} {start}"
    if held.rows > SMALL:
        part = new_part()
        write_part(session, stream, start, part, held.table.take(order))
    else:
        pending = _pending(session, stream)
        mine = next((p for p in pending.values() if p.start == start), None)
        if mine is None:
            mine = Pending(stream, start)
            session.before_commit[name] = mine.write
        mine.tables.append(held.table)
        part = mine.part
    added = session.do(sql.ADD_KEYS, stream, part, listed(ids[i] for i in order))
    assert added == held.rows
    passed("keys written")


def _pending(session: Session, stream: int) -> dict[int, Pending]:
    """What is still to be written of a stream in this transaction, by its part."""
    held = [getattr(write, "__self__", None) for write in session.before_commit.values()]
    return {p.part: p for p in held if isinstance(p, Pending) and p.stream == stream}


def flush(session: Session, stream: int) -> None:
    """Write what is still to be written of a stream in this transaction."""
    for name, write in list(session.before_commit.items()):
        held = getattr(write, "__self__", None)
        if isinstance(held, Pending) and held.stream == stream:
            write(session)
            del session.before_commit[name]


# Labels ---------------------------------------------------------------------------------------------------------------


def take_labels(session: Session, model: DeclaredModel, given: Received, mode: Mode, now: int) -> Taken:
    """Keep labels beside those that came before: the latest counts, and of two of one moment always the same one."""
    assert model.target is not None
    out = Taken(errors=list(given.errors))
    if out.errors and mode == "strict":
        raise refuse_some(out.errors, given.sent)
    ids, times = given.ids, given.times.tolist()
    values = given.table[model.target].to_pylist()
    texts = {v: msgspec.json.encode(v).decode() for v in set(values)}
    known: dict[str, set[tuple[int, str]]] = {}
    for name, at, value in session.all(sql.KNOWN_LABELS, listed(set(ids)), model.name) if ids else ():
        known.setdefault(name, set()).add((int(at), value))
    timed = model.said.label_time is not None
    new: dict[tuple[str, int, str], None] = {}
    for name, at, value in zip(ids, times, values, strict=True):
        text, there = texts[value], known.setdefault(name, set())
        # Without a time of its own a label is new only if it says something else than the last one.
        same = (at, text) in there if timed else bool(there) and max(there)[1] == text
        if same:
            out.duplicates += 1
            continue
        there.add((at, text))
        new[name, at, text] = None
    if new:
        session.do_each(sql.ADD_LABEL, sorted((model.name, name, at, text, now) for name, at, text in new))
        touched = session.all(sql.TOUCHED, listed(sorted({name for name, _, _ in new})), model.name)
        for stream, start in touched:
            session.do(sql.TOUCH_WINDOW, stream, start, start, "")
        for write in session.before_commit.values():
            held = getattr(write, "__self__", None)
            if isinstance(held, Pending):
                session.do(sql.TOUCH_WINDOW, held.stream, held.start, held.start, "")
    out.accepted = len(new)
    passed("labels taken")
    return out


def labels_of(session: Session, model: str, ids: Sequence[str]) -> dict[str, tuple[int, str]]:
    """The label that counts of each identifier that has one: when it became known, and what it says."""
    out: dict[str, tuple[int, str]] = {}
    for name, at, value in session.all(sql.KNOWN_LABELS, listed(ids), model):
        out[name] = max(out.get(name, (at, value)), (at, value))
    return out


# Exposures ------------------------------------------------------------------------------------------------------------


def take_exposures(session: Session, model: DeclaredModel, trial: str, given: Received, mode: Mode, now: int) -> Taken:
    """Keep who was put into which arm, the first time that it is told; whoever is there in the other arm is refused."""
    out = Taken(errors=list(given.errors))
    ids, arms, times = given.ids, given.table[ARM].to_pylist(), given.times.tolist()
    known = {str(i): str(arm) for i, arm in session.all(sql.KNOWN_EXPOSURES, listed(set(ids)), model.name, trial)}
    new: dict[str, tuple[str, int]] = {}
    for place, name, arm, at in zip(given.places.tolist(), ids, arms, times, strict=True):
        there = known.get(name)
        if there is None:
            known[name] = arm
            new[name] = (arm, at)
        elif there == arm:
            out.duplicates += 1
        else:
            detail = f"It was put into {there!r} before, and nobody changes arms."
            out.errors.append(RowError(place + 1, "conflict", detail, ARM))
    if out.errors and mode == "strict":
        raise refuse_some(out.errors, given.sent, 409 if all(e.code == "conflict" for e in out.errors) else 422)
    session.do_each(sql.ADD_EXPOSURE, sorted((model.name, trial, i, arm, at, now) for i, (arm, at) in new.items()))
    out.accepted = len(new)
    return out
