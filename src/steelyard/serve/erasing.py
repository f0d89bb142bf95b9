"""Erasing somebody: rows that wait, labels and exposures go, in every version; what was counted of them are counts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from steelyard.serve import statements as sql
from steelyard.serve.declared import DeclaredModel
from steelyard.serve.parts import listed, opened
from steelyard.serve.received import ID
from steelyard.serve.store import Session
from steelyard.serve.taking import flush, remove


@dataclass
class Erased:
    """How much went."""

    rows: int = 0
    labels: int = 0
    exposures: int = 0


def erase(session: Session, model: DeclaredModel, ids: Collection[str], unit: str | None) -> Erased:
    """Erase some identifiers, and all rows of a unit; pages that held them are written over."""
    if session.dialect == "sqlite":
        session.all(sql.SURELY)
    session.one(sql.ALONE_WITH_MODEL, model.name)
    out, wanted = Erased(), set(ids)
    streams = [int(row[0]) for row in session.all(sql.STREAMS, model.name)]
    for stream in streams:
        flush(session, stream)
        if unit is not None:
            wanted |= _ids_of(session, model, stream, unit)
    told = listed(sorted(wanted))
    for stream in streams:
        known = {str(name): int(part) for name, part in session.all(sql.KNOWN_KEYS, told, stream)}
        out.rows += remove(session, stream, known) if known else 0
        session.do(sql.ERASED_ASIDE, stream)
    session.do(sql.TAKEN_AGAIN)
    out.labels = session.do(sql.DROP_LABELS, model.name, told)
    out.exposures = session.do(sql.DROP_EXPOSURES, model.name, told)
    if session.dialect == "sqlite":
        session.all(sql.AS_EVER)
    return out


def _ids_of(session: Session, model: DeclaredModel, stream: int, unit: str) -> set[str]:
    column = model.asked["unit"]
    out: set[str] = set()
    if column is None:
        return out
    for (part,) in session.all(sql.PARTS_OF_STREAM, stream):
        table = opened(session, part)
        same = pc.equal(table[column].cast(pa.string()), unit)
        out |= set(table.filter(pc.fill_null(same, False))[ID].to_pylist())
    return out
